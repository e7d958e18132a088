"""What a Dask cluster costs, gains and survives: ``python -m tools.perf_cluster /path/to/pdfs``.

Runs on both runners take turns, so that their ratio stands on a noisy machine even where the seconds do not.
A worker is killed at a random moment; what each process writes to the store is counted.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

import dask
from distributed import Client, LocalCluster

from citegrain.flows.shared.cluster import _SETTINGS, Cluster
from citegrain.flows.shared.configs import RunnerConfig
from citegrain.tasks.core.store.files import hash_file
from tests.conftest import ROOT

COUNTING = """
    import os
    from pathlib import Path
    from citegrain.tasks.core.store import RowStore, Store
    log = Path(os.environ["CITEGRAIN_COUNTED"])

    def counted(of, name, what):
        function = getattr(of, name)
        def run(self, *args):
            with log.open("a") as lines:
                lines.write(what(self, *args) + "\\n")
            return function(self, *args)
        setattr(of, name, run)

    counted(Store, "keep", lambda self, stage, key, *more: f"{stage.name} {key.digest}")
    counted(RowStore, "append", lambda self, table: f"rows {table.column(0)[0]}")
"""
"""Runs in every process as ``sitecustomize``: a line for each result that is written."""
_ENVIRONMENT = dict(os.environ)
"""Before any cluster: one that starts in this process sets ``OMP_NUM_THREADS=1`` for all that it starts later."""
Run = Callable[..., float]


def index(folder: Path, *overrides: str, corpus: Path, counted: Path | None = None) -> float:
    """Seconds of an index from nothing into ``folder``."""
    defaults = ["corpus=folder", f"corpus.path='{corpus}'", "corpus.name=bars"]
    return citegrain(["index", *defaults, f"artifacts='{folder}'", *overrides], counted)


def sweep(folder: Path, *overrides: str, counted: Path | None = None) -> float:
    """Seconds of the published systems on the demo's questions, whose build is in ``folder``."""
    return citegrain(["sweep", "sweep=baselines", f"artifacts='{folder}'", *overrides], counted)


def citegrain(words: Sequence[str], counted: Path | None = None) -> float:
    """Seconds of a command; ``counted`` is a file that has a line for each result then."""
    environment = dict(_ENVIRONMENT)
    if counted:
        environment |= {"PYTHONPATH": f"{counted.parent}:{ROOT}", "CITEGRAIN_COUNTED": str(counted)}
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "citegrain", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    print(next((line for line in done.stderr.splitlines() if "lost" in line), ""), end=" ")
    return time.perf_counter() - begun


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every table of the store, and of every table and array of the build. Reports have times."""
    files = [p for kind in ("*.parquet", "*.npy", "*.faiss") for p in folder.rglob(kind)]
    return {str(p.relative_to(folder)): hash_file(p) for p in files if not {"tmp", "reports"} & set(p.parts)}


def cost(folder: Path, corpus: Path, repeat: int) -> None:
    """Seconds by both runners in turn."""
    seconds: dict[str, list[float]] = {"local": [], "dask": []}
    for k in range(repeat):
        for runner, times in seconds.items():
            used = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
            times.append(index(folder / f"{runner}{k}", f"runner={runner}", corpus=corpus))
            used = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - used
            print(
                f"{runner}: {times[-1]:.1f} s, {used:.1f} s of CPU, load {os.getloadavg()[0]:.1f}", flush=True
            )
    local, dask = (median(times) for times in seconds.values())
    same = digests(folder / "local0") == digests(folder / "dask0")
    print(f"medians: local {local:.1f} s, dask {dask:.1f} s, ratio {dask / local:.2f}; same bytes: {same}")


def killed(run: Run, local: Path, seconds: float, seed: int) -> None:
    """Kill the one worker, then the other, at random moments of a run, and compare with the ``local`` one's folder."""
    folder = local.parent
    (folder / "sitecustomize.py").write_text(textwrap.dedent(COUNTING))
    counted = folder / f"counted-{local.name}-{seed}"
    os.environ |= {"PYTHONPATH": f"{folder}:{ROOT}", "CITEGRAIN_COUNTED": str(counted)}
    chance = random.Random(seed)
    moments = sorted(chance.uniform(0.1, 0.8) * seconds for _ in range(2))
    dask.config.set(_SETTINGS)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as workers,
        Client(workers) as client,
    ):
        victims = list(client.run(os.getpid).values())
        timers = [
            threading.Timer(at, os.kill, (pid, signal.SIGKILL))
            for at, pid in zip(moments, victims, strict=True)
        ]
        for timer in timers:
            timer.start()
        address = f"runner.address='{workers.scheduler_address}'"
        took = run(local.with_name(f"{local.name}-killed{seed}"), "runner=dask", address, counted=counted)
        for timer in timers:
            timer.cancel()
    same = digests(local) == digests(local.with_name(f"{local.name}-killed{seed}"))
    lines = Counter(counted.read_text().splitlines())
    twice = [line.split()[0] for line, n in lines.items() if n > 1]
    at = " and ".join(f"{moment:.0f}" for moment in moments)
    print(
        f"killed at {at} s of {took:.0f} s; same bytes: {same}; {len(lines)} results, written twice: {twice}",
        flush=True,
    )


def speed_up(jobs: int, seconds: float) -> None:
    """A stage that sleeps, by one worker and by four."""
    times = {}
    for workers in (1, 4):
        local = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
        with local, Client(local) as client:
            cluster = Cluster(client, RunnerConfig("dask"))
            begun = time.perf_counter()
            futures = cluster.start("sleep", time.sleep, {str(n): (seconds,) for n in range(jobs)})
            list(cluster.finished(futures))
            times[workers] = time.perf_counter() - begun
    print(
        f"{jobs} sleeps of {seconds} s: {times[1]:.1f} s by 1, {times[4]:.1f} s by 4: {times[1] / times[4]:.2f}"
    )


def studied(folder: Path, kills: int) -> None:
    """The same kills in a study, of which each run begins with the build alone."""
    build = folder / "build"
    citegrain(["index", f"artifacts='{build}'"])
    names = ["study", "timed-study", *(f"study-killed{seed}" for seed in range(kills))]
    for name in names:
        shutil.copytree(build, folder / name)
    sweep(folder / "study")
    seconds = sweep(folder / "timed-study", "runner=dask")
    for seed in range(kills):
        killed(sweep, folder / "study", seconds, seed)


def main() -> None:
    """All four."""
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--kills", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        speed_up(40, 0.5)
        cost(folder, given.corpus, given.repeat)
        if given.kills:
            seconds = index(folder / "timed", "runner=dask", corpus=given.corpus)
            for seed in range(given.kills):
                killed(partial(index, corpus=given.corpus), folder / "local0", seconds, seed)
            studied(folder, given.kills)


if __name__ == "__main__":
    main()

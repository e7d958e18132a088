"""Speed and memory of an index, beside peers, in one run: ``make bench-perf CORPUS=/path/to/pdfs``.

Times are wall-clock medians; peers are timed in turn with ours on the same input, so that
the ratios hold on a noisy machine even where the seconds do not.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np
import psutil
import pymupdf
from rich.console import Console
from rich.progress import track

from citegrain.flows.index.inputs import corpus_sources, prepare
from citegrain.flows.index.run import plan_index
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.pool import worker_pool
from citegrain.flows.shared.settings import Settings, load_settings
from citegrain.tasks.core.schemas import CHUNKS
from citegrain.tasks.offline import parse, structure
from citegrain.tasks.offline.index import searched_rows
from citegrain.tasks.offline.models import Encoder
from tools.perf_peers import (
    parse_beside_peers,
    question_beside_haystack,
    sparse_beside_peers,
    vectors_beside_usearch,
)
from tools.timing import Bench, in_turn

PUBLISHED_PAGES_PER_S = 4.9  # the thesis, chapter 5: 3,500 pages in 12 minutes by 4 processes
GIB = 2**30


@dataclass
class Peak:
    """The most memory a process and its children held at once: resident bytes, summed."""

    bytes: int = 0


@contextmanager
def watched_memory(pid: int | None = None) -> Iterator[Peak]:
    """Sample the resident memory of a process tree ten times a second."""
    peak, stop = Peak(), threading.Event()
    root = psutil.Process(pid)

    def sample() -> None:
        while not stop.wait(0.1):
            total = 0
            try:
                for process in [root, *root.children(recursive=True)]:
                    total += process.memory_info().rss
            except psutil.Error:
                continue  # a child ended while it was looked at
            peak.bytes = max(peak.bytes, total)

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        stop.set()
        thread.join()


def parse_and_structure(bench: Bench, make: Callable[..., Settings], repeat: int) -> None:
    """Pages a second of ``parse`` and ``structure`` as an index run makes them, from an empty store."""
    seconds, pages, peaks = [], 0, []
    for k in range(repeat):
        settings = make(f"artifacts='{make().artifacts_folder}/parse{k}'")
        setup = prepare(settings)
        plan = plan_index(setup)
        with watched_memory() as peak:
            begun = time.perf_counter()
            with worker_pool(settings.runner) as pool:
                for stage in (parse.DOCUMENT_STAGE, structure.DOCUMENT_STAGE):
                    jobs = {key: (*job, setup.documents) for key, job in plan.jobs(stage).items()}
                    plan = plan.with_outcomes(stage, pool.run(stage.name, stage.run, jobs))
            seconds.append(time.perf_counter() - begun)
        peaks.append(peak.bytes)
        pages = sum(int(d.row["n_pages"]) for d in plan.documents if d.row)
        shutil.rmtree(settings.artifacts_folder)
    rate = pages / median(seconds)
    bench.add(
        f"parse + structure, {pages} pages, beside the published rate",
        f"{rate:.0f} pages/s",
        f"{PUBLISHED_PAGES_PER_S} pages/s",
        f"{rate / PUBLISHED_PAGES_PER_S:.0f}",
    )
    bench.add("  peak memory of all its processes", f"{max(peaks) / GIB:.2f} GiB")


def run_citegrain(arguments: list[str]) -> tuple[float, int, str]:
    """(seconds, peak bytes, output) of a ``citegrain`` command."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "citegrain", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with watched_memory(process.pid) as peak:
        output, _ = process.communicate()
    if process.returncode:
        sys.exit(f"citegrain {' '.join(arguments)} failed:\n{output[-2000:]}")
    return time.perf_counter() - begun, peak.bytes, output


def copy_pdfs(source: Path, target: Path) -> None:
    """Copy the PDFs of a folder; the copies can be changed even where the originals cannot."""
    for path in sorted(source.rglob("*.pdf")):
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)


def amend(folder: Path) -> Path:
    """Take the last page from the Act of median size, as if it had been amended; its path."""
    files = sorted(folder.rglob("*.pdf"), key=lambda p: p.stat().st_size)
    path = files[len(files) // 2] if len(files) > 1 else files[0]
    with pymupdf.open(path) as document:
        document.delete_page(document.page_count - 1)
        data = document.tobytes()
    path.write_bytes(data)
    return path


def whole_index(bench: Bench, overrides: list[str], folder: Path) -> None:
    """First run from an empty store, second run, and a run after one Act changed."""
    first, peak, _ = run_citegrain(["index", *overrides])
    bench.add("index from an empty store, whole command", f"{first:.0f} s")
    bench.add("  peak memory of all its processes", f"{peak / GIB:.2f} GiB")
    second, _, output = run_citegrain(["index", *overrides])
    if "nothing to do" not in output:
        sys.exit(f"the second run was to find nothing to do:\n{output[-2000:]}")
    bench.add("second run, nothing changed", f"{second:.1f} s", "", f"{second / first:.3f}")
    if len(list(folder.rglob("*.pdf"))) == 1:
        return
    amended = amend(folder)
    third, _, output = run_citegrain(["index", *overrides])
    plan = next((line.strip() for line in output.splitlines() if "stage runs" in line), "")
    bench.add(f"one Act changed ({amended.stem[:40]})", f"{third:.1f} s", "", f"{third / first:.3f}")
    bench.add(f"  {plan}", "")


def precision(bench: Bench, build: Build, settings: Settings, repeat: int) -> None:
    """Texts a second in bf16 and in fp32, and how far their vectors agree."""
    rows = searched_rows(build.table(CHUNKS))
    texts = [r["text"] for r in rows[:: max(1, len(rows) // 128)][:128]]
    model = prepare(settings).encoding.model
    encoders = {
        name: Encoder(model, replace(settings.embed, precision=name).settings(), settings.runner.threads)
        for name in ("bf16", "fp32")
    }
    vectors = {name: np.asarray(e.encode(texts)) for name, e in encoders.items()}
    works = {name: lambda e=e: e.encode(texts) for name, e in encoders.items()}
    seconds = in_turn(works, repeat)
    cosine = (vectors["bf16"] * vectors["fp32"]).sum(axis=1)
    bench.add(
        f"embed, {len(texts)} chunks, bf16 beside fp32",
        f"{len(texts) / seconds['bf16']:.0f} texts/s",
        f"{len(texts) / seconds['fp32']:.0f} texts/s",
        f"{seconds['fp32'] / seconds['bf16']:.2f}",
    )
    bench.add("  cosine of their vectors, mean and least", f"{cosine.mean():.5f}, {cosine.min():.5f}")


def opened(settings: Settings) -> Build:
    """The build that was indexed here."""
    return Build.open(settings.builds_folder / settings.corpus.name, settings.models_folder)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, help="folder of PDFs; the embedded corpus if left out")
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the median is taken")
    arguments = parser.parse_args()
    bench = Bench()
    with tempfile.TemporaryDirectory(prefix="citegrain-perf-") as name:
        work = Path(name)
        folder = work / "pdfs"
        overrides = [f"corpus.path='{folder}'", f"artifacts='{work / 'artifacts'}'", "parse.ocr=off"]
        if arguments.corpus:
            copy_pdfs(arguments.corpus, folder)
        else:
            corpus_sources(prepare(load_settings(overrides)).corpus)
        overrides += ["corpus=folder", "corpus.name=perf"]

        def make(*more: str) -> Settings:
            return load_settings([*overrides, *more])

        steps: dict[str, Callable[[], None]] = {
            "parse": lambda: parse_and_structure(bench, make, arguments.repeat),
            "peers: parse": lambda: parse_beside_peers(
                bench, sorted(folder.rglob("*.pdf")), arguments.repeat
            ),
            "index": lambda: whole_index(bench, overrides, folder),
            "peers: BM25": lambda: sparse_beside_peers(bench, opened(make()), arguments.repeat),
            "peers: vectors": lambda: vectors_beside_usearch(bench, opened(make()), arguments.repeat),
            "peers: question": lambda: question_beside_haystack(bench, opened(make()), arguments.repeat),
            "embed": lambda: precision(bench, opened(make()), make(), arguments.repeat),
        }
        for step in track(list(steps), description="measuring", console=Console(stderr=True)):
            steps[step]()
    cpu = platform.processor() or platform.machine()
    load = os.getloadavg()[0]
    bench.show(f"{os.cpu_count()} cores ({cpu}), load {load:.1f}, medians of {arguments.repeat}, OCR off")


if __name__ == "__main__":
    main()

"""What a factorial study costs beside its cells one by one, in one run: part of ``make bench-perf``.

A design of eight cells on the embedded corpus. Each cell by itself is ``citegrain bench`` in a process of its own,
from a store that holds the builds and nothing of the online stages, and so is the study. Report and MLflow are on
in both, as users have them. ``--cells N`` times only N of the cells and takes their mean for the others, for
designs, corpora and benchmarks named by overrides, whose builds must be there: ``python -m tools.perf_ablate --cells 6 study=structural
benchmark=file benchmark.path=my.jsonl corpus=folder corpus.path=DIR corpus.name=mine``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from citegrain.flows.shared.settings import Settings, load_settings
from tests.conftest import ROOT
from tools.perf import watched_memory

SMALLER = [
    "study.name=smaller",
    "~study.factors.retrieval.sparse",
    "~study.factors.retrieval.weighted",
    "~study.factors.provenance",
    "~study.factors.diversity",
    "study.contrasts=[{factor:retrieval,level:rrf,against:dense}]",
]
OFFLINE = ("parse", "structure", "chunk", "tag", "embed")


def run(overrides: list[str], command: str, artifacts: Path) -> float:
    """Seconds of a command in a process of its own."""
    call = [sys.executable, "-m", "citegrain", command, *overrides, f"artifacts='{artifacts}'"]
    begun = time.monotonic()
    done = subprocess.run(call, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(call)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return time.monotonic() - begun


def fresh(artifacts: Path, folder: Path) -> Path:
    """Artefacts with builds, models and the offline stages, and nothing of the online ones."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "store").mkdir(parents=True)
    for name in ("builds", "models"):
        (folder / name).symlink_to(artifacts / name)
    for stage in OFFLINE:
        if (artifacts / "store" / stage).is_dir():
            (folder / "store" / stage).symlink_to(artifacts / "store" / stage)
    return folder


def sampled(settings: Settings, most: int) -> dict[str, list[str]]:
    """Overrides of some cells, evenly drawn from all; the first and the last, plainest and dearest, among them."""
    cells = settings.study.design.cells
    names = list(cells)
    places = (
        range(len(names))
        if most >= len(names)
        else {round(i * (len(names) - 1) / (most - 1)) for i in range(most)}
    )
    return {names[i]: settings.study.overrides(cells[names[i]]) for i in sorted(places)}


def main() -> None:
    """Time both ways and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=64, help="cells that are timed by themselves")
    parser.add_argument("--artifacts", default="artifacts", help="where the builds are, or are made")
    parser.add_argument("overrides", nargs="*", default=[])
    given = parser.parse_args()
    overrides = given.overrides or ["corpus=demo", "benchmark=constitution", *SMALLER]
    settings = load_settings(overrides)
    artifacts = (ROOT / given.artifacts).resolve()
    number = len(settings.study.design.cells)
    if not given.overrides:
        run(overrides, "ablate", artifacts)  # makes the builds
    plain = [o for o in overrides if not o.lstrip("~").startswith("study")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "artifacts"
        with watched_memory() as peak:
            study = run(overrides, "ablate", fresh(artifacts, folder))
        again = time.monotonic()
        for stage in ("select", "verify", "score"):
            shutil.rmtree(folder / "store" / stage)
        run(overrides, "ablate", folder)
        scored = time.monotonic() - again
        alone = {
            cell: run([*plain, *changes, f"bench.name={cell}"], "bench", fresh(artifacts, folder))
            for cell, changes in sampled(settings, given.cells).items()
        }
    show(number, study, scored, peak.bytes / 2**30, alone)


def show(number: int, study: float, scored: float, memory: float, alone: dict[str, float]) -> None:
    """Print what was measured."""
    table = Table(title=f"{number} cells, {len(alone)} of them by themselves too", title_justify="left")
    for column in ("", "s"):
        table.add_column(column, justify="right" if column else "left")
    for cell, seconds in alone.items():
        table.add_row(cell, f"{seconds:.1f}")
    table.add_row("the study", f"{study:.1f}")
    table.add_row("the study once pairs are scored", f"{scored:.1f}")
    console = Console(highlight=False)
    console.print(table)
    total = sum(alone.values()) / len(alone) * number
    dearest = max(alone.values())
    console.print(
        f"study / dearest cell {study / dearest:.2f}; cells one by one / study {total / study:.1f}; "
        f"peak memory over all processes {memory:.2f} GiB"
    )


if __name__ == "__main__":
    main()

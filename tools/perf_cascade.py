"""Time of a question, stage by stage, on a published build: ``make bench-cascade NAME=mine``.

Questions are those of the constitution benchmark, whatever the build holds: the work is the same.
Times are wall-clock medians with the models loaded.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from datetime import date
from statistics import median

from rich.console import Console
from rich.table import Table

from citegrain.flows.shared.library import Build
from citegrain.flows.shared.progress import StepTimes
from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.evaluation.benchmark import load_benchmark
from citegrain.tasks.online.cascade import Cascade
from tests.conftest import ROOT

DAY = date(2026, 11, 1)
RETRIEVING = ("query", "dense", "sparse", "provision", "lay_dense", "lay_sparse", "fused")


def complaints() -> dict[str, str]:
    """Question by id."""
    folder = ROOT / "data" / "benchmarks" / "constitution"
    return {
        r.id: r.text
        for split in ("test", "dev")
        for r in load_benchmark(folder / f"{split}.jsonl", "constitution", split)
    }


def measure(build: Build, overrides: list[str], singles: int) -> list[str]:
    """A row: p50 of the steps of single questions, of the whole, and questions a second in a batch."""
    texts = complaints()
    cascade = Cascade(build, load_settings(overrides).cascade)
    cascade.run({"warm": next(iter(texts.values()))}, DAY)
    steps: dict[str, list[float]] = {}
    for text in list(texts.values())[:singles]:
        begun = time.perf_counter()
        times = StepTimes(cascade)
        cascade.run({"q": text}, DAY, times)
        seconds = times.seconds
        steps.setdefault("whole", []).append(time.perf_counter() - begun)
        steps.setdefault("retrieve", []).append(sum(seconds.get(name, 0.0) for name in RETRIEVING))
        for name in ("encode", "reranked"):
            steps.setdefault(name, []).append(seconds.get(name, 0.0))
    fresh = Cascade(build, load_settings(overrides).cascade)
    begun = time.perf_counter()
    fresh.run(texts, DAY)
    rate = len(texts) / (time.perf_counter() - begun)
    shown = [f"{1000 * median(steps[name]):.1f}" for name in ("retrieve", "encode", "reranked", "whole")]
    return [*shown, f"{rate:.1f}"]


def cold(name: str) -> float:
    """Seconds of ``citegrain ask`` in a process of its own."""
    begun = time.perf_counter()
    command = [
        sys.executable,
        "-m",
        "citegrain",
        "ask",
        next(iter(complaints().values())),
        f"corpus.name={name}",
    ]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return time.perf_counter() - begun


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="a published build")
    parser.add_argument("--singles", type=int, default=30)
    arguments = parser.parse_args()
    settings = load_settings([])
    build = Build.open(settings.builds_folder / arguments.name, settings.models_folder)
    token_vectors = "kept" if build.token_vectors() else "not kept"
    table = Table(
        title=f"{arguments.name}: {len(build.chunk_ids)} chunks, token vectors {token_vectors}; ms a question, p50"
    )
    for name in ("", "retrieve + fuse", "encode", "rerank", "whole", "batch, questions/s"):
        table.add_column(name, justify="right" if name else "left")
    for title, overrides in (
        ("default", []),
        ("rerank=late_interaction", ["rerank=late_interaction"]),
        ("select=mmr", ["select=mmr"]),
    ):
        table.add_row(title, *measure(build, overrides, arguments.singles))
    console = Console(width=100)
    console.print(table)
    console.print(
        f"citegrain ask, cold: {median(cold(arguments.name) for _ in range(3)):.1f} s (median of 3)"
    )


if __name__ == "__main__":
    main()

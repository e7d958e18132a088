"""The benchmark of questions that need a second hop, as its files hold it."""

from __future__ import annotations

import json
from typing import Any

from citegrain.tasks.evaluation.benchmark import (
    SPLITS,
    Citation,
    Record,
    load_benchmark,
    read_passes,
    read_settled,
)
from tests.conftest import ROOT

FOLDER = ROOT / "data" / "benchmarks" / "hop"
CARD = (FOLDER / "README.md").read_text(encoding="utf-8")
RECORDS: dict[str, tuple[Record, ...]] = {
    split: load_benchmark(FOLDER / f"{split}.jsonl", split, split).records for split in SPLITS
}
ALL = [record for split in SPLITS for record in RECORDS[split]]
PASSES = read_passes(FOLDER)
SETTLED = read_settled(FOLDER, PASSES)
HOPS: dict[str, dict[str, Any]] = {
    hop["id"]: hop for hop in map(json.loads, (FOLDER / "hops.jsonl").read_text("utf-8").splitlines())
}
"""What each question names, its kind, and the references on which its set hangs together."""


def links(question: str) -> list[tuple[Citation, Citation, str]]:
    """The references of a question: whose text, to what, in which words."""
    return [(Citation(**x["from"]), Citation(**x["to"]), x["words"]) for x in HOPS[question]["links"]]


def cells(begins: str) -> list[str]:
    """Cells of the row of the card that begins so."""
    row = next(line for line in CARD.splitlines() if line.startswith(f"| {begins}"))
    return [cell.strip() for cell in row.strip("|").split("|")][1:]

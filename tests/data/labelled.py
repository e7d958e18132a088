"""A benchmark of the package as its files hold it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from citegrain.tasks.evaluation.benchmark import (
    SPLITS,
    Pass,
    Record,
    Settled,
    load_benchmark,
    read_passes,
    read_settled,
)
from tests.conftest import ROOT


class Labelled:
    """The files of its folder, each read when a test first uses it."""

    def __init__(self, name: str) -> None:
        self.folder = ROOT / "data" / "benchmarks" / name
        self.card = (self.folder / "README.md").read_text(encoding="utf-8")

    @cached_property
    def records(self) -> Mapping[str, tuple[Record, ...]]:
        return {s: load_benchmark(self.folder / f"{s}.jsonl", s, s).records for s in SPLITS}

    @cached_property
    def every(self) -> list[Record]:
        return [record for split in SPLITS for record in self.records[split]]

    @cached_property
    def texts(self) -> Mapping[str, str]:
        return {record.id: record.text for record in self.every}

    @cached_property
    def passes(self) -> list[Pass]:
        return read_passes(self.folder)

    @cached_property
    def settled(self) -> Mapping[str, Settled]:
        return read_settled(self.folder, self.passes)

    def card_row(self, begins: str) -> list[str]:
        """Cells of the row of the card that begins so."""
        row = next(line for line in self.card.splitlines() if line.startswith(f"| {begins}"))
        return [cell.strip() for cell in row.strip("|").split("|")][1:]

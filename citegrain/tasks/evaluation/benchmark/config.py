"""Parameters of a benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from citegrain.tasks.evaluation.benchmark.fields import iso_day

SPLITS = ("dev", "test")
FORMATS = ("auto", "jsonl", "beir", "trec", "out_of_scope", "spans")


@dataclass(frozen=True)
class BenchmarkConfig:
    """Which complaints are scored.

    Attributes
    ----------
    name
        What results are filed under; if empty, the name of the file or folder.
    path
        The file or folder.
    split
        ``dev`` if configurations are chosen on it, ``test`` if not.
    format
        ``jsonl``, ``beir``, ``trec``, ``out_of_scope``, ``spans``, or ``auto`` to go by what is there.
    as_of
        Day whose law applies to complaints without a date, YYYY-MM-DD; empty for none.
    description
        For people.
    """

    name: str = ""
    path: str = ""
    split: str = "test"
    format: str = "auto"
    as_of: str = ""
    description: str = ""

    def __post_init__(self) -> None:
        for name, value, known in (("split", self.split, SPLITS), ("format", self.format, FORMATS)):
            if value not in known:
                raise ValueError(f"benchmark.{name}={value}: must be one of {', '.join(known)}")
        try:
            _ = self.day
        except ValueError as error:
            raise ValueError(f"benchmark.as_of={self.as_of}: {error}") from error

    @property
    def day(self) -> date | None:
        """``as_of`` as a day."""
        return iso_day(self.as_of) if self.as_of else None

    @property
    def label(self) -> str:
        """``name``, else the name of the file or folder."""
        return self.name or Path(self.path).name.removesuffix(".jsonl").removesuffix(".json") or "benchmark"

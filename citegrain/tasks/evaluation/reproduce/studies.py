"""Accuracy of ours, from the folder of a study."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from citegrain.tasks.core.schemas import SUMMARY
from citegrain.tasks.evaluation.reproduce.arithmetic import number
from citegrain.tasks.evaluation.studies import StudyReadError, read_study, study_folders

METRICS = ("primary_accuracy", "complete_accuracy", "source_accuracy", "page_accuracy")
_PREFERRED = ("thesis", "default")


@dataclass(frozen=True)
class Cell:
    """A mean over ``n`` queries with its 95% interval."""

    value: float
    lo: float
    hi: float
    n: int

    def text(self, scale: int = 1, digits: int = 3) -> str:
        """``0.444 [0.315, 0.575]``; without the interval where there is none."""
        unit = "%" if scale == 100 else ""
        told = number(scale * self.value, digits) + unit
        if math.isnan(self.lo) or math.isnan(self.hi) or self.lo == self.hi:
            return told
        return f"{told} [{number(scale * self.lo, digits)}, {number(scale * self.hi, digits)}]"


@dataclass(frozen=True)
class Study:
    """A study: where it was measured, and its cells by configuration and metric.

    Attributes
    ----------
    configuration
        The one that stands beside published rows: ``thesis`` if it was measured, else ``default``,
        else the first.
    """

    name: str
    corpus: str
    benchmark: str
    split: str
    in_scope: int
    configurations: Mapping[str, Mapping[str, Cell]]

    @property
    def configuration(self) -> str:
        have = list(self.configurations)
        return next((name for name in _PREFERRED if name in have), have[0])

    @property
    def cells(self) -> Mapping[str, Cell]:
        """Cells of that configuration."""
        return self.configurations[self.configuration]

    @property
    def line(self) -> str:
        """What was measured, on what."""
        return (
            f"study {self.name}: benchmark {self.benchmark} ({self.split}), {self.in_scope} complaints in "
            f"scope, build {self.corpus}"
        )

    def rows(self) -> list[tuple[str, ...]]:
        """(configuration, and each of ``METRICS`` with its interval) of every configuration."""
        return [
            (name, *(cells[m].text() if m in cells else "-" for m in METRICS))
            for name, cells in self.configurations.items()
        ]


def find_study(reports: Path, corpus: str, name: str = "") -> Study | None:
    """The study named, else the last written: on this build and a test split, as far as there is such a one.

    Raises
    ------
    FileNotFoundError
        If the study named is not there, or nothing in it was scored.
    """
    if name:
        study = _read(reports / name)
        if study is None:
            raise FileNotFoundError(f"{name}: no study of this name is there with scores in it")
        return study
    studies = [s for s in map(_read, study_folders(reports)) if s is not None]
    order = {id(s): (s.corpus == corpus, s.split == "test", i) for i, s in enumerate(studies)}
    return max(studies, key=lambda s: order[id(s)], default=None)


def _read(folder: Path) -> Study | None:
    """A study; None where it cannot be read or nothing in it was scored."""
    try:
        held = read_study(folder, [SUMMARY])
    except StudyReadError:
        return None
    configurations: dict[str, dict[str, Cell]] = {}
    for row in held.rows(SUMMARY.name):
        if row["metric"] in METRICS:
            cell = Cell(row["value"], row["lo"], row["hi"], row["n"])
            configurations.setdefault(row["configuration"], {})[row["metric"]] = cell
    facts, told = held.facts, held.facts["benchmark"]
    place = (facts["study"], facts["corpus"], told["name"], told["split"], told["in_scope"])
    return Study(*place, configurations) if configurations else None

"""Accuracy of ours, from the folder of a study."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from citegrain.tasks.core.schemas import SUMMARY
from citegrain.tasks.evaluation.compare import Interval
from citegrain.tasks.evaluation.studies import StudyReadError, read_study, study_folders
from citegrain.tasks.published.reproduce.arithmetic import number

METRICS = ("primary_accuracy", "complete_accuracy", "source_accuracy", "page_accuracy")
_PREFERRED = ("thesis", "default")


@dataclass(frozen=True)
class Accuracy(Interval):
    """A mean over ``n`` queries with its 95% interval."""

    def text(self, scale: int = 1, digits: int = 3) -> str:
        """``0.444 [0.315, 0.575]``; without the interval where there is none."""
        unit = "%" if scale == 100 else ""
        text = number(scale * self.value, digits) + unit
        if math.isnan(self.lo) or math.isnan(self.hi) or self.lo == self.hi:
            return text
        return f"{text} [{number(scale * self.lo, digits)}, {number(scale * self.hi, digits)}]"


@dataclass(frozen=True)
class Study:
    """A study: where it was measured, and its accuracies by configuration and metric.

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
    configurations: Mapping[str, Mapping[str, Accuracy]]

    @property
    def configuration(self) -> str:
        have = list(self.configurations)
        return next((name for name in _PREFERRED if name in have), have[0])

    def beside(self, experiment: str) -> Mapping[str, Accuracy]:
        """By metric, of what stands for a published system; for the thesis the configuration above."""
        return self.configurations.get(self.configuration if experiment in _PREFERRED else experiment, {})

    @property
    def line(self) -> str:
        """What was measured, on what."""
        return (
            f"study {self.name}: benchmark {self.benchmark} ({self.split}), {self.in_scope} complaints in "
            f"scope, build {self.corpus}"
        )

    def rows(self) -> list[tuple[str, ...]]:
        """A row a configuration: its name, and each of ``METRICS`` with its interval."""
        return [
            (name, *(accuracies[m].text() if m in accuracies else "-" for m in METRICS))
            for name, accuracies in self.configurations.items()
        ]


def find_study(reports: Path, corpus: str, name: str = "") -> Study | None:
    """The study named, else the last written on this corpus, on a test split if there is such a one.

    Raises
    ------
    FileNotFoundError
        If the study named is not there, or nothing in it was scored.
    """
    if name:
        study = _read(reports / name)
        if study is None:
            raise FileNotFoundError(f"{name}: there is no study of this name with scores")
        return study
    studies = [s for s in map(_read, study_folders(reports)) if s is not None and s.corpus == corpus]
    return max(reversed(studies), key=lambda s: s.split == "test", default=None)


def _read(folder: Path) -> Study | None:
    """A study; None where it cannot be read or nothing in it was scored."""
    try:
        study = read_study(folder, [SUMMARY])
    except StudyReadError:
        return None
    configurations: dict[str, dict[str, Accuracy]] = {}
    for row in study.rows(SUMMARY.name):
        if row["metric"] in METRICS:
            accuracy = Accuracy(row["value"], row["lo"], row["hi"], row["n"])
            configurations.setdefault(row["configuration"], {})[row["metric"]] = accuracy
    facts, benchmark = study.facts, study.facts["benchmark"]
    place = (facts["study"], facts["corpus"], benchmark["name"], benchmark["split"], benchmark["in_scope"])
    return Study(*place, configurations) if configurations else None

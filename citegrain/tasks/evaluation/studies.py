"""Folders of studies: a list of them, and one of them read, its tables and its facts."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.schemas import (
    ANSWERS,
    BREAKDOWN,
    COMPARISONS,
    EFFECTS,
    FUNNEL,
    MODEL,
    SCORES,
    SHARES,
    SUMMARY,
    TIMINGS,
    TRACES,
    SchemaError,
    TableSchema,
    per_configuration,
)
from citegrain.tasks.core.tables import read_table

Row = Mapping[str, Any]

FACTS = "study.json"
TABLES = (
    SUMMARY, COMPARISONS, BREAKDOWN, EFFECTS, MODEL, TIMINGS, SHARES,
    per_configuration(SCORES), per_configuration(FUNNEL), per_configuration(TRACES),
)  # fmt: skip
_REQUIRED = {"study": str, "benchmark": dict, "configurations": dict}
# defaults for what an earlier version or an interrupted study did not write
_FACTS: Row = {
    "made_at": "", "command": "", "plan": "", "environment": {}, "corpus": "", "seed": "–", "declared": True,
    "baseline": "", "metrics": [], "own_metrics": {}, "warnings": [], "questions": {}, "design": {},
}  # fmt: skip
_ENVIRONMENT: Row = {"python": "", "machine": "", "libraries": {}, "git_commit": "", "source": ""}
_BENCHMARK: Row = {
    "name": "", "split": "", "path": "", "sha256": "", "queries": 0, "in_scope": 0, "as_of": "",
    "description": "",
}  # fmt: skip
_CONFIGURATION: Row = {
    "overrides": [], "config": {}, "build": "", "build_content": "", "weights": "", "generator": "",
    "failure": "", "queries_that_failed": {},
}  # fmt: skip
_DESIGN: Row = {
    "factors": {}, "base": [], "levels": {}, "cells": {}, "contrasts": [], "metrics": [], "aliases": [],
    "holes": [], "tokens": {},
}  # fmt: skip


class Share(str):
    """Name of a metric of one's own that is a proportion: its values are shown in per cent."""


class StudyReadError(ValueError, Expected):
    """The folder of a study cannot be read; the message says why, on one line."""


@dataclass(frozen=True)
class StudyFolder:
    """A study as its folder keeps it.

    ``tables``: by name; empty where the study has none.
    """

    folder: Path
    facts: Mapping[str, Any]
    tables: Mapping[str, pa.Table] = field(default_factory=dict)

    @cached_property
    def configurations(self) -> list[str]:
        """Every configuration, in the order of the study, those without scores too."""
        return list(self.facts["configurations"])

    @cached_property
    def scored(self) -> list[str]:
        """Configurations that have scores."""
        scored = set(self.tables["summary"].column("configuration").to_pylist())
        return [name for name in self.configurations if name in scored]

    @cached_property
    def cells(self) -> dict[tuple[str, str], Row]:
        """Rows of the summary by configuration and metric."""
        return {(r["configuration"], r["metric"]): r for r in self.rows("summary")}

    @property
    def baseline(self) -> str:
        """The configuration that the others are compared with; empty where none is."""
        return str(self.facts["baseline"])

    @property
    def focus(self) -> str:
        """The configuration shown in detail: ``default``, else the best by nDCG@10, the first of equals."""
        if "default" in self.scored:
            return "default"
        return max(self.scored, key=lambda name: self.value(name, "ndcg_10"), default="")

    def value(self, configuration: str, metric: str) -> float:
        """A metric of a configuration; -inf where it is not known, so that others come before it."""
        value = self.cells.get((configuration, metric), {}).get("value")
        return float(value) if value is not None and math.isfinite(value) else -math.inf

    def values_of(self, configuration: str, metric: str) -> dict[str, float]:
        """A metric of a configuration by query id, in the order of the scores."""
        wanted = (pc.field("configuration") == configuration) & (pc.field("metric") == metric)
        columns = self.tables["scores"].filter(wanted).select(["query_id", "value"]).to_pydict()
        return dict(zip(*columns.values(), strict=True))

    @cached_property
    def has_answers(self) -> bool:
        """Whether answers were kept: a study may stop at what was selected."""
        return any((self.folder / "answers").glob("*.parquet"))

    def only(self, configurations: Collection[str]) -> StudyFolder:
        """The same study with some of its configurations only."""
        wanted = pc.field("configuration").isin(pa.array([*configurations], pa.string()))
        chosen = {n: facts for n, facts in self.facts["configurations"].items() if n in configurations}
        tables = {
            name: table.filter(wanted) if "configuration" in table.column_names else table
            for name, table in self.tables.items()
        }
        return StudyFolder(self.folder, {**self.facts, "configurations": chosen}, tables)

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Rows of a table; none where the study has no such table."""
        theirs = {name: name for name in self.facts.get("own_metrics", ())}
        rows = self.tables[table].to_pylist()
        return [r | {"metric": theirs[r["metric"]]} if r.get("metric") in theirs else r for r in rows]

    def answers(self, configuration: str) -> dict[str, Row]:
        """Answers of a configuration by query id; none where they were not kept."""
        path = self.folder / "answers" / f"{configuration}.parquet"
        if not path.is_file():
            return {}
        return {row["query_id"]: row for row in _read(path, ANSWERS).to_pylist()}


def study_folders(reports: Path) -> list[Path]:
    """Folders of the studies below ``reports``, the one written last at the end.

    Hidden ones are left out: such a folder is being written, or its writing was cut short.
    """
    files = [p for p in reports.glob(f"*/{FACTS}") if not p.parent.name.startswith(".")]
    return [p.parent for p in sorted(files, key=lambda p: p.stat().st_mtime)]


def study_folder(reports: Path, name: str = "") -> Path:
    """Folder of a study by name, or of the one written last where no name is given.

    Raises FileNotFoundError if there is none.
    """
    if name:
        if not (reports / name / FACTS).is_file():
            raise FileNotFoundError(f"{name}: no study has this name")
        return reports / name
    folders = study_folders(reports)
    if not folders:
        raise FileNotFoundError("there is no study yet: run citegrain bench or citegrain sweep")
    return folders[-1]


def read_study(folder: Path, schemas: Sequence[TableSchema] = TABLES) -> StudyFolder:
    """Read a study's folder, or of its tables those of some schemas.

    A table that is not there is read as one without rows: studies of one configuration, or of
    an earlier version, lack some. Raises StudyReadError if ``study.json`` or a table cannot be read.
    """
    path = folder / FACTS
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StudyReadError(f"{path}: {error}") from error
    fields = facts if isinstance(facts, dict) else {}
    if missing := [name for name, kind in _REQUIRED.items() if not isinstance(fields.get(name), kind)]:
        raise StudyReadError(f"{path}: this is not a study: {', '.join(missing)} missing")
    return StudyFolder(folder, _completed(facts), {s.name: _read(folder / s.file, s) for s in schemas})


def _completed(facts: Row) -> dict[str, Any]:
    """The facts with every key that a report reads; null counts as missing."""

    def filled(defaults: Row, given: Row | None) -> dict[str, Any]:
        return {**defaults, **{key: value for key, value in (given or {}).items() if value is not None}}

    out = filled(_FACTS, facts)
    out["environment"] = filled(_ENVIRONMENT, out["environment"])
    out["benchmark"] = filled(_BENCHMARK, out["benchmark"])
    if out["design"]:  # of an ordinary study there is none
        out["design"] = filled(_DESIGN, out["design"])
    out["configurations"] = {n: filled(_CONFIGURATION, given) for n, given in out["configurations"].items()}
    shares = {name: Share(name) for name, (kind, _) in out["own_metrics"].items() if kind == "proportion"}
    out["own_metrics"] = {shares.get(name, name): said for name, said in out["own_metrics"].items()}
    for part in (out, out["design"]) if out["design"] else (out,):
        part["metrics"] = [shares.get(name, name) for name in part["metrics"]]
    return out


def _read(path: Path, schema: TableSchema) -> pa.Table:
    if not path.is_file():
        return schema.empty()
    try:
        return read_table(path, schema)
    except (SchemaError, pa.ArrowException, OSError) as error:
        raise StudyReadError(f"{path}: {' '.join(str(error).split())}") from error


def rows_by(rows: Sequence[Row], column: str) -> dict[Any, list[Row]]:
    """Rows by their values of a column, in the order of the first of each."""
    out: dict[Any, list[Row]] = {}
    for row in rows:
        out.setdefault(row[column], []).append(row)
    return out


def first_seen(rows: Sequence[Row], column: str) -> list[Any]:
    """Values of a column in the order of their first rows."""
    return list(dict.fromkeys(row[column] for row in rows))

"""Folders of studies: a list of them, one of them read, runs of several joined without measuring again."""

from __future__ import annotations

import json
import math
import re
import shlex
import shutil
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
from citegrain.tasks.core.store.artefacts import replaced_folder
from citegrain.tasks.core.tables import read_table, write_table

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


Run = tuple[StudyFolder, str]
"""A study, and one of its configurations."""


class JoinError(ValueError, Expected):
    """Runs cannot be compared; the message says why."""


def run_folder(reports: Path, name: str) -> tuple[Path, str]:
    """Folder and configuration that ``STUDY/CONFIGURATION`` names; ``STUDY`` alone names no configuration.

    Raises FileNotFoundError if no study has this name.
    """
    study, _, configuration = name.rpartition("/")
    if study and not (reports / name / FACTS).is_file():
        return study_folder(reports, study), configuration
    return study_folder(reports, name), ""


def name_runs(chosen: Sequence[Run]) -> dict[str, Run]:
    """Runs by the names of their configurations, and by study too where two have the same.

    Raises JoinError if there are fewer than two, one is there twice, or one has no scores.
    """
    configurations = [configuration for _, configuration in chosen]
    runs: dict[str, Run] = {}
    for study, configuration in chosen:
        if configuration not in study.scored:
            raise JoinError(f"{study.folder.name}/{configuration}: no run of this name has scores")
        twice = configurations.count(configuration) > 1
        runs[f"{study.folder.name}-{configuration}" if twice else configuration] = (study, configuration)
    if len(runs) < max(2, len(chosen)):
        raise JoinError("a comparison needs two different runs or more")
    return runs


def join_runs(runs: Mapping[str, Run], metrics: Sequence[str], command: str, target: Path) -> None:
    """Write a study of these runs: their tables as they are, and each against the first by each metric.

    Raises JoinError if they were not measured on the same benchmark, OSError if the folder cannot be written.
    """
    # of studies that are only read nothing is computed
    from citegrain.tasks.evaluation.compare import compare
    from citegrain.tasks.evaluation.score import kinds_with

    facts = _facts(runs, metrics, command, target.name)
    family = [(facts["baseline"], name, metric) for metric in metrics for name in list(runs)[1:]]
    tables = {
        schema: _joined(runs, schema.name) for schema in TABLES if "configuration" in schema.arrow.names
    }
    scores = next(table for schema, table in tables.items() if schema.name == SCORES.name)
    tables[COMPARISONS] = compare(scores, kinds_with(facts["own_metrics"]), family, facts["seed"])
    with replaced_folder(target) as part:
        for schema, table in tables.items():
            write_table(part / schema.file, table, schema)
        for name, (study, configuration) in runs.items():
            _copy(study.folder, configuration, part, name)
        (part / FACTS).write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _joined(runs: Mapping[str, Run], table: str) -> pa.Table:
    parts = []
    for name, (study, configuration) in runs.items():
        rows = study.tables[table].filter(pc.field("configuration") == configuration)
        column = rows.column_names.index("configuration")
        renamed = pa.array([name] * rows.num_rows, pa.string())
        parts.append(rows.set_column(column, rows.schema.field(column), renamed))
    return pa.concat_tables(parts)


def _facts(runs: Mapping[str, Run], metrics: Sequence[str], command: str, title: str) -> dict[str, Any]:
    (study, _), *others = runs.values()
    for other, _ in others:
        for key in ("sha256", "as_of"):
            if study.facts["benchmark"][key] != other.facts["benchmark"][key]:
                raise JoinError(
                    f"{study.folder.name} and {other.folder.name} were not measured on the same benchmark: "
                    f"{key} {study.facts['benchmark'][key]} and {other.facts['benchmark'][key]}"
                )
    studies = [study for study, _ in runs.values()]
    return {
        **{key: value for key, value in study.facts.items() if key != "design"},
        "study": title,
        "made_at": max(str(s.facts["made_at"]) for s in studies),
        "command": command,
        "plan": "compared: " + ", ".join(f"{s.folder.name}/{c}" for s, c in runs.values()),
        "corpus": " and ".join(dict.fromkeys(str(s.facts["corpus"]) for s in studies)),
        "baseline": next(iter(runs)),
        "metrics": list(metrics),
        "own_metrics": {name: theirs for s in studies for name, theirs in s.facts["own_metrics"].items()},
        "claims": {},
        "warnings": list(dict.fromkeys(w for s in studies for w in s.facts["warnings"])),
        "configurations": {name: _configuration(*run) for name, run in runs.items()},
        "declared": False,
    }


def _configuration(study: StudyFolder, name: str) -> dict[str, Any]:
    """Its facts, with all overrides of its command: the study's command is no longer at hand."""
    facts = study.facts["configurations"][name]
    return {**facts, "overrides": shlex.split(command_of(study.facts["command"], facts["overrides"]))[2:]}


def _copy(source: Path, configuration: str, target: Path, name: str) -> None:
    """Answers, ranked lists and CSV of a configuration, and what is right."""
    for folder in ("answers", "csv", "runs"):
        for file in (source / folder).glob(f"{configuration}.*"):
            (target / folder).mkdir(exist_ok=True)
            shutil.copyfile(file, target / folder / f"{name}{file.name.removeprefix(configuration)}")
    for file in source.glob("qrels.txt"):
        shutil.copyfile(file, target / file.name)


# overrides of the study itself, not of a configuration: its sweep or design, and its name
_OF_THE_STUDY = re.compile(r"^[+~]*((sweep|study|ablate)\b|bench\.name=)")


def command_of(study: str, overrides: Sequence[str]) -> str:
    """The ``citegrain bench`` that measures one configuration of a study by itself.

    ``study``: command of the study: ``citegrain sweep sweep=baselines corpus=demo``. ``overrides``: what the
    study adds for this configuration.
    """
    try:
        words = shlex.split(study)[2:]
    except ValueError:  # an open quote: it was not written by us
        words = []
    given = [w for w in words if re.match(r"~|[+\w.@/]+=", w)]  # neither options nor their values
    shared = [w for w in given if not _OF_THE_STUDY.match(w)]
    replaced = {o.partition("=")[0] for o in overrides}  # of fuse.depth=5,10 the configuration has one value
    shared = [w for w in shared if w in overrides or w.partition("=")[0] not in replaced]
    return shlex.join(["citegrain", "bench", *shared, *(o for o in overrides if o not in shared)])

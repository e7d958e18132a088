"""Runs of finished studies beside each other, as a study of its own: nothing is measured again."""

import json
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.schemas import COMPARISONS, SCORES
from citegrain.tasks.core.store.artefacts import replaced_folder
from citegrain.tasks.core.tables import write_table
from citegrain.tasks.evaluation.compare import compare
from citegrain.tasks.evaluation.report import command_of
from citegrain.tasks.evaluation.score import kinds_with
from citegrain.tasks.evaluation.studies import FACTS, TABLES, StudyFolder, study_folder

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

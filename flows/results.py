"""The results of a study: its tables with intervals, and the folder that holds everything of it."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from flows.choices import Factorial
from flows.settings import SHAPING
from flows.study import Member, Study, timings
from tasks.benchmark import groups, write_qrels
from tasks.compare import PROPORTION, breakdown, compare, effects, model, summarise
from tasks.design import Design
from tasks.report import DETAILED, STANDARD, paper_qa_rows, trec_lines, write_csv
from tasks.runs import rankings
from tasks.schemas import EFFECTS, FUNNEL, MODEL, SCORES, TIMINGS, per_configuration
from tasks.score import KINDS, whole_ranking
from tasks.store.files import environment, temporary_name
from tasks.studies import FACTS
from tasks.tables import write_table


@dataclass
class Results:
    """Tables of a study, by the names of their files."""

    scores: pa.Table
    funnel: pa.Table
    summary: pa.Table
    comparisons: pa.Table
    breakdown: pa.Table
    timings: pa.Table
    effects: pa.Table = field(default_factory=EFFECTS.empty)
    model: pa.Table = field(default_factory=MODEL.empty)

    def tables(self) -> dict[str, pa.Table]:
        """Every table by name."""
        return dict(vars(self))


def collect(study: Study) -> Results:
    """Join the scores of all configurations and judge them."""
    scored = [m for m in study.members if m.scores is not None and m.funnel is not None]
    seed = study.settings.bench.seed
    scores = _joined([(m.name, m.scores) for m in scored], per_configuration(SCORES).arrow)
    labels = [(r.id, dimension, group) for r in study.benchmark.records for dimension, group in groups(r)]
    names = [m.name for m in scored]
    family = []
    if len(names) > 1 and study.baseline in names:
        others = [n for n in names if n != study.baseline]
        family = [(study.baseline, n, metric) for metric in study.metrics for n in others]
    judged, told = scores, study.settings.bench.breakdown
    if study.design is not None:  # effects by group take the place of cells by group
        judged, told = _told(scores, study.design.config.metrics), []
    results = Results(
        scores,
        _joined([(m.name, m.funnel) for m in scored], per_configuration(FUNNEL).arrow),
        summarise(judged, KINDS, seed),
        compare(judged, KINDS, family, seed),
        breakdown(judged, KINDS, labels, told, seed),
        TIMINGS.rows(
            [
                {"configuration": m.name, "step": step, "ms": value}
                for m in scored
                for step, value in timings(m).items()
            ]
        ),
    )
    if study.design is not None:
        asked = study.design.config
        own = [label for label in labels if label[1] in _divided(labels, asked.groups)]
        given = judged, KINDS, study.design.design, study.design.contrasts, asked.metrics
        results.effects, results.model = effects(*given, seed, own), model(*given)
    return results


def _divided(labels: Sequence[tuple[str, str, str]], dimensions: Sequence[str]) -> list[str]:
    """The dimensions that divide the queries: one of a single group says what the whole does."""
    groups = {d: {group for _, dimension, group in labels if dimension == d} for d in dimensions}
    return [d for d, found in groups.items() if len(found) > 1]


def _told(scores: pa.Table, metrics: Sequence[str]) -> pa.Table:
    """The rows of the metrics that cells are summarised by: the study's own, and the proportions.

    A bootstrap of each mean of each of 64 cells would take longer than all other work on them.
    """
    kept = [name for name, kind in KINDS.items() if kind == PROPORTION or name in metrics]
    return scores.filter(pc.is_in(scores.column("metric"), pa.array(kept)))


def _joined(parts: list[tuple[str, pa.Table | None]], schema: pa.Schema) -> pa.Table:
    tables = [
        table.add_column(0, schema.field(0), pa.array([name] * table.num_rows, pa.string())).cast(schema)
        for name, table in parts
        if table is not None
    ]
    return pa.concat_tables(tables) if tables else schema.empty_table()


def write_study(study: Study, results: Results, command: list[str]) -> Path:
    """Write ``reports/<study>/``: tables, runs, CSV and what made them. What was there is replaced whole."""
    target = study.settings.reports_folder / study.name
    part = target.with_name(temporary_name(f".{study.name}-"))
    try:
        _write_files(study, results, command, part)
        shutil.rmtree(target, ignore_errors=True)
        part.rename(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return target


def _write_files(study: Study, results: Results, command: list[str], part: Path) -> None:
    for folder in (part / "runs", part / "csv", part / "answers"):
        folder.mkdir(parents=True)
    for name, table in results.tables().items():
        pq.write_table(table, part / f"{name}.parquet", compression="zstd")
    write_qrels(study.benchmark, part / "qrels.txt")
    for member in study.members:
        if member.scores is not None:
            _write_member(member, study, part)
    facts = describe(study, command)
    (part / FACTS).write_text(
        json.dumps(facts, indent=1, ensure_ascii=False, default=str) + "\n", encoding="utf-8"
    )


def _write_member(member: Member, study: Study, folder: Path) -> None:
    if member.cascade is None:
        return
    build, runs = member.cascade.build, member.runs()
    ranked = whole_ranking(build, runs)
    labelled = {q.query_id: q.labelled(ranked.get(q.query_id, [])) for q in member.gold}
    lines = "".join(f"{line}\n" for line in trec_lines(labelled, member.name))
    (folder / "runs" / f"{member.name}.run").write_text(lines, encoding="utf-8")
    if study.design is not None:  # what is asked of a cell is how it ranks
        return
    answers = member.nodes["answers"].read()
    write_table(folder / "answers" / f"{member.name}.parquet", answers, member.nodes["answers"].step.schema)
    scores: dict[str, dict[str, float]] = {}
    if member.scores is not None:
        for row in member.scores.to_pylist():
            scores.setdefault(row["query_id"], {})[row["metric"]] = row["value"]
    found = {
        query: [build.source(chunk_id) for chunk_id, _ in listed]
        for query, listed in rankings(runs["selected"]).items()
    }
    told = {row["query_id"]: row["answer"] for row in answers.to_pylist()}
    endpoint = member.cascade.endpoint
    model = endpoint.model if endpoint else "extractive"
    rows = paper_qa_rows(study.texts, scores, found, told, study.settings.bench.seed, model)
    write_csv(folder / "csv" / f"{member.name}.csv", rows, STANDARD)
    write_csv(folder / "csv" / f"{member.name}.detailed.csv", rows, DETAILED)


def describe(study: Study, command: list[str]) -> dict[str, Any]:
    """What made a study: enough to make it again."""
    told, corpus = study.settings.benchmark, study.settings.corpus
    facts = {"design": _design(study, study.design)} if study.design is not None else {}
    return facts | {
        "study": study.name,
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": shlex.join(["citegrain", *command]),
        "plan": study.line,
        "environment": environment(),
        "corpus": corpus.name,
        "benchmark": {
            "name": study.benchmark.name,
            "split": study.benchmark.split,
            "path": told.path if not Path(told.path).is_absolute() else Path(told.path).name,
            "sha256": study.benchmark.sha256,
            "queries": len(study.benchmark.records),
            "in_scope": sum(r.in_scope for r in study.benchmark.records),
            "as_of": study.day.isoformat(),
            "description": told.description,
        },
        "seed": study.settings.bench.seed,
        "baseline": study.baseline,
        "metrics": list(study.metrics),
        "warnings": study.warnings,
        "configurations": {m.name: _described(m) for m in study.members},
        "questions": {r.id: _question(r) for r in study.benchmark.records},
    }


def _design(study: Study, factorial: Factorial) -> dict[str, Any]:
    """What was varied, what was declared, and what is missing."""
    config, design = factorial.config, factorial.design
    return {
        "factors": {name: list(levels) for name, levels in design.factors.items()},
        "base": config.base,
        "levels": config.factors,
        "cells": {name: dict(cell) for name, cell in design.cells.items()},
        "contrasts": [asdict(contrast) for contrast in factorial.contrasts],
        "metrics": config.metrics,
        "aliases": list(design.aliases),
        "holes": [m.name for m in study.members if m.scores is None],
        "tokens": _tokens(study, design),
    }


def _tokens(study: Study, design: Design) -> dict[str, float]:
    """Mean tokens of a chunk, by the level that a build belongs to, else by the build's key."""
    builds = {m.name: m.cascade.build for m in study.members if m.cascade}
    for factor, levels in design.factors.items():
        told = {
            level: {builds[c].folder for c in builds if design.cells[c][factor] == level} for level in levels
        }
        if all(len(found) == 1 for found in told.values()) and len(set.union(*told.values())) == len(levels):
            by_folder = {folder: level for level, found in told.items() for folder in found}
            break
    else:
        by_folder = {build.folder: build.folder.name[:8] for build in builds.values()}
    return {by_folder[b.folder]: round(b.mean_tokens, 1) for b in builds.values()}


def _described(member: Member) -> dict[str, Any]:
    settings = member.settings
    cascade = member.cascade
    return {
        "overrides": member.overrides,
        "config": {name: asdict(getattr(settings, name)) for name in SHAPING},
        "build": cascade.build.folder.name if cascade else None,
        "build_content": cascade.build.manifest["content"] if cascade else None,
        "weights": cascade.build.manifest["weights"] if cascade else None,
        "generator": cascade.endpoint.model if cascade and cascade.endpoint else "extractive",
        "failure": member.failure,
        "queries_that_failed": member.lost,
    }


def _question(record: Any) -> dict[str, Any]:
    return {
        "text": record.text,
        "applicable": [f"{c.act}/{c.section}" for c in record.applicable],
        "rationale": record.rationale,
        "groups": groups(record),
    }

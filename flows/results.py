"""The results of a study: its tables with intervals, and the folder that holds everything of it."""

from __future__ import annotations

import json
import shlex
import shutil
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from flows.settings import SHAPING
from flows.study import Member, Study, timings
from tasks.benchmark import groups, write_qrels
from tasks.compare import breakdown, compare, summarise
from tasks.report import DETAILED, STANDARD, paper_qa_rows, trec_lines, write_csv
from tasks.runs import rankings
from tasks.schemas import FUNNEL, SCORES, TIMINGS, per_configuration
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
    return Results(
        scores,
        _joined([(m.name, m.funnel) for m in scored], per_configuration(FUNNEL).arrow),
        summarise(scores, KINDS, seed),
        compare(scores, KINDS, family, seed),
        breakdown(scores, KINDS, labels, study.settings.bench.breakdown, seed),
        TIMINGS.rows(
            [
                {"configuration": m.name, "step": step, "ms": value}
                for m in scored
                for step, value in timings(m).items()
            ]
        ),
    )


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
    return {
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
    }

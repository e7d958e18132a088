"""The folder of a study: tables, runs, answers, and what they were computed with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from citegrain.flows.study.describing import describe, generator
from citegrain.flows.study.results import Results
from citegrain.flows.study.study import Member, Study
from citegrain.tasks.core.runs import rankings
from citegrain.tasks.core.schemas import ANSWERS
from citegrain.tasks.core.store.artefacts import replaced_folder
from citegrain.tasks.core.tables import write_table
from citegrain.tasks.evaluation.benchmark import write_qrels
from citegrain.tasks.evaluation.report import DETAILED, STANDARD, paper_qa_rows, trec_lines, write_csv
from citegrain.tasks.evaluation.score import whole_ranking
from citegrain.tasks.evaluation.studies import FACTS
from citegrain.tasks.online.builds import PublishedBuild


def write_study(study: Study, results: Results, command: list[str]) -> Path:
    """Write ``reports/<study>/``: tables, runs, CSV and ``study.json``. An older folder is replaced whole."""
    target = study.settings.reports_folder / study.name
    with replaced_folder(target) as part:
        _write_files(study, results, command, part)
    return target


def _write_files(study: Study, results: Results, command: list[str], part: Path) -> None:
    (part / "runs").mkdir(parents=True)
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
    if study.design is None:  # cells are judged by their rankings
        _write_answers(member, study, build, runs, folder)


def _write_answers(
    member: Member, study: Study, build: PublishedBuild, runs: Mapping[str, pa.Table], folder: Path
) -> None:
    """Answers as a table, and with their contexts and scores as CSV for others' tools."""
    for name in ("answers", "csv"):
        (folder / name).mkdir(exist_ok=True)
    answers = member.nodes["answers"].read()
    write_table(folder / "answers" / f"{member.name}.parquet", answers, ANSWERS)
    scores: dict[str, dict[str, float]] = {}
    if member.scores is not None:
        for row in member.scores.to_pylist():
            scores.setdefault(row["query_id"], {})[row["metric"]] = row["value"]
    sources = {
        query: [build.source(chunk_id) for chunk_id, _ in ranking]
        for query, ranking in rankings(runs["selected"]).items()
    }
    texts = {row["query_id"]: row["answer"] for row in answers.to_pylist()}
    model = generator(member)
    rows = paper_qa_rows(study.texts, scores, sources, texts, study.settings.bench.seed, model)
    write_csv(folder / "csv" / f"{member.name}.csv", rows, STANDARD)
    write_csv(folder / "csv" / f"{member.name}.detailed.csv", rows, DETAILED)

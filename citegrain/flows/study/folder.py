"""The folder of a study: tables with intervals, runs, answers, how they came about, and the worst queries."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from citegrain.flows.shared.choices import StudyConfig
from citegrain.flows.shared.settings import Settings, shaping
from citegrain.flows.study.study import Member, Study
from citegrain.tasks.core.pages import page_of
from citegrain.tasks.core.paths import located
from citegrain.tasks.core.runs import rankings
from citegrain.tasks.core.schemas import (
    ANSWERS,
    EFFECTS,
    FUNNEL,
    MODEL,
    SCORES,
    SHARES,
    TIMINGS,
    TRACES,
    per_configuration,
)
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.core.store.artefacts import replaced_folder
from citegrain.tasks.core.store.files import environment, write_atomically
from citegrain.tasks.core.tables import write_table
from citegrain.tasks.evaluation.benchmark import groups, write_qrels
from citegrain.tasks.evaluation.compare import PROPORTION, breakdown, compare, effects, model, summarise
from citegrain.tasks.evaluation.design import Design
from citegrain.tasks.evaluation.report import (
    DETAILED,
    STANDARD,
    WORST,
    paper_qa_rows,
    trec_lines,
    worst_queries,
    write_csv,
)
from citegrain.tasks.evaluation.score import full_ranking, kinds_with, prose_of
from citegrain.tasks.evaluation.studies import FACTS, StudyFolder
from citegrain.tasks.law.asof import REQUEST, AsOf
from citegrain.tasks.offline.models import ModelError
from citegrain.tasks.online.answer import answer_sheet, make_answer
from citegrain.tasks.online.builds import BuildError, PublishedBuild
from citegrain.tasks.online.generate import PROSE
from citegrain.tasks.online.makers import channel_shares


def collect(study: Study) -> Tables:
    """Join the scores of all configurations and judge them. Tables are called as their files."""
    scored = [m for m in study.members if m.scores is not None and m.funnel is not None]
    seed = study.settings.bench.seed
    scores = _joined([(m.name, m.scores) for m in scored], per_configuration(SCORES).arrow)
    labels = [(r.id, dimension, group) for r in study.benchmark.records for dimension, group in groups(r)]
    labels += _metadata_groups(study)
    names, family = [m.name for m in scored], []
    if study.baseline in names:
        others = [n for n in names if n != study.baseline]
        family = [(study.baseline, n, metric) for metric in study.metrics for n in others]
    kinds = kinds_with(study.own_metrics)
    judged, dimensions = scores, study.settings.bench.breakdown
    if study.design is not None:  # effects by group take the place of cells by group
        # the study's own metrics, and proportions: a bootstrap of each mean of 64 cells would take very long
        some = [n for n, kind in kinds.items() if kind == PROPORTION or n in study.design.metrics]
        judged, dimensions = scores.filter(pc.is_in(scores.column("metric"), pa.array(some))), []
    traced = [(m.name, m.read("traces")) for m in scored if "traces" in m.nodes]
    tables = {
        "scores": scores,
        "funnel": _joined([(m.name, m.funnel) for m in scored], per_configuration(FUNNEL).arrow),
        "summary": summarise(judged, kinds, seed),
        "comparisons": compare(judged, kinds, family, seed),
        "breakdown": breakdown(judged, kinds, labels, dimensions, seed),
        "timings": TIMINGS.rows([{"configuration": m.name} | row for m in scored for row in m.costs()]),
        "effects": EFFECTS.empty(),
        "model": MODEL.empty(),
        "traces": _joined(traced, per_configuration(TRACES).arrow),
        "shares": SHARES.empty(),
    }
    if (config := study.design) is None:
        tables["shares"] = SHARES.rows([row for member in scored for row in _shares(member, labels)])
    else:
        groups_of = {d: {group for _, dimension, group in labels if dimension == d} for d in config.groups}
        # a single group is the whole benchmark
        dividing = [label for label in labels if len(groups_of.get(label[1], ())) > 1]
        factorial = judged, kinds, config.design, config.contrasts, config.metrics
        tables |= {"effects": effects(*factorial, seed, dividing), "model": model(*factorial)}
    return tables


def _shares(member: Member, labels: Sequence[tuple[str, str, str]]) -> list[dict[str, Any]]:
    """Rows of ``SHARES`` of a configuration, over all queries and by their category."""
    if member.cascade is None:
        return []
    config = member.cascade.config
    steps = [
        name for name in ("query", *config.retrieve.channels, "selected", "route") if name in member.nodes
    ]
    by_query = channel_shares(member.cascade.build, config, {name: member.read(name) for name in steps})
    groups: dict[str, list[dict[str, float]]] = {}
    grouped = [(query, "all") for query in by_query]
    grouped += [(q, group) for q, dimension, group in labels if dimension == "category" and q in by_query]
    for query, group in grouped:
        groups.setdefault(group, []).append(by_query[query])
    return [
        {
            "configuration": member.name,
            "group": group,
            "channel": channel,
            "share": sum(shares[channel] for shares in of_group) / len(of_group),
            "n": len(of_group),
        }
        for group, of_group in groups.items()
        for channel in of_group[0]
    ]


def _untagged(study: Study) -> dict[str, list[str]]:
    """Labels that apply of which no searched chunk of the first build has a section number, by query id."""
    member = next((m for m in study.members if m.cascade is not None), None)
    if member is None or member.cascade is None:
        return {}
    build, out = member.cascade.build, dict[str, list[str]]()
    for query in member.gold:
        for item in query.items:
            rows = [row for provision in item.provisions for row in build.rows_of(provision)]
            if rows and not any(build.tag(build.chunk_ids[row])["section"] for row in rows):
                out.setdefault(query.query_id, []).append(item.label)
    return out


def _metadata_groups(study: Study) -> list[tuple[str, str, str]]:
    """(query, dimension, group) by whether what applies lacks a section number; empty if nothing does."""
    untagged = _untagged(study)
    ids = [record.id for record in study.benchmark.records if record.in_scope] if untagged else []
    return [(name, "section_metadata", "missing" if name in untagged else "present") for name in ids]


def _joined(parts: list[tuple[str, pa.Table | None]], schema: pa.Schema) -> pa.Table:
    tables = [
        table.add_column(0, schema.field(0), pa.array([name] * table.num_rows, pa.string())).cast(schema)
        for name, table in parts
        if table is not None
    ]
    return pa.concat_tables(tables) if tables else schema.empty_table()


def write_study(study: Study, tables: Tables, command: list[str]) -> None:
    """Write ``reports/<study>/``: tables, runs, CSV and ``study.json``. An older folder is replaced whole."""
    bench = study.settings.bench
    with replaced_folder(study.folder) as part:
        (part / "runs").mkdir(parents=True)
        if bench.csv and bench.overwrite:
            for kind in (".csv", ".detailed.csv"):
                located(bench.csv).with_suffix(kind).unlink(missing_ok=True)
        for name, table in tables.items():
            pq.write_table(table, part / f"{name}.parquet", compression="zstd")
        write_qrels(study.benchmark, part / "qrels.txt")
        for member in study.members:
            if member.scores is not None:
                _write_member(member, study, part)
        facts = json.dumps(describe(study, command), indent=1, ensure_ascii=False, default=str)
        (part / FACTS).write_text(facts + "\n", encoding="utf-8")


def _write_member(member: Member, study: Study, folder: Path) -> None:
    if member.cascade is None:
        return
    build, runs = member.cascade.build, member.runs()
    ranked = full_ranking(build, runs)
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
    answers = member.read("answers")
    write_table(folder / "answers" / f"{member.name}.parquet", answers, ANSWERS)
    scores: dict[str, dict[str, float]] = {}
    if member.scores is not None:
        for row in member.scores.to_pylist():
            scores.setdefault(row["query_id"], {})[row["metric"]] = row["value"]
    sources: dict[str, Sequence[tuple[str, int]]] = {
        query: [build.source(chunk_id) for chunk_id, _ in ranking]
        for query, ranking in rankings(runs["selected"]).items()
    }
    by_query = {row["query_id"]: row for row in answers.to_pylist()}
    proses = {query: prose_of(build, row) for query, row in by_query.items()}
    config, bench = member.settings.cascade.generate, study.settings.bench
    if bench.cited_only:
        sources = {query: prose.cited for query, prose in proses.items() if prose}
    texts = {
        query: prose.text if (prose := proses[query]) else row["answer"] for query, row in by_query.items()
    }
    run: dict[str, Any] = {"llm": generator(member)}
    if config.kind == PROSE:
        knowledge = "Yes" if config.open_knowledge else "No"
        run |= {"seed": config.seed, "template_id": config.template_id, "open_knowledge": knowledge}
    rows = paper_qa_rows(study.texts, scores, sources, texts, run, bench.cited_only)
    for columns, kind in ((STANDARD, ".csv"), (DETAILED, ".detailed.csv")):
        write_csv(folder / "csv" / f"{member.name}{kind}", rows, columns)
        if bench.csv:
            write_csv(located(bench.csv).with_suffix(kind), rows, columns, append=True)


def describe(study: Study, command: list[str]) -> dict[str, Any]:
    """The facts of a study, as ``study.json`` keeps them."""
    config, corpus = study.settings.benchmark, study.settings.corpus
    facts = {"design": _design(study, study.design)} if study.design is not None else {}
    untagged = _untagged(study)
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
            "path": config.path if not Path(config.path).is_absolute() else Path(config.path).name,
            "sha256": study.benchmark.sha256,
            "queries": len(study.benchmark.records),
            "in_scope": sum(r.in_scope for r in study.benchmark.records),
            "as_of": study.day.isoformat(),
            "description": config.description,
        },
        "seed": study.settings.bench.seed,
        "baseline": study.baseline,
        "metrics": list(study.metrics),
        "own_metrics": study.own_metrics,
        "claims": dict(study.settings.sweep.claims) if study.baseline else {},
        "warnings": study.warnings,
        "workers_lost": study.lost_workers,
        "configurations": {m.name: _described(m) for m in study.members},
        "questions": {r.id: _question(r, study.as_of[r.id], untagged) for r in study.benchmark.records},
    }


def _design(study: Study, config: StudyConfig) -> dict[str, Any]:
    """What was varied, what was declared, and what is missing."""
    design = config.design
    return {
        "factors": {name: list(levels) for name, levels in design.factors.items()},
        "base": config.base,
        "levels": config.factors,
        "cells": {name: dict(cell) for name, cell in design.cells.items()},
        "contrasts": [asdict(contrast) for contrast in config.contrasts],
        "metrics": config.metrics,
        "aliases": list(design.aliases),
        "holes": [m.name for m in study.members if m.scores is None],
        "tokens": _tokens(study, design),
    }


def _tokens(study: Study, design: Design) -> dict[str, float]:
    """Mean tokens of a chunk, by the level that a build belongs to, else by the build's key."""
    builds = {m.name: m.cascade.build for m in study.members if m.cascade}
    for factor, levels in design.factors.items():
        folders = {
            level: {builds[c].folder for c in builds if design.cells[c][factor] == level} for level in levels
        }
        by_folder = {folder: level for level, of_level in folders.items() for folder in of_level}
        if all(len(of_level) == 1 for of_level in folders.values()) and len(by_folder) == len(levels):
            break
    else:
        by_folder = {build.folder: build.folder.name[:8] for build in builds.values()}
    return {by_folder[b.folder]: round(b.mean_tokens, 1) for b in builds.values()}


def _described(member: Member) -> dict[str, Any]:
    settings = member.settings
    cascade = member.cascade
    return {
        "overrides": member.overrides,
        "config": {name: asdict(settings.group(name)) for name in shaping()},
        "build": cascade.build.folder.name if cascade else None,
        "build_content": cascade.build.manifest["content"] if cascade else None,
        "weights": cascade.build.manifest["weights"] if cascade else None,
        "generator": generator(member),
        "failure": member.failure,
        "queries_that_failed": member.lost,
    }


def _question(record: Any, day: date | None, untagged: Mapping[str, list[str]]) -> dict[str, Any]:
    """What a report says of a query. ``untagged``: see :func:`_untagged`."""
    return {
        "text": record.text,
        "applicable": [f"{c.act}/{c.section}" for c in record.applicable],
        "rationale": record.rationale or record.answer,
        "groups": groups(record),
        "untagged": untagged.get(record.id, []),
        "as_of": day.isoformat() if day else "",
    }


def generator(member: Member) -> str:
    """The model that answers."""
    cascade = member.cascade
    if cascade and cascade.endpoint and cascade.config.generate.asks:
        return cascade.endpoint.model
    return "extractive"


def write_pages(study: StudyFolder, settings: Settings) -> None:
    """Write a page for each of the worst queries; the report links those that are there.

    None is written where the build is gone, or answers were not kept or are of an earlier version.
    """
    if not study.focus:
        return
    configuration, questions = study.facts["configurations"][study.focus], study.facts["questions"]
    answers = study.answers(study.focus)
    try:
        folder = settings.builds_folder / study.facts["corpus"] / str(configuration["build"])
        build = PublishedBuild.open(folder, settings.models_folder)
        for query in worst_queries(study, study.focus, WORST)[0]:
            day, row = questions.get(query["query_id"], {}).get("as_of"), answers.get(query["query_id"])
            if day and row and row["answer"]:
                answer = make_answer(build, query["text"], AsOf(date.fromisoformat(day), REQUEST), dict(row))
                path = study.folder / page_of(query["query_id"])
                path.parent.mkdir(exist_ok=True)
                write_atomically(path, answer_sheet(build, answer))
    except (BuildError, ModelError, ValueError, KeyError):
        return  # the report is whole without them

"""Folders of studies made up for the tests: of any size, with whatever is to go wrong."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from citegrain.tasks.core.schemas import (
    ANSWERS,
    BREAKDOWN,
    COMPARISONS,
    FUNNEL,
    SCORES,
    SUMMARY,
    TIMINGS,
    TableSchema,
    per_configuration,
)
from citegrain.tasks.core.tables import write_table
from citegrain.tasks.evaluation.compare.summary import POOLED_METRICS, pooled
from citegrain.tasks.evaluation.score import KINDS, LOSSES

ACT = "bharatiya-nyaya-sanhita-2023"
POISON = "<script>alert('x')</script> {{ 7 * 7 }} {% raw %} </style><img src=x onerror=alert(1)> $\\frac{1}{0}$ & \"q\""
HASH = "0123456789abcdef" * 4
Row = dict[str, Any]

_SELECTED = ("primary_accuracy", "primary_5", "fused_primary_20", "ndcg_10", "mrr")  # wants no answer
_LOST = [loss for loss in LOSSES if loss not in ("found", "failed")]


def make_study(
    folder: Path,
    configurations: Sequence[str] = ("plain", "dense_only", "default"),
    queries: int = 12,
    beyond: int = 3,
    failures: Mapping[str, str] | None = None,
    lost: Mapping[str, str] | None = None,
    warnings: Sequence[str] = (),
    text: str = "My employer has not paid me for four months.",
    skills: Mapping[str, float] | None = None,
    times: Mapping[str, float] | None = None,
    answers: bool = True,
    sure: Sequence[str] = (),
    **facts: Any,
) -> Path:
    """Write the folder of a study.

    Parameters
    ----------
    queries, beyond
        Complaints in scope, and complaints to which nothing applies.
    failures
        Why, by name, of configurations without scores.
    lost
        Why, by id, of queries that failed under the first configuration.
    skills, times
        Chance of a right answer, and milliseconds a query, by name; else both rise along the names.
    answers
        Whether the study has answers and what is measured of them; else it stops at what was selected.
    sure
        Configurations that say how sure they are of each answer.
    facts
        What ``study.json`` says otherwise.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(7)
    ids = [f"q-{i:03d}" for i in range(queries)]
    out = [f"x-{i:02d}" for i in range(beyond)]
    scored = [c for c in configurations if c not in (failures or {})]
    tables: dict[str, list[Row]] = {
        name: [] for name in ("scores", "funnel", "summary", "breakdown", "timings")
    }
    for number, name in enumerate(scored):
        gone = dict(lost or {}) if number == 0 else {}
        skill = (skills or {}).get(name, 0.25 + 0.5 * number / max(1, len(scored)))
        by_query = {q: _measured(rng, skill, q in gone) for q in ids}
        by_query |= {q: {"abstained_out_of_scope": float(rng.random() < 0.4), "failed": 0.0} for q in out}
        if not answers:
            by_query = {
                q: {m: v for m, v in values.items() if m in _SELECTED} for q, values in by_query.items()
            }
        if name in sure:
            _estimate(by_query, number)
        for query, values in by_query.items():
            tables["scores"] += [
                {"configuration": name, "query_id": query, "metric": m, "value": v} for m, v in values.items()
            ]
            if query in ids:
                tables["funnel"] += [
                    {"configuration": name} | row for row in _losses(rng, query, values, query in gone)
                ]
        metrics = dict.fromkeys(m for values in by_query.values() for m in values)
        for metric in metrics:
            by_metric = [values[metric] for values in by_query.values() if metric in values]
            tables["summary"].append({"configuration": name, "metric": metric} | cell(metric, by_metric))
        for metric in POOLED_METRICS if name in sure else ():
            values_of = {m: {q: v[m] for q, v in by_query.items() if m in v} for m in metrics}
            measured = pooled(values_of, metric, 1, 199)
            assert measured is not None
            tables["summary"].append({"configuration": name, "metric": metric} | asdict(measured))
        for dimension, group, share in (
            ("register", "formal", 0),
            ("register", "informal", 1),
            ("domain", "criminal", 2),
        ):
            chosen = [q for i, q in enumerate(ids) if share == 2 or i % 2 == share]
            for metric in ("primary_accuracy", "ndcg_10"):
                place = {"configuration": name, "dimension": dimension, "group": group, "metric": metric}
                tables["breakdown"].append(place | cell(metric, [by_query[q][metric] for q in chosen]))
        for step, ms in (
            ("query", 0.4),
            ("dense", 9.0),
            ("answers", 2.0),
            ("single_p50", (times or {}).get(name, 30.0 * 3.0 ** (5 * number / len(scored)))),
            ("single_max", 1e4),
        ):
            tables["timings"].append({"configuration": name, "step": step, "ms": ms})
        rows = [_answer(rng, q, text) for q in [*ids, *out] if q not in gone]
        if answers:
            (folder / "answers").mkdir(exist_ok=True)
            write_table(folder / "answers" / f"{name}.parquet", ANSWERS.rows(rows), ANSWERS)
    schemas = (per_configuration(SCORES), per_configuration(FUNNEL), SUMMARY, BREAKDOWN, TIMINGS)
    for schema in schemas:
        write(folder, schema, tables[schema.name])
    write(folder, COMPARISONS, _compared(scored, tables["summary"]))
    study = {
        "study": "made-up",
        "made_at": "2026-11-22T05:53:28+00:00",
        "command": "citegrain sweep sweep=made corpus.name=mine benchmark=constitution bench.name=made-up",
        "environment": {"python": "3.11.7", "machine": "Linux x86_64", "libraries": {"numpy": "2.4.6"}, "git_commit": "f" * 40, "source": HASH},
        "corpus": "mine",
        "benchmark": {"name": "made", "split": "test", "path": "made.jsonl", "sha256": HASH, "queries": queries + beyond, "in_scope": queries, "as_of": "2026-11-01", "description": ""},
        "seed": 1,
        "baseline": scored[0] if len(configurations) > 1 else "",
        "metrics": ["primary_accuracy", "ndcg_10"] if len(configurations) > 1 else [],
        "warnings": list(warnings),
        "configurations": {
            name: {
                "overrides": [f"experiment={name}"], "config": {"fuse": {"method": "rrf", "k": number}}, "build": HASH[:32], "build_content": HASH,
                "weights": HASH, "generator": "extractive", "failure": (failures or {}).get(name, ""),
                "queries_that_failed": dict(lost or {}) if name == scored[0] else {},
            }
            for number, name in enumerate(configurations)
        },
        "questions": {q: {"text": text, "applicable": [f"{ACT}/303"], "rationale": f"Reason: {text}"} for q in ids},
    } | facts  # fmt: skip
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")
    return folder


def write(folder: Path, schema: TableSchema, rows: list[Row]) -> None:
    """Write a table of a study, as flows do."""
    pq.write_table(schema.rows(rows), folder / schema.file)


def cell(metric: str, values: Sequence[float]) -> Row:
    """A mean with bounds that look like an interval's; the tests of ``compare`` see to real ones."""
    n, mean = len(values), float(np.mean(values)) if values else math.nan
    alike = KINDS[metric] == "mean" and len(set(values)) == 1
    half = 0.0 if alike else 1.0 / math.sqrt(n) if n else math.nan
    return {"value": mean, "lo": max(0.0, mean - half), "hi": min(1.0, mean + half), "n": n}


def _measured(rng: np.random.Generator, skill: float, failed: bool) -> dict[str, float]:
    right, near = float(rng.random() < skill and not failed), float(rng.random() < skill + 0.2)
    ranked = 0.0 if failed else (1.0 if right and near else float(np.round(rng.random() * near, 3)))
    if failed:
        return {"failed": 1.0, "primary_accuracy": 0.0, "ndcg_10": 0.0}
    return {
        "failed": 0.0, "primary_accuracy": right, "complete_accuracy": right * near, "primary_5": max(right, near),
        "fused_primary_20": max(right, near), "ndcg_10": ranked, "mrr": ranked, "set_precision": ranked / 2,
        "citation_validity": 1.0, "abstained_in_scope": float(rng.random() < 0.1),
    }  # fmt: skip


def _estimate(by_query: dict[str, dict[str, float]], seed: int) -> None:
    """Add confidence: high where the answer is right, more often than not; every ninth query has no charge."""
    rng = np.random.default_rng(seed)
    for place, values in enumerate(by_query.values()):
        right = values.get("primary_accuracy", 0.0)
        if place % 9 != 8 or right:
            confidence = round(float(rng.beta(1.5 + 2 * right, 3.0 - right)), 3)
            values |= {"confidence": confidence, "brier": (confidence - right) ** 2}


def _losses(rng: np.random.Generator, query: str, values: Mapping[str, float], failed: bool) -> list[Row]:
    rows = []
    for number, section in enumerate(("303", "304")):
        right = values["primary_accuracy"] == 1.0
        lost = "failed" if failed else "found" if right else str(rng.choice(_LOST))
        rank = number + 1 if right else None
        ranks: Row = dict.fromkeys(("retrieved", "fused", "reranked", "selected", "answered"), rank)
        rows.append(
            {"query_id": query, "act": ACT, "section": section, "primary": number == 0, "lost_at": lost}
            | ranks
        )
    return rows


def _answer(rng: np.random.Generator, query: str, text: str) -> Row:
    charges = [
        {
            "act": ACT, "section": section, "heading": f"Heading {section}: {text}", "law": f"Bharatiya Nyaya Sanhita, section {section}",
            "link": f"bns.pdf#page={page}", "page": page, "provision_id": f"{ACT}/sec_{section}", "score": float(rng.random()),
            "chunk_id": f"c{page}", "evidence": text, "description": "", "verification": "verified",
        }
        for section, page in (("303", 9), ("304", 10), ("305", 11))
    ]  # fmt: skip
    answer = json.dumps({"charges": charges, "note": ""})
    counts = dict.fromkeys(
        (
            "parse_pass",
            "attempts",
            "tokens_in",
            "tokens_out",
            "n_not_in_context",
            "n_not_in_corpus",
            "n_not_in_force",
        ),
        0,
    )
    return {
        "query_id": query,
        "answer": answer,
        "abstained": False,
        "error": "",
        "cost": 0.0,
        "n_charges": 3,
        "n_verified": 3,
    } | counts


def _compared(scored: Sequence[str], summary: Sequence[Row]) -> list[Row]:
    rows = []
    cells = {(r["configuration"], r["metric"]): r for r in summary}
    for metric in ("primary_accuracy", "ndcg_10"):
        for place, name in enumerate(scored[1:]):
            base, other = cells[scored[0], metric], cells[name, metric]
            difference = other["value"] - base["value"]
            rows.append({
                "baseline": scored[0], "configuration": name, "metric": metric, "difference": difference, "lo": difference - 0.1,
                "hi": difference + 0.1, "n": other["n"], "wins": 5, "losses": 2, "p": 0.0001 + 0.02 * place,
                "p_holm": min(1.0, 0.0004 + 0.03 * place), "mde": 0.15,
            })  # fmt: skip
    return rows

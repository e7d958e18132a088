"""Folders of factorial studies made up for the tests: their effects are computed from their scores."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from scipy import stats

from citegrain.tasks.core.schemas import COMPARISONS, EFFECTS, MODEL
from citegrain.tasks.evaluation.compare import holm
from citegrain.tasks.evaluation.design import (
    Contrast,
    Design,
    fraction,
    full,
    interaction,
    interactions,
    main,
)
from tests.tasks.evaluation.report.studies import Row, make_study, write

FACTORS: Mapping[str, Sequence[str]] = {
    "retrieval": ["dense", "sparse", "weighted", "rrf"],
    "chunking": ["statutory", "fixed"],
    "reranker": ["off", "on"],
    "provenance": ["off", "on"],
    "diversity": ["topk", "mmr"],
}
CONTRASTS = [
    *(Contrast("retrieval", level, "dense") for level in ("sparse", "weighted", "rrf")),
    Contrast("chunking", "statutory", "fixed"),
    Contrast("reranker", "on", "off"),
    Contrast("provenance", "on", "off"),
    Contrast("diversity", "mmr", "topk"),
]
METRICS = ("primary_accuracy", "ndcg_10")
WORTH = {"rrf": 0.22, "weighted": 0.12, "sparse": -0.06, "statutory": 0.1, "reranker_on": 0.14}
_GROUPS = (
    ("register", "formal", 0, 2),
    ("register", "informal", 1, 2),
    ("cites_statute", "yes", 0, 3),
    ("cites_statute", "no", 1, 3),
)


def make_factorial(
    folder: Path,
    worth: Mapping[str, float] | None = None,
    holes: Mapping[str, str] | None = None,
    fractional: bool = False,
    queries: int = 60,
    factors: Mapping[str, Sequence[str]] = FACTORS,
    contrasts: Sequence[Contrast] = CONTRASTS,
    **facts: Any,
) -> Path:
    """Write the folder of a factorial study that stops at what was selected.

    Parameters
    ----------
    worth
        What a level adds to the chance of a right answer.
    holes
        Why, by name, of cells without scores.
    """
    design = fraction(factors) if fractional else full(factors)
    gains = WORTH if worth is None else worth
    skills = {
        n: 0.3 + sum(gains.get(_level(f, lv), 0.0) for f, lv in cell.items())
        for n, cell in design.cells.items()
    }
    make_study(
        folder, list(design.cells), queries=queries, beyond=0, failures=holes, skills=skills, answers=False,
        times={n: _ms(cell) for n, cell in design.cells.items()}, study="ablation", baseline="",
        command="citegrain ablate study=ablation corpus.name=mine", **facts,
    )  # fmt: skip
    write(folder, COMPARISONS, [])
    scores = _by_query(folder)
    rows = _effects(design, scores, contrasts)
    write(folder, EFFECTS, rows)
    write(folder, MODEL, [_modelled(r) for r in rows if r["confirmatory"]])
    study = json.loads((folder / "study.json").read_text()) | {
        "design": _declared(design, contrasts, list(holes or {}))
    }
    (folder / "study.json").write_text(json.dumps(study | facts), encoding="utf-8")
    return folder


def rewrite_effects(folder: Path, **values: Any) -> list[Row]:
    """Give every confirmatory effect these values; returns all rows."""
    rows = [r | values if r["confirmatory"] else r for r in pq.read_table(folder / EFFECTS.file).to_pylist()]
    write(folder, EFFECTS, rows)
    return rows


def _level(factor: str, level: str) -> str:
    return f"{factor}_{level}" if level in ("on", "off") else level


def _ms(cell: Mapping[str, str]) -> float:
    base = {"dense": 9.0, "sparse": 2.0}.get(next(iter(cell.values())), 12.0)
    slow = 110.0 if cell.get("reranker") == "on" else 0.0
    return base + slow + 4.0 * (cell.get("diversity") == "mmr") + 1.5 * (cell.get("provenance") == "on")


def _declared(design: Design, contrasts: Sequence[Contrast], holes: list[str]) -> dict[str, Any]:
    return {
        "factors": design.factors,
        "base": ["generate=none", "retrieve.depth=100"],
        "levels": {f: {lv: [f"{f}={lv}"] for lv in levels} for f, levels in design.factors.items()},
        "cells": design.cells,
        "contrasts": [vars(c) for c in contrasts],
        "metrics": list(METRICS),
        "aliases": list(design.aliases),
        "holes": holes,
        "tokens": {"statutory": 206.0, "fixed": 206.4},
    }


def _by_query(folder: Path) -> dict[str, dict[str, dict[str, float]]]:
    """Value by metric, cell and query."""
    out: dict[str, dict[str, dict[str, float]]] = {}
    for row in pq.read_table(folder / "scores.parquet").to_pylist():
        out.setdefault(row["metric"], {}).setdefault(row["configuration"], {})[row["query_id"]] = row["value"]
    return out


def _effects(design: Design, scores: Mapping[str, Any], contrasts: Sequence[Contrast]) -> list[Row]:
    rows: list[Row] = []
    for metric in METRICS:
        cells = scores[metric]
        ids = sorted(next(iter(cells.values())))
        for contrast in contrasts:
            weights, matched = main(design, contrast, cells)
            place = _place("main", metric, contrast)
            rows.append(place | _row(weights, matched, cells, ids) | {"confirmatory": True})
            for dimension, group, first, step in _GROUPS:
                here = place | {"dimension": dimension, "group": group}
                rows.append(here | _row(weights, matched, cells, ids[first::step]))
        for a, b in interactions(contrasts):
            weights, matched = interaction(design, a, b, cells)
            if matched:
                by = {"by_factor": b.factor, "by_level": b.level, "by_against": b.against}
                label = {"contrast": f"{a.label} x {b.label}"}
                rows.append(
                    _place("interaction", metric, a) | by | label | _row(weights, matched, cells, ids)
                )
    family = [r for r in rows if r["confirmatory"]]
    for row, p in zip(family, holm([r["p"] for r in family]), strict=True):
        row["p_holm"] = p
    return rows


def _place(kind: str, metric: str, contrast: Contrast) -> Row:
    return {
        "kind": kind, "contrast": contrast.label, "factor": contrast.factor, "level": contrast.level, "against": contrast.against,
        "by_factor": None, "by_level": None, "by_against": None, "metric": metric, "dimension": "all", "group": "all",
        "confirmatory": False, "p_holm": math.nan,
    }  # fmt: skip


def _row(weights: Mapping[str, float], matched: int, cells: Mapping[str, Any], ids: Sequence[str]) -> Row:
    """An effect with an interval and a p by the normal distribution; the tests of ``compare`` see to real ones."""
    if not matched:
        unknown: Row = dict.fromkeys(("effect", "lo", "hi", "p", "mde"), math.nan)
        return unknown | {"n": 0, "matched": 0, "wins": 0, "losses": 0}
    differences = np.array([sum(w * cells[c][q] for c, w in weights.items()) for q in ids])
    se = max(float(differences.std(ddof=1)), 1e-9) / math.sqrt(len(ids)) if len(ids) > 1 else math.nan
    effect = float(differences.mean())
    return {
        "effect": effect, "lo": effect - 1.96 * se, "hi": effect + 1.96 * se, "n": len(ids), "matched": matched,
        "wins": int((differences > 0).sum()), "losses": int((differences < 0).sum()), "p": float(2 * stats.norm.sf(abs(effect) / se)), "mde": 2.8 * se,
    }  # fmt: skip


def _modelled(row: Row) -> Row:
    binomial = row["metric"] == "primary_accuracy"
    times = 4.0 if binomial else 1.0
    return {
        "metric": row["metric"], "contrast": row["contrast"], "family": "binomial" if binomial else "gaussian",
        "estimate": times * row["effect"], "lo": times * row["lo"], "hi": times * row["hi"], "p": row["p"],
        "difference": row["effect"], "n": row["n"], "cells": 64,
    }  # fmt: skip

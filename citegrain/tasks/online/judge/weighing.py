"""Probabilities of what the judge and the ranker say together, by regressions on both.

What a judge says of how sure it is, is one sign among others; so is that nothing fits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from citegrain.tasks.core.schemas import ESTIMATES, SCOPE
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.offline.models import read_learned
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.estimate import ANSWER, DECLINE, Logistic, names_provision

WEIGH = Stage("weigh", 1, (ESTIMATES,))
WEIGH_SCOPE = Stage("weigh_scope", 2, (SCOPE,))
NOTHING_FITS = "nothing_fits"
"""Why a question is declined that the judge found nothing for."""

Vector = npt.NDArray[np.float64]
_LEAST = 1e-4
_BEHIND = 12  # place of a candidate that the judge does not name
_NOT_READABLE = "not_readable"


@dataclass(frozen=True)
class JudgeModel:
    """What was learned of how far the judge is right.

    ``scope``: from ``scope_signs`` to whether anything applies. ``applies``, ``primary``: from
    ``candidate_signs`` to whether a candidate applies, and is the primary provision.
    """

    scope: Logistic
    applies: Logistic
    primary: Logistic

    @classmethod
    def from_json(cls, described: Mapping[str, Any]) -> JudgeModel:
        """From the content of a file."""
        return cls(**{name: Logistic(**described[name]) for name in ("scope", "applies", "primary")})


@lru_cache(maxsize=4)
def read_model(path: Path, sha256: str) -> JudgeModel:
    """The model of a file. Raises ModelError if it is not there, has another digest or is something else."""
    return read_learned(path, sha256, "rerank.judge.model_sha256", JudgeModel.from_json)


def _logit(p: float | Vector) -> Any:
    q = np.clip(p, _LEAST, 1 - _LEAST)
    return np.log(q / (1 - q))


def candidate_signs(
    verdict: Mapping[str, Any], provisions: list[str], applies: Vector, primary: Vector
) -> Vector:
    """What is read of candidates beside the ranker's two probabilities of each: shape (candidates, 7)."""
    place = {p: n for n, p in enumerate(verdict["order"])}
    first = np.array([float(p == verdict["primary"]) for p in provisions])
    chosen = np.array([float(p in verdict["applicable"]) for p in provisions])
    ranks = np.log1p([place.get(p, _BEHIND) for p in provisions])
    sure, none = _logit(verdict["p"]), float(not verdict["primary"])
    doubt = np.where(first > 0, sure, -sure * (1 - none))
    return np.stack(
        [first, chosen, ranks, doubt, np.full(len(provisions), none), _logit(applies), _logit(primary)],
        axis=1,
    )


def scope_signs(verdict: Mapping[str, Any], probability: float) -> Vector:
    """What ``scope`` reads of a question: shape (1, 3)."""
    return np.array([[float(not verdict["primary"]), verdict["p"], _logit(probability)]])


def weigh(estimates: pa.Table, judgements: pa.Table, model: JudgeModel) -> pa.Table:
    """Table ``estimates`` by both; of a question without a verdict it stays as it is."""
    verdicts = {row["query_id"]: row for row in judgements.to_pylist() if not row["error"]}
    by_query: dict[str, list[dict[str, Any]]] = {}
    for row in estimates.to_pylist():
        by_query.setdefault(row["query_id"], []).append(row)
    out: list[dict[str, Any]] = []
    for query, rows in by_query.items():
        verdict = verdicts.get(query)
        if verdict is None:
            out += rows
            continue
        columns = (np.array([row[name] for row in rows]) for name in ("applies", "primary"))
        signs = candidate_signs(verdict, [row["provision_id"] for row in rows], *columns)
        applies, primary = model.applies.probability(signs), model.primary.probability(signs)
        out += [
            row | {"applies": float(max(a, p)), "primary": float(p)}
            for row, a, p in zip(rows, applies, primary, strict=True)
        ]
    return ESTIMATES.rows(out)


def weigh_scope(
    build: PublishedBuild,
    queries: pa.Table,
    scope: pa.Table,
    judgements: pa.Table,
    model: JudgeModel,
    decline_below: float,
) -> pa.Table:
    """Table ``scope`` by both. Who names a provision asks about it, and is answered as before."""
    verdicts = {row["query_id"]: row for row in judgements.to_pylist() if not row["error"]}
    cites = {query["query_id"] for query in queries.to_pylist() if names_provision(build, query)}
    out = []
    for row in scope.to_pylist():
        verdict = verdicts.get(row["query_id"])
        if verdict is not None and row["reason"] != _NOT_READABLE:
            probability = float(model.scope.probability(scope_signs(verdict, row["probability"]))[0])
            declined = probability < decline_below and row["query_id"] not in cites
            row |= {
                "probability": probability,
                "decision": DECLINE if declined else ANSWER,
                "reason": (row["reason"] or NOTHING_FITS) if declined else "",
            }
        out.append(row)
    return SCOPE.rows(out)

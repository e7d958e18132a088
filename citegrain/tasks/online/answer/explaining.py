"""Why provisions were returned, and why the next ones were not."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from citegrain.tasks.online.builds import Matrix, PublishedBuild
from citegrain.tasks.online.cascade import CascadeConfig, CascadeResult
from citegrain.tasks.online.features import matrix_of
from citegrain.tasks.online.fuse import Ranker
from citegrain.tasks.online.hits import cite
from citegrain.tasks.online.retrieve import nearest_lay_texts

_OTHERS = 10  # provisions that were not returned
_MOVED = 3
Places = dict[str, tuple[int, float, str]]
"""Rank, score and chunk of a provision by step."""


def explain(
    build: PublishedBuild,
    config: CascadeConfig,
    result: CascadeResult,
    vector: Matrix,
    ranker: Ranker | None = None,
) -> list[dict[str, Any]]:
    """The provisions that were returned for a single question, and the next ten that were not.

    ``vector``: of the question, shape (dimension,). Returns ``provision_id``, ``law``, ``heading``,
    ``returned``; ``stages``: by step the ``rank`` and ``score`` of its best chunk, None where it has no
    place; ``lay_text``: of its lay texts the nearest, if a channel searched them and returned it; ``moved``:
    of the features that a ranker read the three that moved it most, with what each added to its score;
    ``why`` it was not returned.
    """
    places = _places(build, result)
    steps = list(result.runs)
    (answer,) = result.answers.to_pylist()
    chosen = [hit.provision_id for ranked in result.hits.values() for hit in ranked]
    returned = [] if answer["abstained"] else chosen
    declined = "the question is declined" if answer["abstained"] else ""
    others = [p for p in places if p not in set(returned)]
    others.sort(key=lambda p: _how_far(places[p], steps))
    features = result.tables.get("features")
    lay_texts: Mapping[str, str] = {}
    if any(name.startswith("lay_") for name in steps):
        day = result.queries.column("as_of")[0].as_py()
        lay_texts = nearest_lay_texts(build, config.retrieve, day, vector)
    moved = _moved(features, ranker) if ranker and features is not None else {}

    rows = []
    for provision_id in [*returned, *others[:_OTHERS]]:
        at = places[provision_id]
        hit = cite(build, next(iter(at.values()))[2])
        by_lay_text = any(name.startswith("lay_") for name in at)
        why = "" if provision_id in returned else declined or _why(provision_id, places, chosen, config)
        rows.append(
            {
                "provision_id": provision_id,
                "law": hit.law,
                "heading": hit.heading,
                "returned": provision_id in returned,
                "stages": {s: {"rank": at[s][0], "score": at[s][1]} if s in at else None for s in steps},
                "lay_text": lay_texts.get(provision_id, "") if by_lay_text else "",
                "moved": moved.get(provision_id, {}),
                "why": why,
            }
        )
    return rows


def _moved(features: pa.Table, ranker: Ranker) -> dict[str, dict[str, float]]:
    """The three features that moved each candidate most."""
    added = ranker.model.contributions(matrix_of(features, len(ranker.names)))
    most = np.argsort(-np.abs(added), axis=1, kind="stable")[:, :_MOVED]
    return {
        provision: {ranker.names[i]: round(float(row[i]), 3) for i in first}
        for provision, row, first in zip(
            features.column("provision_id").to_pylist(), added, most, strict=True
        )
    }


def _places(build: PublishedBuild, result: CascadeResult) -> dict[str, Places]:
    """Places by provision and step, of its best chunk."""
    places: dict[str, Places] = {}
    for step, run in result.runs.items():
        for row in run.to_pylist():
            cited = build.citations[row["chunk_id"]]
            if cited is not None:
                places.setdefault(cited, {}).setdefault(step, (row["rank"], row["score"], row["chunk_id"]))
    return places


def _how_far(at: Places, steps: Sequence[str]) -> tuple[int, int]:
    """Sorts provisions by the last step that they reached, and by their best rank there."""
    joint = [
        i
        for i, step in enumerate(steps)
        if step in at and step in ("fused", "joined", "expanded", "reranked", "pooled", "selected")
    ]
    if joint:
        return -joint[-1], at[steps[joint[-1]]][0]
    return 0, min(rank for rank, _, _ in at.values())


def _why(
    provision_id: str, places: Mapping[str, Places], returned: Sequence[str], config: CascadeConfig
) -> str:
    """Why a provision was not returned."""
    at, fuse, select = places[provision_id], config.fuse, config.select
    last = "pooled" if any("pooled" in places_of for places_of in places.values()) else "reranked"
    if last not in at:
        if fuse.method == "single" and fuse.channel not in at:
            return f"only the channel {fuse.channel} is read (fuse.method=single)"
        return f"not among the best {fuse.depth} when the channels were joined (fuse.depth)"
    rank, act = at[last][0], provision_id.partition("/")[0]
    before = [p for p in returned if places[p][last][0] < rank]
    full = select.method != "conformal" and len(returned) >= select.k
    if select.threshold and at[last][1] < select.threshold:
        return f"its score is below {select.threshold} (select.threshold)"
    if select.raw_gap and not full:
        return f"behind a drop of the score of {select.raw_gap} or more (select.raw_gap)"
    if select.margin and not full and rank > select.fewest:
        return f"its score is less than the best by more than {select.margin} (select.margin)"
    shown = sum(p.partition("/")[0] == act for p in returned)
    if select.per_case and shown >= select.per_case and "/para_" in provision_id:
        return f"{select.per_case} passages of its case are returned already (select.per_case)"
    if full and len(before) == len(returned):
        given = next((at[step][0] for step in ("expanded", "joined", "fused") if step in at), rank)
        by = f"the reranker moved it from rank {given} to {rank}; " if given <= select.k < rank else ""
        return f"{by}the {select.k} before it are returned (select.k)"
    if select.method == "expected" and not full:
        return "the set is expected to be better without it (select.method=expected)"
    if select.method == "conformal":
        return f"the ones before it suffice for {select.coverage:.0%} of the questions (select.coverage)"
    if select.method == "mmr":
        return "others were chosen for being less alike (select.method=mmr)"
    if select.gap and not full:
        return f"behind a drop of the score greater than {select.gap} (select.gap)"
    if select.tokens:
        return f"it, or one before it, does not fit into {select.tokens} tokens (select.tokens)"
    return f"the {select.k} before it are returned (select.k)"

"""Channel ``provision``: what a complaint names by number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from citegrain.tasks.core.runs import Ranked
from citegrain.tasks.core.words import is_devanagari
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.retrieve.stage import lawful


def provision(
    build: PublishedBuild, queries: Sequence[Mapping[str, Any]], eligible: Mask, *, k: int, counterparts: bool
) -> dict[str, Ranked]:
    """Chunks of the provisions that a query names by number.

    A mention that several provisions answer to (``section 10``, without the Act) gives each its
    share: the score is one over their number. With ``counterparts`` one that is not law on the
    day stands for its counterpart in the Act that is. Parts of a provision follow one another.
    """
    ids = build.chunk_ids
    ranked = {}
    for query in queries:
        scores: dict[int, float] = {}
        for mention in query["mentions"]:
            citations = build.numbered(mention["kind"], mention["number"], mention["act_id"])
            by_provision = [lawful(build, p, rows, counterparts, eligible) for p, rows in citations]
            answering = [rows for rows in by_provision if rows]
            for row in (row for rows in answering for row in rows):
                scores[row] = max(scores.get(row, 0.0), 1.0 / len(answering))
        rows = list(scores)
        if is_devanagari(query["text"]):  # of two editions that in Hindi; the other one comes first as it is
            rows.sort(key=build.in_hindi, reverse=True)
        best = sorted(rows, key=lambda row: -scores[row])[:k]
        ranked[query["query_id"]] = [(ids[row], scores[row]) for row in best]
    return ranked

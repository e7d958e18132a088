"""Channel ``date``: judgments of the years that a question names, and provisions that name its days."""

from collections.abc import Mapping, Sequence
from typing import Any

from citegrain.tasks.core.runs import Ranked
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.published.mentions import best_among, judgments, on_days, years_named


def date(
    build: PublishedBuild, queries: Sequence[Mapping[str, Any]], eligible: Mask, *, k: int
) -> dict[str, Ranked]:
    """The ``k`` chunks of what was decided in the years, or names the years, that a query names.

    A judgment of the very day comes before one of the year, and that before a text that mentions the day or
    year; equals are ordered by BM25. Source: KG-CiteRAG 6.6, where all are equal.
    """
    ranked = {}
    decided = {act: row["date"] for act, row in judgments(build).items()}
    mentioned = build.shared("dates of chunks", lambda: [build.tag(c)["dates"] for c in build.chunk_ids])
    for query in queries:
        days, years = query["dates"], years_named(query)
        levels: dict[int, float] = {}
        for row in range(len(build.chunk_ids)) if years else ():
            level = 2 * on_days(days, years, decided.get(build.act_ids[row]))
            level = level or max((on_days(days, years, d) / 2 for d in mentioned[row]), default=0.0)
            if level and eligible[row]:
                levels[row] = level
        ranked[query["query_id"]] = best_among(build, query, levels, k)
    return ranked

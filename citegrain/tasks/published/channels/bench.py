"""Channel ``bench``: judgments of the judges whom a question names."""

from collections.abc import Mapping, Sequence
from typing import Any

from citegrain.tasks.core.runs import Ranked
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.published.mentions import best_among, judges_named, judgments


def bench(
    build: PublishedBuild, queries: Sequence[Mapping[str, Any]], eligible: Mask, *, k: int
) -> dict[str, Ranked]:
    """The ``k`` chunks of judgments by most of the judges whom a query names; equals by BM25.

    Source: KG-CiteRAG 6.7, where all are equal.
    """
    ranked = {}
    for query in queries:
        panel = set(judges_named(build, query["text"]))
        cases = {a: float(len(panel & set(r["bench"]))) for a, r in judgments(build).items()} if panel else {}
        rows = (row for row, act in enumerate(build.act_ids) if cases.get(act) and eligible[row])
        levels = {row: cases[build.act_ids[row]] for row in rows}
        ranked[query["query_id"]] = best_among(build, query, levels, k)
    return ranked

"""Channel ``name``: chunks by their words, the names of their case or Act many times over."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import yaml

from citegrain.tasks.core.paths import located
from citegrain.tasks.core.runs import Ranked, top_rows
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.offline.index import SparseIndex
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.published.mentions import judgments


def name(
    build: PublishedBuild,
    queries: Sequence[Mapping[str, Any]],
    eligible: Mask,
    *,
    k: int,
    name_weight: int = 10,
    name_synonyms: str = "",
) -> dict[str, Ranked]:
    """The ``k`` chunks with the highest BM25 where names count ``name_weight`` times; without those at 0.

    The index is made when it is first asked. ``name_synonyms``: file of words, of which the first two of each
    term in the question are searched too. Source: KG-CiteRAG 6.3, which repeats the case's name ten times.
    """
    synonyms = _synonyms(name_synonyms) if name_synonyms else {}
    index = build.shared(("names", name_weight), lambda: _index(build, name_weight))
    ids = build.chunk_ids
    ranked = {}
    for query in queries:
        text = query["text"].lower()
        more = [word for term, words in synonyms.items() if term in text for word in words[:2]]
        scores = index.scores(" ".join([query["text"], *more]))
        rows = top_rows(scores, k, eligible)
        ranked[query["query_id"]] = [(ids[int(r)], float(scores[r])) for r in rows if scores[r] > 0]
    return ranked


@cache
def _synonyms(path: str) -> dict[str, list[str]]:
    words: dict[str, list[str]] = yaml.safe_load(located(path).read_text(encoding="utf-8"))
    return words


def _index(build: PublishedBuild, weight: int) -> SparseIndex:
    names = {act: " ".join([title, *aliases]) for act, title, aliases in build.names()}
    names |= {act: row["case_name"] for act, row in judgments(build).items()}
    rows = (build.passage(row) for row in range(len(build.chunk_ids)))
    texts = [f"{(names[row['act_id']] + ' ') * weight}{row['text']}" for row in rows]
    return build.sparse_index(texts)

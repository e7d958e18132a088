"""The step that reads what a complaint names."""

from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.schemas import QUERIES
from citegrain.tasks.core.stage import digest
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Chain, types_of
from citegrain.tasks.online.gloss import Glosses
from citegrain.tasks.online.query import STAGE, QueryConfig, make_queries
from citegrain.tasks.online.spelling import Spelling
from citegrain.tasks.online.steps import Progress, Step

_SHORT = 26  # words up to which a question is about what it names: a story has words about other things
_OF_TEXT = 0.4  # weight of a word in the text of a provision against one in its heading
_FITS, _FITS_OF_FEW, _FEW, _CLEARLY = 2.5, 2.0, 5, 1.5
"""How well words must fit a provision for a number without its Act to mean it: at least so well (the
second of few provisions of that number), and so many times as well as any other: docs/log.md."""


def steps(chain: Chain) -> Chain:
    """``query``."""
    config, words = chain.config.query, dict(chain.differences.get("words", {}))
    work = partial(_queries, chain.build, config, chain.texts, chain.as_of, chain.types, words)
    given = {q: [text, chain.as_of.get(q)] for q, text in chain.texts.items()}
    sources: dict[str, Any] = {"queries": digest(given), "names": chain.names}
    sources |= chain.source if config.spelling else {}  # its words are those that are known
    return chain.then(
        Step("query", STAGE, config.parameters(words), chain.reads_types("words"), sources, work)
    )


def _queries(
    build: PublishedBuild,
    config: QueryConfig,
    texts: Mapping[str, str],
    as_of: Mapping[str, date | None],
    types: str,
    words: Mapping[str, Any],
    tables: Mapping[str, pa.Table],
    progress: Progress,
) -> pa.Table:
    more = {q: words[name] for q, name in types_of(tables, types).items() if name in words}
    typed, originals = dict[str, tuple[str, ...]](), dict[str, str]()
    if config.spelling:
        spelling, glosses = Spelling.over(build), Glosses.over(build)
        read = {q: glosses.read(text) for q, text in texts.items()}
        typed = {q: words for q, (_, words) in read.items() if words}
        originals = {q: texts[q] for q in typed}
        texts = {q: spelling.read(text) for q, (text, _) in read.items()}
    queries = make_queries(texts, build.lexicon, config, as_of, more, typed, originals)
    return with_acts(build, queries) if config.spelling else queries


def with_acts(build: PublishedBuild, queries: pa.Table) -> pa.Table:
    """Short queries with the Act of each number that they name without one, where their words tell it.

    "Section 497, adultery" means that of the Penal Code: its heading says so, and no other section 497 does.
    """
    rows = queries.to_pylist()
    for row in rows:
        open_ones = [m for m in row["mentions"] if m["act_id"] is None]
        if open_ones and len(row["text"].split()) <= _SHORT:
            weights = build.term_weights([{"text": row["text"], "weight": 1.0}])
            weights = {term: weight for term, weight in weights.items() if term.isalpha()}
            for mention in open_ones:
                ids = build.cited(mention["kind"], mention["number"], None)
                fits = sorted(((_fit(build, p, weights), p) for p in ids), reverse=True)
                least = _FITS if len(fits) > _FEW else _FITS_OF_FEW
                if fits and fits[0][0] >= max(least, _CLEARLY * max([fit for fit, _ in fits[1:]], default=0)):
                    mention["act_id"] = fits[0][1].partition("/")[0]
    return QUERIES.rows(rows)


def _fit(build: PublishedBuild, provision: str, weights: Mapping[str, float]) -> float:
    """How well words fit a provision: those of its heading count more, the more of the heading they are."""
    row, _ = build.on_day(provision, date.max)
    heading, text = (set(build.terms(row[part])) for part in ("heading", "text"))
    in_heading = sum(weight for term, weight in weights.items() if term in heading)
    in_text = sum(weight for term, weight in weights.items() if term in text - heading)
    share = sum(map(build.idf, heading & weights.keys())) / (sum(map(build.idf, heading)) or 1.0)
    return in_heading * (1 + share) / 2 + _OF_TEXT * in_text

"""The step that reads what a complaint names, and those that search: one a channel."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.runs import rankings, reciprocal_rank_fusion
from citegrain.tasks.core.schemas import QUERIES
from citegrain.tasks.core.stage import digest
from citegrain.tasks.law.citing import UNKNOWN, names_only
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade, Chain, query_ids, types_of
from citegrain.tasks.online.estimate import act_names
from citegrain.tasks.online.gloss import Glosses
from citegrain.tasks.online.query import SHORT, STAGE, QueryConfig, make_queries, plain, without_days
from citegrain.tasks.online.retrieve import STAGE as RETRIEVE
from citegrain.tasks.online.retrieve import reads_others, search_channel, split_space
from citegrain.tasks.online.spelling import Spelling
from citegrain.tasks.online.steps import Progress, Step

_LITTLE, _WELL_KNOWN = 2, 3  # other words beside a number of so many digits that is known without its Act
_OF_TEXT = 0.4  # weight of a word in the text of a provision against one in its heading
_FITS, _FITS_OF_FEW, _FEW, _CLEARLY = 2.5, 2.0, 5, 1.5
"""How well words must fit a provision for a number without its Act to mean it: at least so well (the
second of few provisions of that number), and so many times as well as any other: docs/log.md."""


def query_steps(chain: Chain) -> Chain:
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
        spelling, glosses, names = Spelling.over(build), Glosses.over(build), act_names(build)
        read = {q: glosses.read(plain(text)) for q, text in texts.items()}
        typed = {q: words for q, (_, words) in read.items() if words}
        originals = {q: texts[q] for q in typed}
        texts = {q: spelling.read(names.read(text)) for q, (text, _) in read.items()}
        for q, text in texts.items():
            if (rest := without_days(text)) != text:
                originals[q], texts[q] = f"{originals.get(q, '')}\n{text}".lstrip(), rest
    reader = act_names(build) if config.spelling else build.lexicon
    queries = make_queries(texts, reader, config, as_of, more, typed, originals)
    return with_acts(build, queries) if config.spelling else queries


def with_acts(build: PublishedBuild, queries: pa.Table) -> pa.Table:
    """Short queries with the Act of each number that they name without one, where their words tell it.

    "Section 497, adultery" means that of the Penal Code: its heading says so, and no other section 497 does.
    """
    rows = queries.to_pylist()
    for row in rows:
        if len(row["text"].split()) <= SHORT:
            weights = build.term_weights([{"text": row["text"], "weight": 1.0}]) if row["mentions"] else {}
            weights = {term: weight for term, weight in weights.items() if term.isalpha()}
            more = names_only(row["text"], build.lexicon.find(row["text"]))
            row["mentions"] = [
                meant for mention in row["mentions"] for meant in _meant(build, mention, weights, more)
            ]
    return QUERIES.rows(rows)


def _meant(
    build: PublishedBuild, mention: Mapping[str, Any], weights: Mapping[str, float], more: int
) -> list[Mapping[str, Any]]:
    """A mention with the Acts, or of an Order the rules, that the ``more`` other words tell.

    Section 420 is still said where a later code has another number for it: both codes are meant.
    """
    kind, number, act = mention["kind"], mention["number"], mention["act_id"]
    if (act and kind != "order") or kind == "schedule":
        return [mention]
    ids = build.cited(kind, number, act or None)
    entries = build.cited("entry", f"ART{number}", None) if kind == "article" else []
    fits = sorted(((_fit(build, p, weights), p) for p in [*ids, *entries]), reverse=True) if more else []
    if kind == "order" and fits and fits[0][0] >= _FITS:
        rules = (p.rpartition("_")[2] for fit, p in fits if fit * _CLEARLY >= fits[0][0])
        return [{"kind": "rule", "number": f"{number}R{rule}", "act_id": act} for rule in rules]
    least = _FITS if len(fits) > _FEW and act != UNKNOWN else _FITS_OF_FEW
    least = max(least, _CLEARLY * max([f for f, _ in fits[1:]], default=0))
    if kind != "order" and fits and fits[0][0] >= least:
        return [{**mention, "act_id": fits[0][1].partition("/")[0]}]
    if act == UNKNOWN:
        return [mention]
    if kind == "section" and (not more or (more <= _LITTLE and len(number) >= _WELL_KNOWN)):
        pairs = {p.partition("/")[0] for p in ids if build.counterparts(p)}
        ordered = sorted(pairs, key=lambda act: (build.last_day(act) is None, act[-4:], act))
        return [{**mention, "act_id": one} for one in ordered] or [mention]
    return [mention]


def _fit(build: PublishedBuild, provision: str, weights: Mapping[str, float]) -> float:
    """How well words fit a provision: those of its heading count more, the more of the heading they are."""
    row, _ = build.on_day(provision, date.max)
    heading, text = (set(build.terms(row[part])) for part in ("heading", "text"))
    in_heading = sum(weight for term, weight in weights.items() if term in heading)
    in_text = sum(weight for term, weight in weights.items() if term in text - heading)
    share = sum(map(build.idf, heading & weights.keys())) / (sum(map(build.idf, heading)) or 1.0)
    return in_heading * (1 + share) / 2 + _OF_TEXT * in_text


def steps(chain: Chain) -> Chain:
    """``query``; the channels that search by themselves; then those that start from what these found."""
    chain, config, build = query_steps(chain), chain.config.retrieve, chain.build
    searched = chain.source
    if build.correspondence is not None:
        searched |= {"counterparts": build.correspondence.sha256}
    first = tuple(c for c in config.channels if not reads_others(c))
    later = (c for c in config.channels if reads_others(c))
    return chain.then(
        *(
            Step(
                channel,
                RETRIEVE,
                config.parameters(channel),
                ("query", *(first if reads_others(channel) else ())),
                searched,
                partial(_search, chain.cascade, channel, first),
            )
            for channel in (*first, *later)
        )
    )


def _search(
    cascade: Cascade,
    channel: str,
    others: tuple[str, ...],
    tables: Mapping[str, pa.Table],
    progress: Progress,
) -> pa.Table:
    queries, first = tables["query"], None
    rows, vectors = cascade.rows(queries), partial(cascade.vectors, queries, split_space(channel)[1])
    if reads_others(channel):
        lists = [rankings(tables[name]) for name in others]
        first = {q: reciprocal_rank_fusion([one.get(q, []) for one in lists]) for q in query_ids(queries)}
    return search_channel(cascade.build, rows, channel, cascade.config.retrieve, vectors, first)

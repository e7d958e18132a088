"""A hit: what is shown of a chunk that was selected, with its citation."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.runs import rankings
from citegrain.tasks.core.script import is_devanagari
from citegrain.tasks.law.citations import PARAGRAPH, called
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.evidence import passage

_OF_AMENDMENT = re.compile(r"\b(?:amend|(?:insert|substitut|omitt)ed\b|changed?\b)")  # in small letters
_LONGEST = 20_000  # characters of a provision in which the passage is looked for; of longer ones in the chunk


@dataclass(frozen=True)
class Hit:
    """A chunk selected for a query, cited by its provision.

    ``act`` and ``provision_id`` are ids, ``law`` is how a person cites it, ``link`` points to the page of
    the document, ``version`` is the date of the version of the law, ISO, empty if unknown. ``evidence`` is
    the passage of the provision that meets the question, ``text`` is the chunk's, ``parent_text``
    that of which it is a part. ``attributes`` are what the law's own tables say of the provision, such as
    ``bailable``. ``probability`` that it applies is None where nothing was estimated.
    ``may_have_changed_since`` is the first day of an amendment that the text does not show, ISO or a year;
    empty if none is known.
    """

    rank: int
    provision_id: str
    act: str
    law: str
    section: str
    heading: str
    page: int
    chunk_id: str
    score: float
    link: str
    version: str = ""
    evidence: str = ""
    text: str = ""
    parent_text: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    probability: float | None = None
    may_have_changed_since: str = ""


def make_hits(build: PublishedBuild, run: pa.Table, queries: pa.Table) -> dict[str, list[Hit]]:
    """Hits by query of a run, each with its evidence; chunks that cite nothing are left out.

    A question in Devanagari is shown the edition in Hindi of what it found, where that is law too.
    """
    ranked, out = rankings(run), {}
    for query in queries.select(["query_id", "text", "as_of", "texts"]).to_pylist():
        cited = [(c, s) for c, s in ranked.get(query["query_id"], []) if build.citations[c] is not None]
        if "hi" in build.languages and any(is_devanagari(t["text"]) for t in query["texts"]):
            cited = [(_in_hindi(build, chunk_id, query["as_of"]), score) for chunk_id, score in cited]
        weights = build.term_weights(query["texts"]) if cited else {}
        out[query["query_id"]] = [
            replace(
                cite(build, chunk_id, rank, score),
                evidence=passage(_searched(build, chunk_id), query["text"], weights, build.terms),
                may_have_changed_since=_changed_since(build, chunk_id, query["as_of"]),
            )
            for rank, (chunk_id, score) in enumerate(cited, 1)
        ]
    return out


def _in_hindi(build: PublishedBuild, chunk_id: str, day: date | None) -> str:
    """A chunk in Hindi of the provision that a chunk cites; the chunk itself where none is law on the day."""
    eligible, rows = build.eligible(day), build.rows_of(str(build.citations[chunk_id]))
    in_hindi = (r for r in (build.rows[chunk_id], *rows) if eligible[r] and build.in_hindi(r))
    return build.chunk_ids[next(in_hindi, build.rows[chunk_id])]


def _changed_since(build: PublishedBuild, chunk_id: str, day: date | None) -> str:
    chunk = build.chunk(chunk_id)
    pending = build.pending(chunk["citation"], chunk["version_date"], day)
    return pending.since if pending else ""


def cite(build: PublishedBuild, chunk_id: str, rank: int = 0, score: float = 0.0) -> Hit:
    """A chunk with its citation; it must cite something."""
    chunk = build.chunk(chunk_id)
    version = chunk["version_date"]
    provision = build.provision_row(chunk["citation"], version)
    page = int(chunk["page_start"])
    shown = build.shown_page(chunk["document_id"], page)
    return Hit(
        rank=rank,
        provision_id=chunk["citation"],
        act=chunk["act_id"],
        law=law_of(build.act(chunk["act_id"], version), provision, shown),
        section=provision["number"],
        heading=provision["heading"],
        page=shown,
        chunk_id=chunk_id,
        score=score,
        link=build.link(chunk["document_id"], page),
        version=version.isoformat() if version else "",
        text=chunk["text"],
        parent_text=build.parent(chunk_id)["text"],
        attributes=build.attributes(chunk["citation"]),
    )


def law_of(act: Mapping[str, Any], provision: Mapping[str, Any], page: int) -> str:
    """How a person cites a provision; a rule and a paragraph with their page where the format has pages."""
    on_page = f", page {page}" if page else ""
    if act["kind"] == "rules" and provision["kind"] in ("rule", "regulation"):
        title = act["title"].removeprefix("The ")
        return f"{provision['kind'].capitalize()} {provision['number']}, {title}{on_page}"
    where = f"{act['title']}, {called(provision)} {provision['number']}"
    return f"{where}{on_page}" if provision["kind"] == PARAGRAPH else where


def _searched(build: PublishedBuild, chunk_id: str) -> str:
    """Where the passage is looked for: a lay text leads to the first chunk of a provision, not the best."""
    chunk = build.chunk(chunk_id)
    full_text = str(build.provision_row(chunk["citation"], chunk["version_date"])["text"])
    return full_text if 0 < len(full_text) <= _LONGEST else str(chunk["text"])


def carried_by_the_law(build: PublishedBuild, queries: pa.Table) -> dict[str, set[str]]:
    """Provisions whose amendments of other Acts are in the text of the law of each query's day, if any are.

    None where a query asks what was amended; none of an Act that it names.
    """
    out = dict[str, set[str]]()
    if not build.carried:
        return out
    for row in queries.select(["query_id", "text", "acts", "as_of"]).to_pylist():
        if not _OF_AMENDMENT.search(row["text"].lower()):
            day = row["as_of"] or date.max
            in_law = (p for p, first in build.carried.items() if first <= day)
            out[row["query_id"]] = {p for p in in_law if p.partition("/")[0] not in row["acts"]}
    return out

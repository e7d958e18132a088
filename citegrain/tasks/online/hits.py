"""A hit: what is shown of a chunk that was selected, with its citation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from citegrain.tasks.core.runs import rankings
from citegrain.tasks.online.builds import Matrix, PublishedBuild

_QUOTE = 320


@dataclass(frozen=True)
class Hit:
    """A chunk selected for a query, cited by its provision.

    ``act`` and ``provision_id`` are ids, ``law`` is how a person cites it, ``link`` points to the page of
    the PDF, ``quote`` is the start of the chunk's ``text``. ``evidence`` is the cosine of query and chunk,
    comparable between queries as ``score``, which depends on the stages run, is not. ``attributes`` are
    what the law's own tables say of the provision, such as ``bailable``.
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
    quote: str
    link: str
    evidence: float = 0.0
    text: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)


def make_hits(build: PublishedBuild, run: pa.Table, vectors: Mapping[str, Matrix]) -> dict[str, list[Hit]]:
    """Hits by query of a run; chunks that cite nothing are left out.

    Parameters
    ----------
    vectors
        Vector of each query, shape (dimension,), by id; a query without one has no evidence.
    """
    out: dict[str, list[Hit]] = {}
    for query, ranked in rankings(run).items():
        cited = [(c, s) for c, s in ranked if build.citations[c] is not None]
        evidence = [0.0] * len(cited)
        if query in vectors and cited:
            evidence = (build.vectors([build.rows[c] for c, _ in cited]) @ vectors[query]).tolist()
        out[query] = [
            cite(build, chunk_id, rank, score, evidence[rank - 1])
            for rank, (chunk_id, score) in enumerate(cited, 1)
        ]
    return out


def cite(
    build: PublishedBuild, chunk_id: str, rank: int = 0, score: float = 0.0, evidence: float = 0.0
) -> Hit:
    """A chunk with its citation; it must cite something."""
    chunk = build.chunk(chunk_id)
    version = chunk["version_date"]
    provision = build.provision(chunk["citation"], version)
    page = int(chunk["page_start"])
    return Hit(
        rank=rank,
        provision_id=chunk["citation"],
        act=chunk["act_id"],
        law=f"{build.act(chunk['act_id'], version)['title']}, {provision['kind']} {provision['number']}",
        section=provision["number"],
        heading=provision["heading"],
        page=page,
        chunk_id=chunk_id,
        score=score,
        quote=_quote(chunk["text"]),
        link=build.link(chunk["document_id"], page),
        evidence=evidence,
        text=chunk["text"],
        attributes=build.attributes(chunk["citation"]),
    )


def _quote(text: str) -> str:
    """The start of a text on one line, cut at a word."""
    line = " ".join(text.split())
    if len(line) <= _QUOTE:
        return line
    return line[:_QUOTE].rsplit(" ", 1)[0] + " …"

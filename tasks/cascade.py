"""The online chain for a batch of queries. ``ask`` is a batch of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tasks.fuse import FuseConfig, fuse
from tasks.retrieve import RetrieveConfig, dense, sparse
from tasks.runs import collapse, rankings

if TYPE_CHECKING:
    from tasks.build import Build

_QUOTE = 320


@dataclass(frozen=True)
class CascadeConfig:
    """Parameters of the online stages.

    Attributes
    ----------
    k
        Provisions returned for a query.
    """

    retrieve: RetrieveConfig = field(default_factory=RetrieveConfig)
    fuse: FuseConfig = field(default_factory=FuseConfig)
    k: int = 5

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError("k must be positive")


@dataclass(frozen=True)
class Hit:
    """A provision returned for a query.

    ``act`` and ``provision_id`` are ids, ``law`` is how a person cites it, ``link`` points to the
    page of the PDF, ``quote`` is taken from the chunk that scored.
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


def search_batch(
    build: Build, queries: Mapping[str, str], config: CascadeConfig, as_of: date | None = None
) -> dict[str, list[Hit]]:
    """Provisions for each query, best first.

    Parameters
    ----------
    queries
        Text by query id.
    as_of
        Only law in force on this day is searched; None searches the latest version of each Act.
    """
    if not queries:
        return {}
    eligible = build.eligible(as_of)
    vectors = build.encode_queries(list(queries.values()))
    runs: list[pa.Table] = [
        dense(build, list(queries), np.asarray(vectors), config.retrieve, eligible),
        sparse(build, queries, config.retrieve, eligible),
    ]
    fused = rankings(fuse(runs, config.fuse))
    return {query: _hits(build, fused.get(query, []), config.k) for query in queries}


def _hits(build: Build, ranked: list[tuple[str, float]], k: int) -> list[Hit]:
    hits: list[Hit] = []
    for provision_id, chunk_id, score in collapse(ranked, build.citations)[:k]:
        chunk = build.chunk(chunk_id)
        provision = build.provision(provision_id, chunk["version_date"])
        act = build.act(chunk["act_id"], chunk["version_date"])
        page = int(chunk["page_start"])
        hits.append(
            Hit(
                rank=len(hits) + 1,
                provision_id=provision_id,
                act=chunk["act_id"],
                law=f"{act['title']}, {provision['kind']} {provision['number']}",
                section=provision["number"],
                heading=provision["heading"],
                page=page,
                chunk_id=chunk_id,
                score=score,
                quote=_quote(chunk["text"]),
                link=build.link(chunk["document_id"], page),
            )
        )
    return hits


def _quote(text: str) -> str:
    """The start of a text on one line, cut at a word."""
    line = " ".join(text.split())
    if len(line) <= _QUOTE:
        return line
    return line[:_QUOTE].rsplit(" ", 1)[0] + " …"

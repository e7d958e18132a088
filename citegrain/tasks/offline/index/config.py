"""Parameters of ``index``."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

BACKENDS = ("flat", "hnsw", "ivf", "qdrant", "auto")
EXACT_ROWS = 100_000
"""So many rows are searched exactly in about 10 ms (docs/operations.md)."""


@dataclass(frozen=True)
class IndexConfig:
    """How the two indexes are built.

    Attributes
    ----------
    dense
        ``flat`` (exact), ``hnsw`` and ``ivf`` (approximate; built on one thread, so repeatable),
        ``qdrant`` (exact, searched in Qdrant: ``published.points``), or ``auto``: by the number of rows.
    hnsw_m, hnsw_ef_construction, hnsw_ef_search
        Parameters of HNSW (Malkov and Yashunin 2018).
    k1, b
        Saturation and length normalisation of BM25 (Eq. 3.2 of the thesis).
    stemmer
        Snowball stemmer of the sparse index, or ``none``.
    stopwords
        ``en`` leaves out English function words, ``none`` keeps all.
    background
        Benchmarks whose texts are the background stories (``offline.index.sparse``).
    expansion
        Files of lay texts, by which provisions are searched too (``offline.index.expansion``).
    relations
        Whether vectors of the graph are trained, which the channel ``relation`` searches
        (``published.channels.relation``).
    colbert
        Dimensions of the token vectors that the channel ``colbert`` searches, two bits each
        (``published.channels.colbert``); 0: none are kept.
    """

    dense: str = "flat"
    hnsw_m: int = 32
    hnsw_ef_construction: int = 200
    hnsw_ef_search: int = 128
    k1: float = 1.5
    b: float = 0.75
    stemmer: str = "english"
    stopwords: str = "en"
    background: list[str] = field(default_factory=list)
    expansion: list[str] = field(default_factory=list)
    relations: bool = False
    colbert: int = 0

    def __post_init__(self) -> None:
        if self.dense not in BACKENDS:
            raise ValueError(f"index.dense={self.dense}: one of {', '.join(BACKENDS)}")
        if self.colbert < 0 or self.colbert % 4:
            raise ValueError(f"index.colbert={self.colbert}: a multiple of 4, or 0 for none")
        if self.stemmer not in ("english", "none"):
            raise ValueError(f"index.stemmer={self.stemmer}: english or none")
        if self.stopwords not in ("en", "none"):
            raise ValueError(f"index.stopwords={self.stopwords}: en or none")
        if not (self.k1 >= 0 and 0 <= self.b <= 1):
            raise ValueError("index.k1 must not be negative, and index.b must lie in 0 to 1")
        if min(self.hnsw_m, self.hnsw_ef_construction, self.hnsw_ef_search) < 2:
            raise ValueError("the parameters of HNSW must be at least 2")

    def settled(self, rows: int) -> IndexConfig:
        """The same for so many rows, with the choice of ``auto`` in its place: a build's key has that."""
        if self.dense != "auto":
            return self
        return replace(self, dense="flat" if rows <= EXACT_ROWS else "ivf")

    def reason(self, rows: int) -> str:
        """What ``auto`` chose for so many rows, and why, in one line."""
        what = "searched exactly" if rows <= EXACT_ROWS else "searched by IVF, re-scored by the vectors"
        side = "at most" if rows <= EXACT_ROWS else "over"
        return f"index.dense={self.settled(rows).dense}: {rows:,} rows, {side} {EXACT_ROWS:,}, are {what}"

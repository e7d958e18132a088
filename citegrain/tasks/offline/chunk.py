"""Declaration of ``chunk`` and its one function."""

import hashlib
import itertools
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.schemas import CHUNKS, PROVISIONS, TEXTS
from citegrain.tasks.core.stage import Stage, Tables
from citegrain.tasks.law.citations import CITABLE, TEXT
from citegrain.tasks.offline.document import Artefacts, CorpusDocument, DocumentStage, Setup
from citegrain.tasks.offline.models import Tokenizer
from citegrain.tasks.offline.split import (
    SEPARATORS,
    Span,
    TokenCounter,
    Unit,
    citation_units,
    split_by_priority,
    split_pages,
    split_recursive,
    unit_ids,
)

STAGE = Stage("chunk", 3, (CHUNKS,))
STRATEGIES = ("statutory", "parent_child", "fixed", "recursive", "page")
HEADERS = ("none", "heading", "full")
MEASURES = ("tokens", "characters")


@dataclass(frozen=True)
class ChunkConfig:
    """How running text is cut into retrieval units.

    Attributes
    ----------
    strategy
        ``statutory``, ``parent_child``, ``fixed``, ``recursive`` or ``page``.
    size, overlap
        Target length and overlap: by ``measure`` for ``statutory``, ``parent_child`` and ``fixed``,
        characters for ``recursive`` and ``page``.
    measure
        ``tokens`` of the encoder, or ``characters``.
    shortest
        Characters: a shorter piece is not searched.
    header
        Line of context put before the text when it is embedded and indexed: ``none``,
        ``heading`` (number and heading of the cited provision) or ``full`` (title of the Act too).
    separators
        Of ``recursive``, the strongest first; ``""`` cuts between any two characters.
    within
        Whether ``recursive`` crosses no citation boundary.
    """

    strategy: str = "statutory"
    size: int = 1000
    overlap: int = 0
    header: str = "full"
    measure: str = "tokens"
    shortest: int = 0
    separators: list[str] = field(default_factory=lambda: [*SEPARATORS])
    within: bool = False

    def __post_init__(self) -> None:
        if self.strategy not in STRATEGIES:
            raise ValueError(f"chunk.strategy={self.strategy}: one of {', '.join(STRATEGIES)}")
        if self.header not in HEADERS:
            raise ValueError(f"chunk.header={self.header}: one of {', '.join(HEADERS)}")
        if self.measure not in MEASURES:
            raise ValueError(f"chunk.measure={self.measure}: one of {', '.join(MEASURES)}")
        if not self.separators:
            raise ValueError("chunk.separators must not be empty")
        if self.shortest < 0:
            raise ValueError("chunk.shortest must not be negative")
        if self.size < 8 or not 0 <= self.overlap < self.size:
            raise ValueError("chunk.size must be at least 8 and chunk.overlap less than it")

    def parameters(self) -> dict[str, Any]:
        """The parameters of the key; two came later, and are left out where they are as before."""
        plain = {"separators": [*SEPARATORS], "within": False}
        return {n: v for n, v in asdict(self).items() if n not in plain or v != plain[n]}


@dataclass(frozen=True)
class _Piece:
    """A span to become a chunk. ``parent`` is the index of its parent among the pieces."""

    start: int
    end: int
    indexed: bool
    parent: int | None = None


def chunk_document(
    texts: pa.Table,
    provisions: pa.Table,
    titles: Mapping[str, str],
    tokenizer: Tokenizer,
    config: ChunkConfig,
) -> Tables:
    """Cut the Acts of one document, with their titles by act_id, into ``chunks``."""
    chunks: list[dict[str, Any]] = []
    rows = provisions.select(
        ["provision_id", "act_id", "kind", "char_start", "char_end", "number", "heading", "version_date"]
    ).to_pylist()
    for text_row in texts.to_pylist():
        of_act = [r for r in rows if r["act_id"] == text_row["act_id"]]
        chunks += _chunk_act(text_row, of_act, titles.get(text_row["act_id"], ""), tokenizer, config)
    return {"chunks": CHUNKS.rows(chunks)}


def _chunk_act(
    text_row: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    title: str,
    tokenizer: Tokenizer,
    config: ChunkConfig,
) -> list[dict[str, Any]]:
    text: str = text_row["text"]
    by_id = {row["provision_id"]: row for row in rows}
    units = citation_units(text, list(by_id.values()))
    counter = TokenCounter(tokenizer.offsets(text))
    measured = counter if config.measure == "tokens" else TokenCounter([(i, i + 1) for i in range(len(text))])
    pages = [(p["page"], p["char_start"]) for p in text_row["page_spans"]]
    pieces = [_trimmed(text, p) for p in _pieces(text, units, pages, measured, config)]
    version = rows[0]["version_date"] if rows else None
    prefix = f"{text_row['act_id']}@{version or 'undated'}#{text_row['document_id'][:8]}"
    chunks: list[dict[str, Any]] = []
    starts = [u.start for u in units]
    page_starts = [start for _, start in pages]
    names = unit_ids(text_row["act_id"], text, [(p.start, p.end) for p in pieces], list(by_id.values()))
    for ordinal, (piece, name) in enumerate(zip(pieces, names, strict=True)):
        overlaps = _overlaps(units, starts, piece)
        citation = max(overlaps, key=lambda o: o[1])[0] if overlaps else None
        header = _header(by_id.get(citation or ""), title, config.header)
        body = text[piece.start : piece.end]
        chunk = {
            "chunk_id": f"{prefix}:{ordinal:05d}",
            "unit_id": name,
            "document_id": text_row["document_id"],
            "act_id": text_row["act_id"],
            "version_date": version,
            "ordinal": ordinal,
            "parent_chunk_id": None if piece.parent is None else chunks[piece.parent]["chunk_id"],
            "indexed": piece.indexed and len(body) >= config.shortest,
            "citation": citation,
            "overlaps": [{"provision_id": i, "chars": n} for i, n in overlaps],
            "char_start": piece.start,
            "char_end": piece.end,
            "page_start": _page(pages, page_starts, piece.start),
            "page_end": _page(pages, page_starts, max(piece.start, piece.end - 1)),
            "n_tokens": counter.count(piece.start, piece.end),
            "header": header,
            "text": body,
            "text_hash": text_hash(header, body),
        }
        chunks.append(chunk)
    return chunks


def text_hash(header: str, text: str) -> str:
    """Key of a chunk's vector: SHA-256 of header and text, hex."""
    return hashlib.sha256(f"{header}\0{text}".encode()).hexdigest()


def _pieces(
    text: str,
    units: Sequence[Unit],
    pages: Sequence[tuple[int, int]],
    counter: TokenCounter,
    config: ChunkConfig,
) -> list[_Piece]:
    if config.strategy == "statutory":
        return [
            _Piece(a, b, unit.indexed)
            for unit in units
            for a, b in split_by_priority(text, (unit.start, unit.end), config.size, config.overlap, counter)
        ]
    spans: list[Span]
    if config.strategy == "parent_child":  # parents are not searched, their parts are
        pieces: list[_Piece] = []
        for unit in units:
            children = split_by_priority(text, (unit.start, unit.end), config.size, config.overlap, counter)
            parent = len(pieces)
            pieces.append(_Piece(unit.start, unit.end, unit.indexed and len(children) == 1))
            if len(children) > 1:
                pieces += [_Piece(a, b, unit.indexed, parent) for a, b in children]
        return pieces
    if config.strategy == "fixed":
        spans = counter.windows(0, len(text), config.size, config.overlap)
    elif config.strategy == "recursive":
        stretches = [(u.start, u.end) for u in units if u.indexed] if config.within else [(0, len(text))]
        spans = [
            s for stretch in stretches for s in split_recursive(text, config.size, config.separators, stretch)
        ]
    else:
        edges = [start for _, start in pages] + [len(text)]
        spans = split_pages(text, list(itertools.pairwise(edges)), config.size, config.overlap)
    return [_Piece(a, b, True) for a, b in spans if text[a:b].strip()]


def _trimmed(text: str, piece: _Piece) -> _Piece:
    body = text[piece.start : piece.end]
    lead = len(body) - len(body.lstrip())
    return _Piece(piece.start + lead, piece.start + len(body.rstrip()), piece.indexed, piece.parent)


def _overlaps(units: Sequence[Unit], starts: Sequence[int], piece: _Piece) -> list[tuple[str, int]]:
    """Citable provisions a piece overlaps and by how many characters, in reading order."""
    out: list[tuple[str, int]] = []
    for unit in units[max(0, bisect_right(starts, piece.start) - 1) :]:
        if unit.start >= piece.end:
            break
        chars = min(unit.end, piece.end) - max(unit.start, piece.start)
        if chars > 0:
            out += [(provision_id, chars) for provision_id in unit.ids]
    return out


def _page(pages: Sequence[tuple[int, int]], starts: Sequence[int], offset: int) -> int:
    return pages[max(0, bisect_right(starts, offset) - 1)][0] if pages else 1


def _header(provision: Mapping[str, Any] | None, title: str, style: str) -> str:
    """Context line: ``The Indian Penal Code, 1860. Section 302. Punishment for murder``."""
    if style == "none":
        return ""
    parts = [title] if style == "full" else []
    if provision is not None:
        kind, heading = str(provision["kind"]), str(provision["heading"])
        if kind == TEXT:  # neither its id nor "Text corpus" says a thing
            return heading
        called = f"{kind.capitalize()} " if kind in CITABLE else ""
        parts += [f"{called}{provision['number']}", heading]
    return ". ".join(filter(None, parts))


_tokenizer = lru_cache(maxsize=2)(Tokenizer)


def _shape(document: CorpusDocument, setup: Setup) -> tuple[dict[str, Any], dict[str, Any]]:
    config = setup.configs["chunk"]
    titles = document.titles if config.header == "full" else {}
    return config.parameters() | {"titles": titles}, {"tokenizer": _tokenizer(setup.model).sha256}


def _make(document: CorpusDocument, artefacts: Artefacts, setup: Setup) -> Tables:
    structured = artefacts["structure"]
    tables = structured.table(TEXTS), structured.table(PROVISIONS)
    return chunk_document(*tables, document.titles, _tokenizer(setup.model), setup.configs["chunk"])


DOCUMENT_STAGE = DocumentStage(STAGE, ChunkConfig, ("structure",), _shape, _make, (CHUNKS,), "chunked")

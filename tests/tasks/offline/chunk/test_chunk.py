"""Chunking: every strategy tiles the text, two cross no citation boundary."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_text_splitters import RecursiveCharacterTextSplitter

from citegrain.tasks.core.schemas import PROVISIONS, TEXTS
from citegrain.tasks.offline.chunk import ChunkConfig, chunk_document
from citegrain.tasks.offline.models import Tokenizer
from citegrain.tasks.offline.split import (
    TokenCounter,
    citation_units,
    split_by_priority,
    split_pages,
    split_recursive,
)


class Words(Tokenizer):
    """A tokenizer that counts words and signs."""

    def __init__(self) -> None:
        pass

    def offsets(self, text: str) -> list[tuple[int, int]]:
        return [m.span() for m in re.finditer(r"\w+|[^\w\s]", text)]


WORD = st.sampled_from(
    ["the", "keeper", "shall", "pay.", "oil;", "(a)", "(1)", "Provided", "wages", "\n(2) and", "\n", "lamp—"]
)
BODY = st.lists(WORD, min_size=1, max_size=60).map(" ".join)


@st.composite
def acts(draw: st.DrawFn) -> tuple[str, list[dict[str, Any]]]:
    """A running text with a preamble, chapters, sections, a schedule with entries, and gaps."""
    text, rows = draw(st.sampled_from(["", "An Act to keep lanterns.\n\n"])), []

    def add(kind: str, number: str, start: int, end: int, **more: Any) -> None:
        rows.append({"kind": kind, "number": number, "char_start": start, "char_end": end, **more})

    for chapter in range(draw(st.integers(1, 2))):
        first = len(text)
        text += f"CHAPTER {chapter + 1}\nKEEPERS\n\n"
        for _ in range(draw(st.integers(1, 3))):
            number = str(len(rows) + 1)
            start = len(text)
            text += f"{number}. Heading.—{draw(BODY)}".rstrip()
            add("section", number, start, len(text))
            if draw(st.booleans()):  # a repealed range shares one span
                add("section", f"{number}A", start, len(text))
            text += "\n\n"
        add("chapter", f"Chapter {chapter + 1}", first, len(text.rstrip()))
    if draw(st.booleans()):
        first = len(text)
        text += "THE SCHEDULE\nOF OILS\n"
        for entry in range(draw(st.integers(0, 3))):
            start = len(text)
            text += f"{entry + 1}. {draw(BODY)}".rstrip()
            add("entry", f"Schedule, entry {entry + 1}", start, len(text))
            text += "\n"
        add("schedule", "Schedule", first, len(text.rstrip()))
    return text.rstrip(), rows


def tables(text: str, rows: list[dict[str, Any]]) -> tuple[pa.Table, pa.Table]:
    third = len(text) // 3
    texts = TEXTS.rows(
        [
            {
                "document_id": "d" * 64,
                "act_id": "lantern-act-2011",
                "text": text,
                "page_spans": [
                    {"page": 1, "char_start": 0},
                    {"page": 2, "char_start": third},
                    {"page": 4, "char_start": 2 * third},
                ],
            }
        ]
    )
    empty = dict.fromkeys(PROVISIONS.arrow.names)
    provisions = [
        empty
        | {
            "provision_id": f"lantern-act-2011/{r['kind']}_{i}", "act_id": "lantern-act-2011", "heading": "Heading",
            "text": "", "status": "in_force", "depth": 1, "ordinal": i, "text_start": r["char_start"], "page_start": 1,
            "page_end": 1, "document_id": "d" * 64, "validity_evidence": "", "notes": [],
        }
        | r
        for i, r in enumerate(rows)
    ]  # fmt: skip
    return texts, PROVISIONS.rows(provisions)


CONFIGS = [
    ChunkConfig("statutory", 16, 4),
    ChunkConfig("statutory", 12, 0),
    ChunkConfig("parent_child", 12, 0),
    ChunkConfig("parent_child", 12, 3),
    ChunkConfig("fixed", 16, 4),
    ChunkConfig("recursive", 60, 0),
    ChunkConfig("page", 80, 16),
]


@pytest.mark.parametrize("config", CONFIGS, ids=lambda c: f"{c.strategy}-{c.size}-{c.overlap}")
@settings(max_examples=60)
@given(act=acts())
def test_chunks_tile_the_text(config: ChunkConfig, act: tuple[str, list[dict[str, Any]]]) -> None:
    text, rows = act
    texts, provisions = tables(text, rows)
    chunks = chunk_document(texts, provisions, {"lantern-act-2011": "The Lantern Act, 2011"}, Words(), config)
    rows = chunks["chunks"].to_pylist()
    covered = bytearray(len(text))
    for chunk in rows:
        assert chunk["text"] == text[chunk["char_start"] : chunk["char_end"]] != ""
        covered[chunk["char_start"] : chunk["char_end"]] = b"\1" * (chunk["char_end"] - chunk["char_start"])
        assert chunk["act_id"] == "lantern-act-2011"
        assert chunk["page_start"] <= chunk["page_end"]
        if config.strategy in ("statutory", "fixed") or chunk["parent_chunk_id"]:
            assert chunk["n_tokens"] <= config.size
    assert all(covered[i] or text[i].isspace() for i in range(len(text)))
    ids = [c["chunk_id"] for c in rows]
    assert len(set(ids)) == len(ids)
    assert all(c["parent_chunk_id"] in (None, *ids) for c in rows)


@pytest.mark.parametrize("config", [c for c in CONFIGS if c.strategy in ("statutory", "parent_child")])
@settings(max_examples=60)
@given(act=acts())
def test_no_citation_boundary_is_crossed(config: ChunkConfig, act: tuple[str, list[dict[str, Any]]]) -> None:
    text, rows = act
    texts, provisions = tables(text, rows)
    spans = {(r["char_start"], r["char_end"]) for r in rows if r["kind"] in ("section", "entry")}
    for chunk in chunk_document(texts, provisions, {}, Words(), config)["chunks"].to_pylist():
        a, b = chunk["char_start"], chunk["char_end"]
        assert all((a >= s and b <= e) or b <= s or a >= e for s, e in spans)


@settings(max_examples=60)
@given(act=acts())
def test_overlaps_count_characters_and_the_most_is_cited(act: tuple[str, list[dict[str, Any]]]) -> None:
    text, rows = act
    texts, provisions = tables(text, rows)
    by_id = {p["provision_id"]: p for p in provisions.to_pylist()}
    for chunk in chunk_document(texts, provisions, {}, Words(), ChunkConfig("fixed", 16, 4))[
        "chunks"
    ].to_pylist():
        counted = {o["provision_id"]: o["chars"] for o in chunk["overlaps"]}
        for name, p in by_id.items():
            shared = min(p["char_end"], chunk["char_end"]) - max(p["char_start"], chunk["char_start"])
            if p["kind"] in ("section", "entry"):
                assert counted.get(name, 0) == max(0, shared)
        if counted:
            assert chunk["citation"] == next(n for n, c in counted.items() if c == max(counted.values()))
        else:
            assert chunk["citation"] is None


@settings(max_examples=200)
@given(st.text(alphabet=st.sampled_from("ab \n."), max_size=400), st.integers(8, 60))
def test_recursive_cuts_as_langchain_does(text: str, size: int) -> None:
    theirs = RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=0).split_text(text)
    ours = [text[a:b].strip() for a, b in split_recursive(text, size)]
    assert [c for c in ours if c] == theirs


SEVEN = ["\n\n", "\n", ". ", "; ", ", ", " ", ""]


@settings(max_examples=100)
@given(acts(), st.integers(8, 60))
def test_seven_separators_within_provisions_cut_each_as_langchain_does(
    act: tuple[str, list[dict[str, Any]]], size: int
) -> None:
    text, rows = act
    config = ChunkConfig("recursive", size, header="none", separators=SEVEN, within=True)
    chunks = chunk_document(*tables(text, rows), {}, Words(), config)["chunks"].to_pylist()
    splitter = RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=0, separators=SEVEN)
    units = [u for u in citation_units(text, [r | {"provision_id": r["number"]} for r in rows]) if u.indexed]
    assert [c["text"] for c in chunks] == [
        t for u in units for t in splitter.split_text(text[u.start : u.end])
    ]


@settings(max_examples=100)
@given(BODY, st.integers(10, 60), st.integers(0, 9))
def test_pages_end_at_punctuation_and_overlap(text: str, size: int, overlap: int) -> None:
    spans = split_pages(text, [(0, len(text))], size, overlap)
    assert spans[0][0] == 0 and spans[-1][1] == len(text)
    for (a, b), (c, d) in pairwise(spans):
        assert b - a <= size and c == max(b - overlap, a + 1) and d > b
        assert text[b - 1] in ".;:?!,\n" or b - a == size


def test_a_long_section_is_cut_at_the_highest_boundary_that_serves() -> None:
    text = "5. Pay.—(1) one two three four five.\n(2) six seven:\n(a) eight nine;\n(b) ten eleven twelve."
    counter = TokenCounter(Words().offsets(text))
    pieces = [text[a:b].strip() for a, b in split_by_priority(text, (0, len(text)), 20, 0, counter)]
    assert pieces == [
        "5. Pay.—(1) one two three four five.",
        "(2) six seven:\n(a) eight nine;\n(b) ten eleven twelve.",
    ]


def test_shared_spans_belong_to_all_of_a_range() -> None:
    rows = [
        {"provision_id": f"a/sec_{n}", "kind": "section", "char_start": 0, "char_end": 16}
        for n in (161, 162, 163)
    ]
    units = citation_units("161 to 163. Rep.", rows)
    assert len(units) == 1 and units[0].ids == ("a/sec_161", "a/sec_162", "a/sec_163")


def test_headers_give_context() -> None:
    text = "CHAPTER I\n\n1. Pay.—The keeper shall be paid."
    rows = [
        {"kind": "chapter", "number": "Chapter I", "char_start": 0, "char_end": len(text)},
        {"kind": "section", "number": "1", "char_start": 11, "char_end": len(text), "heading": "Pay"},
    ]
    texts, provisions = tables(text, rows)
    titles = {"lantern-act-2011": "The Lantern Act, 2011"}

    def headers(style: str) -> list[tuple[str, bool]]:
        config = ChunkConfig("statutory", 50, 0, style)
        chunks = chunk_document(texts, provisions, titles, Words(), config)["chunks"].to_pylist()
        return [(c["header"], c["indexed"]) for c in chunks]

    assert headers("full") == [
        ("The Lantern Act, 2011. Chapter I. Heading", False),
        ("The Lantern Act, 2011. Section 1. Pay", True),
    ]
    assert headers("heading")[1] == ("Section 1. Pay", True)
    assert headers("none")[1] == ("", True)


@pytest.mark.parametrize(
    ("values", "word"),
    [
        (("never",), "strategy"),
        (("fixed", 4), "size"),
        (("fixed", 10, 10), "overlap"),
        (("fixed", 10, 0, "long"), "header"),
    ],
)
def test_parameters_are_checked(values: tuple[Any, ...], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        ChunkConfig(*values)

"""Judgments of which something is lost are doubted; those that are whole are not."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from citegrain.tasks.core.stage import Tables
from citegrain.tasks.kinds.judgments.structure import left_out, structure_judgment
from citegrain.tasks.offline.structure import ActSpan
from tests import typeset, typeset_judgments
from tests.damages import ADDITIONS, FIRST, Paper, chance_of
from tests.tasks.kinds.readings import parsed


def read(data: bytes) -> tuple[str, Tables]:
    """What speaks against a judgment, and its tables."""
    tables, span = parsed(data), ActSpan("judgment", None, 1, 999, kind="judgment")
    given = tables["documents"], tables["lines"], tables["judgments"]
    structured = structure_judgment(*given, span, tables["pages"])
    return "; ".join(row["reason"] for row in structured["reports"].to_pylist()), structured


@cache
def long_copy(end: bool = True) -> bytes:
    """A court's copy of forty paragraphs, none like another; ``end``: with its signatures."""
    sheet = typeset_judgments.Sheet(foot="{page}")
    for text in (
        "IN THE SUPREME COURT OF INDIA",
        "CIVIL APPELLATE JURISDICTION",
        "CIVIL APPEAL NO. 7 OF 2020",
    ):
        sheet.row(text, 160)
    sheet.row("WICK KEEPERS’ ASSOCIATION", right="…Appellant(s)")
    sheet.row("THE STATE OF GOA", right="…Respondent(s)")
    sheet.row("J U D G M E N T", 250)
    sheet.row("CHITRA D. WICK, J.")
    chance, text = chance_of("judgment"), " ".join(typeset_judgments.PARAGRAPHS[:4])
    words = [w for w in text.split() if re.fullmatch("(?!appeal|allow|the$|who$)[a-z]{3,}", w)]
    for number in range(1, 41):
        said = " ".join(chance.sample(words, 45)).capitalize()
        sheet.paragraph(f"{said}. The Labour Court said so on page {number} of its order.", f"{number}.")
    if end:
        sheet.row("……………………J.", 380)
        sheet.row("(CHITRA D. WICK)", 380)
        sheet.row("New Delhi; March 9, 2021.")
    return sheet.pdf()


def test_a_judgment_that_is_there_is_not_doubted() -> None:
    assert read(long_copy())[0] == ""
    assert "no order, signature or date" in read(long_copy(end=False))[0]


UNSEEN = (*ADDITIONS, "faint", "dots_for_words", "section_lost")
SEEN = [d for d in FIRST if d not in UNSEEN]
"""Words that are lost are missed only where most are longer than those here; a number may be misprinted."""


@pytest.mark.parametrize("damage", SEEN)
def test_a_damaged_judgment_is_doubted(damage: str) -> None:
    with pymupdf.open(stream=long_copy(), filetype="pdf") as document:
        before = list(range(1, len(document) - 1))
        FIRST[damage](Paper(document, before, typeset.india_code(), chance_of("a")))
        reason, tables = read(typeset.saved(document))
    after, before_it = (t["provisions"].select(["number", "text"]) for t in (tables, read(long_copy())[1]))
    assert reason or after.equals(before_it)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        (range(1, 41), ""),
        ([n for n in range(1, 41) if n != 9], ""),  # one may be misprinted
        ([n for n in range(1, 41) if n not in (9, 10)], "paragraph 11 follows 8"),
        (range(4, 41), "paragraphs begin with 4"),
    ],
)
def test_paragraphs_that_are_left_out_are_missed(numbers: Any, words: str) -> None:
    said = left_out(list(numbers), "")
    assert words in said and bool(words) == bool(said)


@pytest.mark.corpus
@pytest.mark.slow
@pytest.mark.parametrize(
    "damage",
    # one number that is missing is forgiven, for it may be misprinted; dots are common in quotations
    [d for d in FIRST if d not in ("dots_for_words", "section_lost")],
)
def test_real_judgments_that_are_damaged_are_hardly_ever_silent(damage: str, shared: Path) -> None:
    files = [f for f in sorted((shared / "corpus" / "judgments").glob("*.pdf")) if f.stat().st_size < 400_000]
    silent = []
    for file in chance_of(damage).sample(files, 6):
        reason, tables = read(file.read_bytes())
        law = [page - 1 for page in sorted({row["page"] for row in tables["coverage"].to_pylist()})]
        with pymupdf.open(stream=file.read_bytes(), filetype="pdf") as document:
            FIRST[damage](Paper(document, law, files[0].read_bytes(), chance_of(file.stem)))
            said, after = read(typeset.saved(document))
        lost = _texts(after) != _texts(tables) if damage not in ADDITIONS else False
        silent += [file.name] if lost and not reason and not said else []
    assert len(silent) <= 2, silent


def _texts(tables: Tables) -> list[str]:
    return [row["text"] for row in tables["provisions"].to_pylist()]

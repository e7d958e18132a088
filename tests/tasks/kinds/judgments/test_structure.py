"""A judgment is cut at its paragraphs, and what is not the court's words is kept apart."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest

from citegrain.tasks.core.stage import Tables
from tests.tasks.kinds.readings import of_judgment, parsed
from tests.typeset_judgments import PARAGRAPHS, court_copy, judis, publisher, report

Rows = list[dict[str, Any]]


def read(data: bytes) -> Rows:
    """Rows of ``provisions`` of a PDF."""
    return structured(parsed(data))


def structured(tables: Tables) -> Rows:
    """Rows of ``provisions``, from what was parsed."""
    out = of_judgment(tables)
    text = out["texts"].column("text")[0].as_py()
    rows: Rows = out["provisions"].to_pylist()
    assert all(text[r["text_start"] : r["char_end"]] == r["text"] for r in rows)
    return rows


def paragraphs(rows: Rows) -> Rows:
    return [r for r in rows if r["kind"] == "paragraph"]


@pytest.mark.parametrize("numbers", ["{}.", "{})", "{}"])
def test_numbered_paragraphs_are_units_and_quoted_numbers_are_not(numbers: str) -> None:
    rows = paragraphs(read(court_copy(numbers=numbers)))
    assert [r["number"] for r in rows] == ["1", "2", "3", "4", "5"]
    assert [r["provision_id"].rpartition("/")[2] for r in rows] == [f"para_{n}" for n in range(1, 6)]
    assert rows[0]["text"] == PARAGRAPHS[0]
    assert "13. It does not matter" in rows[2]["text"]
    assert (rows[0]["page_start"], rows[-1]["page_end"]) == (1, 2)


def test_signatures_stand_behind_the_last_paragraph() -> None:
    rows = read(court_copy())
    assert rows[-1]["kind"] == "back"
    assert paragraphs(rows)[-1]["text"] == PARAGRAPHS[-1]


def test_the_headnote_is_kept_apart() -> None:
    for pdf in (judis, report):
        rows = read(pdf())
        headnote = next(r for r in rows if r["kind"] == "headnote")
        assert "dark nights" in headnote["text"]
        assert all(headnote["char_end"] <= r["char_start"] for r in paragraphs(rows))


def test_letters_of_the_margin_are_no_text() -> None:
    rows = paragraphs(read(report()))
    assert [r["number"] for r in rows] == ["1", "2", "3", "4", "5"]
    assert all(" B " not in r["text"] and " C " not in r["text"] for r in rows)


def test_paragraphs_without_numbers_are_counted_in_brackets() -> None:
    rows = paragraphs(read(judis()))
    assert rows[0]["number"] == "[1]"
    assert rows[0]["text"].startswith("Leave granted.")
    assert "CITATOR" not in "".join(r["text"] for r in rows)


def test_each_opinion_counts_for_itself_and_names_its_judge() -> None:
    rows = read(publisher())
    assert [r["heading"] for r in rows if r["kind"] == "opinion"] == ["Chitra D. Wick", "A.B. Lamp"]
    numbers = [r["number"] for r in paragraphs(rows)]
    assert numbers[0] == "1 (Chitra D. Wick, J.)"
    assert numbers[5:7] == ["1 (A.B. Lamp, J.)", "2 (A.B. Lamp, J.)"]
    ids = [r["provision_id"] for r in paragraphs(rows)]
    assert ids[5].endswith("/opinion_2__para_1")
    assert len(set(ids)) == len(ids)


def test_a_footnote_stands_with_the_paragraph_that_marks_it() -> None:
    tables = parsed(court_copy())
    lines = [row for row in tables["lines"].to_pylist() if row["page"] == 1]
    marked = next(row for row in lines if row["text"].endswith("it was dark."))
    marked["marks"] = [{"offset": len(marked["text"]), "label": "1"}]
    note = {"text": "(2012) 12 SCC 613", "marks": [{"offset": 0, "label": "1"}]}
    foot = marked | note | {"y0": 700.0, "size": 8.0, "row": 90}
    tables["lines"] = pa.Table.from_pylist([*lines, foot], tables["lines"].schema)
    rows = structured(tables)
    assert all("12 SCC 613" not in r["text"] for r in rows)
    assert [n["text"] for n in paragraphs(rows)[0]["notes"]] == ["(2012) 12 SCC 613"]
    assert all(not r["notes"] for r in paragraphs(rows)[1:])


def test_feet_of_the_courts_pages_that_run_into_a_reprint_are_no_text() -> None:
    tables = parsed(court_copy())
    lines = tables["lines"].to_pylist()
    at = next(n for n, row in enumerate(lines) if row["text"].endswith("it was dark."))
    lines[at]["text"] = f"10 | P a g e {lines[at]['text']} 11 | Page"
    lines.insert(at + 1, lines[at] | {"text": "12 | P a g e"})
    tables["lines"] = pa.Table.from_pylist(lines, tables["lines"].schema)
    reprinted, plain = ([r["text"] for r in paragraphs(r)] for r in (structured(tables), read(court_copy())))
    assert reprinted == plain


@pytest.mark.parametrize("pdf", [court_copy, judis, report, publisher])
def test_every_print_yields_rows_in_order(pdf: Callable[[], bytes]) -> None:
    rows = read(pdf())
    assert [r["ordinal"] for r in rows] == list(range(len(rows)))
    assert all(a["char_start"] <= b["char_start"] for a, b in pairwise(rows))


def test_an_opinion_without_any_number_is_read() -> None:
    rows = paragraphs(read(judis(names=["KULDIP LAMP, A.S. WICK"])))
    assert rows[0]["number"] == "[1]"

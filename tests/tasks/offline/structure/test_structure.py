"""The tree of an Act: the same Act in three layouts gives the same provisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.structure import ActSpan, structure_document
from tests import typeset

LANTERN_ID = "lantern-keepers-welfare-act-2011"


def read(data: bytes, pages: tuple[int, int] = (1, 999)) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    parsed = parse_document(data, "d" * 64, ParseConfig(ocr="off"))
    span = ActSpan(LANTERN_ID, date(2020, 1, 2), *pages)
    tables = structure_document(parsed["documents"], parsed["lines"], [span])
    return tables["provisions"].to_pylist(), tables["texts"].to_pylist()


LAYOUTS: dict[str, Callable[[], bytes]] = {
    "india_code": typeset.india_code,
    "no contents": lambda: typeset.india_code(contents=False),
    "no bold": lambda: typeset.india_code(bold=False),
    "neither": lambda: typeset.india_code(bold=False, contents=False),
    "as on": lambda: typeset.india_code(as_on="6th October, 2025"),
    "gazette": typeset.gazette,
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_sections_headings_and_texts_in_every_layout(layout: str) -> None:
    provisions, _ = read(LAYOUTS[layout]())
    sections = [p for p in provisions if p["kind"] == "section"]
    assert [(s["number"], s["heading"]) for s in sections] == [
        (s.number, s.heading) for s in typeset.LANTERN.sections
    ]
    for section, written in zip(sections, typeset.LANTERN.sections, strict=True):
        assert "".join(section["text"].split()) == "".join(" ".join(written.paragraphs).split())
        assert section["provision_id"] == f"{LANTERN_ID}/sec_{written.number}"


def test_the_tree() -> None:
    provisions, _ = read(typeset.india_code())
    assert [(p["provision_id"].partition("/")[2], p["kind"], p["number"]) for p in provisions] == [
        ("chp_I", "chapter", "Chapter I"),
        ("sec_1", "section", "1"),
        ("sec_1__subsec_1", "subsection", "1(1)"),
        ("sec_1__subsec_2", "subsection", "1(2)"),
        ("sec_2", "section", "2"),
        ("sec_2__para_a", "clause", "2(a)"),
        ("sec_2__para_b", "clause", "2(b)"),
        ("sec_2__para_b__subpara_i", "clause", "2(b)(i)"),
        ("sec_2__para_b__subpara_ii", "clause", "2(b)(ii)"),
        ("chp_II", "chapter", "Chapter II"),
        ("sec_3", "section", "3"),
        ("sec_3__proviso_1", "proviso", "3 proviso 1"),
        ("sec_3__explanation_1", "explanation", "3 explanation 1"),
        ("sec_3A", "section", "3A"),
        ("sec_4", "section", "4"),
        ("sec_5", "section", "5"),
    ]
    by_id = {p["provision_id"]: p for p in provisions}
    for p in provisions:
        parent = by_id.get(p["parent_id"])
        assert (p["depth"] == 1) == (parent is None)
        if parent:
            assert parent["char_start"] <= p["char_start"] <= p["char_end"] <= parent["char_end"]


@pytest.mark.parametrize("hyphen", ["\u2011", "\u2013"])
def test_numbers_with_any_hyphen_are_those_without(hyphen: str) -> None:
    """A non-breaking hyphen (U+2011) is what word processors put into ``3‑A``."""
    chapters = [
        (
            number.replace("II", f"II{hyphen}A"),
            heading,
            [replace(s, number=s.number.replace("A", f"{hyphen}A")) for s in sections],
        )
        for number, heading, sections in typeset.LANTERN.chapters
    ]
    provisions, _ = read(typeset.india_code(replace(typeset.LANTERN, chapters=chapters)))
    ids = [p["provision_id"].partition("/")[2] for p in provisions]
    assert "chp_IIA" in ids and [n for n in ids if "__" not in n and n.startswith("sec")] == [
        "sec_1",
        "sec_2",
        "sec_3",
        "sec_3A",
        "sec_4",
        "sec_5",
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_spans_point_into_the_running_text(layout: str) -> None:
    provisions, texts = read(LAYOUTS[layout]())
    text = texts[0]["text"]
    for p in provisions:
        assert p["text"] == text[p["text_start"] : p["char_end"]]
        assert 0 <= p["char_start"] <= p["text_start"] <= p["char_end"] <= len(text)
        assert p["page_start"] <= p["page_end"]
    starts = [p["char_start"] for p in texts[0]["page_spans"]]
    assert starts == sorted(starts) and starts[0] == 0


def test_an_inserted_section_has_its_note_and_its_first_day() -> None:
    provisions, _ = read(typeset.india_code())
    inserted = next(p for p in provisions if p["number"] == "3A")
    assert inserted["valid_from"] == date(2016, 4, 1)
    assert inserted["validity_evidence"].startswith("footnote 1, page")
    assert inserted["notes"][0]["action"] == "inserted" and inserted["notes"][0]["by_act"] == "9 of 2015"


def act_with(*sections: typeset.Section) -> typeset.Act:
    head = typeset.Section(
        "1", "Short title", ["This Act may be called the Lantern Keepers (Welfare) Act, 2011."]
    )
    return typeset.Act(typeset.LANTERN.title, "17 of 2011", [("I", "PRELIMINARY", [head, *sections])])


def test_omitted_and_repealed_provisions_are_marked() -> None:
    act = act_with(
        typeset.Section("2", "Oil", ["The owner shall give oil."]),
        typeset.Section("3", "Rope", ["[Rope.] Omitted by Act 9 of 2015, s. 3 (w.e.f. 1-4-2016)."]),
        typeset.Section("4", "Bell", ["Repealed by Act 9 of 2015."]),
    )
    provisions, _ = read(typeset.india_code(act))
    status = {p["number"]: (p["status"], p["valid_to"]) for p in provisions if p["kind"] == "section"}
    assert status == {
        "1": ("in_force", None),
        "2": ("in_force", None),
        "3": ("omitted", date(2016, 3, 31)),
        "4": ("repealed", None),
    }


def test_sections_quoted_from_another_law_are_no_sections() -> None:
    act = act_with(
        typeset.Section("2", "Amendment of section 50", ["In the Lighthouse Act, 1927, after section 50, insert:—", "“51. Lens.—The lens shall be clean.", "52. Oil.—The oil shall be pure.”."]),
        typeset.Section("3", "Amendment of section 60", ["In section 60 of that Act, omit clause (b)."]),
        typeset.Section("4", "Repeal", ["The Lantern Act, 1899, is repealed."]),
    )  # fmt: skip
    provisions, _ = read(typeset.india_code(act, contents=False))
    assert [p["number"] for p in provisions if p["kind"] == "section"] == ["1", "2", "3", "4"]


def test_state_amendments_are_kept_apart() -> None:
    document = typeset.india_code(
        act_with(
            typeset.Section(
                "2",
                "Oil",
                [
                    "The owner shall give oil.",
                    "STATE AMENDMENT",
                    "Assam",
                    "Insertion of section 2A.—After section 2, insert:—",
                    "“2A. Wick.—The owner shall give a wick.”",
                    "[Vide Assam Act 4 of 1999, s. 2]",
                ],
            ),
            typeset.Section("3", "Rope", ["The owner shall give rope."]),
        )
    )
    provisions, _ = read(document)
    sections = {p["number"]: p["text"] for p in provisions if p["kind"] == "section"}
    assert list(sections) == ["1", "2", "3"] and sections["2"] == "The owner shall give oil."
    entry = next(p for p in provisions if p["kind"] == "entry")
    assert entry["number"] == "2 (Assam)" and "shall give a wick" in entry["text"]


def test_what_is_no_act_is_read_by_paragraphs() -> None:
    provisions, texts = read(typeset.pages_of_text(3))
    assert {p["kind"] for p in provisions} == {"paragraph"} and len(texts) == 1
    assert [p["page_start"] for p in provisions] == [1, 2, 3]


def test_a_note_at_the_title_of_a_chapter_is_the_chapters() -> None:
    first, (number, heading, sections) = typeset.LANTERN.chapters
    marked = replace(typeset.LANTERN, chapters=[first, (number, f"<sup>1</sup>[{heading}", sections)])
    provisions, _ = read(typeset.india_code(marked))
    notes = {p["number"]: p["notes"] for p in provisions if p["kind"] == "chapter"}
    assert notes["Chapter I"] == []
    assert [(n["action"], n["by_act"]) for n in notes["Chapter II"]] == [("inserted", "9 of 2015")]


def test_an_editors_comments_are_kept_apart() -> None:
    act = act_with(
        typeset.Section(
            "2", "Oil", ["The owner shall give oil.", "COMMENTS", "Oil is not wick: see Lamp v. Wick."]
        ),
        typeset.Section("3", "Rope", ["The owner may make comments on the rope."]),
    )
    provisions, _ = read(typeset.india_code(act))
    sections = {p["number"]: p["text"] for p in provisions if p["kind"] == "section"}
    assert sections["2"] == "The owner shall give oil."
    assert sections["3"] == "The owner may make comments on the rope."
    entry = next(p for p in provisions if p["kind"] == "entry")
    assert entry["number"] == "2 (comment)" and "Lamp v. Wick" in entry["text"]
    assert entry["provision_id"].endswith("/sec_2__comment")

"""How a person cites what is found."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.hits import cite


@pytest.mark.parametrize(
    ("act_kind", "title", "kind", "number", "page", "law"),
    [
        ("rules", "The Goa Oil Rules, 2012", "rule", "12", 7, "Rule 12, Goa Oil Rules, 2012, page 7"),
        (
            "rules",
            "The Oil Regulations, 2013",
            "regulation",
            "4A",
            7,
            "Regulation 4A, Oil Regulations, 2013, page 7",
        ),
        (
            "rules",
            "The Goa Oil Rules, 2012",
            "schedule",
            "Form A",
            7,
            "The Goa Oil Rules, 2012, Form A",
        ),
        ("act", "The Code of Bells, 1908", "rule", "O7R11", 7, "The Code of Bells, 1908, Order VII, rule 11"),
        ("act", "The Lamp Act, 1999", "section", "3", 7, "The Lamp Act, 1999, section 3"),
        ("rules", "The Goa Oil Rules, 2012", "rule", "12", 0, "Rule 12, Goa Oil Rules, 2012"),
        ("other", "Report", "paragraph", "5", 7, "Report, paragraph 5, page 7"),
    ],
)
def test_rules_and_paragraphs_are_cited_with_their_page(
    act_kind: str, title: str, kind: str, number: str, page: int, law: str
) -> None:
    chunk = {
        "version_date": None,
        "citation": "a/1",
        "page_start": 7,
        "act_id": "a",
        "document_id": "d",
        "text": "x",
    }
    build = SimpleNamespace(
        chunk=lambda _: chunk,
        parent=lambda _: {"text": "the whole of x"},
        provision_row=lambda *_: {"kind": kind, "number": number, "heading": ""},
        act=lambda *_: {"kind": act_kind, "title": title},
        link=lambda *_: "a.pdf#page=7",
        attributes=lambda _: {},
        pending=lambda *_: None,
        shown_page=lambda *_: page,
    )
    hit = cite(cast(PublishedBuild, build), "c")
    assert (hit.law, hit.text, hit.parent_text) == (law, "x", "the whole of x")

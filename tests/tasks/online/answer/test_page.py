"""An answer as a page: the page of the PDF with the provision marked, and nothing that others wrote as markup."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from citegrain.tasks.online.answer import Picture, PictureError, draw_page, make_sheet

SECTIONS = {
    "2. Wages": "Every keeper of a lantern shall be paid his wages before the seventh day of the month that follows.",
    "3. Oil": "Every owner shall supply the keeper with oil of such quality as may be prescribed by the Authority.",
    "4. Penalty": "Whoever withholds the wages of a keeper shall be punished with fine of five thousand rupees.",
}


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    """Three sections on two pages: the last stands alone on the second."""
    document = pymupdf.open()
    for names in (["2. Wages", "3. Oil"], ["4. Penalty"]):
        page = document.new_page(width=400, height=600)
        for i, name in enumerate(names):
            text = f"{name}. {SECTIONS[name]}"
            page.insert_textbox(pymupdf.Rect(40, 60 + 200 * i, 360, 240 + 200 * i), text)
    document.save(tmp_path / "lamp.pdf")
    return tmp_path / "lamp.pdf"


def drawn(pdf: Path, name: str, passage: str, pages: tuple[int, int] = (1, 2), text: str = "") -> Picture:
    sha256 = hashlib.sha256(pdf.read_bytes()).hexdigest()
    return draw_page(pdf, sha256, pages, text or f"{name} {SECTIONS[name]}", passage)


def test_a_section_is_marked_where_it_stands_and_nothing_else(pdf: Path) -> None:
    picture = drawn(pdf, "3. Oil", "supply the keeper with oil")
    assert (picture.number, picture.width, picture.height) == (1, 400, 600)
    assert picture.png.startswith(b"\x89PNG")
    assert drawn(pdf, "3. Oil", "supply the keeper with oil") is picture, "a page is drawn once"
    tops = [top for _, top, _, _ in picture.provision]
    assert len(tops) >= 2 and min(tops) > 250 and max(tops) < 330
    ((left, top, right, bottom),) = picture.passage
    assert 40 < left < right <= 362 and min(tops) <= top < bottom <= 340


def test_the_page_with_the_passage_is_shown_and_marks_bridge_what_was_read_otherwise(pdf: Path) -> None:
    assert drawn(pdf, "4. Penalty", "withholds the wages").number == 2
    clean, slip = (
        drawn(pdf, "4. Penalty", "punished with fine", text="4. Penalty " + text)
        for text in (SECTIONS["4. Penalty"], SECTIONS["4. Penalty"].replace("withholds", "vvithholds"))
    )
    assert slip.provision == clean.provision


def test_a_page_without_the_text_is_shown_unmarked(pdf: Path) -> None:
    picture = drawn(pdf, "3. Oil", "quite other words", text="quite other words than any of the page")
    assert picture.png and not picture.provision and not picture.passage


def test_a_file_that_changed_is_not_shown(pdf: Path) -> None:
    with pytest.raises(PictureError, match=r"lamp.pdf has changed since it was indexed"):
        draw_page(pdf, "0" * 64, (1, 1), "a", "a")
    pdf.write_bytes(b"no PDF")
    with pytest.raises(PictureError, match=r"lamp.pdf cannot be drawn"):
        drawn(pdf, "3. Oil", "oil")
    with pytest.raises(PictureError, match="cannot be drawn"):
        draw_page(pdf.with_name("none.pdf"), "0" * 64, (1, 1), "a", "a")


HOSTILE = "<script>alert(1)</script><img src=x onerror=y> \u202e \ud800"
CHARGE: dict[str, Any] = {
    "law": "The Lamp Act, 1999, section 3", "heading": "Oil", "description": "", "probability": 0.62, "primary": 0.4,
    "likelihood": "probable", "score": 3.1, "evidence": "… with oil …", "text": "Every owner shall.\nAnd more.",
    "version": "2011-02-01", "link": "lamp.pdf#page=1", "url": "file:///laws/lamp.pdf#page=1", "bailable": "Yes",
    "verification": "verified", "replacement": None, "counterparts": [], "provision_id": "lamp/sec_3",
}  # fmt: skip
ANSWER: dict[str, Any] = {
    "query": "who pays for the oil?", "build": "mine/0123456789abcdef", "probability": 0.9, "decision": "answer",
    "as_of": {"day": "2026-11-23", "source": "today"}, "words": {"asked": 3, "encoded": 3, "cut": "", "read_as": "who pays for oils?"}, "message": "",
    "error": "", "charges": [CHARGE], "advice": "No advice.",
}  # fmt: skip
ROW: dict[str, Any] = {
    "provision_id": "lamp/sec_3", "law": CHARGE["law"], "returned": True, "lay_text": "I buy the kerosene myself",
    "stages": {"dense": {"rank": 7, "score": 0.4}, "fused": None}, "moved": {"fused_rank": -1.25}, "why": "",
}  # fmt: skip
OTHER = ROW | {"provision_id": "lamp/sec_9", "law": "Section 9", "returned": False, "why": "the 1 before it"}


def sheet(
    pictures: dict[str, Picture | str] | None = None, neighbours: dict[str, Any] | None = None, **changed: Any
) -> str:
    return make_sheet(ANSWER | changed, [ROW, OTHER], pictures or {}, {"dense": 0.012}, neighbours)


def test_a_page_has_what_the_answer_has(pdf: Path) -> None:
    picture = drawn(pdf, "3. Oil", "supply the keeper with oil")
    page = sheet({"lamp/sec_3": picture})
    for shown in (
        "who pays for the oil?", "Read as: who pays for oils?", "Law of today, 2026-11-23", "probable 62%", "40% that it is the main provision",
        "anything in this build applies: 90%", "… with oil …", "2011-02-01", "bailable", "Every owner shall.",
        "I buy the kerosene myself", "-1.25", "<td>7<small>0.4</small></td>", "the 1 before it", "dense 12 ms",
        'href="file:///laws/lamp.pdf#page=1"', "No advice.", "mine, 01234567",
    ):  # fmt: skip
        assert shown in page, shown
    assert base64.b64encode(picture.png).decode() in page
    assert page.count("<rect") == len(picture.provision) + len(picture.passage)


def test_it_needs_nothing_beside_it(pdf: Path) -> None:
    page = sheet({"lamp/sec_3": drawn(pdf, "3. Oil", "oil")})
    assert "default-src 'none'" in page and "<script" not in page and "<link" not in page
    assert set(re.findall(r'src="(.{5})', page)) == {"data:"} and "http" not in page.replace("http-equiv", "")


def test_why_there_is_no_picture_and_none_for_texts() -> None:
    changed = sheet({"lamp/sec_3": "lamp.pdf has changed since it was indexed"})
    assert "lamp.pdf has changed since it was indexed" in changed and "<img" not in changed
    text = sheet(charges=[CHARGE | {"url": "", "link": "corpus.jsonl"}])
    assert "<img" not in text and "no picture" not in text and "corpus.jsonl" in text


def test_a_declined_question_is_a_page_too() -> None:
    page = sheet(charges=[], message="Nothing in these 51 Acts applies.", decision="decline")
    assert "Nothing in these 51 Acts applies." in page and "No provision" in page


def test_what_others_wrote_is_text() -> None:
    charge = CHARGE | dict.fromkeys(("law", "heading", "evidence", "text"), HOSTILE)
    row = ROW | {"law": HOSTILE, "lay_text": HOSTILE, "why": HOSTILE}
    answer = ANSWER | {"query": HOSTILE, "message": HOSTILE, "charges": [charge]}
    page = make_sheet(answer, [row], {"lamp/sec_3": HOSTILE}, {})
    assert "<script>alert" not in page and "<img src=x" not in page and page.encode("utf-8")


def test_a_page_shows_what_a_controller_did_as_data() -> None:
    row = {
        "round": 1,
        "operation": "decide",
        "what": "<b>ends</b>",
        "pool": 10,
        "unresolved": 1,
        "confidence": 0.5,
    }
    answer = ANSWER | {"unresolved": ["<i>who pays</i>"], "remarks": ["<u>of 2019</u>"]}
    page = make_sheet(answer, [ROW], {}, {}, None, [row])
    assert "How it was searched" in page and "&lt;b&gt;ends&lt;/b&gt;" in page and "<td>0.50</td>" in page
    assert "&lt;u&gt;of 2019" in page
    assert "Unresolved: &lt;i&gt;who pays&lt;/i&gt;" in page and "How it was searched" not in sheet()

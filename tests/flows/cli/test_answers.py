"""An answer as text: how likely, where it stands, why there is none."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from citegrain.flows.cli import session, terminal
from citegrain.flows.cli.session import show_answer

CHARGE: dict[str, Any] = {
    "law": "The Lamp Act, 1999, section 3", "heading": "Payment of keepers", "description": "", "probability": 0.78,
    "likelihood": "probable", "score": 3.1, "evidence": "… shall be paid within thirty days of the month …", "text": "",
    "version": "2011-02-01", "link": "lamp.pdf#page=3", "url": "file:///laws/lamp.pdf#page=3", "bailable": "Yes",
    "cognizable": "", "verification": "verified", "replacement": None, "counterparts": [],
    "falls": [], "amendment": "", "may_have_changed": "",
}  # fmt: skip
ANSWER: dict[str, Any] = {
    "query": "keeper without pay",
    "as_of": {"day": "2026-11-23", "source": "today"}, "words": {"asked": 3, "encoded": 3, "cut": "", "read_as": ""}, "message": "",
    "charges": [CHARGE], "others": [], "later_editions": [], "landmarks": [], "uploads": [], "matters": [],
    "prose": "", "references": [], "urgent": "", "conflicts": [], "claims": [], "confidence": "medium", "unresolved": [], "remarks": [], "note": "", "advice": "No advice.",
}  # fmt: skip


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Any:
    def show(terminal_like: bool = False, **changed: Any) -> str:
        console = Console(file=StringIO(), width=80, force_terminal=terminal_like, highlight=False)
        monkeypatch.setattr(session, "out", console)
        monkeypatch.setattr(terminal, "out", console)
        show_answer(ANSWER | changed)
        text: str = console.file.getvalue()  # type: ignore[attr-defined]
        return text

    return show


def test_a_provision_says_how_likely_it_is_and_where_it_stands(shown: Any) -> None:
    lines = shown().splitlines()
    assert lines[1:] == [
        "1. The Lamp Act, 1999, section 3",
        "   probable, 78%: Payment of keepers",
        "   … shall be paid within thirty days of the month …",
        "   law as of 2011-02-01  bailable: Yes",
        "   file:///laws/lamp.pdf#page=3",
        "No advice.",
    ]


def test_on_a_terminal_the_file_and_page_open_by_a_click(shown: Any) -> None:
    text = shown(terminal_like=True)
    assert ";file:///laws/lamp.pdf#page=3\x1b\\" in text and "lamp.pdf#page=3\x1b]8;;" in text


def test_without_an_estimate_the_score_and_without_the_pdf_its_name(shown: Any) -> None:
    text = shown(charges=[CHARGE | {"likelihood": "", "probability": None, "url": ""}])
    assert "lamp.pdf#page=3  law as of 2011-02-01  score 3.1000" in text and "%" not in text
    assert text.endswith("Confidence: medium. No advice.\n")


def test_a_whole_provision_takes_the_place_of_its_passage(shown: Any) -> None:
    text = shown(charges=[CHARGE | {"text": "word " * 60}])
    assert "thirty days" not in text and max(map(len, text.splitlines())) <= 80
    assert all(line == line.rstrip() for line in text.splitlines())


def test_a_declined_question_is_one_line_and_what_was_cut_is_shown(shown: Any) -> None:
    lines = shown(charges=[], message="Nothing in these 51 Acts applies.").splitlines()
    assert lines[1:] == ["Nothing in these 51 Acts applies."]
    cut = shown(words={"asked": 900, "encoded": 380, "cut": "and then he " + "left " * 200, "read_as": ""})
    assert "the first 380 of 900 words" in cut
    assert "not read: and then he left" in cut and cut.count("left") < 70


def test_a_judgment_that_was_overruled_says_so_and_landmarks_follow(shown: Any) -> None:
    fall = {"relation": "overruled", "law": "Oil v. State, paragraph 12, page 4", "words": "was overruled in"}
    case = {"act": "a", "law": "Ram v. State", "falls": [fall]}
    lines = shown(charges=[CHARGE | {"falls": [fall]}], landmarks=[case, case | {"falls": []}]).splitlines()
    said = "   overruled, says Oil v. State, paragraph 12, page 4: was overruled in"
    assert lines[6:] == [
        said, "Judgments that the graph suggests", "   Ram v. State", said, "   Ram v. State", "No advice.",
    ]  # fmt: skip


def test_markup_in_a_provision_is_text(shown: Any) -> None:
    assert "[bold]3[/bold]" in shown(charges=[CHARGE | {"heading": "[bold]3[/bold]"}])


def test_what_a_controller_left_unresolved_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    show_answer(ANSWER | {"unresolved": ["who gets the house"]})
    assert "unresolved: who gets the house" in capsys.readouterr().out


def test_an_answer_in_words_stands_first_with_what_it_cites(shown: Any) -> None:
    reference = {"number": 2, "heading": "Payment", "version": "2011-02-01"}
    reference |= {name: CHARGE[name] for name in ("law", "link")}
    prose = "Keepers [b]are[/b] paid [2].\nWithin a month [2]."
    lines = shown(prose=prose, references=[reference]).splitlines()
    assert lines[1:5] == [
        "Keepers [b]are[/b] paid [2].",
        "Within a month [2].",
        "   [2] The Lamp Act, 1999, section 3: Payment, lamp.pdf#page=3, law as of",
        "   2011-02-01",
    ]

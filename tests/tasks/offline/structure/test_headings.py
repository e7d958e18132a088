"""Headings in the ways in which prints have them: each gives the sections of the print with dashes."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from datetime import date

import pytest

from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.structure import ActSpan, structure_document
from tests import typeset

SECTIONS = [
    (
        "1",
        "Short title",
        ["(1) This Act may be called the Lamp Oil Act, 2000.", "(2) It extends to the coast."],
    ),
    (
        "2",
        "Definitions",
        ["In this Act, unless the context otherwise requires,—", "(a) “lamp” means a lamp;"],
    ),
    (
        "3",
        "Licence of dealers",
        ["No person shall sell lamp oil without a licence granted by the Collector."],
    ),
    ("4", "Measures to be kept by dealers", ["Every dealer shall keep a sealed measure and show it."]),
    (
        "5",
        "Power of the Collector to enter, inspect and search the premises of any dealer or of a person "
        "who keeps oil for him",
        [
            "Where the Collector has reason to believe that oil is adulterated, he may enter.",
            "He shall go by day.",
        ],
    ),
    ("6", "Penalty", ["Whoever sells lamp oil without a licence shall be punished with fine."]),
    ("7", "Appeals", ["(1) An appeal lies to the Board.", "(2) The Board shall hear both sides."]),
    ("8", "Bar of suits", ["No suit lies against the Collector for what is done in good faith."]),
    ("9", "Power to make rules", ["The State Government may make rules to carry out this Act."]),
]


def above(template: str) -> Callable[[str, str], str]:
    """The heading on a row of its own above the number."""

    def printed_above(head: str, text: str) -> str:
        number, words = head.split(" ", 1)
        small = re.sub("[a-z, ]+", lambda m: f'<span style="font-size:8.8px">{m[0].upper()}</span>', words)
        heading = template.format(head=words, capitals=words.upper(), small=small)
        return f"{heading}<p>{number} {text}</p>"

    return printed_above


STYLES: dict[str, Callable[[str, str], str]] = {
    "dash": lambda head, text: f"<p><b>{head}.</b>—{text}</p>",
    "bold": lambda head, text: f"<p><b>{head}.</b></p><p>{text}</p>",
    "plain": lambda head, text: f"<p>{head}</p><p>{text}</p>",
    "full stop": lambda head, text: f"<p>{head}.</p><p>{text}</p>",
    "capitals": lambda head, text: f"<p>{head.upper()}</p><p>{text}</p>",
    "colon": lambda head, text: f"<p><b>{head}:</b> {text}</p>",
    "bold in the row": lambda head, text: f"<p><b>{head}.</b> {text}</p>",
    "above, bold": above("<p><b>{head}</b></p>"),
    "above, bold, full stop": above("<p><b>{head}.</b></p>"),
    "above, plain": above("<p>{head}</p>"),
    "above, centred": above("<h2>{head}</h2>"),
    "above, italic": above("<p><i>{head}</i></p>"),
    "above, capitals": above("<p>{capitals}</p>"),
    "above, small capitals": above("<p>{small}</p>"),
}


def printed(style: str, between: str = "") -> bytes:
    markup = "<h1>THE LAMP OIL ACT, 2000</h1><h1>ACT NO. 9 OF 2000</h1><p>An Act to provide for lamps.</p>"
    markup += "<p>BE it enacted by Parliament as follows:—</p>"
    for number, heading, (first, *rest) in SECTIONS:
        markup += STYLES[style](f"{number}. {heading}", html.escape(first))
        markup += "".join(f"<p>{html.escape(p)}</p>" for p in rest) + (between if number == "3" else "")
    return typeset.saved(typeset.story(markup))


def read(data: bytes) -> tuple[list[tuple[str, str, str]], str]:
    parsed = parse_document(data, "d" * 64, ParseConfig(ocr="off"))
    spans = [ActSpan("lamp-oil-act-2000", date(2020, 1, 2), 1, 99)]
    tables = structure_document(parsed["documents"], parsed["lines"], spans)
    rows = [row for row in tables["provisions"].to_pylist() if row["kind"] == "section"]
    (report,) = tables["reports"].to_pylist()
    return [(r["number"], r["heading"], " ".join(r["text"].split())) for r in rows], report["verdict"]


@pytest.mark.parametrize("style", STYLES)
def test_the_heading_is_found_and_does_not_remain_in_the_text(style: str) -> None:
    sections, verdict = read(printed(style))
    assert [number for number, _, _ in sections] == [
        number for number, _, _ in SECTIONS
    ] and verdict == "sound"
    for (_, heading, text), (_, written, paragraphs) in zip(sections, SECTIONS, strict=True):
        assert heading.lower() == written.lower()
        assert "".join(text.split()) == "".join(" ".join(paragraphs).split())


@pytest.mark.parametrize("style", ["dash", "bold", "plain"])
@pytest.mark.parametrize(
    "head", ["STATEMENT OF OBJECTS AND REASONS", "Statement of Objects and Reasons", "COMMENTS"]
)
def test_a_box_of_comments_ends_no_act(style: str, head: str) -> None:
    box = f"<p><b>{head.upper()}</b></p><p>The Bill seeks to light the coast [see the Gazette].</p>"
    sections, verdict = read(printed(style, box))
    assert [number for number, _, _ in sections] == [number for number, _, _ in SECTIONS]
    assert all("seeks to light" not in text for _, _, text in sections) and verdict == "sound"


@pytest.mark.parametrize(
    ("head", "below"),
    [
        ("PRINTED BY THE MANAGER, GOVERNMENT PRESS", "The licence shall be shown on demand."),
        ("COMMENTS", "(2) The licence shall be shown on demand."),
    ],
)
def test_a_section_that_goes_on_below_a_box_is_doubted(head: str, below: str) -> None:
    sections, verdict = read(printed("dash", f"<p><b>{head}</b></p><p>{below}</p>"))
    assert len(sections) == len(SECTIONS) and verdict == "doubtful"


def test_an_act_without_headings_is_doubted() -> None:
    markup = "<h1>THE LAMP OIL ACT, 2000</h1><h1>ACT NO. 9 OF 2000</h1><p>BE it enacted by Parliament:—</p>"
    markup += "".join(
        f"<p>{n}. Every keeper shall keep lamp {n} lit and shall not let it go out.</p>" for n in range(1, 13)
    )
    sections, verdict = read(typeset.saved(typeset.story(markup)))
    assert len(sections) == 12 and {heading for _, heading, _ in sections} == {""} and verdict == "doubtful"

"""Text that is made to be read for hours is read in the time that its length takes."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pymupdf
import pytest

from citegrain.tasks.core.schemas import LINES
from citegrain.tasks.kinds.hindi import broken_words, ordered
from citegrain.tasks.kinds.judgments.front import read_front
from citegrain.tasks.kinds.judgments.names import read_name
from citegrain.tasks.kinds.judgments.structure import without_furniture
from citegrain.tasks.kinds.judgments.tag import Precedents
from citegrain.tasks.kinds.office.web import read_rules
from citegrain.tasks.law.citations import find_citations
from citegrain.tasks.law.citing import Acts, Citing, Place, Statutes, find_mentions
from citegrain.tasks.law.instruments import slug
from citegrain.tasks.law.numbers import find_dates
from citegrain.tasks.offline.pages import form_of
from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.structure.blocks import heading_like
from citegrain.tasks.offline.structure.rows import Row
from citegrain.tasks.offline.structure.tree import status_of
from citegrain.tasks.published.rewrite import sentences

LONG = 100_000


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail where what is done takes longer, by the clock of the processor."""

    def fail(*_: object) -> None:
        raise AssertionError(f"takes longer than {seconds} s")

    before = signal.signal(signal.SIGPROF, fail)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def statutes(text: str) -> list[Any]:
    return Statutes(text, (), slug).find([text])


def front(row: str) -> Any:
    return read_front(["IN THE SUPREME COURT OF INDIA", row, "VERSUS", row, "JUDGMENT"], [row], row)


def furniture(text: str) -> Any:
    line: dict[str, Any] = dict.fromkeys(LINES.arrow.names, 0)
    line |= {"document_id": "d", "role": "body", "text": text, "italic": False, "marks": []}
    return without_furniture(LINES.rows([line]), 10.0, footnotes=True)


def graph(text: str) -> Any:
    row = {"provision_id": "a/sec_1", "act_id": "a", "kind": "section", "number": "1", "text": text}
    row |= {"parent_id": "", "heading": ""}
    acts = Acts(())
    return Citing(acts, [row], {row["text"]: acts.find(row["text"])}).find(row)


def heads(text: str) -> bool:
    return heading_like(Row(1, 0.0, 100.0, 0.0, 10.0, 0, False, text, centred=True))


def status(text: str) -> str:
    return status_of(text, text)


def mentions(text: str) -> Any:
    return find_mentions(text, [Place(len(text) - 3, len(text), ("ipc",))])


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (statutes, "Aaa" + " (Bbb)" * 100),
        (statutes, "Aaa " * 5_000),
        (statutes, "A" * 20_000),
        (statutes, "sub-section (1)" + " (1)" * 100 + " of x"),
        (graph, "Aaa" + " (Bbb)" * 100),
        (graph, "section 1 " + "clauses , , , , , " * 10 + "x section 2 of the Oil Act, 1999"),
        (find_citations, "1999" + " " * LONG + "x"),
        (Precedents().find, f"Ram v. Shyam {'1' * 32}x [2020] 1 SCC 5"),
        (read_name, "(" * LONG),
        (front, "." * LONG + "x"),
        (furniture, "^" * LONG + "x"),
        (furniture, "MANU/" + "." * LONG + " x"),
        (heads, "* " * 60 + "x"),
        (status, "* " * 60 + "x"),
        (find_dates, "1" + " " * 5_000 + "x"),
        (mentions, "Section 5" + " " * 1_000 + "x IPC"),
        (sentences, "They hit me" + " " * LONG + "and ran"),
        (lambda text: form_of(text.encode()), "<!-- - -->\n" * 200 + "<div>"),
        (broken_words, "." * LONG + " क"),
        (lambda text: ordered(list(text) + ["र्"] * 2_000), "क" * 5_000),
    ],
)
def test_long_runs_cost_no_more_than_their_length(read: Callable[[str], Any], text: str) -> None:
    with within(1.0):
        read(text)


def test_a_style_sheet_gives_each_selector_the_properties_that_are_read() -> None:
    selectors = ",".join(f".a{i}" for i in range(2_000))
    body = ";".join(f"p{i}: 1" for i in range(2_000))
    rules = read_rules([f"{selectors} {{ {body}; Font-Weight: BOLD }}"])
    assert len(rules) == 2_000 and rules[".a7"] == {"font-weight": "bold"}


def test_a_row_is_read_without_the_blanks_that_no_print_has() -> None:
    document = pymupdf.open()
    page = document.new_page(width=2_000, height=800)
    page.insert_text((30, 30), f"as{' ' * 2_000}x and the keepers of the lantern", fontsize=1)
    lines = (
        parse_document(document.tobytes(), "d", ParseConfig(ocr="off"))["lines"].column("text").to_pylist()
    )
    assert max(line.count(" ") for line in lines) < 300

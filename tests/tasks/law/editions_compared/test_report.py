"""The report: complete, and nothing in a statute is markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.core.schemas import AMENDMENTS
from citegrain.tasks.law.editions_compared import KINDS, Comparison, amendments, to_html, to_markdown
from tests.tasks.law.editions_compared.acts import ACT, INSERTED, NEW, note, row, table

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> [a](javascript:b) **c** `d` | e {{ f }} &lt; https://g.in"
COMPARISON = Comparison("build 1", "build 2")


class Tags(HTMLParser):
    """Elements of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def moved() -> pa.Table:
    """One row of each kind."""
    wages = "Every keeper shall be paid his wages before the seventh day of the month."
    old = [
        row("1", "The fine is five rupees.", heading="Fine"),
        row("2", "A tower is white.", heading="Towers"),
        row("3", wages),
        row("4", "The owner asks for wages."),
    ]
    new = [
        row(
            "1",
            "The fine is six rupees.",
            heading="Fine",
            notes=[note("Subs. by Act 3 of 2018.", "substituted")],
        ),
        row("2A", "A lens is clean.", heading="Lenses", notes=[INSERTED]),
        row("4", "The owner asks for the wages."),
        row("5", wages),
    ]
    return amendments(table(old), table(new, NEW))


def hostile(text: str) -> pa.Table:
    old = row("1", f"The fine {text} is five rupees.", heading=text)
    new = row("1", f"The fine {text} is six rupees {text}.", heading=text, notes=[note(text, "substituted")])
    return amendments(table([old]), table([new, row("2", text) | {"number": text}], NEW))


def test_every_kind_is_reported() -> None:
    assert {r["kind"] for r in moved().to_pylist()} == set(KINDS)
    comparison = Comparison("build 1", "build 2", {ACT: "Lantern Act, 2011"}, ("a",), ("b",), ("c",))
    page, plain = to_html(moved(), comparison), to_markdown(moved(), comparison)
    assert "<del>five </del>" in page.replace("</del>", " </del>") or "<del>five</del>" in page
    assert "<ins>six</ins>" in page and "~~five~~ **six**" in plain
    for report in (Tags(page).text, plain):
        assert "Lantern Act, 2011" in report and "Section 5 (was 3)" in report
        assert "footnote 1, page 1: Subs. by Act 3 of 2018." in report
        assert "1 January 2014 to 2 January 2020" in report
        assert (
            "Compared and unchanged: a." in report and "New: b." in report and "No longer there: c." in report
        )
        assert "page 1, now nowhere" in report.lower()
    assert "| Lantern Act, 2011 | 1 | 1 | 1 | 1 | 1 |" in plain


def test_pages_are_links_where_the_pdf_is_at_hand() -> None:
    rows = [
        r | {f"{s}_document": s for s in ("old", "new") if r[f"{s}_document"]} for r in moved().to_pylist()
    ]
    table = AMENDMENTS.rows(rows)
    links = {"old": "../old%20one.pdf", "new": "../new.pdf"}
    page, plain = (to(table, Comparison("1", "2", links=links)) for to in (to_html, to_markdown))
    assert 'Page <a href="../old%20one.pdf#page=1">1</a>, now <a href="../new.pdf#page=1">1</a>.' in page
    assert "Page [1](<../old%20one.pdf#page=1>), now [1](<../new.pdf#page=1>)" in plain
    assert "now nowhere" in page and 'Page <a href="../new.pdf#page=1">1</a>.' in page
    only = to_html(table, Comparison("1", "2", links={"new": "../new.pdf"}))
    assert 'Page 1, now <a href="../new.pdf#page=1">1</a>.' in only


def test_a_doubtful_edition_is_named_beside_what_it_may_have_lost() -> None:
    doubt = "lamps.pdf: doubtful: sections 24, 25 of its contents are not there"
    comparison = Comparison("1", "2", left_out=[doubt])
    page, plain = to_html(moved(), comparison), to_markdown(moved(), comparison)
    assert f"{doubt}." in Tags(page).text and f"- {doubt}" in plain


def test_many_acts_without_a_row_are_folded_away() -> None:
    few = to_html(moved(), Comparison("1", "2", unchanged=("a", "b")))
    many = to_html(moved(), Comparison("1", "2", unchanged=[f"act {i}" for i in range(50)]))
    assert "Compared and unchanged: a; b." in Tags(few).text and "Compared and unchanged: 50 Acts" not in few
    assert "<summary>Compared and unchanged: 50 Acts</summary>" in many and "act 49" in many


def test_slips_stand_apart() -> None:
    page, plain = to_html(moved(), COMPARISON), to_markdown(moved(), COMPARISON)
    assert page.index("Printed differently, in the same law (1)") > page.rindex('class="kind renumbered"')
    assert plain.index("### Printed differently, in the same law (1)") > plain.index("Section 5")


def test_nothing_moved() -> None:
    empty = AMENDMENTS.empty()
    assert "No amendment was found" in to_html(empty, COMPARISON)
    assert "No amendment was found" in to_markdown(empty, COMPARISON)


def test_hostile_text_is_text_in_html() -> None:
    comparison = Comparison(HOSTILE, HOSTILE, {ACT: HOSTILE}, (HOSTILE,), (HOSTILE,), (HOSTILE,))
    page = to_html(hostile(HOSTILE), comparison)
    tags, plain = Tags(page), Tags(to_html(hostile("x"), COMPARISON))
    assert set(tags.tags) <= set(plain.tags) | {"p"} and "script" not in tags.tags and "img" not in tags.tags
    assert not any(name.startswith("on") for name in tags.attributes) and "alert(1)" in tags.text
    assert not {"src", "href"} & set(tags.attributes) - set(plain.attributes)


def test_hostile_text_is_text_in_markdown() -> None:
    plain = to_markdown(hostile(HOSTILE), Comparison(HOSTILE, HOSTILE, {ACT: HOSTILE}))
    assert "<" not in plain and "](" not in re.sub(r"\\\]\(", "", plain)
    assert "https://" not in plain and not re.search(r"(?<!\\)`", plain)
    table_rows = [line for line in plain.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table_rows} == {len(KINDS) + 2}


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_any_text_stays_on_its_line_in_markdown(text: str) -> None:
    def shape(plain: str) -> list[str]:
        return [line[:2] for line in plain.splitlines()]

    comparison = Comparison("a", "b", {ACT: text or "x"})
    plain = to_markdown(hostile(text), comparison)
    assert not re.search(r"[\u202a-\u202e\u2066-\u2069\x00-\x08]", plain)
    assert all(s in ("# ", "Fr", "| ", "|-", "##", "- ", "  ", "", "1 ", "##") for s in shape(plain))


@pytest.mark.parametrize("sign", ["\u202e", "\x00", "\x1b", "\u2066"])
def test_signs_that_no_one_sees_are_left_out(sign: str) -> None:
    assert sign not in to_html(hostile(f"a{sign}b"), COMPARISON)
    assert sign not in to_markdown(hostile(f"a{sign}b"), COMPARISON)


def test_half_a_surrogate_pair_is_replaced() -> None:
    comparison = Comparison("\ud800", "b")
    to_html(moved(), comparison).encode("utf-8")
    to_markdown(moved(), comparison).encode("utf-8")


def test_a_long_change_is_cut_in_markdown_alone() -> None:
    long = " ".join(f"w{i}" for i in range(2000))
    inserted = amendments(table([row("1", "Oil.")]), table([row("1", "Oil."), row("2", long)], NEW))
    assert "w1999" in to_html(inserted, COMPARISON) and "w1999" not in to_markdown(inserted, COMPARISON)
    assert len(to_markdown(inserted, COMPARISON)) < 3000

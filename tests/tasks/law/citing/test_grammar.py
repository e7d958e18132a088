"""One normalisation at the door, one walk along a chain, and initials of titles."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.law.citing import Lexicon, along_chain, find_mentions, normalise, part_marks
from citegrain.tasks.law.citing.grammar import CITED
from citegrain.tasks.law.citing.names import initialisms

ACTS = [
    ("fss", "The Food Safety and Standards Act, 2006", ()),
    ("sma", "The Special Marriage Act, 1954", ()),
    ("ni", "The Negotiable Instruments Act, 1881", ("NI Act",)),
    ("tel", "The Telecommunications Act, 2023", ()),
    ("it", "The Information Technology Act, 2000", ("IT Act",)),
    ("itax", "The Income-tax Act, 1961", ()),
    ("dpa", "The Dowry Prohibition Act, 1961", ()),
    ("dpa2", "The Data Protection Act, 2023", ()),
]
LEXICON = Lexicon(ACTS, initials=True)
HYPHENS = "-‐‑‒–−﹘﹣－"


@given(st.text(alphabet="section 2A.,‐‑—–−﹣１２३ (a)and\n"))
def test_offsets_stay(text: str) -> None:
    plain = normalise(text)
    assert len(plain) == len(text) and normalise(plain) == plain
    assert all(a == b for a, b in zip(text, plain, strict=True) if a.isascii())


@pytest.mark.parametrize("dash", HYPHENS)
def test_every_dash_joins_a_number_and_its_letter(dash: str) -> None:
    for text, kind, number in (
        (f"section 2{dash}A", "section", "2A"),
        (f"article 21{dash}A", "article", "21A"),
    ):
        assert [(m.kind, m.number) for m in find_mentions(text, [])] == [(kind, number)]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("section 69 A;", "69 A"), ("section 53 A of the Act", "53 A"), ("under section 6 A :", "6 A"),
        ("section 302 A person who", "302"), ("section 5 A. Lamps", "5"), ("section 9 I have", "9"),
        ("section 7 BE it", "7"), ("section 138 N I Act", "138"),
    ],
)  # fmt: skip
def test_a_letter_may_stand_behind_a_blank(text: str, number: str) -> None:
    match = CITED.search(text)
    assert match and match["list"] == number


def test_a_long_dash_joins_only_where_no_sentence_begins() -> None:
    assert normalise("section 2—A of the Act") == "section 2-A of the Act"
    assert normalise("section 5—A person who") == "section 5—A person who"
    assert normalise("１２") == "12"


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("FSS Act s. 59", ["fss"]), ("fss act section 59", ["fss"]), ("FSSA section 59", ["fss"]),
        ("section 59 of the FSSA", ["fss"]), ("FSS Act 59", ["fss"]), ("divorce under SMA", ["sma"]),
        ("section 27 of the SMA", ["sma"]), ("SM Act", ["sma"]), ("S.M.A. section 4", ["sma"]),
        ("under the NI Act", ["ni"]), ("Sec 138 NIA", ["ni"]), ("138 NI Act", ["ni"]), ("IT Act 66C", ["it"]),
        ("DP Act", ["dpa", "dpa2"]), ("section 3 DPA", ["dpa", "dpa2"]), ("DPA 2023 section 5", ["dpa2"]),
        ("DP Act, 1961", ["dpa"]), ("under the ITA, 2000", ["it"]), ("per SMA", ["sma"]), ("SMA u/s 4", ["sma"]),
    ],
)  # fmt: skip
def test_initials_of_a_title_name_its_act(text: str, acts: list[str]) -> None:
    assert [act for place in LEXICON.find(text) for act in place.act_ids] == acts


@pytest.mark.parametrize(
    "text",
    [
        "is it an act of god", "it acted", "the SMA meeting", "my NIA officer came", "sma u/s", "FSS", "SM",
        "a fssa", "who acts for me", "the act", "dpa", "IT department", "Dpa section", "in action", "TA 5",
        "the T Act", "smart section 5", "in ita", "sm act", "nia act",
    ],
)  # fmt: skip
def test_what_only_looks_like_initials_names_nothing(text: str) -> None:
    assert LEXICON.find(text) == []


def test_initials_by_hand() -> None:
    assert initialisms("Food Safety and Standards Act") == ["FSS Act", "FSSA"]
    assert initialisms("Telecommunications Act") == [] == initialisms("Constitution of India")
    assert Lexicon(ACTS).find("FSS Act s. 59") == []


@given(st.lists(st.sampled_from("abx"), max_size=6))
def test_a_chain_has_what_stands_behind_its_last_link(kinds: list[str]) -> None:
    text = " ".join(kinds)
    matches = list(re.finditer(r"\w", text))
    out = along_chain(matches, lambda m: m[0] if m[0] == "x" else None, lambda m, after, value: value)
    expected = [("x" if "x" in kinds[i:] else None) for i in range(len(kinds))]
    assert out == expected


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("section 4(1)(m) of the Code", "1 m"),
        ("clause (b) of sub-section (2) of section 4 of the Act", "2 b"),
        ("clause (b)(ii) of sub-section (2) of section 4", "2 b ii"),
        ("clauses (f) and (g) of section 4 of the Sanhita", "f, g"),
        ("section 4, clause (z) of sub-section (1) CrPC", "1 z"),
        ("section 4 sub-section (1) clause (c) of the Code", "1 c"),
        ("section 4, sub-sections (1), (2) or (9) of it", "1, 2, 9"),
        ("section 4(e) and (j) CrPC", "e, j"),
        ("section 4, sub-sections (6) and (7) of section 308", ""),
        ("section 4, clause (a) of that section", ""),
        ("section 4 (9) CrPC", "9"),
        ("section 4 (2) Residence order", ""),
        ("section 4(A) of the Act", ""),
        ("section 4(4-A)(b) of the Act", "4A b"),
    ],
)
def test_the_marks_of_a_part_are_read_from_the_outside_in(text: str, marks: str) -> None:
    number = re.search(r"(?<=section )4((?:\s?\([\w-]+\))*)", text)
    assert number and part_marks(text[: number.start()], number[1].strip(), text[number.end() :]) == [
        m.split() for m in marks.split(",")
    ]

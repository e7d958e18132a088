"""The names of many Acts as one pattern, against a plain list of alternatives."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.law.citing.names import Lexicon, _alternatives

_WORDS = st.sampled_from(["Indian", "India", "Penal", "Code", "IT", "Act", "IPC", "it", "No.", "(Rules)"])
_NAMES = st.lists(_WORDS, min_size=1, max_size=4).map(" ".join)
_TEXTS = st.lists(_WORDS | st.sampled_from(["I.P.C.", "i. p. c.", "INDIAN", "x"]), max_size=12).map(" ".join)


def _plain(names: list[str]) -> re.Pattern[str]:
    bodies = []
    for name in sorted(names, key=lambda n: (-len(n), n)):
        words = name.split()
        head = re.escape(words[0])
        if len(words[0]) <= 6:
            head = r"(?:\.\s?)?".join(map(re.escape, words[0])) + r"\.?"
        gaps = [r"[,.]?\s*" if len(words[0]) <= 6 else r"[,.]?\s+"] + [r"[,.]?\s+"] * len(words)
        bodies.append(head + "".join(gap + re.escape(w) for gap, w in zip(gaps, words[1:], strict=False)))
    return re.compile(r"(?<![\w.])(?:" + "|".join(bodies) + r")(?!\w)", re.IGNORECASE)


@given(names=st.lists(_NAMES, min_size=1, max_size=8), text=_TEXTS)
def test_names_are_read_as_by_a_plain_list_the_longest_first(names: list[str], text: str) -> None:
    pattern = _alternatives(names)
    assert pattern is not None
    spans = [match.span() for match in pattern.finditer(text)]
    assert spans == [match.span() for match in _plain(names).finditer(text)]


def test_a_year_settles_which_of_two_acts_is_named() -> None:
    lexicon = Lexicon([("a", "The Lamps Act, 1911", ()), ("b", "The Lamps Act, 2011", ())])
    assert [n.act_ids for n in lexicon.find("the lamps act of 2011, and the Lamps Act")] == [
        ("b",),
        ("a", "b"),
    ]


@given(names=st.lists(_NAMES.filter(lambda n: n[0] != "("), min_size=1, max_size=8), text=_TEXTS)
def test_at_capitals_stand_all_names_of_a_text_in_capitals_and_none_in_small_letters(
    names: list[str], text: str
) -> None:
    lexicon = Lexicon([(str(i), name, ()) for i, name in enumerate(names)])
    assert lexicon.find(text.upper(), capital=True) == lexicon.find(text.upper())
    assert lexicon.find(text.lower(), capital=True) == []


def test_a_name_in_small_letters_does_not_hide_one_with_a_capital() -> None:
    lexicon = Lexicon([("a", "Oil Lamps Act, 1911", ()), ("b", "Lamps Act of the Ports, 1950", ())])
    text = "the oil lamps act, oil Lamps Act of the Ports; J.Oil Lamps Act, (Oil Lamps Act)"
    places = lexicon.find(text, capital=True)
    assert [text[p.start : p.end] for p in places] == ["Lamps Act of the Ports", "Oil Lamps Act"]
    assert [p.act_ids for p in places] == [("b",), ("a",)]


def test_a_short_name_counts_as_acts_write_it_with_dots_or_behind_a_number() -> None:
    lexicon = Lexicon([("it", "The Information Technology Act, 2000", ("IT Act",))])
    for text in (
        "the IT Act",
        "I.T. Act",
        "I. T. Act",
        "I.T.Act",
        "67c it act",
        "66-d of the it act",
        "66 IT ACT",
    ):
        assert [p.act_ids for p in lexicon.find(text)] == [("it",)], text
    for text in ("it act", "I paid. it. Act now", "they found it acted"):
        assert lexicon.find(text) == [], text


def test_letters_that_only_a_pattern_takes_for_others_make_no_name() -> None:
    lexicon = Lexicon(
        [("ipc", "The Indian Penal Code, 1860", ("IPC",)), ("sga", "The Sale of Goods Act, 1930", ())]
    )
    for text in ("ındian penal code 302", "İPC 302", "ſale of goods act"):
        assert lexicon.find(text) == [], text

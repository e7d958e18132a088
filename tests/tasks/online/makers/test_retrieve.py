"""Which Act a number without one means, by the words around it."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from citegrain.tasks.core.schemas import QUERIES
from citegrain.tasks.law.citing import UNKNOWN, ActNames, Lexicon
from citegrain.tasks.online.makers.retrieve import with_acts
from citegrain.tasks.online.query import QueryConfig, make_queries

TEXTS = {
    "lamp/sec_9": ("Theft of oil", "Whoever takes oil from a lamp"),
    "bell/sec_9": ("Ringing at night", "No bell is rung before dawn"),
    "rope/sec_9": ("Length of ropes and of other things", "A rope is so long"),
}
BUILD: Any = SimpleNamespace(
    cited=lambda kind, number, act: list(TEXTS) if number == "9" else [],
    on_day=lambda provision, day: (dict(zip(("heading", "text"), TEXTS[provision], strict=True)), True),
    lexicon=Lexicon([]),
    counterparts=lambda provision: [],
    terms=lambda text: [word for word in text.lower().split() if len(word) > 2],
    idf=lambda term: 3.0,
    term_weights=lambda texts: dict.fromkeys(texts[0]["text"].lower().split(), 3.0),
)


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("theft of oil under section 9", "lamp"),
        ("section 9 ringing", "bell"),
        ("what is section 9", None),
        ("section 9 theft of oil by ringing at night", None),  # two fit
        ("section 9 length of", None),  # a word of many
        ("section 8 theft of oil", None),  # no such provision
        ("theft of oil under section 9 " + "and so on " * 8, None),  # a story
    ],
)
def test_a_number_without_an_act_means_the_provision_that_its_words_head(text: str, act: str | None) -> None:
    queries = make_queries({"q": text}, Lexicon([]), QueryConfig(), {"q": date(2026, 1, 1)})
    (row,) = with_acts(BUILD, queries).to_pylist()
    assert [m["act_id"] for m in row["mentions"]] == [act]
    assert QUERIES.rows([row]).num_rows == 1


def test_a_number_of_an_unknown_act_is_that_of_no_other_unless_its_words_fit_clearly() -> None:
    names = ActNames([], Lexicon([]), [])
    texts = {text: text for text in ("Foo Act section 9", "theft act section 9", "Rope Act section 420")}
    rows = with_acts(BUILD, make_queries(texts, names, QueryConfig())).to_pylist()
    assert [[m["act_id"] for m in row["mentions"]] for row in rows] == [[UNKNOWN], ["lamp"], [UNKNOWN]]


def test_a_number_alone_is_that_of_both_codes_and_an_order_that_of_its_rules() -> None:
    old, new, order = "old-code-1860", "new-code-2023", "suits-1908"
    sections = {"420": [f"{new}/sec_420", f"{old}/sec_420", "other-act-2013/sec_420"]}
    rules = {f"{order}/order_I__rule_{n}": (h, "") for n, h in (("1", "Bells"), ("2", "Theft of oil"))}
    build: Any = SimpleNamespace(
        **(vars(BUILD) | {
            "cited": lambda kind, number, act: list(rules) if kind == "order" else sections.get(number, []),
            "on_day": lambda p, day: (dict(zip(("heading", "text"), rules.get(p, ("", "")), strict=True)), True),
            "counterparts": lambda p: [] if "other" in p else ["one"],
            "last_day": lambda act: date(2024, 6, 30) if act == old else None,
            "lexicon": Lexicon([(order, "The Suits Code, 1908", ["SC Code"])]),
        })
    )  # fmt: skip
    texts = [
        "420",
        "section 420",
        "420 case",
        "dhara 420",
        "धारा 420",
        "Order 1 SC Code theft of oil",
        "order 1 SC Code",
    ]
    read = make_queries({text: text for text in texts}, build.lexicon, QueryConfig())
    rows = with_acts(build, read).to_pylist()
    for row in rows[:5]:
        assert [m["act_id"] for m in row["mentions"]] == [old, new], row["text"]
    assert [[m["number"] for m in row["mentions"]] for row in rows[5:]] == [["O1R2"], ["O1"]]

"""The JSON of an answer: its schema in docs, and that answers have every key of it and no other."""

from __future__ import annotations

import json
from datetime import date
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from citegrain.tasks.core.schemas import JUDGMENTS
from citegrain.tasks.core.words import Analyser
from citegrain.tasks.online.answer import Answer, UploadedPassage, with_judgments
from citegrain.tasks.online.answer.building import named_instead
from citegrain.tasks.online.answer.deciding import (
    _speaks_of,
    alternatives,
    falling,
    never_rising,
    why_unlikely,
)
from citegrain.tasks.online.estimate import Judgement
from tests.conftest import ROOT
from tests.tasks.offline.graph.law import CASE, act
from tests.tasks.online.test_graph import LAMP
from tests.tasks.online.test_graph import tables as graph_tables

SCHEMA = ROOT / "docs/answer.schema.json"
WRITE = (
    'python -c "import json; from citegrain.tasks.online.answer import Answer; '
    'print(json.dumps(Answer.model_json_schema(), indent=1))" > docs/answer.schema.json'
)


def test_the_schema_in_docs_is_that_of_the_code() -> None:
    assert json.loads(SCHEMA.read_text()) == Answer.model_json_schema(), f"write it anew: {WRITE}"


def test_every_key_has_a_description() -> None:
    schema = Answer.model_json_schema()
    for part in [schema, *schema["$defs"].values()]:
        assert all(key.get("description") for key in part["properties"].values()), part["title"]


CHANCES = {
    "a": {"probability": 0.5, "primary": 0.4},
    "b": {"probability": 0.3, "primary": 0.05},
    "c": {"probability": 0.2, "primary": 0.2},
    "d": {"probability": 0.1, "primary": 0.1},
    "e": {"probability": 0.05, "primary": 0.0},
}


def test_an_unsure_set_is_shown_with_others_until_they_hold_nine_tenths_of_the_chances() -> None:
    def shown(selected: list[str], candidates: dict[str, dict[str, float]]) -> list[str]:
        return alternatives(selected, Judgement(candidates=candidates))

    # .9 of .75 is .675: a, c and d have .70 of it; b and e are not needed
    assert shown(["a"], CHANCES) == ["c", "d"]
    assert shown(["a", "b", "c", "d"], CHANCES) == []  # .75 with three or more
    sure = CHANCES | {"a": {"probability": 0.7, "primary": 0.6}}
    assert shown(["a"], sure) == [] and shown([], CHANCES) == []
    alone = {"a": {"probability": 0.6, "primary": 0.6}} | {p: CHANCES[p] | {"primary": 0.001} for p in "bcde"}
    assert shown(["a"], alone) == ["b", "c"]  # never fewer than three in all
    many = {str(n): {"probability": 0.05, "primary": 0.05} for n in range(50)}
    assert len(shown(["0"], many)) == 9
    declined = Judgement({"decision": "decline"}, CHANCES)
    assert alternatives(["a"], declined) == []
    assert alternatives(["a"], Judgement({}, CHANCES), {"c"}) == ["b", "d"]


@given(st.lists(st.floats(0, 1), max_size=12))
def test_printed_probabilities_never_rise_and_keep_their_mean(chances: list[float]) -> None:
    shown = [c["probability"] for c in falling([{"probability": p} for p in chances])]
    assert all(a >= b - 1e-12 for a, b in pairwise(shown)) and sum(shown) == pytest.approx(sum(chances))
    if all(a >= b for a, b in pairwise(chances)):
        assert shown == pytest.approx(chances)
    if chances:
        assert never_rising(chances) == isotonic_regression(chances, increasing=False).x.tolist()


def test_what_was_not_estimated_stays_as_it_is() -> None:
    charges: list[dict[str, Any]] = [{"probability": None}, {"probability": 0.4}]
    assert falling(charges) == charges and falling([]) == []


def test_judgments_are_suggested_and_flagged_where_it_is_asked_for() -> None:
    old = [act("old-v-state", "Old v. State", kind="judgment"), act(CASE, "Ram v. State", kind="judgment")]
    edges = [(CASE, "old-v-state", "overruled"), (CASE, LAMP, "cites"), ("old-v-state", LAMP, "cites")]
    graph = graph_tables(["old-v-state", CASE], edges)
    rows = [
        {"document_id": a["document_id"], "date": date(2000 + 10 * n, 1, 1), "case_name": a["title"], "court": "", "bench": [],
         "citations": [], "also_reported": [], "docket": "", "print": "court"}
        for n, a in enumerate(old)
    ]  # fmt: skip
    laws: dict[Any, Any] = {}
    build: Any = SimpleNamespace(
        acts=old, graph_tables=graph, table=lambda _: JUDGMENTS.rows(rows), shared=lambda key, make: laws
    )
    charges = [{"provision_id": "old-v-state/para_1"}, {"provision_id": LAMP}]
    fall = {
        "relation": "overruled", "law": f"{CASE.upper()} v. State, paragraph 1, page 7", "words": "overruled old-v-state",
        "provision_id": f"{CASE}/para_1",
    }  # fmt: skip
    content = with_judgments(build, charges, date(2015, 1, 1), 5)
    assert [c["falls"] for c in content["charges"]] == [[fall], []]
    assert content["landmarks"] == [{"act": CASE, "law": f"{CASE.upper()} v. State", "falls": []}]
    seen = with_judgments(build, charges[1:], date(2015, 1, 1), 1)
    assert seen["landmarks"] == [{"act": "old-v-state", "law": "OLD-V-STATE v. State", "falls": [fall]}]
    none: dict[str, Any] = {"charges": [c | {"falls": []} for c in charges], "landmarks": []}
    assert with_judgments(build, charges, date(2005, 1, 1), 5) == none  # the other had not been given yet
    assert with_judgments(build, charges, date(2015, 1, 1), 0) == none


def test_an_act_that_is_named_and_not_indexed_is_said_in_place_of_what_is_near() -> None:
    said: dict[str, Any] = {
        "message": "this looks like law of the Moon",
        "elsewhere": "law of the Moon",
        "remarks": ["a", "b"],
    }
    near, absent = Answer.model_construct(reason="not_indexed", **said), ["b"]
    assert named_instead(near, []) == near
    changed = named_instead(near, absent)
    assert (changed.message, changed.elsewhere, changed.remarks) == ("b", "", ["a"])
    answered = Answer.model_construct(reason="", **said)
    assert named_instead(answered, absent) == answered


@pytest.mark.parametrize(
    ("words", "best", "elsewhere", "least", "reason"),
    [
        (5, 0.09, "", 0.1, "unlikely"),  # what is love
        (5, 0.11, "", 0.1, ""),
        (5, 0.09, "", 0.0, ""),  # it names a provision
        (5, 0.29, "The Arms Act, 1959", 0.1, "not_indexed"),
        (5, 0.31, "The Arms Act, 1959", 0.1, ""),
        (99, 0.09, "The Arms Act, 1959", 0.1, "not_indexed"),
        (99, 0.29, "The Arms Act, 1959", 0.1, ""),  # a story has other matters, too
        (5, None, "", 0.1, ""),
    ],
)
def test_what_is_hardly_probable_is_no_answer(
    words: int, best: float | None, elsewhere: str, least: float, reason: str
) -> None:
    answer = {"charges": [{"probability": best}], "elsewhere": elsewhere}
    assert why_unlikely("a " * words, answer, least) == reason
    assert not reason or f"`{reason}`" in (ROOT / "docs" / "asking.md").read_text(encoding="utf-8")
    assert why_unlikely("a", {"charges": []}, least) == ""


@pytest.mark.parametrize(
    ("title", "heading", "text", "speaks"),
    [
        ("The Provident Funds Act, 1925", "Funds", "the Provident Fund Scheme", True),
        ("The Provident Funds Act, 1925", "Fees", "the fund of a trade", False),
        ("The Guardians and Wards Act, 1890", "Guardians", "", False),
        ("The Act, 1890", "Short title", "this Act", False),
        ("", "Funds", "", False),
    ],
)
def test_the_title_of_another_act_says_little_where_a_provision_has_its_words(
    title: str, heading: str, text: str, speaks: bool
) -> None:
    build: Any = SimpleNamespace(terms=Analyser("english", "en").terms)
    assert _speaks_of(build, title, [{"heading": heading, "text": text}]) is speaks
    answer = {"charges": [{"probability": 0.2}], "elsewhere": title or "rent control"}
    assert why_unlikely("a", answer, 0.1, speaks) == ("" if speaks else "not_indexed")


def test_the_name_of_a_file_steers_no_terminal() -> None:
    assert UploadedPassage(file="\x1b[31mx.txt", page=2, text="").citation == r"['\x1b[31mx.txt', page 2]"

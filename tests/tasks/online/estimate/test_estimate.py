"""Probabilities and decisions: regressions against scikit-learn, the catalogue, reasons, files that are wrong."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

from citegrain.tasks.core.runs import make_run
from citegrain.tasks.core.schemas import ESTIMATES, FEATURES, SCOPE
from citegrain.tasks.law.citing import Lexicon
from citegrain.tasks.offline.models import ModelError
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.estimate import (
    KINDS,
    SCORES,
    Catalogue,
    Estimates,
    Judgement,
    Logistic,
    ScopeQuestion,
    asks_of_this_law,
    candidate_features,
    judgements,
    make_estimates,
    make_scope,
    names_provision,
    read_estimates,
    scope_features,
    with_named,
)
from citegrain.tasks.online.estimate.catalogue import Entry, shipped_words
from citegrain.tasks.online.estimate.scope import (
    ABROAD,
    asks_what_law_says,
    decide,
    either,
    governed_elsewhere,
    in_hindi,
    nearer_elsewhere,
    speaks_of_law,
    unreadable,
)
from citegrain.tasks.online.estimate.stage import covered

SCOPE_FEATURES = (
    "score", "gap_to_second", "gap_to_fifth", "share_of_first", *SCORES,
    "present", "absent", "nearer", "other", "present_5", "absent_5", "before", "acts", "words", "named",
    "legal",
)  # fmt: skip
ENTRIES = (
    Entry(title="The Wages Act, 1936", kind="central", asked=("salary not paid", "overtime not paid")),
    Entry(title="The Easements Act, 1882", kind="central", asked=("neighbour blocks the path",)),
    Entry(title="law of France", kind="other", asked=("visa for Paris",)),
)
CATALOGUE = Catalogue(ENTRIES, np.array([[1, 0, 0], [0.8, 0.6, 0], [0, 1, 0], [0, 0, 1]], np.float32))
PRESENT = np.array([True, False, False])


def kinds(name: str) -> Logistic:
    """Says the same of every question."""
    bias = [5.0 if kind == name else 0.0 for kind in KINDS]
    return Logistic([0.0] * 3, [1.0] * 3, [[0.0] * 3 for _ in KINDS], bias)


def question(text: str, vector: list[float], scores: tuple[float, ...] = (2.0, 1.0)) -> ScopeQuestion:
    columns = {name: np.array([0.5, np.nan], np.float32) for name in SCORES}
    query = {"query_id": "q", "text": text, "mentions": [], "acts": []}
    v = np.array(vector, np.float32)
    near, _ = CATALOGUE.near(v, text)
    return ScopeQuestion(
        query, v, columns, np.array(scores), near, near, CATALOGUE.likely(near, text, PRESENT)
    )


def test_logistic_regressions_are_those_of_scikit_learn() -> None:
    random = np.random.default_rng(1)
    rows, labels = random.normal(size=(200, 3)), random.integers(0, 3, 200)
    many = LogisticRegression().fit(rows, labels)
    ours = Logistic([0.0] * 3, [1.0] * 3, many.coef_.tolist(), many.intercept_.tolist())
    assert np.allclose(ours.logits(rows), many.decision_function(rows))
    two = LogisticRegression().fit((rows - 1) / 2, labels > 0)
    ours = Logistic([1.0] * 3, [2.0] * 3, two.coef_.tolist(), two.intercept_.tolist())
    assert np.allclose(ours.probability(rows), two.predict_proba((rows - 1) / 2)[:, 1])


def test_an_entry_is_as_near_as_its_nearest_line_and_its_words() -> None:
    near, _ = CATALOGUE.near(np.array([0, 1, 0], np.float32), "zzz")
    assert near.tolist() == pytest.approx([0.6, 1.0, 0.0])
    by_words, _ = CATALOGUE.near(np.array([0, 1, 0], np.float32), "salary")
    assert by_words[0] > near[0] and by_words[1:].tolist() == near[1:].tolist()


def test_lines_of_which_nothing_was_learned_make_an_entry_nearer_only_where_it_is_named() -> None:
    entries = (ENTRIES[0], replace(ENTRIES[1], also=("ditch",)), ENTRIES[2])
    more = Catalogue(entries, np.vstack([CATALOGUE.vectors, np.array([[-1, 0, 0]], np.float32)]))
    vector = np.array([-1, 0, 0], np.float32)
    near, nearest = more.near(vector, "zzz")
    assert near.tolist() == CATALOGUE.near(vector, "zzz")[0].tolist()
    assert nearest.tolist() == pytest.approx([-0.8, 1.0, 0.0])


def test_the_words_of_the_catalogue_that_ship_are_those_of_its_entries() -> None:
    """Else write them anew, ``index.save(located("data:catalogue_words"))``, and their digest."""
    index = Catalogue(Catalogue.lines()[0], CATALOGUE.vectors).indexed()
    ships = shipped_words()
    assert ships is not None, "its digest"
    assert index.columns == ships.columns and index.analyser.settings == ships.analyser.settings
    assert index.size == ships.size
    assert all(np.array_equal(index.arrays[name], ships.arrays[name]) for name in index.arrays)


def test_several_questions_are_as_near_to_some_entries_as_each_is_to_all() -> None:
    vectors = np.array([[0, 1, 0], [0.6, 0, 0.8]], np.float32)
    texts, among = ["salary", "the path of my neighbour"], np.array([2, 0])
    each = [CATALOGUE.near(v, text)[0][among] for v, text in zip(vectors, texts, strict=True)]
    assert np.allclose(CATALOGUE.near_each(vectors, texts, among), each)


def test_the_act_of_an_entry_is_one_of_the_build() -> None:
    lexicon = Lexicon([("wages-act-1936", "The Wages Act, 1936", ()), ("path-act", "The Path Act, 1900", ())])
    assert CATALOGUE.acts(lexicon) == ["wages-act-1936", "", ""]


def test_rules_count_as_the_act_whose_name_they_bear() -> None:
    def present(**act: str) -> list[bool]:
        build = SimpleNamespace(acts=[act], lexicon=Lexicon([]))
        return list(map(bool, CATALOGUE.present(cast(PublishedBuild, build))))

    assert present(kind="rules", title="The Goa Wages (Registers) Rules, 1950") == [True, False, False]
    assert present(kind="rules", title="The Goa Sewages Rules, 1950") == [False] * 3
    assert present(kind="act", title="The Goa Wages (Registers) Act, 1950") == [False] * 3


def test_the_catalogue_that_ships_names_each_act_once() -> None:
    entries, lines = Catalogue.lines()
    titles = [entry.title for entry in entries]
    assert len(set(titles)) == len(titles) > 800 and all(entry.asked for entry in entries)
    assert len(lines) == sum(len(entry.asked) + len(entry.also) for entry in entries) and all(
        len(n.split()) > 3 for n in lines
    )


def test_features_of_a_question_have_their_names() -> None:
    read = dict(
        zip(
            SCOPE_FEATURES,
            scope_features(question("a b c", [1, 0, 0]), PRESENT, CATALOGUE.other, kinds("legal")),
            strict=True,
        )
    )
    assert read["score"] == 2 and read["gap_to_second"] == 1 and read["dense_score"] == 0.5
    assert read["present"] == pytest.approx(1) and read["absent"] == pytest.approx(0)
    assert read["share_of_first"] == pytest.approx(1 / (1 + np.exp(-1))) and read["words"] == pytest.approx(
        np.log(4)
    )
    assert read["legal"] == pytest.approx(5 - np.log(4))
    nothing = scope_features(question("a", [1, 0, 0], ()), np.zeros(3, bool), CATALOGUE.other, kinds("legal"))
    assert np.isnan(nothing[0]) and nothing[SCOPE_FEATURES.index("present")] == -1


@pytest.mark.parametrize(
    ("kind", "vector", "expected"),
    [
        ("legal", [0, 1, 0], ("not_indexed", "The Easements Act, 1882")),
        ("legal", [1, 0, 0], ("nothing_like_this", "")),  # nothing is near enough to be named
        ("legal", [0.8, 0.7, 0], ("nothing_like_this", "")),  # the Wages Act, which is here, is likelier
        ("legal", [0, 0.7, 0.72], ("not_indexed", "")),  # two are as likely
        ("foreign", [0, 0, 1], ("not_indexed", "law of France")),
        ("foreign", [0, 0.7, 0.5], ("not_indexed", ABROAD)),
        (
            "foreign",
            [0, 1, 0],
            ("not_indexed", "The Easements Act, 1882"),
        ),  # far likelier than the law of France
        ("everyday", [0, 0.7, 0], ("nothing_like_this", "")),
        ("vague", [0, 0.7, 0], ("too_vague", "")),
        ("vague", [0, 1, 0], ("not_indexed", "The Easements Act, 1882")),  # whatever its words are like
        ("vague", [0, 0, 1], ("too_vague", "")),
    ],
)
def test_a_reason_and_what_it_looks_like(kind: str, vector: list[float], expected: tuple[str, str]) -> None:
    assert decide(question("zzz", vector), CATALOGUE, PRESENT, kinds(kind)) == expected


@pytest.mark.parametrize(
    ("text", "hindi"),
    [
        ("mere malik ne teen mahine se salary nahi di", True),
        ("mera pati mujhe dahej ke liye maarta hai", True),
        ("my malik has not paid my salary, kya karu sir", False),
        ("he came to me and the main point is to see her", False),
        ("asdf", False),
        ("", False),
    ],
)
def test_hindi_in_latin_letters_is_not_readable_unless_it_is_near_to_something(
    text: str, hindi: bool
) -> None:
    assert in_hindi(text) == hindi
    far, near = question(text, [1, 0, 0]), question(text, [0, 1, 0])
    reason = "not_readable" if hindi else "nothing_like_this"
    assert decide(far, CATALOGUE, PRESENT, kinds("legal")) == (reason, "")
    assert decide(near, CATALOGUE, PRESENT, kinds("legal"))[0] == "not_indexed"


def test_what_is_hardly_more_foreign_than_not_looks_like_an_act() -> None:
    bias = [{"foreign": 5.0, "legal": 4.5}.get(kind, 0.0) for kind in KINDS]
    alike = replace(kinds("foreign"), bias=bias)
    expected = ("not_indexed", "The Easements Act, 1882")
    assert decide(question("zzz", [0, 1, 0]), CATALOGUE, PRESENT, alike) == expected
    every = np.ones(3, dtype=bool)
    assert decide(question("zzz", [0, 1, 0]), CATALOGUE, every, alike) == ("nothing_like_this", "")


def test_law_of_another_country_is_named_to_whom_speaks_of_one() -> None:
    for text, abroad in (("my visa was late", True), ("salary in Munich", True), ("salary not paid", False)):
        assert CATALOGUE.speaks_of_abroad(text) is abroad
    assert (
        decide(question("my visa was late", [0, 0, 1]), CATALOGUE, PRESENT, kinds("legal"))[1]
        == "law of France"
    )
    near = question("salary not paid", [0, 0, 1])
    assert decide(near, CATALOGUE, PRESENT, kinds("foreign")) == ("nothing_like_this", "")


def test_the_words_of_a_title_speak_for_it_and_its_place_against_it_where_it_is_not_said() -> None:
    entries = (*ENTRIES, Entry(title="The Goa Easements Act, 1990", kind="central", asked=("path",)))
    catalogue = Catalogue(entries, CATALOGUE.vectors)

    def likely(text: str, *here: int) -> list[float]:
        present = np.isin(np.arange(4), here)
        return list(catalogue.likely(np.full(4, 0.5, np.float32), text, present).round(3))

    assert likely("which") == [0.5, 0.5, 0.5, -np.inf]
    assert likely("which", 3) == [0.5] * 4  # it is here
    wages, easements, _, of_goa = likely("wages or an easement in Goa, and my visa")
    assert wages > easements > 0.6 and of_goa > 0.6


@pytest.mark.parametrize(
    ("likely", "said"),
    [
        ([0.9, 0.85, 0.7], "The Pharmacy Act, 1948, or the Drugs and Cosmetics Act, 1940"),
        ([0.9, 0.85, 0.8], ""),  # a third is as likely
        ([0.9, 0.6, 0.3], ""),  # the second is far
        ([0.9, 0.85, 0.85], ""),
    ],
)
def test_two_laws_are_named_where_each_is_as_likely_as_the_other(likely: list[float], said: str) -> None:
    titles = ("The Pharmacy Act, 1948", "The Drugs and Cosmetics Act, 1940", "licences")
    entries = [Entry(title, "central", ("x",)) for title in titles]
    near = np.array(likely, dtype=np.float32)
    rival = replace(question("medical shop", [1, 0, 0]), nearest=near, likely=near)
    catalogue = Catalogue(entries, np.zeros((3, 3), dtype=np.float32))
    assert either(rival, catalogue, np.zeros(3, dtype=bool)) == said
    assert not either(rival, catalogue, np.array([True, False, False]))  # one that is here is likelier


def test_an_act_and_that_which_follows_it_are_one_name() -> None:
    entries = (*ENTRIES, Entry(title="The Easements Act, 2025", kind="central", asked=("path",)))
    two = replace(
        question("zzz", [0, 1, 0]), nearest=np.array([0, 1, 0, 0.99]), likely=np.array([0, 1, 0, 0.99])
    )
    verdict = decide(two, Catalogue(entries, CATALOGUE.vectors), np.zeros(4, bool), kinds("legal"))
    assert verdict == ("not_indexed", "The Easements Act, 1882")


@pytest.mark.parametrize(
    ("text", "pieces", "answer"),
    [
        ("मेरे पति ने मुझे मारा", 10, True),
        ("my husband said मुझे and hit me", 12, False),
        ("enakku velai kodukkala", 9, True),
        ("mera bhai ko police le gayi", 9, False),
        ("", 0, False),
        ("123 ???", 4, False),
        ("dacoity", 3, False),
        ("cheque dishonoured", 5, False),
        ("unpaid dacoitee", 5, True),
        ("enakku gratuity kodukkala thaan", 12, True),
    ],
)
def test_what_the_encoder_cannot_read(text: str, pieces: int, answer: bool) -> None:
    law = {"dacoity", "dishonoured", "gratuity"}
    of_words = {"dacoity": 3, "dishonoured": 3, "gratuity": 3, text: pieces}
    assert unreadable(text, lambda part: of_words.get(part, 1), law.__contains__) is answer


def test_what_is_read_of_candidates() -> None:
    read = candidate_features(np.array([2.0, 0.0]), 0.5, 3.0)
    share, scope = np.log(np.exp([2.0, 0.0]) / np.exp([2.0, 0.0]).sum()), np.log(0.5)
    first = [share[0], 0, 2, 0, scope, 3, 3 * share[0]]
    second = [share[1], -2, 0, np.log(2), scope, 3, 3 * share[1]]
    assert np.allclose(read, [first, second], atol=1e-5)
    assert np.isfinite(candidate_features(np.array([1.0]), 0.0, 3.0)).all()


def described(**changes: Any) -> dict[str, Any]:
    flat = {"mean": [0.0] * 7, "scale": [1.0] * 7, "weights": [[0, 1, 0, 0, 0, 0, 0]], "bias": [0.0]}
    low = flat | {"bias": [-1.0]}
    names = {"ranker": "r", "space": "s", "catalogue": "c"}
    return (
        names
        | {
            "kinds": flat,
            "manners": flat,
            "applies": low,
            "primary": flat,
            "scope": [],
            "bare": [],
            "written": [],
        }
        | {"conformal": {"primary": {"asked": []}}}
        | changes
    )


def test_a_file_is_read_and_its_digest_checked(tmp_path: Path) -> None:
    path = tmp_path / "estimates.json"
    path.write_text(json.dumps(described()))
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(ModelError, match="SHA-256"):
        read_estimates(path, "0" * 64)
    with pytest.raises(ModelError, match=r"none\.json"):
        read_estimates(tmp_path / "none.json", sha256)
    path.write_text(json.dumps({"ranker": "r"}))
    with pytest.raises(ModelError, match="is not what citegrain train writes"):
        read_estimates(path, hashlib.sha256(path.read_bytes()).hexdigest())


def test_estimates_of_the_candidates_of_each_query() -> None:
    learned = Estimates.from_json(described(scope=[TREE]))
    row = {"query_id": "q", "probability": 0.5, "decision": "answer", "reason": "", "elsewhere": ""}
    scope = SCOPE.rows([row, row | {"query_id": "none", "decision": "decline", "reason": "too_vague"}])
    run = make_run({"q": [("c1", 3.0), ("c2", 2.0)]}, "fused")
    queries = pa.table({"query_id": ["q", "none"], "text": ["who pays", "what"]})
    table = make_estimates(run, scope, queries, {"c1": "a/1", "c2": "a/2"}, learned)
    assert table.column("provision_id").to_pylist() == ["a/1", "a/2"]
    assert table.column("primary").to_pylist() == pytest.approx([0.5, 1 / (1 + np.e)])
    assert table.column("applies").to_pylist() == table.column("primary").to_pylist(), "never less probable"
    judged = judgements(scope, table)
    assert judged["none"].declined and not judged["q"].declined
    assert judged["q"].estimates_of("a/1") == {
        "probability": pytest.approx(0.5),
        "primary": pytest.approx(0.5),
    }
    assert judged["q"].estimates_of("a/9") == {} and judgements(None, None) == {} and not Judgement().declined


def test_candidates_of_an_act_of_which_nothing_was_learned_have_probabilities_of_their_own() -> None:
    by_size = Logistic([0.0] * 8, [1.0] * 8, [[0.0] * 7 + [-1.0]], [0.0])
    even = Logistic([0.0] * 8, [1.0] * 8, [[0.0] * 8], [0.0])
    learned = replace(Estimates.from_json(described(scope=[TREE])), bare=(by_size,) * 2, written=(even,) * 2)
    row = {"query_id": "q", "probability": 0.5, "decision": "answer", "reason": "", "elsewhere": ""}
    run = make_run({"q": [("c1", 3.0), ("c2", 2.0)]}, "fused")
    of_few, of_many, of_few_words, of_many_words = (
        make_estimates(
            run,
            SCOPE.rows([row]),
            pa.table({"query_id": ["q"], "text": ["who " * words]}),
            {"c1": "a/1", "c2": "b/2"},
            learned,
            bare,
            some,
        )
        .column("primary")
        .to_pylist()
        for bare, some, words in (
            ({"b/2"}, (), 1),
            ({f"b/{n}" for n in range(99)}, (), 1),
            ((), {"b/2"}, 2),
            ((), {"b/2"}, 60),
        )
    )
    assert of_few == pytest.approx([0.5, 1 / 3]) and of_many == pytest.approx([0.5, 1 / 101])
    assert of_few_words[0] == 0.5 and of_few_words[1] < 0.5 < of_many_words[1], "few words say less"


TREE = {
    "feature": [0], "threshold": [0.0], "missing_left": [True], "left": [-1], "right": [-2], "value": [0.0],
    "leaves": [0.0, 1.0],
}  # fmt: skip


@pytest.mark.parametrize(
    ("acts", "kind", "decision", "mentioned"),
    [
        (1, "legal", "decline", []),
        (3, "legal", "answer", []),
        (3, "everyday", "decline", []),
        (1, "legal", "answer", ["a-path-act-1901"]),
        (1, "legal", "decline", [None]),  # three Acts have a section 5
        (1, "legal", "answer", ["66F"]),  # one has a section 66F
        (1, "legal", "answer", "a-path-act-1901"),  # its Act alone
    ],
)
def test_what_is_declined_where_the_catalogue_knows_the_build_or_not_or_a_provision_of_it_is_named(
    acts: int, kind: str, decision: str, mentioned: list[str | None] | str
) -> None:
    mentions = [
        {"kind": "section", "number": act if act == "66F" else "5", "act_id": None if act == "66F" else act}
        for act in mentioned
        if isinstance(mentioned, list)
    ]
    query = {
        "query_id": "q",
        "text": "a path",
        "mentions": mentions,
        "acts": [mentioned] if isinstance(mentioned, str) else [],
        "texts": [{"words_only": False}],
    }
    queries = pa.Table.from_pylist([query])
    values = [float("nan")] * len(SCORES)
    features = FEATURES.rows([{"query_id": "q", "provision_id": "a/1", "chunk_id": "c", "values": values}])
    build: Any = SimpleNamespace(
        shared=lambda name, make: PRESENT, names=lambda: [("a-path-act-1901", "", [])] * acts,
        lexical_only=lambda text: False, pieces=lambda text: 2, has_word=bool,
        cited=lambda kind, number, act: ["a"] if number == "66F" else ["a", "b", "c"],
    )  # fmt: skip
    never = TREE | {"leaves": [-9.0, -9.0]}
    learned = replace(Estimates.from_json(described(scope=[never])), kinds=kinds(kind))
    candidates = (features, list(SCORES), make_run({"q": [("c", 1.0)]}, "fused"))
    vectors = np.array([[0, 1, 0]], np.float32)
    scope = make_scope(build, queries, vectors, candidates, learned, CATALOGUE, 0.4)
    assert scope.column("decision").to_pylist() == [decision]


def test_a_provision_that_is_named_is_never_unreadable_and_never_a_matter_of_other_law() -> None:
    mentions = [{"kind": "section", "number": "498A", "act_id": "a-path-act-1901"}]
    texts = {"named": mentions, "not": []}
    queries = pa.Table.from_pylist(
        [{"query_id": q, "text": "498A IPC", "mentions": m, "acts": []} for q, m in texts.items()]
    )
    build: Any = SimpleNamespace(
        shared=lambda name, make: PRESENT, names=lambda: [("a-path-act-1901", "", [])] * 3,
        cited=lambda *cited: [],
        lexical_only=lambda text: False, pieces=lambda text: 99, has_word=str.isdigit,
    )  # fmt: skip
    learned = replace(Estimates.from_json(described(scope=[TREE])), kinds=kinds("legal"))
    empty = (FEATURES.rows([]), list(SCORES), make_run({}, "fused"))
    scope = make_scope(
        build, queries, np.zeros((2, 3), np.float32), empty, learned, CATALOGUE, 0.4
    ).to_pylist()
    assert [(row["decision"], row["reason"], row["elsewhere"]) for row in scope] == [
        ("answer", "", ""),
        ("decline", "not_readable", ""),
    ]


@pytest.mark.parametrize(
    ("words", "language", "odds"), [(12, "hi", 0.5), (25, "hi", 0.5 - np.log(2) / 2), (25, "en", 0.0)]
)
def test_a_long_question_in_hindi_needs_more_to_be_answered(words: int, language: str, odds: float) -> None:
    texts = [{"text": "rasta", "words_only": True}] if language == "hi" else []
    query = {"query_id": "q", "text": "a " * words, "mentions": [], "acts": [], "texts": texts}
    build: Any = SimpleNamespace(
        shared=lambda name, make: PRESENT, names=lambda: [("", "", [])], lexical_only=lambda text: False
    )
    glossed = Logistic([0.0] * 3, [1.0] * 3, [[0.0] * 3], [0.5])
    learned = replace(
        Estimates.from_json(described(scope=[TREE | {"leaves": [0.0, 0.0]}])),
        glossed=glossed,
        kinds=kinds("legal"),
    )
    empty = (FEATURES.rows([]), list(SCORES), make_run({}, "fused"))
    vectors = np.zeros((1, 3), np.float32)
    scope = make_scope(build, pa.Table.from_pylist([query]), vectors, empty, learned, CATALOGUE, 0.0)
    assert scope.column("probability").to_pylist() == pytest.approx([1 / (1 + np.exp(-odds))])


@pytest.mark.parametrize(
    ("vector", "nearer"),
    [
        ([0, 1, 0], True),
        ([1, 0, 0], False),
        ([0, 0, 1], False),
    ],  # the last is nearest to what is no law of India
)
def test_only_a_law_of_india_is_what_an_answered_question_may_be_a_matter_of(
    vector: list[float], nearer: bool
) -> None:
    assert nearer_elsewhere(question("zzz", vector), PRESENT, CATALOGUE.other) == nearer


def test_words_of_the_title_of_another_law_decline_no_question_that_is_probable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    build: Any = SimpleNamespace(
        shared=lambda name, make: np.array([True] + [False] * 2), names=lambda: [("", "", [])], cited=lambda *c: [],
        lexical_only=lambda text: False, pieces=lambda text: 1, has_word=bool, term_weights=lambda texts: {},
    )  # fmt: skip
    monkeypatch.setattr("citegrain.tasks.online.estimate.stage.FEWEST", 1)
    read = Estimates.from_json(described(scope=[TREE]))
    for odds, decision in ((-1.0, "decline"), (0.2, "answer"), (0.6, "answer")):
        short = Logistic([0.0] * 21, [1.0] * 21, [[0.0] * 21], [odds])
        query = {"query_id": "q", "text": "easements", "mentions": [], "acts": [], "texts": []}
        (row,) = make_scope(
            build, pa.Table.from_pylist([query]), np.array([[0, 1, 0]], np.float32),
            (FEATURES.rows([]), list(SCORES), make_run({}, "fused")),
            replace(read, kinds=kinds("legal"), short=short), CATALOGUE, 0.3,
        ).to_pylist()  # fmt: skip
        assert (row["decision"], row["elsewhere"]) == (decision, "The Easements Act, 1882")


@pytest.mark.parametrize(
    ("text", "probability", "decision"),
    [
        ("who pays for lamp oil", 0.3, "answer"),  # its heading and its lay text have all words
        ("who pays for lamp oil", 0.1, "decline"),  # too improbable for that
        ("who pays for lamp oil in Paris Texas now", 0.3, "answer"),  # few words
        (
            "who pays for lamp oil " + "in Paris Texas now or then else " * 2,
            0.3,
            "decline",
        ),  # seven of twelve words are elsewhere
    ],
)
def test_a_question_whose_words_stand_in_a_candidate_is_rather_answered(
    text: str, probability: float, decision: str
) -> None:
    build: Any = SimpleNamespace(
        shared=lambda name, make: PRESENT, names=lambda: [("", "", [])], cited=lambda *cited: [],
        lexical_only=lambda text: False, pieces=lambda text: 2, has_word=bool, rows={"c": 0},
        terms=lambda text: text.lower().split(), term_weights=lambda texts: {},
        passage=lambda row: {"header": "Lamp oil", "text": "The owner pays"}, lay_texts=lambda row: ["who is it for"],
    )  # fmt: skip
    query = {
        "query_id": "q",
        "text": text,
        "texts": [{"text": text, "weight": 1.0}],
        "mentions": [],
        "acts": [],
    }
    assert covered(build, query, ["c"]) == pytest.approx(5 / len(set(text.split())))
    assert covered(build, query, []) == covered(build, query | {"text": ""}, ["c"]) == 0
    values = [float("nan")] * len(SCORES)
    features = FEATURES.rows([{"query_id": "q", "provision_id": "a/1", "chunk_id": "c", "values": values}])
    odds = float(np.log(probability / (1 - probability)))
    learned = Estimates.from_json(described(scope=[TREE | {"leaves": [odds, odds]}]))
    candidates = (features, list(SCORES), make_run({"q": [("c", 1.0)]}, "fused"))
    vectors = np.array([[0, 1, 0]], np.float32)
    queries = pa.Table.from_pylist([query])
    (row,) = make_scope(
        build, queries, vectors, candidates, replace(learned, kinds=kinds("legal")), CATALOGUE, 0.4
    ).to_pylist()
    assert row["decision"] == decision, row


def lamps(**more: Any) -> Any:
    """A build of which a question about lamps is asked."""
    return SimpleNamespace(**{
        "shared": lambda name, make: PRESENT, "names": lambda: [("", "", [])], "cited": lambda *cited: [], "rows": {},
        "lexical_only": lambda text: False, "pieces": lambda text: 2, "has_word": bool, "terms": str.split,
        "term_weights": lambda texts: {}, **more,
    })  # fmt: skip


def about_lamps(words: int, glossed: bool) -> dict[str, Any]:
    text = " ".join(["lamp"] * words)
    texts = [{"text": text, "words_only": glossed}]
    return {"query_id": "q", "text": text, "texts": texts, "mentions": [], "acts": []}


@pytest.mark.parametrize(
    ("words", "glossed", "fewest", "decision"),
    [
        (26, False, 1, "answer"),
        (26, False, 2, "decline"),  # of so few Acts nothing was learned
        (27, False, 1, "decline"),
        (26, True, 1, "decline"),
    ],
)
def test_odds_of_a_short_question_in_english_are_those_learned_of_such(
    words: int, glossed: bool, fewest: int, decision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citegrain.tasks.online.estimate.stage.FEWEST", fewest)
    build = lamps()
    query = about_lamps(words, glossed)
    values = [float("nan")] * len(SCORES)
    features = FEATURES.rows([{"query_id": "q", "provision_id": "a/1", "chunk_id": "c", "values": values}])
    n = 1 + len(scope_features(question("a", [1, 0, 0], ()), PRESENT, CATALOGUE.other, kinds("legal")))
    short = Logistic(
        [0.0] * n, [1.0] * n, [[-1.0] + [0.0] * (n - 1)], [0.0]
    )  # the odds of scope turned round
    base = Estimates.from_json(described(scope=[TREE | {"leaves": [-3.0, -3.0]}]))
    learned = replace(base, kinds=kinds("everyday"), short=short)
    candidates = (features, list(SCORES), make_run({"q": []}, "fused"))
    queries, vectors = pa.Table.from_pylist([query]), np.array([[0, 1, 0]], np.float32)
    (row,) = make_scope(build, queries, vectors, candidates, learned, CATALOGUE, 0.4).to_pylist()
    assert row["decision"] == decision, row


@pytest.mark.parametrize(
    ("scores", "glossed", "decision"),
    [
        ((2.0, 1.0), False, "answer"),  # the new Act has e / (e + 1) of the first candidates
        ((1.0, 2.0), False, "decline"),
        ((2.0, 1.0), True, "decline"),
    ],
)
def test_a_question_mostly_about_new_acts_is_judged_by_what_was_learned_of_such(
    scores: tuple[float, float], glossed: bool, decision: str
) -> None:
    build = lamps(
        citations={"new": "b/1", "old": "a/1"}, rows={"new": 0, "old": 1}, lay_texts=lambda row: [],
        passage=lambda row: {"header": "", "text": ""},
    )  # fmt: skip
    query = about_lamps(40, glossed)
    values = [float("nan")] * len(SCORES)
    features = FEATURES.rows([{"query_id": "q", "provision_id": "b/1", "chunk_id": "new", "values": values}])
    n = 3 + len(scope_features(question("a", [1, 0, 0], ()), PRESENT, CATALOGUE.other, kinds("legal")))
    of_share = Logistic([0.0] * n, [1.0] * n, [[0.0] * (n - 1) + [9.0]], [-4.5])
    base = Estimates.from_json(described(scope=[TREE | {"leaves": [-3.0, -3.0]}]))
    learned = replace(base, kinds=kinds("everyday"), new_acts=of_share)
    run = make_run({"q": sorted(zip(("new", "old"), scores, strict=True), key=lambda one: -one[1])}, "fused")
    (row,) = make_scope(
        build, pa.Table.from_pylist([query]), np.array([[0, 1, 0]], np.float32), (features, list(SCORES), run),
        learned, CATALOGUE, 0.4, ((), {"b/1"}),
    ).to_pylist()  # fmt: skip
    assert row["decision"] == decision, row
    if decision == "answer":
        assert row["probability"] == pytest.approx(1 / (1 + np.exp(4.5 - 9 * np.e / (np.e + 1))))


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("What is the punishment for theft in March 2023?", True),
        ("Within how many days must one appeal under section 9 before the change?", True),
        ("which section punishes sedition", True),
        ("He stole a cycle on 3 May 2024. Under which section is he punished?", True),
        ("My cycle was stolen. What is the punishment for theft?", False),  # a story of one's own
        ("They fined us for nothing, is that legal?", False),
        ("how to fold a letter", False),  # wants to be shown
        ("The landlord locked the tenant out and keeps the deposit.", False),  # asks nothing
        ("What is the fine for " + "theft and " * 40 + "murder?", False),  # too long to be a question only
    ],
)
def test_a_question_of_law_is_no_complaint(text: str, asks: bool) -> None:
    assert asks_what_law_says(text) == asks


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("Which section makes it so?", True),
        ("Is that lawful?", True),
        ("what if they do not agree", False),
        ("How do they act?", False),
    ],
)
def test_what_speaks_of_the_law_itself(text: str, speaks: bool) -> None:
    assert speaks_of_law(text) == speaks


@pytest.mark.parametrize(
    ("vector", "strange", "elsewhere"),
    [
        ([0, 1, 0], False, True),  # the Easements Act, which is not here
        ([1, 0, 0], False, False),  # the Wages Act, which is
        ([0.65, 0.76, 0], False, False),  # not clearly nearer than the Wages Act
        ([0, 1, 0], True, False),  # where the catalogue does not know the build only foreign law is elsewhere
        ([0, 0, 1], True, True),
        ([0, 0, 0.5], False, False),  # near to nothing
    ],
)
def test_what_governs_elsewhere_is_clearly_nearer(
    vector: list[float], strange: bool, elsewhere: bool
) -> None:
    near = governed_elsewhere(question("zzz", vector), PRESENT, CATALOGUE.other, strange)
    assert near == elsewhere


@pytest.mark.parametrize(
    ("text", "vector", "decision"),
    [
        ("what is the punishment for theft", [1, 0, 0], "answer"),
        ("what is the punishment for theft in March 2023", [1, 0, 0], "answer"),  # times do not count
        ("what is the punishment for theft", [0, 1, 0], "decline"),  # clearly of another Act
        (
            "what is the punishment for theft in ontario",
            [1, 0, 0],
            "decline",
        ),  # a word that the build has not
        ("what is the punishment by law", [1, 0, 0], "decline"),  # common words alone
        ("he asks for my theft", [1, 0, 0], "decline"),  # no question of the law
    ],
)
def test_a_question_of_what_the_law_says_is_answered_unless_its_words_lead_elsewhere(
    text: str, vector: list[float], decision: str
) -> None:
    weights = {"theft": 5.0, "ontario": 0.0, "March": 0.0}
    build: Any = SimpleNamespace(
        shared=lambda name, make: PRESENT, names=lambda: [("", "", [])], cited=lambda *cited: [],
        lexical_only=lambda text: False, pieces=lambda text: 2, has_word=bool, rows={"c": 0},
        terms=lambda text: text.split(), passage=lambda row: {"header": "", "text": ""}, lay_texts=lambda row: [],
        term_weights=lambda texts: {t: weights.get(t, 0.5) for t in texts[0]["text"].split()},
    )  # fmt: skip
    assert asks_of_this_law(build, text) == (
        text.startswith("what is the punishment for theft") and ("ontario" not in text)
    )
    query = {
        "query_id": "q",
        "text": text,
        "texts": [{"text": text, "weight": 1.0}],
        "mentions": [],
        "acts": [],
    }
    values = [float("nan")] * len(SCORES)
    features = FEATURES.rows([{"query_id": "q", "provision_id": "a/1", "chunk_id": "c", "values": values}])
    learned = Estimates.from_json(described(scope=[TREE | {"leaves": [-5.0, -5.0]}]))
    candidates = (features, list(SCORES), make_run({"q": [("c", 1.0)]}, "fused"))
    (row,) = make_scope(
        build, pa.Table.from_pylist([query]), np.array([vector], np.float32), candidates,
        replace(learned, kinds=kinds("legal")), CATALOGUE, 0.4,
    ).to_pylist()  # fmt: skip
    assert row["decision"] == decision and (row["probability"] >= 0.5) == (decision == "answer")
    vague = replace(learned, kinds=kinds("vague"))
    (row,) = make_scope(
        build,
        pa.Table.from_pylist([query]),
        np.array([vector], np.float32),
        candidates,
        vague,
        CATALOGUE,
        0.4,
    ).to_pylist()
    assert row["decision"] == decision  # it speaks of a punishment
    other = query | {"text": text.replace("punishment", "theft").replace(" by law", ""), "texts": []}
    (row,) = make_scope(
        build, pa.Table.from_pylist([other | {"texts": query["texts"]}]), np.array([vector], np.float32),
        candidates, vague, CATALOGUE, 0.4,
    ).to_pylist()  # fmt: skip
    assert row["decision"] == "decline" and row["reason"] in ("too_vague", "not_indexed")


def test_what_a_question_only_names_is_sure_as_far_as_its_number_is() -> None:
    row = {"query_id": "q", "provision_id": "a/1", "chunk_id": "c1", "applies": 0.2, "primary": 0.1}
    other = row | {"provision_id": "a/2", "chunk_id": "c2"}
    table = ESTIMATES.rows([row, other])
    alone = {"q": {"c1": 0.5, "c3": 0.5}, "unknown": {"c1": 1.0}}
    rows = with_named(table, alone, {"c1": "a/1", "c3": "b/1"}).to_pylist()
    assert {r["provision_id"]: r["applies"] for r in rows} == {"a/1": 0.495, "a/2": 0.2, "b/1": 0.495}
    assert with_named(table, {}, {}) is table


def test_a_number_of_an_act_that_is_not_here_names_no_provision() -> None:
    build: Any = SimpleNamespace(
        names=lambda: [("lamp", "The Lamp Act, 1901", [])],
        cited=lambda kind, number, act: ["lamp/sec_3"] if number == "3" else [],
    )
    for number, act, meant in (
        ("9", "lamp", True),
        ("3", None, True),
        ("9", None, False),
        ("3", "bell", False),
    ):
        mention = {"kind": "section", "number": number, "act_id": act}
        assert names_provision(build, {"mentions": [mention]}) == meant

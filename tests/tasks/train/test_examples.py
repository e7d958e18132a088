"""Which passages answer a text, which are wrong answers, and what is kept back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.evaluation.benchmark import Citation
from citegrain.tasks.train.config import TRAININGS, RankerConfig, ReaderConfig, RerankerConfig
from citegrain.tasks.train.examples import (
    HELD_OUT,
    TRAIN,
    UNSEEN,
    Examples,
    Mask,
    make_examples,
    ranks,
    with_joined,
)
from citegrain.tasks.train.texts import LayQueries, Question, Story
from tests.fakes import as_build

OLD, NEW, OTHER = "lantern-act-1900", "lantern-act-2020", "bell-act-2013"
LAST = date(2024, 6, 30)


class Law:
    """Two chunks of section 1 of the new Act, one of each other provision, and a Schedule's entry."""

    rows = (
        (f"{NEW}/sec_1", "a"),
        (f"{NEW}/sec_1", "b"),
        (f"{NEW}/sec_2", "c"),
        (f"{OLD}/sec_1", "d"),
        (f"{OTHER}/sec_1", "e"),
        (f"{OTHER}/sec_2", "f"),
        (f"{OTHER}/sch_1", "g"),
        (None, "h"),
    )

    @property
    def citable(self) -> Mask:
        return np.array([p is not None and "/sec_" in p for p, _ in self.rows])

    @property
    def citations(self) -> Mapping[str, str | None]:
        return {chunk: provision for provision, chunk in self.rows}

    def eligible(self, as_of: date | None) -> Mask:
        gone = NEW if as_of is not None and as_of <= LAST else OLD
        return np.array([p is not None and not p.startswith(gone) for p, _ in self.rows])

    def labelled(self, act_id: str, section: str) -> Sequence[str]:
        wanted = f"{act_id}/sec_{section}"
        return [wanted] if any(p == wanted for p, _ in self.rows) else []

    def last_day(self, act_id: str) -> date | None:
        return LAST if act_id == OLD else None


def lay(act: str, section: str) -> LayQueries:
    return LayQueries(act=act, section=section, plain="p", scene="s", message="m")


def story(*labels: tuple[str, str]) -> Story:
    return Story(id="s-1", text="t", applicable=tuple(Citation(act=a, section=n) for a, n in labels))


def examples_of(queries: list[LayQueries], stories: list[Story], unseen: Sequence[str] = ()) -> Examples:
    config = ReaderConfig(name="x", held_out=0.0, as_of="2025-01-01", unseen=list(unseen))
    return make_examples(as_build(Law()), queries, {"story": stories}, config)


def test_every_chunk_of_a_provision_answers_and_the_day_is_that_of_the_law() -> None:
    examples = examples_of([lay(NEW, "1"), lay(OLD, "1"), lay(NEW, "9")], [])
    assert [(e.id, e.kind, e.golds) for e in examples.items[:2]] == [
        (f"{NEW}/1/plain", "plain", ((0, 1),)),
        (f"{NEW}/1/scene", "scene", ((0, 1),)),
    ]
    old = examples.items[3]
    assert old.golds == ((3,),) and old.day != examples.items[0].day
    assert examples.law[examples.items[0].day].tolist() == [True, True, True, False, True, True, False, False]
    assert examples.law[old.day].tolist() == [False, False, False, True, True, True, False, False]
    assert examples.lost == 3 and examples.shown.all()


def question(name: str, day: date | None, *labels: tuple[str, str]) -> Question:
    applicable = tuple(Citation(act=a, section=n) for a, n in labels)
    return Question(id=name, text="q", incident_date=day, applicable=applicable)


def test_a_question_is_of_its_day_and_one_that_nothing_applies_to_is_left_out() -> None:
    questions = [
        question("q-1", date(2020, 1, 1), (OLD, "1")),
        question("q-2", None),
        question("q-3", None, (NEW, "2")),
    ]
    config = RankerConfig(name="x", held_out=0.0, as_of="2025-01-01")
    examples = make_examples(as_build(Law()), [], {"asked": questions}, config)
    assert [(e.id, e.kind, e.golds) for e in examples.items] == [
        ("q-1", "asked", ((3,),)),
        ("q-3", "asked", ((2,),)),
    ]
    assert examples.law[examples.items[0].day][3] and not examples.law[examples.items[1].day][3]


def test_acts_that_are_kept_back_are_in_no_text_and_no_wrong_answer() -> None:
    examples = examples_of(
        [lay(NEW, "1"), lay(OTHER, "1")], [story((NEW, "1"), (OTHER, "2"))], unseen=[OTHER]
    )
    assert [e.split for e in examples.items] == [TRAIN] * 3 + [UNSEEN] * 4
    assert examples.items[-1].golds == ((0, 1), (5,))
    assert np.flatnonzero(~examples.shown).tolist() == [4, 5, 6], "the whole Act, its Schedule too"


def test_provisions_are_kept_back_by_their_own_name() -> None:
    queries = [lay(NEW, "1"), lay(NEW, "2"), lay(OTHER, "1"), lay(OTHER, "2")]
    held_out = {seed: labels_held_out(queries, seed) for seed in range(40)}
    assert 1 < sum(map(len, held_out.values())) / len(held_out) < 3, "about half of four"
    for seed, labels in held_out.items():
        assert labels_held_out(queries[:1], seed) == labels & {f"{NEW}/1"}, "others do not move it"


def labels_held_out(queries: list[LayQueries], seed: int) -> set[str]:
    config = ReaderConfig(name="x", held_out=0.5, as_of="2025-01-01", seed=seed)
    examples = make_examples(as_build(Law()), queries, {"story": [story((NEW, "1"), (OTHER, "1"))]}, config)
    held_out = {e.id.rpartition("/")[0] for e in examples.split(HELD_OUT) if e.kind != "story"}
    rows = {row for e in examples.split(HELD_OUT) if e.kind != "story" for rows in e.golds for row in rows}
    if len(queries) == 4:
        assert set(np.flatnonzero(~examples.shown).tolist()) == rows
        assert any(e.kind == "story" for e in examples.split(HELD_OUT)) == bool(
            held_out & {f"{NEW}/1", f"{OTHER}/1"}
        )
    return held_out


def test_joined_texts_have_both_answers_and_only_what_may_be_learned_from() -> None:
    single = examples_of([lay(NEW, "1"), lay(NEW, "2"), lay(OTHER, "1")], [], unseen=[OTHER])
    examples = with_joined(single, share=3.0, seed=1)
    joined = [e for e in examples.items if e.kind == "joined"]
    assert joined and all(e.split == TRAIN for e in joined)
    assert {frozenset(e.golds) for e in joined} == {frozenset({((0, 1)), ((2,))})}
    assert {e.text for e in joined} <= {f"{a} {b}" for a in "psm" for b in "psm"}


@given(st.integers(0, 2**32 - 1))
def test_ranks_are_those_of_a_plain_search(seed: int) -> None:
    rng = np.random.default_rng(seed)
    examples = examples_of([lay(NEW, "1"), lay(OTHER, "2"), lay(OLD, "1")], [story((NEW, "2"), (OTHER, "1"))])
    passages = rng.normal(size=(8, 3)).astype(np.float32)
    vectors = rng.normal(size=(len(examples.items), 3)).astype(np.float32)
    got = ranks(vectors, passages, examples.items, examples)
    for i, example in enumerate(examples.items):
        best: dict[str, float] = {}
        for row, (provision, _) in enumerate(Law.rows):
            if provision is not None and examples.law[example.day][row]:
                best[provision] = max(best.get(provision, -9.0), float(passages[row] @ vectors[i]))
        order = sorted(best, key=lambda p: -best[p])
        wanted = [1 + order.index(str(Law.rows[rows[0]][0])) for rows in example.golds]
        assert got[i, : len(wanted)].tolist() == wanted
        assert not got[i, len(wanted) :].any()


@pytest.mark.parametrize(
    ("config", "wrong"),
    [
        ({"name": "Two Words"}, "lower-case"),
        ({"held_out": 1.0}, "held_out\n.*less than 1"),
        ({"warmup": -0.1}, "warmup\n.*greater than or equal to 0"),
        ({"epochs": 0}, "epochs\n.*greater than or equal to 1"),
        ({"temperature": 0}, "temperature\n.*greater than 0"),
        ({"precision": "int8"}, "'bf16' or 'fp32'"),
        ({"device": "tpu"}, "'cpu', 'cuda' or 'auto'"),
        ({"as_of": "2025"}, "Invalid isoformat"),
        ({"rounds": 9}, "rounds\n.*Unexpected keyword"),
    ],
)
def test_parameters_are_checked(config: dict[str, object], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        ReaderConfig(**({"name": "x"} | config))  # type: ignore[arg-type]


def test_what_is_in_the_key_and_what_is_not() -> None:
    for kind, training in TRAININGS.items():
        parameters = training(name="x").parameters()
        assert not {"name", "texts", "stories", "short", "forum", "outside"} & set(parameters)
        assert (parameters["kind"], parameters["seed"]) == (kind, 1)


def test_steps_by_hand() -> None:
    texts = {"plain": 10, "scene": 10, "message": 10, "story": 8}
    assert RerankerConfig(name="x", batch=4, epochs=3).steps(texts) == 10 * 3
    reader = ReaderConfig(name="x", batch=4, epochs=3, joined=0.5)
    assert reader.steps(texts) == 14 * 3, "45 lay and joined texts, and eight stories"
    assert RankerConfig(name="x", rounds=9).steps(texts) == 9 * 6

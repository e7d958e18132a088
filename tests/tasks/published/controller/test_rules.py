"""The policy without a model, over a corpus of three Acts that the test makes up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.core.schemas import TableSchema
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.estimate import Catalogue
from citegrain.tasks.published.controller import (
    ControllerConfig,
    Policy,
    Question,
    RankedPassage,
    Resources,
    control,
    make_policy,
)
from citegrain.tasks.published.controller.operations import merged
from citegrain.tasks.published.controller.records import Evidence, Memory, Retriever

YEARS = {"wages": 1936, "hindu": 1955, "muslim": 1939}
TITLES = {f"{name}-act": f"The {name.title()} Act, {year}" for name, year in YEARS.items()}
WORDS = {"salary": "wages-act", "divorce": "hindu-act"}
STORY = (
    "I have been working in a tailoring shop for six years now. My salary was not paid for three months. "
    "At home things are no better either I must say. My husband wants a divorce from me since June."
)


class Build:
    """What rules read of a build."""

    lexicon = None
    acts: Sequence[Mapping[str, Any]] = [
        {"act_id": act, "title": title, "replaced_by": None} for act, title in TITLES.items()
    ]

    def has(self, schema: TableSchema) -> bool:
        return False

    def names(self) -> list[tuple[str, str, list[str]]]:
        return [(act, title, []) for act, title in TITLES.items()]

    def shared(self, key: str, make: Callable[[], Any]) -> Any:
        return make()

    def encode_queries(self, texts: Sequence[str]) -> np.ndarray:
        return np.zeros((len(texts), 1), dtype=np.float32)

    def terms(self, text: str) -> list[str]:
        return text.lower().split()

    def term_weights(self, texts: Sequence[Mapping[str, Any]]) -> dict[str, float]:
        return {word: 1.0 for t in texts for word in self.terms(t["text"])}


class Entries:
    """A catalogue that tells Acts by a word."""

    def acts(self, lexicon: Any) -> list[str]:
        return [*WORDS.values(), ""]

    def near_each(self, vectors: np.ndarray, texts: Sequence[str], among: np.ndarray) -> np.ndarray:
        # the last is of no Act here
        near = [[float(word in text) for word in WORDS] + [2.0] for text in texts]
        return np.array(near)[:, among]


def _mind(entries: bool = True, **options: float) -> Policy:
    config = ControllerConfig(kind="rules", threshold=1.0, options=options)
    catalogue = (lambda: cast(Catalogue, Entries())) if entries else None
    return make_policy(Resources(cast(PublishedBuild, Build()), config, None, catalogue))


def _always(passage: RankedPassage) -> Retriever:
    return lambda texts: [[passage] for _ in texts]


def _passage(
    provision: str, probability: float | None, text: str = "A man shall be paid. He may ask."
) -> RankedPassage:
    return RankedPassage(f"{provision}#1", provision, 1.0, probability, text)


WAGES, DIVORCE = _passage("wages-act/sec_15", 0.6), _passage("hindu-act/sec_13", 0.4)


def test_sentences_of_an_act_are_an_issue_and_are_searched_where_nothing_of_it_was_found() -> None:
    policy, searched = _mind(), []

    def search(texts: Sequence[Question]) -> list[list[RankedPassage]]:
        searched.append([a.text for a in texts])
        return [[[WAGES], [_passage("wages-act/sec_2", 0.05)], [DIVORCE]][len(searched) - 1] for _ in texts]

    (outcome,) = control([Question(STORY)], policy, search, policy.config)
    salary, divorce = (s.text for s in outcome.memory.subquestions)
    assert salary.endswith("I must say.") and divorce == "My husband wants a divorce from me since June."
    # wages were found with the story; divorce is searched with who speaks, then with the name of its Act too
    query = f"I have been working in a tailoring shop for six years now. {divorce}"
    assert searched == [[STORY], [query], [f"{query} (The Hindu Act, 1955)"]]
    about = {p.subquestion: p.provision_id for p in outcome.memory.propositions}
    assert about == {salary: "wages-act/sec_15", divorce: "hindu-act/sec_13"}
    assert outcome.stopped == "sufficient"


def test_a_story_of_one_matter_is_one_issue_and_takes_one_round() -> None:
    for policy, story in (
        (_mind(), "My salary is late. I asked thrice for my salary already."),
        (_mind(False), STORY),
    ):
        (outcome,) = control([Question(story)], policy, _always(WAGES), policy.config)
        assert [s.text for s in outcome.memory.subquestions] == [story]
        assert outcome.memory.round == 1 and outcome.stopped == "sufficient"
        assert outcome.memory.propositions[0].text in WAGES.text


def test_what_is_improbable_supports_nothing_and_what_has_no_probability_does() -> None:
    for probability, state in ((0.05, "open"), (0.1, "covered"), (None, "covered")):
        policy, passage = _mind(least=0.1), _passage("wages-act/sec_1", probability)
        (outcome,) = control([Question("No pay.")], policy, _always(passage), policy.config)
        assert outcome.memory.subquestions[0].state == state


def test_provisions_of_two_personal_laws_contradict_each_other() -> None:
    both, policy = [DIVORCE, _passage("muslim-act/sec_2", 0.3)], _mind()
    (outcome,) = control(
        [Question("She left me.")], policy, lambda texts: [both for _ in texts], policy.config
    )
    assert outcome.memory.subquestions[0].state == "contradicted"
    assert outcome.memory.confidence == policy.config.coverage


def test_what_only_a_part_finds_joins_what_the_complaint_found() -> None:
    policy = _mind()
    lists = {STORY: [WAGES, _passage("c/1", 0.2), _passage("c/2", 0.22)]}
    part = [DIVORCE, _passage("c/1", 0.36), _passage("c/3", 0.36)]

    def search(texts: Sequence[Question]) -> list[list[RankedPassage]]:
        return [lists.get(a.text, part) for a in texts]

    (outcome,) = control([Question(STORY)], policy, search, policy.config)
    scores = dict(policy.ranking(outcome.memory))
    # a part has half the weight: 1 - sqrt(.6) is more than the .22 that stands behind c/1, 1 - sqrt(.64) less
    assert list(scores) == ["wages-act/sec_15#1", "hindu-act/sec_13#1", "c/1#1", "c/2#1", "c/3#1"]
    assert np.allclose(list(scores.values()), [0.6, 1 - 0.6**0.5, 0.22, 0.22, 0.2])


probabilities = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 1), min_size=1)


@given(probabilities, st.lists(probabilities, max_size=3))
def test_parts_never_change_the_order_of_what_the_complaint_found(
    of_complaint: dict[str, float], parts: list[dict[str, float]]
) -> None:
    lists = [("q", of_complaint), *((str(i), part) for i, part in enumerate(parts))]
    evidence = [
        Evidence(_passage(provision, p), query, 1 + (query != "q"))
        for query, listed in lists
        for provision, p in listed.items()
    ]
    memory = Memory(Question("q"), tuple(query for query, _ in lists), evidence=tuple(evidence), round=2)
    ranked = merged(memory)
    order = [chunk.split("#")[0] for chunk, _ in ranked]
    assert [one for one in order if one in of_complaint] == list(of_complaint)
    assert sorted(order) == sorted(set(of_complaint).union(*parts))
    scores = [score for _, score in ranked]
    assert scores == sorted(scores, reverse=True) and all(0 <= score <= 1 for score in scores)
    if order[0] not in of_complaint:  # only what is surer than all of the complaint's stands before it
        assert scores[0] > max(of_complaint.values())

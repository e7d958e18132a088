"""Features of three candidates, worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from citegrain.tasks.online.features import FEATURES, Candidates, Priors, matrix, meaning
from citegrain.tasks.online.features.candidates import CHANNELS, Facts

A1, A2, B1 = "a-act-2000/sec_1", "a-act-2000/sec_2", "b-act-2001/sec_1"
TEXTS = {
    A1: "Whoever steals shall be punished with fine.",
    A2: "theft means taking",
    B1: "The court may order it.",
}
HEADINGS = {A1: "Theft defined", A2: "Definitions", B1: ""}


PRIORS = Priors({A1: 3.0, A2: 1.0})


def law() -> Facts:
    """Texts, and one reference: section 1 of the first Act refers to section 2."""
    texts = {provision: (text, HEADINGS[provision]) for provision, text in TEXTS.items()}
    return Facts(texts, [(A1, A2)], lambda text: text.lower().split(), lambda t: 3.0 if t == "theft" else 1.0)


def gathered(
    lists: Mapping[str, list[tuple[str, float]]],
    text: str = "how to recover money",
    priors: Priors = PRIORS,
    **query: Any,
) -> Candidates:
    """Candidates A1, A2, B1 in that order, with places by channel."""
    ids = [A1, A2, B1]
    nowhere = (np.nan, np.nan)
    places = {c: {p: (n + 1.0, s) for n, (p, s) in enumerate(lists.get(c, []))} for c in CHANNELS}
    columns = {c: np.array([places[c].get(p, nowhere) for p in ids]) for c in CHANNELS}
    fused = np.sum([np.nan_to_num(1 / (60 + column[:, 0])) for column in columns.values()], axis=0)
    return Candidates(
        {"text": text, "acts": [], **query},
        ids,
        [f"{p}#1" for p in ids],
        [priors.act_of(p) for p in ids],
        {c: column[:, 0] for c, column in columns.items()},
        {c: column[:, 1] for c, column in columns.items()},
        fused,
        priors,
        law(),
    )


LISTS = {"dense": [(A1, 0.9), (B1, 0.5)], "lay_dense": [(A2, 0.7), (A1, 0.4)], "sparse": [(B1, 8.0)]}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("dense_closeness", [1, 0, 0.5]),
        ("dense_score", [0.9, math.nan, 0.5]),
        ("dense_gap", [0, math.nan, 0.4]),
        ("provision_gap", [math.nan] * 3),
        ("fused_rank", [1, 3, 2]),
        ("agreeing", [2, 1, 2]),
        ("agreeing_10", [2, 1, 2]),
        ("act_gap", [0, 0, 0.4]),
        ("act_named", [0, 0, 1]),
        ("act_without_lay_texts", [0, 0, 1]),
        ("prior", [math.log(4), math.log(2), math.nan]),
        ("act_prior", [math.log(5), math.log(5), math.nan]),
        ("prior_in_act", [3 / 9, 1 / 9, math.nan]),
        ("cited_by_others", [0, 1, 0]),
        ("cites_others", [1, 0, 0]),
        ("is_offence", [1, 0, 0]),
        ("is_definition", [0, 1, 0]),
        ("is_procedure", [0, 0, 1]),
        ("words", [math.log(5)] * 3),
        ("asks_procedure", [1, 1, 1]),
        ("asks_remedy", [1, 1, 1]),
        ("asks_marriage", [0, 0, 0]),
        ("place_in_act", [0, math.log(2), 0]),
        ("dense_place_without_lay_texts", [math.nan, math.nan, 0]),
        ("sparse_gap_without_lay_texts", [math.nan, math.nan, 0]),
        ("heading_definitions", [0, 1, 0]),
        ("heading_penalty", [0, 0, 0]),
    ],
)
def test_by_hand(name: str, expected: list[float]) -> None:
    candidates = gathered(LISTS, acts=["b-act-2001"])
    assert FEATURES[name](candidates) == pytest.approx(expected, nan_ok=True, abs=1e-6)


def test_a_heading_counts_by_the_rarity_of_its_words() -> None:
    shares = FEATURES["heading_share"](gathered(LISTS, text="Theft of a cow"))
    assert shares == pytest.approx([3 / 4, 0, 0])


def test_acts_without_lay_texts_stand_among_themselves() -> None:
    lists = {"dense": [(A1, 0.9), (B1, 0.5), (A2, 0.4)]}
    candidates = gathered(lists)
    places, gaps = (FEATURES[f"dense_{name}_without_lay_texts"](candidates) for name in ("place", "gap"))
    assert places == pytest.approx(np.log1p([0, 2, 1])) and gaps == pytest.approx([0, 0.5, 0.4])


def test_a_provision_that_its_act_got_since_is_as_one_of_a_new_act_and_is_named_with_it() -> None:
    lists = {"dense": [(A1, 0.9), (A2, 0.5)], "lay_dense": [(A1, 0.7)]}
    candidates = gathered(lists, priors=Priors({A1: 3.0}, {A1, B1}), acts=["a-act-2000"])
    names = ("prior", "act_prior", "act_without_lay_texts", "act_named", "place_in_act")
    values = {name: FEATURES[name](candidates)[:2].tolist() for name in names}
    assert values == {
        "prior": [pytest.approx(math.log(4)), pytest.approx(math.nan, nan_ok=True)],
        "act_prior": [pytest.approx(math.log(4)), pytest.approx(math.nan, nan_ok=True)],
        "act_without_lay_texts": [0, 1],
        "act_named": [1, 1],
        "place_in_act": [0, 0],
    }


def test_shares_of_the_acts_sum_to_one() -> None:
    shares = FEATURES["act_share"](gathered(LISTS))
    assert shares[0] == shares[1] and shares[0] + shares[2] == pytest.approx(1)


def test_each_feature_has_a_value_for_each_candidate_also_where_no_channel_found_any() -> None:
    for lists in (LISTS, {}):
        values = matrix(gathered(lists), tuple(FEATURES))
        assert values.shape == (3, len(FEATURES)) and values.dtype == np.float32


def test_every_feature_says_what_it_is() -> None:
    assert all(meaning(name).endswith(".") for name in FEATURES)
    assert meaning("dense_gap") == "How far the score is below the best of the channel."

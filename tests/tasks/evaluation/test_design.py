"""Cells and contrasts, by hand on small designs and as properties of any."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.evaluation.design import (
    Contrast,
    Design,
    DesignError,
    fraction,
    full,
    interaction,
    interactions,
    main,
)
from tests.tasks.evaluation.compare.studies import FACTORS

CONTRASTS = [
    Contrast("retrieval", "rrf", "dense"),
    Contrast("retrieval", "rrf", "sparse"),
    Contrast("chunking", "statutory", "fixed"),
    Contrast("reranker", "on", "off"),
]


def test_every_combination_is_a_cell_with_its_name() -> None:
    design = full(FACTORS)
    assert len(design.cells) == 64 and design.full and not design.aliases
    assert design.cells["rrf-fixed-reranker_on-provenance_off-mmr"] == {
        "retrieval": "rrf", "chunking": "fixed", "reranker": "on", "provenance": "off", "diversity": "mmr",
    }  # fmt: skip
    assert {tuple(c.values()) for c in design.cells.values()} == set(product(*FACTORS.values()))


@pytest.mark.parametrize(
    ("factors", "message"),
    [
        ({"a": ["x"]}, "factor a"),
        ({"a": ["x", "x"]}, "factor a"),
        ({"a": ["x", "x-y"], "b": ["y-z", "z"]}, "same name"),
    ],
)
def test_factors_that_are_no_design_are_refused(factors: dict[str, list[str]], message: str) -> None:
    dashes = {"a": ["x", "y-z"], "b": ["z-u", "u"], "c": ["p", "q"], "d": ["x-y", "y"]}
    assert len(full(dashes).cells) == 16
    with pytest.raises(DesignError, match=message):
        full(factors)


def test_a_fraction_is_balanced_and_names_what_it_mixes_up() -> None:
    design = fraction(FACTORS)
    assert len(design.cells) == 16 and not design.full
    for factor, levels in FACTORS.items():  # each level equally often, and each two of two factors
        counts = Counter(cell[factor] for cell in design.cells.values())
        assert set(counts.values()) == {16 // len(levels)}
    for a, b in combinations(FACTORS, 2):
        counts2 = Counter((cell[a], cell[b]) for cell in design.cells.values())
        assert len(counts2) == len(FACTORS[a]) * len(FACTORS[b]) and len(set(counts2.values())) == 1
    assert "retrieval.1 x retrieval.2 = provenance x diversity" in design.aliases
    alone = [term for chain in design.aliases for term in chain.split(" = ") if " x " not in term]
    assert not alone, "no factor is mixed up with an interaction of two"


@pytest.mark.parametrize(
    ("factors", "message"),
    [
        ({"a": ["1", "2", "3"], "b": ["x", "y"]}, "2, 4 or 8"),
        ({"a": ["1", "2"], "b": ["x", "y"]}, "no fraction.*study.cells=all.*lower resolution"),
    ],
)
def test_a_fraction_that_does_not_exist_is_refused(factors: dict[str, list[str]], message: str) -> None:
    with pytest.raises(DesignError, match=message):
        fraction(factors)


def shortest_word(columns: np.ndarray) -> int:
    """Columns of -1 and 1; the least number of them whose product is the same in all runs."""
    n = columns.shape[1]
    return next(
        size
        for size in range(1, n + 1)
        for word in combinations(range(n), size)
        if abs(columns[:, word].prod(axis=1).sum()) == len(columns)
    )


@pytest.mark.parametrize(
    ("columns", "resolution", "cells"),
    [
        (3, 3, 4), (7, 3, 8), (8, 3, 16), (11, 3, 16),
        (4, 4, 8), (6, 4, 16), (8, 4, 16), (9, 4, 32),
        (5, 5, 16), (7, 5, 64), pytest.param(8, 5, 64, marks=pytest.mark.slow), (10, 9, 512),
    ],
)  # fmt: skip
def test_a_fraction_is_the_smallest_of_its_resolution(columns: int, resolution: int, cells: int) -> None:
    """Sizes of resolution V and more: by the tables of binary linear codes, whose distance it is."""
    design = fraction({f"f{n}": [f"a{n}", f"b{n}"] for n in range(columns)}, resolution)
    assert len(design.cells) == cells
    signs = np.array([[1 if lv[0] == "b" else -1 for lv in c.values()] for c in design.cells.values()])
    assert shortest_word(signs) >= resolution


@pytest.mark.parametrize(("columns", "resolution"), [(9, 5), (16, 4), (9, 9)])
def test_a_fraction_of_too_low_a_resolution_is_refused(columns: int, resolution: int) -> None:
    """``fracfact_by_res`` of pyDOE3 1.6.2 gives resolution IV, III and none."""
    with pytest.raises(DesignError, match=r"resolution \d: take all cells \(study.cells=all\), or a lower"):
        fraction({f"f{n}": [f"a{n}", f"b{n}"] for n in range(columns)}, resolution)


def test_weights_of_two_factors_by_hand() -> None:
    design = full({"a": ["x", "y"], "b": ["u", "v", "w"]})
    weights, n = main(design, Contrast("a", "y", "x"), design.cells)
    third = pytest.approx(1 / 3)
    assert n == 3
    assert {c: w for c, w in weights.items() if w > 0} == {"y-u": third, "y-v": third, "y-w": third}
    assert {c: -w for c, w in weights.items() if w < 0} == {"x-u": third, "x-v": third, "x-w": third}
    weights, n = interaction(design, Contrast("a", "y", "x"), Contrast("b", "w", "u"), design.cells)
    assert n == 1 and weights == {"y-w": 1, "x-w": -1, "y-u": -1, "x-u": 1}


def test_of_a_hole_its_partner_is_left_out_too() -> None:
    design = full({"a": ["x", "y"], "b": ["u", "v", "w"]})
    present = set(design.cells) - {"x-v"}
    weights, n = main(design, Contrast("a", "y", "x"), present)
    assert n == 2 and set(weights) == {"y-u", "x-u", "y-w", "x-w"}
    assert main(design, Contrast("a", "y", "x"), {"x-u", "y-v"}) == ({}, 0)
    assert interaction(design, Contrast("a", "y", "x"), Contrast("b", "v", "u"), present) == ({}, 0)


effects = st.lists(st.floats(-1, 1), min_size=9, max_size=9)


@given(effects, st.sampled_from([full(FACTORS), fraction(FACTORS)]))
@settings(max_examples=40)
def test_planted_effects_are_recovered(planted: list[float], design: Design) -> None:
    """Effects of the factors alone: a full design and a fraction give them back exactly."""
    worth = dict(zip([(f, lv) for f in FACTORS for lv in FACTORS[f][1:]], planted, strict=False))
    values = {n: sum(worth.get(level, 0.0) for level in c.items()) for n, c in design.cells.items()}
    for contrast in CONTRASTS:
        weights, _ = main(design, contrast, values)
        effect = sum(w * values[c] for c, w in weights.items())
        f = contrast.factor
        planted_effect = worth.get((f, contrast.level), 0.0) - worth.get((f, contrast.against), 0.0)
        assert effect == pytest.approx(planted_effect, abs=1e-9)
        assert sum(weights.values()) == pytest.approx(0, abs=1e-9)


def test_a_planted_interaction_is_recovered_and_no_other_appears() -> None:
    design = full(FACTORS)
    values = {
        name: 0.3 * (c["chunking"] == "statutory") * (c["reranker"] == "on") + 0.1 * (c["retrieval"] == "rrf")
        for name, c in design.cells.items()
    }
    for a, b in interactions(CONTRASTS):
        weights, n = interaction(design, a, b, design.cells)
        effect = sum(w * values[c] for c, w in weights.items())
        planted = {a.factor, b.factor} == {"chunking", "reranker"}
        assert effect == pytest.approx(0.3 if planted else 0, abs=1e-9) and n in (4, 8, 16)
    assert len(interactions(CONTRASTS)) == 5, "not of two contrasts of one factor"


def test_a_fraction_with_a_hole_is_still_estimated_and_with_too_many_is_not() -> None:
    design = fraction(FACTORS)
    contrast = CONTRASTS[0]
    names = list(design.cells)
    weights, n = main(design, contrast, names[1:])
    assert 0 < n <= 15 and names[0] not in weights
    values = {c: 0.2 * (cell["retrieval"] == "rrf") for c, cell in design.cells.items()}
    assert sum(w * values[c] for c, w in weights.items()) == pytest.approx(0.2)
    assert main(design, contrast, names[:3]) == ({}, 0)
    assert interaction(design, CONTRASTS[0], CONTRASTS[2], names) == ({}, 0)
    assert np.isclose(sum(weights.values()), 0)

"""Effects of factors: worked by hand on small designs, and what must and must not change a number."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.core.schemas import EFFECTS
from citegrain.tasks.evaluation.compare import MEAN, Paired, bca, compare, effects, holm
from citegrain.tasks.evaluation.compare.estimates import EXPLORED
from citegrain.tasks.evaluation.compare.pairs import mean_difference
from citegrain.tasks.evaluation.compare.values import Floats, derive_seed
from citegrain.tasks.evaluation.design import Contrast, fraction, full, main
from tests.tasks.evaluation.compare import studies
from tests.tasks.evaluation.compare.studies import KINDS, SMALL, A, B, by_cell, from_rows, table

THREE = full({"a": ["x", "y"], "b": ["off", "on"], "c": ["u", "v", "w"]})
V, W = Contrast("c", "v", "u"), Contrast("c", "w", "u")

Row = dict[str, Any]


def drawn(cells: int, n: int, seed: int = 1) -> Floats:
    return np.random.default_rng(seed).choice([0, 0.25, 1 / 3, 0.5, 1], size=(cells, n))


def few_draws(*given: Any) -> pa.Table:
    """Effects from few samples: what leaves a number as it is does so however many it rests on."""

    def few(values: Floats, seed: int, drawn: int) -> Paired:
        return mean_difference(values, seed, resamples=499, drawn=499)

    with mock.patch("citegrain.tasks.evaluation.compare.estimates.mean_difference", few):
        return effects(*given)


def keyed(rows: Sequence[Row], *less: str) -> dict[tuple[object, ...], str]:
    """Numbers as text by what names a row: NaN equals NaN."""
    place = ("kind", "contrast", "metric", "dimension", "group")
    away = {*place, *less}
    return {tuple(r[k] for k in place): repr({k: v for k, v in r.items() if k not in away}) for r in rows}


def test_by_hand() -> None:
    values = {
        "x-b_off": [0, 0.5, 1, 0.25],
        "x-b_on": [0.5, 0.5, 1, 0.25],
        "y-b_off": [0.5, 0.5, 0, 0.25],
        "y-b_on": [1, 1, 0, 0.25],
    }
    computed = effects(table({"mrr": values}), KINDS, SMALL, [A, B], ["mrr"], 3)
    assert computed.schema.equals(EFFECTS.arrow, check_metadata=True)
    a, b, both = computed.to_pylist()
    # of a: .5, .25, -1, 0 by query; every sign pattern is as far from 0 as this one
    assert (a["effect"], a["n"], a["matched"], a["wins"], a["losses"], a["p"]) == (-0.0625, 4, 2, 2, 1, 1)
    # of b: .5, .25, 0, 0; of 4 patterns 2 are as far
    assert (b["effect"], b["n"], b["matched"], b["wins"], b["losses"], b["p"]) == (0.1875, 4, 2, 2, 0, 0.5)
    assert [a["p_holm"], b["p_holm"]] == [1, 1]
    # a adds .5, .5, -1, 0 with b and .5, 0, -1, 0 without it: .5 more on the second query alone
    assert (both["effect"], both["n"], both["matched"], both["wins"], both["losses"]) == (0.125, 4, 1, 1, 0)
    assert math.isnan(both["p_holm"]) and both["p"] == 1
    interval = bca([0.5, 0.25, -1, 0], derive_seed(derive_seed(3, "mrr"), "bootstrap"))
    assert (a["lo"], a["hi"]) == (interval.lo, interval.hi)
    columns = ("kind", "contrast", "factor", "level", "against", "by_factor", "by_level", "by_against")
    assert [a[k] for k in columns] == ["main", "a: y - x", "a", "y", "x", None, None, None]
    label = "a: y - x x b: on - off"
    assert [both[k] for k in columns] == ["interaction", label, "a", "y", "x", "b", "on", "off"]


def test_with_one_pair_of_cells_it_is_the_paired_comparison() -> None:
    design = full({"a": ["x", "y"]})
    scores = table({"mrr": by_cell(design, drawn(2, 60))})
    (one,) = effects(scores, KINDS, design, [A], ["mrr"], 3).to_pylist()
    (other,) = compare(scores, KINDS, [("x", "y", "mrr")], 3).to_pylist()
    assert one["effect"] == pytest.approx(other["difference"], abs=1e-12)
    for name in ("lo", "hi", "n", "wins", "losses", "p", "p_holm", "mde"):
        assert one[name] == pytest.approx(other[name], abs=1e-12), name


def test_the_rows_and_their_family() -> None:
    scores = table({"mrr": by_cell(THREE, drawn(12, 20)), "accuracy": by_cell(THREE, drawn(12, 20) // 1)})
    groups = [(f"q{i:03}", "half", str(i % 2)) for i in range(20)] + [("q999", "half", "none")]
    rows = effects(scores, KINDS, THREE, [V, A, W], ["accuracy", "mrr"], 3, groups).to_pylist()
    mains = [(c.label, m) for c in (V, A, W) for m in ("accuracy", "mrr")]
    pairs = [(f"{a.label} x {b.label}", m) for a, b in ((V, A), (A, W)) for m in ("accuracy", "mrr")]
    assert [(r["contrast"], r["metric"]) for r in rows] == mains + pairs + mains + mains
    assert [r["group"] for r in rows] == ["all"] * 10 + ["0"] * 6 + ["1"] * 6
    assert [r["confirmatory"] for r in rows] == [True] * 6 + [False] * 16
    assert [r["p_holm"] for r in rows[:6]] == holm([r["p"] for r in rows[:6]])
    assert all(math.isnan(r["p_holm"]) and not math.isnan(r["p"]) for r in rows[6:])
    # the halves are the whole
    for i in range(6):
        assert rows[i]["effect"] == pytest.approx((rows[10 + i]["effect"] + rows[16 + i]["effect"]) / 2)


def test_a_group_is_a_study_of_its_queries() -> None:
    values = drawn(4, 40)
    scores = table({"mrr": by_cell(SMALL, values)})
    groups = [(f"q{i:03}", "act", "bns") for i in range(0, 40, 3)]
    row = effects(scores, KINDS, SMALL, [A], ["mrr"], 3, groups).to_pylist()[-1]
    d = ((values[2] + values[3] - values[0] - values[1]) / 2)[::3]
    alone = mean_difference(d, derive_seed(3, "mrr", "act", "bns"), drawn=EXPLORED)
    assert (row["n"], row["matched"], row["dimension"]) == (14, 2, "act")
    numbers = [alone.difference, alone.lo, alone.hi, alone.p]
    assert [row[name] for name in ("effect", "lo", "hi", "p")] == pytest.approx(numbers, abs=1e-11)


def test_a_hole_drops_its_matched_pair() -> None:
    values = by_cell(THREE, drawn(12, 8))
    del values["y-b_on-v"]
    rows = effects(table({"mrr": values}), KINDS, THREE, [A, B, V, W], ["mrr"], 3).to_pylist()
    assert [r["matched"] for r in rows[:4]] == [5, 5, 3, 4]
    pairs = [(f"y-{b}-{c}", f"x-{b}-{c}") for b in ("b_off", "b_on") for c in "uvw"]
    left = [values[y] - values[x] for y, x in pairs if y in values]
    assert rows[0]["effect"] == pytest.approx(np.mean(left))
    assert rows[4]["contrast"] == f"{A.label} x {B.label}" and rows[4]["matched"] == 2
    with_b, without = ([values[f"y-{b}-{c}"] - values[f"x-{b}-{c}"] for c in "uw"] for b in ("b_on", "b_off"))
    assert rows[4]["effect"] == pytest.approx(np.mean(with_b) - np.mean(without))


def test_a_query_without_a_value_is_left_out_where_the_effect_rests_on_it() -> None:
    values = drawn(12, 10)
    cells = list(THREE.cells)
    values[cells.index("y-b_on-v"), 4] = np.nan
    rows = effects(table({"mrr": by_cell(THREE, values)}), KINDS, THREE, [A, V, W], ["mrr"], 3).to_pylist()
    assert [r["n"] for r in rows[:3]] == [9, 9, 10]  # w against u does not rest on v
    rest = np.delete(values, 4, axis=1)
    assert rows[0]["effect"] == pytest.approx(np.mean(rest[6:] - rest[:6]))


def test_what_is_0_but_for_rounding_is_no_win() -> None:
    design = full({"a": ["x", "y"], "c": ["u", "v", "w"]})
    values = np.array([[0.0], [0.0], [0.3], [0.1], [0.2], [0.0]]).repeat(9, axis=1)
    assert 0.1 / 3 + 0.2 / 3 - 0.3 / 3 != 0
    for size in (1.0, 1e6, 1e-6):
        scores = table({"mrr": by_cell(design, size * values)})
        row = effects(scores, KINDS, design, [A], ["mrr"], 1).to_pylist()[0]
        assert (row["effect"], row["lo"], row["hi"], row["wins"], row["losses"]) == (0, 0, 0, 0, 0)


def test_where_no_query_moved() -> None:
    values = np.concatenate([drawn(1, 30)] * 4)
    row = effects(table({"mrr": by_cell(SMALL, values)}), KINDS, SMALL, [A], ["mrr"], 1).to_pylist()[0]
    assert (row["effect"], row["lo"], row["hi"], row["p"], row["p_holm"], row["n"]) == (0, 0, 0, 1, 1, 30)
    assert math.isnan(row["mde"])


def test_in_a_fraction_there_are_main_effects_alone() -> None:
    design = fraction(studies.FACTORS)
    values = by_cell(design, drawn(len(design.cells), 15))
    rows = effects(table({"mrr": values}), KINDS, design, studies.CONTRASTS, ["mrr"], 1).to_pylist()
    assert [r["kind"] for r in rows] == ["main"] * 7
    weights, cells = main(design, studies.CONTRASTS[0], design.cells)
    expected = sum(w * values[cell].mean() for cell, w in weights.items())
    assert rows[0]["effect"] == pytest.approx(expected) and rows[0]["matched"] == cells


def test_what_cannot_be_estimated_keeps_its_row_and_counts() -> None:
    values = by_cell(SMALL, drawn(4, 12) + np.array([[0], [0], [0.4], [0.4]]))
    del values["x-b_on"], values["y-b_on"]
    rows = effects(table({"mrr": values}), KINDS, SMALL, [A, B], ["mrr", "accuracy"], 1).to_pylist()
    assert [(r["n"], r["matched"], r["wins"]) for r in rows[1:]] == [(0, 0, 0)] * 5
    assert all(math.isnan(r[k]) for r in rows[1:] for k in ("effect", "lo", "hi", "p", "p_holm", "mde"))
    assert rows[0]["p_holm"] == pytest.approx(min(1, 4 * rows[0]["p"])) and rows[0]["p"] < 0.2


def test_a_query_alone_has_an_effect_without_interval() -> None:
    row = effects(table({"mrr": by_cell(SMALL, drawn(4, 1))}), KINDS, SMALL, [A], ["mrr"], 1).to_pylist()[0]
    assert row["n"] == 1 and not math.isnan(row["effect"])
    assert math.isnan(row["lo"]) and math.isnan(row["mde"])


ROWS = [
    (c, f"q{i:03}", "mrr", float(drawn(12, 9)[n, i])) for n, c in enumerate(THREE.cells) for i in range(9)
]


@settings(max_examples=3)
@given(st.permutations(ROWS), st.permutations([(f"q{i:03}", "half", str(i % 2)) for i in range(9)]))
def test_the_order_of_rows_changes_no_number(
    rows: list[tuple[str, str, str, float]], groups: list[tuple[str, str, str]]
) -> None:
    contrasts = [A, B, V]
    one = few_draws(from_rows(ROWS), KINDS, THREE, contrasts, ["mrr"], 3, sorted(groups))
    other = few_draws(from_rows(rows), KINDS, THREE, contrasts, ["mrr"], 3, groups)
    assert keyed(one.to_pylist()) == keyed(other.to_pylist())


@settings(max_examples=3)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.booleans())
def test_what_is_outside_changes_no_number(values: list[float], first: bool) -> None:
    """A configuration that is no cell, a metric that is not asked for, a query that no group has."""
    more = [("elsewhere", f"q{i:03}", "mrr", v) for i, v in enumerate(values)]
    more += [(next(iter(THREE.cells)), f"q{i:03}", "other", v) for i, v in enumerate(values)]
    kinds = KINDS | {"other": MEAN}
    groups = [("q001", "half", "x"), ("q002", "half", "x")]
    one = few_draws(from_rows(ROWS), KINDS, THREE, [A, V], ["mrr"], 3, groups)
    scores = from_rows(more + ROWS if first else ROWS + more)
    other = few_draws(scores, kinds, THREE, [A, V], ["mrr"], 3, [*groups, ("q999", "half", "y")])
    assert keyed(one.to_pylist()) == keyed(other.to_pylist())


@settings(max_examples=3)
@given(st.permutations([A, B, V, W]), st.integers(1, 3))
def test_a_row_does_not_depend_on_the_other_contrasts(contrasts: list[Contrast], n: int) -> None:
    scores = from_rows(ROWS)
    few = few_draws(scores, KINDS, THREE, contrasts[:n], ["mrr"], 3).to_pylist()
    all_four = few_draws(scores, KINDS, THREE, contrasts, ["mrr", "accuracy"], 3).to_pylist()
    assert keyed(few, "p_holm").items() <= keyed(all_four, "p_holm").items()


@settings(max_examples=4)
@given(st.lists(st.lists(st.floats(0, 1), min_size=7, max_size=7), min_size=12, max_size=12))
def test_turned_round_an_effect_changes_its_sign(values: list[list[float]]) -> None:
    scores = table({"mrr": by_cell(THREE, np.array(values))})
    back_a, back_v = Contrast("a", "x", "y"), Contrast("c", "u", "v")
    there = few_draws(scores, KINDS, THREE, [A, V], ["mrr"], 3).to_pylist()
    back = few_draws(scores, KINDS, THREE, [back_a, back_v], ["mrr"], 3).to_pylist()
    for one, other in zip(there[:2], back[:2], strict=True):
        assert (other["effect"], other["p"]) == (-one["effect"], one["p"])
        assert (other["wins"], other["losses"]) == (one["losses"], one["wins"])
        assert (other["lo"], other["hi"]) == pytest.approx((-one["hi"], -one["lo"]), abs=1e-9)
    # an interaction of which both contrasts are turned round is the same
    assert there[2]["effect"] == back[2]["effect"]


@settings(max_examples=4)
@given(st.lists(st.lists(st.floats(0, 1), min_size=5, max_size=5), min_size=12, max_size=12))
def test_a_whole_study_gives_differences_of_means(values: list[list[float]]) -> None:
    """And an interaction is the effect of a within one level of b minus that within the other."""
    array = np.array(values)
    scores = table({"mrr": by_cell(THREE, array)})
    a, b, both = few_draws(scores, KINDS, THREE, [A, B], ["mrr"], 3).to_pylist()
    level = {k: np.array([cell[k] for cell in THREE.cells.values()]) for k in "ab"}
    y, on = level["a"] == "y", level["b"] == "on"
    assert a["effect"] == pytest.approx(array[y].mean() - array[~y].mean(), abs=1e-11)
    assert b["effect"] == pytest.approx(array[on].mean() - array[~on].mean(), abs=1e-11)
    under = [array[y & s].mean() - array[~y & s].mean() for s in (on, ~on)]
    assert both["effect"] == pytest.approx(under[0] - under[1], abs=1e-11)


def test_nothing_declared_is_an_empty_table() -> None:
    scores = table({"mrr": by_cell(SMALL, drawn(4, 3))})
    assert effects(scores, KINDS, SMALL, [], ["mrr"], 1).num_rows == 0
    assert effects(scores, KINDS, SMALL, [A], [], 1).num_rows == 0
    assert effects(table({}), KINDS, SMALL, [A], ["mrr"], 1).to_pylist()[0]["n"] == 0


@pytest.mark.slow
def test_a_study_takes_seconds() -> None:
    values = np.random.default_rng(1).random((64, 200))
    cells = {"mrr": by_cell(studies.DESIGN, values), "accuracy": by_cell(studies.DESIGN, np.round(values))}
    scores = table(cells)
    # two groups and six
    groups = [(f"q{i:03}", f"by {k}", str(i * k // 200)) for k in (2, 6) for i in range(200)]
    start = time.process_time()
    rows = effects(scores, KINDS, studies.DESIGN, studies.CONTRASTS, ["mrr", "accuracy"], 1, groups)
    assert rows.num_rows == 2 * (7 + 18 + 7 * 8)
    assert time.process_time() - start < 10

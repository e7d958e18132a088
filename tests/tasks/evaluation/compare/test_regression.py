"""The regression beside the effects: against hand calculation, planted log odds, and where it has no answer."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pyarrow as pa
import pytest
from scipy import special

from citegrain.tasks.core.schemas import MODEL
from citegrain.tasks.evaluation.compare import effects, model
from citegrain.tasks.evaluation.compare.values import Floats
from citegrain.tasks.evaluation.design import Contrast, fraction, full
from tests.tasks.evaluation.compare import studies
from tests.tasks.evaluation.compare.studies import (
    KINDS,
    SMALL,
    A,
    B,
    Population,
    by_cell,
    from_rows,
    table,
    worth,
)

THREE = full({"a": ["x", "y"], "c": ["u", "v", "w"]})


def scores(metric: str, values: Floats | list[list[float]]) -> pa.Table:
    return table({metric: by_cell(SMALL, np.array(values))})


def test_in_a_whole_study_a_linear_model_gives_the_effects() -> None:
    """And its robust standard error is that of the mean effect over queries, with n instead of n - 1."""
    values = np.random.default_rng(1).random((64, 30))
    study = table({"mrr": by_cell(studies.DESIGN, values)})
    fitted = model(study, KINDS, studies.DESIGN, studies.CONTRASTS, ["mrr"])
    assert fitted.schema.equals(MODEL.arrow, check_metadata=True)
    rows = fitted.to_pylist()
    direct = effects(study, KINDS, studies.DESIGN, studies.CONTRASTS, ["mrr"], 1).to_pylist()
    cells = list(studies.DESIGN.cells.values())
    for row, effect, contrast in zip(rows, direct, studies.CONTRASTS, strict=False):
        identity = (row["contrast"], row["family"], row["n"], row["cells"])
        assert identity == (contrast.label, "gaussian", 30, 64)
        assert row["estimate"] == pytest.approx(effect["effect"], abs=1e-10)
        assert row["difference"] == pytest.approx(effect["effect"], abs=1e-10)
        high, low = (
            values[[cell[contrast.factor] == level for cell in cells]].mean(axis=0)
            for level in (contrast.level, contrast.against)
        )
        half = 1.959964 * np.std(high - low) / math.sqrt(30)
        bounds = (row["estimate"] - half, row["estimate"] + half)
        assert (row["lo"], row["hi"]) == pytest.approx(bounds, rel=1e-6)


def test_a_logistic_model_by_hand() -> None:
    """One factor: the log odds ratio of the two shares, whatever the correlation of the queries."""
    design = full({"a": ["x", "y"]})
    values = np.zeros((2, 20))
    values[0, :5], values[1, 3:13] = 1, 1
    (row,) = model(table({"accuracy": by_cell(design, values)}), KINDS, design, [A], ["accuracy"]).to_pylist()
    assert row["estimate"] == pytest.approx(special.logit(0.5) - special.logit(0.25), abs=1e-6)
    assert row["difference"] == pytest.approx(0.25, abs=1e-6)
    # delta method: the influence of a query is its residual over the variance of the share, both cells together
    influence = (values[1] - 0.5) / 0.25 - (values[0] - 0.25) / (0.25 * 0.75)
    half = 1.959964 * math.sqrt((influence**2).sum()) / 20
    assert row["hi"] - row["estimate"] == pytest.approx(half, rel=1e-5)


def test_planted_log_odds_are_recovered() -> None:
    """By cell the log odds are a sum of main effects; all answers to a query share one draw."""
    rng = np.random.default_rng(2)
    planted: dict[tuple[str, ...], float]
    planted = {("retrieval=rrf",): 0.8, ("retrieval=weighted",): 0.4, ("chunking=statutory",): -0.3}
    odds = worth(studies.DESIGN, planted | {("reranker=on",): 0.5}, -0.4)
    ease = special.expit(rng.logistic(size=4000))  # uniform: the share of each cell is what was planted
    values = (ease < special.expit(odds)[:, np.newaxis]).astype(float)
    assert np.corrcoef(values[0], values[-1])[0, 1] > 0.5
    study = table({"accuracy": by_cell(studies.DESIGN, values)})
    wanted = [0, 0.4, 0.8, -0.3, 0.5, 0, 0]
    rows = model(study, KINDS, studies.DESIGN, studies.CONTRASTS, ["accuracy"]).to_pylist()
    for row, size in zip(rows, wanted, strict=True):
        assert row["family"] == "binomial"
        assert row["estimate"] == pytest.approx(size, abs=0.06)
        assert row["lo"] - 1e-3 <= size <= row["hi"] + 1e-3
    # what a level makes of the share, averaged over the cells
    shares = special.expit(worth(studies.DESIGN, planted, -0.4))
    more = special.expit(special.logit(shares) + 0.5) - shares
    assert rows[4]["difference"] == pytest.approx(more.mean(), abs=0.015)
    assert [row["estimate"] for row in rows[5:]] == [0, 0]  # these move no query


def test_it_agrees_with_the_effects() -> None:
    """In one study with main effects alone: the differences lie near, and so do the p-values."""
    population = Population(studies.DESIGN, worth(studies.DESIGN, {("reranker=on",): 0.5}, 0.2))
    right, score = population.draw(150, np.random.default_rng(3))
    study = table({"accuracy": by_cell(studies.DESIGN, right), "mrr": by_cell(studies.DESIGN, score)})
    metrics = ["accuracy", "mrr"]
    direct = effects(study, KINDS, studies.DESIGN, studies.CONTRASTS[3:], metrics, 1).to_pylist()
    fitted = model(study, KINDS, studies.DESIGN, studies.CONTRASTS[3:], metrics).to_pylist()
    for row, effect in zip(fitted, direct, strict=False):
        assert row["difference"] == pytest.approx(effect["effect"], abs=0.002)
        assert row["p"] == pytest.approx(effect["p"], abs=0.03)


def test_it_uses_cells_and_values_that_have_no_match() -> None:
    values = np.random.default_rng(4).random((6, 25))
    values[5] = np.nan  # y with w
    values[2, :5] = np.nan
    row = model(table({"mrr": by_cell(THREE, values)}), KINDS, THREE, [A], ["mrr"]).to_pylist()[0]
    assert (row["n"], row["cells"]) == (25, 5)
    assert math.isfinite(row["estimate"]) and row["lo"] < row["estimate"] < row["hi"]


def test_a_fraction_is_fitted() -> None:
    design = fraction(studies.FACTORS)
    study = table({"mrr": by_cell(design, np.random.default_rng(5).random((len(design.cells), 40)))})
    rows = model(study, KINDS, design, studies.CONTRASTS, ["mrr"]).to_pylist()
    direct = effects(study, KINDS, design, studies.CONTRASTS, ["mrr"], 1).to_pylist()
    assert [r["estimate"] for r in rows] == pytest.approx([r["effect"] for r in direct], abs=1e-10)


def test_the_order_of_rows_changes_no_number() -> None:
    values = np.random.default_rng(6).random((4, 12))
    rows = [(c, f"q{i:03}", "mrr", float(values[n, i])) for n, c in enumerate(SMALL.cells) for i in range(12)]
    one = model(from_rows(rows), KINDS, SMALL, [A, B], ["mrr"])
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(rows))
        other = model(from_rows([rows[i] for i in order]), KINDS, SMALL, [A, B], ["mrr"])
        assert one.equals(other)
    assert one.equals(model(from_rows([*rows, ("z", "q", "mrr", 0.5)]), KINDS, SMALL, [A, B], ["mrr"]))


def test_turned_round_an_effect_changes_its_sign() -> None:
    study = scores("accuracy", np.random.default_rng(7).random((4, 40)) // 0.5)
    (there,), (back,) = (
        model(study, KINDS, SMALL, [c], ["accuracy"]).to_pylist() for c in (A, Contrast("a", "x", "y"))
    )
    for name in ("estimate", "difference"):
        assert back[name] == pytest.approx(-there[name])
    assert (back["lo"], back["hi"], back["p"]) == pytest.approx((-there["hi"], -there["lo"], there["p"]))


EASE = np.random.default_rng(8).random(30)
COIN = (np.random.default_rng(9).random((2, 30)) > 0.5).astype(float)


@pytest.mark.parametrize(
    ("metric", "values"),
    [
        pytest.param("mrr", np.full((4, 30), 0.5), id="constant"),
        pytest.param("accuracy", np.ones((4, 30)), id="all right"),
        pytest.param("accuracy", np.concatenate([np.zeros((2, 30)), COIN]), id="a level always wrong"),
        pytest.param("accuracy", np.concatenate([np.zeros((1, 30)), COIN, np.ones((1, 30))]), id="separated"),
        pytest.param("mrr", np.random.default_rng(1).random((4, 2)), id="fewer queries than coefficients"),
        pytest.param("mrr", np.full((4, 1), np.nan), id="nothing"),
    ],
)
def test_no_answer_is_nan_without_a_word(
    metric: str, values: Floats, capfd: pytest.CaptureFixture[str]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = model(scores(metric, values), KINDS, SMALL, [A, B], [metric]).to_pylist()
    for row in rows:
        assert all(math.isnan(row[k]) for k in ("estimate", "lo", "hi", "p", "difference"))
    assert capfd.readouterr() == ("", "")


def test_a_level_without_a_cell_spoils_no_other() -> None:
    values = np.random.default_rng(4).random((6, 25))
    values[[2, 5]] = np.nan  # w
    contrasts = [A, Contrast("c", "v", "u"), Contrast("c", "w", "u")]
    rows = model(table({"mrr": by_cell(THREE, values)}), KINDS, THREE, contrasts, ["mrr"]).to_pylist()
    assert [math.isnan(r["estimate"]) for r in rows] == [False, False, True]
    assert rows[1]["estimate"] == pytest.approx(np.mean(values[[1, 4]] - values[[0, 3]]))


def test_levels_that_only_come_together_cannot_be_separated() -> None:
    values = np.random.default_rng(4).random((4, 25))
    values[[1, 2]] = np.nan  # x without b and y with it are left
    rows = model(scores("mrr", values), KINDS, SMALL, [A, B], ["mrr"]).to_pylist()
    assert all(math.isnan(r["estimate"]) for r in rows) and rows[0]["n"] == 25


@pytest.mark.parametrize("metric", ["mrr", "accuracy"])
def test_where_no_query_moved(metric: str) -> None:
    ease = EASE if metric == "mrr" else np.round(EASE)
    rows = model(scores(metric, np.tile(ease, (4, 1))), KINDS, SMALL, [A], [metric]).to_pylist()
    assert [rows[0][k] for k in ("estimate", "lo", "hi", "p", "difference")] == [0, 0, 0, 1, 0]


def test_the_same_shift_on_every_query_has_no_test() -> None:
    shifted = scores("mrr", EASE + np.array([[0], [0], [0.1], [0.1]]))
    row = model(shifted, KINDS, SMALL, [A], ["mrr"]).to_pylist()[0]
    assert [row[k] for k in ("estimate", "lo", "hi")] == pytest.approx([0.1] * 3) and math.isnan(row["p"])

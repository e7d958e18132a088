"""Figures: the same bytes from the same table, every configuration in them, names that cover none another."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import matplotlib as mpl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from citegrain.tasks.evaluation.compare import Outcomes, outcomes
from citegrain.tasks.evaluation.report import figures
from citegrain.tasks.evaluation.report.declared import against, timed
from citegrain.tasks.evaluation.report.drawing import (
    LOSS_COLOURS,
    broken,
    chosen,
    inline,
    spread,
    to_png,
    to_svg,
)
from citegrain.tasks.evaluation.score import LOSSES
from citegrain.tasks.evaluation.studies import StudyFolder, read_study
from tests.tasks.evaluation.report.studies import make_study

DRAWN: dict[str, Callable[[StudyFolder], Figure]] = {
    "forest": lambda s: figures.forest(s.tables["summary"], "primary_accuracy", s.baseline),
    "funnel": lambda s: figures.funnel(s.tables["funnel"], True),
    "breakdown": lambda s: figures.breakdown(s.tables["breakdown"], "ndcg_10", s.scored, {"plain": 0.5}),
    "time": lambda s: figures.accuracy_against(
        timed(s.rows("summary"), s.rows("timings"), "primary_accuracy"), "primary_accuracy"
    ),
    "cost": lambda s: figures.accuracy_against(
        against(s.rows("summary"), {"plain": 0.0, "default": 0.004}, "primary_accuracy"),
        "primary_accuracy",
        "Price",
    ),
}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> StudyFolder:
    return read_study(make_study(tmp_path_factory.mktemp("figures")))


@pytest.fixture(scope="module")
def sure() -> dict[str, Outcomes]:
    right = {"a": (0.95, 1.0), "b": (0.92, 0.0), "c": (0.3, 0.0), "d": (-1.0, 0.0)}
    values = {"confidence": {q: c for q, (c, _) in right.items() if c >= 0}, "failed": dict.fromkeys(right, 0.0),
              "primary_accuracy": {q: r for q, (_, r) in right.items()}}  # fmt: skip
    return {name: outcomes(values, charged=name == "charged") for name in ("all", "charged")}


def test_risk_is_drawn_at_every_coverage(sure: dict[str, Outcomes]) -> None:
    figure = figures.risk_coverage({"mine": sure["all"]})
    axes = figure.axes[0]
    line: Any = axes.get_lines()[0]
    assert list(line.get_xdata()) == [25, 50, 75, 100]
    assert list(line.get_ydata()) == pytest.approx([0, 50, 200 / 3, 75])
    assert "(n = 4)" in axes.get_xlabel() and figure.legends[0].get_texts()[0].get_text() == "mine"


def test_reliability_is_drawn_by_bins_with_their_counts(sure: dict[str, Outcomes]) -> None:
    upper, lower = figures.reliability({"mine": sure["charged"]}).axes
    lines: list[Any] = [line for line in upper.get_lines() if line.get_marker() == "o"]
    points = [(line.get_xdata()[0], line.get_ydata()[0]) for line in lines]
    assert points == [pytest.approx((30, 0)), pytest.approx((93.5, 50))]
    bars: list[Any] = list(lower.patches)
    counts = [(bar.get_x() + 4.6, bar.get_height()) for bar in bars]
    assert counts == [pytest.approx((25, 1)), pytest.approx((95, 2))]
    assert upper.get_title(loc="left") == "mine (n = 3)"


@pytest.mark.parametrize("drawn", [figures.risk_coverage, figures.reliability])
def test_figures_of_confidence_are_the_same_bytes_too(
    drawn: Callable[[dict[str, Outcomes]], Figure], sure: dict[str, Outcomes]
) -> None:
    four = dict.fromkeys("abcd", sure["charged"])
    assert to_svg(drawn(four)) == to_svg(drawn(four))


@pytest.mark.parametrize("name", DRAWN)
def test_the_same_table_gives_the_same_bytes(name: str, study: StudyFolder) -> None:
    first, second = DRAWN[name](study), DRAWN[name](study)
    svg, png = to_svg(first), to_png(first)
    with mpl.rc_context({"font.size": 30, "svg.hashsalt": "mine"}):
        assert to_svg(second) == svg
        assert mpl.rcParams["font.size"] == 30
    assert to_png(second) == png
    assert "<dc:date>" not in svg
    assert b"Software" not in png


def test_a_forest_holds_every_configuration_and_its_n(study: StudyFolder) -> None:
    axes = DRAWN["forest"](study).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["plain", "dense_only", "default"]
    assert axes.get_xlabel() == "Primary accuracy, % (n = 12), with 95% intervals"


def test_a_funnel_stacks_losses_in_their_order(study: StudyFolder) -> None:
    figure = figures.funnel(study.tables["funnel"], primaries=False)
    axes = figure.axes[0]
    assert axes.get_xlabel() == "Applicable provisions (n = 24)"
    ends = {round(bar.get_x() + bar.get_width()) for bar in axes.containers[-1]}
    assert ends == {24}
    assert list(LOSS_COLOURS) == list(LOSSES)


def test_a_dimension_of_one_group_is_left_out(study: StudyFolder) -> None:
    titles = [axes.get_title(loc="left") for axes in DRAWN["breakdown"](study).axes]
    assert titles == ["Register: formal (n = 6)", "Register: informal (n = 6)"]


def test_numbers_that_are_not_there_are_left_out(study: StudyFolder) -> None:
    rows = study.rows("summary")
    rows[0] = rows[0] | {"lo": math.nan, "hi": math.nan}
    rows[2] = rows[2] | {"value": math.nan}
    summary = type(study.tables["summary"]).from_pylist(rows, schema=study.tables["summary"].schema)
    for metric in {rows[0]["metric"], rows[2]["metric"]}:
        to_svg(figures.forest(summary, metric))
        to_svg(figures.accuracy_against(timed(summary.to_pylist(), study.rows("timings"), metric), metric))


def test_ids_of_two_figures_do_not_meet() -> None:
    svg = '<?xml?>\n<svg xmlns="http://w3" xmlns:xlink="http://x"><!-- a\nb --><g id="g"/><use xlink:href="#g" clip-path="url(#g)"/></svg>'
    drawing = inline(svg, "p", 'a "b" <c>')
    assert drawing == (
        '<svg role="img" aria-label="a &quot;b&quot; &lt;c>"><g id="p-g"/><use href="#p-g" clip-path="url(#p-g)"/></svg>'
    )


def test_names_are_broken_where_they_can_be() -> None:
    assert broken("rerank_none-provenance_0.15-select_top", 28) == "rerank_none-provenance_0.15-\nselect_top"
    assert broken("a_long_name_without_any_hyphen", 12) == "a_long_name_\nwithout_any_\nhyphen"
    assert broken("x" * 50, 10) == "x" * 50


@given(st.lists(st.floats(0, 1), max_size=17))
def test_labels_keep_their_distance(places: list[float]) -> None:
    falling = sorted(places, reverse=True)
    placed = spread(falling, 1 / 16)
    assert all(a - b > 1 / 16 - 1e-9 for a, b in pairwise(placed))
    assert all(-1e-9 <= place <= 1 + 1e-9 for place in placed)


def test_where_there_is_no_room_the_undominated_are_named() -> None:
    def row(name: str, ms: float, value: float) -> dict[str, Any]:
        return {"configuration": name, "x": ms, "value": value}

    rows = [
        row("fast", 1, 0.2),
        row("worse", 2, 0.1),
        row("good", 3, 0.6),
        row("slow", 9, 0.6),
        row("base", 5, 0.3),
    ]
    assert [r["configuration"] for r in chosen(rows, ["base"])] == ["base", "good", "fast"]

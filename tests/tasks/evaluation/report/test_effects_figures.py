"""Figures of a factorial study: the same bytes from the same tables, holes matched, nulls hollow."""

from __future__ import annotations

from collections.abc import Callable

import matplotlib as mpl
import pyarrow as pa
import pytest
from matplotlib.figure import Figure

from citegrain.tasks.evaluation.design import Design, full
from citegrain.tasks.evaluation.report import plots as drawn
from citegrain.tasks.evaluation.report.claims import effect_name, family_rows, supported
from citegrain.tasks.evaluation.report.declared import design_of, level_means, timed, undominated
from citegrain.tasks.evaluation.report.drawing import to_png, to_svg
from citegrain.tasks.evaluation.report.effects_tables import group_rows
from citegrain.tasks.evaluation.studies import StudyFolder, read_study
from tests.tasks.evaluation.report.factorials import make_factorial

HOLE = "rrf-fixed-reranker_on-provenance_off-mmr"


def design(study: StudyFolder) -> Design:
    out = design_of(study)
    assert out is not None
    return out


DRAWN: dict[str, Callable[[StudyFolder], Figure]] = {
    "effects": lambda s: drawn.effects(family_rows(s), "primary_accuracy"),
    "by_group": lambda s: drawn.by_group(group_rows(s, "ndcg_10"), "ndcg_10"),
    "interactions": lambda s: drawn.interactions(design(s), s.tables["summary"], "primary_accuracy"),
    "pareto": lambda s: drawn.pareto(design(s), s.tables["summary"], s.tables["timings"], "primary_accuracy"),
}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> StudyFolder:
    return read_study(
        make_factorial(tmp_path_factory.mktemp("drawn"), holes={HOLE: "no vectors"}, queries=30)
    )


@pytest.mark.parametrize("name", DRAWN)
def test_the_same_tables_give_the_same_bytes(name: str, study: StudyFolder) -> None:
    first, second = DRAWN[name](study), DRAWN[name](study)
    svg, png = to_svg(first), to_png(first)
    with mpl.rc_context({"font.size": 30, "svg.hashsalt": "mine"}):
        assert to_svg(second) == svg
    assert to_png(second) == png


def test_an_effect_is_full_where_it_is_shown_and_hollow_where_it_is_not(study: StudyFolder) -> None:
    rows = [r for r in family_rows(study) if r["metric"] == "primary_accuracy"]
    axes = DRAWN["effects"](study).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == [effect_name(r) for r in rows]
    points = [line for line in axes.lines if line.get_marker() == "o"]
    assert [p.get_markerfacecolor() != "white" for p in points] == [supported(r) for r in rows]
    assert {supported(r) for r in rows} == {True, False}
    low, high = axes.get_xlim()
    assert low < 0 < high  # the line at 0 is in sight
    assert axes.get_xlabel().endswith("percentage points, with 95% intervals (n = 30)")


def test_interactions_have_a_panel_for_every_two_factors(study: StudyFolder) -> None:
    axes = [a for a in DRAWN["interactions"](study).axes if a.get_visible() and a.axison]
    assert len(axes) == 10
    assert len({a.get_ylim() for a in axes}) == 1
    assert [label.get_text() for label in axes[0].get_xticklabels()] == ["dense", "sparse", "weighted", "rrf"]
    assert all(len(a.lines) == 2 for a in axes)  # the factor of four levels stands along x


def test_a_hole_moves_no_mean() -> None:
    three = full({"a": ["a1", "a2"], "b": ["b1", "b2"], "c": ["c1", "c2"]})
    values = {name: 10.0 * (cell["c"] == "c2") + (cell["a"] == "a2") for name, cell in three.cells.items()}
    assert level_means(three, values, "a", "b") == {
        ("a1", "b1"): 5.0,
        ("a1", "b2"): 5.0,
        ("a2", "b1"): 6.0,
        ("a2", "b2"): 6.0,
    }
    del values["a2-b2-c2"]
    means = level_means(three, values, "a", "b")
    assert means["a2", "b2"] - means["a1", "b2"] == 1.0  # not lower by what the hole would have had
    del values["a1-b1-c1"]
    assert level_means(three, values, "a", "b") == {}


def test_two_factors_that_no_cells_match_have_an_empty_panel(study: StudyFolder) -> None:
    rows = [r for r in study.rows("summary") if r["configuration"].startswith("dense")]
    summary = pa.Table.from_pylist(rows, schema=study.tables["summary"].schema)
    figure = drawn.interactions(design(study), summary, "primary_accuracy")
    assert (
        sum("no matched cells" in [t.get_text() for t in a.texts] for a in figure.axes) == 4
    )  # retrieval and another


def test_only_undominated_cells_are_named(study: StudyFolder) -> None:
    rows = timed(study.rows("summary"), study.rows("timings"), "primary_accuracy")
    front = undominated(rows)
    assert len(rows) == 63
    for row in rows:
        beaten = any(o["x"] <= row["x"] and o["value"] >= row["value"] and o != row for o in rows)
        assert beaten or row in front
    axes = DRAWN["pareto"](study).axes[0]
    texts = [text.get_text().replace("\n", "") for text in axes.texts]
    assert texts == [row["configuration"] for row in reversed(front)]


def test_points_differ_by_the_factor_that_costs_most(study: StudyFolder) -> None:
    times = {r["configuration"]: r["ms"] for r in study.rows("timings") if r["step"] == "single_p50"}
    assert drawn.slowest_factor(design(study), times) == "reranker"
    assert drawn.slowest_factor(design(study), dict.fromkeys(times, 3.0)) == ""
    assert drawn.slowest_factor(design(study), {}) == ""
    none = study.tables["timings"].slice(0, 0)
    assert drawn.pareto(design(study), study.tables["summary"], none, "primary_accuracy").legends == []

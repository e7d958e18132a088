"""Metrics of somebody's own: what kind each is, and what becomes of one that breaks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from citegrain.flows.shared.choices import BenchConfig, FactorConfig, ReindexConfig, StudyConfig, SweepConfig
from citegrain.tasks.core.schemas import SUMMARY
from citegrain.tasks.core.tables import write_table
from citegrain.tasks.evaluation.report import main_metrics, summary_table
from citegrain.tasks.evaluation.report.cells import heading, number
from citegrain.tasks.evaluation.score import Predicted, own_metrics
from citegrain.tasks.evaluation.score.stage import own_scores
from citegrain.tasks.evaluation.studies import FACTS, read_study

LAB = '''
from typing import Optional

def plain(build, query, ranking, answer):
    return 2

def right(build, query, ranking, answer) -> bool:
    """The first is right"""
    return ranking[0] == "p"

def perhaps(build, query, ranking, answer) -> "bool | None":
    return None

def maybe(build, query, ranking, answer) -> Optional[bool]:
    return True

def many(build, query, ranking, answer) -> float:
    """How many are charged: lower is better

    And more of it."""
    return len(answer.charges)

def broken(build, query, ranking, answer) -> float:
    return ranking[99]

def endless(build, query, ranking, answer) -> float:
    return float("inf")
'''


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "metric_lab.py").write_text(LAB, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)


def scored(*names: str) -> dict[str, float]:
    query: Any = type("Query", (), {"query_id": "q1"})
    build: Any = None
    return own_scores([f"metric_lab:{n}" for n in names], build, query, ["p"], Predicted((("p", "a"),)))


@pytest.mark.usefixtures("lab")
def test_what_a_function_returns_says_what_kind_of_number_its_metric_is(tmp_path: Path) -> None:
    names = ("plain", "right", "perhaps", "maybe", "many")
    described = own_metrics(["ndcg_10", *(f"metric_lab:{name}" for name in names)])
    kinds = {name.partition(":")[2]: kind for name, (kind, _) in described.items()}
    assert [kinds.pop(name) for name in ("plain", "many")] == ["mean", "mean"]
    assert set(kinds) == {"right", "perhaps", "maybe"} and set(kinds.values()) == {"proportion"}
    assert described["metric_lab:many"][1] == "How many are charged: lower is better"
    assert scored(*names) == {
        "metric_lab:plain": 2.0,
        "metric_lab:right": 1.0,
        "metric_lab:maybe": 1.0,
        "metric_lab:many": 1.0,
    }
    # a number may be anything, hence no per cent; what is true or not is a share
    assert (heading("metric_lab:how_many"), number("metric_lab:how_many", 1.5)) == ("How many", "1.500")
    facts = {
        "study": "s",
        "benchmark": {},
        "configurations": {"a": {}},
        "own_metrics": own_metrics(["metric_lab:right"]),
    }
    (tmp_path / FACTS).write_text(json.dumps(facts | {"metrics": ["metric_lab:right"]}), encoding="utf-8")
    row = {"configuration": "a", "metric": "metric_lab:right", "value": 0.5, "lo": 0.2, "hi": 0.8, "n": 4}
    write_table(tmp_path / SUMMARY.file, pa.Table.from_pylist([row], SUMMARY.arrow), SUMMARY)
    shown = summary_table(study := read_study(tmp_path), main_metrics(study), ["a"])
    assert shown.columns[-1].heading == "Right,\N{NO-BREAK SPACE}%" and shown.rows[0][-1].text == "50.0"
    assert number(study.rows("summary")[0]["metric"], 0.5) == "50.0"


@pytest.mark.usefixtures("lab")
def test_one_that_breaks_is_named_with_the_query() -> None:
    with pytest.raises(ValueError, match="metric metric_lab:broken, query q1: IndexError"):
        scored("right", "broken")
    with pytest.raises(ValueError, match="metric_lab:endless, query q1: inf is no number"):
        scored("endless")


@pytest.mark.usefixtures("lab")
def test_whatever_compares_takes_one_and_says_what_it_cannot_take() -> None:
    mine = ["metric_lab:right"]
    assert BenchConfig(metrics=mine).metrics == SweepConfig(grid={"a": [1]}, metrics=mine).metrics == mine
    assert StudyConfig(factors={"f": {"a": [], "b": []}}, metrics=mine).metrics == mine
    with pytest.raises(ValueError, match=r"bench\.metrics: metric_lab:left cannot be imported"):
        BenchConfig(metrics=["metric_lab:left"])
    with pytest.raises(
        ValueError, match=r"no metric is named metric_lab\.right; did you mean module:function"
    ):
        BenchConfig(metrics=["metric_lab.right"])
    with pytest.raises(ValueError, match=r"reindex\.metrics: metric_lab:right"):
        ReindexConfig(metrics=mine)
    with pytest.raises(ValueError, match="calibrate: metric: no metric is named metric_lab:right"):
        FactorConfig(metric=mine[0], values=[[], []])


def test_lists_and_import_paths_may_be_values_of_a_grid() -> None:
    lists = ["[dense]", "[dense, my_lab:recent]", "['dense','my_lab:recent']" + "," * 60]
    names = list(SweepConfig(grid={"retrieve.channels": [*lists, lists[1] + " x" * 40]}).members())
    assert names[:2] == ["channels_dense", "channels_dense_my_lab_recent"]
    assert len(set(names)) == 4 and max(map(len, names)) <= 64

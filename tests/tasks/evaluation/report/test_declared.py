"""Commands, parameters and numbers as the report shows them."""

from __future__ import annotations

import math
from typing import Any

import pytest

from citegrain.tasks.evaluation.report.cells import (
    breakable,
    counted,
    interval,
    moment,
    number,
    p_value,
    significant,
)
from citegrain.tasks.evaluation.report.declared import commit_of, differing
from citegrain.tasks.evaluation.studies import command_of


@pytest.mark.parametrize(
    ("study", "overrides", "command"),
    [
        ("citegrain sweep sweep=baselines corpus=demo", ["experiment=thesis"], "citegrain bench corpus=demo experiment=thesis"),
        ("citegrain bench --strict chunk=thesis corpus=demo", ["chunk=thesis"], "citegrain bench chunk=thesis corpus=demo"),
        ("citegrain sweep sweep.name=x bench.name=mine bench.seed=2", ["rerank=none"], "citegrain bench bench.seed=2 rerank=none"),
        ("citegrain sweep 'corpus.path=/a b' '+sweep.grid={}'", [], "citegrain bench 'corpus.path=/a b'"),
        ("", ["a=1; rm -r"], "citegrain bench 'a=1; rm -r'"),
        ("citegrain calibrate --write mine corpus=demo ~experiment", [], "citegrain bench corpus=demo '~experiment'"),
        ("an 'open quote", ["a=1"], "citegrain bench a=1"),
    ],
)  # fmt: skip
def test_a_configuration_is_measured_again_by_itself(study: str, overrides: list[str], command: str) -> None:
    assert command_of(study, overrides) == command


def test_a_commit_says_whether_all_was_committed() -> None:
    assert commit_of({"git_commit": "abc"}) == ("abc", False)
    assert commit_of({"git_commit": "abc-dirty"}) == ("abc", True)
    assert commit_of({}) == ("", False)


def test_parameters_that_differ() -> None:
    configs: dict[str, dict[str, Any]] = {
        "a": {"fuse": {"k": 60, "weights": {"x": 1}}, "retrieve": {"channels": ["dense"]}},
        "b": {
            "fuse": {"k": 60, "weights": {"x": 2}},
            "retrieve": {"channels": ["dense", "sparse"], "family": True},
        },
    }
    differ, flat = differing(configs)
    assert differ == ["fuse.weights", "retrieve.channels", "retrieve.family"]
    assert flat["b"]["fuse.weights"] == "{x: 2}"
    assert flat["b"]["retrieve.channels"] == "[dense, sparse]"
    assert flat["b"]["retrieve.family"] == "true"


def test_numbers() -> None:
    assert number("primary_accuracy", 0.20370) == "20.4"
    assert number("ndcg_10", 0.31379) == "0.314"
    assert number("ndcg_10", -0.0547, sign=True) == "−0.055"
    assert number("primary_accuracy", 0.0556, sign=True) == "+5.6"
    assert [number("primary_accuracy", v, sign=True) for v in (0.0, -0.0001)] == ["0.0", "0.0"]
    assert [number("mrr", v) for v in (None, math.nan, math.inf)] == ["–"] * 3
    assert interval("mrr", 0.1, math.nan) == "[0.100, –]"
    assert interval("mrr", math.nan, None) == ""
    assert interval("mrr", 0.0, 0.0, sign=True) == "all alike"  # every resample is the same: no certainty
    assert [p_value(p) for p in (0.0001, 0.0312, 1.0, math.nan)] == ["<0.001", "0.031", "1.000", "–"]
    assert [significant(t) for t in (0.00081, 0.0333, 2.41, 93.68, 2041.1, None)] == [
        "0.0008",
        "0.03",
        "2.4",
        "93.7",
        "2,041",
        "–",
    ]
    assert [counted(n, "query", "queries") for n in (1, 2000)] == ["1 query", "2,000 queries"]
    assert moment("2026-11-22T05:53:28+00:00") == "22 November 2026, 05:53 UTC"
    assert moment("yesterday") == "yesterday"
    assert breakable("a_<b>-0.15") == "a_<wbr>&lt;b&gt;-<wbr>0.15"

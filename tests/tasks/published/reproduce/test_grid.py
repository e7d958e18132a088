"""Means of a grid of prompts by hand: configurations are averaged before questions are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from citegrain.tasks.core.schemas import SCORES, per_configuration
from citegrain.tasks.published.reproduce import grid_figures


def test_groups_by_hand(tmp_path: Path) -> None:
    configs = {
        "t1": {"template": "1", "open_knowledge": False},
        "t4": {"template": "strict", "open_knowledge": False},
        "t1o": {"template": "1", "open_knowledge": True},
    }
    facts = {
        "study": "s", "benchmark": {}, "seed": 1,
        "configurations": {n: {"config": {"generate": {"kind": "prose", **c}}} for n, c in configs.items()},
        "questions": {
            "a": {"groups": [["category", "in_scope"]]}, "b": {"groups": [["category", "out_of_scope"]]},
        },
    }  # fmt: skip
    (tmp_path / "study.json").write_text(json.dumps(facts), encoding="utf-8")
    values = {("t1", "a"): 0.9, ("t4", "a"): 0.7, ("t1o", "a"): 0.2, ("t1", "b"): 0.1, ("t4", "b"): 0.3}
    places = [{"configuration": c, "query_id": q, "value": v} for (c, q), v in values.items()]
    schema = per_configuration(SCORES)
    pq.write_table(schema.rows([row | {"metric": "similarity"} for row in places]), tmp_path / schema.file)
    figures = grid_figures(tmp_path)
    means: dict[str, Any] = {name: (figure.value, figure.n) for name, figure in figures.items()}
    assert means == {
        "similarity": (pytest.approx((0.6 + 0.2) / 2), 2),
        "similarity.closed": (pytest.approx((0.8 + 0.2) / 2), 2),
        "similarity.open": (pytest.approx(0.2), 1),
        "similarity.template_1": (pytest.approx((0.55 + 0.1) / 2), 2),
        "similarity.template_4": (pytest.approx((0.7 + 0.3) / 2), 2),
        "similarity.in_scope": (pytest.approx(0.6), 1),
        "similarity.out_of_scope": (pytest.approx(0.2), 1),
    }
    assert grid_figures(tmp_path / "none") == {}

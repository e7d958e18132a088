"""Counterparts by vector, each the nearest to the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from tasks.counterparts import Counterparts

ACTS: list[dict[str, Any]] = [
    {"act_id": "old", "replaced_by": "new"},
    {"act_id": "new", "replaced_by": None},
    {"act_id": "alone", "replaced_by": None},
]
ROWS = {"old/1": [0], "old/2": [1, 2], "old/3": [3], "new/1": [4, 5], "new/2": [6], "alone/1": [7]}
# old/2 and old/3 both lean to new/2, which leans to old/2
VECTORS = np.array(
    [[1, 0], [0, 1], [9, 9], [0.6, 0.8], [1, 0], [9, 9], [0.1, 0.99], [1, 0]], dtype=np.float32
)  # fmt: skip
COUNTERPARTS = Counterparts(ACTS, ROWS, lambda rows: VECTORS[list(rows)])


def test_both_ways() -> None:
    assert COUNTERPARTS.of("old/1") == [4, 5]
    assert COUNTERPARTS.of("new/1") == [0]
    assert COUNTERPARTS.of("old/2") == [6]
    assert COUNTERPARTS.of("new/2") == [1, 2]


def test_none_where_it_is_not_mutual_or_there_is_no_other_act() -> None:
    assert COUNTERPARTS.of("old/3") == []
    assert COUNTERPARTS.of("alone/1") == []
    assert COUNTERPARTS.of("old/9") == []


def test_only_what_may_be_returned() -> None:
    eligible = np.ones(8, dtype=bool)
    eligible[4] = False
    assert COUNTERPARTS.of("old/1", eligible) == [5]
    eligible[5] = False
    assert COUNTERPARTS.of("old/1", eligible) == []


def test_an_act_that_is_not_held_has_no_counterparts() -> None:
    lone = Counterparts(
        [{"act_id": "old", "replaced_by": "absent"}], {"old/1": [0]}, lambda r: VECTORS[list(r)]
    )
    assert lone.of("old/1") == []

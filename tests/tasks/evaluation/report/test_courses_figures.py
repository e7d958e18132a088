"""The figure of the controller's rounds: what it is drawn from, by hand."""

from __future__ import annotations

import numpy as np

from citegrain.tasks.evaluation.report.figures import by_round, courses

ROWS = [
    {
        "configuration": "rules",
        "query_id": "a",
        "operation": "plan",
        "round": 1,
        "pool": 0,
        "confidence": 0.0,
    },
    {
        "configuration": "rules",
        "query_id": "a",
        "operation": "decide",
        "round": 1,
        "pool": 10,
        "confidence": 1.0,
    },
    {
        "configuration": "rules",
        "query_id": "b",
        "operation": "decide",
        "round": 1,
        "pool": 10,
        "confidence": 0.5,
    },
    {
        "configuration": "rules",
        "query_id": "b",
        "operation": "decide",
        "round": 2,
        "pool": 16,
        "confidence": 0.25,
    },
]


def test_a_complaint_that_ended_keeps_its_last_values() -> None:
    decided = ROWS[1:]
    assert by_round(decided, "pool").tolist() == [[0, 10, 10], [0, 10, 16]]
    assert by_round(decided, "confidence").tolist() == [[0, 1, 1], [0, 0.5, 0.25]]


def test_means_are_drawn_a_line_each_configuration() -> None:
    pool, confidence = courses(ROWS).axes
    assert [np.asarray(line.get_ydata()).tolist() for line in pool.lines] == [[0, 10, 13]]
    assert [np.asarray(line.get_ydata()).tolist() for line in confidence.lines] == [[0, 0.75, 0.625]]

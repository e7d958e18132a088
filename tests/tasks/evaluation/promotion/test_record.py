"""Decisions that stand: what was refused stays refused, what was rolled back stays away."""

from __future__ import annotations

from pathlib import Path

import pytest

from citegrain.tasks.core.store import StoreError
from citegrain.tasks.evaluation.promotion import (
    PROMOTED,
    RECORD,
    REFUSED,
    ROLLED_BACK,
    earlier_refusal,
    write_record,
)

AT = "2026-11-22T02:30:00+00:00"


def test_nothing_stands_where_nothing_was_decided(tmp_path: Path) -> None:
    assert earlier_refusal(tmp_path, "new", "old", "b") == []
    (tmp_path / RECORD).write_text("half a li", encoding="utf-8")
    assert earlier_refusal(tmp_path, "new", "old", "b") == []


def test_a_refusal_stands_beside_the_same_build_by_the_same_benchmark(tmp_path: Path) -> None:
    write_record(tmp_path, AT, REFUSED, "new", "old", ["worse"], judged_by="b")
    assert earlier_refusal(tmp_path, "new", "old", "b") == ["worse"]
    for other in (("newer", "old", "b"), ("new", "older", "b"), ("new", "old", "c")):
        assert earlier_refusal(tmp_path, *other) == []
    write_record(tmp_path, AT, PROMOTED, "new", "old", ["worse"], forced=True, judged_by="b")
    assert earlier_refusal(tmp_path, "new", "old", "b") == []


def test_what_was_rolled_back_stays_away(tmp_path: Path) -> None:
    write_record(tmp_path, AT, PROMOTED, "new", "old")
    write_record(tmp_path, AT, ROLLED_BACK, "old", "new")
    assert earlier_refusal(tmp_path, "new", "old", "b") == [f"rolled back at {AT}: --force promotes it again"]
    assert earlier_refusal(tmp_path, "newer", "old", "b") == []


def test_a_record_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        write_record(tmp_path / "missing", AT, PROMOTED, "new", "old")

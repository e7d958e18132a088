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
    in_order,
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
    write_record(tmp_path, AT, REFUSED, "third", "old", ["worse"], judged_by="b")
    assert earlier_refusal(tmp_path, "new", "old", "b"), "a third that is refused moves nothing"


@pytest.mark.parametrize("recorded", [True, False])
def test_the_earlier_build_comes_first_however_often_it_is_rolled_back(
    tmp_path: Path, recorded: bool
) -> None:
    new, old, third = (tmp_path / name for name in ("new", "old", "third"))
    if recorded:
        write_record(tmp_path, AT, PROMOTED, "new", "old")
    assert in_order(old, new) == (old, new, "")
    write_record(tmp_path, AT, ROLLED_BACK, "old", "new")
    assert in_order(new, old) == (old, new, AT)
    write_record(tmp_path, AT, REFUSED, "third", "old", ["worse"])
    assert in_order(new, old) == (old, new, AT)
    write_record(tmp_path, AT, ROLLED_BACK, "new", "old")
    assert in_order(old, new) == (old, new, ""), "it is the later that answers again"
    write_record(tmp_path, AT, PROMOTED, "third", "new")
    write_record(tmp_path, AT, PROMOTED, "old", "third")
    assert in_order(third, old) == (third, old, ""), "promoted again, it is the later"


def test_a_record_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        write_record(tmp_path / "missing", AT, PROMOTED, "new", "old")

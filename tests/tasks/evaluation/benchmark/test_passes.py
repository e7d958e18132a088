"""Reading labelling passes and what was settled between them."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from citegrain.tasks.evaluation.benchmark import pass_of, read_passes, read_settled
from tests.tasks.evaluation.benchmark.samples import (
    IPC,
    NIA,
    OUT_OF_SCOPE,
    guide_record,
    load,
    refusal,
    write_lines,
)

CHEQUE, CHEATING = {"act": NIA, "section": "138"}, {"act": IPC, "section": "420"}


def line(**changes: Any) -> dict[str, Any]:
    record = {"id": "q1", "primary": CHEQUE, "applicable": [CHEQUE, CHEATING], "reason": "unpaid"} | changes
    return {name: value for name, value in record.items() if value is not ...}


def test_passes_are_read_by_name_and_nothing_else_is(tmp_path: Path) -> None:
    write_lines(tmp_path / "pass-2.jsonl", line(incident_date="2024-03-05"), line(id="q2", **OUT_OF_SCOPE))
    write_lines(tmp_path / "pass-1.jsonl", line(incident_date=None))
    write_lines(tmp_path / "other.jsonl", b"no pass")
    first, second = read_passes(tmp_path)
    assert (first.name, second.name) == ("pass-1", "pass-2")
    assert first.dates and not second.dates, "the second has no day of q2"
    assert second.labels["q1"].incident_date == date(2024, 3, 5)
    assert second.labels["q2"].primary is None and not second.labels["q2"].applicable


def test_the_order_behind_the_primary_does_not_count(tmp_path: Path) -> None:
    third = {"act": IPC, "section": "406"}
    write_lines(tmp_path / "pass-1.jsonl", line(applicable=[CHEQUE, CHEATING, third]))
    write_lines(tmp_path / "pass-2.jsonl", line(applicable=[CHEQUE, third, CHEATING]))
    write_lines(tmp_path / "pass-3.jsonl", line(primary=CHEATING, applicable=[CHEATING, CHEQUE, third]))
    a, b, c = (read.labels["q1"] for read in read_passes(tmp_path))
    assert a.same(b) and b.same(a)
    assert not a.same(c), "the same set with another primary"


def test_records_are_a_pass_too(tmp_path: Path) -> None:
    records = pass_of(load(write_lines(tmp_path / "my.jsonl", guide_record())).records)
    assert records.name == "records" and records.dates
    assert records.labels["q1"].incident_date == date(2024, 3, 5)
    assert [c.section for c in records.labels["q1"].applicable] == ["138", "420"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (line(reason=...), "1: reason: is missing"),
        (line(primary=...), "1: primary: is missing"),
        (line(reason=None), "1: reason: must be a string, not null"),
        (line(note="x"), "1: note: unknown field"),
        (line(primary=CHEATING), f"1: primary: must be {NIA}/138, the first of applicable, not {IPC}/420"),
        (line(applicable=[]), f"1: primary: must be null where nothing is applicable, not {NIA}/138"),
        (line(applicable=[CHEQUE, CHEQUE]), f"1: applicable: {NIA}/138 appears twice"),
        (line(incident_date="5 March"), "1: incident_date: must be a day as YYYY-MM-DD, not '5 March'"),
        (line(primary={"act": IPC, "section": "4(1)"}), "1: primary.section: a label names a whole section"),
        (b"{", "1: record: not JSON"),
        (b"", "contains no labels"),
    ],
)
def test_faults_of_a_pass_name_file_line_and_field(tmp_path: Path, wrong: Any, message: str) -> None:
    path = write_lines(tmp_path / "pass-1.jsonl", wrong)
    words = refusal(read_passes, tmp_path)
    assert words.startswith(f"{path}:") and message in words


def test_an_id_stands_once(tmp_path: Path) -> None:
    write_lines(tmp_path / "pass-1.jsonl", line(), line())
    assert "2: id: 'q1' is already on line 1" in refusal(read_passes, tmp_path)


@pytest.mark.parametrize(
    ("settled", "message"),
    [
        (line(follows="pass-1"), ""),
        (line(follows="pass-2", applicable=[CHEQUE]), ""),
        (line(follows="neither", primary=CHEATING, applicable=[CHEATING]), ""),
        (line(follows=...), "1: follows: is missing"),
        (line(follows="pass-9"), "1: follows: must be one of neither, pass-1, pass-2, not 'pass-9'"),
        (line(follows="pass-2"), "1: follows: the labels are not those of pass-2"),
        (line(follows="pass-2", id="q7"), "1: follows: pass-2 does not label q7"),
    ],
)
def test_what_is_settled_follows_the_pass_it_names(tmp_path: Path, settled: Any, message: str) -> None:
    write_lines(tmp_path / "pass-1.jsonl", line())
    write_lines(tmp_path / "pass-2.jsonl", line(applicable=[CHEQUE]))
    write_lines(tmp_path / "settled.jsonl", settled)
    passes = read_passes(tmp_path)
    if message:
        assert message in refusal(read_settled, tmp_path, passes)
    else:
        assert read_settled(tmp_path, passes)["q1"].follows == settled["follows"]


def test_no_passes_and_nothing_settled(tmp_path: Path) -> None:
    assert read_passes(tmp_path) == [] and read_settled(tmp_path, []) == {}

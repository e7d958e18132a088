"""Instructions reviewed in a file, and the provisions that they make."""

from __future__ import annotations

import pytest

from citegrain.tasks.core.schemas import ACTS, PROVISIONS
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.law.amending_acts import ReviewError, amended, reviewed, to_csv
from tests.tasks.law.amending_acts.amenders import PRINCIPAL, amending_act, build_tables, instructions_of

PENALTIES = amending_act(
    (
        "Amendment of section 4",
        [
            "In section 4 of the Lantern Keepers (Welfare) Act, 2011,—",
            "(a) for the words “three months”, the words “two months” shall be substituted;",
            "(b) for the words “ten years”, the words “four years” shall be substituted;",
            "(c) for the words “two years”, the words “three years” shall be substituted.",
        ],
    )
)


@pytest.fixture(scope="module")
def tables() -> Tables:
    return build_tables(PENALTIES)


def test_what_is_exact_is_applied_and_what_is_not_is_named(tables: Tables) -> None:
    rows = instructions_of(tables)
    ((row, result),) = amended(rows, tables[PROVISIONS.name].to_pylist(), tables[ACTS.name].to_pylist())
    assert row["provision_id"] == f"{PRINCIPAL}/sec_4"
    assert "more than two months" in result.text
    assert "extend to three years" in result.text
    assert not result.exact
    assert result.skipped == {rows[1]["instruction_id"]: "“ten years” does not stand there"}


def test_only_what_is_reviewed_counts_once_anything_is(tables: Tables) -> None:
    rows = instructions_of(tables)
    text = to_csv(rows)
    assert [row["status"] for row in reviewed(rows, text)] == ["found"] * 3
    first = rows[0]["instruction_id"]
    text = text.replace(f"{first},found", f"{first},reviewed")
    assert [row["instruction_id"] for row in reviewed(rows, text)] == [first]
    without = "\n".join(line for line in text.splitlines() if not line.startswith(first))
    assert len(reviewed(rows, without)) == 2


def test_a_file_without_the_columns_is_refused(tables: Tables) -> None:
    with pytest.raises(ReviewError, match="instruction_id"):
        reviewed(instructions_of(tables), "a,b\n1,2\n")

"""Tables are checked when they are written and when they are read."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from citegrain.tasks.core import tables
from citegrain.tasks.core.schemas import ALL, RUNS, SchemaError, TableSchema
from citegrain.tasks.core.tables import dates_in, read_table, read_tables, write_parts, write_table

ROW = {"query_id": "q", "chunk_id": "c", "rank": 1, "score": 0.5, "channel": "dense"}


def test_every_column_tells_what_it_is() -> None:
    for schema in ALL.values():
        for field in schema.arrow:
            assert field.metadata and field.metadata[b"description"], (schema.name, field.name)


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / RUNS.file
    write_table(path, RUNS.rows([ROW]), RUNS)
    assert read_table(path, RUNS).to_pylist() == [ROW]
    assert read_table(path, RUNS, ["chunk_id"]).to_pylist() == [{"chunk_id": "c"}]


@pytest.mark.parametrize(("rows", "parts"), [(0, 1), (2, 1), (3, 2), (25, 13)])
def test_a_table_in_parts_is_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int, parts: int
) -> None:
    monkeypatch.setattr(tables, "PART_ROWS", 2)
    folder, table = tmp_path / RUNS.file, RUNS.rows([ROW | {"rank": n} for n in range(rows)])
    write_parts(folder, table, RUNS)
    assert len(list(folder.iterdir())) == parts
    assert read_table(folder, RUNS).equals(table) and pq.read_table(folder).to_pylist() == table.to_pylist()
    assert read_table(folder, RUNS, ["rank"]).equals(table.select(["rank"]))


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"query_id": ["q"]}),
        pa.table({**{k: [v] for k, v in ROW.items()}, "extra": [1]}),
        pa.table({**{k: [v] for k, v in ROW.items()}, "rank": ["first"]}),
        pa.table({**{k: [v] for k, v in ROW.items()}, "chunk_id": pa.array([None], pa.string())}),
    ],
)
def test_a_table_that_does_not_fit_is_refused(tmp_path: Path, table: pa.Table) -> None:
    with pytest.raises(SchemaError, match="table runs"):
        write_table(tmp_path / "runs.parquet", table, RUNS)


def test_a_newer_schema_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "runs.parquet"
    write_table(path, RUNS.rows([ROW]), replace(RUNS, version=RUNS.version + 1))
    with pytest.raises(SchemaError, match="schema version 2; this citegrain reads up to 1") as error:
        read_table(path, RUNS)
    assert "\n" not in str(error.value)


def test_columns_that_came_later_are_filled_in_an_older_file(tmp_path: Path) -> None:
    path, now = tmp_path / RUNS.file, replace(RUNS, version=RUNS.version + 1, added={"channel": "dense"})
    old = replace(RUNS, arrow=pa.schema([f for f in RUNS.arrow if f.name != "channel"]))
    write_table(path, old.rows([ROW]), old)
    assert read_table(path, now).to_pylist() == [ROW]
    assert read_table(path, now, ["channel", "rank"]).to_pylist() == [{"channel": "dense", "rank": 1}]
    for columns in (None, ["channel"]):
        with pytest.raises(SchemaError, match="channel"):
            read_table(path, RUNS, columns)


def _files(folder: Path, schema: TableSchema, counts: list[int]) -> list[Path]:
    paths = [folder / f"{i}.parquet" for i in range(len(counts))]
    for i, (path, count) in enumerate(zip(paths, counts, strict=True)):
        values = {name: value for name, value in ROW.items() if name in schema.arrow.names}
        rows = [values | {"query_id": f"q{i}", "rank": n} for n in range(count)]
        write_table(path, schema.rows(rows), schema)
    return paths


@pytest.mark.parametrize("counts", [[], [0], [2, 0, 3], [1] * 40])
def test_many_tables_are_read_as_one_by_one(tmp_path: Path, counts: list[int]) -> None:
    paths = _files(tmp_path, RUNS, counts)[::-1]
    one_by_one = [read_table(path, RUNS) for path in paths]
    read = read_tables(paths, RUNS)
    assert read.to_pylist() == [row for table in one_by_one for row in table.to_pylist()]
    assert read.schema.equals(RUNS.arrow, check_metadata=True)


def test_an_older_table_among_many_is_filled_and_a_newer_one_is_refused(tmp_path: Path) -> None:
    now = replace(RUNS, version=RUNS.version + 1, added={"channel": "dense"})
    old = replace(RUNS, arrow=pa.schema([f for f in RUNS.arrow if f.name != "channel"]))
    (tmp_path / "old").mkdir()
    paths = [*_files(tmp_path, now, [2]), *_files(tmp_path / "old", old, [1])]
    assert read_tables(paths, now).column("channel").to_pylist() == ["dense"] * 3
    with pytest.raises(SchemaError, match="schema version 2"):
        read_tables(paths[:1], RUNS)


def test_lists_are_converted_without_pandas_and_pandas_is_there_for_who_names_it() -> None:
    code = (
        "import sys, pyarrow as pa; from citegrain.tasks.core.tables import leave_out_pandas; leave_out_pandas(); "
        "pa.array([{'a': 1}]); assert 'pandas' not in sys.modules; "
        "assert pa.table({'a': [1]}).to_pandas().a[0] == 1; leave_out_pandas(); assert 'pandas' in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("values", [[], [None], [date(1, 1, 1), None, date(9999, 12, 31), date(1860, 10, 6)]])
def test_days_are_those_of_to_pylist(values: list[date | None]) -> None:
    column = pa.chunked_array([pa.array(values, pa.date32()), pa.array(values[:1], pa.date32())])
    assert dates_in(column) == column.to_pylist()


def test_a_table_that_gained_a_column_says_so_by_its_version() -> None:
    """Else a build of before cannot be opened: it is taken for one that lacks the column."""
    added = [schema for schema in ALL.values() if schema.added]
    assert len(added) >= 4 and not [schema.name for schema in added if schema.version < 2]

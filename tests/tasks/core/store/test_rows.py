"""Append-only rows: looked up by key, damaged segments passed over."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.core.store import RowStore

SCHEMA = pa.schema([("key", pa.string()), ("value", pa.int64())])


def store(root: Path) -> RowStore:
    return RowStore(root, "embed", "space", SCHEMA, "key")


def rows(pairs: list[tuple[str, int]]) -> pa.Table:
    return pa.table({"key": [k for k, _ in pairs], "value": [v for _, v in pairs]}, schema=SCHEMA)


batches = st.lists(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 9)), max_size=5, unique_by=lambda p: p[0]),
    max_size=5,
)


@settings(max_examples=40)
@given(batches, st.lists(st.sampled_from("abcdefghij"), max_size=6, unique=True))
def test_read_gives_one_row_a_key_in_the_order_asked(
    parts: list[list[tuple[str, int]]], keys: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as root:
        segments = store(Path(root))
        values_by_key: dict[str, set[int]] = {}
        for part in parts:
            segments.append(rows(part))
            for k, v in part:
                values_by_key.setdefault(k, set()).add(v)
        assert segments.keys() == set(values_by_key)
        values = segments.read(keys).to_pylist()
        assert [r["key"] for r in values] == [k for k in keys if k in values_by_key]
        assert all(r["value"] in values_by_key[r["key"]] for r in values)
        assert segments.read(keys).equals(segments.read(keys))


def test_a_damaged_segment_is_passed_over(tmp_path: Path) -> None:
    segments = store(tmp_path)
    segments.append(rows([("a", 1)]))
    second = segments.append(rows([("b", 2)]))
    assert second is not None
    data = bytearray(second.read_bytes())
    data[-20] ^= 255
    second.write_bytes(bytes(data))
    assert segments.keys() == {"a"}
    segments.append(rows([("b", 2)]))
    assert segments.read(["b", "a"]).to_pylist() == [{"key": "b", "value": 2}, {"key": "a", "value": 1}]


def test_compact_keeps_what_is_wanted_and_spares_the_rest(tmp_path: Path) -> None:
    segments = store(tmp_path)
    old = [segments.append(rows([("a", 1), ("b", 2)])), segments.append(rows([("c", 3)]))]
    young = segments.append(rows([("d", 4)]))
    segments.compact({"b"}, [p for p in old if p])
    assert segments.keys() == {"b", "d"}
    assert young is not None and young.exists()
    segments.compact({"b"}, segments.segments())
    before = sorted(segments.folder.iterdir())
    segments.compact({"b"}, segments.segments())
    assert sorted(segments.folder.iterdir()) == before


def test_no_rows_make_no_segment(tmp_path: Path) -> None:
    assert store(tmp_path).append(SCHEMA.empty_table()) is None
    assert store(tmp_path).read(["a"]).num_rows == 0

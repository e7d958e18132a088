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


@settings(max_examples=40, deadline=None)
@given(batches, st.lists(st.sampled_from("abcdefghij"), max_size=6, unique=True))
def test_read_gives_one_row_a_key_in_the_order_asked(
    parts: list[list[tuple[str, int]]], asked: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as root:
        own = store(Path(root))
        known: dict[str, set[int]] = {}
        for part in parts:
            own.append(rows(part))
            for k, v in part:
                known.setdefault(k, set()).add(v)
        assert own.keys() == set(known)
        found = own.read(asked).to_pylist()
        assert [r["key"] for r in found] == [k for k in asked if k in known]
        assert all(r["value"] in known[r["key"]] for r in found)
        assert own.read(asked).equals(own.read(asked))


def test_a_damaged_segment_is_passed_over(tmp_path: Path) -> None:
    own = store(tmp_path)
    own.append(rows([("a", 1)]))
    second = own.append(rows([("b", 2)]))
    assert second is not None
    data = bytearray(second.read_bytes())
    data[-20] ^= 255
    second.write_bytes(bytes(data))
    assert own.keys() == {"a"}
    own.append(rows([("b", 2)]))
    assert own.read(["b", "a"]).to_pylist() == [{"key": "b", "value": 2}, {"key": "a", "value": 1}]


def test_compact_keeps_what_is_wanted_and_spares_the_rest(tmp_path: Path) -> None:
    own = store(tmp_path)
    old = [own.append(rows([("a", 1), ("b", 2)])), own.append(rows([("c", 3)]))]
    young = own.append(rows([("d", 4)]))
    own.compact({"b"}, [p for p in old if p])
    assert own.keys() == {"b", "d"}
    assert young is not None and young.exists()
    own.compact({"b"}, own.segments())
    before = sorted(own.folder.iterdir())
    own.compact({"b"}, own.segments())
    assert sorted(own.folder.iterdir()) == before


def test_no_rows_make_no_segment(tmp_path: Path) -> None:
    assert store(tmp_path).append(SCHEMA.empty_table()) is None
    assert store(tmp_path).read(["a"]).num_rows == 0

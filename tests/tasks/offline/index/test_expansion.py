"""Lay texts: whose they are, what is kept of them, and BM25 over them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citegrain.tasks.core.schemas import EXPANSION, PROVISIONS
from citegrain.tasks.core.tables import read_table
from citegrain.tasks.core.words import Analyser
from citegrain.tasks.offline.index import Expansion, SparseIndex, expansion_table

ANALYSER = Analyser("english", "en")


def provisions(*cited: tuple[str, str, str, str]) -> Any:
    plain = dict.fromkeys(PROVISIONS.arrow.names)
    names = ("act_id", "provision_id", "kind", "number")
    return PROVISIONS.rows([plain | dict(zip(names, c, strict=True)) for c in cited])


CITED = provisions(
    ("a", "a/sec_1", "section", "1"),
    ("a", "a/sec_1", "section", "1"),  # another version of it
    ("a", "a/sec_2", "section", "2"),
    ("a", "a/sch_1/entry_2", "entry", "2"),
    ("b", "b/sch_1/entry_7", "entry", "7"),
    ("b", "b/sch_2/entry_7", "entry", "7"),
)


def rows(*lay_texts: tuple[str, str, str]) -> tuple[list[tuple[str, str]], int]:
    table, unknown = expansion_table(lay_texts, CITED)
    columns = EXPANSION.conform(table).to_pydict()
    return list(zip(columns["provision_id"], columns["text"], strict=True)), unknown


def test_each_text_once_a_provision_and_the_rows_of_one_together() -> None:
    pairs, unknown = rows(("a", "1", "x"), ("a", "2", "y"), ("a", "1", "z"), ("a", "1", "x"), ("a", "2", "x"))
    assert pairs == [("a/sec_1", "x"), ("a/sec_1", "z"), ("a/sec_2", "y"), ("a/sec_2", "x")]
    assert unknown == 0


def test_a_label_means_what_a_benchmark_means_by_it() -> None:
    # the section before the entry of that number; both entries, where nothing tells them apart
    pairs, _ = rows(("a", "2", "x"), ("b", "7", "y"))
    assert pairs == [("a/sec_2", "x"), ("b/sch_1/entry_7", "y"), ("b/sch_2/entry_7", "y")]


def test_labels_that_name_nothing_are_left_out_and_counted_once() -> None:
    lay_texts = [("a", "9", "x"), ("a", "9", "y"), ("c", "1", "z"), ("a", "1", "kept")]
    assert rows(*lay_texts) == ([("a/sec_1", "kept")], 2)
    assert rows(("c", "1", "x")) == ([], 1)
    assert rows() == ([], 0)


LAY_TEXTS = [
    ("a", "1", "my goat was sold"),
    ("a", "1", "who pays for the goat"),
    ("a", "2", "the cheque came back"),
]
VECTORS = np.eye(3, 4, dtype=np.float32)


def build() -> Expansion:
    table, _ = expansion_table(LAY_TEXTS, CITED)
    return Expansion.build(table, VECTORS, ANALYSER, 1.5, 0.75)


def test_where_the_texts_of_each_provision_begin() -> None:
    assert build().provisions == ["a/sec_1", "a/sec_2"]
    assert build().starts.tolist() == [0, 2]


@pytest.mark.parametrize("query", ["a goat", "goats sold by cheque", "unseen", ""])
def test_bm25_is_that_of_the_texts_joined(query: str) -> None:
    joined = ["my goat was sold who pays for the goat", "the cheque came back"]
    plain = SparseIndex.build(joined, ANALYSER, 1.5, 0.75)
    assert build().sparse.scores(query).tolist() == plain.scores(query).tolist()


def test_what_is_written_is_read_and_equal_texts_give_equal_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        build().save(tmp_path / name)
    files = sorted(p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*") if p.is_file())
    assert all((tmp_path / "a" / f).read_bytes() == (tmp_path / "b" / f).read_bytes() for f in files)
    assert {f.suffix for f in files} == {".npy", ".json", ".parquet"}  # no pickle
    expansion = Expansion.read(tmp_path / "a")
    assert expansion.provisions == build().provisions and expansion.starts.tolist() == [0, 2]
    assert (expansion.vectors == VECTORS).all() and expansion.vectors.dtype == np.float32
    assert isinstance(expansion.vectors, np.memmap)
    assert expansion.sparse.scores("a goat").tolist() == build().sparse.scores("a goat").tolist()
    assert read_table(tmp_path / "a" / EXPANSION.file, EXPANSION).num_rows == 3

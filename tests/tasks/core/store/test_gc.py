"""Garbage: what no kept build needs, older than a day."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from citegrain.tasks.core.store import RowStore, reindexing
from citegrain.tasks.core.store.artefacts import MANIFEST
from citegrain.tasks.core.store.gc import collect_garbage

DAY = 86_400.0
SCHEMA = pa.schema([("text_hash", pa.string()), ("vector", pa.list_(pa.float32(), 2))])


def age(path: Path, days: float) -> None:
    at = time.time() - days * DAY
    for p in [*path.rglob("*"), path] if path.is_dir() else [path]:
        os.utime(p, (at, at))


def build(root: Path, name: str, key: str, uses: list[str], texts: list[str]) -> Path:
    folder = root / "builds" / name / key
    folder.mkdir(parents=True)
    (folder / MANIFEST).write_text(json.dumps({"uses": uses}))
    pq.write_table(pa.table({"text_hash": texts}), folder / "chunks.parquet")
    return folder


def artefact(root: Path, stage: str, key: str) -> Path:
    folder = root / "store" / stage / key
    folder.mkdir(parents=True)
    (folder / MANIFEST).write_text("{}")
    return folder


def test_gc_keeps_current_previous_and_the_young(tmp_path: Path) -> None:
    current = build(tmp_path, "mine", "k3", ["parse/a", "tag/a"], ["t1"])
    previous = build(tmp_path, "mine", "k2", ["parse/b"], ["t2"])
    older = build(tmp_path, "mine", "k1", ["parse/c"], ["t3"])
    (tmp_path / "builds/mine/current").write_text("k3\n")
    (tmp_path / "builds/mine/previous").write_text("k2\n")
    needed = (("parse", "a"), ("tag", "a"), ("parse", "b"))
    remaining = [artefact(tmp_path, *name) for name in needed]
    unused, young = artefact(tmp_path, "parse", "c"), artefact(tmp_path, "parse", "young")
    left = tmp_path / "store" / "tmp" / "parse-1-abc"
    left.mkdir(parents=True)
    half = [tmp_path / "reports" / ".study-1-abc", tmp_path / "reports" / "study" / ".figures-1-abc"]
    for folder in half:
        folder.mkdir(parents=True)
    rows = RowStore(tmp_path / "store", "embed", "space", SCHEMA, "text_hash")
    vectors = {"text_hash": ["t1", "t2", "t3"], "vector": [[1, 0], [0, 1], [1, 1]]}
    rows.append(pa.table(vectors, schema=SCHEMA))
    for path in (current, previous, older, *remaining, unused, left, *half, *rows.segments()):
        age(path, 3)
    done = collect_garbage(tmp_path, time.time())
    assert (done.builds, done.artefacts, done.segments, done.leftovers) == (1, 1, 1, 3)
    assert current.exists() and previous.exists() and not older.exists()
    assert all(p.exists() for p in remaining) and young.exists() and not unused.exists()
    assert not left.exists() and not any(p.exists() for p in half) and (tmp_path / "reports/study").exists()
    assert rows.keys() == {"t1", "t2"}
    assert collect_garbage(tmp_path, time.time()).artefacts == 0


def test_gc_of_nothing_is_nothing(tmp_path: Path) -> None:
    assert collect_garbage(tmp_path, time.time()).bytes == 0


def test_a_corpus_that_is_being_indexed_anew_keeps_its_builds(tmp_path: Path) -> None:
    old = build(tmp_path, "mine", "k1", ["parse/a"], ["t1"])
    used = artefact(tmp_path, "parse", "a")
    for path in (old, used):
        age(path, 3)
    with reindexing(tmp_path / "builds/mine", 0.0):
        assert collect_garbage(tmp_path, time.time()).builds == 0
    assert old.exists() and used.exists()
    assert collect_garbage(tmp_path, time.time()).builds == 1


def test_a_report_beside_a_build_goes_with_it(tmp_path: Path) -> None:
    current, gone = (build(tmp_path, "mine", key, [], []) for key in ("k2", "k1"))
    (tmp_path / "builds/mine/current").write_text("k2\n")
    reports = [path.with_name(f"{path.name}.amendments") for path in (current, gone)]
    for report in reports:
        report.mkdir()
    for path in (current, gone, *reports):
        age(path, 3)
    collect_garbage(tmp_path, time.time())
    assert [path.exists() for path in (current, gone, *reports)] == [True, False, True, False]


def test_a_damaged_segment_is_cleared(tmp_path: Path) -> None:
    rows = RowStore(tmp_path / "store", "embed", "space", SCHEMA, "text_hash")
    rows.append(pa.table({"text_hash": ["t1"], "vector": [[1, 0]]}, schema=SCHEMA))
    damaged = rows.folder / "rows-0.parquet"
    damaged.write_bytes(b"PAR1")
    for path in (damaged, *rows.segments()):
        age(path, 3)
    assert collect_garbage(tmp_path, time.time()).leftovers == 1 and not damaged.exists()


def test_what_texts_name_is_cleared_when_it_is_old(tmp_path: Path) -> None:
    schema = pa.schema([("text", pa.string())])
    old, young = (RowStore(tmp_path / "store", "graph", s, schema, "text") for s in ("old", "young"))
    for rows in (old, young):
        rows.append(pa.table({"text": ["t1"]}, schema=schema))
    age(old.folder, 3)
    assert collect_garbage(tmp_path, time.time()).segments == 1
    assert old.keys() == set() and young.keys() == {"t1"}

"""The one rule: an artefact has its name only when it is whole."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from citegrain.tasks.core.schemas import TableSchema
from citegrain.tasks.core.stage import Key, Stage
from citegrain.tasks.core.store import Store, StoreError
from citegrain.tasks.core.store.artefacts import MANIFEST
from tests.conftest import ROOT

TABLE = TableSchema("numbers", 1, pa.schema([pa.field("n", pa.int32(), nullable=False)]))
STAGE = Stage("count", 1, (TABLE,))


def key(**params: object) -> Key:
    return STAGE.key(params, {"document": "abc"})


def tables(values: list[int]) -> dict[str, pa.Table]:
    return {"numbers": pa.table({"n": pa.array(values, pa.int32())})}


def test_key_depends_on_what_is_read_and_on_nothing_else() -> None:
    one = STAGE.key({"a": 1, "b": 2}, {"x": "h1", "y": "h2"})
    assert one.digest == STAGE.key({"b": 2, "a": 1}, {"y": "h2", "x": "h1"}).digest
    others = [
        STAGE.key({"a": 1, "b": 3}, {"x": "h1", "y": "h2"}),
        STAGE.key({"a": 1, "b": 2}, {"x": "h1", "y": "h3"}),
        Stage("count", 2, (TABLE,)).key({"a": 1, "b": 2}, {"x": "h1", "y": "h2"}),
        Stage("other", 1, (TABLE,)).key({"a": 1, "b": 2}, {"x": "h1", "y": "h2"}),
    ]
    assert len({one.digest, *(k.digest for k in others)}) == 5


def test_what_exists_is_not_made_again(tmp_path: Path) -> None:
    store, calls = Store(tmp_path), []

    def run() -> dict[str, pa.Table]:
        calls.append(1)
        return tables([1, 2, 3])

    first = store.make(STAGE, key(), run)
    again = store.make(STAGE, key(), run)
    assert len(calls) == 1 and first.content == again.content
    assert again.table(TABLE).column("n").to_pylist() == [1, 2, 3]


def test_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    a = Store(tmp_path / "a").make(STAGE, key(), lambda: tables([5, 6]))
    b = Store(tmp_path / "b").make(STAGE, key(), lambda: tables([5, 6]))
    assert dict(a.files) == dict(b.files)


@pytest.mark.parametrize("harm", ["change", "truncate", "remove", "no manifest", "manifest cut"])
def test_a_damaged_artefact_is_made_again(tmp_path: Path, harm: str) -> None:
    store = Store(tmp_path)
    artefact = store.make(STAGE, key(), lambda: tables([1]))
    file = artefact.path / (MANIFEST if "manifest" in harm else TABLE.file)
    data = bytearray(file.read_bytes())
    if harm == "change":
        data[len(data) // 2] ^= 1
    file.write_bytes(data[:40] if harm == "manifest cut" else data[:-3] if harm == "truncate" else data)
    if harm in ("remove", "no manifest"):
        file.unlink()
    assert store.find(key()) is None
    again = store.make(STAGE, key(), lambda: tables([1]))
    assert again.content == artefact.content
    assert store.find(key()) is not None
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_newer_manifest_is_refused_in_one_line(tmp_path: Path) -> None:
    store = Store(tmp_path)
    artefact = store.make(STAGE, key(), lambda: tables([1]))
    manifest = json.loads((artefact.path / MANIFEST).read_text())
    manifest["manifest_version"] = 99
    (artefact.path / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(StoreError, match=r"manifest version 99.*upgrade") as error:
        store.find(key())
    assert "\n" not in str(error.value)


def test_the_manifest_records_the_environment_and_the_key_does_not(tmp_path: Path) -> None:
    artefact = Store(tmp_path).make(STAGE, key(size=3), lambda: tables([1]))
    manifest = json.loads((artefact.path / MANIFEST).read_text())
    expected = {"stage": "count", "version": 1, "params": {"size": 3}, "inputs": {"document": "abc"}}
    assert manifest["key"] == expected
    assert manifest["environment"]["libraries"]["pyarrow"] == pa.__version__
    assert str(tmp_path) not in json.dumps(manifest["key"])


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.tasks.core.store.test_artefacts import STAGE, key, tables
from citegrain.tasks.core.store import Store, artefacts
moment = sys.argv[2]
def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)
if moment == "before the manifest":
    artefacts.write_manifest = die
if moment == "before the name":
    Path.rename = die
run = die if moment == "while computing" else lambda: tables([1])
Store(sys.argv[1]).make(STAGE, key(), run)
"""


def run_killed(code: str, *words: object) -> None:
    """Run code that has itself killed, in a process of its own."""
    command = [sys.executable, "-c", code, *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False)
    assert done.returncode == -signal.SIGKILL


def at_once(work: Callable[..., None], *rest: tuple[object, ...]) -> None:
    """``work`` in processes that begin together, one for each of ``rest``; each has ended well."""
    context = multiprocessing.get_context("spawn")
    start = context.Event()
    workers = [context.Process(target=work, args=(start, *words)) for words in rest]
    for worker in workers:
        worker.start()
    start.set()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0


@pytest.mark.parametrize("moment", ["while computing", "before the manifest", "before the name"])
def test_kill_leaves_nothing_that_looks_whole(tmp_path: Path, moment: str) -> None:
    run_killed(KILLED, tmp_path, moment)
    store = Store(tmp_path)
    assert store.find(key()) is None
    assert not store.folder(key()).exists()
    assert store.make(STAGE, key(), lambda: tables([1])).table(TABLE).num_rows == 1


def _race(start: Any, root: str, name: str) -> None:
    store = Store(root)
    start.wait()
    contents = {store.make(STAGE, key(n=n), lambda: tables([1, 2])).content for n in range(20)}
    Path(root, name).write_text("\n".join(contents))


def test_two_processes_that_make_the_same_end_with_one(tmp_path: Path) -> None:
    at_once(_race, *((str(tmp_path), name) for name in "ab"))
    first, second = ((tmp_path / name).read_text() for name in "ab")
    assert first == second and "\n" not in first
    assert len(list((tmp_path / "count").iterdir())) == 20
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize(
    ("number", "words"), [(errno.ENOSPC, "no space left"), (errno.EROFS, "cannot be written")]
)
def test_a_disk_that_takes_no_more_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    import citegrain.tasks.core.store.artefacts as module

    store = Store(tmp_path)
    earlier = store.make(STAGE, key(old=1), lambda: tables([1]))

    def full(*args: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(module, "write_table", full)
    with pytest.raises(StoreError, match=words) as error:
        store.make(STAGE, key(), lambda: tables([1]))
    assert "\n" not in str(error.value)
    assert not store.folder(key()).exists()
    assert store.find(key(old=1)) is not None
    assert earlier.table(TABLE).num_rows == 1

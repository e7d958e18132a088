"""Stores that share object storage: fsspec's in memory, and S3 as moto serves it on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pyarrow as pa
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from citegrain.tasks.core.store import Store, StoreError, connect
from citegrain.tasks.offline.index import fetch, publish, write_build
from tests.tasks.core.store.test_artefacts import STAGE, key, tables
from tests.tasks.core.store.test_rows import rows
from tests.tasks.core.store.test_rows import store as rows_of


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    server = pytest.importorskip("moto.server", reason="needs moto").ThreadedMotoServer("127.0.0.1", 0)
    pytest.importorskip("s3fs", reason="needs s3fs: pip install 'citegrain[s3]'")
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "testing")
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        fsspec.filesystem("s3").mkdir("lab")
        yield "s3://lab"
    server.stop()


@pytest.fixture(params=["memory", "s3"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    base = "memory:/" if request.param == "memory" else request.getfixturevalue("s3")
    return f"{base}/{tmp_path.name}"


@pytest.fixture
def stores(address: str, tmp_path: Path) -> tuple[Store, Store]:
    """Those of two machines."""
    for machine in ("a", "b"):
        connect(tmp_path / machine / "store", address)
    return Store(tmp_path / "a" / "store"), Store(tmp_path / "b" / "store")


def there(address: str) -> list[str]:
    files, base = fsspec.url_to_fs(address)
    files.invalidate_cache()
    return sorted(files.find(base))


def never() -> dict[str, pa.Table]:
    raise AssertionError("made a second time")


def test_what_one_machine_made_the_other_fetches(stores: tuple[Store, Store]) -> None:
    here, other = stores
    assert here.find(key()) is None
    made_here = here.make(STAGE, key(), lambda: tables([5, 6]))
    fetched = other.make(STAGE, key(), never)
    assert fetched.content == made_here.content and fetched.path != made_here.path
    assert fetched.table(STAGE.outputs[0]) == made_here.table(STAGE.outputs[0])


def test_two_writers_end_with_the_first(stores: tuple[Store, Store]) -> None:
    """Neither saw the other's while it was at work."""
    here, other = stores
    first = here.keep(STAGE, key(), tables([5, 6]))
    second = other.keep(STAGE, key(), tables([5, 7]))
    assert second.content == first.content == Store(other.root).find(key()).content  # type: ignore[union-attr]


def test_files_without_a_manifest_are_nothing(stores: tuple[Store, Store], address: str) -> None:
    """As a process leaves them that is killed before it writes the manifest."""
    here, other = stores
    here.keep(STAGE, key(), tables([5, 6]))
    files, _ = fsspec.url_to_fs(address)
    for path in there(address):
        if path.endswith(".json"):
            files.rm_file(path)
    assert other.find(key()) is None
    assert other.keep(STAGE, key(), tables([5, 6])).content == here.find(key()).content  # type: ignore[union-attr]
    assert any(path.endswith(".json") for path in there(address))


def test_a_damaged_file_is_made_again_and_mended(stores: tuple[Store, Store], address: str) -> None:
    here, other = stores
    content = here.keep(STAGE, key(), tables([5, 6])).content
    files, _ = fsspec.url_to_fs(address)
    blob = next(path for path in there(address) if "/files/" in path)
    files.pipe_file(blob, b"cut short")
    assert other.find(key()) is None
    assert other.make(STAGE, key(), lambda: tables([5, 6])).content == content
    assert Store(here.root.parent.parent / "c").find(key()) is None, "not connected"
    connect(here.root.parent.parent / "d", address)
    assert Store(here.root.parent.parent / "d").find(key()).content == content  # type: ignore[union-attr]


def test_rows_are_shared(stores: tuple[Store, Store]) -> None:
    here, other = (store.root for store in stores)
    segment = rows_of(here).append(rows([("a", 1)]))
    assert rows_of(other).keys() == {"a"}
    assert segment is not None and [p.name for p in rows_of(other).segments()] == [segment.name]
    rows_of(other).append(rows([("b", 2)]))
    assert rows_of(here).read(["b", "a"]).to_pydict() == {"key": ["b", "a"], "value": [2, 1]}


def test_a_published_build_is_current_on_the_machine_that_fetches_it(
    stores: tuple[Store, Store], tmp_path: Path
) -> None:
    def build(machine: str, text: str) -> Path:
        def write(part: Path) -> None:
            (part / "words").write_text(text)

        folder = write_build(tmp_path / machine / "builds", "mine", key(text=text), write, {})
        publish(folder)
        return folder

    with pytest.raises(StoreError, match="no whole build mine"):
        fetch(tmp_path / "b" / "builds", "mine")
    build("a", "old")
    second = build("a", "new")
    fetched = fetch(tmp_path / "b" / "builds", "mine")
    assert fetched.name == second.name and (fetched / "words").read_text() == "new"
    assert (fetched.parent / "current").read_text().strip() == second.name


def test_a_manifest_may_not_lead_out_of_its_folder(stores: tuple[Store, Store], address: str) -> None:
    here, other = stores
    here.keep(STAGE, key(), tables([5, 6]))
    files, _ = fsspec.url_to_fs(address)
    manifest = next(path for path in there(address) if path.endswith(".json"))
    sha = next(iter(json.loads(files.cat_file(manifest))["files"].values()))["sha256"]
    files.pipe_file(manifest, json.dumps({"files": {"../../x": {"sha256": sha}}}).encode())
    with pytest.raises(StoreError, match="outside its folder"):
        other.find(key())
    files.pipe_file(manifest, b"[]")
    with pytest.raises(StoreError, match="a manifest that is none"):
        other.find(key())


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("s3://id:secret@bucket/lab", "credentials"),
        ("/mnt/shared", "set artifacts="),
        ("file:///mnt/shared", "set artifacts="),
        ("gopher://lab", "gopher"),
    ],
)
def test_addresses_that_are_refused(tmp_path: Path, address: str, message: str) -> None:
    with pytest.raises(StoreError, match=message) as refused:
        connect(tmp_path, address)
    assert "secret" not in str(refused.value)
    assert not (tmp_path / "remote").exists()


def test_a_bucket_that_is_none_is_refused(s3: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="bucket does not exist"):
        connect(tmp_path, f"{s3}-of-nobody/x")


def test_storage_that_cannot_refuse_a_second_writer_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = MemoryFileSystem.pipe_file
    monkeypatch.setattr(MemoryFileSystem, "pipe_file", lambda self, path, data, mode: write(self, path, data))
    with pytest.raises(StoreError, match="though asked not to"):
        connect(tmp_path, "memory://careless")
    assert there("memory://careless") == []


def test_a_store_that_is_connected_to_nothing_shares_nothing(tmp_path: Path) -> None:
    connect(tmp_path / "store", "memory://ended")
    connect(tmp_path / "store", "")
    Store(tmp_path / "store").keep(STAGE, key(), tables([5, 6]))
    assert there("memory://ended") == []

"""Artefacts: folders named by their key, whole or absent.

Files go to a temporary folder, the manifest last, then one rename gives the
folder its name. A process killed at any moment leaves either nothing under the
name or all of it; what is left in the temporary folder has no name and is
cleared by ``core.store.gc``.
"""

import errno
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
from filelock import FileLock

from citegrain.tasks.core.schemas import ALL, TableSchema
from citegrain.tasks.core.stage import Key, Stage, Tables, canonical_json
from citegrain.tasks.core.store.files import (
    StoreError,
    content_hash,
    environment,
    explain,
    hash_file,
    temporary_name,
)
from citegrain.tasks.core.store.remote import MANIFEST, Remote, remote_of
from citegrain.tasks.core.tables import read_table, write_table

OLD = ".old"
"""How the name of a folder ends that is being replaced."""

MANIFEST_VERSION = 1


@contextmanager
def replaced_folder(
    target: Path, keep: Callable[[Path], object] | None = None, temporary: Path | None = None
) -> Iterator[Path]:
    """Give an empty folder to write to, and make it ``target`` when the body has ended without an error.

    Two processes may replace the same folder at once: the one or the other stands there then, whole. Raises
    OSError if it cannot be written; ``target`` stays as it was. The same holds for any error of the body.

    ``keep``: whether a folder that stands there is to stay, and the new one is dropped; by default none
    stays. ``temporary``: where the new one is written, on the same file system; by default beside ``target``.
    """
    restore(target)
    part = (temporary or target.parent) / f".{target.name}.{temporary_name()}"
    try:
        part.mkdir(parents=True)
        yield part
        target.parent.mkdir(parents=True, exist_ok=True)
        if not _took_name(part, target) and not (keep and keep(target)):
            _swap(part, target)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def restore(target: Path) -> None:
    """Give a folder its name back if a process was killed while it was replacing it."""
    old = _old(target)
    if old.exists() and not target.exists():
        with _locked(target):
            _give_back(old, target)


def _swap(part: Path, target: Path) -> None:
    old = _old(target)
    with _locked(target):
        try:
            if target.exists():
                _delete(old)  # of a process that was killed after its swap
                target.rename(old)
            _took_name(part, target)  # another process may have been faster: its folder is whole, too
        finally:
            _give_back(old, target)
        _delete(old)


def _give_back(old: Path, target: Path) -> None:
    if old.exists() and not target.exists():
        _took_name(old, target)


def _took_name(part: Path, target: Path) -> bool:
    """Rename a folder; False if another folder has the name already."""
    try:
        part.rename(target)
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
            raise
        return False
    return True


def _delete(old: Path) -> None:
    """Delete a folder. It loses its name first: what is half deleted must not be taken for whole."""
    doomed = old.with_name(f".{temporary_name()}")
    if old.exists():
        old.rename(doomed)
        shutil.rmtree(doomed, ignore_errors=True)


def _old(target: Path) -> Path:
    return target.with_name(f".{target.name}{OLD}")


@contextmanager
def _locked(target: Path) -> Iterator[None]:
    """Let one process at a time rename; the lock of a process that was killed is free at once."""
    path = target.with_name(f".{target.name}.lock")
    with FileLock(path):
        try:
            yield
        finally:
            path.unlink(missing_ok=True)  # who waits for it sees that the file is gone, and makes another


@dataclass(frozen=True)
class Artefact:
    """A whole artefact in the store.

    ``files``: SHA-256 by file name. ``content``: one hash over all files, which later stages take for their
    key. ``facts``: what was noted when it was made, such as the time it took; no part of the content.
    """

    path: Path
    files: Mapping[str, str]
    content: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    def table(self, schema: TableSchema, columns: list[str] | None = None) -> pa.Table:
        """Read one of its tables, checked against ``schema``."""
        return read_table(self.path / schema.file, schema, columns)


class Store:
    """The folder ``store/<stage>/<key>/``, and what it is connected to."""

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root)

    @cached_property
    def _remote(self) -> Remote | None:
        return remote_of(self.root)

    def folder(self, key: Key) -> Path:
        """Where the artefact of ``key`` is or would be."""
        return self.root / key.stage / key.digest

    def find(self, key: Key) -> Artefact | None:
        """The artefact of ``key``, of this or another machine, if every file has its hash; else None.

        Raises StoreError if it was written by a newer citegrain, or cannot be fetched.
        """
        artefact = self._read(self.folder(key))
        return artefact or (self._fetched(key) if self._remote else None)

    def _fetched(self, key: Key) -> Artefact | None:
        folder = self.folder(key)
        if self._remote and fetch_folder(self._remote, _name(key), folder, self.root / "tmp"):
            return self._read(folder)
        return None

    def _read(self, folder: Path) -> Artefact | None:
        try:
            manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            version = int(manifest["manifest_version"])
            files = {str(name): str(value["sha256"]) for name, value in manifest["files"].items()}
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if version > MANIFEST_VERSION:
            raise StoreError(
                f"{folder}: manifest version {version}; this citegrain reads up to "
                f"{MANIFEST_VERSION}: upgrade it or use another store"
            )
        try:
            if any(hash_file(folder / name) != sha for name, sha in files.items()):
                return None
        except OSError:
            return None
        return Artefact(folder, files, content_hash(files), dict(manifest.get("facts", {})))

    def make(self, stage: Stage, key: Key, run: Callable[[], Tables]) -> Artefact:
        """The artefact of ``key``, made by ``run`` if it is not there. Raises StoreError."""
        artefact = self.find(key)
        if artefact is not None:
            return artefact
        return self.keep(stage, key, run())

    def keep(
        self, stage: Stage, key: Key, tables: Tables, facts: Mapping[str, Any] | None = None
    ) -> Artefact:
        """Write the tables of a stage under ``key``, as :meth:`commit` does."""

        def write(folder: Path) -> None:
            for schema in stage.outputs:
                write_table(folder / schema.file, tables[schema.name], schema)

        return self.commit(key, write, facts)

    def commit(
        self, key: Key, write: Callable[[Path], None], facts: Mapping[str, Any] | None = None
    ) -> Artefact:
        """Write files by ``write(folder)`` and publish them under ``key``, with what is to be noted."""
        target = self.folder(key)
        try:
            with replaced_folder(target, keep=self._read, temporary=self.root / "tmp") as part:
                write(part)
                write_manifest(part, key, {"facts": dict(facts or {})})
        except OSError as error:
            raise StoreError(explain(error, self.root)) from error
        if self._remote and not self._remote.put_folder(_name(key), target):
            self._fetched(key)  # another machine was faster, and the last bits of vectors may differ
        artefact = self._read(target)
        if artefact is None:
            raise StoreError(f"{target}: changed while it was being written")
        return artefact


def _name(key: Key) -> str:
    return f"{key.stage}/{key.digest}"


def fetch_folder(remote: Remote, name: str, folder: Path, temporary: Path | None = None) -> bool:
    """Replace a folder by the one that has a name there; False if there is none, or not whole."""
    try:
        with replaced_folder(folder, temporary=temporary) as part:
            if not remote.get_folder(name, part):
                raise FileNotFoundError
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StoreError(explain(error, folder)) from error
    return True


def write_manifest(folder: Path, key: Key, entries: Mapping[str, Any]) -> None:
    """Write the manifest of a folder that is complete but for it, with further ``entries``."""
    paths = sorted(p for p in folder.rglob("*") if p.is_file())
    files = {str(p.relative_to(folder)): hash_file(p) for p in paths}
    schemas = {schema.file: schema.version for schema in ALL.values()}
    manifest = {
        "manifest_version": MANIFEST_VERSION,
        "key": key.parts,
        "files": {
            name: {
                "sha256": sha,
                "bytes": (folder / name).stat().st_size,
                "schema_version": schemas.get(Path(name).parts[0]),
            }
            for name, sha in files.items()
        },
        "content": content_hash(files),
        "environment": environment(),
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
    } | dict(entries)
    text = json.dumps(json.loads(canonical_json(manifest)), indent=1, sort_keys=True)
    (folder / MANIFEST).write_text(text, encoding="utf-8")

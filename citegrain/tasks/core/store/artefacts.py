"""Artefacts: folders named by their key, whole or absent.

Files go to a temporary folder, the manifest last, then one rename gives the
folder its name. A process killed at any moment leaves either nothing under the
name or all of it; what is left in the temporary folder has no name and is
cleared by ``core.store.gc``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.schemas import ALL, TableSchema
from citegrain.tasks.core.stage import Key, Stage, Tables, canonical_json
from citegrain.tasks.core.store.errors import StoreError, explain
from citegrain.tasks.core.store.files import content_hash, environment, hash_file
from citegrain.tasks.core.store.folders import replaced_folder
from citegrain.tasks.core.store.remote import MANIFEST, Remote, remote_of
from citegrain.tasks.core.tables import read_table, write_table

MANIFEST_VERSION = 1


@dataclass(frozen=True)
class Artefact:
    """A whole artefact in the store.

    Attributes
    ----------
    path
        Its folder.
    files
        SHA-256 by file name.
    content
        One hash over all files: what later stages take for their key.
    facts
        What was noted when it was made, such as the time it took; no part of the content.
    """

    path: Path
    files: Mapping[str, str]
    content: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    def table(self, schema: TableSchema, columns: list[str] | None = None) -> pa.Table:
        """Read one of its tables, checked against ``schema``."""
        return read_table(self.path / schema.file, schema, columns)


class Store:
    """The folder ``store/<stage>/<key>/``, and what it is connected to.

    Parameters
    ----------
    root
        Folder of the store; it is made if it is not there.
    """

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root)

    @cached_property
    def _remote(self) -> Remote | None:
        return remote_of(self.root)

    def folder(self, key: Key) -> Path:
        """Where the artefact of ``key`` is or would be."""
        return self.root / key.stage / key.digest

    def find(self, key: Key) -> Artefact | None:
        """The artefact of ``key`` if it is there and whole; None if it has to be made.

        Every file is hashed: one that was changed or cut short makes the artefact absent. What another
        machine made is fetched.

        Raises
        ------
        StoreError
            If it was written by a newer citegrain, or cannot be fetched.
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
        """The artefact of ``key``, made by ``run`` if it is not there.

        Two processes that make the same artefact at once end with one: the second finds the
        name taken and drops its copy.

        Raises
        ------
        StoreError
            If it cannot be written (a full disk, for one). Nothing is left under the name then.
        """
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
    """Write the manifest of a folder that is complete but for it: key, files with their hashes, environment.

    Parameters
    ----------
    entries
        Further entries of the manifest.
    """
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

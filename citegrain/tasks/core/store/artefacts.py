"""Artefacts: folders named by their key, whole or absent.

Files go to a temporary folder, the manifest last, then one rename gives the
folder its name. A process killed at any moment leaves either nothing under the
name or all of it; what is left in the temporary folder has no name and is
cleared by ``core.store.gc``.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.schemas import ALL, TableSchema
from citegrain.tasks.core.stage import Key, Stage, Tables, canonical_json
from citegrain.tasks.core.store.files import content_hash, environment, hash_file
from citegrain.tasks.core.store.folders import replaced_folder
from citegrain.tasks.core.tables import read_table, write_table

MANIFEST = "manifest.json"
MANIFEST_VERSION = 1


class StoreError(RuntimeError):
    """The store cannot be read or written; the message says what and why."""


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
    """The folder ``store/<stage>/<key>/``.

    Parameters
    ----------
    root
        Folder of the store; it is made if it is not there.
    """

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root)

    def folder(self, key: Key) -> Path:
        """Where the artefact of ``key`` is or would be."""
        return self.root / key.stage / key.digest

    def find(self, key: Key) -> Artefact | None:
        """The artefact of ``key`` if it is there and whole; None if it has to be made.

        Every file is hashed: one that was changed or cut short makes the artefact absent.

        Raises
        ------
        StoreError
            If it was written by a newer citegrain.
        """
        return self._read(self.folder(key))

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
        artefact = self._read(target)
        if artefact is None:
            raise StoreError(f"{target}: changed while it was being written")
        return artefact


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
                "schema_version": schemas.get(name),
            }
            for name, sha in files.items()
        },
        "content": content_hash(files),
        "environment": environment(),
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
    } | dict(entries)
    text = json.dumps(json.loads(canonical_json(manifest)), indent=1, sort_keys=True)
    (folder / MANIFEST).write_text(text, encoding="utf-8")


def explain(error: OSError, root: Path) -> str:
    """One line a user can act on, for an error of the file system."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"no space left on the device that holds {root}: free some, then run again"
    if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
        return f"{error.filename or root} cannot be written: {error.strerror}"
    return f"{error.filename or root}: {error.strerror or error}"

"""Opening a published build, after checking that it is whole and of a readable version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.store.artefacts import MANIFEST, MANIFEST_VERSION
from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.offline.index.publishing import read_pointer
from citegrain.tasks.offline.index.stage import DENSE, STAGE, TOKENS


class BuildError(RuntimeError, Expected):
    """A build cannot be opened; the message says why and what to do."""


def read_build(path: Path) -> tuple[Path, dict[str, Any]]:
    """The folder of a build and its manifest; every file is as the manifest says.

    Parameters
    ----------
    path
        Its folder, or the folder of its name with the file ``current``.

    Raises
    ------
    BuildError
        If it is missing, older or newer than this citegrain reads, or a file does not fit the manifest.
    """
    current = read_pointer(path / "current")
    folder = path / current if current else path
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        hint = "citegrain builds lists those that there are, citegrain index makes one"
        raise BuildError(f"{path}: no build in it; {hint}") from error
    if manifest["manifest_version"] > MANIFEST_VERSION:
        raise BuildError(
            f"{folder}: manifest version {manifest['manifest_version']}; this citegrain reads up "
            f"to {MANIFEST_VERSION}: upgrade it or rebuild the index"
        )
    there = {Path(name).parts[0] for name in manifest["files"]}
    missing = sorted({DENSE, *(schema.file for schema in STAGE.outputs)} - there)
    if missing:
        raise BuildError(
            f"{folder}: made by an older citegrain, without {', '.join(missing)}; run citegrain index again"
        )
    for name, described in manifest["files"].items():
        if not _whole(folder / name, described):
            raise BuildError(f"{folder / name}: damaged or missing; run citegrain index again")
    return folder, manifest


def _whole(file: Path, described: dict[str, Any]) -> bool:
    if not file.is_file():
        return False
    if file.name == TOKENS:  # raw numbers are harmless, and hashing gigabytes takes long
        return bool(file.stat().st_size == described["bytes"])
    return bool(hash_file(file) == described["sha256"])

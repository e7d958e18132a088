"""Files that ship with a ranker, found by their digest."""

from __future__ import annotations

from pathlib import Path

from citegrain.tasks.core.paths import located
from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.offline.models import ModelError


def shipped(file: str, sha256: str) -> Path:
    """The file of a digest: one of each name ships with each ranker.

    Raises
    ------
    ModelError
        If none has it.
    """
    for path in located("data:models").glob(f"*/{file}"):
        if hash_file(path) == sha256:
            return path
    option = file.partition(".")[0]
    raise ModelError(f"retrieve.{option}={sha256}: no {file} of that SHA-256 is in data/models")

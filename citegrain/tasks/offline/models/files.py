"""Learned files that ship as text: read only where their digest is the one that was named."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from citegrain.tasks.core.errors import Expected, printable


class ModelError(RuntimeError, Expected):
    """A model cannot be found, or is not the one that was asked for; the message says what to do."""


def read_learned(path: Path, sha256: str, parameter: str) -> Any:
    """The content of a JSON file.

    ``parameter``: name of the parameter that gives the digest, for the error. Raises ModelError if it is not
    there, has another digest or is no JSON.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{printable(path)}: {error.strerror}") from error
    digest = hashlib.sha256(data).hexdigest()
    if digest != sha256:
        raise ModelError(f"{printable(path)}: SHA-256 {digest}, but {parameter} is {sha256}")
    try:
        return json.loads(data)
    except ValueError as error:
        raise ModelError(f"{printable(path)}: is not what citegrain train writes: {error}") from error

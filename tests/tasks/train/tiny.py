"""What the trainings of the tests share."""

from __future__ import annotations

import importlib
from typing import Any

TINY: dict[str, Any] = {
    "name": "tiny",
    "batch": 4,
    "learning_rate": 3e-3,
    "rank": 32,
    "max_tokens": 32,
    "precision": "fp32",
    "checks": 1,
}
"""Parameters of a training of seconds."""


class Lazy:
    """A module that is loaded when a test uses it: sentence-transformers takes seconds in every process."""

    def __init__(self, name: str) -> None:
        self._name = f"citegrain.tasks.train.{name}"

    def __getattr__(self, name: str) -> Any:
        if name == "_mock_name" or name.startswith("__"):  # pytest asks all that stands in a module for these
            raise AttributeError(name)
        return getattr(importlib.import_module(self._name), name)

"""Background stories: what people's complaints have in common, whatever they are about.

A story says who, where and when before it says what happened, and every story does. Retrieval takes that
common part off (:mod:`tasks.retrieve`): the mean vector of the stories from a query's vector, and the
weight of words that most stories use. Only texts are read, never labels.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tasks.index.sparse import Analyser
from tasks.schemas import BACKGROUND

Matrix = npt.NDArray[np.float32]


class BackgroundError(ValueError):
    """A file of stories cannot be read; the message says which line and why."""


def read_stories(paths: Sequence[Path]) -> list[str]:
    """The ``text`` of each record of some JSON Lines files, each text once.

    Raises
    ------
    BackgroundError
        If a file is missing or a line is no object with a ``text``.
    """
    texts: dict[str, None] = {}
    for path in paths:
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise BackgroundError(f"index.background: {path}: {error}") from error
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record: Any = json.loads(line)
            except ValueError as error:
                raise BackgroundError(f"{path}:{number}: record: not JSON: {error}") from error
            text = record.get("text") if isinstance(record, dict) else None
            if not isinstance(text, str) or not text.strip():
                raise BackgroundError(f"{path}:{number}: text: a string is wanted")
            texts[text] = None
    return list(texts)


def background_table(texts: Sequence[str], vectors: Matrix) -> pa.Table:
    """Table ``background``; ``vectors`` has the shape (texts, dimension)."""
    return BACKGROUND.rows([{"text": t, "vector": v.tolist()} for t, v in zip(texts, vectors, strict=True)])


class Background:
    """The stories of a build.

    Parameters
    ----------
    table
        Table ``background``.
    """

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    @cached_property
    def mean(self) -> Matrix | None:
        """Mean vector of the stories, shape (dimension,); None if there are none."""
        rows = self._table.column("vector").to_pylist()
        return np.asarray(rows, dtype=np.float32).mean(axis=0) if rows else None

    def rarity(self, analyser: Analyser) -> Callable[[str], float]:
        """Weight of a term by the share of stories that use it: 1 for none, near 0 for all.

        ``log((N + 1) / (n + 1/2)) / log(2 (N + 1))`` for a term of ``n`` of ``N`` stories; 1 without stories.
        """
        stories = [set(analyser.terms(text)) for text in self._table.column("text").to_pylist()]
        using = Counter(term for story in stories for term in story)
        whole = len(stories) + 1
        if not stories:
            return lambda term: 1.0
        return lambda term: max(0.0, math.log(whole / (using[term] + 0.5)) / math.log(2 * whole))

"""The matters of a question that tells of several: where one ends, and what applies to each.

A question about a beating and about unpaid wages is near neither. So it is cut where the words before and
behind are least alike, and each part is asked by itself. Parts are matters of their own where something
likely applies to each, and no Act to both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
Charges = Sequence[Mapping[str, Any]]
Encode = Callable[[Sequence[str]], Vectors]
Ask = Callable[[Sequence[str]], Sequence[Charges]]
_CUT = re.compile(
    r"(?<=[.!?।])\s+|\s*\n\s*|,?\s+(?=(?:also|another|besides|moreover|plus|secondly)\b)", re.IGNORECASE
)
_FEWEST = 6  # words of a part
_TRIED = 2  # places where a text may be cut, the clearest first
_LIKELY = 0.6  # chosen, as the two above, on joined complaints and on 40 questions written for it
_MOST = 4  # matters


def sentences(text: str) -> list[str]:
    """A text in pieces of some words or more: at ends of sentences and of lines, and before ``also``."""
    pieces: list[str] = []
    for piece in filter(None, map(str.strip, _CUT.split(text))):
        if pieces and min(len(piece.split()), len(pieces[-1].split())) < _FEWEST:
            pieces[-1] += f" {piece}"
        else:
            pieces.append(piece)
    return pieces


def places(pieces: Sequence[str], vectors: Vectors) -> list[int]:
    """Where a text may be cut: numbers of pieces with which a part may begin, the clearest first.

    ``vectors``: of the pieces, of length 1, shape (pieces, dimension).
    """
    sizes = np.array([len(piece.split()) for piece in pieces], dtype=np.float32)[:, None]
    before = np.cumsum(vectors * sizes, axis=0)[:-1]
    behind = (vectors * sizes).sum(axis=0) - before
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(behind, axis=1)
    alike = (before * behind).sum(axis=1) / np.maximum(lengths, 1e-9)
    return [int(at) + 1 for at in np.argsort(alike, kind="stable")[:_TRIED]]


def matters(text: str, encode: Encode, ask: Ask) -> list[tuple[str, Charges]]:
    """The matters of a question in their order, words and likely charges of each; none where it is only one.

    Parameters
    ----------
    encode
        Vectors of texts, of length 1, shape (texts, dimension).
    ask
        The charges of each of some questions, the likeliest first.
    """
    whole = sentences(text)
    done, todo = list[tuple[str, Charges]](), [(whole, list[Mapping[str, Any]]())]
    while todo:
        pieces, charges = todo.pop(0)
        parts = _parts(pieces, encode, ask) if len(done) + len(todo) + 2 <= _MOST else []
        if parts:
            todo = [*parts, *todo]
        else:
            done.append((" ".join(pieces), charges))
    return done if len(done) > 1 else []


def _parts(pieces: Sequence[str], encode: Encode, ask: Ask) -> list[tuple[Sequence[str], Charges]]:
    """The two parts to each of which something else is likeliest to apply; none where there are no such."""
    if len(pieces) < 2:
        return []
    halves = [half for at in places(pieces, encode(pieces)) for half in (pieces[:at], pieces[at:])]
    given = [
        [c for c in charges if (c["probability"] or 0) >= _LIKELY]
        for charges in ask([" ".join(h) for h in halves])
    ]
    found, both = list(zip(halves, given, strict=True)), list[tuple[float, int]]()
    for n in range(0, len(found), 2):
        acts = [{charge["act"] for charge in charges} for charges in given[n : n + 2]]
        if all(acts) and not set.intersection(*acts):
            both.append((min(max(c["probability"] for c in charges) for charges in given[n : n + 2]), -n))
    return found[-max(both)[1] :][:2] if both else []

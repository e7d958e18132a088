"""The matters of a question that tells of several: where one ends, and what applies to each.

A question about a beating and about unpaid wages is near neither. So it is cut where the words before and
behind are least alike, and each part is asked by itself. Parts are matters of their own where something
probably applies to each, and no Act to both.
"""

import re
from collections.abc import Callable, Sequence
from math import prod
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from citegrain.tasks.online.answer.schema import Charge

Vectors = npt.NDArray[np.float32]
Charges = Sequence[Charge]
Encode = Callable[[Sequence[str]], Vectors]
Ask = Callable[[Sequence[str]], Sequence[Charges]]
_CUT = re.compile(
    r"(?<=[.!?।])\s+|\s*\n\s*|,?\s+(?=(?:also|another|besides|moreover|plus|secondly)\b)", re.IGNORECASE
)
_JOINING = re.compile(
    r"^\W*(?:(?:and|also|besides|moreover|plus|secondly|another (?:thing|matter|problem)(?: is)?)\b\W*)+",
    re.IGNORECASE,
)
_FEWEST = 6  # words of a part
_TRIED = 2  # places where a text may be cut, the clearest first
_LIKELY = 0.6  # that something applies; chosen, as the two above, on joined complaints and 40 questions
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


def find_matters(text: str, encode: Encode, ask: Ask) -> list[tuple[str, Charges]]:
    """The matters of a question in their order, words and charges of each; none where it is only one.

    ``encode``: vectors of texts, of length 1, shape (texts, dimension). ``ask``: the charges of each of some
    questions, the likeliest first.
    """
    done = list[tuple[str, Charges]]()
    todo: list[tuple[list[str], Charges]] = [(sentences(text), [])]
    while todo:
        pieces, charges = todo.pop(0)
        parts = _parts(pieces, encode, ask) if len(done) + len(todo) + 2 <= _MOST else []
        todo = parts + todo
        if not parts:
            done.append((" ".join(pieces), charges))
    return done if len(done) > 1 else []


def _parts(pieces: list[str], encode: Encode, ask: Ask) -> list[tuple[list[str], Charges]]:
    """The two parts of a text of two matters at least; none where it is one."""
    if len(pieces) < 2:
        return []
    halves = [half for at in places(pieces, encode(pieces)) for half in (pieces[:at], pieces[at:])]
    given = list(zip(halves, ask([_JOINING.sub("", " ".join(half)) for half in halves]), strict=True))
    pairs = [given[n : n + 2] for n in range(0, len(given), 2)]
    sure, parts = max(((_sure(pair), pair) for pair in pairs), key=itemgetter(0))
    return parts if sure >= _LIKELY else []


def _sure(parts: Sequence[tuple[list[str], Charges]]) -> float:
    """How probable it is that something applies to the less probable of two parts; 0 if an Act is of both."""
    first, second = ({charge.act for charge in charges} for _, charges in parts)
    if not first or not second or first & second:
        return 0.0
    return min(1 - prod(1 - (charge.probability or 0) for charge in charges) for _, charges in parts)

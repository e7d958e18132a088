"""A claim and its passages read together: a cross-encoder that gives the probabilities of the verdicts.

``data/models/claims_reader`` is what training added to MiniLM; ``tools/train_claims.py`` made it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from pathlib import Path

import numpy as np

from citegrain.tasks.offline.models import WEIGHTS, OnnxBert, find_model
from citegrain.tasks.online.claims.passages import Passage, tokens_of
from citegrain.tasks.online.claims.schema import Verdict

MODEL = "citegrain/claims-reader"
MODEL_SHA256 = "9ba1f7debed512e6235b389283a51292fd2890e232aab42b99632b3389e8e727"
"""Digest of what training added; ``tools/train_claims.py`` prints that of what it writes."""
VERDICTS: tuple[Verdict, ...] = ("supported", "partly", "not", "contradicted")
ROOM = 550  # characters of the passages that are read with a claim
_LEFT = 80  # characters of them that may stay unused
LONGEST = 320  # tokens of both
LEAST = 1e-4  # added to a probability, so that its logarithm has an end
_EMPTY = re.compile(r"\(\s*\)|\{\w+\}")


class Reader:
    """The cross-encoder. ``cache``: folder of unpacked weights."""

    def __init__(self, cache: Path) -> None:
        from safetensors import safe_open

        folder = find_model(MODEL, cache, MODEL_SHA256).folder
        self._bert = OnnxBert(folder, threads=1)
        with safe_open(folder / WEIGHTS, "np") as file:
            self._weight, self._bias = (file.get_tensor(f"head.{name}") for name in ("weight", "bias"))

    def __call__(self, words: str, passages: Sequence[Passage]) -> dict[str, float]:
        """The logarithm of the probability of each verdict. ``words``: a claim without references."""
        claim = claim_of(words)
        pair = claim, nearest_words({token.term for token in tokens_of(claim)} - {""}, passages)
        _, hidden = self._bert.pooled(self._bert.features([pair], LONGEST))
        odds = np.exp(self._weight @ hidden[0, 0] + self._bias)
        return {
            f"read_{verdict}": float(value)
            for verdict, value in zip(VERDICTS, np.log(odds / odds.sum() + LEAST), strict=True)
        }


def claim_of(words: str) -> str:
    """A claim as it is read; ``words``: without references."""
    return " ".join(_EMPTY.sub("", words).split())


def nearest_words(terms: Set[str], passages: Sequence[Passage], room: int = ROOM) -> str:
    """What is read with a claim: short passages whole, of long ones the windows with most of its terms."""
    if sum(len(passage.text) for passage in passages) <= room:
        return " ".join(passage.text for passage in passages)
    windows = sorted(
        (-len(terms & has), end - start, n, start, end)
        for n, passage in enumerate(passages)
        for start, end, has in passage.windows
    )
    chosen: dict[int, list[tuple[int, int]]] = {n: [] for n in range(len(passages))}
    left = room
    for shared, size, n, start, end in windows:
        new = size - sum(max(0, min(end, b) - max(start, a)) for a, b in chosen[n])
        if left < _LEFT or (not shared and left < room):
            break
        if 0 < new <= left:
            left -= new
            chosen[n] = _joined([*chosen[n], (start, end)])
    return " ".join(passages[n].text[start:end] for n, spans in chosen.items() for start, end in spans)


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1] + 1:
            out[-1] = out[-1][0], max(end, out[-1][1])
        else:
            out.append((start, end))
    return out

"""Types of questions by their words: a regression on words and pairs of words, learned from a few hundred.

What ships are the questions: from them the regression is learned in a fifth of a second, always the same.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from citegrain.tasks.core.faults import printable
from citegrain.tasks.offline.models import ModelError

_SENTENCE = re.compile(r"[^.?!]+[.?!]*")
_LONG = 40  # words of a question of which only the sentences that ask are read


class Classifier:
    """A regression from the words of a question to its type.

    Parameters
    ----------
    texts, types
        To learn from.
    """

    def __init__(self, texts: Sequence[str], types: Sequence[str]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer  # only for who routes questions
        from sklearn.linear_model import LogisticRegression

        self._words: Any = TfidfVectorizer(analyzer=terms, sublinear_tf=True)
        self._model: Any = LogisticRegression(C=100, max_iter=1000)  # C by ten folds of the questions
        self._model.fit(self._words.fit_transform(texts), types)

    def types(self, texts: Sequence[str]) -> list[tuple[str, float]]:
        """The most probable type of each text, and how probable it is."""
        if not texts:
            return []
        probabilities = self._model.predict_proba(self._words.transform([asking(text) for text in texts]))
        best = probabilities.argmax(axis=1)
        return [
            (str(self._model.classes_[i]), float(row[i])) for i, row in zip(best, probabilities, strict=True)
        ]


def terms(text: str) -> list[str]:
    """Words and pairs of words in small letters; numbers are all one."""
    words = ["#" if word[0].isdigit() else word for word in re.findall(r"\w+", text.lower())]
    return words + [" ".join(pair) for pair in pairwise(words)]


def asking(text: str) -> str:
    """The sentences of a long text that end in a question mark; all of it where it is short or none does."""
    if len(text.split()) <= _LONG:
        return text
    asked = [sentence for sentence in _SENTENCE.findall(text) if sentence.rstrip().endswith("?")]
    return " ".join(asked) or text


@lru_cache(maxsize=2)
def read_classifier(path: Path, sha256: str) -> Classifier:
    """Learn from a file of questions, one object a line with ``text`` and ``type``.

    Raises
    ------
    ModelError
        If it is not there, has another digest or is something else.
    """
    try:
        content = path.read_bytes()
        rows = [json.loads(line) for line in content.decode().splitlines()]
        texts, types = [row["text"] for row in rows], [row["type"] for row in rows]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ModelError(f"route.texts={printable(path)}: cannot be read: {error}") from error
    if (digest := hashlib.sha256(content).hexdigest()) != sha256:
        raise ModelError(
            f"route.texts={printable(path)}: has digest {digest}, not route.texts_sha256={sha256}"
        )
    return Classifier(texts, types)

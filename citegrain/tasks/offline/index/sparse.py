"""The sparse index: BM25 by bm25s, in the Lucene variant (Eq. 3.2 of the thesis)."""

from __future__ import annotations

import json
import logging
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.words import Analyser

if TYPE_CHECKING:
    import bm25s

_ANALYSIS = "analysis.json"


class SparseIndex:
    """A BM25 index over texts, row by row."""

    def __init__(self, analyser: Analyser, bm25: bm25s.BM25) -> None:
        self.analyser = analyser
        self.bm25 = bm25

    @classmethod
    def build(cls, texts: Sequence[str], analyser: Analyser, k1: float, b: float) -> SparseIndex:
        """Index ``texts``. Terms are numbered alphabetically, so that equal texts give equal files."""
        import bm25s
        from bm25s.tokenization import Tokenized

        logging.getLogger("bm25s").setLevel(logging.WARNING)  # it logs every detail
        terms = [analyser.terms(text) for text in texts]
        vocabulary = {term: i for i, term in enumerate(sorted({t for doc in terms for t in doc}))}
        ids = [[vocabulary[t] for t in doc] for doc in terms]
        bm25 = bm25s.BM25(method="lucene", k1=k1, b=b)
        bm25.index(Tokenized(ids=ids, vocab=vocabulary), show_progress=False)
        return cls(analyser, bm25)

    def save(self, folder: Path) -> None:
        """Write arrays (.npy) and settings (JSON) to ``folder``; no pickle."""
        self.bm25.save(folder, allow_pickle=False)
        path = folder / _ANALYSIS
        path.write_text(json.dumps(self.analyser.settings, sort_keys=True), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> SparseIndex:
        """Open an index written by :meth:`save`, memory-mapped."""
        import bm25s

        settings: dict[str, Any] = json.loads((folder / _ANALYSIS).read_text(encoding="utf-8"))
        bm25 = bm25s.BM25.load(folder, mmap=True, allow_pickle=False)
        # plain arrays over the same files: a question reads 700 slices, each dearer of a memmap
        bm25.scores = {
            name: np.asarray(value) if isinstance(value, np.memmap) else value
            for name, value in bm25.scores.items()
        }
        return cls(Analyser(settings["stemmer"], settings["stopwords"]), bm25)

    def idf(self, term: str) -> float:
        """How rare a term is: ``log(1 + N / (n + 1/2))``, of ``n`` of ``N`` texts; 0 if none has it."""
        column = self.bm25.vocab_dict.get(term)
        if column is None:
            return 0.0
        first, after = self.bm25.scores["indptr"][column : column + 2]
        return math.log1p(int(self.bm25.scores["num_docs"]) / (int(after) - int(first) + 0.5))

    def rows(self, term: str) -> list[int]:
        """Rows that have a term, in order."""
        column = self.bm25.vocab_dict.get(term)
        if column is None:
            return []
        first, after = self.bm25.scores["indptr"][column : column + 2]
        return sorted(map(int, self.bm25.scores["indices"][int(first) : int(after)]))

    def scores(self, text: str, weight: Callable[[str], float] | None = None) -> npt.NDArray[np.float32]:
        """BM25 of every row for a query: float32, shape (rows,).

        ``weight``: weight of a term; each term of the query then counts once. None: as often as it occurs.
        """
        vocabulary = self.bm25.vocab_dict
        if weight is not None:
            return self._weighted({t: weight(t) for t in self.analyser.terms(text) if t in vocabulary})
        ids = [vocabulary[t] for t in self.analyser.terms(text) if t in vocabulary]
        if not ids:
            return np.zeros(int(self.bm25.scores["num_docs"]), dtype=np.float32)
        return np.asarray(self.bm25.get_scores_from_ids(ids), dtype=np.float32)

    def _weighted(self, weights: Mapping[str, float]) -> npt.NDArray[np.float32]:
        """Sum over terms of the weight times the term's scores, row by row."""
        scores = self.bm25.scores  # one column a term, in compressed sparse form
        out = np.zeros(int(scores["num_docs"]), dtype=np.float32)
        for term, weight in weights.items():
            column = self.bm25.vocab_dict[term]
            of_term = slice(int(scores["indptr"][column]), int(scores["indptr"][column + 1]))
            out[scores["indices"][of_term]] += np.float32(weight) * scores["data"][of_term]
        return out


def rarity(stories: Sequence[str], analyser: Analyser) -> Callable[[str], float]:
    """Weight of a term by the share of stories that use it: 1 for none, near 0 for all.

    ``log((N + 1) / (n + 1/2)) / log(2 (N + 1))`` for a term of ``n`` of ``N`` stories; 1 without stories.
    """
    using = Counter(term for story in stories for term in set(analyser.terms(story)))
    total = len(stories) + 1
    if not stories:
        return lambda term: 1.0
    return lambda term: max(0.0, math.log(total / (using[term] + 0.5)) / math.log(2 * total))

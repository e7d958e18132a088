"""Channel ``classifier``: provisions by what was learned of each from texts whose answers are known.

Kernel ridge regression over these texts: the score of a provision is a sum over them of a weight, which was
learned, times the likeness of text and question. Likeness is the cosine of their words and pairs of
neighbouring words by tf-idf, and twice the cube of the cosine of their vectors less the mean.

A file in safetensors holds words as CRC-32 of each, vectors in a byte a dimension, and no text. Its metadata
hold, as JSON, the vector space and the labels.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.runs import Ranked, descending
from citegrain.tasks.core.words import Analyser
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import Matrix, PublishedBuild, from_bytes, in_bytes, products, unit
from citegrain.tasks.online.retrieve.stage import read_labelled, shipped, standing, write_labelled

if TYPE_CHECKING:  # SciPy is loaded by who scores: this package is loaded to read settings
    from scipy.sparse import csr_array

_FIRST = 300  # labels that are put in order first: the rest are seldom needed
_TIMES = 2.0
_GLOSSED = 0.3  # of what was learned besides: without an Act's own questions more makes its provisions worse


@dataclass(frozen=True)
class Vocabulary:
    """Words and pairs of words that are known, and how rare each is.

    ``keys``: CRC-32 of each, rising: uint32, shape (words,). ``rarity``: log((1 + n) / (1 + m)) + 1 where m
    of n texts have it: float32, shape (words,).
    """

    keys: npt.NDArray[np.uint32]
    rarity: Matrix

    @classmethod
    def from_texts(cls, texts: Sequence[str]) -> Vocabulary:
        """Those of two texts or more."""
        n_texts = Counter(key for text in texts for key in set(_keys(text)))
        common = sorted((key, n) for key, n in n_texts.items() if n > 1)
        keys, counts = np.array(common, dtype=np.int64).reshape(-1, 2).T
        rarity = np.log((1 + len(texts)) / (1 + counts)) + 1
        return cls(keys.astype(np.uint32), rarity.astype(np.float32))

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {key: n for n, key in enumerate(self.keys.tolist())}

    def rows(self, texts: Iterable[str]) -> csr_array:
        """A row of length 1 for each text: shape (texts, words); of nothing that is known, all 0."""
        from scipy.sparse import csr_array

        starts, columns, values = [0], [], []
        for text in texts:
            counts = Counter(_keys(text))
            rows_by_number = {self._numbers[key]: n for key, n in counts.items() if key in self._numbers}
            some = sorted(rows_by_number)
            row = (1 + np.log([rows_by_number[i] for i in some])) * self.rarity[some]
            columns += some
            values += list(row / max(float(np.linalg.norm(row)), 1e-12))
            starts.append(len(columns))
        shape = (len(starts) - 1, len(self.keys))
        parts = np.array(values, np.float32), np.array(columns, np.int32), np.array(starts, np.int32)
        return csr_array(parts, shape=shape)


@cache
def _analyser() -> Analyser:
    return Analyser("english", "en")  # its stop words bring numba


def _keys(text: str) -> list[int]:
    terms = _analyser().terms(text)
    pairs = [f"{first} {second}" for first, second in pairwise(terms)]
    return [zlib.crc32(term.encode()) for term in (*terms, *pairs)]


@dataclass(frozen=True)
class Learned:
    """The texts that were learned from, as a question is compared with them.

    ``rows``: their words: shape (texts, words). ``mean``: mean vector, shape (dimension,). ``vectors``: less
    the mean, of length 1: float32, shape (texts, dimension).
    """

    words: Vocabulary
    rows: csr_array
    mean: Matrix
    vectors: Matrix

    @classmethod
    def from_texts(cls, texts: Sequence[str], vectors: Matrix) -> Learned:
        """From texts and their vectors."""
        words, mean = Vocabulary.from_texts(texts), vectors.mean(axis=0)
        return cls(words, words.rows(texts), mean, unit(vectors - mean))

    def part(self, which: npt.NDArray[Any]) -> Learned:
        """Some of the texts; words and mean stay."""
        return Learned(self.words, self.rows[which], self.mean, self.vectors[which])

    @cached_property
    def _texts_of(self) -> csr_array:
        return self.rows.T.tocsr()  # turned once: it takes longer than all the rest of a question

    def likeness(self, texts: Sequence[str], vectors: Matrix) -> Matrix:
        """How like they are to each of the texts that were learned from: shape (texts, learned)."""
        cosines = np.maximum(products(unit(vectors - self.mean), self.vectors), 0)
        rows = self.words.rows(texts)
        # text by text, of its words alone: a product of two sparse arrays takes twice as long
        by_words = [self._texts_of[rows.indices[a:z]].T @ rows.data[a:z] for a, z in pairwise(rows.indptr)]
        likeness = np.reshape(by_words, cosines.shape) + _TIMES * cosines * cosines * cosines
        return np.asarray(likeness, dtype=np.float32)


@dataclass(frozen=True)
class Classifier:
    """What was learned.

    ``labels``: (act, section) of each provision, as benchmarks write them. ``label_numbers``, ``weights``: of
    each text the labels to which it matters most, by their number, and how much: shape (texts, kept).
    """

    learned: Learned
    labels: Sequence[tuple[str, str]]
    label_numbers: npt.NDArray[np.int64]
    weights: Matrix

    def scores(self, texts: Sequence[str], vectors: Matrix) -> Matrix:
        """Score of each label for each text: shape (texts, labels)."""
        return np.asarray(self.learned.likeness(texts, vectors) @ self._by_label)

    @cached_property
    def _by_label(self) -> csr_array:
        from scipy.sparse import csr_array

        numbers = self.label_numbers.astype(np.int32)  # in half the memory
        starts = np.arange(0, numbers.size + 1, numbers.shape[1], dtype=np.int32)
        return csr_array((self.weights.ravel(), numbers.ravel(), starts), (len(numbers), len(self.labels)))

    def joined(
        self, other: Classifier, scores: Matrix, rows: Sequence[int], texts: Sequence[str], vectors: Matrix
    ) -> tuple[list[tuple[str, str]], Matrix]:
        """Labels of both and the scores of texts, some of which another classifier scores as well.

        ``scores``: of this one, shape (texts, labels). ``rows``: which texts the other scores.
        """
        labels = list(dict.fromkeys([*self.labels, *other.labels]))
        number = {label: n for n, label in enumerate(labels)}
        out = np.zeros((len(scores), len(labels)), dtype=np.float32)
        out[:, : len(self.labels)] = scores
        more = other.scores([texts[row] for row in rows], vectors[list(rows)])
        out[np.ix_(rows, [number[label] for label in other.labels])] += _GLOSSED * more
        return labels, out

    def write(self, path: Path, space: str) -> None:
        """Write the file; ``space``: as :func:`write_labelled` has it."""
        learned = self.learned
        tensors = {
            "keys": learned.words.keys,
            "rarity": learned.words.rarity,
            "starts": learned.rows.indptr.astype(np.int32),
            "columns": learned.rows.indices.astype(np.int32),
            "values": learned.rows.data.astype(np.float16),
            "mean": learned.mean.astype(np.float32),
            "vectors": in_bytes(learned.vectors),
            "of": self.label_numbers.astype(np.uint16),
            "weights": self.weights.astype(np.float16),
        }
        write_labelled(path, "classifier", self.labels, space, tensors)


def classifier_of(build: PublishedBuild, sha256: str) -> Classifier | None:
    """The classifier of a digest for a build, which keeps it."""
    return build.shared(
        ("classifier", sha256),
        lambda: read_classifier(shipped("classifier.safetensors", sha256), build.query_space),
    )


def read_classifier(path: Path, space: str) -> Classifier | None:
    """The classifier of a file; None where it is of another space than ``space``."""
    from scipy.sparse import csr_array

    read = read_labelled(path, "classifier", space)
    if read is None:
        return None
    labels, tensors = [(act, section) for act, section in read[0]], read[1]
    words = Vocabulary(tensors["keys"], tensors["rarity"])
    parts = tensors["values"].astype(np.float32), tensors["columns"], tensors["starts"]
    rows = csr_array(parts, shape=(len(tensors["vectors"]), len(words.keys)))
    learned = Learned(words, rows, tensors["mean"], from_bytes(tensors["vectors"]))
    return Classifier(learned, labels, tensors["of"].astype(np.int64), tensors["weights"].astype(np.float32))


def classifier(
    build: PublishedBuild,
    queries: Sequence[Mapping[str, Any]],
    eligible: Mask,
    vectors: Matrix,
    *,
    k: int,
    counterparts: bool,
    classifier: str,
    glossed: str,
) -> dict[str, Ranked]:
    """The ``k`` provisions with the greatest sums of the scores of the labels that lead to them.

    Several lead to one where sections of an old code were joined. Nothing is found where the texts were read
    by another reader than the build's. Of a question in Hindi, in whichever script, its English is scored by
    what was learned of such questions as well.
    """
    learned = classifier_of(build, classifier)
    if learned is None:
        return {query["query_id"]: [] for query in queries}
    ids, stands, ranked = build.chunk_ids, standing(build, counterparts, eligible), {}
    texts, labels = [query["text"] for query in queries], learned.labels
    every = learned.scores(texts, vectors)
    rows = [row for row, query in enumerate(queries) if any(t["words_only"] for t in query["texts"])]
    if glossed and rows:
        more = build.shared(
            ("glossed", glossed),
            lambda: read_classifier(shipped("glossed.safetensors", glossed), build.query_space),
        )
        if more is not None:
            labels, every = learned.joined(more, every, rows, texts, vectors)
    for query, scores in zip(queries, every, strict=True):
        sums, values = dict[int, float](), scores.tolist()
        for i in descending(scores, _FIRST):
            if values[i] <= 0 or len(sums) >= k:
                break
            for row in stands(labels[i]):
                sums[row] = sums.get(row, 0.0) + values[i]
        best = sorted(sums.items(), key=lambda item: -item[1])[:k]
        ranked[query["query_id"]] = [(ids[row], score) for row, score in best]
    return ranked

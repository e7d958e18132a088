"""The sparse index, BM25 in the Lucene variant (Eq. 3.2 of the thesis), and lay texts of provisions.

Those tell how people describe cases to which a provision applies. It is document expansion without a model
(Nogueira et al. 2019 predict the texts): a search hits a provision by its wording, and also by the vectors
and the terms of its lay texts.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from citegrain.tasks.core.schemas import EXPANSION
from citegrain.tasks.core.tables import grouped, read_table, write_parts
from citegrain.tasks.core.words import Analyser
from citegrain.tasks.law.citations import Citations
from citegrain.tasks.offline.models import Matrix

_ANALYSIS, _VOCABULARY, _PARAMETERS = "analysis.json", "vocab.index.json", "params.index.json"
_ARRAYS = "data", "indices", "indptr"


@dataclass(frozen=True, eq=False)
class SparseIndex:
    """A BM25 index over texts: the numbers and the files of bm25s, which takes long to import.

    ``columns``: that of each term. ``arrays``: ``data``, ``indices``, ``indptr``: BM25 by term and row, in
    compressed sparse columns. ``size``: how many rows.
    """

    analyser: Analyser
    columns: Mapping[str, int]
    arrays: Mapping[str, Any]
    size: int
    k1: float
    b: float

    @classmethod
    def build(cls, texts: Sequence[str], analyser: Analyser, k1: float, b: float) -> Self:
        """Index ``texts``, in the Lucene variant, terms alphabetically: equal texts give equal files."""
        terms = [analyser.terms(text) for text in texts]
        counts = list(map(Counter, terms))
        vocabulary = {term: i for i, term in enumerate(sorted(set().union(*counts)))}
        rows = np.repeat(np.arange(len(terms), dtype=np.int32), list(map(len, counts)))
        columns = np.array([vocabulary[term] for row in counts for term in row], dtype=np.int32)
        n = np.array([n for row in counts for n in row.values()], dtype=np.float32)
        lengths = np.fromiter(map(len, terms), dtype=np.float64)
        with_term = np.bincount(columns, minlength=len(vocabulary))
        idf = [math.log(1 + (len(terms) - df + 0.5) / (df + 0.5)) for df in with_term.tolist()]
        mean = lengths.mean() if lengths.any() else 1.0
        norms = k1 * ((1 - b) + b * lengths / mean)
        data = np.array(idf, np.float32)[columns] * (n / (norms[rows] + n))
        order = np.lexsort((rows, columns))
        indptr = np.concatenate([[0], np.cumsum(with_term)]).astype(np.int64)
        arrays = {"data": data.astype(np.float32)[order], "indices": rows[order], "indptr": indptr}
        return cls(analyser, vocabulary, arrays, len(terms), k1, b)

    def save(self, folder: Path) -> None:
        """Write arrays (.npy) and settings (JSON) to ``folder``; no pickle."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in _ARRAYS:
            np.save(folder / f"{name}.csc.index.npy", self.arrays[name], allow_pickle=False)
        vocabulary = {**self.columns, "": len(self.columns)}  # bm25s has a term for no term
        text = json.dumps(vocabulary, ensure_ascii=False, separators=(",", ":"))
        (folder / _VOCABULARY).write_text(text, encoding="utf-8")
        params = {"k1": self.k1, "b": self.b, "delta": 0.5, "method": "lucene", "idf_method": "lucene"}
        params |= {"dtype": "float32", "int_dtype": "int32", "num_docs": self.size}
        params |= {"version": version("bm25s"), "backend": "numpy"}
        (folder / _PARAMETERS).write_text(json.dumps(params, indent=4), encoding="utf-8")
        (folder / _ANALYSIS).write_text(json.dumps(self.analyser.settings, sort_keys=True), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Open an index written by :meth:`save`, memory-mapped."""
        params = _json(folder / _PARAMETERS)
        # plain arrays over the files: a question reads 700 slices, each dearer of a memmap
        arrays = {
            name: np.asarray(np.load(folder / f"{name}.csc.index.npy", mmap_mode="r", allow_pickle=False))
            for name in _ARRAYS
        }
        vocabulary, settings = _json(folder / _VOCABULARY), _json(folder / _ANALYSIS)
        vocabulary.pop("", None)
        analyser = Analyser(settings["stemmer"], settings["stopwords"])
        return cls(analyser, vocabulary, arrays, params["num_docs"], params["k1"], params["b"])

    @cached_property
    def _starts(self) -> list[int]:
        starts: list[int] = self.arrays["indptr"].tolist()
        return starts

    def idf(self, term: str) -> float:
        """How rare a term is: ``log(1 + N / (n + 1/2))``, of ``n`` of ``N`` texts; 0 if none has it."""
        place = self._place(term)
        count = place.stop - place.start
        return math.log1p(self.size / (count + 0.5)) if count else 0.0

    def rows(self, term: str) -> list[int]:
        """Rows that have a term, in order."""
        return sorted(self.arrays["indices"][self._place(term)].tolist())

    def scores(self, text: str, weight: Callable[[str], float] | None = None) -> npt.NDArray[np.float32]:
        """BM25 of every row for a query: float32, shape (rows,).

        ``weight``: weight of a term; each term of the query then counts once. None: as often as it occurs.
        """
        terms = [term for term in self.analyser.terms(text) if term in self.columns]
        if weight is not None:
            terms = list(dict.fromkeys(terms))
        places = [self._place(term) for term in terms]
        out = np.zeros(self.size, dtype=np.float32)
        if terms:
            data = [self.arrays["data"][place] for place in places]
            if weight is not None:
                data = [np.float32(weight(term)) * some for term, some in zip(terms, data, strict=True)]
            # all at once, in the order of the terms: a third of the time of one after another
            rows = np.concatenate([self.arrays["indices"][place] for place in places])
            np.add.at(out, rows.astype(np.intp), np.concatenate(data))
        return out

    def _place(self, term: str) -> slice:
        column = self.columns.get(term)
        return slice(0, 0) if column is None else slice(*self._starts[column : column + 2])


def _json(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def rarity(stories: Sequence[str], analyser: Analyser) -> Callable[[str], float]:
    """Weight of a term by the share of stories that use it: 1 for none, near 0 for all.

    ``log((N + 1) / (n + 1/2)) / log(2 (N + 1))`` for a term of ``n`` of ``N`` stories; 1 without stories.
    """
    using = Counter(term for story in stories for term in set(analyser.terms(story)))
    total = len(stories) + 1
    if not stories:
        return lambda term: 1.0
    return lambda term: max(0.0, math.log(total / (using[term] + 0.5)) / math.log(2 * total))


VECTORS, SPARSE = "expansion.npy", "expansion"


def expansion_table(lay_texts: Sequence[tuple[str, str, str]], provisions: pa.Table) -> tuple[pa.Table, int]:
    """Table ``expansion``, each text once a provision, and the number of labels that match no provision.

    ``lay_texts``: (act, section, text), the label as benchmarks write it. ``provisions``: table
    ``provisions`` of the build.
    """
    columns = provisions.select(["kind", "act_id", "provision_id", "number"]).to_pydict()
    citations = Citations(zip(*columns.values(), strict=True))
    provisions_of = {
        label: citations.labelled(*label) for label in {(act, section) for act, section, _ in lay_texts}
    }
    texts: dict[str, dict[str, None]] = {}  # ordered sets: the rows of a provision stand together
    for act, section, text in lay_texts:
        for provision_id in provisions_of[act, section]:
            texts.setdefault(provision_id, {})[text] = None
    rows: list[dict[str, object]] = [
        {"text": text, "provision_id": p} for p, of_provision in texts.items() for text in of_provision
    ]
    return EXPANSION.rows(rows), sum(not ids for ids in provisions_of.values())


class Expansion:
    """The lay texts of a build.

    ``table``: ``expansion``; the rows of a provision stand together. ``vectors``: of each text, of length 1,
    shape (texts, dimension). ``sparse``: BM25 index, of each provision its texts joined. ``provisions``: ids,
    in the order of the table. ``starts``: row at which the texts of each begin, shape (provisions,).
    ``by_law``: cache of retrieval: what the texts stand for on a day.
    """

    def __init__(self, table: pa.Table, vectors: Matrix, sparse: SparseIndex) -> None:
        self.table = table
        self.vectors = vectors
        self.sparse = sparse
        ids = [(p, len(list(rows))) for p, rows in groupby(table.column("provision_id").to_pylist())]
        self.provisions = [p for p, _ in ids]
        self.by_law: dict[bytes, Any] = {}
        self.starts = np.cumsum([0, *(n for _, n in ids)], dtype=np.int64)[:-1]

    @classmethod
    def build(cls, table: pa.Table, vectors: Matrix, analyser: Analyser, k1: float, b: float) -> Expansion:
        """Index lay texts: of each provision its texts joined."""
        joined = ["\n".join(texts) for texts in _by_provision(table).values()]
        return cls(table, vectors, SparseIndex.build(joined, analyser, k1, b))

    def save(self, folder: Path) -> None:
        """Write table, vectors (float32) and sparse index to ``folder``."""
        write_parts(folder / EXPANSION.file, self.table, EXPANSION)
        np.save(folder / VECTORS, self.vectors, allow_pickle=False)
        (folder / SPARSE).mkdir()
        self.sparse.save(folder / SPARSE)

    @classmethod
    def read(cls, folder: Path) -> Expansion:
        """Open what :meth:`save` wrote; vectors are memory-mapped."""
        vectors = np.load(folder / VECTORS, mmap_mode="r", allow_pickle=False)
        table = read_table(folder / EXPANSION.file, EXPANSION)
        return cls(table, vectors, SparseIndex.load(folder / SPARSE))

    def with_vectors(self, vectors: Matrix) -> Expansion:
        """The same lay texts with vectors by another reader."""
        return Expansion(self.table, vectors, self.sparse)

    @cached_property
    def texts(self) -> dict[str, list[str]]:
        """The texts of each provision that has any, in the order of the table."""
        return _by_provision(self.table)


def _by_provision(table: pa.Table) -> dict[str, list[str]]:
    columns = (table.column(name).to_pylist() for name in ("provision_id", "text"))
    return grouped(zip(*columns, strict=True))

"""The indexes of a published build: what is searched, row by row, and what it is searched with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.schemas import BACKGROUND, CHUNKS, EXPANSION
from citegrain.tasks.core.words import is_devanagari
from citegrain.tasks.offline.embed import EmbedConfig, encoder_of
from citegrain.tasks.offline.index import (
    DENSE,
    SPACES,
    SPARSE,
    STORY_MEAN,
    TOKEN_OFFSETS,
    TOKENS,
    BuildError,
    Expansion,
    Matrix,
    Shards,
    SparseIndex,
    by_columns,
    rarity,
)
from citegrain.tasks.offline.models import Encoder, TwoEncoders
from citegrain.tasks.online.builds.tables import Tables

_QDRANT = "citegrain.tasks.published.points"


class Indexes(Tables):
    """Searched chunks, one a row of each index. Files are memory-mapped: one that is replaced stays open.

    ``chunk_ids``: ids of the searched chunks, in the order of the rows. ``citations``: what each searched
    chunk cites, by its id. ``space``: name of the vector space in which it is searched; empty: that of its
    first encoder.
    """

    space = ""

    def __init__(self, folder: Path, manifest: Mapping[str, Any], models: Path) -> None:
        super().__init__(folder)
        self.manifest = manifest
        self.models = models
        chunks = self.table(CHUNKS).select(["chunk_id", "indexed", "citation"]).to_pydict()
        rows = zip(chunks["chunk_id"], chunks["indexed"], chunks["citation"], strict=True)
        searched = [(c, cited) for c, indexed, cited in rows if indexed]
        self.chunk_ids: list[str] = [c for c, _ in searched]
        self.citations: dict[str, str | None] = dict(searched)

    @cached_property
    def rows(self) -> dict[str, int]:
        """Row of each searched chunk by id."""
        return {chunk_id: row for row, chunk_id in enumerate(self.chunk_ids)}

    @cached_property
    def _searched(self) -> list[dict[str, Any]]:
        columns = ["chunk_id", "header", "text", "text_hash", "n_tokens", "indexed", "act_id"]
        return [r for r in self.table(CHUNKS).select(columns).to_pylist() if r["indexed"]]

    def passage(self, row: int) -> dict[str, Any]:
        """Header, text, text_hash, n_tokens and act_id of a searched chunk by row."""
        return self._searched[row]

    def in_hindi(self, row: int) -> bool:
        """Whether a searched chunk is written in Devanagari."""
        return is_devanagari(str(self._searched[row]["text"][:200]))

    @cached_property
    def act_ids(self) -> list[str]:
        """Act of each searched chunk, in the order of the rows."""
        return [str(row["act_id"]) for row in self._searched]

    @cached_property
    def mean_tokens(self) -> float:
        """Mean number of tokens of a searched chunk, its header not counted."""
        return float(np.mean([row["n_tokens"] for row in self._searched])) if self._searched else 0.0

    @cached_property
    def embed_config(self) -> EmbedConfig:
        """The configuration of the encoder this build was made with."""
        return EmbedConfig(**self.manifest["embed"])

    @cached_property
    def encoder(self) -> Encoder | TwoEncoders:
        """What passages and queries of this build are encoded with, loaded at first use.

        Raises ModelError if its weights are not to be had or have another digest, EndpointError if it is
        behind an API and its key is missing.
        """
        weights = str(self.manifest["weights"])
        query_weights = self.manifest.get("query_weights", weights)
        return encoder_of(self.embed_config, weights, query_weights, self.models, self.account)

    def account(self, vendor: str) -> tuple[str, str]:
        """Address and key of a vendor of encoders and rerankers: none, unless the library reads them."""
        return "", ""

    @property
    def query_space(self) -> str:
        """What the vectors of queries depend on beside their text."""
        manifest = self.manifest
        space = manifest.get("query_space") or manifest.get("space", manifest["weights"])
        return str(space)[:32]

    def encode_queries(self, texts: Sequence[str]) -> Matrix:
        """Vectors of queries: float32, shape (texts, dimension)."""
        return self.encoder.encode(texts, query=True)

    def pieces(self, text: str) -> int:
        """How many word pieces a query has."""
        return self.encoder.pieces(text)

    @property
    def vectors_folder(self) -> Path:
        """Folder of its vector space."""
        return self.folder / SPACES / self.space if self.space else self.folder

    @cached_property
    def _dense(self) -> Shards:
        return Shards.read(self.vectors_folder / DENSE)

    @cached_property
    def dense_search(self) -> Callable[..., tuple[Matrix, npt.NDArray[np.int64]]]:
        """From queries, ``k`` and what is eligible to scores and rows of the nearest chunks; -1 for none.

        By the build's file, or by Qdrant if it was indexed for that.
        """
        if self.manifest["key"]["params"].get("dense") != "qdrant":
            return self._dense.search
        search: Callable[..., tuple[Matrix, npt.NDArray[np.int64]]] = import_module(_QDRANT).search_of(self)
        return search

    @property
    def vector_server(self) -> tuple[str, str]:
        """Address and key of a Qdrant server; empty: in the memory of this process."""
        return "", ""

    def payload(self, row: int) -> dict[str, Any]:
        """What a vector store keeps beside the vector of a searched chunk: enough to cite it."""
        chunk = self._searched[row]
        source, page = self.source(chunk["chunk_id"])
        return {"source": source, "page": page, "chunk_id": chunk["chunk_id"], "text": chunk["text"]}

    def vectors(self, rows: Sequence[int]) -> Matrix:
        """Vectors of searched chunks by row: float32, shape (rows, dimension)."""
        return self._dense.vectors(rows)

    def token_vectors(self) -> Callable[[int], npt.NDArray[np.float16]] | None:
        """A function from row to the token vectors of its chunk, memory-mapped; None if not kept."""
        if not (self.folder / TOKENS).is_file():
            return None
        offsets = np.load(self.folder / TOKEN_OFFSETS, allow_pickle=False)
        dimension = int(self.manifest["dimension"])
        flat = np.memmap(self.folder / TOKENS, dtype=np.float16, mode="r").reshape(-1, dimension)
        return lambda row: flat[offsets[row] : offsets[row + 1]]

    @cached_property
    def story_mean(self) -> Matrix | None:
        """Mean vector of the background stories, shape (dimension,); None if the build has none."""
        path = self.vectors_folder / STORY_MEAN
        if str(path.relative_to(self.folder)) not in self.manifest["files"]:
            return None
        return np.asarray(np.load(path, allow_pickle=False), dtype=np.float32)

    @cached_property
    def _sparse(self) -> SparseIndex:
        return SparseIndex.load(self.folder / SPARSE)

    @cached_property
    def word_indexes(self) -> list[tuple[SparseIndex, Sequence[str]]]:
        """Index by words of the searched chunks, and of the lay texts if there are any, with their texts."""
        indexes: list[tuple[SparseIndex, Sequence[str]]] = [
            (self._sparse, [f"{row['header']}\n{row['text']}" for row in self._searched])
        ]
        if self.has(EXPANSION) and (lay := self.expansion):
            indexes.append((lay.sparse, ["\n".join(texts) for texts in lay.texts.values()]))
        return indexes

    def sparse_index(self, texts: Sequence[str]) -> SparseIndex:
        """A BM25 index of other texts, one a searched chunk, with the settings of the build's."""
        indexes = self._sparse
        return SparseIndex.build(texts, indexes.analyser, indexes.k1, indexes.b)

    @cached_property
    def _rarity(self) -> Callable[[str], float]:
        return rarity(self.table(BACKGROUND).column("text").to_pylist(), self._sparse.analyser)

    def sparse_scores(self, text: str, rarity: bool = False) -> npt.NDArray[np.float32]:
        """BM25 of every searched chunk for a query; ``rarity``: terms by their rarity in the stories."""
        return self._sparse.scores(text, self._rarity if rarity else None)

    def terms(self, text: str) -> list[str]:
        """The terms of a text as the sparse index has them."""
        return self._sparse.analyser.terms(text)

    def has_word(self, word: str) -> bool:
        """Whether a searched chunk or a lay text has a word, in some form."""
        return any(index.idf(t) for index, _ in self.word_indexes for t in index.analyser.terms(word))

    def idf(self, term: str) -> float:
        """How rare a term is among the searched chunks, as BM25 has it; 0 of one that none has."""
        return self._sparse.idf(term)

    def term_weights(self, texts: Sequence[Mapping[str, Any]]) -> dict[str, float]:
        """Weight of each term of some texts: its rarity in build and stories, by the text's ``weight``."""
        weights: dict[str, float] = {}
        for text in texts:
            for term in dict.fromkeys(self.terms(text["text"])):
                weight = text["weight"] * self._sparse.idf(term) * self._rarity(term)
                weights[term] = max(weights.get(term, 0.0), weight)
        return weights

    @cached_property
    def expansion(self) -> Expansion | None:
        """The lay texts of the build; None where those it was indexed with name none of its provisions.

        Raises BuildError if it was indexed without any.
        """
        if self.has(EXPANSION):
            read = Expansion.read(self.folder)
            return read.with_vectors(by_columns(read.vectors))
        if "expansion" in self.manifest:
            return None
        raise BuildError(
            f"{self.folder}: holds no lay texts for lay_dense and lay_sparse to search; index with "
            "index=expanded, or with index.expansion=[FILE]"
        )

"""Declaration of ``index``: all tables and indexes of the documents, as one build."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from citegrain.tasks.core import schemas
from citegrain.tasks.core.stage import Stage, Tables
from citegrain.tasks.core.tables import write_parts
from citegrain.tasks.core.words import Analyser
from citegrain.tasks.offline.index.dense import IndexConfig, write_shards
from citegrain.tasks.offline.index.sparse import Expansion, SparseIndex
from citegrain.tasks.offline.models import Matrix, TokenMatrix

STAGE = Stage(
    "index",
    18,
    (
        schemas.DOCUMENTS,
        schemas.PAGES,
        schemas.ACTS,
        schemas.SOURCES,
        schemas.PROVISIONS,
        schemas.CHUNKS,
        schemas.TAGS,
        schemas.REFERENCES,
        schemas.CLASSIFICATION,
        schemas.BACKGROUND,
        schemas.JUDGMENTS,
        schemas.PRECEDENTS,
        schemas.REPORTS,
        schemas.COVERAGE,
    ),
)
DENSE, SPARSE, TOKENS, TOKEN_OFFSETS = "dense", "sparse", "tokens.f16", "token_offsets.npy"
STORY_MEAN = "story_mean.npy"
SPACES = "spaces"
"""Folder of the vectors by further encoders."""


def searched_rows(chunks: pa.Table) -> list[dict[str, Any]]:
    """The chunks that are searched, in the order of the rows of both indexes."""
    columns = chunks.select(["chunk_id", "indexed", "header", "text", "text_hash"])
    return [row for row in columns.to_pylist() if row["indexed"]]


def write_files(
    folder: Path,
    tables: Tables,
    texts: Sequence[str],
    vectors: Iterable[Matrix],
    stories: Matrix,
    config: IndexConfig,
    tokens: Iterator[TokenMatrix] | None = None,
    expansion: tuple[pa.Table, Matrix] | None = None,
) -> None:
    """Write tables and indexes into ``folder``.

    ``texts``: what each searched chunk is indexed by, in order. ``vectors``: theirs, a matrix a shard:
    together shape (searched chunks, dimension). ``stories``: vectors of the background, shape (stories,
    dimension). ``tokens``: token vectors for late interaction, one matrix a chunk. ``expansion``: its table
    and the vector of each row. What is None or empty leaves its files out.
    """
    for schema in STAGE.outputs:
        write_parts(folder / schema.file, tables[schema.name], schema)
    write_vectors(folder, vectors, stories, config)
    analyser = Analyser(config.stemmer, config.stopwords)
    sparse = SparseIndex.build(texts, analyser, config.k1, config.b)
    (folder / SPARSE).mkdir()
    sparse.save(folder / SPARSE)
    if expansion is not None and expansion[0].num_rows:
        Expansion.build(*expansion, analyser, config.k1, config.b).save(folder)
    if tokens is not None:
        _write_tokens(folder, tokens)


def write_vectors(folder: Path, vectors: Iterable[Matrix], stories: Matrix, config: IndexConfig) -> None:
    """Write what is searched of a vector space: the chunks, a shard a matrix, and the mean of the stories."""
    folder.mkdir(parents=True, exist_ok=True)
    write_shards(folder / DENSE, vectors, config)
    if len(stories):
        np.save(folder / STORY_MEAN, stories.mean(axis=0), allow_pickle=False)


def _write_tokens(folder: Path, tokens: Iterator[TokenMatrix]) -> None:
    """Token vectors one after another, and where those of each chunk begin."""
    offsets = [0]
    with (folder / TOKENS).open("wb") as file:
        for matrix in tokens:
            file.write(np.ascontiguousarray(matrix, dtype=np.float16).tobytes())
            offsets.append(offsets[-1] + len(matrix))
    np.save(folder / TOKEN_OFFSETS, np.asarray(offsets, dtype=np.int64), allow_pickle=False)

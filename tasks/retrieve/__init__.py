"""Stage ``retrieve``: one run a channel."""

from tasks.retrieve.config import RetrieveConfig
from tasks.retrieve.stage import (
    STAGE,
    Matrix,
    Searchable,
    dense,
    kept_vectors,
    provision,
    query_vectors,
    retrieve,
    search_channel,
    sparse,
    vector_rows,
)

__all__ = [
    "STAGE",
    "Matrix",
    "RetrieveConfig",
    "Searchable",
    "dense",
    "kept_vectors",
    "provision",
    "query_vectors",
    "retrieve",
    "search_channel",
    "sparse",
    "vector_rows",
]

"""Stage ``retrieve``: one run a channel."""

from tasks.retrieve.config import RetrieveConfig
from tasks.retrieve.stage import (
    STAGE,
    Searchable,
    dense,
    provision,
    query_vectors,
    retrieve,
    search_channel,
    sparse,
    vector_rows,
)

__all__ = [
    "STAGE",
    "RetrieveConfig",
    "Searchable",
    "dense",
    "provision",
    "query_vectors",
    "retrieve",
    "search_channel",
    "sparse",
    "vector_rows",
]

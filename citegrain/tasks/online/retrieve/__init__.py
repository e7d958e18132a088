"""Stage ``retrieve``: one run a channel."""

from citegrain.tasks.online.retrieve.config import RetrieveConfig
from citegrain.tasks.online.retrieve.lay import lay_dense, lay_sparse
from citegrain.tasks.online.retrieve.searchable import Matrix, Searchable
from citegrain.tasks.online.retrieve.stage import (
    BY_VECTOR,
    STAGE,
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
    "BY_VECTOR",
    "STAGE",
    "Matrix",
    "RetrieveConfig",
    "Searchable",
    "dense",
    "kept_vectors",
    "lay_dense",
    "lay_sparse",
    "provision",
    "query_vectors",
    "retrieve",
    "search_channel",
    "sparse",
    "vector_rows",
]

"""Stage ``retrieve``: one run a channel."""

from citegrain.tasks.online.builds import Matrix
from citegrain.tasks.online.retrieve.config import RetrieveConfig
from citegrain.tasks.online.retrieve.lay import lay_dense, lay_sparse
from citegrain.tasks.online.retrieve.stage import (
    BY_VECTOR,
    STAGE,
    dense,
    provision,
    query_vectors,
    retrieve,
    search_channel,
    sparse,
)

"""Stage ``index``: all tables and vectors to a published build."""

from citegrain.tasks.offline.index.background import rarity
from citegrain.tasks.offline.index.colbert import (
    COLBERT,
    COLBERT_VERSION,
    QUERY_TOKENS,
    TokenIndex,
    max_similarity,
    write_colbert,
)
from citegrain.tasks.offline.index.config import IndexConfig
from citegrain.tasks.offline.index.dense import SHARD_ROWS, Shards, search_dense
from citegrain.tasks.offline.index.expansion import Expansion, expansion_table
from citegrain.tasks.offline.index.layers import Layer, write_layer_rows, write_layer_vectors
from citegrain.tasks.offline.index.listing import list_builds, published_names
from citegrain.tasks.offline.index.points import Points, connect
from citegrain.tasks.offline.index.publishing import (
    BuildNameError,
    check_name,
    fetch,
    note_corpus,
    publish,
    read_corpus_folder,
    read_pointer,
    rollback,
    whole_build,
    write_build,
)
from citegrain.tasks.offline.index.reading import BuildError, read_build
from citegrain.tasks.offline.index.sparse import SparseIndex
from citegrain.tasks.offline.index.stage import (
    DENSE,
    MERGED,
    SPACES,
    SPARSE,
    STAGE,
    STORY_MEAN,
    TOKEN_OFFSETS,
    TOKENS,
    merge_tables,
    searched_rows,
    write_files,
    write_vectors,
)
from citegrain.tasks.offline.index.vectors import Matrix, by_columns, in_bytes, products, unit

"""Stage ``index``: all tables and vectors to a published build."""

from citegrain.tasks.offline.index.background import rarity
from citegrain.tasks.offline.index.config import IndexConfig
from citegrain.tasks.offline.index.dense import (
    SHARD_ROWS,
    Shards,
    build_dense,
    read_dense,
    search_dense,
    write_dense,
)
from citegrain.tasks.offline.index.expansion import Expansion, expansion_table
from citegrain.tasks.offline.index.listing import list_builds, published_names
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
from citegrain.tasks.offline.index.vectors import Matrix, by_columns, in_bytes, max_similarity, products, unit

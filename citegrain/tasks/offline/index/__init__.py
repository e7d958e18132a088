"""Stage ``index``: all tables and vectors to a published build."""

from citegrain.tasks.offline.index.config import IndexConfig
from citegrain.tasks.offline.index.dense import (
    SHARD_ROWS,
    Matrix,
    Shards,
    build_dense,
    by_columns,
    from_bytes,
    in_bytes,
    max_similarity,
    products,
    read_dense,
    search_dense,
    unit,
    write_dense,
)
from citegrain.tasks.offline.index.expansion import Expansion, expansion_table
from citegrain.tasks.offline.index.publishing import (
    COPIES,
    BuildError,
    BuildNameError,
    Origin,
    alike,
    check_name,
    complete_build,
    copy_documents,
    fetch,
    list_builds,
    note_corpus,
    note_origin,
    publish,
    published_names,
    read_build,
    read_corpus_folder,
    read_origin,
    read_pointer,
    rollback,
    write_build,
)
from citegrain.tasks.offline.index.sparse import SparseIndex, rarity
from citegrain.tasks.offline.index.stage import (
    DENSE,
    SPACES,
    SPARSE,
    STAGE,
    STORY_MEAN,
    TOKEN_OFFSETS,
    TOKENS,
    searched_rows,
    write_files,
    write_vectors,
)

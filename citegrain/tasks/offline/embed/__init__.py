"""Stage ``embed``: texts to vectors, kept by text and model."""

from citegrain.tasks.offline.embed.passages import ChunkText, contexts_of
from citegrain.tasks.offline.embed.queries import (
    Account,
    EmbedConfig,
    cached_vectors,
    encoder_of,
    endpoint_of,
    passage_model,
    query_rows,
    read_shipped,
    shipped_digest,
    shipped_vectors,
    text_key,
    with_prompts,
    write_shipped,
)
from citegrain.tasks.offline.embed.stage import (
    STAGE,
    Embedded,
    Encoding,
    embed_passages,
    embed_shard,
    embed_tokens,
    iterate_tokens,
    missing_passages,
    query_space,
    read_vectors,
    token_rows,
    vector_rows,
    vector_space,
    windows,
    write_shards,
)

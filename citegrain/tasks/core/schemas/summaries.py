"""Table of stage ``summarise``."""

from __future__ import annotations

import pyarrow as pa

from citegrain.tasks.core.schemas.base import TableSchema, column

SUMMARIES = TableSchema(
    "summaries",
    1,
    pa.schema(
        [
            column(
                "level", pa.string(), "document, section or context: what is summarised, or given a context"
            ),
            column("target_id", pa.string(), "its act_id, provision_id or chunk_id"),
            column("text", pa.string(), "the summary, or the context of the chunk"),
            column(
                "tokens_in", pa.int64(), "of the prompts of a language model; 0 if none was asked", "tokens"
            ),
            column("tokens_out", pa.int64(), "of its replies", "tokens"),
        ]
    ),
)

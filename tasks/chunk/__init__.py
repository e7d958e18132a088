"""Stage ``chunk``: ``texts`` and ``provisions`` to ``chunks``."""

from tasks.chunk.config import ChunkConfig
from tasks.chunk.stage import STAGE, chunk_document, text_hash

__all__ = ["STAGE", "ChunkConfig", "chunk_document", "text_hash"]

"""Stage ``chunk``: ``texts`` and ``provisions`` to ``chunks``."""

from citegrain.tasks.offline.chunk.stage import DOCUMENT_STAGE, STAGE, ChunkConfig, chunk_document, text_hash

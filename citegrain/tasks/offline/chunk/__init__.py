"""Stage ``chunk``: ``texts`` and ``provisions`` to ``chunks``."""

from citegrain.tasks.offline.chunk.config import ChunkConfig
from citegrain.tasks.offline.chunk.stage import DOCUMENT_STAGE, STAGE, chunk_document, text_hash

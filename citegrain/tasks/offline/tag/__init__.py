"""Stage ``tag``: ``chunks`` and ``provisions`` to ``tags`` and ``references``."""

from citegrain.tasks.offline.tag.stage import DOCUMENT_STAGE, STAGE, TagConfig, known_acts, tag_document

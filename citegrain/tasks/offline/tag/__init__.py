"""Stage ``tag``: ``chunks`` and ``provisions`` to ``tags`` and ``references``."""

from citegrain.tasks.offline.tag.references import KnownActs, known_acts
from citegrain.tasks.offline.tag.stage import DOCUMENT_STAGE, STAGE, TagConfig, tag_document

"""Stage ``tag``: ``chunks`` and ``provisions`` to ``tags`` and ``references``."""

from citegrain.tasks.offline.tag.config import TagConfig
from citegrain.tasks.offline.tag.references import KnownActs
from citegrain.tasks.offline.tag.stage import STAGE, tag_document

__all__ = ["STAGE", "KnownActs", "TagConfig", "tag_document"]

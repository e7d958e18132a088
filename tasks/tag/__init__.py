"""Stage ``tag``: ``chunks`` and ``provisions`` to ``tags`` and ``references``."""

from tasks.tag.config import TagConfig
from tasks.tag.references import KnownActs
from tasks.tag.stage import STAGE, tag_document

__all__ = ["STAGE", "KnownActs", "TagConfig", "tag_document"]

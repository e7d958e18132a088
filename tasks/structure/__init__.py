"""Stage ``structure``: ``lines`` to ``texts`` and ``provisions``."""

from tasks.structure.config import StructureConfig
from tasks.structure.stage import STAGE, ActSpan, structure_document

__all__ = ["STAGE", "ActSpan", "StructureConfig", "structure_document"]

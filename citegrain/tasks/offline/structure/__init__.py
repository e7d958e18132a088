"""Stage ``structure``: ``lines`` to ``texts`` and ``provisions``."""

from citegrain.tasks.offline.structure.config import StructureConfig
from citegrain.tasks.offline.structure.stage import STAGE, ActSpan, structure_document

__all__ = ["STAGE", "ActSpan", "StructureConfig", "structure_document"]

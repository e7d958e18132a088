"""Stage ``structure``: ``lines`` to ``texts`` and ``provisions``."""

from citegrain.tasks.offline.structure.config import StructureConfig
from citegrain.tasks.offline.structure.stage import (
    DOCUMENT_STAGE,
    STAGE,
    ActSpan,
    act_spans,
    structure_document,
)

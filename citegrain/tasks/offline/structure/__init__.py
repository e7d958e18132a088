"""Stage ``structure``: ``lines`` to ``texts`` and ``provisions``."""

from citegrain.tasks.offline.structure.stage import (
    DOCUMENT_STAGE,
    STAGE,
    ActSpan,
    StructureConfig,
    act_spans,
    structure_document,
)

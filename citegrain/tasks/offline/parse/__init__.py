"""Stage ``parse``: the bytes of a document or a file of texts to ``documents``, ``pages`` and ``lines``."""

from citegrain.tasks.offline.parse.document import ParseConfig
from citegrain.tasks.offline.parse.formats import verbatim
from citegrain.tasks.offline.parse.stage import (
    DOCUMENT_STAGE,
    STAGE,
    parameters,
    parse_pdf,
    parse_styled,
    parse_texts,
)

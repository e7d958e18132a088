"""Stage ``parse``: the bytes of a document or a file of texts to ``documents``, ``pages`` and ``lines``."""

from citegrain.tasks.offline.pages import readable
from citegrain.tasks.offline.parse.document import ParseConfig, is_pdf, page_status
from citegrain.tasks.offline.parse.layout import in_rows
from citegrain.tasks.offline.parse.recognise import act_starts, masthead_date
from citegrain.tasks.offline.parse.roles import assign_roles
from citegrain.tasks.offline.parse.stage import (
    DOCUMENT_STAGE,
    STAGE,
    parse_document,
    parse_texts,
)

"""Whether the citations of a text are right: ``citegrain check FILE`` and ``Build.check(text)``."""

from citegrain.tasks.online.check.checking import Checker, check_text
from citegrain.tasks.online.check.flagging import flag_citations
from citegrain.tasks.online.check.quoting import Claim, quotation_difference
from citegrain.tasks.online.check.reading import ReadText, read_file
from citegrain.tasks.online.check.schema import (
    NOT_IN_FORCE,
    CheckedCitation,
    CheckedText,
    check_page,
    check_table,
)

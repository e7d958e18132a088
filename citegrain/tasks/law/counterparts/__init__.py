"""What became of a section of an Act that was replaced: by the user's table, else by headings and texts."""

from citegrain.tasks.law.counterparts.lookup import (
    MATCHED,
    PREDECESSOR,
    SUCCESSOR,
    TABLE,
    Counterpart,
    Counterparts,
    changes_of,
    replacement,
)
from citegrain.tasks.law.counterparts.matching import Section, match_sections
from citegrain.tasks.law.counterparts.table import FIELDS, Correspondence, CorrespondenceError

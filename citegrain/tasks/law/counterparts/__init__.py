"""What became of a section of an Act that was replaced: by the user's table, else by headings and texts."""

from citegrain.tasks.law.counterparts.lookup import (
    MATCHED,
    PREDECESSOR,
    SUCCESSOR,
    TABLE,
    Counterpart,
    Counterparts,
    Section,
    changes_of,
    latest_sections,
    match_sections,
    replacement,
)
from citegrain.tasks.law.counterparts.table import FIELDS, Correspondence, CorrespondenceError

"""What became of a section of an Act that was replaced: by the user's table, else by headings and texts."""

from tasks.counterparts.matching import Section, match_sections
from tasks.counterparts.named import MATCHED, PREDECESSOR, SUCCESSOR, TABLE, Counterpart, Counterparts
from tasks.counterparts.replaced import changes_of, counterpart_line, replacement, with_counterparts
from tasks.counterparts.table import FIELDS, Correspondence, CorrespondenceError

__all__ = [
    "FIELDS",
    "MATCHED",
    "PREDECESSOR",
    "SUCCESSOR",
    "TABLE",
    "Correspondence",
    "CorrespondenceError",
    "Counterpart",
    "Counterparts",
    "Section",
    "changes_of",
    "counterpart_line",
    "match_sections",
    "replacement",
    "with_counterparts",
]

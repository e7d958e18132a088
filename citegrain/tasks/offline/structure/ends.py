"""What is printed behind an Act or between its sections but is no part of it: where an Act ends."""

import re
from collections.abc import Sequence

from citegrain.tasks.offline.structure.blocks import is_capitals
from citegrain.tasks.offline.structure.candidates import Candidate, find_candidates
from citegrain.tasks.offline.structure.rows import Row

_COMMENT = re.compile(
    r"^\W*(?:EDITOR[’']?S?[’']?\s+)?(?:COMMENT(?:S|ARY)?|CASE[ -]LAWS?|SYNOPSIS|NOTES? AND COMMENTS?)\W*$",
    re.IGNORECASE,
)
_END_MATTER = re.compile(
    r"^\W*(?:STATEMENT OF OBJECTS AND REASONS|FINANCIAL MEMORANDUM|MEMORANDUM (?:REGARDING|EXPLAINING)|"
    r"NOTES? ON CLAUSES|(?:(?:ALPHABETICAL|SUBJECT|GENERAL) )?INDEX\W*$|"
    r"PRINTED (?:BY|AND PUBLISHED)|UPLOADED BY|MGIP|PUBLISHED BY THE)",
)
_IMPRINT = re.compile(r"^\W*(?:PRINTED|UPLOADED|MGIP|PUBLISHED)")
_SECTIONS_ON = 3  # sections that follow each other behind what would end an Act
_SIGNATURE = re.compile(
    r"^\W*(?:[A-Z][\w.]+ |& ){0,5}(?:Secretary|Counsel) to the (?:Govt\.|Government) +of +India[\s.]*$"
)
_ABOVE_OFFICE = re.compile(r"^(?:[\s_―⎯—–-]*|[A-Z][A-Z. '’-]{3,40},?\s*)$")
_BELOW = 3  # rows of a page that stand below its printer's line


def end_matter(rows: Sequence[Row], after: int) -> int:
    """First row, later than ``after``, of what is printed behind an Act but is no part of it."""
    ends = {
        i for i in range(after + 1, len(rows)) if len(rows[i].text) < 120 and _END_MATTER.match(rows[i].text)
    }
    candidates = find_candidates(rows) if ends else []
    for i in range(after + 1, len(rows)):
        text = rows[i].text
        if i in ends and not _goes_on(candidates, i) and not _at_foot(rows, i):
            return i
        if _SIGNATURE.match(text) and _signed_from(rows, i) < i:
            return _signed_from(rows, i)
    return len(rows)


def _at_foot(rows: Sequence[Row], at: int) -> bool:
    """Whether row ``at`` is a printer's line at the foot of a page, with more on the pages behind."""
    if not _IMPRINT.match(rows[at].text):
        return False
    behind, page = rows[at + 1 :], rows[at].page
    law = [row.page for row in behind if not _IMPRINT.match(row.text)]
    return sum(row.page == page for row in behind) < _BELOW and any(p > page for p in law)


def _signed_from(rows: Sequence[Row], at: int) -> int:
    """First row of the signature whose office stands on row ``at``: a rule and a name above it."""
    while at and _ABOVE_OFFICE.match(rows[at - 1].text):
        at -= 1
    return at


def _goes_on(candidates: Sequence[Candidate], at: int) -> bool:
    """Whether the sections go on behind row ``at``: it stands in a box, or opens an editor's comment."""
    base = 0
    for c in candidates:
        if c.row < at and not c.quoted and c.order == (base + 1, ""):
            base += 1
    following = 0
    for c in candidates:
        following += c.row > at and not c.quoted and c.order == (base + following + 1, "")
    return base > 0 and following >= _SECTIONS_ON


def is_comment_head(row: Row) -> bool:
    """Whether a row opens what the editor of a print says of the section above it."""
    if not _COMMENT.match(row.text) and not _END_MATTER.match(row.text):
        return False
    return row.centred or row.bold >= len(row.text) - 1 or is_capitals(row.text)


def is_end_head(row: Row) -> bool:
    """Whether a row opens what is printed with an Act but is no part of it."""
    return len(row.text) < 120 and bool(_END_MATTER.match(row.text) or _COMMENT.match(row.text))


def is_comment(row: Row) -> bool:
    """Whether a row is the heading of a box that an editor may set between sections."""
    return bool(_COMMENT.match(row.text)) or "OBJECTS" in row.text

"""Whether a new build may take the place of the old one, and the page that says so."""

from citegrain.tasks.evaluation.promotion.record import (
    FIRST,
    PROMOTED,
    RECORD,
    REFUSED,
    ROLLED_BACK,
    standing,
    write_record,
)
from citegrain.tasks.evaluation.promotion.report import verdict_html, verdict_lines
from citegrain.tasks.evaluation.promotion.touched import comparison, touched_ids, unexplained
from citegrain.tasks.evaluation.promotion.verdict import Changed, Verdict, judge, moved, plain, unasked

__all__ = [
    "FIRST",
    "PROMOTED",
    "RECORD",
    "REFUSED",
    "ROLLED_BACK",
    "Changed",
    "Verdict",
    "comparison",
    "judge",
    "moved",
    "plain",
    "standing",
    "touched_ids",
    "unasked",
    "unexplained",
    "verdict_html",
    "verdict_lines",
    "write_record",
]

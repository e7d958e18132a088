"""Whether a new build may take the place of the old one, and the page that says so."""

from citegrain.tasks.evaluation.promotion.report import PAGES, shown_first, verdict_html, verdict_lines
from citegrain.tasks.evaluation.promotion.verdict import (
    FIRST,
    PROMOTED,
    RECORD,
    REFUSED,
    ROLLED_BACK,
    ChangedAnswer,
    Verdict,
    acts_of,
    changed_answers,
    comparison,
    earlier_refusal,
    in_order,
    judge,
    misread_editions,
    one_before,
    touched_ids,
    unmeasured,
    write_record,
)

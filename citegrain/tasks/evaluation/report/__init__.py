"""What people and other tools read of a study: TREC files, CSV, figures, HTML, and tables as plain cells."""

from citegrain.tasks.evaluation.report.cells import DASH, difference_cell, number, p_value, title
from citegrain.tasks.evaluation.report.claims import effect_name, family_rows, supported, verdicts_table
from citegrain.tasks.evaluation.report.declared import differing
from citegrain.tasks.evaluation.report.effects_tables import declared_effects, tested_table
from citegrain.tasks.evaluation.report.failures import kinds_table, shares_table, standings, worst_queries
from citegrain.tasks.evaluation.report.page import (
    DETAILED,
    STANDARD,
    WORST,
    paper_qa_rows,
    trec_lines,
    write_csv,
    write_report,
)
from citegrain.tasks.evaluation.report.tables import (
    costs_table,
    funnel_table,
    is_measured,
    main_metrics,
    side_by_side_table,
    special_metrics,
    summary_table,
)

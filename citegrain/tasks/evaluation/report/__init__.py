"""What people and other tools read of a study: TREC files, CSV, figures, HTML."""

from citegrain.tasks.evaluation.report.claims import supported, told_effect
from citegrain.tasks.evaluation.report.csv_files import DETAILED, STANDARD, paper_qa_rows, write_csv
from citegrain.tasks.evaluation.report.page import render_study, write_report
from citegrain.tasks.evaluation.report.trec import trec_lines
from citegrain.tasks.evaluation.report.wording import DASH, heading, interval, milliseconds, number, p_value

__all__ = [
    "DASH",
    "DETAILED",
    "STANDARD",
    "heading",
    "interval",
    "milliseconds",
    "number",
    "p_value",
    "paper_qa_rows",
    "render_study",
    "supported",
    "told_effect",
    "trec_lines",
    "write_csv",
    "write_report",
]

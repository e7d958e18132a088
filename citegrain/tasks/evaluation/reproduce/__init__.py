"""Published tables beside ours, row by row: what is reproduced, what differs and why, what cannot be.

The published figures are data (``data/published/``). What a row comes to is derived here by the rule
that the row declares; only reasons are written by hand.
"""

from citegrain.tasks.evaluation.reproduce.arithmetic import ArithmeticFault, evaluate, spelt
from citegrain.tasks.evaluation.reproduce.measures import Measured, chunk_parameters, measure
from citegrain.tasks.evaluation.reproduce.outcomes import Given, Outcome, Stated, Status, judge, work_out
from citegrain.tasks.evaluation.reproduce.published import (
    Document,
    Published,
    PublishedError,
    Statement,
    load_document,
)
from citegrain.tasks.evaluation.reproduce.report import Report, Section, make_report
from citegrain.tasks.evaluation.reproduce.studies import METRICS, Cell, Study, find_study
from citegrain.tasks.evaluation.reproduce.writing import markdown

__all__ = [
    "METRICS",
    "ArithmeticFault",
    "Cell",
    "Document",
    "Given",
    "Measured",
    "Outcome",
    "Published",
    "PublishedError",
    "Report",
    "Section",
    "Stated",
    "Statement",
    "Status",
    "Study",
    "chunk_parameters",
    "evaluate",
    "find_study",
    "judge",
    "load_document",
    "make_report",
    "markdown",
    "measure",
    "spelt",
    "work_out",
]

"""Published tables beside ours, row by row: what is reproduced, what differs and why, what cannot be.

The published figures are data (``data/published/``). A row names its rule, and a sum where it needs one;
status and result are derived here. Only reasons are written by hand.
"""

from citegrain.tasks.evaluation.reproduce.measures import Measured, chunk_parameters, measure
from citegrain.tasks.evaluation.reproduce.outcomes import OurFigures, Outcome, Status, judge, work_out
from citegrain.tasks.evaluation.reproduce.published import Document, Published, load_document
from citegrain.tasks.evaluation.reproduce.report import PlainTable, Report, Section, make_report, markdown
from citegrain.tasks.evaluation.reproduce.studies import Accuracy, Study, find_study

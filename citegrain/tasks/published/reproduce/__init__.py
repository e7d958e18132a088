"""Published tables beside ours, row by row: what is reproduced, what differs and why, what cannot be.

The published figures are data (``data/published/``). A row names its rule, and a sum where it needs one;
status and result are derived here. Only reasons are written by hand.
"""

from citegrain.tasks.published.reproduce.documents import Document, PublishedFigure, load_document
from citegrain.tasks.published.reproduce.ours import (
    Accuracy,
    MeasuredFigure,
    Study,
    accuracies_of,
    chunk_parameters,
    find_study,
    grid_figures,
    measure,
)
from citegrain.tasks.published.reproduce.report import (
    OurFigures,
    Report,
    Section,
    Status,
    judge,
    make_report,
    markdown,
    work_out,
)

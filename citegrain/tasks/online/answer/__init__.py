"""An answer: its value, its one builder, why its provisions are there, its page."""

from citegrain.tasks.online.answer.building import (
    QUESTION,
    answer_of,
    full_text,
    make_answer,
    pending_in,
    with_counterparts,
    with_judgments,
)
from citegrain.tasks.online.answer.deciding import decided, find_matters
from citegrain.tasks.online.answer.explaining import explain
from citegrain.tasks.online.answer.neighbours import labels, neighbours_picture, short_titles
from citegrain.tasks.online.answer.notices import called_by, commencement, court_notes
from citegrain.tasks.online.answer.page import (
    Picture,
    PictureError,
    answer_sheet,
    draw_page,
    embedded,
    make_neighbourhood,
    make_sheet,
    neighbours_of,
    picture_of,
)
from citegrain.tasks.online.answer.schema import (
    Answer,
    Charge,
    Counterpart,
    Matter,
    Operation,
    Part,
    Replacement,
    UploadedPassage,
)
from citegrain.tasks.online.answer.wording import (
    called,
    counterpart_line,
    day_line,
    declined,
    later_edition,
    likelihood,
    not_law,
    percent,
)

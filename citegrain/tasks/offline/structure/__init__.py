"""Stage ``structure``: ``lines`` to ``texts`` and ``provisions``.

Behind the stage's declaration stand the parts of which other kinds of documents build their own readers.
"""

from citegrain.tasks.offline.structure.act import (
    ActTree,
    BodyReader,
    Heading,
    HeadingCalls,
    HeadingReplies,
    paragraph_spans,
    read_body,
)
from citegrain.tasks.offline.structure.blocks import (
    Frame,
    container_at,
    find_containers,
    heading_like,
    is_capitals,
)
from citegrain.tasks.offline.structure.body import Body, FrontMatter, heads_above
from citegrain.tasks.offline.structure.candidates import (
    GONE,
    HEADING_END,
    Candidate,
    NumberMatch,
    Surroundings,
    clean_heading,
    find_candidates,
    looks_like_heading,
    match_number,
    score_candidates,
    split_heading,
)
from citegrain.tasks.offline.structure.coverage import (
    PROVISION,
    account,
    account_in_words,
    doubt,
    front_places,
    tree_places,
)
from citegrain.tasks.offline.structure.hindi import UNIT_WORDS
from citegrain.tasks.offline.structure.notes import Note, marks_of
from citegrain.tasks.offline.structure.rows import (
    PageText,
    Row,
    RunningText,
    breaks_off,
    ends_open,
    join_rows,
    read_rows,
)
from citegrain.tasks.offline.structure.sequence import best_series, end_matter, mend_gaps, missing_between
from citegrain.tasks.offline.structure.signs import missing_pages, page_doubts, printed_total, unread_pages
from citegrain.tasks.offline.structure.stage import (
    DOCUMENT_STAGE,
    HIERARCHY,
    STAGE,
    Level,
    StructureConfig,
    structure_acts,
    structure_document,
)
from citegrain.tasks.offline.structure.tables import ActSpan, act_spans, unjudged
from citegrain.tasks.offline.structure.tree import HeadingSplit, Line, Node

"""Stage ``controller``: a loop that plans, retrieves, reads, reflects and decides over the cascade."""

from citegrain.tasks.online.controller.config import MODEL, OFF, ControllerConfig
from citegrain.tasks.online.controller.loop import Course, control, replay, trace_table
from citegrain.tasks.online.controller.means import Means, Model
from citegrain.tasks.online.controller.operations import Mind
from citegrain.tasks.online.controller.records import (
    Asked,
    Evidence,
    Memory,
    Passage,
    Plan,
    Proposition,
    Retriever,
    SubQuestion,
)
from citegrain.tasks.online.controller.stage import (
    POOLED,
    STAGE,
    asked_of,
    make_mind,
    make_pooled,
    make_traces,
    unresolved,
)
from citegrain.tasks.online.controller.wording import traced

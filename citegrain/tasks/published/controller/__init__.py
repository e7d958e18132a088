"""Stage ``controller``: a loop that plans, retrieves, reads, reflects and decides over the cascade."""

from citegrain.tasks.published.configs import ControllerConfig
from citegrain.tasks.published.controller.operations import Policy, traced
from citegrain.tasks.published.controller.records import (
    Memory,
    Model,
    Plan,
    Proposition,
    Question,
    RankedPassage,
    Resources,
)
from citegrain.tasks.published.controller.steps import (
    POOL_STAGE,
    STAGE,
    Search,
    control,
    make_policy,
    replay,
    steps,
    trace_table,
    unresolved,
)

"""Stage ``controller``: a loop that plans, retrieves, reads, reflects and decides over the cascade."""

from citegrain.tasks.published.configs import ControllerConfig
from citegrain.tasks.published.controller.loop import Search, control, replay, trace_table
from citegrain.tasks.published.controller.operations import Policy, traced
from citegrain.tasks.published.controller.records import Memory, Plan, Proposition, Question, RankedPassage
from citegrain.tasks.published.controller.resources import Model, Resources
from citegrain.tasks.published.controller.steps import POOL_STAGE, STAGE, make_policy, steps, unresolved

"""Stage ``select``: the few that are given to the generator."""

from citegrain.tasks.online.select.config import SelectConfig
from citegrain.tasks.online.select.stage import STAGE, maximal_marginal_relevance, select

"""Stage ``select``: the few that are given to the generator."""

from citegrain.tasks.online.select.stage import (
    BEYOND,
    STAGE,
    SelectConfig,
    maximal_marginal_relevance,
    promised,
    provisions_named,
    select,
)

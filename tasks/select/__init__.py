"""Stage ``select``: the few that are given to the generator."""

from tasks.select.config import SelectConfig
from tasks.select.stage import STAGE, maximal_marginal_relevance, select

__all__ = ["STAGE", "SelectConfig", "maximal_marginal_relevance", "select"]

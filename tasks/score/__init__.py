"""Stage ``score``: runs and answers against gold, one row a query a metric."""

from tasks.score.answers import Predicted, predicted
from tasks.score.funnel import LOSSES
from tasks.score.gold import GoldItem, GoldQuery, Lookup, make_gold
from tasks.score.metrics import KINDS, METRICS, PLAIN, RANKING_DEPTH, TITLES
from tasks.score.stage import STAGE, score, whole_ranking

__all__ = [
    "KINDS",
    "LOSSES",
    "METRICS",
    "PLAIN",
    "RANKING_DEPTH",
    "STAGE",
    "TITLES",
    "GoldItem",
    "GoldQuery",
    "Lookup",
    "Predicted",
    "make_gold",
    "predicted",
    "score",
    "whole_ranking",
]

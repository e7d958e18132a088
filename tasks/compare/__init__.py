"""Stage ``compare``: intervals of scores, paired differences, effects of factors, with their tests."""

from tasks.compare.contrasts import compare
from tasks.compare.estimates import effects
from tasks.compare.intervals import MEAN, PROPORTION, Interval, bca, wilson
from tasks.compare.pairs import Paired, holm, paired
from tasks.compare.power import ALPHA, POWER
from tasks.compare.raters import kappa
from tasks.compare.regression import model
from tasks.compare.summary import breakdown, summarise
from tasks.schemas import BREAKDOWN, COMPARISONS, EFFECTS, MODEL, SUMMARY

__all__ = [
    "ALPHA",
    "BREAKDOWN",
    "COMPARISONS",
    "EFFECTS",
    "MEAN",
    "MODEL",
    "POWER",
    "PROPORTION",
    "SUMMARY",
    "Interval",
    "Paired",
    "bca",
    "breakdown",
    "compare",
    "effects",
    "holm",
    "kappa",
    "model",
    "paired",
    "summarise",
    "wilson",
]

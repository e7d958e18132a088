"""Stage ``compare``: intervals of scores, paired differences with their tests, breakdowns by group."""

from tasks.compare.contrasts import compare
from tasks.compare.intervals import MEAN, PROPORTION, Interval, bca, wilson
from tasks.compare.pairs import Paired, holm, paired
from tasks.compare.power import ALPHA, POWER
from tasks.compare.raters import kappa
from tasks.compare.summary import breakdown, summarise
from tasks.schemas import BREAKDOWN, COMPARISONS, SUMMARY

__all__ = [
    "ALPHA",
    "BREAKDOWN",
    "COMPARISONS",
    "MEAN",
    "POWER",
    "PROPORTION",
    "SUMMARY",
    "Interval",
    "Paired",
    "bca",
    "breakdown",
    "compare",
    "holm",
    "kappa",
    "paired",
    "summarise",
    "wilson",
]

"""Stage ``compare``: intervals of scores, paired differences, effects of factors, with their tests."""

from citegrain.tasks.evaluation.compare.estimates import effects
from citegrain.tasks.evaluation.compare.intervals import (
    MEAN,
    POOLED,
    PROPORTION,
    Interval,
    bca,
    kappa,
    wilson,
)
from citegrain.tasks.evaluation.compare.pairs import ALPHA, POWER, Paired, holm, paired
from citegrain.tasks.evaluation.compare.pooled import (
    CONFIDENCE,
    RIGHT,
    Outcomes,
    bins_of,
    ece_by_chance,
    outcomes,
    risks,
)
from citegrain.tasks.evaluation.compare.regression import model
from citegrain.tasks.evaluation.compare.summary import breakdown, compare, summarise
from citegrain.tasks.evaluation.compare.values import values_by_configuration

"""Stage ``compare``: intervals of scores, paired differences, effects of factors, with their tests."""

from citegrain.tasks.evaluation.compare.estimates import effects, model
from citegrain.tasks.evaluation.compare.pairs import (
    ALPHA,
    POWER,
    Agreement,
    Paired,
    agree,
    contradicted,
    differing,
    holm,
    paired,
    unlabelled,
)
from citegrain.tasks.evaluation.compare.summary import (
    CONFIDENCE,
    RIGHT,
    Outcomes,
    bins_of,
    breakdown,
    compare,
    ece_by_chance,
    outcomes,
    risks,
    summarise,
)
from citegrain.tasks.evaluation.compare.values import (
    MEAN,
    POOLED,
    PROPORTION,
    Interval,
    bca,
    kappa,
    values_by_configuration,
    wilson,
)

"""How far labelling passes of a benchmark agree, with intervals."""

from citegrain.tasks.evaluation.agreement.measures import (
    Agreement,
    agree,
    contradicted,
    differing,
    unlabelled,
)

"""Stage ``estimate``: whether anything of the build applies, and how probably each candidate does."""

from citegrain.tasks.online.estimate.catalogue import VECTORS, Catalogue, act_names, repealed_acts
from citegrain.tasks.online.estimate.model import (
    HEAD,
    KINDS,
    MANNERS,
    POOL,
    EstimateConfig,
    Estimates,
    Logistic,
    estimates_of,
    read_estimates,
)
from citegrain.tasks.online.estimate.scope import (
    HINDI_WORDS,
    SCORES,
    ScopeQuestion,
    in_hindi,
    length_of,
    scope_features,
)
from citegrain.tasks.online.estimate.stage import (
    ANSWER,
    DECLINE,
    ESTIMATE,
    SCOPE_STAGE,
    Judgement,
    abroad_features,
    asks_of_this_law,
    candidate_features,
    judgements,
    make_estimates,
    make_scope,
    names_provision,
    with_named,
)

"""Stage ``score``: runs and answers against gold, one row a query a metric."""

from citegrain.tasks.evaluation.score.gold import (
    GoldItem,
    GoldQuery,
    Predicted,
    make_gold,
    place_spans,
    predicted,
)
from citegrain.tasks.evaluation.score.metrics import (
    DATED_METRICS,
    KINDS,
    LOWER,
    METRICS,
    PLAIN,
    PROSE_METRICS,
    SHARED_METRICS,
    SPAN_METRICS,
    TITLES,
)
from citegrain.tasks.evaluation.score.prose import grounding_scores, prose_of
from citegrain.tasks.evaluation.score.stage import LOSSES, STAGE, full_ranking, kinds_with, own_metrics, score

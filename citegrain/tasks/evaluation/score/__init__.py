"""Stage ``score``: runs and answers against gold, one row a query a metric."""

from citegrain.tasks.evaluation.score.answers import Predicted, predicted
from citegrain.tasks.evaluation.score.funnel import LOSSES
from citegrain.tasks.evaluation.score.gold import GoldItem, GoldQuery, make_gold
from citegrain.tasks.evaluation.score.metrics import KINDS, LOWER, METRICS, PLAIN, SPAN_METRICS, TITLES
from citegrain.tasks.evaluation.score.spans import place_spans
from citegrain.tasks.evaluation.score.stage import STAGE, score, whole_ranking

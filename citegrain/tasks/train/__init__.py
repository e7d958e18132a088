"""Stage ``train``: lay texts, and learning from them."""

from citegrain.tasks.train.config import (
    PARTS,
    RANKER,
    READER,
    RERANKER,
    TRAININGS,
    TrainConfig,
)
from citegrain.tasks.train.examples import FOLDED, SIDES, Gain, model_card
from citegrain.tasks.train.stage import (
    ANSWERED,
    CATALOGUE,
    CLASSIFIER,
    ESTIMATED,
    LISTS,
    RANKED_BY,
    STAGE,
    VECTORS,
    TrainingInputs,
    read_inputs,
    run_training,
    train_key,
)
from citegrain.tasks.train.texts import (
    ASKED,
    FORUM,
    QUESTION,
    STYLES,
    LayQueries,
    read_asked,
    read_lay_queries,
    read_questions,
    read_stories,
)

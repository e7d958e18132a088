"""Stage ``train``: lay texts, and learning from them."""

from citegrain.tasks.train.card import SIDES, Gain, model_card
from citegrain.tasks.train.config import (
    PARTS,
    RANKER,
    READER,
    RERANKER,
    TRAININGS,
    NetworkConfig,
    RankerConfig,
    ReaderConfig,
    RerankerConfig,
    TrainConfig,
)
from citegrain.tasks.train.examples import FOLDED
from citegrain.tasks.train.stage import (
    ANSWERED,
    CATALOGUE,
    CLASSIFIER,
    ESTIMATED,
    RANKED_BY,
    STAGE,
    VECTORS,
    TrainingInputs,
    run_training,
    train_key,
)
from citegrain.tasks.train.texts import (
    ASKED,
    FORUM,
    QUESTION,
    SHORT,
    STORY,
    STYLES,
    LayQueries,
    Outside,
    Question,
    Story,
    read_asked,
    read_lay_queries,
    read_outside,
    read_questions,
    read_stories,
)

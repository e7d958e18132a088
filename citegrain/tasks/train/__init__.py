"""Stage ``train``: lay texts, and learning from them."""

from citegrain.tasks.train.card import SIDES, Gain, model_card
from citegrain.tasks.train.config import RANKER, READER, RERANKER, TrainConfig
from citegrain.tasks.train.stage import ANSWERED, RANKED_BY, STAGE, VECTORS, Course, run_training, train_key
from citegrain.tasks.train.texts import (
    ASKED,
    QUESTION,
    STORY,
    STYLES,
    LayQueries,
    Question,
    Story,
    read_asked,
    read_lay_queries,
    read_questions,
    read_stories,
)

"""Stage ``train``: lay texts, and learning from them."""

from citegrain.tasks.train.card import SIDES, Gain, model_card
from citegrain.tasks.train.config import READER, RERANKER, TrainConfig
from citegrain.tasks.train.stage import STAGE, VECTORS, Course, run_training, train_key
from citegrain.tasks.train.texts import STORY, STYLES, LayQueries, Story, read_lay_queries, read_stories

__all__ = [
    "READER",
    "RERANKER",
    "SIDES",
    "STAGE",
    "STORY",
    "STYLES",
    "VECTORS",
    "Course",
    "Gain",
    "LayQueries",
    "Story",
    "TrainConfig",
    "model_card",
    "read_lay_queries",
    "read_stories",
    "run_training",
    "train_key",
]

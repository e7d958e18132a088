"""Stage ``train``: lay texts, what keeps them apart from the benchmarks, and learning from them."""

from citegrain.tasks.train.card import SIDES, Gain, model_card
from citegrain.tasks.train.config import READER, RERANKER, TrainConfig
from citegrain.tasks.train.duplicates import nearest, shared_runs
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
    "nearest",
    "read_lay_queries",
    "read_stories",
    "run_training",
    "shared_runs",
    "train_key",
]

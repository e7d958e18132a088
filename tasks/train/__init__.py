"""Stage ``train``: lay texts, what keeps them apart from the benchmarks, and learning from them."""

from tasks.train.card import SIDES, Gain, model_card
from tasks.train.config import READER, RERANKER, TrainConfig
from tasks.train.duplicates import nearest, shared_runs
from tasks.train.stage import STAGE, VECTORS, Course, run_training, train_key
from tasks.train.texts import STORY, STYLES, LayQueries, Story, read_lay_queries, read_stories

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

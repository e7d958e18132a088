"""Stage ``train``: lay texts, what keeps them apart from the benchmarks, and learning from them."""

from tasks.train.card import Gain, model_card
from tasks.train.config import TrainConfig
from tasks.train.duplicates import nearest, shared_runs
from tasks.train.stage import STAGE, run_training, train_key
from tasks.train.texts import STYLES, LayQueries, Story, read_lay_queries, read_stories

__all__ = [
    "STAGE",
    "STYLES",
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

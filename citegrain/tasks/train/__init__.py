"""Stage ``train``: lay texts, and learning from them."""

from citegrain.tasks.train.card import SIDES, Gain, model_card
from citegrain.tasks.train.config import READER, RERANKER, TrainConfig
from citegrain.tasks.train.stage import STAGE, VECTORS, Course, run_training, train_key
from citegrain.tasks.train.texts import STORY, STYLES, LayQueries, Story, read_lay_queries, read_stories

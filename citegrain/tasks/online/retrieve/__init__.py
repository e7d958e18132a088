"""Stage ``retrieve``: one run a channel."""

from citegrain.tasks.online.retrieve.channels.classifier import Classifier, Learned, classifier_of
from citegrain.tasks.online.retrieve.channels.questions import AnsweredQuestions, Labels, answered_of
from citegrain.tasks.online.retrieve.lay import nearest_chunks, nearest_lay_texts, query_vectors
from citegrain.tasks.online.retrieve.stage import (
    STAGE,
    RetrieveConfig,
    named_alone,
    reads_others,
    search_channel,
    split_space,
)

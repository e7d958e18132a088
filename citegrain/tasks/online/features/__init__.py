"""Stage ``features``: what a ranker reads of each candidate."""

from citegrain.tasks.online.features.candidates import Candidates, Priors, unlearned
from citegrain.tasks.online.features.columns import FEATURES, STAGE, make_features, matrix, matrix_of, meaning

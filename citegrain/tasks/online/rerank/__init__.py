"""Stage ``rerank``: the fused candidates scored anew, and the provenance bonus."""

from citegrain.tasks.online.rerank.config import JUDGE, NONE, Passage, RerankConfig, Scorer, make_scorer
from citegrain.tasks.online.rerank.scorers.cross_encoder import CrossEncoderScorer
from citegrain.tasks.online.rerank.stage import STAGE, pair_rows, provenance, read, rerank

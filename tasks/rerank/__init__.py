"""Stage ``rerank``: the fused candidates scored anew, and the provenance bonus."""

from tasks.rerank.config import RerankConfig
from tasks.rerank.scorers import CrossEncoderScorer, LateInteraction, Passage, Scorer, make_scorer
from tasks.rerank.stage import STAGE, Readable, pair_rows, provenance, read, rerank

__all__ = [
    "STAGE",
    "CrossEncoderScorer",
    "LateInteraction",
    "Passage",
    "Readable",
    "RerankConfig",
    "Scorer",
    "make_scorer",
    "pair_rows",
    "provenance",
    "read",
    "rerank",
]

"""Stage ``rerank``: the fused candidates scored anew, and the provenance bonus."""

from citegrain.tasks.online.rerank.config import (
    JUDGE,
    NONE,
    STAGE,
    Passage,
    RerankConfig,
    Scorer,
    make_scorer,
    pair_rows,
    provenance,
    read,
    rerank,
)
from citegrain.tasks.online.rerank.scorers.cross_encoder import CrossEncoderScorer

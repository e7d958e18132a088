"""Stage ``fuse``: runs to a run."""

from tasks.fuse.config import FuseConfig
from tasks.fuse.stage import STAGE, fuse, reciprocal_rank_fusion

__all__ = ["STAGE", "FuseConfig", "fuse", "reciprocal_rank_fusion"]

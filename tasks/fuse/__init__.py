"""Stage ``fuse``: several runs to one."""

from tasks.fuse.config import FuseConfig
from tasks.fuse.stage import STAGE, blend, fuse, reciprocal_rank_fusion

__all__ = ["STAGE", "FuseConfig", "blend", "fuse", "reciprocal_rank_fusion"]

"""Stage ``fuse``: several runs to one."""

from citegrain.tasks.online.fuse.config import FuseConfig
from citegrain.tasks.online.fuse.stage import STAGE, blend, fuse, reciprocal_rank_fusion

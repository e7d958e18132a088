"""Stage ``fuse``: several runs to one."""

from citegrain.tasks.online.fuse.config import DEPTH, FuseConfig
from citegrain.tasks.online.fuse.ranker import Linear, Ranker, Trees, read_ranker
from citegrain.tasks.online.fuse.stage import BY_VECTORS, STAGE, blend, fuse, fuse_learned

"""Stage ``fuse``: several runs to one."""

from citegrain.tasks.online.fuse.config import DEPTH, TYPES, FuseConfig
from citegrain.tasks.online.fuse.ranker import Ranker, Trees, ranker_of, read_ranker
from citegrain.tasks.online.fuse.stage import BY_VECTORS, STAGE, fuse, fuse_learned, stand_ins

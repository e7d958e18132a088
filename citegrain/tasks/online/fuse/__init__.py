"""Stage ``fuse``: several runs to one."""

from citegrain.tasks.online.fuse.ranker import Ranker, Trees, provisions_by_act, read_ranker
from citegrain.tasks.online.fuse.stage import (
    BY_VECTORS,
    DEPTH,
    STAGE,
    TYPES,
    FuseConfig,
    fuse,
    fuse_learned,
    ranker_of,
    stand_ins,
    weight_of,
)

"""Stage ``expand``: what belongs to the best of the fused candidates joins them."""

from citegrain.tasks.online.expand.stage import STAGE, ExpandConfig, expand

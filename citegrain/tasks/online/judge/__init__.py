"""Stage ``judge``: a language model reads the first candidates, orders them and says which apply."""

from citegrain.tasks.online.judge.stage import (
    JUDGE,
    ORDER,
    JudgeConfig,
    judge,
    judge_messages,
    order,
    verdict_schema,
)
from citegrain.tasks.online.judge.weighing import (
    NOTHING_FITS,
    WEIGH,
    WEIGH_SCOPE,
    JudgeModel,
    candidate_signs,
    read_model,
    scope_signs,
    weigh,
    weigh_scope,
)

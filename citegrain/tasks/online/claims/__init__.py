"""Whether the sentences of an answer stand in the passages that they cite: ``Build.check_answer(text)``."""

from citegrain.tasks.online.claims.answers import check_answer, readers_of
from citegrain.tasks.online.claims.judging import judge_claims
from citegrain.tasks.online.claims.schema import (
    CheckedAnswer,
    ClaimContext,
    Evidence,
    JudgedClaim,
    claims_section,
    claims_table,
    context_of,
)

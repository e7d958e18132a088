"""How far an answer in words rests on its contexts: faithfulness and context precision in the sense of RAGAS.

Both are counted from verdicts on the claims of the answer, a model's or those of ``claims.judge_claims``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from citegrain.tasks.evaluation.score.prose import Prose
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.claims import ClaimContext, JudgedClaim, context_of, judge_claims, readers_of
from citegrain.tasks.online.generate import contexts_of
from citegrain.tasks.online.hits import cite

_RESTS = ("supported", "partly")


def grounding_scores(claims: Sequence[JudgedClaim], contexts: int) -> dict[str, float]:
    """Metrics of one answer; none where it claims nothing.

    ``contexts``: how many it was given, in the order of their numbers.

    Es et al. 2024, RAGAS: faithfulness is the share of the claims that are supported, context precision the
    mean of the precision at each context that is of use. Of use is one on which a claim rests.
    """
    if not claims:
        return {}
    rests = [claim for claim in claims if claim.verdict in _RESTS]
    useful = {evidence.context for claim in rests for evidence in claim.evidence}
    at = [number for number in range(1, contexts + 1) if number in useful]
    cited = [(number, claim) for claim in claims for number in claim.references]
    right = sum(claim in rests and number not in claim.idle for number, claim in cited)
    out = {
        "faithfulness": sum(claim.verdict == "supported" for claim in claims) / len(claims),
        "context_precision": sum(n / number for n, number in enumerate(at, 1)) / len(at) if at else 0.0,
    }
    return out | ({"citation_precision": right / len(cited)} if cited else {})


def claims_of(build: PublishedBuild, prose: Prose, chunk_ids: Sequence[str]) -> tuple[list[JudgedClaim], int]:
    """The claims of an answer in words, judged without a model, and how many contexts it was given.

    ``chunk_ids``: those that were selected; they are numbered as the generator numbers them. An answer that
    was asked for again had others: of those the ones that it cites are known, and stand in their places.
    """
    hits = [cite(build, chunk_id) for chunk_id in chunk_ids if build.citations[chunk_id] is not None]
    given = {context.number: context.hit for context in contexts_of(hits, sys.maxsize)}
    given |= {number: cite(build, chunk_id) for number, chunk_id in prose.chunks.items()}
    numbers = range(1, max(given, default=0) + 1)
    contexts = [context_of(given[n]) if n in given else ClaimContext("") for n in numbers]
    readers = readers_of(build)
    encode = build.encode_queries if readers else None
    return judge_claims(prose.text, contexts, encode=encode, readers=readers), len(contexts)

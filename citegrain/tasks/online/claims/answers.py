"""An answer checked against a build: its claims in the passages that it cites, its citations on a day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.check import NOT_IN_FORCE, CheckedCitation, Checker
from citegrain.tasks.online.claims.judging import Encode, judge_claims
from citegrain.tasks.online.claims.schema import CheckedAnswer, ClaimContext, JudgedClaim
from citegrain.tasks.online.hits import law_of

if TYPE_CHECKING:
    from citegrain.tasks.online.claims.learned import Readers

_PAST = re.compile(
    r"\b(?:repeal\w*|replac\w*|supersed\w*|substitut\w*|former(?:ly)?|erstwhile|no\s+longer|omitted|struck\s+down"
    r"|(?:old|earlier|previous)\s+(?:law|act|code|section|provision)\w*|(?:until|till|prior\s+to|before)\s+(?:\w+\s+)?\d"
    r"|(?:was|were)\s+(?:in\s+force|law|punish\w*|governed|covered)|correspond(?:s|ing|ed)?|now\s+(?:in\s+)?section)\b",
    re.IGNORECASE,
)
_NAMED_BEHIND = re.compile(r"[\s,]*(?:of\b|[A-Z])")
_NEAREST = 10  # chunks among which another provision is looked for that says it


def check_answer(
    build: PublishedBuild,
    text: str,
    contexts: Sequence[ClaimContext] | None,
    day: date,
    encode: Encode | None = None,
) -> CheckedAnswer:
    """Judge the claims of a text, and the citations that it names.

    ``contexts``: the passages that it was given; None: the provisions that it cites by name, as law on the
    day. ``day``: the day whose law counts. A citation that is no longer law is not wrong where its sentence
    says so.
    """
    checker = build.shared("checker", lambda: Checker(build))
    citations = checker.check(text, day)
    passages = [  # a chunk gives only the first page of its own
        replace(c, pages=_context(build, p, day).pages) if build.has_provision(p := c.provision_id) else c
        for c in contexts or ()
    ]
    numbers = {c.provision_id: n for n, c in enumerate(passages, 1) if c.provision_id}
    cited: dict[int, list[int]] = {}
    for citation in citations:
        if citation.provision_id and citation.kind != "act":
            if citation.provision_id not in numbers:
                passages.append(_context(build, citation.provision_id, day))
                numbers[citation.provision_id] = len(passages)
            cited[citation.start] = [numbers[citation.provision_id]]
    nearest = partial(_nearest, build, day) if encode else None
    readers = readers_of(build) if encode else None
    claims = judge_claims(text, passages, cited, encode=encode, nearest=nearest, readers=readers)
    citations = [_softened(citation, claims, passages) for citation in citations]
    if not passages:  # what names no provision cannot be looked up
        claims = []
    used = {n for claim in claims for n in claim.references if 1 <= n <= len(passages)}
    past = [n for n in sorted(used) if (p := passages[n - 1].provision_id) and not build.in_force(p, day)]
    said = {numbers[c.provision_id] for c in citations if c.provision_id in numbers}
    return CheckedAnswer(
        as_of=day.isoformat(),
        claims=claims,
        citations=citations,
        not_law=[n for n in past if n not in said],
        passages=passages,
    )


def readers_of(build: PublishedBuild) -> Readers | None:
    """What the learned verdicts read with; None for a build of another encoder than theirs."""
    from citegrain.tasks.online.claims.learned import (  # who asks needs no verdict of it
        Reader,
        Readers,
        learned_with,
    )

    if build.manifest["weights"] != learned_with():
        return None
    return build.shared("claims", lambda: Readers(build.encoder.span_vectors, Reader(build.models)))


def _softened(
    citation: CheckedCitation, claims: Sequence[JudgedClaim], passages: Sequence[ClaimContext]
) -> CheckedCitation:
    """A citation of what is no longer law, where its sentence says so, or repeats what a passage names."""
    claim = next((c for c in claims if c.start <= citation.start < c.end), None)
    if claim is None:
        return citation
    behind = claim.text[citation.end - claim.start :]
    if citation.status == "no_such_provision" and not _NAMED_BEHIND.match(behind):  # repeats a passage
        used = [passages[n - 1].text for n in claim.references if 1 <= n <= len(passages)]
        if any(citation.words in text for text in used):
            return citation.model_copy(update={"status": "act_not_named", "message": ""})
    if citation.status not in NOT_IN_FORCE:
        return citation
    title = citation.title.removeprefix("The ").partition(",")[0]
    given = (passages[n - 1] for n in claim.references if 1 <= n <= len(passages))
    texts = [c.text for c in given if c.provision_id.partition("/")[0] != citation.act]  # each names itself
    if _PAST.search(claim.text) or any(title in text for text in texts):
        return citation.model_copy(update={"status": "indexed"})
    return citation


def _context(build: PublishedBuild, provision_id: str, day: date) -> ClaimContext:
    """A provision as it is law on a day; where it is none, as its latest version has it."""
    row, _ = build.on_day(provision_id, day)
    return ClaimContext(
        row["text"],
        law_of(build.act(row["act_id"], row["version_date"]), row, 0),
        row["heading"],
        provision_id,
        PurePosixPath(build.paths.get(row["document_id"], "")).name,
        (row["page_start"], row["page_end"]),
    )


def _nearest(build: PublishedBuild, day: date, claim: str) -> list[ClaimContext]:
    """The provisions in force that are most like a claim."""
    _, rows = build.dense_search(build.encode_queries([claim]), _NEAREST, build.eligible(day))
    cited = dict.fromkeys(build.citations[build.chunk_ids[row]] for row in rows[0].tolist() if row >= 0)
    return [_context(build, provision, day) for provision in cited if provision]

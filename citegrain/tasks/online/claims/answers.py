"""An answer checked against a build: its claims in the passages that it cites, its citations on a day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.check import CheckedCitation, Checker
from citegrain.tasks.online.claims.judging import Encode, judge_claims
from citegrain.tasks.online.claims.schema import CheckedAnswer, ClaimContext
from citegrain.tasks.online.claims.sentences import find_sentences

_PAST = re.compile(
    r"\b(?:repeal\w*|replac\w*|supersed\w*|substitut\w*|former(?:ly)?|erstwhile|old|previous(?:ly)?|no\s+longer|omitted|struck\s+down"
    r"|until|till|prior\s+to|was|were|before|corresponds?|corresponding|earlier|then\s+in\s+force|now)\b",
    re.IGNORECASE,
)
_OUT_OF_FORCE = ("replaced", "repealed", "struck_down", "not_yet_in_force")


def check_answer(
    build: PublishedBuild,
    text: str,
    contexts: Sequence[ClaimContext] | None,
    day: date,
    question: str = "",
    encode: Encode | None = None,
) -> CheckedAnswer:
    """Judge the claims of a text, and the citations that it names.

    Parameters
    ----------
    contexts
        The passages that it was given; None: the provisions that it cites by name, as the build has them.
    day
        The day whose law counts. A citation that is no longer law is not wrong where its sentence says so.
    """
    checker = build.shared("checker", lambda: Checker(build))
    citations = [_softened(citation, text) for citation in checker.check(text, day)]
    passages = list(contexts or ())
    numbers = {c.provision_id: n for n, c in enumerate(passages, 1) if c.provision_id}
    cited: dict[int, list[int]] = {}
    for citation in citations:
        if citation.provision_id and citation.kind != "act":
            if citation.provision_id not in numbers:
                passages.append(_context(build, citation))
                numbers[citation.provision_id] = len(passages)
            cited[citation.start] = [numbers[citation.provision_id]]
    claims = judge_claims(text, passages, cited, question, encode)
    if contexts is None:  # what names no provision cannot be looked up
        claims = [claim for claim in claims if claim.references]
    used = {n for claim in claims for n in claim.references if 1 <= n <= len(passages)}
    past = [n for n in sorted(used) if (p := passages[n - 1].provision_id) and not build.in_force(p, day)]
    said = {numbers[c.provision_id] for c in citations if c.provision_id in numbers}
    return CheckedAnswer(
        as_of=day.isoformat(),
        claims=claims,
        citations=citations,
        not_law=[n for n in past if n not in said],
        contexts=[context.law for context in passages],
    )


def _softened(citation: CheckedCitation, text: str) -> CheckedCitation:
    """A citation of what is no longer law, in a sentence that says so: as law of its time."""
    if citation.status not in _OUT_OF_FORCE:
        return citation
    sentences = (s for s in find_sentences(text) if s.start <= citation.start < s.end)
    sentence = next(sentences, None)
    if sentence is None or not _PAST.search(sentence.text):
        return citation
    return citation.model_copy(update={"status": "indexed"})


def _context(build: PublishedBuild, citation: CheckedCitation) -> ClaimContext:
    """The provision that a text cites by name, as the latest version has it."""
    row = build.latest(citation.provision_id)
    return ClaimContext(
        row["text"],
        f"{citation.title}, {row['kind']} {row['number']}",
        row["heading"],
        citation.provision_id,
        row["number"],
        build.paths.get(row["document_id"], ""),
        (row["page_start"], row["page_end"]),
    )

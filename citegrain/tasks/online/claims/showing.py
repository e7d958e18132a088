"""Claims as a table, and as a part of a page on which the words that decide are marked."""

from __future__ import annotations

from collections.abc import Iterator

from citegrain.tasks.core.pages import Table, templates
from citegrain.tasks.online.claims.schema import CheckedAnswer, ClaimContext, JudgedClaim

_HEADS = ("sentence", "verdict", "what speaks against it")
_ORDER = ("contradicted", "not", "partly", "supported")
_AROUND = 200  # characters of a passage that are shown before and behind what is marked


def claims_table(answer: CheckedAnswer) -> Table:
    """A line a claim, those that are contradicted first."""
    claims = sorted(answer.claims, key=lambda claim: _ORDER.index(claim.verdict))
    rows = [(" ".join(claim.text.split()), claim.verdict, claim.message) for claim in claims]
    caption = f"{len(rows)} sentences against what they cite"
    return Table.of_texts(caption, _HEADS, rows, _HEADS[1:])


def claims_section(answer: CheckedAnswer) -> str:
    """Each claim with the passages that decide, as HTML; everything that others wrote is escaped."""
    page = templates("citegrain.tasks.online.claims").get_template("claims.html.j2")
    return page.render(rows=[(claim, list(_passages(claim, answer.passages))) for claim in answer.claims])


def _passages(
    claim: JudgedClaim, contexts: list[ClaimContext]
) -> Iterator[tuple[str, list[tuple[str, bool]]]]:
    """Law and text of each passage of a claim, the text in parts of which some are marked."""
    for number in dict.fromkeys(evidence.context for evidence in claim.evidence):
        context = contexts[number - 1]
        spans = sorted((e.start, e.end) for e in claim.evidence if e.context == number)
        at = max(0, spans[0][0] - _AROUND)
        parts: list[tuple[str, bool]] = []
        for start, end in spans:
            if end > at:
                parts += [(context.passage[at:start], False), (context.passage[max(at, start) : end], True)]
                at = end
        yield context.law, [*parts, (context.passage[at : at + _AROUND], False)]

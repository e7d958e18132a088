"""The values of a check of claims: the passages given, and what is said of each sentence."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal
from urllib.parse import unquote

from pydantic import Field

from citegrain.tasks.core.pages import Table, templates
from citegrain.tasks.online.answer import Part
from citegrain.tasks.online.check import CheckedCitation
from citegrain.tasks.online.hits import Hit

_LONGEST = 20_000  # characters of a provision with which a claim is compared; of longer ones the chunk
Verdict = Literal["supported", "partly", "not", "contradicted"]
Fault = Literal[
    "amount", "unfounded_amount", "negation", "exception", "opposite", "modality", "quotation", "page",
    "reference", "no_such_context", "meaning"
]  # fmt: skip
AGAINST: Set[Fault] = frozenset({"amount", "negation", "opposite", "meaning"})
"""What makes a claim contradict its passage."""


@dataclass(frozen=True)
class ClaimContext:
    """A passage that an answer may cite by its number, from 1 in the order given.

    ``law`` is how a person cites it; ``pages`` the first and last page of ``file`` on which it stands.
    """

    text: str
    law: str = ""
    heading: str = ""
    provision_id: str = ""
    file: str = ""
    pages: tuple[int, int] = (0, 0)

    @property
    def passage(self) -> str:
        """Heading and text: what a claim is compared with."""
        return f"{self.heading}. {self.text}" if self.heading else self.text


def context_of(hit: Hit) -> ClaimContext:
    """The passage of a hit: the whole provision where it is not too long."""
    text = hit.parent_text if 0 < len(hit.parent_text) <= _LONGEST else hit.text
    file = unquote(PurePosixPath(hit.link.partition("#")[0]).name)
    return ClaimContext(text, hit.law, hit.heading, hit.provision_id, file, (hit.page, hit.page))


class Evidence(Part):
    """The words of a passage that a claim rests on, or that speak against it."""

    context: int = Field(description="number of the passage, from 1")
    start: int = Field(description="where they begin in heading and text of the passage, in characters")
    end: int = Field(description="where they end")
    words: str = Field(description="the words")


class JudgedClaim(Part):
    """A sentence of an answer, and whether the passages that it cites say it."""

    start: int = Field(description="where it begins in the text, in characters")
    end: int = Field(description="where it ends")
    text: str = Field(description="the sentence")
    references: list[int] = Field(description="numbers of the passages that it cites")
    verdict: Verdict = Field(description="supported, partly, not or contradicted")
    score: float = Field(description="how much of it the passages have, 0 to 1; no probability")
    faults: list[Fault] = Field([], description="what speaks against it")
    message: str = Field("", description="the same in words; empty if nothing does")
    idle: list[int] = Field([], description="passages that it cites, but that have nothing of it")
    better: int = Field(0, description="passage that has it where the cited ones do not; 0 if none")
    evidence: list[Evidence] = Field([], description="the words that decided")
    signals: dict[str, float] = Field({}, exclude=True, description="what a learned verdict is made of")

    @property
    def wrong(self) -> bool:
        """Whether the passages that it cites do not say it, or something with a name speaks against it."""
        return bool(self.references if self.verdict == "not" else AGAINST & set(self.faults))


class CheckedAnswer(Part):
    """An answer: is each sentence in its passages, and are the passages law on the day."""

    as_of: str = Field(description="the day whose law counts, ISO")
    claims: list[JudgedClaim] = Field(description="in the order of the text")
    citations: list[CheckedCitation] = Field(description="sections, Acts and cases that it names")
    not_law: list[int] = Field([], description="numbers of cited passages that are not law on the day")
    passages: list[ClaimContext] = Field([], description="what was compared with, in the order of numbers")

    @property
    def wrong(self) -> bool:
        """Whether some sentence or citation is wrong."""
        return bool(self.not_law) or any([c.wrong for c in self.claims] + [c.wrong for c in self.citations])


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

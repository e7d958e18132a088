"""Whether a document is a contract or other terms between private parties, by its voice."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citegrain.tasks.offline.kinds import Recognition
from citegrain.tasks.offline.pages import DocumentText, Segment

_PRIVATE = re.compile(
    r"\bthis (?:[\w’'-]+ ){0,4}(?:agreement|contract|lease|policy|undertaking|deed|terms|letter)\b"
    r"|\b(?:each|either|both|neither|other|disclosing|receiving|undersigned|third) part(?:y|ies)\b"
    r"|\b(?:here(?:to|under|inafter)|by and between|party of the)\b"
    r"|\b(?:we|our|ours|us|you|your)\b",
    re.IGNORECASE,
)
_PUBLIC = re.compile(
    r"\b(?:this|the|said) (?:act|ordinance|section|sub-section|chapter|code|schedule|rule|regulation|order)\b"
    r"|\bthese (?:rules|regulations|bye-laws)\b|\bsub-(?:section|rule)\b|\b(?:central|state) government\b"
    r"|\b(?:court|petitioner|respondent|appellant|plaintiff|defendant|accused|tribunal)s?\b",
    re.IGNORECASE,
)
_CALLED = re.compile(r"\b(?:agreement|contract|lease|policy|undertaking|deed|terms)\b", re.IGNORECASE)
_FEWEST = 5
_TIMES = 3  # as often as the words of law
_PER_WORDS = 300  # at least one private word in so many


def is_contract(pages: Sequence[Sequence[Segment]]) -> bool:
    """Whether the words of private parties (``this Agreement``, ``the parties``, ``you``) prevail in a text.

    Acts and rules speak of themselves and of courts and governments. A text that has neither agreement, nor
    policy, nor terms on its first page is none.
    """
    texts = [" ".join(s.text for s in page if s.role == "body") for page in pages]
    text = " ".join(texts)
    private = len(_PRIVATE.findall(text))
    called = _CALLED.search(next(filter(None, texts), "")[:3000])
    often = private >= _FEWEST and private * _PER_WORDS >= text.count(" ")
    return bool(called and often and private >= _TIMES * len(_PUBLIC.findall(text)))


def recognise(text: DocumentText) -> Recognition | None:
    """A contract, in any language; its file names it."""
    return Recognition(kind="contract") if is_contract(text.pages) else None

"""What a title says of an instrument of law: its kind, its State, and how its provisions are called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

_TYPES = (  # the last of these nouns in a title decides
    ("rules", "rules", r"rules|niyam(?:a|avali)?"),
    ("rules", "regulations", r"regulations"),
    ("rules", "bye_laws", r"bye-?\s?laws"),
    ("other", "order", r"orders?"),
    ("other", "notification", r"notifications?"),
    ("other", "circular", r"circulars?"),
    ("other", "guidelines", r"guidelines"),
    ("other", "scheme", r"scheme"),
    ("act", "constitution", r"constitution"),
    ("act", "ordinance", r"ordinance"),
    ("act", "code", r"code|sanhita"),
    ("act", "act", r"act|adhiniyam"),
)
_NOUN = re.compile(
    "|".join(rf"\b(?P<t{i}>{words})\b" for i, (_, _, words) in enumerate(_TYPES)), re.IGNORECASE
)
_BRACKETED = re.compile(r"\([^()]*\)")
STATES = (
    "andaman and nicobar islands|andhra pradesh|arunachal pradesh|assam|bihar|chandigarh|chhattisgarh|"
    "dadra and nagar haveli|daman and diu|delhi|goa|gujarat|haryana|himachal pradesh|jammu and kashmir|"
    "jharkhand|karnataka|kerala|ladakh|lakshadweep|madhya pradesh|maharashtra|manipur|meghalaya|mizoram|"
    "nagaland|odisha|orissa|puducherry|pondicherry|punjab|rajasthan|sikkim|tamil nadu|telangana|tripura|"
    "uttar pradesh|uttarakhand|uttaranchal|west bengal"
)
"""States and Union Territories of India, with names that some had before."""
_STATE = re.compile(rf"\b({STATES})\b", re.IGNORECASE)
CENTRAL = "central"
_YEAR = r"(?:1[89]|20)\d\d"
_THESE = re.compile(r"\bth\w{1,3}\s+(?:ru[l1i]es?|regu[l1i]ations?|bye-?\s?laws?)\b", re.IGNORECASE)
_CALLED = re.compile(  # of scans, too: Thcse rules may be caIled
    rf"{_THESE.pattern}\s+(?:may|shall)\s+be\s+(?:ca\w{{3,4}}|cited|known)\s+(?:as\s+)?[\"“‘']{{0,2}}(?:th[ec]\s+)?"
    rf"(?P<title>[^.;]{{5,300}}?{_YEAR}|[^.;\n]{{5,200}}?(?=\.|;|\n\n))",
    re.IGNORECASE,
)
_NAMES_RULES = re.compile(r"\b(?:ru[l1I]es|regu[l1I]ations|bye-?\s?laws)\b", re.IGNORECASE)
_WINDOW = 6  # rows in which a title may break


class Worded(Protocol):
    """A visual row of a page."""

    @property
    def text(self) -> str:
        """Its words."""


def title_called(rows: Sequence[Worded], at: int) -> tuple[str, str]:
    """Title that rules give themselves on row ``at``, and the text from there on; else empty."""
    if not _THESE.search(rows[at].text):
        return "", ""
    text = "\n".join(row.text for row in rows[at : at + _WINDOW])
    match = _CALLED.search(text)
    if match is None or match.start() > len(rows[at].text) or not _NAMES_RULES.search(match["title"]):
        return "", ""
    title = re.sub(r"\s+", " ", match["title"]).strip(" .,:;'\"“”‘’–—-")
    title = re.sub(rf",?\s*({_YEAR})$", r", \1", title)
    return f"The {title}", text[match.start() :]


def classified(title: str) -> tuple[str, str]:
    """(kind, document type) that a title names; both empty where it names none."""
    bare = title
    while (shorter := _BRACKETED.sub(" ", bare)) != bare:
        bare = shorter
    nouns = [match.lastgroup for match in _NOUN.finditer(bare)]
    kind, document_type, _ = _TYPES[int(str(nouns[-1])[1:])] if nouns else ("", "", "")
    return kind, document_type


def state_in(text: str) -> str:
    """The first State or Union Territory that is named, as ``tamil-nadu``; empty if none is."""
    match = _STATE.search(re.sub(r"\s+", " ", text.replace("&", "and")))
    return match[1].lower().replace(" ", "-") if match else ""


def unit_of(kind: str, document_type: str) -> str:
    """What numbered provisions are called, by kind and type of their document."""
    if kind == "judgment":
        return "paragraph"
    if kind == "rules":
        return "regulation" if document_type in ("regulations", "bye_laws") else "rule"
    return "article" if document_type == "constitution" else "section"

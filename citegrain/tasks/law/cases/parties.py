"""Names of cases: from cause titles, and as they are cited in running text."""

from __future__ import annotations

import re
from collections.abc import Sequence

_VERSUS = re.compile(r"^\W*(?:VERSUS|VS|V/S|V|-VS-|AND)\W*$", re.IGNORECASE)
_IN_ROW = re.compile(r"\s(?:versus|vs?\.?|v/s\.?)\s", re.IGNORECASE)
_ROLE = re.compile(
    r"[\s.…,:_-]*\b(?:APPELLANT|RESPONDENT|PETITIONER|APPLICANT|PLAINTIFF|DEFENDANT|ACCUSED|COMPLAINANT|OPPOSITE\s+PARTY)"
    r"(?:\s?\(?[Ss]\)?|\s+NO\.?\s*\d+)?(?:\s*/\s*[A-Za-z]+(?:\(s\))?)*(?:\s+NO\.?\s*\d.*)?\W*$",
    re.IGNORECASE,
)
_ROLE_FIRST = re.compile(
    r"^\W*(?:Appellant|Respondent|Petitioner|Applicant|Plaintiff|Defendant)s?\s*(?:[.…:-]\s?)+(?=\s*[A-Za-z])",
    re.IGNORECASE,
)
_LEADER = re.compile(r"\s*(?:[.…]\s?){2,}.*$|\s*…+.*$")
_STOPS = re.compile(
    r"^\W*(?:IN\s+THE\b|IN$|WITH$|AND\s+WITH\b|AND$|BETWEEN|\(BEFORE|REPORTABLE|NON|(?:ARISING|@)\b|"
    r"(?:CIVIL|CRIMINAL|ORIGINAL|APPELLATE|INHERENT|EXTRA)\b.*\b(?:JURISDICTION|NO)|JURISDICTION|Signature|Digitally|Date:|Reason|PRESENT|CORAM|"
    r"J\s?U\s?D\s?G\s?E?\s?M\s?E\s?N\s?T|O\s?R\s?D\s?E\s?R|Item|Court)",
    re.IGNORECASE,
)
_CASE_NUMBER = re.compile(
    r"\bN[oO0][sS]?\b[^a-z]{0,12}\d|\bOF\s+(?:19|20)\d\d\b|\b(?:19|20)\d\d\s*\)?\W*$|\d/(?:19|20)\d\d\b|^\W*\d[\d/-]*\W*$",
    re.IGNORECASE,
)
_DETAILS = re.compile(
    r"^\W*(?:Through\b|By\s+Advs?\b|Aged?\b|Occ\b|[RSDWC]/o\b|Represented\b|Rep\b|Counsel\b|Address\b)",
    re.IGNORECASE,
)
_DETAIL = re.compile(
    r"[,\s]+(?:S/O|D/O|W/O|R/O|C/O|SON\s+OF|DAUGHTER\s+OF|WIFE\s+OF|AGED?|RESIDENT|THROUGH|THR\.?|REP(?:RESENTED|\.)?\s+BY|A\s+COMPANY|HAVING)\b.*$",
    re.IGNORECASE,
)
DOCKET = re.compile(
    r"\b(?:APPEALS?|PETITIONS?|W\.?\s?P\.?|S\.?L\.?P\.?|C\.?A\.?|CRL?\.?\s?A\.?|SUITS?|"
    r"REVISIONS?|REFERENCES?|CASES?|APPLICATIONS?)\b"
    r".{0,40}?\bN[O0]S?\b\.?.{0,40}?\d",
    re.IGNORECASE,
)
"""A row with the number of the case."""
_SMALL = frozenset(["of", "the", "and", "for", "in", "to", "on", "by", "at", "with", "a", "an", "alias"])
_KEEP = re.compile(
    r"(?:[A-Z]\.)+[A-Z]?\.?|[A-Z]|[IVXLC]+|CBI|NCT|BSNL|LIC|DLF|GLAS|LLC|LLP|UOI|ITO|SBI|ONGC|NBCC|LTU|CIT|CCE|(?:\([A-Z]+\))"
)
_OTHERS = re.compile(
    r"[\s,]*(?:\band\b|&)?\s*\b(?:ors?|anrs?|others?|another|etc)\b\.?(?:\s*etc\.?)*\W*$", re.IGNORECASE
)
_LONGEST = 12


def cause_title(rows: Sequence[str]) -> str:
    """Name of the case from the cause title of a court's copy; empty if there is none.

    Parameters
    ----------
    rows
        The first rows, top to bottom.
    """
    for i, row in enumerate(rows):
        if (
            not _VERSUS.match(row)
            or i == 0
            or (row.strip().upper() == "AND" and not _ROLE.search(rows[i - 1]))
        ):
            continue
        left, right = _left(rows[:i]), _right(rows[i + 1 :])
        if left and right:
            return case_name(f"{left} v. {right}")
    return ""


def _left(rows: Sequence[str]) -> str:
    """The party above ``VERSUS``, read upwards: its details stand below its name."""
    parts: list[str] = []
    for row in reversed(rows[-_LONGEST:]):
        if not row.strip(" .…_-") or _DETAILS.match(row):
            parts = parts if not _DETAILS.match(row) else []
            continue
        if _ends(row) or (parts and _ROLE.search(row)):
            break
        parts.insert(0, _side(row))
    return party(parts)


def _right(rows: Sequence[str]) -> str:
    """The party below ``VERSUS``."""
    parts: list[str] = []
    for row in rows[:_LONGEST]:
        if not row.strip(" .…_-"):
            continue
        if _ends(row) or _DETAILS.match(row):
            break
        parts.append(_side(row))
        if _ROLE.search(row) or _LEADER.search(row):
            break
    return party(parts)


def _ends(row: str) -> bool:
    """Whether a row is no part of a cause title's party: a heading, or the number of a case."""
    return bool(_STOPS.match(row)) or (bool(_CASE_NUMBER.search(row)) and not _ROLE.search(row))


def _side(row: str) -> str:
    """What a row of a cause title says of a party: without its role and the dots before that."""
    return _LEADER.sub("", _ROLE.sub("", _ROLE_FIRST.sub("", row))).strip(" .…_-:")


def party(parts: Sequence[str]) -> str:
    """A party from its rows; of a numbered list the first, and that there are others."""
    text = " ".join(part for part in parts if part)
    numbered = re.match(r"^\W*1\s?[.)]?\s+(?P<first>.*?)(?:\s+2\s?[.)]?\s+.*)?$", text)
    if numbered:
        several = re.search(r"\s2\s?[.)]?\s", text)
        text = _DETAIL.sub("", numbered["first"]).strip(" ,.") + (" & Ors." if several else "")
    return _DETAIL.sub("", text).strip(" ,")


def case_name(text: str) -> str:
    """A name as it is cited: ``RAM LAL VERSUS STATE OF GOA`` is Ram Lal v. State of Goa."""
    sides = _IN_ROW.split(re.sub(r"\s+", " ", text).strip(), maxsplit=1)
    if len(sides) != 2 or not all(re.search(r"[A-Za-z]{2}", s) for s in sides):
        return ""
    return " v. ".join(_dotted(_cased(s.strip(" ,;:-–—*"))) for s in sides)


def _dotted(side: str) -> str:
    """A side with the dot of the abbreviation it ends with, which is lost where dots lead to a role."""
    return side + "." if re.search(r"\b(?:ors|anr|ltd|pvt|etc|co)$", side, re.IGNORECASE) else side


def _cased(side: str) -> str:
    letters = [c for c in side if c.isalpha()]
    if sum(c.isupper() for c in letters) <= 0.7 * len(letters):
        return side
    words = side.split()
    return " ".join(_word(w, first=i == 0) for i, w in enumerate(words))


def _word(word: str, *, first: bool) -> str:
    if word.lower() in _SMALL and not first:
        return word.lower()
    if _KEEP.fullmatch(word.strip(",")):
        return word
    if word.upper().startswith("M/S"):
        return "M/s" + word[3:].replace("S.", "s.")
    return re.sub(r"[A-Za-z]+", lambda m: m[0].capitalize(), word)


def short_name(name: str) -> str:
    """A name without "and others", without the titles of firms: what an id is made of."""
    sides = []
    for side in name.split(" v. ", 1):
        bare, before = side, ""
        while before != bare:
            before, bare = bare, _OTHERS.sub("", bare).strip(" ,.")
        sides.append(re.sub(r"^(?:the|m/s\.?|shri|smt\.?)\s+", "", bare, flags=re.IGNORECASE))
    return " v. ".join(sides)


def name_key(name: str) -> str:
    """What two ways of writing a name have in common: words in lower case, without "and others"."""
    short = short_name(re.sub(r"\s+(?:vs?\.?|versus)\s+", " v. ", name)).lower()
    short = re.sub(r"\b(?:private|pvt|limited|ltd|company|co|corporation|corpn)\b\.?", "", short)
    return re.sub(r"[^a-z]+", " ", re.sub(r"\([^)]*\)", " ", short)).strip()

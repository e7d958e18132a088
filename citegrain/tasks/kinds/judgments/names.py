"""Names in judgments: of the parties in cause titles, and of the judges."""

import re
from collections.abc import Iterable, Sequence

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
_LONGEST_TITLE = 12

_TITLES = re.compile(
    r"\b(?:THE\s+)?HON(?:OURA|['’‘]?)?BLE\b|\b(?:MR|MRS|MS|DR|SMT|SHRI|KUMARI)\b\.?|\b(?:CHIEF\s+)?JUSTICE\b"
    r"|\b(?:ACTING|CHIEF)\b",
    re.IGNORECASE,
)
_OFFICE = re.compile(
    r",?\s*(?:\(+\s*(?:A\.?)?(?:C\.?\s?J\.?(?:\s?I\.?)?|J\.?)\s*\)+|\b(?:Actg?\.?\s*)?(?:CJI|C\.\s?J\.?(?:\s?I\.?)?|CJ|JJ\.?|J\.?)\s*[.:*]*)\s*$"
)
_AND = re.compile(r"\s*(?:,|;|\band\b|&|\n)\s*", re.IGNORECASE)
_SIGNATURE = re.compile(
    r"(?<![.…_])(?<![.…_]\s)(?:[.…_]\s?){3,}[\s,]*(?:A?\s?C\.?\s?J\.?\s?I\.?|C\.?\s?J\.?|J\.?|JUDGE|CHIEF\s+JUSTICE)\s*\.?\s*"
    r"[\[(]\s*(?P<name>[A-Z][^\[\]()\d]{2,90}?(?:\([^)]{1,12}\))?)\s*[\])]"
)
_SHORTEST_JOINED = 6  # letters of a name
_LONGEST = 200  # characters of a name with titles and office
_SIGNED_BELOW = re.compile(
    r"[\[(]\s*(?P<name>[A-Z][^\[\]()\d]{2,60}?)\s*[\])]\s*(?:[.…_]\s?){4,}[\s,]*(?:C\.?\s?J\.?\s?I?|J)\b"
)
_SPACED = re.compile(r"(?:\w[ .]){5,}\w\.?")


def cause_title(rows: Sequence[str]) -> str:
    """Name of the case from the cause title in a court copy's first rows; empty if there is none."""
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
    for row in reversed(rows[-_LONGEST_TITLE:]):
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
    for row in rows[:_LONGEST_TITLE]:
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


def read_name(text: str) -> str:
    """Name of a judge, given names first, of ``CHANDRACHUD, Y.V. (CJ)``; empty if the text is none."""
    if len(text) > _LONGEST:
        return ""
    text = _OFFICE.sub("", _TITLES.sub(" ", re.sub(r"[*†‡]", "", text)).strip(" .,:;-–—[]"))
    text = _OFFICE.sub("", text).strip(" .,:;-–—")
    if _SPACED.fullmatch(text):
        text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text.replace(" ", ""))
        text = re.sub(r"^Dr\.?\s*", "", text)
    surname, comma, given = text.partition(",")
    if comma and not (" " in surname.strip() and re.search(r"[A-Za-z]{3}", given)):  # else two names
        dot = "." if re.search(r"(?:^|[.\s])[A-Z]\s*$", given) else ""
        text = f"{given.strip()}{dot} {surname.strip()}"  # GUPTA, K.C. DAS is K.C. Das Gupta
    words = [_cased_name(w) for w in re.sub(r"(?<=\.)(?=[A-Za-z]{2})", " ", text).split()]
    name = " ".join(words).strip(" .,:")
    letters = sum(c.isalpha() for c in name)
    return name if letters >= 3 and len(words) <= 9 and not re.search(r"\d", name) else ""


def _cased_name(word: str) -> str:
    """``BHAT`` as Bhat, ``S.`` and ``D.Y.`` as they are."""
    if re.fullmatch(r"(?:[A-Za-z]\.)+[A-Za-z]?|[A-Z]", word):
        return word
    return re.sub(r"[A-Za-z]{2,}", lambda m: m[0].capitalize() if m[0].isupper() else m[0], word)


def split_names(text: str) -> list[str]:
    """Names of a list such as ``L. NAGESWARA RAO, HEMANT GUPTA AND S. RAVINDRA BHAT, JJ.``"""
    names = (read_name(part) for part in _AND.split(_OFFICE.sub("", text)))
    return [n for n in names if n and len(n.split()[-1].strip(".")) > 1 and any(c.isalpha() for c in n)]


def signed_names(text: str) -> list[str]:
    """Names under or over the dotted lines at the end of an opinion: ``………J. [Indira Banerjee]``."""
    matches = sorted(
        [*_SIGNATURE.finditer(text), *_SIGNED_BELOW.finditer(text)], key=lambda m: m.start("name")
    )
    return list(dict.fromkeys(name for m in matches if (name := read_name(m["name"]))))


def same_judge(a: str, b: str) -> bool:
    """Whether two names may be one judge's: one surname, and given names that begin alike."""
    first, second = _letters(a), _letters(b)
    shorter, longer = sorted((first, second), key=len)
    if len(shorter) >= _SHORTEST_JOINED and longer.endswith(shorter):  # written in one word or in two
        return True
    given_a, surname_a = _parts(a)
    given_b, surname_b = _parts(b)
    if surname_a != surname_b:
        return False
    return not given_a or not given_b or _compatible(given_a, given_b) or _compatible(given_b, given_a)


def _letters(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())


def _parts(name: str) -> tuple[list[str], str]:
    words = re.findall(r"[a-z]+", re.sub(r"\([^)]*\)", " ", name).lower())
    words = [w for w in words if w not in ("dr", "mr", "ms", "justice", "jr")]
    return (words[:-1], words[-1]) if words else ([], "")


def _compatible(shorter: list[str], longer: list[str]) -> bool:
    """Whether each of the given names of one stands, whole or by its initial, in the other, in order."""
    rest = iter(longer)
    return all(any(w.startswith(s) or s.startswith(w) for w in rest) for s in shorter)


def merged(names: Iterable[str]) -> list[str]:
    """The judges of a bench, each once, by the longest of the names that are used."""
    out: list[str] = []
    for name in names:
        at = next((i for i, other in enumerate(out) if same_judge(other, name)), None)
        if at is None:
            out.append(name)
        elif len(_letters(name)) > len(_letters(out[at])):
            out[at] = name
    return out

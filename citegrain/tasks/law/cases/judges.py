"""Names of judges: how benches are printed, and which names are one judge."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
_WHOLE = 6  # letters of a name
_LONGEST = 200  # characters of a name with titles and office
_SIGNED_BELOW = re.compile(
    r"[\[(]\s*(?P<name>[A-Z][^\[\]()\d]{2,60}?)\s*[\])]\s*(?:[.…_]\s?){4,}[\s,]*(?:C\.?\s?J\.?\s?I?|J)\b"
)
_SPACED = re.compile(r"(?:\w[ .]){5,}\w\.?")


def read_name(text: str) -> str:
    """A judge's name without titles and office, given names first; empty if the text is no name.

    ``CHANDRACHUD, Y.V. (CJ)`` is Y.V. Chandrachud.
    """
    if len(text) > _LONGEST:
        return ""
    text = _OFFICE.sub("", _TITLES.sub(" ", re.sub(r"[*†‡]", "", text)).strip(" .,:;-–—[]"))
    text = _OFFICE.sub("", text).strip(" .,:;-–—")
    if _SPACED.fullmatch(text):
        text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text.replace(" ", ""))
        text = re.sub(r"^Dr\.?\s*", "", text)
    surname, comma, given = text.partition(",")
    if comma and not (" " in surname.strip() and re.search(r"[A-Za-z]{3}", given)):  # else two names
        text = _turned(surname.strip(), given.strip())
    words = [_cased(w) for w in re.sub(r"(?<=\.)(?=[A-Za-z]{2})", " ", text).split()]
    name = " ".join(words).strip(" .,:")
    letters = sum(c.isalpha() for c in name)
    return name if letters >= 3 and len(words) <= 9 and not re.search(r"\d", name) else ""


def _turned(surname: str, given: str) -> str:
    """``GUPTA, K.C. DAS`` is K.C. Das Gupta."""
    dot = "." if re.search(r"(?:^|[.\s])[A-Z]$", given) else ""
    return f"{given}{dot} {surname}"


def _cased(word: str) -> str:
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
    if len(shorter) >= _WHOLE and longer.endswith(shorter):  # written in one word or in two
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

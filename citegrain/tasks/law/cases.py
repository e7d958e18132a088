"""How judgments are cited: by reporters (SCC, SCR, AIR, INSC, neutral ones, others), and by a short name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_YEAR = r"(?:1[89]|20)\d\d"
_SUPP = r"Supp(?:l|lementary)?\.?"
_VOLUME = rf"(?:\(?{_SUPP}\)?\s*)?\(?\d{{1,3}}\)?(?:\s*\(?{_SUPP}\)?)?|\(?{_SUPP}\)?"
_COURT = (
    r"(?:S\.?\s?C\.?|P\.?\s?C\.?|F\.?\s?C\.?|SUPREME\s+COURT|Supreme\s+Court|"
    r"(?!SCW)[A-Z][A-Za-z]{1,6}(?:\s?&\s?[A-Z][A-Za-z]?)?|[A-Z]\.\s?[A-Z]\.)(?:\s*\((?:CIV|SUPP|CRI)\.?\))?"
)
_SCC = r"S\.?\s?C\.?\s?C\.?(?:\s*\((?P<b>[A-Za-z&.\s]{1,6})\))?"
_PAGE = r"\d{1,5}"

# family to the forms in which a year, a volume and a page stand around the reporter's name
_FORMS: dict[str, tuple[str, ...]] = {
    "INSC": (rf"(?P<y>20\d\d)\s?INSC\s?(?P<p>{_PAGE})",),
    "neutral": (
        r"(?P<y>20\d\d)\s?[:/]\s?(?P<v>[A-Z]{2,6}(?:-[A-Z]{2,5})?)\s?[:/]\s?(?P<p>\d{1,7})(?:-[DFS]B)?",
    ),
    "SCC OnLine": (
        rf"\(?(?P<y>{_YEAR})\)?,?\s*S\.?C\.?C\.?\s*On\s?-?[Ll]ine\s+(?P<v>[A-Z][A-Za-z&]{{1,6}})\s+(?P<p>{_PAGE})",
    ),
    "SCC": (
        rf"[\[(](?P<y>{_YEAR})[\])],?\s*(?P<v>{_VOLUME})\s*,?\s*{_SCC}\s+(?P<p>{_PAGE})",
        rf"(?P<y>{_YEAR}),?\s+(?P<v>{_VOLUME})\s*{_SCC}\s+(?P<p>{_PAGE})",
        rf"(?P<y>{_YEAR})\s+SCC\s+(?P<v>{_VOLUME})\s*,?\s*(?P<p>{_PAGE})",
        rf"(?P<y>{_YEAR})\s+SCC\s*\((?P<b>CRI|Cri|CIV|Civ|L&S|TAX|Tax)\)\s*(?P<p>{_PAGE})",
    ),
    "SCR": (
        rf"[\[(]?(?P<y>{_YEAR})[\])]?,?\s*(?P<v>{_VOLUME})?\s*,?\s*S\.?\s?C\.?\s?R\.?\s+(?P<p>{_PAGE})",
        rf"(?P<y>{_YEAR})\s+SCR\s+(?P<v>{_VOLUME})\s*,?\s*(?P<p>{_PAGE})",
    ),
    "AIR": (
        rf"AIR\s?ONLINE\s+(?P<y>{_YEAR})\s+(?P<v>{_COURT})\s+(?P<p>{_PAGE})",
        rf"A\.?\s?I\.?\s?R\.?,?\s*[\[(]?(?P<y>{_YEAR})[\])]?,?\s*(?P<v>{_COURT})\s*(?P<p>{_PAGE})",
        rf"(?P<y>{_YEAR})\s+AIR(?:\s+(?P<v>{_COURT}))?\s+(?P<p>{_PAGE})",
    ),
    "other": (
        rf"[\[(]?(?P<y>{_YEAR})[\])]?,?\s*(?P<v>{_VOLUME})?\s*(?P<r>Cri?\.?\s?L\.?\s?J\.?|SCALE|Scale|JT|DLT|I\.?T\.?R\.?|"
        rf"E\.?L\.?T\.?|Bom\.?\s?CR|All\.?\s?E\.?R\.?|A\.?\s?C\.|W\.?L\.?R\.?|K\.?B\.|Q\.?B\.|Ch\.|L\.?L\.?J\.?|LiveLaw\s*\([A-Za-z]+\))\s+(?P<p>{_PAGE})",
        rf"JT\s+(?P<y>{_YEAR})\s*(?P<v>\(\d+\))\s*SC\s+(?P<p>{_PAGE})",
        rf"(?P<v>\d{{1,3}})\s+(?P<r>U\.?\s?S\.?|S\.\s?Ct\.|F\.\s?[23]d|I\.?A\.|CLR|HCR)\s+(?P<p>{_PAGE})(?:\s*,?\s*\((?P<y>{_YEAR})\))?",
    ),
}  # fmt: skip
FAMILIES = ("INSC", "neutral", "SCC", "SCR", "AIR")
"""Reporters by which a judgment is cited before an Indian court; ``SCC OnLine`` counts to SCC."""
_OTHERS = re.compile(
    r"[\s,]*(?:\band\b|&)?\s*\b(?:ors?|anrs?|others?|another|etc)\b\.?(?:\s*etc\.?)*\W*$", re.IGNORECASE
)


def _compiled(form: str) -> re.Pattern[str]:
    """A form as a whole; no white space is given back, for nothing behind it begins with white space."""
    form = re.sub(r"(\\s[*+])", r"\1+", form)
    return re.compile(rf"(?:(?<![\w/.])|(?=[\[(])){form}(?![\w]|\.\d)")


_PATTERNS = [(family, _compiled(form)) for family, forms in _FORMS.items() for form in forms]
_HINT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class CaseCitation:
    """A citation at ``start`` to ``end`` of a text; ``key`` is the same however it is printed."""

    start: int
    end: int
    text: str
    family: str
    key: str


def find_citations(text: str) -> list[CaseCitation]:
    """Citations of judgments in a text, in order, none overlapping another."""
    out: list[CaseCitation] = []
    for citation in sorted(_matches(text), key=lambda c: (c.start, -c.end)):
        if not out or citation.start >= out[-1].end:
            out.append(citation)
    return out


def _matches(text: str) -> Iterator[CaseCitation]:
    if not _HINT.search(text):
        return
    for family, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            name = "SCC" if family.startswith("SCC") else family
            yield CaseCitation(match.start(), match.end(), _squeezed(match[0]), name, _key(family, match))


def _key(family: str, match: re.Match[str]) -> str:
    """``scc/2021/2/324``: reporter, year, volume and page."""
    groups = match.groupdict()
    volume = re.sub(r"suppl?(?:ementary)?\.?", "s", (groups.get("v") or "").lower())
    volume = volume.replace("supreme court", "sc")
    volume = "".join(sorted(re.findall(r"[a-z]+|\d+", volume.replace(".", "")), reverse=True))
    if family == "AIR":
        volume = "" if volume == "sc" else volume  # "1981 AIR 1220" is that of the Supreme Court
        family = "AIR online" if "ONLINE" in match[0] else family
    reporter = re.sub(r"\W", "", (groups.get("r") or family) + (groups.get("b") or "")).lower()
    return "/".join([reporter, groups.get("y") or "", volume, str(int(groups["p"]))])


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip(" ,")


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

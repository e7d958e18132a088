"""Provisions by the numbers they are cited by; judgments by reporters and by a short name."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from citegrain.tasks.law.instruments import CONSTITUTION
from citegrain.tasks.law.numbers import normal, to_roman

TEXT = "text"
"""Kind of a provision that is a record of a corpus of texts; its number is the record's id."""
TEXT_CORPUS = "text-corpus"
"""The Act that every such record counts to, for it belongs to none that is known."""
TEXTS_SUFFIX = ".jsonl"
"""How the name of a file of such records ends."""
PARAGRAPH = "paragraph"
"""Kind of a provision that is a paragraph: of a judgment, or of a document without numbered provisions."""
JUDGMENT = "judgment"
"""What a label of a benchmark has in place of a number where a whole judgment is meant."""
DIVISION = "division"
"""Kind of a provision of a hierarchy that ``structure.hierarchy`` describes; see :func:`called`."""
CITABLE = ("section", "article", "rule", "regulation", "entry", TEXT, PARAGRAPH, DIVISION)
_TITLED = ("part", "chapter", "schedule", "entry", "order")  # their numbers say what they are: Third Schedule
_RULES, _SECTIONS = ("rule", "regulation"), ("section", "article")
_BRACKETED = re.compile(r"(\d+)\(([A-Z]{1,2}|[a-h])\)")
_ORDER = re.compile(r"O(\d+)([A-Z]*)(?:R(.+))?")  # of an Order of the Code of Civil Procedure, and its rules
_ARTICLE = "ART"  # how the entries of a Schedule are numbered that their Act calls Articles (Limitation Act)


def called(provision: Mapping[str, Any]) -> str:
    """What a provision is called before its number: its kind, of a division the name of its level."""
    kind = str(provision["kind"])
    identifier = provision.get("provision_id") or provision.get("node_id", "")  # of a row of the graph
    last = identifier.rpartition("/")[2].rpartition("__")[2]
    return str(last.partition("_")[0]).replace("-", " ") if kind == DIVISION else kind


def numbered(provision: Mapping[str, Any]) -> str:
    """What a provision is called, with its number: ``section 302``, ``Chapter XVI``, ``302 proviso 1``."""
    kind, number = called(provision), str(provision["number"])
    if provision["kind"] in ("order", "rule") and (match := _ORDER.fullmatch(number)):
        order, letter, rule = match.groups()
        return f"Order {to_roman(int(order))}{letter}" + (f", rule {rule}" if rule else "")
    if kind == "entry" and re.match(r"Art\d", number):
        return f"article {number[3:]}"
    says_it = kind in number.split() or (kind in _TITLED and number[1:2].islower())
    return number if says_it else f"{kind} {number}"


def ancestors(row: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Provisions that enclose one, the innermost first."""
    seen = {row["provision_id"]}
    while (parent := row["parent_id"] or "") in by_id and parent not in seen:
        seen.add(parent)
        row = by_id[parent]
        yield row


def stands_alone(kind: str, number: str) -> bool:
    """Whether a provision is cited like a section: not so most entries and forms of Schedules."""
    return kind in CITABLE and (kind != "entry" or number.upper().startswith(_ARTICLE))


class Citations:
    """Look-up of provisions, given as (kind, act_id, provision_id, number) of all of a build."""

    def __init__(self, provisions: Iterable[tuple[str, str, str, str]]) -> None:
        # (kind, act_id, provision_id) of the citable ones by number as cited, in capitals
        self._by_number: dict[str, list[tuple[str, str, str]]] = {}
        self._acts: set[str] = set()
        self._texts: set[str] = set()
        self._ids: dict[str, None] = {}  # in reading order
        for kind, act_id, provision_id, number in provisions:
            self._acts.add(act_id)
            self._ids[provision_id] = None
            if kind == TEXT:
                self._texts.add(provision_id)
            if kind in CITABLE:
                same_number = self._by_number.setdefault(normal(number).upper(), [])
                if (kind, act_id, provision_id) not in same_number:
                    same_number.append((kind, act_id, provision_id))

    def cited(self, kind: str, number: str, act_id: str | None) -> list[str]:
        """Ids of the provisions that are cited so, in this build; without an Act in all of it.

        ``kind``: as cited. "Section" also finds the Articles and entries of the Act named; without an Act
        only provisions of this kind are meant, and of Articles those of the Constitution where it has them.
        ``order``: its rules. ``schedule``: one by its number, or its entry: ``1E23``.

        ``number``: as cited: ``302``, ``66C``, ``O39R1``; spaces, dots and hyphens do not count. ``66(a)`` is
        66A where there is one and section 66 has no clause (a), else 66.
        """
        if bracketed := _BRACKETED.fullmatch(number):
            number, letter = bracketed.groups()
            plain_ids = self.cited(kind, number, act_id)
            if not any(f"{p}__clause_{letter.lower()}" in self._ids for p in plain_ids):
                return self.cited(kind, number + letter, act_id) or plain_ids
        plain = normal(number).upper()
        if kind in ("order", "schedule"):
            return self._under(kind, plain, act_id)
        keys = [plain, _ARTICLE + plain] if kind == "article" else [plain]
        if kind == "article" and act_id is None and (one := self.cited(kind, number, CONSTITUTION)):
            return one
        return [
            provision_id
            for key in keys
            for have, act, provision_id in self._by_number.get(key, [])
            if (act_id is not None and act == act_id and not (kind in _RULES and have in _SECTIONS))
            or (act_id is None and (have == kind or key.startswith(_ARTICLE)))
        ]

    def _under(self, kind: str, number: str, act_id: str | None) -> list[str]:
        """The rules of an Order; a Schedule, or the first of its entries that has a number."""
        if kind == "order":
            same = (e for key, rows in self._by_number.items() if key.startswith(f"{number}R") for e in rows)
            return [p for have, act, p in same if have == "rule" and act_id in (act, None)]
        schedule, _, entry = number.partition("E")
        name = f"{act_id}/sched_{schedule}"
        if not entry:
            return [name] if name in self._ids else []
        ending = f"__entry_{entry}"
        return [p for p in self._ids if p.startswith(name + "__") and p.endswith(ending)][:1]

    def labelled(self, act_id: str, section: str) -> list[str]:
        """Ids of the provisions that a label of a benchmark means.

        An Act may number its sections and the entries of its Schedule alike: the section is meant. A text
        is meant by its id as it is written, which may itself look like a label.
        """
        label = f"{act_id}/{section}"
        texts = self._texts & {label, f"{TEXT_CORPUS}/{label}"}
        if texts or act_id == TEXT_CORPUS or act_id not in self._acts:
            return sorted(texts)
        if section == JUDGMENT:
            every = (entry for same_number in self._by_number.values() for entry in same_number)
            return [p for kind, act, p in every if act == act_id and kind == PARAGRAPH]
        cited = self.cited("section", section, act_id)
        kinds = {p: k for k, a, p in self._by_number.get(normal(section).upper(), []) if a == act_id}
        return [p for p in cited if kinds.get(p) in ("section", "article")] or cited


def eli_of(act: Mapping[str, Any], provision_id: str) -> str:
    """An id after the European Legislation Identifier: place, kind, year, number, version, part.

    ``act``: its row. Where its number is unknown its id stands. Source: Council conclusions 2012/C 325/02.
    """
    number, _, year = act["number"].partition(" of ")
    which = f"{year}/{number}" if year else act["act_id"]
    state = act["jurisdiction"]
    place = "in" if state in ("", "central") else f"in-{state}"
    version, part = str(act["version_date"] or "undated"), provision_id.partition("/")[2]
    return "/".join(filter(None, ("eli", place, act["kind"], which, version, part)))


def legislation_of(
    act: Mapping[str, Any], provision: Mapping[str, Any], law: str, in_force: bool
) -> dict[str, Any]:
    """A provision as JSON-LD, a ``Legislation`` of schema.org; what is unknown is left out.

    ``act``, ``provision``: their rows; ``law``: how a person cites it.
    """
    eli, version = eli_of(act, provision["provision_id"]), act["version_date"]
    begins, ends = provision["valid_from"] or act["in_force_from"], provision["valid_to"]
    node = {
        "@context": "https://schema.org",
        "@type": "Legislation",
        "@id": eli,
        "legislationIdentifier": eli,
        "name": law,
        "headline": provision["heading"],
        "legislationType": act["kind"],
        "legislationJurisdiction": "IN" if act["jurisdiction"] == "central" else act["jurisdiction"],
        "legislationDateVersion": version and str(version),
        "legislationLegalForce": f"https://schema.org/{'' if in_force else 'Not'}InForce",
        "temporalCoverage": f"{begins or '..'}/{ends or '..'}",
        "inLanguage": act["language"],
        "isPartOf": {"@type": "Legislation", "@id": eli_of(act, ""), "name": act["title"]},
    }
    return {name: value for name, value in node.items() if value}


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
            words = re.sub(r"\s+", " ", match[0]).strip(" ,")
            yield CaseCitation(match.start(), match.end(), words, name, _key(family, match))


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

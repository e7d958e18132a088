"""What a judgment cites: provisions as rows of ``references``, other cases as rows of ``precedents``."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import zip_longest
from typing import Any

from citegrain.tasks.law.citations import PARAGRAPH, CaseCitation, find_citations
from citegrain.tasks.law.citing import Statutes, identifier
from citegrain.tasks.offline.corpus import Registry
from citegrain.tasks.offline.tag import known_acts

_VERSUS = re.compile(
    r"(?<=[\w.)’'])\s+[-–]?\s?(?:v|V|vs|Vs|VS|versus|Versus)\b\.?\s?(?:[-–]\s)?\s*(?=[A-Z(“])"
)
_JOINS = frozenset({"of", "the", "and", "&", "alias", "for", "de", "la", "s/o", "d/o", "w/o", "anr", "ors"})
_ABBREVIATED = re.compile(
    r"(?:[A-Z]\.)+[A-Z]?\.?|[A-Z]\.|(?:Ltd|Pvt|Dr|Mr|Mrs|Ms|M/s|Smt|Shri|Sri|Co|Corpn|Corp|Inc|Bros|Ors|Anr|Etc|"
    r"Nos?|Govt|Commr|Asst|Assn|Dept|Distt?|Genl?|Edn|Univ|St|Jr|Retd|Addl|Dy|Secy?|Supdt|Engg|Mfg|Inds?|Intl?|Bom|Cal|"
    r"Mad|All)\.?",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"^(?:(?:In|See|Also|Per|By|Articles?|Sections?|Part|Under|While|As|This|And|Following|Thus|The|Court|Bench|Case|Judge?ment|Decision|Vide|"
    r"Though|Reliance|Relying|Similarly|Further|Moreover|However|Later|Recently|Again|From|Cf|Counsel|Justice|Judges?|"
    r"Supra|Supreme|High|Nine|Seven|Five|Constitution|Division|When|Before|After|Since|For|If|But|To|At|On|Of|a|an|is)"
    r"\b\.?,?\s+)+"
)
_SUPRA = re.compile(r"\(?\bsupra\b\)?", re.IGNORECASE)
_BEFORE_SUPRA = re.compile(r"[A-Z][\w.’'&-]*(?:\s+(?:of|and|&|the|[A-Z][\w.’'&-]*)){0,6}\s*$")
_TAIL = re.compile(r"[\s.,;:(\[]*(?:\(?[“\"‘'].*|(?<=[^\d\s])\d{1,3}|\(\w?|[.,;:]\s*\d{1,3}(?:\s.*)?)$")
_JOINED = re.compile(r"\s*(?:(?:of|the|and|&|for)\s+)*")
_ANOTHER = re.compile(r"\s*(?:,\s*(?:and\s)?|;|\band\s)")
_GIVEN = re.compile(r"[^()\n]{0,12}\([“\"‘'](?:the\s+)?(?P<name>[A-Z][\w .’&-]{2,40}?)[”\"’']\)")
_MOST = 12  # words of a party
_NEAR = 220  # characters from what is said to the case it is said of
_TO_CITATION = re.compile(r"(?:[\s,;:()\[\]=.\d]|reported\s+(?:in|as)|in|\band\b)*")
_FARTHEST = 40  # characters from a name, or from a citation, to the next citation of the case
_BETWEEN = re.compile(r"[\s,;:()\[\]=–—\-\d.”“\"]*(?:and|also|&)?[\s,;:()\[\]=]*")
_STOP = re.compile(r"[a-z\])”\"]{2}[.;]\s+(?=[A-Z“])")
_PLEADED = re.compile(
    r"\b(?:counsel|submit(?:s|ted)|submission|contend(?:s|ed)|argue[sd]?|solicitor|attorney|amicus|"
    r"(?:petitioners?|appellants?|respondents?)\s+(?:has|have|had|relied|placed))",
    re.IGNORECASE,
)
_CUES: tuple[tuple[str, str], ...] = (
    ("overruled", r"over-?rul(?:ed?|es|ing)|(?:is|are|was|were)\s+(?:no\s+longer|not)\s+good\s+law|"
                  r"do(?:es)?\s+not\s+lay\s+down\s+(?:the\s+)?(?:good|correct)\s+law|wrongly\s+decided"),
    ("reversed", r"revers(?:ed|ing)"),
    ("doubted", r"doubt(?:ed|ing)|per\s+incuriam|dissent(?:ed|ing)\s+from|disapprov(?:ed|ing)"),
    ("distinguished", r"distinguish(?:ed|able|ing|es)?"),
    ("followed", r"followed|following\s+(?=(?-i:[A-Z])|the\s+(?:decision|judge?ment|ruling|ratio|law|"
                 r"principle))|"
                 r"(?:we|respectfully)\s+follow|reiterated|"
                 r"reli(?:ed|ance)\s+(?:(?:is|was|has\s+been|may\s+be|can\s+be)\s+)?(?:also\s+)?"
                 r"(?:placed\s+)?(?:up)?on|rel(?:y|ying)\s+(?:up)?on|appl(?:ied|ying)\s+(?:in|the)"),
    ("approved", r"approv(?:ed|ing)|affirm(?:ed|ing)|endorsed|with\s+approval"),
    ("explained", r"explain(?:ed|ing)|clarif(?:ied|ying)"),
)  # fmt: skip
RELATIONS = (*(name for name, _ in _CUES), "cited")
"""What a judgment does with another, the strongest first."""
_CUE = re.compile("|".join(rf"(?P<{name}>\b(?:{words})\b)" for name, words in _CUES), re.IGNORECASE)
_PASSIVE = re.compile(
    r"(?:\b(?:was|were|is|are|been|be|being|stands?|stood|expressly|impliedly|hereby|accordingly|"
    r"therefore|thus|and|since|also|later|thereafter)\s+)+$",
    re.IGNORECASE,
)
_BARE = re.compile(r"[\s,;:()\[\]–—-]*")
_DIRECT = re.compile(r"\s+(?:the\s+)?(?:(?:decision|judge?ment)s?\s+(?:in|of)\s+)?", re.IGNORECASE)
_PREDICATE = re.compile(
    r"distinguishable|per\s+incuriam|wrongly|(?:is|are|was|were|do(?:es)?)\s", re.IGNORECASE
)
_NOT = re.compile(r"\b(?:not|never|cannot|nor)\b[^.;]{0,25}$", re.IGNORECASE)

_SOURCES = (PARAGRAPH, "headnote")
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Precedent:
    """A case named at ``start`` to ``end``; ``relation`` is one of ``RELATIONS``; ``words`` say it."""

    start: int
    end: int
    name: str
    citations: tuple[CaseCitation, ...] = ()
    relation: str = "cited"
    words: str = ""


@dataclass
class Precedents:
    """The cases that one judgment names; a short name stands for the last case that it fits.

    ``given``: cases by the name that the judgment gives them, ``(“Salt Works”)``.
    """

    cases: list[Precedent] = field(default_factory=list)
    given: dict[str, Precedent] = field(default_factory=dict)

    def find(self, text: str, notes: Sequence[tuple[int, str]] = ()) -> list[Precedent]:
        """Cases that a paragraph names, in order.

        ``notes``: offset of each footnote mark in it, and the note: citations often stand there.
        """
        citations = find_citations(text)
        cases = list(_named_cases(text, citations, notes))
        taken = [(c.start, c.end) for c in cases]
        self.cases += cases
        for case in cases:
            given = _GIVEN.match(text, case.end)
            if given:
                self.given[given["name"]] = case
        for citation in citations:
            if not any(a <= citation.start < b for a, b in taken):
                cases.append(Precedent(citation.start, citation.end, "", (citation,)))
        cases += [c for c in self._short(text) if not any(a <= c.start < b for a, b in taken)]
        taken = [(c.start, c.end) for c in cases]
        short = [c for c in self._given(text) if not any(a <= c.start < b for a, b in taken)]
        related = _related(text, sorted([*cases, *short], key=lambda c: c.start))
        return [c for c in related if c.relation != "cited" or (c.start, c.end) in taken]

    def _given(self, text: str) -> Iterator[Precedent]:
        """Cases by the names that the judgment gave them; of use only where something is said of them."""
        for name, case in self.given.items():
            pattern = rf"\b{re.escape(name)}\b(?!\s+v\b)"
            for match in re.finditer(pattern, text) if name in text else ():
                yield replace(case, start=match.start(), end=match.end(), relation="cited", words="")

    def _short(self, text: str) -> Iterator[Precedent]:
        """Cases that are named in short: ``Maneka Gandhi (supra)``."""
        for match in _SUPRA.finditer(text):
            at = max(0, match.start() - 90)
            short = _BEFORE_SUPRA.search(text[at : match.start()])
            words = _words(_LEADS.sub("", short[0])) if short else frozenset()
            case = next((k for k in reversed(self.cases) if words and words <= _words(k.name)), None)
            if case and short:
                yield replace(case, start=at + short.start(), end=match.end(), relation="cited", words="")


@lru_cache(maxsize=4096)
def _words(name: str) -> frozenset[str]:
    return frozenset(w for w in re.findall(r"[a-z]+", name.lower()) if w not in _JOINS and len(w) > 1)


def _named_cases(
    text: str, citations: Sequence[CaseCitation], notes: Sequence[tuple[int, str]]
) -> Iterator[Precedent]:
    """Cases named as A v. B, with the citations behind them or in the footnote that is marked there."""
    behind = 0
    verses = list(_VERSUS.finditer(text))
    for versus, following in zip_longest(verses, verses[1:]):
        start = max(_left(text, versus.start()), behind)
        joined = _JOINED.match(text, start)
        start = joined.end() if joined else start
        end = _right(text, versus.end(), citations)
        if following and end > _left(text, following.start()):  # "A v. B and C v. D" is two cases
            joint = list(_ANOTHER.finditer(text, versus.end(), following.start()))
            end = min(end, joint[-1].start() if joint else end)
        first = re.sub(r"\s+", " ", text[start : versus.start()]).strip(' ,“"(')
        second = re.sub(r"\s+", " ", text[versus.end() : end]).strip(' ,;”"(')
        second = _TAIL.sub("", _TAIL.sub("", second)).strip(" ,;")
        if len(first) < 2 or len(second) < 2 or not first[0].isupper():
            continue
        behind, cited = _cited_behind(citations, text, end)
        noted = [c for at, note in notes if end - 2 <= at <= behind + 12 for c in find_citations(note)]
        yield Precedent(start, behind, f"{first} v. {second}", (*cited, *noted))


def _left(text: str, at: int) -> int:
    """Where the first party begins: behind the last word that belongs to no name."""
    words = list(re.finditer(r"\S+", text[max(0, at - 140) : at]))
    base, first = max(0, at - 140), at
    for count, word in enumerate(reversed(words)):
        token = word[0].lstrip("(“\"‘'[")
        bare = token.rstrip(",")
        opened = len(token) < len(word[0])
        ends = count and (
            bare.endswith((";", ":", "”", "?", "!"))
            or (bare.endswith(".") and not _ABBREVIATED.fullmatch(bare))
        )
        comma = count and token.endswith(",") and not re.search(r"(?:Ltd|Pvt|Co|Inc|Bros|\.)\.?,$", token)
        belongs = bool(re.match(r"[A-Z]|\d+[A-Z]|\(", bare)) or bare.lower() in _JOINS
        if not belongs or ends or comma or count >= _MOST:
            break
        first = base + word.start() + (len(word[0]) - len(token))
        if opened and not word[0].startswith("("):
            break
    lead = _LEADS.match(text[first:at])
    first += lead.end() if lead else 0
    return first


def _right(text: str, at: int, citations: Sequence[CaseCitation]) -> int:
    """Where the second party ends: before a citation, a comma, or a word that belongs to no name."""
    limit = min([at + 140, len(text), *(c.start for c in _from(citations, at)[:1])])
    end = at
    for count, word in enumerate(re.finditer(r"\S+", text[at:limit])):
        bare = word[0].rstrip(',;:”"’)')
        belongs = bool(re.match(r"[A-Z(]", bare)) or bare.lower().strip(".") in _JOINS
        if (
            not belongs
            or count >= _MOST
            or re.match(r"\(supra|[(\[]\d{4}|[(\[]?[“\"‘]", word[0], re.IGNORECASE)
        ):
            break
        end = at + word.start() + len(bare)
        stops = bare.endswith(".") and not _ABBREVIATED.fullmatch(bare)
        if stops or len(bare) < len(word[0]):
            end -= stops
            break
    return at + len(re.sub(r"(?:\s+(?:of|the|and|&|for))+$", "", text[at:end]))


def _cited_behind(citations: Sequence[CaseCitation], text: str, end: int) -> tuple[int, list[CaseCitation]]:
    """Where the citations that stand right behind a name end, and what they are."""
    out: list[CaseCitation] = []
    for citation in _from(citations, end):
        if citation.start - end >= _FARTHEST or not _TO_CITATION.fullmatch(text, end, citation.start):
            break
        out.append(citation)
        end = citation.end
    return end, out


def _from(citations: Sequence[CaseCitation], at: int) -> Sequence[CaseCitation]:
    """The citations that begin at a place or behind it."""
    return citations[bisect_left(citations, at, key=lambda c: c.start) :]


def _related(text: str, cases: list[Precedent]) -> list[Precedent]:
    """The cases with what is said of them."""
    for cue in _CUE.finditer(text):
        relation = str(cue.lastgroup)
        before = text[max(0, cue.start() - _NEAR) : cue.start()]
        sentence = _STOP.split(before)[-1]
        if _NOT.search(before) or (
            relation in ("followed", "approved", "distinguished") and _PLEADED.search(sentence)
        ):
            continue
        for i in _objects(text, cases, cue):
            if RELATIONS.index(relation) < RELATIONS.index(cases[i].relation):
                cases[i] = replace(cases[i], relation=relation, words=re.sub(r"\s+", " ", cue[0]))
    return cases


def _objects(text: str, cases: Sequence[Precedent], cue: re.Match[str]) -> list[int]:
    """The cases that a cue is said of: those behind an active verb, those before a passive or a bare one."""
    behind = next((i for i, c in enumerate(cases) if c.start >= cue.end()), None)
    before = next((i for i in range(len(cases) - 1, -1, -1) if cases[i].end <= cue.start()), None)
    bare = before is not None and bool(_BARE.fullmatch(text, cases[before].end, cue.start()))
    if bare and behind is not None and _DIRECT.fullmatch(text, cue.end(), cases[behind].start):
        bare = False
    if bare or _PASSIVE.search(text[max(0, cue.start() - 40) : cue.start()]) or _PREDICATE.match(cue[0]):
        near = before is not None and (bare or _joined(text, cases[before].end, cue.start()))
        return _run(text, cases, before, -1) if near and before is not None else []
    if behind is not None and _joined(text, cue.end(), cases[behind].start):
        return _run(text, cases, behind, 1)
    return []


def _joined(text: str, start: int, end: int) -> bool:
    """Whether two places stand near each other in one sentence."""
    return end - start < _NEAR and not _STOP.search(text, max(0, start - 2), end)


def _run(text: str, cases: Sequence[Precedent], at: int, step: int) -> list[int]:
    """A case and those that are listed with it."""
    out = [at]
    while 0 <= at + step < len(cases):
        first, second = sorted((cases[at], cases[at + step]), key=lambda c: c.start)
        listed = _BETWEEN.fullmatch(text, first.end, max(first.end, second.start))
        if not listed or _STOP.search(text, max(0, first.end - 2), second.start + 1):
            break
        at += step
        out.append(at)
    return out


def tag(rows: Sequence[Row], registry: Registry) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of ``references`` and of ``precedents`` of a judgment, from its ``provisions`` in order."""
    names = [(a["act_id"], a["title"], a["aliases"]) for a in known_acts(registry)]
    sources = [row for row in rows if row["kind"] in _SOURCES]
    texts = [row["text"] for row in sources] + [note["text"] for row in sources for note in row["notes"]]
    statutes = Statutes("\n".join(texts), names, identifier(names))
    references = [
        {
            "source_id": row["provision_id"],
            "act_id": row["act_id"],
            "text": cited.text,
            "offset": row["text_start"] + cited.offset,
            "target_act": cited.act,
            "target_id": cited.target_id,
            "resolved": "no",
        }
        for row, hits in zip(sources, statutes.find([row["text"] for row in sources]), strict=True)
        for cited in hits
    ]
    cases = Precedents()
    precedents = [
        {
            "source_id": row["provision_id"],
            "act_id": row["act_id"],
            "offset": offset,
            "name": case.name,
            "citations": [citation.text for citation in case.citations],
            "relation": case.relation,
            "words": case.words,
            "target_act": None,
        }
        for row in sources
        for offset, case in _cases(cases, row)
    ]
    return references, precedents


def _cases(cases: Precedents, row: Row) -> Iterator[tuple[int, Precedent]]:
    """Cases named in the text, and those that only a footnote names; these stand where it is marked."""
    start = row["text_start"]
    for case in cases.find(row["text"], [(note["offset"] - start, note["text"]) for note in row["notes"]]):
        yield start + case.start, case
    for note in row["notes"]:
        for case in cases.find(note["text"]):
            if case.name:
                yield note["offset"], case

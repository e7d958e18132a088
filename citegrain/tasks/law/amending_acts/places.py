"""How amending sentences speak: of which part of an Act, and of what they quote though they lost their signs.

A part is that of ``in section 7, in sub-section (2), in clause (b)``. Old prints and scans lost signs of
quotation: grammar alone tells then what is quoted, and they are put back: ``for the words a the words b shall
be substituted``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, product, takewhile

from citegrain.tasks.law.numbers import ORDINALS, normal

DONE = r"(?:subs?t?ituted|inserted|added|omitted|deleted|(?:re-?\s?)?(?:numbered|lettered)|repealed)"
_NOUN = (
    r"(?:words?|figures?|letters?|brackets?|expressions?|symbols?|signs?|hyphens?|commas?|semi-?colons?|full\s+stops?|"
    r"punctuation\s+marks?|marks?|numerals?|phrases?|sentences?|dates?|entry|entries|item|percentage|amounts?|headings?)"
)
_JOINED = r"(?:\s*,\s*(?:and\s+)?|\s+(?:and|or)\s+)"
NOUN = rf"(?:{_NOUN}(?:{_JOINED}(?=\w)|\s+(?=\w))?)+"
_WORDS = (
    r"(?:words?|figures?|letters?|brackets?|commas?|expressions?|numerals?|phrases?|"
    r"(?:punctuation\s+)?marks?|signs?|symbols?)"
)
_THE = r"(?:the|existing|said)\s+(?:the\s+|existing\s+|said\s+)?"
_QUOTED = (  # the existing words, figures and letters,
    rf"{_THE}(?>{_WORDS}(?:(?:{_JOINED}|\s+(?={_WORDS}\s+and\s+{_WORDS}\b)){_WORDS})*)\b[,.:]?"
)
_PLAIN = r"(?:[^“”\"‘’';:⟦\n]|(?<=\w)['’]|\n(?![(\d\n]))"
_WORD = (
    rf"(?:{_PLAIN}|[;:](?=\s*(?:and|or)?,?\s+(?:shall\s+be\b|the\s+following\b|{_THE}{_WORDS}\b))|"
    r";(?=\s(?!for\b|after\b|before\b|in\b|and\b|to\b|the\b|at\b|omit|sub|clause|section|\()))"
)
_STANDS = (  # where the words stand that are changed
    rf"(?:as\s+)?occurring\s+between\s+the\s+{_WORDS}{_PLAIN}{{1,150}}?\band\s+the\s+{_WORDS}{_PLAIN}{{1,80}}?(?=,)|"
    rf"(?:as\s+)?(?:occurring|appearing)\s+(?P<beside>after|before)\s+{_QUOTED}\s{_PLAIN}{{1,150}}?(?=,)|"
    r"occurring\s+in\s+(?:the\s+)?(?:(?:sub-?\s?)?(?:section|clause|item|rule)|proviso|explanation)\b[^“”;:⟦\n]{0,150}?|"
    r"(?:(?:wherever|wheresoever|where\s+(?:it|they)|occurring|at\s+(?:both|all|each)|in\s+(?:both|all|the\s+(?:two|three)))\b|"
    r"(?:appearing|existing)\s+(?:at|in)\s+the\b|(?<=\d\s)(?P<row>against)\b)[^“”;:⟦\n,]{0,60}"
)
_SHALL = r"shall,?\s+(?:respectively,?\s+)?[bh]e"
_OLD = rf"{_QUOTED}\s)(?!(?:beginning|commencing)\b)(?P<old>{_WORD}{{1,800}}?)(?P<where>,?\s+(?:{_STANDS}))?"
_NEW = rf",?\s+(?P<noun>{_QUOTED}\s)(?P<new>{_WORD}{{1,800}}?),?(?P<each>\s+respectively,?)?(?=\s*{_SHALL}\s+"
_SUBSTITUTED = re.compile(  # for the words a, wherever they occur, the words b (the following) shall be ...
    rf"(?P<ahead>\b(?:for|after|before|of)\s+{_OLD}(?:{_NEW}(?:and\s+\w.{{,30}}?been\s+)?(?:substituted|inserted|added)\b|"
    rf"\s+(?:and\s+)?for\s+the\s+{_WORDS})|(?=,?\s+(?:the\s+following\b[^“”;:]{{0,30}}\bshall\b|{_SHALL}\s+substituted\s+as\b)))",
    re.IGNORECASE,
)
_NO_FOR = re.compile(rf"(?P<ahead>\b{_OLD}{_NEW}substituted\b(?!\s+by\b))", re.IGNORECASE)
_BETWEEN = re.compile(  # between the words a and the words b the word c shall be inserted
    rf"\bbetween(?P<a>\s+{_QUOTED}\s{_PLAIN}{{1,80}}?),?\s+and\s+(?:the\s+)?{_WORDS}\s{_PLAIN}{{1,80}}?,?"
    rf"(?=\s+{_QUOTED}\s{_PLAIN}{{1,200}}?\s+shall\s+be\s+inserted)",
    re.IGNORECASE,
)
_FROM_TO = re.compile(  # the portion beginning with (the words) a and ending with b, the words c
    rf"(?P<ahead>\b(?:beginning|commencing)\s+(?:with|from)\s+(?:{_QUOTED}\s+)?)(?P<a>[^“”\"‘’;⟦\n]{{3,80}}?)"
    rf"(?P<and>,?\s+and\s+ending\s+with\s+(?:{_QUOTED}\s+)?)(?P<b>[^“”\"‘’;⟦\n]{{3,80}}?)"
    rf"(?:(?P<noun>,?\s+{_QUOTED}\s)(?P<new>{_WORD}{{3,400}}?))?(?=,?\s+(?:the\s+following\b|{_SHALL}\s+{DONE}))",
    re.IGNORECASE,
)
_ALONE = re.compile(  # the words a, wherever they occur, (and the words b) shall be omitted
    rf"(?P<ahead>(?<!for\s)(?<!after\s)(?<!before\s)\b{_QUOTED}\s+)(?!beginning)"
    rf"(?P<words>(?:(?!\bthe\s+{_WORDS}\b|\bshall\s+be\s+{DONE})(?:[^“”\"‘’';:—⟦\n]|(?<=\w)['’])){{1,400}}?)"
    rf"(?P<where>,?\s+(?:{_STANDS}))?(?=,?\s+(?:and\s+{_QUOTED}\s[^“”\"⟦;\n]{{2,200}}?\s+)?"
    r"shall\s+be\s+(?:omitted|deleted|(?:inserted|added)\s+(?:at|in)\b))",
    re.IGNORECASE,
)
_PART_COMES = re.compile(  # before entry 2, the entry 1. Andhra shall be inserted
    r"(?P<ahead>\b(?:for|after|before)\s+(?:the\s+)?(?:entr|(?:chapter\s+|part\s+)?heading)[^“”\"⟦;\n]{0,120}?,?"
    r"\s+the\s+(?:entry|(?:chapter\s+|part\s+)?heading)\s+)"
    r"(?P<words>[^“”\"⟦;\n]{1,100}?)(?=,?\s+shall\s+be\s+(?:substituted|inserted|added)\b)",
    re.IGNORECASE,
)
_BESIDE_HEADING = re.compile(
    r"(?P<ahead>\b(?:before|after)\s+the\s+heading\s+)(?P<words>[A-Z][A-Z .&()-]+[A-Z)])\b"
)
_ENTRY_GOES = re.compile(  # the entry "3. Bilaspur" shall be omitted
    r"\b(?P<entry>entry|item)\s+[“\"‘'](?P<number>\d{1,3}[A-Z]?)\.\s[^”\"’']{0,80}[”\"’'](?=\s+shall\s+be\s+(?:omitted|deleted)\b)"
)
_AGAINST = re.compile(  # the entry against "13. Uttar Pradesh"
    r"\b(?P<entry>entr(?:y|ies))\s+(?:against|relating\s+to)\s+"
    r"(?:[“\"‘'](?P<number>\d{1,3}[A-Z]?)\.?\s[^”\"’']{0,80}[”\"’']|(?P<bare>\d{1,3}[A-Z]?)\.\s[^“”\"‘’',;\n]{1,60}(?=,))"
)
_FIGURES = re.compile(
    r"(?P<ahead>\b(?:for|after)\s+the\s+figures?\s+)(?P<figures>\d(?:[\d.,/-]*\d)?)(?=,?\s+the\s+figures?\b)"
)
_LABEL = re.compile(r"(?P<noun>\bbrackets?\s+and\s+\w+)\s+(?P<label>\(\w{1,5}\))(?!\()")
_EACH = re.compile(r"\s*shall,?\s+respectively\b", re.IGNORECASE)
_RAN_ON = re.compile(  # ... of the Code. 5. In section 17,—
    r"(?<=[.;])[ ]+(?=\d{1,3}[A-Z]?\.\s(?:In|For|After|Before)\s"
    r"(?:section|article|rule|sub-section|the\s\w+\sSchedule)\b)"
)
_PARTS = re.compile(r",\s+(?:and\s+)?|(?<!hundred)(?<!thousand)(?<!lakh)\s+and\s+")


def with_signs(text: str) -> str:
    """A section of an amending Act with signs around what its sentences quote without them."""
    text = _RAN_ON.sub("\n", text)
    text = _FROM_TO.sub(_portion, _LABEL.sub(r"\g<noun> “\g<label>”", text))
    text = _SUBSTITUTED.sub(_substituted, _BETWEEN.sub(r"after\g<a>,", text))
    text = _NO_FOR.sub(_substituted, text)
    text = _ENTRY_GOES.sub(r"\g<entry> \g<number>", _ALONE.sub(_alone, text))
    text = _FIGURES.sub(r"\g<ahead>“\g<figures>”", _PART_COMES.sub(r"\g<ahead>“\g<words>”", text))
    text = _BESIDE_HEADING.sub(r"\g<ahead>“\g<words>”", text)
    return _AGAINST.sub(lambda m: f"{m['entry']} {m['number'] or m['bare']}", text)


def _substituted(match: re.Match[str]) -> str:
    old, new, where = match["old"].strip(" ,"), (match["new"] or "").strip(), match["where"] or ""
    where = "" if match["beside"] or match["row"] or "between" in where else where
    each = match["each"] or _EACH.match(match.string, match.end())
    pairs = _PARTS.split(old), _PARTS.split(new)
    if each and len(pairs[0]) == len(pairs[1]) and not old.endswith("respectively"):
        old, new = ("”, “".join(parts) for parts in pairs)
    else:
        new += match["each"] or ""
    old = f"{match['ahead']} “{old}”{where}"
    return f"{old}, {match['noun']} “{new}”" if match["noun"] else old


def _portion(match: re.Match[str]) -> str:
    old = f"{match['ahead']} “{match['a'].strip()}”{match['and']} “{match['b'].strip()}”"
    return f"{old}{match['noun']} “{match['new'].strip()}”" if match["noun"] else old


def _alone(match: re.Match[str]) -> str:
    where = match["where"] or ""
    return f"{match['ahead']}“{match['words'].strip(' ,')}”{where * (match['beside'] is None)}"


Part = tuple[str, str]
"""Kind and number of a part, as ``("subsection", "2")``; the number is empty where it has none."""
Path = tuple[Part, ...]
"""Parts from the outermost to the innermost."""
_Levels = Sequence[Sequence[Part]]

TOP = ("section", "article", "rule", "regulation", "order", "schedule", "part", "chapter")
"""Kinds of parts that stand in an Act itself."""
_KINDS = {
    "sub-section": "subsection", "section": "section", "article": "article", "sub-clause": "subclause",
    "clause": "clause", "sub-rule": "subsection", "rule": "rule", "sub-regulation": "subsection",
    "regulation": "regulation", "order": "order", "sub-item": "subitem", "item": "item",
    "sub-entry": "subentry", "entry": "entry", "entries": "entry", "sub-paragraph": "subparagraph",
    "paragraph": "paragraph", "sub-para": "subparagraph", "para": "paragraph",
    "proviso": "proviso", "explanation": "explanation", "illustration": "illustration",
    "exception": "exception", "schedule": "schedule", "part": "part", "chapter": "chapter", "form": "form",
    "table": "table",
    "serial number": "entry", "serial": "entry", "note": "note",
    "column": "column", "long title": "long title", "preamble": "preamble",
    "short title": "short title", "marginal heading": "heading", "marginal note": "heading",
    "sub-heading": "heading", "heading": "heading", "definition": "definition", "opening portion": "opening",
    "opening paragraph": "opening", "opening words": "opening", "appendix": "schedule",
    "union list": "list", "state list": "list", "concurrent list": "list",
}  # fmt: skip
_NUMBERLESS = frozenset(
    {"proviso", "explanation", "exception", "illustration", "schedule", "table", "long title", "preamble",
     "short title", "heading", "opening", "definition", "list", "note"}
)  # fmt: skip
_ONE = (
    r"(?:\(\s?\w{1,6}(?:\s?-\s?\w{1,2})?\s?\)(?:\s?\(\w{1,5}\))*|(?-i:\d{1,3}(?!\d)(?:\s?-\s?[A-Z]{1,2}(?!\w)|[A-Z]{0,3}(?![A-Z]))(?:\s?\(\w{1,5}\))*|"
    r"[IVXLC]+(?:-?[A-Z])?\b|[A-H]\b|[ivx]{1,5}\b|(?:First|Second|Third|Four?th|Fifth|Sixth|Seventh)ly\b))"
)
_ORDINAL = rf"(?:{'|'.join(ORDINALS)}|last|concluding)"
_WRITTEN = (re.escape(k).replace(r"\-", r"[\s-]?-?\s?").replace(r"\ ", r"\s+") for k in _KINDS)
_NAMES = "|".join(sorted(_WRITTEN, key=len, reverse=True))
_UNIT = re.compile(
    rf"(?<![\w-])(?:(?P<ordinal>{_ORDINAL}(?:(?:\s*,\s*|\s+and\s+(?:the\s+)?){_ORDINAL})*)\s+)?(?P<kind>{_NAMES})s?\b"
    rf"(?:(?:\s*|-(?=[IVX\d]))(?:Nos?\.?\s*|from\s+)?(?P<list>{_ONE}(?:(?:\s*,\s*(?:and\s+)?(?!\([a-z]{{1,4}}\)\s*(?:in|for|after|before|the|to)\b)|\s+(?:and|or)\s+|\s*(?P<to>\bto\b|[–-])\s*){_ONE})*))?",
    re.IGNORECASE,
)
_NOT_HERE = re.compile(
    r"(?:\b(?:insertion|addition)\s+of|\bfollowing(?:\s+new)?|\bnew|\ban?|\bthat|\bthis|\bsuch|\bsaid|\b(?:relating|referred|pertaining|specified|"
    r"inserted|amended|substituted|renumbered|re-numbered|lettered|required)\b[\s\w]{0,12}?\b(?:to|in|by|as|under|against)"
    r"(?:\s+the)?|\bunder(?:\s+the)?|\bexcept(?:ing)?(?:\s+the)?|\bby|\bas)\s+$",
    re.IGNORECASE,
)
_WITHIN = re.compile(r"\s*\b(?:of|to|in|under|below)\s+(?:(?:the|that|each|both)\s+)*", re.IGNORECASE)
_AND = re.compile(
    r"\s*,?\s*(?:\b(?:and|or)\s+)(?:(?:the|also|in)\s+)*|\s*[,;]\s*(?:and\s+)?\([ivx]+\)\s*", re.IGNORECASE
)
_RELATING = re.compile(r"\s+(?:relating|pertaining|in\s+respect)\s+(?:to|of)\s+(?P<what>[^,;—⟦]{2,120})")
_FIRST = re.compile(
    r"\b(1(?=st\b)|2(?=nd\b)|3(?=rd\b)|[4-9](?=th\b))(?:st|nd|rd|th)(?=\s+(?:column|paragraph|proviso|item)\b)"
)
_SERIAL = re.compile(
    r"\bentr(?:y|ies)\s+(?:relating\s+to|against|at)\s+(?:the\s+)?(?=serial\b)", re.IGNORECASE
)
_EXCEPT = re.compile(
    r",\s+except\s+in\s.*?(?=,\s+wherever\b|\bshall\b|$)|"
    r",?\s+(?:along|together)\s+with\s+(?:the|its)\s+(?:(?:marginal|side)\s+)?(?:heading|note)s?\b(?:\s+thereof)?",
    re.IGNORECASE | re.DOTALL,
)
_LIST = re.compile(r"\s*[,;]\s*(?:in\s+(?:the\s+)?)?")
_BY_THE_WAY = re.compile(  # after entry (3), relating to offences under Chapter XVII of another Act, ...
    r"(?P<part>\b(?:entry|item)\s+\(?\w{1,5}\)?),\s+(?:relating|pertaining)\s+to\s+[^,;]{3,150}(?=,)",
    re.IGNORECASE,
)
_OF_TOP = re.compile(
    r"(?:\s+(?:of|to|in)\s+(?:the\s+)?(?:sub-?\s?section|clause|sub-?\s?clause|proviso)(?:\s*\(\w+\))?)*"
    r"\s+of\s+(?:section|article|rule)\b",
    re.IGNORECASE,
)
_THERETO = re.compile(r"\s+there(?:to|of|under)\b", re.IGNORECASE)
_ITEM = re.compile(_ONE)
_LETTER = re.compile(r"(\d+)\s?\(([A-H])\)")
_SUBS = re.compile(r"\(\s?(\w{1,6})\s?\)")
_DIVISION = re.compile(r"[IVXLC]+-?[A-Z]?|\d+[A-Z]?|[A-H]")
_LEVELS = ("section", "subsection", "clause", "subclause", "item")
_LISTED = (*(kind for kind in TOP if kind != "schedule"), "entry", "form", "column")
_LETTERED = ("subsection", "clause", "subclause", "item", "subitem", "paragraph", "subparagraph")
_RANGE = 60
_NUMBERED = re.compile(  # of a line that ran on: "... by rules. 12B. (1) The", "... by rules. 12B. No person"
    r"(?:(?:^|\n)\s*|(?<=[a-z]{4}\.)\s(?=\d{1,3}-?[A-Z]{1,3}\.\s+(?:\(1\)|[A-Z][a-z]*\s)))"
    r"\[?(?P<number>\d{1,3}(?:-?[A-Z]{1,3})?)\.\s*(?=\S)"
)
_HEADED = re.compile(  # "Oil.—(1) The", but no sentence with clauses: "The owner may,— (a)"
    r"^(?P<heading>(?:(?!\b(?:shall|may)\b)[^.—\n]){3,200}?)(?:\.\s*[—–]+|\s*[—–]+(?!\s*\([ai]\)))\s*(?=\S)"
)


def paths(words: str) -> list[Path]:
    """The parts that words speak of; several where lists of numbers or of parts stand in them."""
    words = _EXCEPT.sub("", _SERIAL.sub("", _BY_THE_WAY.sub(r"\g<part>", words)))
    words = _FIRST.sub(lambda m: ORDINALS[int(m[1]) - 1], words)
    runs: list[list[list[list[Part]]]] = []  # of each run of parts its alternatives, each with its levels
    end = -1
    for match, choices in _units(words):
        if runs and _WITHIN.fullmatch(words, end, match.start()):
            runs[-1][-1] = [*choices, *runs[-1][-1]]
        elif runs and (
            _AND.fullmatch(words, end, match.start()) or _listed(words, end, match, runs[-1][-1], choices)
        ):
            thereto = _THERETO.match(words, match.end()) and choices[0][0][0] in _NUMBERLESS
            above = [level for level in runs[-1][-1] if len(level) == 1] if thereto else []
            runs[-1].append([*above, *choices])
        else:
            runs.append([choices])
        end = match.end()
    of_runs = [_alternatives(run) for run in runs]
    tops = [at for at, run in enumerate(of_runs) if run[0][0][0] in TOP[:2]]
    if len({path[0] for at in tops for path in of_runs[at]}) > len(of_runs[tops[-1]] if tops else ()):
        of_runs = of_runs[: tops[0]] + of_runs[tops[-1] :]  # none stands in another: the last is meant
    read = [tuple(dict.fromkeys(chain.from_iterable(parts))) for parts in product(*of_runs)] if runs else []
    return [_outermost_first(path) for path in read]


def _outermost_first(path: Path) -> Path:
    """``sub-section (2), section 23`` as section 23, sub-section (2); ``Part B, First Schedule`` as well."""
    top = next((at for at, (kind, _) in enumerate(path) if kind in (*TOP[:4], "schedule")), 0)
    of_schedule = bool(path) and path[top][0] == "schedule"
    inside = {"part", "table", "list"} if of_schedule else {*_LEVELS[1:], "proviso", "explanation"}
    inner = all(kind in inside for kind, _ in path[:top])
    return (path[top], *path[:top], *path[top + 1 :]) if top and inner else path


def _listed(words: str, end: int, match: re.Match[str], before: _Levels, choices: _Levels) -> bool:
    """``section 3, section 5`` and ``clause (a) of section 3, clause (b) of section 5`` are lists."""
    if before[0][0][0] not in TOP or not _LIST.fullmatch(words, end, match.start()):
        return False
    is_top = choices[0][0][0] == before[0][0][0] and len(before) == 1
    return is_top or (len(before) > 1 and bool(_OF_TOP.match(words, match.end())))


def _alternatives(run: Sequence[_Levels]) -> list[Path]:
    """``clause (a) and clause (b) of section 3``: what the last stands in, the others stand in too."""
    last = run[-1]
    shared = list(takewhile(lambda level: level[0][0] in TOP, last)) if len(last) > 1 else []
    out: list[Path] = []
    for levels in run:
        inherits = shared and levels[0][0][0] not in TOP and levels is not last
        out += product(*(shared if inherits else []), *levels)
    return out


def joined(outer: Path, inner: Path) -> Path:
    """A path within another; one that begins at the Act stands alone."""
    if inner and inner[0][0] == "article" and outer and outer[0][0] == "schedule":
        return (*outer, *inner)  # of stamp duties
    if inner and inner[0][0] in ("section", "article", "rule", "regulation", "schedule"):
        top = inner[0][0]
        of_rules = [at for at, (kind, _) in enumerate(outer, 1) if kind in ("order", "schedule", "part")]
        keep = outer[: of_rules[-1]] if top == "rule" and of_rules else ()
        return (*keep, *inner)
    separate = not outer or outer[0][0] in ("section", "article", "chapter")
    if separate and inner and inner[0][0] in ("part", "chapter"):
        return inner
    kinds = [kind for kind, _ in outer]
    first = inner[0][0] if inner else ""
    cut = max((at for at, kind in enumerate(kinds) if kind == first), default=len(outer))
    if first in ("subsection", "heading"):
        cut = next((at for at, kind in enumerate(kinds) if kind not in TOP), len(outer))
    return (*outer[:cut], *inner)


def in_words(path: Path) -> str:
    """A path as people write it: ``section 7, sub-section (2), first proviso``."""
    return ", ".join(_word(kind, number) for kind, number in path)


def _word(kind: str, number: str) -> str:
    name = re.sub(r"^sub(?=[a-z])", "sub-", kind)
    if kind in _LISTED:
        return f"{name} {number}".strip()
    if kind in _LETTERED:
        return f"{name} ({number})" if number else name
    if number.isdigit() and int(number) <= len(ORDINALS):
        return f"{ORDINALS[int(number) - 1]} {name}"
    return f"{name} {number}".strip()


def _units(words: str) -> Iterator[tuple[re.Match[str], list[list[Part]]]]:
    """Each part that is named, with the choices at each of its levels: section 7(2) has two."""
    elsewhere = -1  # where a part ends that is spoken of by the way
    for match in _UNIT.finditer(words):
        name = re.sub(r"\s+", " ", match["kind"].lower())
        kind, listed = _KINDS[re.sub(r"^sub[\s-]*", "sub-", name)], match["list"] or ""
        ahead = words[: match.start()][-60:]
        if kind == "note" and match["kind"][0].islower():  # a promissory note
            continue
        other = _NOT_HERE.search(ahead) and (match["kind"][0].islower() or "specified" in ahead[-20:])
        if other or (elsewhere >= 0 and _WITHIN.fullmatch(words, elsewhere, match.start())):
            elsewhere = match.end()
            continue
        relating = _RELATING.match(words, match.end()) if kind == "entry" and not listed else None
        if relating:
            yield match, [[(kind, " ".join(relating[0].split()))]]
            continue
        numbers = [name.partition(" ")[0]] if kind == "list" else _numbers(match)
        if not numbers and kind not in _NUMBERLESS:
            continue
        if kind in ("part", "chapter") and not _DIVISION.fullmatch(numbers[0]):
            continue
        if name.endswith("para") and not numbers[0].isdigit():  # a misprint of Part
            continue
        has_subs = listed.count("(") > listed.startswith("(")
        if has_subs and re.fullmatch(r"[\w-]*(?:\s?\(\s?\w{1,6}\s?\))+", listed):
            yield match, _with_subs(kind, listed)
        else:
            yield match, [[(kind, number) for number in numbers] or [(kind, "")]]


def _with_subs(kind: str, listed: str) -> list[list[Part]]:
    """``7(2)(b)`` as section 7, sub-section (2), clause (b)."""
    if kind == "section" and (lettered := _LETTER.fullmatch(listed)):  # 18(C) is 18C
        return [[(kind, f"{lettered[1]}{lettered[2]}")]]
    first, *subs = [normal(listed.partition("(")[0])] * (not listed.startswith("(")) + _SUBS.findall(listed)
    at = _LEVELS.index(kind) + 1 if kind in _LEVELS else 1
    if kind == "article" or (at == 1 and not subs[0].isdigit()):
        at = 2
    return [[(kind, first)], *([(name, sub)] for name, sub in zip(_LEVELS[at:], subs, strict=False))]


def _numbers(match: re.Match[str]) -> list[str]:
    if match["list"] is None:
        words = re.findall(_ORDINAL, (match["ordinal"] or "").lower())
        return [str(ORDINALS.index(w) + 1) if w in ORDINALS else "last" for w in words]
    out: list[str] = []
    last = 0
    for item in _ITEM.finditer(match["list"]):
        number = item[0].strip("()").replace(" ", "") if item[0].startswith("(") else normal(item[0])
        between = match["list"][last : item.start()]
        if out and re.fullmatch(r"\s*(?:to|[–-])\s*", between):
            out += _between(out[-1], number)
        out.append(number)
        last = item.end()
    return out


def _between(first: str, last: str) -> Sequence[str]:
    """Numbers between the ends of a range."""
    if first.isdigit() and last.isdigit() and 0 < int(last) - int(first) <= _RANGE:
        return [str(n) for n in range(int(first) + 1, int(last))]
    if len(first) == len(last) == 1 and first.isalpha() and last.isalpha() and first < last:
        return [chr(c) for c in range(ord(first) + 1, ord(last))]
    return []


def sections_in(block: str) -> list[tuple[str, str, str]]:
    """(number, heading, text) of each section of a quoted text; the heading is empty where it has none."""
    marks = list(_NUMBERED.finditer(block))
    marks = [m for at, m in enumerate(marks) if at == 0 or _ascends(marks[at - 1]["number"], m["number"])]
    out = []
    ends = [m.start() for m in marks[1:]] + [len(block)]
    for mark, end in zip(marks, ends, strict=False):
        text = block[mark.end() : end].strip()
        headed = _HEADED.match(text)
        heading = " ".join(headed["heading"].split()) if headed else ""
        out.append((mark["number"].replace("-", ""), heading, text[headed.end() :] if headed else text))
    return out if marks and marks[0].start() <= 1 else []


def _ascends(before: str, number: str) -> bool:
    (was, letter), (is_, next_letter) = (re.findall(r"(\d+)-?(\w*)", one)[0] for one in (before, number))
    return (int(was), letter) < (int(is_), next_letter) and int(is_) <= int(was) + 3

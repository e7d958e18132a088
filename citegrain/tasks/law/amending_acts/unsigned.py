"""Amending sentences that lost their signs of quotation, as in old prints and scans: the signs put back.

Without them grammar alone tells what is quoted: ``for the words a the words b shall be substituted``.
"""

from __future__ import annotations

import re

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

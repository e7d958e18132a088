"""Provisions that a complaint names, as lay people and lawyers write them."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from citegrain.tasks.core.words import LETTERS
from citegrain.tasks.law.citing.grammar import normalise
from citegrain.tasks.law.citing.names import ActFinder, Place
from citegrain.tasks.law.numbers import ORDINALS, normal, order_number, roman

# letters behind a blank, as in section 498 A of: no word (BE), and no A with which a sentence goes on
_SPACED = (
    r"(?-i:\s(?!BE\b|A\s+(?!(?:of|and|or|to|read|in|under|ipc|crpc)\b)[a-z])(?:[A-HJ-Z]|[A-F][A-F]|Z[A-Z])(?![A-Za-z]|\.?\s?[A-Z]\b)"
    r"|\s[a-h](?=\s*(?:$|[,.;?)]|(?:of|ipc|crpc)\b)))"
)
_NUMBER = (
    rf"\d{{1,4}}(?:{_SPACED}|\s?-\s?(?-i:[A-Z]{{1,2}}|z?[a-z]|[a-f]{{2}})(?![A-Za-z])|[A-Za-z]{{1,3}}(?![A-Za-z])|-?[क-ह]{{1,2}}(?![{LETTERS}]))?"
    r"(?:\s?\([0-9a-zA-Zअ-ह०-९]{1,5}\))*"
)
_RANGE = r"(?<![-/.]\d)(?<![-/.]\d\d)(?<![-/.]\d{3})-(?=\d{1,3}(?![\d/.-]))"  # no date
_JOIN = (
    r"\s*(?:,\s*(?:and|&)|[,/&+;]|\band\b|\bor\b|\b(?:read\s+)?(?:along\s+)?with\b|\br\.?/?w\b\.?|\bto\b"
    rf"|{_RANGE}|और|या|तथा|एवं|सपठित|व(?=\s))\s*"
)
_LIST = rf"(?P<list>{_NUMBER}(?:{_JOIN}{_NUMBER})*)"
_KEYED = re.compile(
    r"(?<![A-Za-z])(?:(?P<section>(?:under\s+)?sections?|secs?\b\.?|ss?\.|u/ss?\.?|§§?|dhara\b|dafaa?\b)"
    rf"|(?<![{LETTERS}])(?:(?P<hindi>धारा(?:ओं|एं|एँ)?)|(?P<hindi_article>अनुच्छेद(?:ों)?))"
    r"|(?P<article>articles?|arts?\b\.?|anuchh?ed\b))[\s:-]*(?:no\.?\s*)?" + _LIST,
    re.IGNORECASE,
)
_UNIT = r"\s*(?:hours?|days?|weeks?|months?|years?|yrs?|rupees|rs|lakhs?|crores?|per\s?cent|km|times)\b"
_BARE = re.compile(
    rf"(?<![\w./-])(?<!class )(?<!grade )(?<!form )(?<!age )(?<!aged )(?<!rs ){_LIST}(?![\w%]|-\d|{_UNIT})",
    re.IGNORECASE,
)
_ORDER = (
    r"(?<![A-Za-z])(?:order|o\.|o(?=\s?\d{1,2}\s?,?r))\s*(?:no\.?\s*)?"
    r"(?P<order>[IVXLC]+|\d{1,2})\s?-?\s?(?P<letter>[A-D])?(?=\b|r\.?\s?\d)"
)
_RULE_LIST = r"(?:rules?|r\.|rr\.|r(?=\s?\d))\s*(?:no\.?\s*)?" + _LIST
_RULE = (  # Order 7 rule 11, and rule 11 of Order 7
    re.compile(rf"{_ORDER}[\s,]*{_RULE_LIST}", re.IGNORECASE),
    re.compile(rf"(?<![A-Za-z]){_RULE_LIST}[\s,]*(?:of|under|in)?[\s,]*{_ORDER}", re.IGNORECASE),
)
_ORDERS = re.compile(_ORDER, re.IGNORECASE)
_ENTRY = rf"(?:articles?|arts?\.?|entry|entries|items?)\s*(?:no\.?\s*)?{_LIST}"
_SCHEDULE = (
    rf"(?<![A-Za-z])(?:(?P<ordinal>{'|'.join(ORDINALS)})\s+sch(?:edule\b|\.)"
    r"|sch(?:edule\b|\.)\s*(?P<no>[IVX]+\b|\d{1,2}\b)?)(?P<part>[\s,]*list[\s-]*(?:[IVX]+|\d)\b)?"
)
_SCHEDULES = (  # entry 5 of Schedule I, and Schedule I, entry 5
    re.compile(rf"{_ENTRY}[\s,]*(?:of|in|to|under)?\s*(?:the\s+)?{_SCHEDULE}", re.IGNORECASE),
    re.compile(rf"{_SCHEDULE}(?:[\s,]*{_ENTRY})?", re.IGNORECASE),
)
_RULES = re.compile(r"(?<![A-Za-z])(?P<kind>rule|regulation)s?\s*(?:no\.?\s*)?" + _LIST, re.IGNORECASE)
_OF_RULES = re.compile(r"-(?:rules|regulations|bye-laws)(?:-|$)")  # in the id of what names itself so
_ALONE = re.compile(
    rf"[\W_]*(?:ipc|section|case|under|u/s)?\s*{_LIST}"
    r"(?:\s+(?:ka|ki|ke|wala|cases?|kya|hai|mein|me|section|lagi|lag|gayi))*[\W_]*",
    re.IGNORECASE,
)
_RUN = r"(?P<numbers>\d{1,3}[A-Za-z]{0,2}(?:\s\d{2,3}[A-Za-z]{0,2})+)"
_RUN_BEFORE = re.compile(rf"(?<![\w./-]){_RUN}(?=\s+(?:of\s+)?(?:the\s+)?$)")
_RUN_BEHIND = re.compile(rf"\s+(?:sections?\s+)?{_RUN}(?=\s*(?:$|[.,;?)/]|and\b))")
_CITED = (
    r"(?:(?:section|sec\.?|s\.|u/s|article|art\.?|o\.?|order)\s*)?\d{1,3}[A-Za-z]{0,2}(?:\(\w+\))*"
    r"(?:\s*r\.?\s*\d+)?"
)
_SHORT_NAME = re.compile(
    rf"(?P<name>[A-Za-z]{{2,6}})[\s-]*(?P<number>{_CITED})"
    r"|(?P<first>\d{1,3}[A-Z]{0,2})[\s-]*(?P<last>[A-Za-z]{2,6})",
    re.IGNORECASE,
)
_LINK_WORDS = """
section sections sec secs s ss u us o w article articles art arts order orders rule rules r rr rw regulation
regulations schedule sch entry entries item items clause of the and or read with along to under in from no
number indian india punishment offence offences case cases what is are does explain meaning mean means text
law say says please tell me about a an by per i ipc bns dhara dafa anuched anuchhed ka ki ke kya hai mein
धारा धाराओं धाराएं धाराएँ अनुच्छेद अनुच्छेदों और या तथा एवं सपठित का की के में क्या है
"""
_LINKS = frozenset({*_LINK_WORDS.split(), *ORDINALS})
_LETTERED = re.compile(r"(?<![\w./-])\d{3}[A-Ha-h](?![\w%])")
_BRACKETED = re.compile(r"(?<=\d)\s?(\((?:[A-Z]{1,2}|[a-h])\))$")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)$", re.IGNORECASE)
_BEHIND = re.compile(r"^\s*+,?\s*+(?:of|under|in|from|to)?\s*+(?:the\s+)?(?:indian\s+)?$", re.IGNORECASE)
_BEFORE = re.compile(r"^[\s,:\-]*(?:under\s+|(?:u/)?s\s*|(?:की|का|के|में)\s+)?$", re.IGNORECASE)
_LONGEST_RANGE, _SHORT = 12, 80  # numbers of a range, characters of a question that is but a number


@dataclass(frozen=True, slots=True)
class Mention:
    """A provision named: ``number`` as cited, ``act_id`` None where the text names no Act."""

    kind: str
    number: str
    act_id: str | None


def find_mentions(text: str, places: Sequence[Place]) -> list[Mention]:
    """Provisions that ``text`` names, in order, each once.

    An Act belongs to a number if it stands directly behind it (``498A IPC``, ``section 138 of the
    NI Act``) or before it (``IPC 302``); else, if the text names one Act alone, to that one.
    Numbers without a word such as section count only beside an Act, or if they have three digits
    and a letter (``498A``), or are all that is asked about (``420 case``).

    ``places``: places at which the text names Acts, as :meth:`Lexicon.find` gives them.
    """
    text = _with_commas(normalise(text), places)
    taken: list[tuple[int, int]] = [(n.start, n.end) for n in places]
    all_acts = {place.act_ids for place in places}
    only_act = next(iter(all_acts)) if len(all_acts) == 1 else ()
    out: list[tuple[int, Mention]] = []
    for pattern, make in _READERS:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            end = match.end("list") if pattern in (_RULES, _KEYED, _BARE) else match.end()
            near = _acts_next_to(text, match.start(), end, places)
            if cited := make(match, near, near or only_act):
                mentions = (Mention(kind, n, act) for kind, n, these in cited for act in these or (None,))
                out += [(match.start(), mention) for mention in mentions]
                taken.append(match.span())
    for line in text.splitlines() if len(text) <= _SHORT and not out else ():
        if alone := _ALONE.fullmatch(line):
            out += [(0, Mention("section", n, None)) for n in _numbers(alone["list"])]
    return list(dict.fromkeys(mention for _, mention in sorted(out, key=lambda item: item[0])))


def names_only(text: str, places: Sequence[Place]) -> int:
    """Number of words of a text but numbers, names of Acts and what only links them."""
    for place in reversed(places):
        text = text[: place.start] + " " + text[place.end :]
    words = re.findall(rf"[\w{LETTERS}]+", text.lower())
    return sum(not (w in _LINKS or any(c.isdigit() for c in w) or roman(w)) for w in words)


def spelled_out(text: str, lexicon: ActFinder) -> str:
    """A text that is a number and a short name, as it is read: ``bns103``, ``MV 185``, ``138 NI``."""
    if not (match := _SHORT_NAME.fullmatch(text.strip())):
        return text
    name, number = match["name"] or match["last"], match["number"] or match["first"]
    for noun in ("", " Act"):
        if lexicon.find(plain := f"{name}{noun} {number}"):
            return plain
    return text


_Cited = list[tuple[str, str, Sequence[str]]]


def _of_orders(match: re.Match[str], near: Sequence[str], acts: Sequence[str]) -> _Cited:
    order = order_number(f"{match['order']}{match['letter'] or ''}".upper())
    return [("rule", f"O{order}R{n}", acts) for n in _numbers(match["list"])]


def _of_order(match: re.Match[str], near: Sequence[str], acts: Sequence[str]) -> _Cited:
    """An Order without a rule: beside its Act, or where nothing else is asked."""
    order = order_number(f"{match['order']}{match['letter'] or ''}".upper())
    alone = match.span() == (0, len(match.string.rstrip(" .?")))
    return [("order", f"O{order}", near)] if near or alone else []


def _of_schedule(match: re.Match[str], near: Sequence[str], acts: Sequence[str]) -> _Cited:
    which = (match["ordinal"] or "").lower()
    no = match["no"] or ""
    number = 1 + ORDINALS.index(which) if which else roman(no) or int(no or 1)
    # which entries are of which list of a Schedule is not known: the Schedule is meant
    entries = list(_numbers(match["list"])) if match["list"] and not match["part"] else [""]
    numbered = near and (which or no or match["list"])  # a schedule may be that of a payment
    return [("schedule", f"{number}" + (f"E{n}" if n else ""), near) for n in entries] if numbered else []


def _of_rules(match: re.Match[str], near: Sequence[str], acts: Sequence[str]) -> _Cited:
    """Rules of an Act that names itself so; one beside another Act is none of its sections."""
    fits = [act for act in acts if _OF_RULES.search(act)] or near
    return [(match["kind"].lower(), n, fits) for n in _numbers(match["list"])] if fits else []


def _keyed(match: re.Match[str], near: Sequence[str], acts: Sequence[str]) -> _Cited:
    kind = "section" if match["section"] or match["hindi"] else "article"
    return [(kind, n, acts) for n in _numbers(match["list"])]


_Read = Callable[[re.Match[str], Sequence[str], Sequence[str]], _Cited]
_READERS: Sequence[tuple[re.Pattern[str], _Read]] = (
    *((pattern, _of_orders) for pattern in _RULE),
    *((pattern, _of_schedule) for pattern in _SCHEDULES),
    (_ORDERS, _of_order),
    (_RULES, _of_rules),
    (_KEYED, _keyed),
    (_BARE, lambda match, near, _: [("section", n, near) for n in _numbers(match["list"]) if near]),
    (_LETTERED, lambda match, _, acts: [("section", match[0].upper(), acts)]),
)


def _with_commas(text: str, places: Sequence[Place]) -> str:
    """A text with commas for blanks between the numbers beside an Act: 420 467 468 IPC."""
    for place in places:
        for match in (_RUN_BEFORE.search(text[: place.start]), _RUN_BEHIND.match(text, place.end)):
            if match:
                commas = re.sub(r"\s(?=\d)", ",", match["numbers"])
                text = text[: match.start("numbers")] + commas + text[match.end("numbers") :]
    return text


def _acts_next_to(text: str, start: int, end: int, places: Sequence[Place]) -> tuple[str, ...]:
    """Acts named directly behind a number, else directly before it."""
    for place in places:
        if place.start >= end and _BEHIND.match(text[end : place.start]):
            return place.act_ids
    for place in places:
        if place.end <= start and _BEFORE.match(text[place.end : start]):
            return place.act_ids
    return ()


def _numbers(listed: str) -> Iterator[str]:
    """Numbers of a list, without sub-sections but that of 66(a), which may be 66A; ranges counted out."""
    previous, ranged = "", False
    for token in re.finditer(rf"{_NUMBER}|\bto\b|(?<=\d)-(?=\d)", listed, re.IGNORECASE):
        if token[0].lower() in ("to", "-"):
            ranged = True
            continue
        if _ORDINAL.match(token[0]):
            continue
        letter = _BRACKETED.search(token[0])
        number = normal(token[0].split("(")[0]).upper() + (letter[1] if letter else "")
        if ranged and previous.isdigit() and number.isdigit():
            first, last = int(previous), int(number)
            if first < last <= first + _LONGEST_RANGE:
                yield from (str(n) for n in range(first + 1, last))
        yield number
        previous, ranged = number, False

"""Provisions that a complaint names, as lay people and lawyers write them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citegrain.tasks.core.script import LETTERS
from citegrain.tasks.law.citing.grammar import normalise
from citegrain.tasks.law.citing.names import Place
from citegrain.tasks.law.numbers import normal, order_number

# letters behind a blank, as in section 498 A of: no word (BE), and no A with which a sentence goes on
_SPACED = (
    r"(?-i:\s(?!BE\b|A\s+(?!(?:of|and|or|to|read|in|under|ipc|crpc)\b)[a-z])(?:[A-HJ-Z]|[A-F][A-F]|Z[A-Z])(?![A-Za-z]|\.?\s?[A-Z]\b)"
    r"|\s[a-h](?=\s*(?:$|[,.;?)]|(?:of|ipc|crpc)\b)))"
)
_NUMBER = (
    rf"\d{{1,4}}(?:{_SPACED}|\s?-\s?(?-i:[A-Z]{{1,2}}|z?[a-z]|[a-f]{{2}})(?![A-Za-z])|[A-Za-z]{{1,3}}(?![A-Za-z])|-?[क-ह]{{1,2}}(?![{LETTERS}]))?"
    r"(?:\s?\([0-9a-zA-Zअ-ह०-९]{1,5}\))*"
)
_JOIN = r"\s*(?:,\s*and\b|,|/|&|\band\b|\bor\b|\bread\s+with\b|\br/w\b|\bto\b|और|या|तथा|एवं|सपठित)\s*"
_LIST = rf"(?P<list>{_NUMBER}(?:{_JOIN}{_NUMBER})*)"
_KEYED = re.compile(
    r"(?<![A-Za-z])(?:(?P<section>(?:under\s+)?sections?|secs?\b\.?|ss?\.|u/ss?\.?|§§?)"
    rf"|(?<![{LETTERS}])(?:(?P<hindi>धारा(?:ओं|एं|एँ)?)|(?P<hindi_article>अनुच्छेद(?:ों)?))"
    r"|(?P<article>articles?|arts?\b\.?))\s*(?:no\.?\s*)?" + _LIST,
    re.IGNORECASE,
)
_BARE = re.compile(rf"(?<![\w./-]){_LIST}(?![\w%])")
_RULE = re.compile(
    r"(?<![A-Za-z])(?:order|o\.)\s*(?P<order>[IVXLC]+|\d{1,2})\s?-?\s?(?P<letter>[A-D])?\b[\s,]*(?:rules?|r\.)\s*"
    r"(?P<rule>\d{1,3}[A-Z]{0,2})",
    re.IGNORECASE,
)
_RULES = re.compile(
    r"(?<![A-Za-z])(?P<kind>rule|regulation)s?\s*(?:no\.?\s*)?" + _LIST,
    re.IGNORECASE,
)
_OF_RULES = re.compile(r"-(?:rules|regulations|bye-laws)(?:-|$)")  # in the id of what names itself so
_LETTERED = re.compile(r"(?<![\w./-])\d{3}[A-Ha-h](?![\w%])")
_BRACKETED = re.compile(r"(?<=\d)\s?(\((?:[A-Z]{1,2}|[a-h])\))$")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)$", re.IGNORECASE)
_BEHIND = re.compile(r"^\s*+,?\s*+(?:of|under|in|from)?\s*+(?:the\s+)?(?:indian\s+)?$", re.IGNORECASE)
_BEFORE = re.compile(r"^[\s,:\-]*(?:under\s+|u/s\s*|(?:की|का|के|में)\s+)?$", re.IGNORECASE)
_LONGEST_RANGE = 12


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
    and a letter (``498A``).

    ``places``: places at which the text names Acts, as :meth:`Lexicon.find` gives them.
    """
    text = normalise(text)
    mentions: list[tuple[int, Mention]] = []
    taken: list[tuple[int, int]] = [(n.start, n.end) for n in places]
    only = _the_only_act(places)
    for match in _RULE.finditer(text):
        order = f"{match['order']}{match['letter'] or ''}".upper()
        number = f"O{order_number(order)}R{match['rule'].upper()}"
        acts = _acts_next_to(text, match.start(), match.end(), places) or only or (None,)
        mentions += [(match.start(), Mention("rule", number, act)) for act in acts]
        taken.append(match.span())
    for match in _RULES.finditer(text):
        acts_near = _acts_next_to(text, match.start(), match.end("list"), places) or only
        acts = tuple(act for act in acts_near if _OF_RULES.search(act))
        if not acts or _overlaps(match.span(), taken):
            continue
        kind = match["kind"].lower()
        mentions += [(match.start(), Mention(kind, n, act)) for n in _numbers(match["list"]) for act in acts]
        taken.append(match.span())
    for match in _KEYED.finditer(text):
        if _overlaps(match.span(), taken):
            continue
        kind = "section" if match["section"] or match["hindi"] else "article"
        acts = _acts_next_to(text, match.start(), match.end("list"), places) or only or (None,)
        for number in _numbers(match["list"]):
            mentions += [(match.start(), Mention(kind, number, act)) for act in acts]
        taken.append(match.span())
    for match in _BARE.finditer(text):
        if _overlaps(match.span(), taken):
            continue
        acts = _acts_next_to(text, match.start(), match.end("list"), places)
        if acts:
            numbers = _numbers(match["list"])
            mentions += [(match.start(), Mention("section", n, act)) for n in numbers for act in acts]
            taken.append(match.span())
    for match in _LETTERED.finditer(text):
        if not _overlaps(match.span(), taken):
            mentions += [
                (match.start(), Mention("section", match[0].upper(), act)) for act in only or (None,)
            ]
    ordered = sorted(mentions, key=lambda item: item[0])
    return list(dict.fromkeys(mention for _, mention in ordered))


def _the_only_act(places: Sequence[Place]) -> tuple[str, ...]:
    acts = {n.act_ids for n in places}
    return next(iter(acts)) if len(acts) == 1 else ()


def _acts_next_to(text: str, start: int, end: int, places: Sequence[Place]) -> tuple[str, ...]:
    """Acts named directly behind a number, else directly before it."""
    for place in places:
        if place.start >= end and _BEHIND.match(text[end : place.start]):
            return place.act_ids
    for place in places:
        if place.end <= start and _BEFORE.match(text[place.end : start]):
            return place.act_ids
    return ()


def _overlaps(span: tuple[int, int], taken: Sequence[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in taken)


def _numbers(listed: str) -> Iterator[str]:
    """Numbers of a list, without sub-sections but that of 66(a), which may be 66A; ranges counted out."""
    previous, ranged = "", False
    for token in re.finditer(rf"{_NUMBER}|\bto\b", listed, re.IGNORECASE):
        if token[0].lower() == "to":
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

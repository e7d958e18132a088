"""Amending Acts as instructions: in which provision of which Act what is put in the place of what.

Source of the forms: how Parliament and the States of India draft, from "there shall be inserted" of the
fifties to the tables of today.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from citegrain.tasks.law.amending_acts.drafting import (
    FLIPPED,
    OPERATED,
    RUNS_ON,
    SIGN,
    WORDS,
    Drafted,
    in_usual_order,
    of_reading,
    read_drafted,
)
from citegrain.tasks.law.amending_acts.places import DONE, NOUN, TOP, Path, joined, paths

SUBSTITUTE, INSERT, OMIT, RENUMBER = "substitute", "insert", "omit", "renumber"
INSERT_AFTER, INSERT_BEFORE = "insert_after", "insert_before"
WORDS_SUBSTITUTED, WORDS_INSERTED, WORDS_OMITTED = "words_substituted", "words_inserted", "words_omitted"
UNREADABLE = "unreadable"
_NEW_OR_GONE = (INSERT_AFTER, INSERT_BEFORE, OMIT)

_VERB = re.compile(
    rf"\b(?:shall|is\s+hereby|are\s+hereby)\b(?:(?!⟦|[.;]\s|\b{DONE}\b).){{0,160}}?\b(?P<done>{DONE})\b",
    re.IGNORECASE | re.DOTALL,
)
_OPERATION = re.compile(
    rf"\b(?P<how>for|after|before|to|at\s+the\s+end|at\s+the\s+beginning)\b(?:\s+(?:of|the|existing|said)\b)*\s*[,:]?\s*"
    rf"(?P<noun>{NOUN})?[\s,:]*(?P<sign>⟦)?",
    re.IGNORECASE,
)
_TRAIL = re.compile(
    rf"[^⟦;]{{0,160}}?(?:\bnamely\b|\bfollowing\b|\bas\b|[:—–-]|\b(?:the\s+)?{NOUN})?[\s,.:;—–-]*⟦\d+⟧"
    rf"(?:\s*(?:,|and|or|respectively|the|{NOUN})*\s*⟦\d+⟧)*",
    re.IGNORECASE,
)
_TURNS = re.compile(rf"(?!\s*,?\s*(?:and|or)\b)[^⟦]*?(?:\b(?:the|following)\b|{NOUN})[^⟦]*⟦", re.IGNORECASE)
_AGAIN = re.compile(
    rf"(?:[,;]\s*|\s)(?:and\s+)?(?=(?:in\s+[^⟦;,]{{3,60}},\s*)?{OPERATED.pattern})", re.IGNORECASE
)
_BETWEEN = re.compile(
    r";|\bshall\s+be\s+(?:omitted|renumbered|inserted|added|substituted)|,?\s+and\s+(?:after|before|for|in)\b"
)
_NAMELY = re.compile(r"\bnamely\b|\bfollowing\b|[:—–]", re.IGNORECASE)
_EVERYWHERE = re.compile(
    r"\bwherever\b|\bwheresoever\b|\bthroughout\b|\bat\s+(?:both|all|each|every)\s+(?:the\s+)?(?:places?|times?)|\bin\s+both\s+the\s+places|\bwhere\s+they\s+occur\b(?!\s+for)",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:for\s+the\s+|in\s+the\s+|at\s+the\s+|occurring\s+(?:in\s+the\s+)?)(?P<which>first|second|third|fourth|last)\s+(?:time|place|occurrence)\b"
    r"|\b(?:occurring|appearing|existing)\s+at\s+the\s+(?P<end>end)\b|\bat\s+(?P<both>both|all\s+the|each\s+of\s+the)\s+places",
    re.IGNORECASE,
)
_DEEMED = re.compile(
    rf"[,\s]*(?:and\s+)?shall\s+(?:\w+\s+)?be\s+(?:\w+\s+)?deemed\b[^.;⟦]*?\b{DONE}\b", re.IGNORECASE
)
_WORDS_GO = re.compile(
    r"\bthe\s+(?:existing\s+)?(?:words?|figures?|letters?|brackets?|expressions?)\b", re.IGNORECASE
)
_FIRST = re.compile(r"\s*(?:at|in)\s+the\s+(?:beginning|commencement)\b", re.IGNORECASE)
_FROM_TO = re.compile(r"\b(?:beginning|begins?|commencing|starting|from)\b", re.IGNORECASE)
_DEFINITION = re.compile(r"\bdefinitions?\s+of\s+(?:the\s+)?(?:\w+\s+){0,2}?⟦(?P<n>\d+)⟧", re.IGNORECASE)
_AS = re.compile(r"\bas\b\s+(?P<what>[^;⟦]*?)(?=\s*(?:[;,.—]|$|\band\b\s+(?:in|after|for|before|the|to)\b))")
_SAID_PART = re.compile(
    r"\bin\s+(?:the\s+said|that)\s+(?P<unit>section|article|sub-?\s?section|clause|sub-?\s?clause|proviso|schedule)\b|"
    r"\b(?P<so>sub-?\s?section|clause|sub-?\s?clause)\s+\(\w+\),?\s+(?:as\s+)?so\s+(?:amended|inserted|substituted)\b",
    re.IGNORECASE,
)
_SO_NUMBERED = re.compile(
    r"\b(?:the|that|said)\s+(?P<unit>clause|sub-?\s?section|sub-?\s?rule)\s+(?=(?:as\s+)?so\s+(?:re-?\s?)?numbered)",
    re.IGNORECASE,
)
_NEXT_SENTENCE = re.compile(
    r"[;.]|,?\s+and\s*[,—–-]|,?\s+and\s+(?=after|for|in\b|before|to\b|(?:sub-?)?(?:clause|section)|the\b)"
)
_INSTEAD = re.compile(r"\bin\s+(?:its|their|the)?\s*(?:place|lieu|stead)\b", re.IGNORECASE)
_NO_FOR = re.compile(
    rf"\bthe\s+{NOUN}\s*⟦\d+⟧,?\s+the\s+{NOUN}\s*⟦", re.IGNORECASE
)  # the words "a", the words "b"
_THEREAFTER = re.compile(r"\bthereafter\b.*?\bfollowing\s+(?:new\s+)?(?P<unit>[a-z-]+?)s?\b", re.IGNORECASE)
_AMENDS = re.compile(
    rf"\bshall\b[^.;]{{0,160}}?\b{DONE}\b|\bshall\s+(?:be|stand)\s+amended\b|"
    r"\b(?:for|after)\b[^.]{0,200}\b(?:substitute|insert)\b|\bomit\b",
    re.IGNORECASE | re.DOTALL,
)
_GOES = {OMIT: SUBSTITUTE, WORDS_OMITTED: WORDS_SUBSTITUTED}  # ... shall be deleted and in its place


@dataclass(frozen=True)
class Instruction:
    """One change that an amending Act makes: words that go and words, or a whole part, that come.

    ``path``: the part that is changed, or behind or before which text is put. ``where``: ``all`` where every
    place of the words is meant, ``first`` or another ordinal, ``end`` for the end of the part, ``from`` where
    ``old`` has the first and the last words of what goes. ``uncertain``: why it is not to be applied;
    ``doubt``: why what it makes may not be the law.
    """

    kind: str
    path: Path
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    where: str = ""
    uncertain: str = ""
    doubt: str = ""


def read_instructions(text: str) -> list[tuple[Instruction, str]]:
    """Instructions of a section of an amending Act, each with the words before it that may name its Act."""
    drafted = read_drafted(text)
    out: list[tuple[Instruction, str]] = []
    contexts: dict[int, list[Path]] = {}
    left, strays = "", False
    everywhere: list[Path] = [()]
    for above, item in drafted.root.leads():
        outer = contexts[id(above[-1])] if above else everywhere
        said = " ".join(a.lead for a in above)
        rest = 0
        here = outer
        if out and (again := _SAID_PART.search(item.lead)):
            here = [_up_to(out[-1][0].path, again["unit"] or again["so"])]
        for start, verb, end in _sentences(item.lead):
            read = list(_of_sentence(item.lead[start:end], verb, verb.start() - start, here, drafted))
            goes = rest and read and out and out[-1][0].kind in _GOES
            if goes and _INSTEAD.search(item.lead, start, verb.start()):
                read = [replace(out[-1][0], kind=_GOES[out[-1][0].kind], new=read[0].new)]
                out.pop()
            out += [(one, f"{said} {item.lead[:end]}") for one in read]
            rest = end
            left += "" if read else item.lead[start:end]
            strays = strays or _strays(read, outer)
            here = [read[-1].path] if read and read[-1].path else here
        inner = paths(SIGN.sub(" ", item.lead[rest:])) if item.items else []
        if item.items and rest and not inner:  # section 3 shall be renumbered ..., and (a) in sub-section (1)
            inner = [path for path in paths(SIGN.sub(" ", item.lead)) if path[0][0] in TOP][:1]
        contexts[id(item)] = [joined(o, i) for o in outer for i in inner] if inner else outer
        left += "" if item.items else item.lead[rest:]
    terms = {number for one, _ in out for kind, number in one.path if kind == "definition"}
    used = terms.union(*({*one.old, *one.new} for one, _ in out))
    doubt = "; ".join(of_reading(text, drafted, used, left, strays))
    run_on = [any(map(RUNS_ON.search, (*one.old, *one.new))) * "what is quoted runs on" for one, _ in out]
    return [
        (replace(one, doubt=doubt, uncertain=one.uncertain or why), said)
        for why, (one, said) in zip(run_on, out, strict=True)
    ]


def _strays(read: Sequence[Instruction], outer: Sequence[Path]) -> bool:
    """Whether instructions leave the section that they stand under, or put the same words at two places."""
    tops = {path[0] for path in outer if path and path[0][0] in TOP}
    elsewhere = any(tops and one.path and one.path[0][0] in TOP and one.path[0] not in tops for one in read)
    put = {(one.path, one.new, one.old) for one in read if one.new and one.old}
    return elsewhere or len(put) > len({(path, new) for path, new, _ in put})


def _up_to(path: Path, unit: str) -> Path:
    """A path to the part that is called ``the said clause``."""
    kind = _kind(unit)
    at = next((at for at, part in enumerate(path) if part[0] == kind), len(path) - 1)
    return path[: at + 1]


def _kind(unit: str) -> str:
    return re.sub(r"^sub[\s-]*", "sub", unit.lower())


def amends(text: str) -> bool:
    """Whether a text has sentences of an amending Act."""
    return _AMENDS.search(text) is not None


def _sentences(lead: str) -> Iterator[tuple[int, re.Match[str], int]]:
    """(start, verb, end) of each instruction in the words of an item."""
    verbs = list(_VERB.finditer(lead))
    start = 0
    for at, verb in enumerate(verbs):
        if verb.start() < start:
            continue
        until = verbs[at + 1].start() if at + 1 < len(verbs) else len(lead)
        end = verb.end()
        inserted = not re.match(r"omit|delet|repeal|.*(?:number|letter)ed", verb["done"].lower())
        trail = _TRAIL.match(lead, verb.end()) if inserted else None
        flipped = FLIPPED.match(lead, verb.end())
        if flipped and (flipped["how"].lower() == "by" or lead[start : verb.start()].count("⟦") <= 1):
            end, trail = flipped.end(), None
        if trail and not _awaits(lead[start : verb.start()]) and not _NAMELY.search(trail[0]):
            trail = None
        if trail and trail.end() <= until + 400 and not _BETWEEN.search(lead, verb.end(), trail.end()):
            end = trail.end()
        elif verb["done"].lower().endswith(("numbered", "lettered")):
            stop = _NEXT_SENTENCE.search(lead, verb.end())
            end = stop.start() if stop else len(lead)
        if goes_on := _FIRST.match(lead, end) or _DEEMED.match(lead, end):
            end = goes_on.end()
        yield start, verb, end
        start = end


def _awaits(ahead: str) -> bool:
    """Whether the words that come stand behind the verb: ``for the words ... there shall be substituted``."""
    signs = len(SIGN.findall(ahead))
    ways = {1: OPERATED, 2: _FROM_TO}
    return signs == 0 or (signs in ways and bool(ways[signs].search(ahead)))


def _of_sentence(
    words: str, verb: re.Match[str], at: int, outer: Sequence[Path], drafted: Drafted
) -> Iterator[Instruction]:
    """The instructions of a sentence; ``at``: where its verb begins."""
    done, ahead, behind = verb["done"].lower(), words[:at], words[at + len(verb[0]) :]
    full = f"{ahead} {verb[0]} {behind}"
    again: list[int] = []
    for match in _AGAIN.finditer(ahead):
        if SIGN.search(ahead, again[-1] if again else 0, match.start()):
            again.append(match.start())
    if again and done.startswith("sub"):  # for "a", "b" and in clause (c), for "d", "e" shall be substituted
        for start, end in pairwise([0, *again, len(ahead)]):
            part = f"{ahead[start:end]} {words[at:] if end == len(ahead) else verb[0]}"
            read = list(_of_sentence(part, verb, end - start + 1, outer, drafted))
            yield from read
            outer = [read[-1].path] if read and read[-1].path else outer
        return
    ahead, behind = in_usual_order(ahead, done, behind)
    signs = [int(n) for n in SIGN.findall(ahead)], [int(n) for n in SIGN.findall(behind)]
    targets = _named_paths(ahead, outer, drafted)
    base = Instruction(UNREADABLE, ())
    if any(n in drafted.open_ended for n in (*signs[0], *signs[1])):
        base = replace(base, uncertain="the end of what is quoted was not found")
    definition = _DEFINITION.search(ahead)  # its term is none of the words
    signs = [n for n in signs[0] if not definition or n != int(definition["n"])], signs[1]
    if done.endswith(("numbered", "lettered")):
        what = _AS.search(behind) or _AS.search(full)
        new = (" ".join(what["what"].split()),) if what else ()
        read = [replace(base, kind=RENUMBER, new=new)]
    elif re.match(r"omit|delet|repeal", done):
        read = list(_omitted(base, ahead, signs[0], drafted))
    elif done.startswith("sub"):
        read = list(_substituted(base, ahead, signs, drafted))
    else:
        read = list(_inserted(base, ahead, signs, behind, drafted))
    if not definition and _WORDS_GO.search(WORDS.sub("", ahead)):
        unread = replace(base, uncertain="the words that go were not read")
        read = [unread if one.kind in (OMIT, SUBSTITUTE) else one for one in read]
    for one in read:
        for path in targets:
            listed = done.startswith("repeal") and (not path or path[0][0] == "schedule")  # Acts
            unit = _THEREAFTER.search(ahead)  # and thereafter the following clause
            follows = unit is not None and bool(path) and path[-1][0] == _kind(unit["unit"])
            kind = INSERT_AFTER if one.kind == INSERT and follows else one.kind
            columns = {"column"} if path[-1:] and path[-1][0] == "entry" and kind in _NEW_OR_GONE else ()
            place = tuple(part for part in path if part[0] not in columns)  # an entry stands in all columns
            if (path or one.old) and not listed:
                yield replace(one, kind=kind, path=place, where=_where(one, full))


def _named_paths(ahead: str, outer: Sequence[Path], drafted: Drafted) -> list[Path]:
    """The parts that a sentence is about, each within what its item is in."""
    ahead = re.sub(r"\b(?:the\s+)?following\b.*$", "", ahead, flags=re.DOTALL | re.IGNORECASE)
    ahead = re.sub(r"\bshall\b.*$", "", ahead, flags=re.DOTALL)
    definition = _DEFINITION.search(ahead)
    again = _SO_NUMBERED.search(ahead)
    if again and not (outer[0] and outer[0][-1][0] == _kind(again["unit"])):
        ahead = _SO_NUMBERED.sub(r"\g<unit> (1) ", ahead)  # after the clause as so renumbered
    ahead = re.sub(r"(\bafter\b.*)\b(?:and|but)\s+before\b.*$", r"\1", ahead, flags=re.DOTALL | re.IGNORECASE)
    inner = paths(SIGN.sub(" ", ahead))
    if definition:
        term = ("definition", drafted.quoted[int(definition["n"])])
        inner = [(*(part for part in path if part[0] != "definition"), term) for path in inner or [()]]
    out = [joined(o, i) for o in outer for i in inner] if inner else list(outer)
    return list(dict.fromkeys(out))


def _where(one: Instruction, full: str) -> str:
    if one.where or one.kind not in (WORDS_SUBSTITUTED, WORDS_INSERTED, WORDS_OMITTED):
        return one.where
    place = _PLACE.search(full)
    if place and (place["which"] or place["end"]):
        return place["which"].lower() if place["which"] else "last"
    return "all" if place or _EVERYWHERE.search(full) else ""


def _quoted(drafted: Drafted, numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(drafted.quoted[n] for n in numbers)


def _omitted(base: Instruction, ahead: str, old: Sequence[int], drafted: Drafted) -> Iterator[Instruction]:
    if not old:
        yield replace(base, kind=OMIT)
    elif len(old) == 2 and _FROM_TO.search(ahead):
        yield replace(base, kind=WORDS_OMITTED, old=_quoted(drafted, old), where="from")
    else:
        for n in old:
            yield replace(base, kind=WORDS_OMITTED, old=_quoted(drafted, [n]))


def _substituted(
    base: Instruction, ahead: str, signs: tuple[list[int], list[int]], drafted: Drafted
) -> Iterator[Instruction]:
    old, new = _split(ahead, *signs)
    if not old and len(new) == 2 and not signs[1] and _NO_FOR.search(ahead):
        old, new = new[:1], new[1:]
    if not new:
        yield replace(base, uncertain="the words that come were not read")
    elif not old:
        yield replace(base, kind=SUBSTITUTE, new=_quoted(drafted, new))
    elif _FROM_TO.search(ahead) and len(old) == 2 and len(new) == 1:
        gone, come = _quoted(drafted, old), _quoted(drafted, new)
        yield replace(base, kind=WORDS_SUBSTITUTED, old=gone, new=come, where="from")
    elif len(old) == len(new) or len(new) == 1:
        for n, m in zip(old, new if len(new) > 1 else [*new] * len(old), strict=True):
            gone, come = (drafted.quoted[n],), (drafted.quoted[m],)
            yield replace(base, kind=WORDS_SUBSTITUTED, old=gone, new=come)
    else:
        yield replace(base, uncertain="old and new words do not pair")


def _of_words(ahead: str, how: str) -> bool:
    """``the words "..." shall be inserted``; an entry behind another is a part."""
    noun = WORDS.search(ahead)
    adjacent = how in ("after", "before")
    return noun is not None and not (adjacent and re.match(r"entr|item", noun["noun"], re.IGNORECASE))


def _split(ahead: str, first: Sequence[int], second: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    """Numbers of the quotations that go, or behind which something comes, and of those that come."""
    if second or not first:
        return first, second
    spans = [m for m in SIGN.finditer(ahead) if int(m[1]) in first]
    if not OPERATED.search(ahead[: spans[0].end()]):
        return (), first
    cuts = [
        at for at in range(1, len(spans)) if _TURNS.match(ahead, spans[at - 1].end(), spans[at].start() + 1)
    ]
    if len(cuts) != 1:
        half, odd = divmod(len(spans), 2)
        pairs = not odd and (not cuts or half in cuts)
        cuts = [half] if pairs else [*cuts[-1:], len(spans) - 1][:1]
    return first[: cuts[0]], first[cuts[0] :]


def _inserted(
    base: Instruction, ahead: str, signs: tuple[list[int], list[int]], behind: str, drafted: Drafted
) -> Iterator[Instruction]:
    operation = None
    for operation in _OPERATION.finditer(re.sub(r"\b(?:the\s+)?following\b.*$", "", ahead, flags=re.DOTALL)):
        if operation["sign"] or operation["how"].lower().startswith(("after", "before", "at")):
            break
    how = " ".join(operation["how"].lower().split()) if operation else ""
    anchored = how in ("after", "before") and bool(operation and operation["sign"])
    if anchored:
        old, new = _split(ahead, *signs)
        if not (new and old):
            yield replace(base, uncertain="the words that come were not read")
        where = "" if how == "after" else "before"
        base = replace(base, kind=WORDS_INSERTED, new=_quoted(drafted, new[:1]), where=where)
        yield from (replace(base, old=_quoted(drafted, [n])) for n in (old if new else ()))
        return
    new = signs[1] or signs[0]
    if not new:
        yield replace(base, uncertain="the text that comes was not read")
    elif not signs[1] and _of_words(ahead, how):
        where = "beginning" if _FIRST.match(behind) else how.removeprefix("at the ") or "end"
        yield replace(base, kind=WORDS_INSERTED, new=_quoted(drafted, new), where=where)
    elif how in ("after", "before"):
        kind = INSERT_AFTER if how == "after" else INSERT_BEFORE
        yield replace(base, kind=kind, new=_quoted(drafted, new))
    elif drafted.quoted[new[0]][:1].islower() or re.search(r"\bfollowing\s+words\b", ahead):
        yield replace(base, kind=WORDS_INSERTED, new=_quoted(drafted, new), where="end")
    else:
        yield replace(base, kind=INSERT, new=_quoted(drafted, new))

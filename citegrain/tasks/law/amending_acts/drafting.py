"""How a section of an amending Act is drafted: what it quotes, its items, and what to doubt in its reading.

What is quoted is text of another Act: each quotation is taken out first, and a sign stands for it, so that
the rest reads as sentences about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

from citegrain.tasks.law.amending_acts.places import DONE, NOUN, with_signs
from citegrain.tasks.law.numbers import roman

SIGN = re.compile(r"⟦(\d+)⟧")
"""What stands for a quotation: its number among those of the section."""
WORDS = re.compile(rf"\b(?:the\s+|existing\s+)*(?P<noun>{NOUN})\s*[,:]?\s*⟦", re.IGNORECASE)
OPERATED = re.compile(
    rf"\b(?:for|after|before)\b(?:\s+(?:the\s+|existing\s+|said\s+)*|[^⟦,;]{{0,80}}?\b{NOUN})[\s,:]*⟦",
    re.IGNORECASE,
)
_BEHIND = re.compile(  # the following clause shall be added after clause (b), namely
    r"\s*,?\s*(?P<place>(?:at\s+the\s+end\s+of|after|before|to|in)\b[^⟦]*?)[\s,]*(?:\bnamely\b[^⟦]*|[:—–-]+\s*)⟦",
    re.IGNORECASE,
)
_NEW_PART = re.compile(
    r"\b(?:the\s+)?following\b.*$|(?:^|,)\s*(?:a\s+)?(?:new\s+)?(?:sub-?\s?)?(?:section|clause|rule|item|entry)\s*\(?\w{1,5}\)?\s*$",
    re.IGNORECASE | re.DOTALL,
)
FLIPPED = re.compile(  # the word "a" shall be substituted for the word "b", or by it
    rf"\s*(?P<how>for|after|before|by)\s+(?P<words>(?:the\s+)?(?:{NOUN})?[\s,]*⟦\d+⟧"
    rf"(?:(?:,|\s+and)\s+(?:the\s+)?(?:{NOUN})?\s*⟦\d+⟧)*)",
    re.IGNORECASE,
)
_DOUBLED = ((re.compile(r"(?<![^\s(\[—–-])(?:‘‘|''|``|,,)"), "“"), (re.compile(r"’’|''|``|‘‘"), "”"))
_OMIT = re.compile(
    r"(?<!\bto\s)(?<!\bshall\s)(?<!\bmay\s)\bomit\s+"
    r"(?P<what>(?:(?!,?\s+and\s+(?:for|after|before|in|re-?\s?letter)\b|,\s*(?:and\s+)?(?:omit|for|after|before|in)\b|[;\n]|\.(?:\s|$)).)+)",
    re.IGNORECASE,
)
_RELETTER = re.compile(r"\bre-?\s?(?P<verb>letter|number)\s+(?P<what>[^;.⟦]{3,60}?)\s+as\b", re.IGNORECASE)
_PUT = re.compile(
    r",?\s*(?<!\bto\s)\b(?P<verb>substitute|insert|add)\b(?:\s+the\s+(?:words?|figures?|letters?|following)\b[^⟦;.]{0,60})?\s*[,:—–-]*\s*(?P<what>⟦\d+⟧)",
    re.IGNORECASE,
)
_WORDS_AHEAD = re.compile(r"\b(?:for|after|before)\s+[^⟦,;]{0,60}⟦\d+⟧[^⟦]{0,60}$", re.IGNORECASE)
_MARKS = {"f": ".", "s": ";", "com": ",", "col": ":"}
_STOP = re.compile(  # for the full stop at the end, the words ...
    r"(?P<ahead>\b(?:for|after)\s+the\s+|(?:,|(?<=stop)|(?<=colon)|(?<=comma))\s+(?:a|the)\s+(?=[\w-]+(?:\sstop)?\s+shall\s+be\s+sub))"
    r"(?P<mark>full[\s-]?stop|semi-?\s?colon|colon|comma)\b(?!s?\s*[“\"'‘(])",
    re.IGNORECASE,
)
_INTRODUCED = re.compile(
    r"(?:\bnamely\b|\b(?:substituted|inserted|added|substitute|insert|add|following)\b(?=\s*[:—–-])|"
    r"\bfollowing\s+(?:\w+[\s-]+){0,4}(?=[:—–-]))[\s,.:;—–-]*"
)
_DOES = re.compile(rf"\b(?:{DONE}|substitute|insert|add)\b", re.IGNORECASE)
_OPENS = re.compile(r"[“„]|(?<![^\s(\[—–-])[\"‘'`](?=\S)|(?<=[\s(])‘")
_STARTS = r"\d{1,3}[A-Z]?\.\s+(?:In|For|After|Before|Sections?|Articles?|The|To|Omit)\b"
_ENDS = (
    rf"\s*(?:(?:[.;:]+\s*(?:and\b|or\b)?|,?\s*(?:and|or)\b|$)\s*(?=\n|$|\(\w{{1,5}}\)|,|{_STARTS})|"
    r"(?<=[.;:].)\n(?=\(\w{1,5}\)\s*(?:In|For|After|in|for|after)\b)|"
    rf"\n(?=\(\w{{1,5}}\)\s*(?:the|to|at|omit|(?:sub-)?(?:section|clause))\b[^\n]{{0,300}}?\b{DONE}\b))"
)
_CLOSES = {
    False: (re.compile(r"[”\"]|(?<=\s)“(?=\s*,)"), re.compile(rf"[”\"]\)?{_ENDS}")),
    True: (re.compile(r"(?<=\S)[’'](?!\w)"), re.compile(rf"[’']\)?{_ENDS}")),
}
_CALLED = re.compile(  # names of Acts, and of what a Schedule is divided into
    r"\b(?:referred\s+to\s+as|called|known\s+as|cited\s+as)\s+(?:the\s+)?$|"
    r"\b(?:under|below|in)\s+(?:the\s+)?(?:sub-?\s?heading|heading|column|caption|head)s?\s*[,:]?\s*$",
    re.IGNORECASE,
)
_SOURCE = re.compile(  # [as inserted by section 5 of another Act]
    r"\s*(?:\[\s*as\s+(?:inserted|substituted|amended|added|it|they)\b[^\]]{0,300}\]|"
    r"\(\s*as\s+(?:inserted|substituted|amended|added)\s+by\b[^()]{0,200}\))"
)
_RUNS_ON = re.compile(
    rf"(?P<words>.+?)(?:,\s+the\s+(?:{NOUN}|following\b.*)|\s+the\s+following(?:\s+words?)?(?:\s+shall\b.*)?)\s*",
    re.DOTALL | re.IGNORECASE,
)
_SHALL = re.compile(rf",?\s+shall\s+be\s+{DONE}\b")
_AND_PART = re.compile(  # the figure "(1)" and sub-section (2) shall be omitted
    r"(?P<sign>⟦\d+⟧)\s+and\s+(?=(?:the\s+)?(?:proviso|explanation|clause|sub-?\s?section)\b[^⟦;]{0,60}?\bshall\s+be\s+(?:omitted|deleted)\b)",
    re.IGNORECASE,
)
_SPACED = re.compile(  # the words " Inspector", for the words. "Inspector"
    r"(?P<noun>\b(?:words?|figures?|letters?|brackets?|expressions?))[.,]?\s*(?P<sign>[“\"])\s+(?=\S)|"
    r"(?<=words)(?:\.\s+|)(?=[“\"])"
)
_OPENED = re.compile(  # the words fifteen paise" shall be substituted
    r"(?P<ahead>\bthe\s+words?\s+)(?P<words>[^“”\"‘’;,\n]{3,120}[”\"])(?=,?\s+shall\s+be\b)"
)
_HALTED = re.compile(rf"(?P<sign>[”\"])\.\s+The\s+(?={NOUN}\s*[“\"])")
_LISTED = re.compile(r"\s*;\s*(?=\n\s*[“\"])")
_BETWEEN = (
    (re.compile(r",?\s*(?:as\s+)?\w+ing\s+between\s+[^⟦]*(?:⟦\d+⟧[^⟦]*)?\s+and\s+[^⟦]*⟦\d+⟧"), ""),
    (re.compile(rf",?\s*(?:as\s+)?(?:occurring|appearing)\s+(?:after|before)\s+the\s+{NOUN}\s*⟦\d+⟧"), ""),
    (re.compile(r"(?<=⟧)\s+against\s+⟦\d+⟧(?=,)"), ""),
    (re.compile(r"\b(?:in\s+)?between\s+(?P<a>[^⟦]{0,30}⟦\d+⟧)\s+and\s+[^⟦]{0,20}⟦\d+⟧"), r"after \g<a>"),
    (re.compile(r"(?P<a>\bafter\s+[^⟦]{0,30}⟦\d+⟧),?\s+(?:and|but)\s+before\s+[^⟦]{0,30}⟦\d+⟧"), r"\g<a>"),
)
_FOLLOWED = re.compile(  # the following shall be added as clause (c), and what follows on a line of its own
    r"(?P<said>\bfollowing\b[^\n“\"⟦]{0,160}?\bshall\b[^\n“\"⟦]{0,60}?\b(?:substituted|inserted|added)\b[^\n“\"⟦]{0,80}?)"
    r"(?:,?\s*namely)?[\s.;:,—–-]*\n(?=\S)",
    re.IGNORECASE,
)
_ANY_END = re.compile(rf"[”\"’']{_ENDS}")
_NEXT = re.compile(
    rf"\n(?=(?:\(\w{{1,5}}\)|\d+[A-Z]?\.|[A-Z]\.)\s*(?:in|under|for|after|before|the|to|at|omit|(?:sub-?)?(?:section|clause|article|item|entr)(?:s|y|ies)?)\b"
    rf"[^\n]{{0,900}}?(?:\b{DONE}\b|\bsubstitute\b|\binsert\b|namely|[—–-]\s*\n))",
    re.IGNORECASE,
)
_LINE = re.compile(r"(?:^|\n)\(?(?P<label>\w{1,5})[).][^\n]*")
_AND_LAST = re.compile(r"[;,]?\s*\band\s*$")
_ITEM = re.compile(rf"\b(?:{DONE}|substitute|insert|namely)\b|[—–-]\s*$", re.IGNORECASE)
_LABEL = re.compile(r"\(\s?(?P<label>\d{1,3}[A-Z]{0,2}|[a-zA-Z]{1,5})\s?\)\s*(?=\S)")
_NUMBERED = re.compile(
    rf"(?:^|\n|(?<=[.;⟧])\s+(?={_STARTS}))(?P<label>\d{{1,3}}[A-Z]?|[IVXLC]+|[A-Z])\.\s*(?=\S)"
)
_PLACED = re.compile(  # a line of a table: Article 3.—In the proviso, ...
    r"(?:^|\n)(?P<label>)(?=(?:(?:Article|Section|Rule|Part|Chapter)\s+[\dIVXLC]+[A-Z]*\.?\s?[—–-]|[a-z][^\n⟦(]{3,25}shall\sbe\somitted,))"
)
_BEFORE_LABEL = re.compile(rf"(?:^|[—–:;.⟧-]|,(?=\s*\n)|\b{DONE}\b,?)\s*(?:and|or|but)?\s*$")
_UNIT_AHEAD = re.compile(
    r"\b(?:section|clause|article|rule|item|entry|paragraph|and|or|to)s?\s*$", re.IGNORECASE
)


@dataclass
class Item:
    """An item of a section with its lead, the words before its own items."""

    label: str
    lead: str = ""
    items: list[Item] = field(default_factory=list)

    def leads(self, above: tuple[Item, ...] = ()) -> Iterator[tuple[tuple[Item, ...], Item]]:
        """It and each item in it in reading order, with those that enclose it, the outermost first."""
        yield above, self
        for item in self.items:
            yield from item.leads((*above, self))


@dataclass(frozen=True)
class Drafted:
    """A section of an amending Act: its items, what it quotes, and which quotations have no end."""

    root: Item
    quoted: Sequence[str]
    open_ended: Sequence[int]


def read_drafted(text: str) -> Drafted:
    """Quotations and items of a section of an amending Act."""
    for pattern, quote in _DOUBLED:
        text = pattern.sub(quote, text)
    text = _SOURCE.sub("", text.replace("―", "—"))
    text = _LISTED.sub(":—", _HALTED.sub(r"\g<sign>, the ", _OPENED.sub(r"\g<ahead>“\g<words>", text)))
    text = _SPACED.sub(lambda m: f"{m['noun'] or ''} {m['sign'] or ''}", text)
    text = _STOP.sub(_mark, _FOLLOWED.sub(r"\g<said>, namely:—\n", with_signs(text)))
    skeleton, quoted, open_ended = _without_quotations(text)
    return Drafted(_items(_in_full(skeleton)), quoted, open_ended)


def in_usual_order(ahead: str, done: str, behind: str) -> tuple[str, str]:
    """What stands before and behind the verb, as if it came last."""
    noun = WORDS.search(ahead)
    flipped = FLIPPED.match(behind)
    if noun and flipped and not OPERATED.search(ahead):
        old, how = noun.start(), flipped["how"].lower()
        if how == "by":
            return f"{ahead[:old]} for {ahead[old:]}, {flipped['words']}", behind[flipped.end() :]
        return f"{ahead[:old]} {how} {flipped['words']}, {ahead[old:]}", behind[flipped.end() :]
    place = _BEHIND.match(behind)
    if place and not SIGN.search(ahead) and not done.startswith("sub"):
        return f"{_NEW_PART.sub('', ahead)}, {place['place']}, the following", behind
    return ahead, behind


def _mark(match: re.Match[str]) -> str:
    """``for the full stop, a colon``: signs as words that are quoted."""
    sign = next(s for begins, s in _MARKS.items() if match["mark"].lower().startswith(begins))
    ahead = re.sub(r"\b(?:a|the)\s+$", "", match["ahead"], flags=re.IGNORECASE)
    return f"{ahead}the mark “{sign}”"


def _in_full(skeleton: str) -> str:
    """Orders of a table as sentences: ``omit "x"``, ``for "x" substitute "y"``, ``re-letter clause (d)``."""
    for pattern, usual in _BETWEEN:
        skeleton = pattern.sub(usual, skeleton)
    skeleton = _OMIT.sub(_omitted, skeleton)
    skeleton = _AND_PART.sub(r"\g<sign> shall be omitted, and ", skeleton)
    skeleton = _RELETTER.sub(r"\g<what> shall be re\g<verb>ed as", skeleton)

    def put(match: re.Match[str]) -> str:
        words = _WORDS_AHEAD.search(skeleton[: match.start()])
        verb = match["verb"].lower().removesuffix("e")
        return f", the {'words' if words else 'following'} {match['what']} shall be {verb}ed"

    return _PUT.sub(put, skeleton)


def _omitted(match: re.Match[str]) -> str:
    """Words and parts that are omitted together, one by one: ``"(1)" and clauses (2) and (3)``."""
    parts = re.split(r"(?<=⟧)\s+and\s+(?=[a-z])", match["what"].strip(" ,"))
    return " ".join(f" {what} shall be omitted," for what in parts)


def _without_quotations(text: str) -> tuple[str, list[str], list[int]]:
    parts: list[str] = []
    quoted: list[str] = []
    open_ended: list[int] = []
    at = 0

    def leave(end: int) -> None:
        nonlocal at
        parts.append(text[at:end])
        at = end

    def take(start: int, content: str, end: int) -> None:
        nonlocal at
        parts.extend((text[at:start], f"⟦{len(quoted)}⟧"))
        quoted.append(content.strip())
        at = end

    while True:
        introduced, opened = _INTRODUCED.search(text, at), _OPENS.search(text, at)
        block = introduced is not None and (opened is None or introduced.end() <= opened.start())
        if introduced and block:
            begin = introduced.end()
            does = _DOES.search(text[max(0, introduced.start() - 300) : begin])
            if not does or not (opened and opened.start() == begin):
                end = _unquoted_end(text, begin) if does else begin  # in each of the following, namely
                if end > begin and "\n" in text[introduced.start() : end]:
                    take(begin, text[begin:end], end)
                else:
                    leave(begin)
                continue
        if opened is None:
            return "".join([*parts, text[at:]]), quoted, open_ended
        closes = _CLOSES[opened[0] in "‘'`"][block]  # a block where a sentence ends, words at the next sign
        close = closes.search(text, opened.end()) or _ANY_END.search(text, opened.end())
        if close and _CALLED.search(text, max(0, opened.start() - 40), opened.start()):  # "the principal Act"
            leave(close.start() + 1)
            continue
        if close is None and (block or not _SHALL.search(text, opened.end())):
            open_ended.append(len(quoted))
        inner, end = (close.start(), close.start() + 1) if close else (len(text), len(text))
        lost = not block and (close is None or "\n" in text[opened.end() : inner])
        done = _SHALL.search(text, opened.end(), inner) if lost else None
        if done:  # the sign that closes is missing
            inner = end = done.start()
        runs_on = None if block else _RUNS_ON.fullmatch(text, opened.end(), inner)
        if runs_on:  # the sign that closes is missing
            inner = end = runs_on.end("words")
        take(opened.start(), text[opened.end() : inner], end)


def _unquoted_end(text: str, at: int) -> int:
    """Where a text ends that is given without signs of quotation: before what looks like the next item."""
    for line in _LINE.finditer(text, at):  # behind its first
        items = [item["label"] for item in _LINE.finditer(text, 0, at) if _ITEM.search(item[0])]
        goes_on = any(follows(item, line["label"]) for item in items)
        if _NEXT.match(text, line.start()) and (goes_on or _DOES.search(line[0])):
            later = any(
                follows(line["label"], item["label"]) and _NEXT.match(text, item.start())
                for item in _LINE.finditer(text, line.end())
            )
            joins = None if later else _AND_LAST.search(text, at, line.start())  # "; and" of the items
            return joins.start() if joins else line.start()
    return len(text)


def _items(skeleton: str) -> Item:
    root = Item("")
    stack = [root]
    last = 0
    for match in _labels(skeleton):
        stack[-1].lead += skeleton[last : match.start()]
        last = match.end()
        depth = _depth(stack, match["label"])
        item = Item(match["label"])
        stack[depth - 1].items.append(item)
        del stack[depth:]
        stack.append(item)
    stack[-1].lead += skeleton[last:]
    return root


def _labels(skeleton: str) -> list[re.Match[str]]:
    labels = [
        match
        for match in _LABEL.finditer(skeleton)
        if _BEFORE_LABEL.search(ahead := skeleton[: match.start()])
        and not _UNIT_AHEAD.search(ahead[-14:].replace("; and", "; "))
    ]
    numbered = [m for pattern in (_NUMBERED, _PLACED) for m in pattern.finditer(skeleton)]
    return sorted([*labels, *numbered], key=lambda m: m.start())


def _depth(stack: Sequence[Item], label: str) -> int:
    """Where in the stack an item belongs: behind the one that it follows, else below the innermost."""
    if not label:
        return 1
    first = label in ("a", "A", "i", "I", "1")
    if len(stack) == 1 or (first and re.search(r"[—–:-]\s*$", stack[-1].lead)):  # (h) in section 3,— (i)
        return len(stack)
    for depth in range(len(stack) - 1, 0, -1):
        if follows(stack[depth].label, label):
            return depth
    if first:
        return len(stack)
    alike = (d for d in range(len(stack) - 1, 0, -1) if _style(stack[d].label) == _style(label))
    return next(alike, len(stack))


def follows(before: str, label: str) -> bool:
    """Whether a label comes next after another: b after a, ii after i, 2 after 1."""
    if before.isdigit() and label.isdigit():
        return int(label) == int(before) + 1
    if before.isupper() != label.isupper() or not (before.isalpha() and label.isalpha()):
        return False
    if len(before) == len(label) == 1 and ord(label) == ord(before) + 1:
        return True
    doubled = before == 2 * before[0] and label == 2 * chr(ord(before[0]) + 1)
    return doubled or (bool(roman(before)) and roman(label) == roman(before) + 1)


def _style(label: str) -> str:
    return "1" if label[:1].isdigit() else "A" if label.isupper() else "i" if roman(label) else "a"


RUNS_ON = re.compile(
    rf"\b(?:for|after|before|the)\s+(?:the\s+)?(?:following|words?)\b.*\bshall\s+be\s+{DONE}\b", re.DOTALL
)
"""Of what is quoted: it holds the next amendment."""
SAYS_MORE = "the amending section says more than was read"
_ALONE = re.compile(r"(?:^|\n)\s*\(?\d{1,3}\s+of\s+\d{4}[.)]*\s*(?=\n|$)")
_SIGNS = re.compile(r"(“|„|(?<![^\s(\[—–-])\"(?=\S))|[”\"]")
_ENDED = re.compile(r"(?:[.;:,—–-]|\b(?:and|or))[\s”\"’'\])]*$")
_WORD = re.compile(r"\w+")
_LAST, _FIRST = re.compile(r"([^\W\d]+) *$"), re.compile(r" *([^\W\d]+)")
_LONG = 6  # letters of words that stand in no other by chance
_LEFT = 4  # words of an item that belong to no instruction


def of_reading(text: str, drafted: Drafted, used: Set[str], left: str, strays: bool) -> Iterator[str]:
    """What speaks against the reading of a section of an amending Act.

    ``used``: what it quotes, as far as an instruction has it; ``left``: its words outside of instructions;
    ``strays``: whether one leaves the section that it stands under, or puts the same words at two places.
    """
    if not _pair(text):
        yield "signs of quotation of the amending section do not pair"
    if not all(map(_pair, [*used, *(item.lead for _, item in drafted.root.leads())])):
        yield "a quotation within a quotation was not read whole"
    if any(quoted not in used for quoted in drafted.quoted):
        yield "the amending section quotes words of which nothing was read"
    if any(_ALONE.search(quoted) for quoted in used):
        yield "the number of an Act stands alone in the text that comes"
    if strays:
        yield "what is to be changed where was read in two ways"
    if len(_WORD.findall(SIGN.sub(" ", left))) > _LEFT:
        yield SAYS_MORE


def of_edits(text: str, edits: Sequence[tuple[int, int, str]]) -> Iterator[str]:
    """What speaks against a text that (start, end, new text) make."""
    for start, end, new in edits:
        if new.endswith("\n") and not _ENDED.search(new):
            yield "the text that comes breaks off"
        ahead, behind = _LAST.search(text, 0, start), _FIRST.match(text, end)
        words = _WORD.findall(new)
        first, last = (words[0], words[-1]) if words else (behind and behind[0].strip(), None)
        if (ahead and ahead[1] == first) or (behind and behind[1] == last):
            yield "a word stands there twice where new text meets the old"
        gone = _WORD.findall(text[start:end])
        run_on = re.compile(r"\W*".join(gone) + r"(?:\b|(?-i:(?=[A-Z])))", re.IGNORECASE)
        by_words = re.compile(r"\b" + r"\W+".join(gone) + r"\b", re.IGNORECASE)
        if len("".join(gone)) >= _LONG and len(run_on.findall(text)) > len(by_words.findall(text)):
            yield "words that go stand there once more, run into others"


def _pair(text: str) -> bool:
    """Whether each sign of quotation that opens is closed, one quotation within another as well."""
    depth = 0
    for sign in _SIGNS.finditer(text):
        depth += 1 if sign[1] else -1
        if depth < 0:
            return False
    return depth == 0

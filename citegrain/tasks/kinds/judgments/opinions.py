"""Parts of a judgment: what stands before, the headnote, the opinions with their paragraphs, what follows.

Quotations number their paragraphs too, and so do lists. The paragraphs of the opinion are the longest
sequence that counts on by one, begun at the usual left edge, outside of quotation marks.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from citegrain.tasks.kinds.judgments.front import OPENING
from citegrain.tasks.kinds.judgments.names import read_name, same_judge
from citegrain.tasks.kinds.judgments.reported import AUTHOR
from citegrain.tasks.offline.structure import Row

_OPENS = re.compile(
    r"^(?P<quote>[“\"‘'\[(]*)\s*(?P<n>\d{1,3})(?P<end>\.(?:(?!\d)|(?=1\s))\)?|\)|\](?=\s)|(?=\s+[A-Z“\"‘]))\s*"
)
_WITHIN = re.compile(
    r"(?P<stop>[.:;?!”\"’)\]…]\d{0,3}|\b[A-Za-z]+)\s+(?P<n>\d{1,3})(?P<dot>\.1|\.?)\s+(?=[A-Z“][a-z]*\s)"
)
_REFERS = re.compile(
    r"(?:\b(?:[Ss]ections?|[Aa]rticles?|[Aa]rts?|[Rr]ules?|[Cc]lauses?|[Nn]os?|[Pp]aras?|[Pp]aragraphs?|[Pp]ages?|pp?|[Ss]s?|[Cc]hapters?|"
    r"[Pp]art|[Ee]ntry|[Oo]rder|[Vv]ol|Bench|SCC|SCR|AIR|SC|January|February|March|April|May|June|July|August|September|"
    r"October|November|December|Nadu|Schedule)\b\.?)$"
)
_BEFORE = 24  # characters before a number, in which the longest word of these stands whole
_GAP, _REACH = 0.6, 6  # what a number left out costs; how many may be
_EDGE = 6.0  # points within which rows begin at one edge
_FEWEST, _LONGEST = 3, 100  # paragraphs of an opinion; rows of a paragraph, on average

_HEADNOTE = re.compile(r"^\W*(?:ACT|HEAD\s?NOTES?|ISSUES? FOR CONSIDERATION)\b\W*(?::|$)", re.IGNORECASE)
_JUDGMENT = re.compile(r"^\W*(?:JUDGE?MENT\s*:|JUDGE?MENT\s*/\s*ORDER OF THE)", re.IGNORECASE)
_DELIVERED = re.compile(
    r"\b(?:judge?ment|order|opinion)s?\s+of\b.{0,60}\b(?:was|were)\s+del\w{3,7}ed\s+by\b\W*(?P<name>.*)$",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"\bJ\s?U\s?D\s?G\s?E?\s?M\s?E\s?N\s?T\b\W*(?=(?:Dr\.?\s)?[A-Z][A-Za-z. ]+,?\s*(?:CJI|C\.?\s?J|J)\b)"
)
_INLINE = re.compile(
    r"^\W*(?P<name>(?:Dr\.?\s+)?[A-Z][A-Za-z.'’\s]{2,45}?),?\s*(?:C\.?\s?J\.?\s?I?\.?|CJI|J)\b\.?(?P<rest>.*)$"
)
_CAPITALS = re.compile(
    r"^\W*(?P<name>[A-Z][A-Z.'’ ]{2,40}?),?\s*(?:A\.?)?(?:C\.?\s?J\.?(?:\s?I\.?)?|J\.?)\s*"
    r"(?:[-–—:]+|\(on\b)\s*(?P<rest>.*)$"
)
_SIGNATURE = re.compile(r"(?<![.…_])(?<![.…_]\s)(?:[.…_]\s?){4,}[\s,]*(?:C\.?\s?J\.?\s?I?|J)\b")
_APPEARANCES = re.compile(r"^\W*[A-Z ]{5,40}\s+JURISDICTION\s*:")
_APPEARING = 60  # rows of appearances
_NEAR = 6  # rows from the heading of an opinion to its text


@dataclass(frozen=True, slots=True)
class Start:
    """Where a paragraph may begin: row, offset of its number in the row, and how much speaks for it."""

    row: int
    offset: int
    number: int
    weight: float


def numbered_starts(rows: Sequence[Row], first: int, last: int) -> list[Start]:
    """The paragraphs of the rows ``first`` to ``last`` (exclusive) that are numbered; empty if they are not.

    Where the first number is 2, what stands before it is paragraph 1.
    """
    candidates = _candidates(rows, first, last)
    best = _longest(candidates)
    if not best or len(best) < max(
        _FEWEST, (last - first) / _LONGEST, 0.5 * (best[-1].number - best[0].number + 1)
    ):
        return []
    if best[0].number == 2 and first < best[0].row:
        best = [Start(first, 0, 1, 0.0), *best]
    return best


def _candidates(rows: Sequence[Row], first: int, last: int) -> list[Start]:
    opening = {i: m for i in range(first, last) if (m := _OPENS.match(rows[i].text))}
    edges = Counter(round(rows[i].indent / _EDGE) for i, m in opening.items() if not m["quote"])
    edge = edges.most_common(1)[0][0] if edges else 0
    out = []
    for i in range(first, last):
        match = opening.get(i)
        if match:
            weight = 1.0 if match["end"] else 0.5
            weight -= 0.5 * bool(match["quote"]) + 0.3 * (abs(round(rows[i].indent / _EDGE) - edge) > 1)
            out.append(Start(i, 0, int(match["n"]), max(weight, 0.1)))
        for inner in _WITHIN.finditer(rows[i].text):
            at = inner.start("n")
            before = rows[i].text[max(0, at - _BEFORE) : at].rstrip()
            if _REFERS.search(before) or _REFERS.search(inner["stop"]):
                continue
            weight = 0.25 + 0.25 * bool(inner["dot"]) + 0.2 * (not inner["stop"].isalpha())
            out.append(Start(i, at, int(inner["n"]), weight))
    return out


def _longest(candidates: Sequence[Start]) -> list[Start]:
    """The sequence of growing numbers that most speaks for; each number left out costs."""
    # number to the score of the best sequence that ends with it, and where
    best: dict[int, tuple[float, int]] = {}
    before: list[int] = []
    scores: list[float] = []
    for i, c in enumerate(candidates):
        score, previous = c.weight - _GAP * min(c.number - 1, _REACH), -1
        for step in range(1, _REACH + 1):
            shorter = best.get(c.number - step)
            if shorter and shorter[0] + c.weight - _GAP * (step - 1) > score:
                score, previous = shorter[0] + c.weight - _GAP * (step - 1), shorter[1]
        before.append(previous)
        scores.append(score)
        if c.number not in best or score > best[c.number][0]:
            best[c.number] = (score, i)
    if not best:
        return []
    at = max(best.values())[1]
    out: list[Start] = []
    while at >= 0:
        out.append(candidates[at])
        at = before[at]
    return out[::-1]


def plain_starts(rows: Sequence[Row], first: int, last: int, right: float) -> list[Start]:
    """Paragraphs that bear no numbers, counted: they end where a row ends short with a full stop."""
    starts, count, length = [], 0, 0
    for i in range(first, last):
        previous = rows[i - 1] if i > first else None
        length += len(rows[i - 1].text) if previous else 0
        if previous is None or (_ended(previous, rows[i], right) and length >= 80):
            count += 1
            starts.append(Start(i, 0, count, 0.0))
            length = 0
    return starts


def _ended(row: Row, following: Row, right: float) -> bool:
    """Whether a paragraph ends with a row: it is short, or the next is indented or stands apart."""
    if not re.search(r"[.:;?!”\"’)\]][\d]*\s*$", row.text):
        return False
    spaced = row.page == following.page and following.y0 - row.y0 > 1.7 * max(row.size, following.size)
    return row.x1 < right - 40 or spaced or (following.indent > 10 and following.indent > row.indent + 8)


@dataclass(frozen=True, slots=True)
class Part:
    """Rows ``first`` to ``last`` (exclusive): ``front``, ``headnote``, ``opinion`` or ``back``."""

    kind: str
    first: int
    last: int
    author: str = ""


def read_parts(rows: Sequence[Row], bench: Sequence[str]) -> list[Part]:
    """Parts in order, without gaps; an opinion begins only where a judge of the bench is named."""
    start, author = _judgment_row(rows, bench)
    parts = _before(rows, start)
    heads = [(start, author), *_more_heads(rows, start + 1, bench)]
    ends = [head for head, _ in heads[1:]] + [len(rows)]
    for (first, name), last in zip(heads, ends, strict=True):
        stop = _signed(rows, first, last)
        parts.append(Part("opinion", first, stop, name))
        if stop < last:
            parts.append(Part("back", stop, last))
    return [p for p in parts if p.last > p.first]


def _judgment_row(rows: Sequence[Row], bench: Sequence[str]) -> tuple[int, str]:
    """The first row of the first opinion, and its author."""
    for i, row in enumerate(rows):
        if _DELIVERED.search(row.text) or _JUDGMENT.match(row.text) or OPENING.match(row.text):
            return _behind_headings(rows, i, bench)
        name = _author(row.text, bench) if i > 2 else ""
        if name and (
            _headnote_row(rows, i) is None or _heads_paragraphs(rows, i)
        ):  # a headnote names judges too
            return _behind_headings(rows, i, bench, name)
    return 0, ""


def _behind_headings(rows: Sequence[Row], at: int, bench: Sequence[str], name: str = "") -> tuple[int, str]:
    """The row behind ``JUDGMENT``, the appearances and the judge's name."""
    for i in range(at, min(at + 80, len(rows))):
        delivered = _DELIVERED.search(rows[i].text)
        if delivered:
            author = read_name(delivered["name"]) or name
            if i + 1 < len(rows) and AUTHOR.match(rows[i + 1].text):  # the name stands on the next row
                return i + 2, _author(rows[i + 1].text, bench) or author
            return i + 1, author
        author = _author(rows[i].text, bench, below=i > at) if i < at + _NEAR else ""
        if author:
            return (i if _inline_text(rows[i].text) else i + 1), author
    return at + 1, name


def _inline_text(text: str) -> bool:
    text = _TITLE.split(text, maxsplit=1)[-1]
    match = _CAPITALS.match(text) or _INLINE.match(text)
    return bool(match and len(match["rest"].strip(" .:-–—")) > 3)


def _author(text: str, bench: Sequence[str], *, below: bool = False) -> str:
    """The judge of the bench whose opinion a row begins; empty if it begins none.

    ``below``: the row stands under the heading of an opinion, whose text may go on behind the name.
    """
    titled = _TITLE.search(text)
    text = text[titled.end() :] if titled else text
    if text[:1] in "“\"‘'(" or re.match(r"^\W*Per\b", text):
        return ""
    match = AUTHOR.match(text) or _CAPITALS.match(text) or (_INLINE.match(text) if titled or below else None)
    name = read_name(match["name"]) if match else ""
    return name if name and (not bench or any(same_judge(name, judge) for judge in bench)) else ""


def _before(rows: Sequence[Row], start: int) -> list[Part]:
    """What stands before the first opinion: the front, and the headnote where there is one."""
    head = _headnote_row(rows, start)
    if head is None:
        return [Part("front", 0, start)]
    behind = (
        i for i in range(head + 1, start) if _APPEARANCES.match(rows[i].text) or _JUDGMENT.match(rows[i].text)
    )
    end = next(behind, start)
    return [Part("front", 0, head), Part("headnote", head, end), Part("front", end, start)]


def _heads_paragraphs(rows: Sequence[Row], at: int) -> bool:
    """Whether a judge's name stands alone, under the appearances or over a paragraph 1."""
    if not AUTHOR.match(rows[at].text):
        return False
    under = any(_APPEARANCES.match(row.text) for row in rows[max(0, at - _APPEARING) : at])
    return under or any(re.match(r"^\W*1[.)]?\s", row.text) for row in rows[at + 1 : at + _NEAR])


def _headnote_row(rows: Sequence[Row], before: int) -> int | None:
    """Where a headnote begins: under the bench of a law report, or under its label."""
    for i in range(min(before, 40)):
        if re.search(r"\b(?:JJ?|CJI?)\.?\]\W*$", rows[i].text):  # the bench of a law report
            return i + 1
    return next((i for i in range(before) if _HEADNOTE.match(rows[i].text)), None)


def _more_heads(rows: Sequence[Row], first: int, bench: Sequence[str]) -> list[tuple[int, str]]:
    """First row and author of the further opinions."""
    if len(bench) < 2:
        return []
    out: list[tuple[int, str]] = []
    for i in range(first, len(rows)):
        text = rows[i].text
        titled = bool(_TITLE.search(text)) or bool(OPENING.match(rows[i - 1].text))
        name = _author(text, bench, below=titled)
        if name and (titled or _CAPITALS.match(text) or _opens_anew(rows, i)):
            out.append((i if _inline_text(text) else i + 1, name))
    return out


def _opens_anew(rows: Sequence[Row], at: int) -> bool:
    """Whether the judge's name stands under signatures or a heading, or the numbers begin again behind it."""
    if any(_SIGNATURE.search(row.text) or OPENING.match(row.text) for row in rows[max(0, at - 12) : at]):
        return True
    numbers = [int(m[1]) for row in rows[at + 1 : at + 40] if (m := re.match(r"^(\d{1,3})[.)]?\s", row.text))]
    return bool(numbers) and numbers[0] <= 2


def _signed(rows: Sequence[Row], first: int, last: int) -> int:
    """The row at which the signatures under an opinion begin; its end where there are none."""
    for i in range(max(first, last - 120), last):
        match = _SIGNATURE.search(rows[i].text)
        if match and match.start() < 40:
            return i
    return last

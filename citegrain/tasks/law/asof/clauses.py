"""What a text says of a time: the cue of the same clause, else of the clause that goes with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from citegrain.tasks.law.asof.cues import BEFORE, FAINT, OURS, STRONG, WEAK, Kind

Span = tuple[int, int]
"""Where a time stands: its first character and the one after its last."""

_SHORT = ("rs", "mr", "mrs", "ms", "dr", "no", "st", "sh", "smt", "dt", "sec", r"p\.m", r"a\.m")
_ABBREVIATED = "".join(rf"(?<!\b{word})" for word in _SHORT)
_STOP = re.compile(rf"{_ABBREVIATED}[.!?;](?=\s)|[!?;]|\n\s*\n|(?<=\d)\.(?=[A-Z])", re.IGNORECASE)
_BREAK = re.compile(
    r"[,:\n](?=\s)|\s[-–—]+\s|[()\[\]]|(?<![a-z])(?:and|but|then|so|while|for|regarding|which|that|about|who|whose|when|where|"
    r"because|as|after|whereas|although|though|if|against|saying|stating)(?=\s)",
    re.IGNORECASE,
)
_HANGING = re.compile("for|regarding|that|which|about|saying|stating", re.IGNORECASE)
_BARE = re.compile(
    r"(?:\W|\b(?:and|but|then|on|in|at|the|that|it|was|is|since|from|again|also|last|lastly|finally|first|firstly|once|"
    r"around|about|of|to|till|night|day|month|year|next|later|during|between|after|before|time)\b)*",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"\s*+(?:to|till|until|up\s?to|upto|and|&|-|or|/)\s*+(?:(?:the|again|also|then)\s*+)*|\s*+,\s*+(?:in|again|also)?\s*+|"
    r"\s*+,?\s*+(?:and\s+)?(?:again|also|then)\s++(?:on|in)\s*+",
    re.IGNORECASE,
)
_REACH = 400
"""Characters on each side beyond which the text does not speak of a time."""
_BEHIND = 12
"""Characters by which a cue behind a time counts as farther than one before it: ``stolen on 3 May``."""


def kind_of(text: str, span: Span, spans: Sequence[Span]) -> Kind:
    """What the clause of a time speaks of.

    Parameters
    ----------
    spans
        Of every time of the text, in order: a cue beyond another time is that one's.
    """
    start, end = _group(text, span, spans)
    first, last = _sentence(text, start, end)
    floor = max([first, *(e for _, e in spans if e <= start)])
    ceiling = min([last, *(s for s, _ in spans if s >= end)])
    left, right = text[floor:start], text[end:ceiling]
    for kind, cue in BEFORE:
        if cue.search(left):
            return kind
    left_clause, (right_clause, rest) = _left_clause(left), _right_clause(right, ceiling < last)
    bare = bool(_BARE.fullmatch(left_clause))
    back = text[first:start] if bare and _BARE.fullmatch(right_clause) else _head(left)
    for before, after in ((left_clause, right_clause), ("", rest), (back, "")):
        for cues in (STRONG, WEAK, FAINT):
            near = min(_cues(before, after, bare, cues), key=lambda c: c[0], default=None)
            if near is not None:
                return near[1]
    return Kind.OURS if OURS.search(left_clause) or OURS.search(right_clause) else Kind.PLAIN


def same_sentence(text: str, one: int, other: int) -> bool:
    """Whether no sentence ends between two places."""
    return _STOP.search(text, min(one, other), max(one, other)) is None


def _cues(
    before: str, after: str, bare: bool, cues: Sequence[tuple[Kind, re.Pattern[str]]]
) -> Iterator[tuple[int, Kind]]:
    """Cues with their distance from the time."""
    for kind, cue in cues:
        yield from ((len(before) - m.end(), kind) for m in cue.finditer(before))
        yield from ((m.start() + (0 if bare else _BEHIND), kind) for m in cue.finditer(after))


def _group(text: str, span: Span, spans: Sequence[Span]) -> Span:
    """A time with those it is joined to: ``from 3 May to 5 June`` has one clause."""
    start, end = span
    for s, e in reversed([one for one in spans if one[1] <= start]):
        if not _JOINED.fullmatch(text[e:start]):
            break
        start = s
    for s, e in (one for one in spans if one[0] >= end):
        if not _JOINED.fullmatch(text[end:s]):
            break
        end = e
    return start, end


def _sentence(text: str, start: int, end: int) -> Span:
    """Where the sentence of a time begins and ends, within reach."""
    first, last = max(start - _REACH, 0), min(end + _REACH, len(text))
    stop = _STOP.search(text, end, last)
    return max(
        (m.end() for m in _STOP.finditer(text, first, start)), default=first
    ), stop.start() if stop else last


def _left_clause(left: str) -> str:
    """What stands before a time in its clause; a break directly before it is none."""
    ends = [m.end() for m in _BREAK.finditer(left) if left[m.end() :].strip()]
    return left[ends[-1] if ends else 0 :]


def _head(left: str) -> str:
    """What stands before a time where its clause hangs on another: ``a letter asking that``."""
    breaks = [m for m in _BREAK.finditer(left) if left[m.end() :].strip()]
    return left if breaks and _HANGING.fullmatch(breaks[-1][0]) else ""


def _right_clause(right: str, bounded: bool) -> tuple[str, str]:
    """What stands behind a time in its clause, and in the clauses up to that of the next time."""
    breaks = list(_BREAK.finditer(right))
    if not breaks:
        return right, ""
    rest = right[breaks[0].end() : breaks[-1].start() if bounded else len(right)]
    return right[: breaks[0].start()], rest

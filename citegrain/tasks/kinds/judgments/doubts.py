"""What a judgment says against its being there whole: its pages, the numbers of its paragraphs, its end."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

import pyarrow as pa

from citegrain.tasks.kinds.judgments.opinions import Part, Start
from citegrain.tasks.law.numbers import MONTH_NAMES
from citegrain.tasks.offline.structure import (
    PageText,
    Row,
    breaks_off,
    ends_open,
    missing_pages,
    page_doubts,
    printed_total,
    unread_pages,
)

_LEFT_OUT, _SHARE = 2, 0.05  # numbers left out in a row, or of all: a single one may be misread or misprinted
_MANY, _TIMES, _PART = 8, 10, 0.2  # paragraphs; times the usual length; of the opinion
_LAST_ROWS = 8
_LAST = 10**6  # page
_END = re.compile(
    r"\b(?:appeals?|petitions?|applications?|matters?|SLPs?|reference|suits?|cases?)\b[^.;]{0,60}"
    r"\b(?:allowed|dismissed|disposed|answered|granted)\b|\bas to costs\b|\baccordingly\.\W*$|"
    r"[.…_]{4,}[\s,]*(?:C\.?\s?J|J)\b|\b(?:Judge|Registrar|Court Master)\b|\bJJ?\.\W*$|^(?:[A-Z]\.\s?){2,4}$|"
    rf"(?-i:^\W*(?:[A-Z][\w.]*\W+){{0,4}}(?:\d{{1,2}}\w{{0,2}}\W+)?)(?:{MONTH_NAMES})\W+(?:\d{{1,2}}\w{{0,2}}\W+)?(?:19|20)\d\d\W*$",
    re.IGNORECASE,
)
Paragraphs = Sequence[tuple[Part, Sequence[Start], bool]]
"""Opinions with the starts of their paragraphs, and whether these are numbered in print."""


def judgment_doubts(
    lines: pa.Table,
    pages: pa.Table | None,
    page_text: PageText,
    opinions: Paragraphs,
    within: tuple[int, int],
    *,
    is_formal: bool,
    is_even: bool,
) -> Iterator[str]:
    """What speaks against a judgment, in words; empty strings mean nothing.

    ``within``: pages on which its first paragraph begins and its last ends.
    ``is_formal``: prints of its kind always have an order, a signature or a date at the end. ``is_even``: its
    rows are set at even distances.
    """
    rows = page_text.rows
    yield missing_pages(lines)
    yield unread_pages(pages, within[0], _LAST, within[1])
    yield from page_doubts(lines, pages, page_text, *within, is_statute=False, is_even=is_even)
    for part, starts, printed in opinions:
        if printed and starts:
            yield left_out([s.number for s in starts], part.author)
            yield _swallows(rows, [*(s.row for s in starts), part.last], starts[-1].number)
    if not printed_total(lines)[0]:
        yield _unended(rows, page_text.right, is_formal=is_formal)


def left_out(numbers: Sequence[int], author: str) -> str:
    """Paragraphs of an opinion that are not there."""
    whose = f" of {author}, J." if author else ""
    if numbers[0] > 1:
        return f"its paragraphs{whose} begin with {numbers[0]}"
    gaps = [(before, after) for before, after in pairwise(numbers) if after > before + 1]
    missing = sum(after - before - 1 for before, after in gaps)
    before, after = max(gaps, key=lambda gap: gap[1] - gap[0], default=(0, 0))
    if after - before <= _LEFT_OUT and missing <= _SHARE * numbers[-1]:
        return ""
    return f"paragraph {after} follows {before}{whose}: {missing} of {numbers[-1]} are not there"


def _swallows(rows: Sequence[Row], bounds: Sequence[int], number: int) -> str:
    """Whether the last paragraph, which is a short one, holds others; ``bounds``: first rows, and the end."""
    lengths = [sum(len(row.text) for row in rows[first:last]) for first, last in pairwise(bounds)]
    long = max(_TIMES * median(lengths), _PART * sum(lengths))
    if len(lengths) < _MANY or lengths[-1] <= long:
        return ""
    return f"its last paragraph, {number}, has {lengths[-1]} characters, and may hold others"


def _unended(rows: Sequence[Row], right: float, *, is_formal: bool) -> str:
    """Whether nothing says at its end that it ends: no order, no signature, no date.

    ``is_formal``: such prints always say it; of others the last sentence must be whole.
    """
    last = rows[-_LAST_ROWS:]
    if any(_END.search(row.text) for row in last):
        return ""
    if not is_formal and not breaks_off(last[-1]) and not ends_open(last[-1], right):
        return ""
    return f"it has no order, signature or date at its end: {last[-1].text[-40:]!r}"

"""The running text of an Act, joined from rows, and where each row stands in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from citegrain.tasks.offline.structure import hindi
from citegrain.tasks.offline.structure.rows import Row

MARKER = re.compile(
    r"^[\[(“\"'‘*\s]*(?:\((?:\d{1,3}[A-Z]{0,2}|[a-z]{1,5}|[A-Z]{1,4})\)|"
    r"\([अ-ह]{1,2}\)|(?:Provided|Explanations?|Exceptions?|Illustrations?)\b|\*\W*\*|STATE AMEND)"
    rf"|^{hindi.PART_WORD}"
)
_ENDS_PARAGRAPH = re.compile(hindi.ENDS + r"|[.:;?!—–\])”\"-]\s*$|\b(?:and|or)\s*$|\*\s*$")
_LAST_WORD = re.compile(r"(?<![A-Za-z])([A-Za-z]+)-$")
_FIRST_WORD = re.compile(r"^([a-z]+)")
_BLANK_ROW = 1.6  # sizes of type from row to row; without a blank row they are 1.3 apart
_WORDS = re.compile(r"[A-Za-z][A-Za-z-]*[A-Za-z]")


@dataclass(slots=True)
class RunningText:
    """Text of an Act with the span of each row: ``starts[i]`` to ``ends[i]``, characters."""

    text: str
    starts: list[int]
    ends: list[int]
    pages: list[tuple[int, int]]

    def page_at(self, offset: int) -> int:
        """1-based page on which the character at ``offset`` stands."""
        at = bisect_right(self.pages, offset, key=lambda page: page[1]) - 1
        return self.pages[max(0, at)][0] if self.pages else 1


def join_rows(rows: Sequence[Row], breaks: set[int], right: float, paragraphs: bool = False) -> RunningText:
    """Join rows into running text.

    Rows of one paragraph are joined by a space, or without their hyphen where the
    document has the word unbroken elsewhere. Paragraphs are parted by one line break,
    provisions (``breaks``: rows that begin one) by a blank line. ``paragraphs``: a blank row parts them.
    """
    vocabulary = _vocabulary(rows)
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    pages: list[tuple[int, int]] = []
    length = 0
    previous: Row | None = None
    for i, row in enumerate(rows):
        if previous is not None:
            if i in breaks:
                joint = "\n\n"
            elif _apart(previous, row) if paragraphs else _new_paragraph(previous, row, right):
                joint = "\n"
            else:
                joint, dropped = _joint(previous.text, row.text, vocabulary)
                if dropped:
                    pieces[-1] = pieces[-1][:-1]
                    length -= 1
                    ends[-1] = length
            pieces.append(joint)
            length += len(joint)
        if not pages or pages[-1][0] != row.page:
            pages.append((row.page, length))
        starts.append(length)
        pieces.append(row.text)
        length += len(row.text)
        ends.append(length)
        previous = row
    return RunningText("".join(pieces), starts, ends, pages)


def _vocabulary(rows: Sequence[Row]) -> set[str]:
    """Words of the document, less those at line ends (they may be broken)."""
    words: set[str] = set()
    for row in rows:
        if row.text.endswith("-"):
            words.update(w.lower() for w in _WORDS.findall(row.text)[:-1])
        else:
            words.update(w.lower() for w in _WORDS.findall(row.text))
    return words


def _joint(a: str, b: str, vocabulary: set[str]) -> tuple[str, bool]:
    """What stands between two rows of a paragraph, and whether the hyphen of ``a`` goes."""
    left = _LAST_WORD.search(a)
    right = _FIRST_WORD.match(b) if left else None
    if not left or not right:
        return ("", False) if a.endswith("-") and b[:1].isalnum() and a[-2:-1].isalnum() else (" ", False)
    whole = (left[1] + right[1]).lower()
    hyphened = f"{left[1]}-{right[1]}".lower()
    return "", whole in vocabulary and hyphened not in vocabulary


def _apart(previous: Row, row: Row) -> bool:
    """Whether a page or a blank row parts two rows."""
    return row.page != previous.page or row.y0 - previous.y0 > _BLANK_ROW * row.size


def _new_paragraph(previous: Row, row: Row, right: float) -> bool:
    if row.centred or previous.centred or row.tabular or previous.tabular:
        return True
    ended = bool(_ENDS_PARAGRAPH.search(previous.text))
    if MARKER.match(row.text):
        return ended or row.text.startswith(
            ("Provided", "Explanation", "Illustration", "Exception", *hindi.PARTS)
        )
    if not ended:
        return False
    indented = row.page == previous.page and row.indent > previous.indent + 8
    short = previous.x1 < right - 60
    return indented or short

"""Distinguish running text from headers, footers, page numbers, footnotes and margin notes.

Every rule looks at layout (position, size, repetition over pages) first and at
words second, because a footnote (``2. Ins. by Act 43 of 1986, s. 4``) and a
section (``2. Definitions.``) read alike.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from citegrain.tasks.offline.pages import Segment
from citegrain.tasks.offline.parse.running import (
    PAGE_NUMBER,
    Column,
    PageRows,
    beside_text,
    mark_edges,
    mark_line_numbers,
    mark_margins,
    row_text,
)

_NOTE_LABEL = re.compile(r"^(?:\*?\d{1,3}|[*†‡§¶#@]{1,3}|\W?[\ue000-\uf8ff])\s*[.)]?\s*")
_NOTE_WORDS = re.compile(
    r"^(?:subs|ins|om(?:itted)?|rep|added|adapted|renumbered|re-?numbered|amended|extended|"
    r"the (?:words?|figures?|letters?|brackets?|original|section|proviso|explanation|"
    r"sub-?section|schedule|act|portion|comma|expression|following|provisions?|short title)\b|"
    r"cl\b|cls\b|clause|sub-?cl|sub-?s|s\.|ss\.|sec|section|art|article|chapter|part|proviso|"
    r"explanation|certain words|for\b|see\b|vide\b|now\b|this\b|it\b|came\b|w\.e\.f|ibid|"
    r"\d{1,2}(?:st|nd|rd|th)\b|\d{1,2}-\d{1,2}-\d{4}|as to\b|inserted|substituted|corresponding|"
    r"enforced|brought|in\b|shall\b|by\b|published|date)",
    re.IGNORECASE,
)
_NOTE_STRONG = re.compile(
    r"\b(?:Subs|Ins|Rep|Added|Omitted|Inserted|Substituted|omitted)\b[.,]?\s+(?:by|ibid|s\.)|"
    r"w\.\s?e\.\s?f|ibid\b|\bA\.\s?O\.|Gazette of India",
)
_FEWEST_NOTES = 8
_HEADING_NOTE = re.compile(r"Short\s+title|(?:Amendment|Insertion|Substitution|Omission|Repeal)s?\b")
_NOTES_A_PAGE = 0.3
_SMALLER = 0.923  # of the size of the running text, at most
_MARGIN = 0.15  # of the width of a sheet


def body_size(pages: list[list[Segment]]) -> float:
    """Type size of the running text: the largest that sets a fifth of all characters."""
    counts: Counter[float] = Counter()
    for page in pages:
        for segment in page:
            if segment.role != "rule":
                counts[round(segment.size * 2) / 2] += len(segment.text)
    total = sum(counts.values())
    if not total:
        return 0.0
    return max((size for size, n in counts.items() if n >= 0.2 * total), default=counts.most_common(1)[0][0])


def _small(row: list[Segment], size: float) -> bool:
    weight = sum(len(s.text) for s in row)
    small = sum(len(s.text) for s in row if s.size <= _SMALLER * size)
    return 2 * small > weight


def _note_start(row: list[Segment]) -> bool:
    """Whether a row begins a footnote: a label, then words that footnotes begin with."""
    text = row_text(row)
    if any(offset == 0 for offset, _ in row[0].marks):
        return bool(_NOTE_WORDS.match(text.lstrip(". "))) or text[:1].isupper()
    label = _NOTE_LABEL.match(text)
    return label is not None and bool(_NOTE_WORDS.match(text[label.end() :]))


def _first_note(row: list[Segment]) -> bool:
    """Whether a row begins the first footnote of a page."""
    marks = [label for offset, label in row[0].marks if offset == 0]
    label = marks[0] if marks else row_text(row)[:2].strip(" .")
    return _note_start(row) and (not label[:1].isdigit() or label.rstrip(".") == "1")


def _note_rows(rows: list[list[Segment]], size: float, height: float) -> int:
    """Index of the first footnote row among body rows; ``len(rows)`` if there is none."""
    n = len(rows)
    small = [row[0].role == "rule" or _small(row, size) for row in rows]
    small_from = n
    # a single row of larger type between small ones is a slip of the typesetter
    while small_from and (small[small_from - 1] or (small_from < n and small[max(0, small_from - 2)])):
        small_from -= 1
    if small_from < n and not small[small_from]:
        small_from += 1
    # a separator with nothing but footnotes below
    for i in range(n - 1, -1, -1):
        if rows[i][0].role == "rule" and i + 1 < n:
            below = rows[i + 1 :]
            begins = _note_start(below[0])
            # notes that go on from the page before have no label; a rule so low parts only notes
            goes_on = rows[i][0].y0 > 0.5 * height and rows[i][0].x0 < below[0][0].x0 + 1.8 * size
            if i + 1 >= small_from and (begins or goes_on):
                return i
            if begins and _NOTE_STRONG.search(" ".join(map(row_text, below))):
                return i
            break
    for i in range(small_from, n):
        if _first_note(rows[i]) or (_note_start(rows[i]) and _NOTE_STRONG.search(row_text(rows[i]))):
            return i
    # same type as the text: only an unbroken series of unmistakable notes to the page's end
    for i in range(max(0, n - 30), n):
        if _first_note(rows[i]) and _NOTE_STRONG.search(row_text(rows[i])):
            starts = [r for r in rows[i:] if _note_start(r)]
            if sum(bool(_NOTE_STRONG.search(row_text(r))) for r in starts) * 2 > len(starts):
                return i
    return n


def _notes_go_on(rows: list[list[Segment]]) -> bool:
    """Whether a page opens with the rest of a note block: notes, then a bare page number."""
    for count, row in enumerate(rows[:25]):
        if PAGE_NUMBER.match(row_text(row).strip()):
            return bool(_NOTE_STRONG.search(" ".join(row_text(r) for r in rows[:count])))
    return False


def _mark_note_blocks(pages: list[PageRows], size: float) -> None:
    """Footnotes in the type of the text, set between a rule and a bare page number.

    The plain-text edition that ran pages together prints them where the original
    pages ended, so a block may stand in the middle of a page or go over to the next.
    """
    inside = False
    previous_rule = False
    for page in pages:
        for index, row in enumerate(page.rows):
            if row[0].role == "rule":
                inside, previous_rule = False, True
                continue
            if previous_rule and row[0].role == "body":
                near = " ".join(row_text(r) for r in page.rows[index : index + 30])
                inside = not _small(row, size) and _note_start(row) and bool(_NOTE_STRONG.search(near))
            elif index == 0 and inside:
                inside = _note_start(row) or _notes_go_on(page.rows)
            previous_rule = False
            if not inside:
                continue
            ends = bool(PAGE_NUMBER.match(row_text(row).strip()))
            for segment in row:
                if segment.role == "body":
                    segment.role = "page_number" if ends else "footnote"
            if ends:
                inside = False


def _has_marginal_notes(margins: Sequence[Sequence[Segment]]) -> bool:
    """Whether the layout is one with marginal notes.

    Long sections and Schedules leave many pages without; a stray piece of small type beside a
    table or a seal does not come often. An Act of a page has few, and says in one what they are.
    """
    count = sum(map(len, margins))
    enough = count >= _FEWEST_NOTES or any(_HEADING_NOTE.match(s.text) for page in margins for s in page)
    return enough and count >= _NOTES_A_PAGE * len(margins)


def _printed_width(pages: Sequence[list[Segment]], widths: Sequence[float]) -> list[float]:
    """Width of each sheet, points, less what the block of the text leaves beyond usual margins."""
    edges = [(min(s.x0 for s in page), max(s.x1 for s in page)) for page in pages if page]
    if not edges:
        return list(widths)
    few = len(edges) // 10
    left, right = sorted(x for x, _ in edges)[few], sorted(x for _, x in edges)[-1 - few]
    spare = [max(0.0, x - _MARGIN * width) for width in widths for x in (left, width - right)]
    return [width - a - b for width, a, b in zip(widths, spare[::2], spare[1::2], strict=True)]


def _column(page: PageRows, size: float, width: float) -> Column | None:
    """Left and right edge of the column of running text, points; None on a page with hardly any."""
    wide = [
        s
        for row in page.rows
        for s in row
        if s.role == "body" and s.size > _SMALLER * size and s.x1 - s.x0 > 0.42 * width
    ]
    if len(wide) < 3:
        return None
    return sorted(s.x0 for s in wide)[len(wide) // 10], sorted(s.x1 for s in wide)[-1 - len(wide) // 10]


def assign_roles(pages: list[list[Segment]], sizes: list[tuple[float, float]]) -> float:
    """Set ``role`` on every segment of a document, in place.

    ``pages``: segments a page, in reading order. Returns the body size of the document, in points.
    """
    size = body_size(pages)
    by_row = ([list(row) for _, row in groupby(page, key=lambda s: s.row)] for page in pages)
    grouped = [PageRows(rows, height) for rows, (_, height) in zip(by_row, sizes, strict=True)]
    widths = _printed_width(pages, [width for width, _ in sizes])
    columns = [_column(page, size, width) for page, width in zip(grouped, widths, strict=True)]
    mark_line_numbers(grouped, columns)
    mark_edges(grouped, columns, _NOTE_STRONG.search)
    mark_margins(grouped, columns)
    by_page = (beside_text(page, column) for page, column in zip(grouped, columns, strict=True))
    margins = [[s for s in segments if s.size <= _SMALLER * size] for segments in by_page]
    if _has_marginal_notes(margins):
        for segment in (s for page_margins in margins for s in page_margins):
            segment.role = "margin_note"
    _mark_note_blocks(grouped, size)
    for page in grouped:
        rows = [r for r in page.rows if r[0].role in ("body", "rule")]
        for segment in (s for row in rows[_note_rows(rows, size, page.height) :] for s in row):
            if segment.role == "body":
                segment.role = "footnote"
    return size

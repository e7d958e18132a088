"""What the joints of rows and pages say against all text being there: a sentence goes on as it was begun."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise
from math import inf
from statistics import median, quantiles

from citegrain.tasks.offline.structure.blocks import is_capitals
from citegrain.tasks.offline.structure.coverage import in_runs
from citegrain.tasks.offline.structure.rows import FULL, MARKER, MarginLine, Row
from citegrain.tasks.offline.structure.wording import wording_doubts

Pages = Mapping[int, Sequence[Row]]
"""Rows of running text by page."""

_PROSE = 40  # characters of a row of prose
_UNENDED = re.compile(
    r"[a-z] (?:the|of|to|in|by|an?|shall|which|such|any|with|under|for|that|is|be|from|on|at|as)$"
)
_ENDED = re.compile(r"[a-z)]\.$")
_OPENS = re.compile(r"^\W{0,3}\d{1,3}[A-Z]{0,2}\. ?[A-Z]|^(?:CHAPTER|PART|THE \w+ SCHEDULE)\b")
_PART = re.compile(r"^\W*(?:THE )?(?:[A-Z]+ )?(?:SCHEDULE|CHAPTER|PART|ANNEXURE|APPENDIX|FORM)\b")
_FIRST_OF_LIST = re.compile(r"^\W*\((?:a|i|A|1)\)")
_NEXT = re.compile(r"^\W{0,3}(?:\((?:\d\d?|[a-z]{1,3})\) [A-Za-z“]|\d{1,3}[A-Z]{0,2}\. ?[A-Z]|Provided that)")
_NOISE = re.compile(r"(?!.*[A-Za-z]{6})(?=(?:[^|~^\\]*[|~^\\]){6}).{40}")
_INITIALS = re.compile(r"^\W*\([A-Z]{2,}\)")
_GOES_ON = re.compile(r"^[a-z]{2,} [a-z]+ ")
_LAST_WORD, _FIRST_WORD = re.compile(r"(?<![A-Za-z-])([a-z]+)$"), re.compile(r"([A-Za-z]+)\b")
_LETTERS = re.compile("[a-z]+")
_SEAMS = 200  # seams of an Act of which one may be a slip of the printer; a judgment may have two
_FEWEST = 3  # pages
_FEWEST_ROWS, _MOSTLY = 8, 0.6  # of running text on a page; share of its rows
_CUT, _ALONE = 0.15, 0.2  # of the height of the text: of pages in a row, of one alone
_MANY = 50  # joints of rows
_GAP, _TIMES_WIDER = 4.5, 2  # sizes of type between two rows; times the widest gaps of the document
_LONGEST_WORD = 30  # characters
_SKIPPED, _SLIPS = 1.8, 500  # times the usual distance of rows; joints of which one may be so wide
_ALIKE = 0.5  # points by which the sizes of rows that go on may differ
_GOING_ON = frozenset("abcdefghijklmnopqrstuvwxyz,")
_CONTINUED = re.compile(r"[A-Za-z,]$")
_EDGE_WORD = re.compile(r"(?<![A-Za-z-])([A-Za-z]+)$"), re.compile(r"([a-z]+)\b")
_WIDE, _GRID = 2.73, 4.0  # sizes of type; points within which gaps stand in a line
_IN_LINE = 2  # gaps that stand in no line
_FEWEST_LOST, _OF_GAPS = 4, 0.5  # gaps between words of a document; share of those of a page
_BEFORE, _BEHIND = re.compile(r"[a-z,)\[]\s*$"), re.compile(r"\s*[a-z,;.:)\]]")
_WITHOUT = 0.1  # share of the pages with marks of footnotes that may have no note
_FEWEST_SHORT, _ROOM, _INDENT = 2, 7, 1.5  # rows of a page; letters beside a word; sizes of type
_FEWEST_BROKEN, _BROKEN = 4, 0.2  # words at an edge; share of them


def seam_doubts(
    by_page: Pages,
    notes: Sequence[Row],
    margins: Sequence[MarginLine],
    right: float,
    inner: range,
    footed: Set[int] | None,
    *,
    is_even: bool,
) -> Iterator[str]:
    """What the joints of the pages of an Act or a judgment say against them, in words.

    ``notes``: rows of its footnotes. ``margins``: lines of its marginal notes: a long note pushes the next
    section down. ``right``: right edge of its text, points. ``inner``: pages of its provisions: before them
    titles and contents break off, and behind them tables and forms. ``footed``: of a judgment, whose words
    may be any, the pages that may end anywhere; None: this is an Act. ``is_even``: whether its rows are set
    at even distances, as those of a web page are not.
    """
    is_statute = footed is None
    provisions = [page for page in inner if page in by_page]
    pages = [*provisions, *(p for p in by_page if p > inner[-1] and _is_prose(by_page[p]))]
    yield from wording_doubts(by_page, pages, is_statute=is_statute)
    yield _torn(by_page, right, pages, is_statute=is_statute)
    yield _cropped(by_page, notes, pages, inner, footed or frozenset())
    # sentences of a judgment go on behind tables and pictures
    yield _gaping(by_page, provisions, margins, right if is_statute else inf) if is_even else ""
    yield _parted(by_page, right, is_even=is_even)
    yield _again(by_page)
    yield _faint(by_page, provisions)
    if is_statute:
        yield _broken_off(by_page, provisions)
        yield _cornered(by_page, right, provisions)
        yield _unexplained(by_page, provisions, {row.page for row in notes})
    before = [] if is_statute else [p for p in by_page if p < inner[0] and _is_prose(by_page[p])]
    yield _broken_words(by_page, [*before, *pages])


def _pair(above: Row, below: Row) -> tuple[str, str] | None:
    """The last word of a row and the first of the next."""
    first = _FIRST_WORD.match(below.text)
    last = _LAST_WORD.search(above.text, len(above.text) - _LONGEST_WORD)
    return (last[1], first[1]) if last and first else None


def _torn(by_page: Pages, right: float, pages: Sequence[int], *, is_statute: bool) -> str:
    """A sentence that ends with no page, or begins with one: what stood between is lost."""
    seams = [(page, by_page[page][-1], by_page[page + 1][0]) for page in pages[:-1] if page + 1 in pages]
    odd = [(page, why) for page, above, below in seams if (why := _odd(above, below, right))]
    if len(odd) * (_SEAMS if is_statute else _SEAMS // 2) <= len(seams):
        return ""
    return odd[0][1].format(page=odd[0][0], next=odd[0][0] + 1)


def _odd(above: Row, below: Row, right: float) -> str:
    """What speaks against one row going on where another ends, in words."""
    if above.alone or below.alone:
        return ""
    text = above.text.rstrip()
    fills = above.x1 > right - FULL * above.size and text[-1:].islower() and len(text) > _PROSE
    unended = _UNENDED.search(text) or (fills and not text.endswith((" or", " and")))
    marked = (MARKER.match(below.text) and not _INITIALS.match(below.text)) or _OPENS.match(below.text)
    if unended and marked and not _FIRST_OF_LIST.match(below.text):
        return "page {page} ends within a sentence, and page {next} begins with another"
    begun = _ENDED.search(text) and _GOES_ON.match(below.text)
    return "page {next} begins within a sentence, and page {page} ends with another" if begun else ""


def _broken_off(by_page: Pages, pages: Sequence[int]) -> str:
    """Pages with a row within a sentence above one that opens a part or section, or with a row of signs."""
    torn = {
        page
        for page in pages
        for above, below in pairwise(by_page[page])
        if not (above.alone or below.alone or _FIRST_OF_LIST.match(below.text))
        if _UNENDED.search(above.text) and _NEXT.match(below.text) and not above.text.endswith(" to")
    }
    if torn:
        return f"a row ends within a sentence, and the next begins with another on {in_runs(sorted(torn))}"
    noise = [page for page in pages if any(_NOISE.match(row.text) for row in by_page[page])]
    return f"rows are signs, and no words, on {in_runs(noise)}" if noise else ""


def _is_prose(rows: Sequence[Row]) -> bool:
    """Whether a page is one of running text, and no table or form."""
    prose = sum(len(row.text) > _PROSE and not row.alone for row in rows)
    return prose >= max(_FEWEST_ROWS, _MOSTLY * len(rows))


def _begins_a_part(row: Row) -> bool:
    return row.alone or is_capitals(row.text) or bool(_PART.match(row.text))


def _cropped(
    by_page: Pages, notes: Sequence[Row], pages: Sequence[int], inner: range, footed: Set[int]
) -> str:
    """Pages that end far above the foot of most, or begin far below their head.

    One alone counts where what follows opens nothing; some in a row count where they hold provisions.
    ``footed``: pages that may end anywhere.
    """
    feet = {page: by_page[page][-1].y0 for page in pages[1:-1]}
    heads = {page: by_page[page][0].y0 for page in pages[1:]}
    for note in notes:
        if note.page in feet:
            feet[note.page] = max(feet[note.page], note.y0)
    if len(feet) < _FEWEST:
        return ""
    foot, head = quantiles(feet.values(), n=10)[-1], quantiles(heads.values(), n=10)[0]
    least = _CUT * (foot - head)
    short = {page for page in feet.keys() - footed if foot - feet[page] > least}
    in_a_row = {
        page for page in short if page in inner[1:-1] and {page - 1, page + 1} & short & {*inner[1:-1]}
    }
    ends = (page for page in short if foot - feet[page] > _ALONE * (foot - head) and page + 1 in by_page)
    single = {page for page in ends if not _begins_a_part(by_page[page + 1][0])}
    if cut := sorted(in_a_row | single):
        return f"{in_runs(cut)} end far above the foot of the others: it may be cut off"
    low = [p for p in pages[1:] if heads[p] - head > least and not _begins_a_part(by_page[p][0])]
    return f"{in_runs(low)} begin far below the head of the others: it may be cut off" if low else ""


def _gaping(by_page: Pages, pages: Sequence[int], margins: Sequence[MarginLine], right: float) -> str:
    """Pages with a gap between two rows of prose that is far wider than others are, or within a sentence."""
    joints = [(page, *joint) for page in pages for joint in pairwise(by_page[page])]
    if len(joints) < _MANY:
        return ""
    gaps = [(below.y0 - above.y0) / max(above.size, below.size, 1.0) for _, above, below in joints]
    wide = max(_GAP, _TIMES_WIDER * quantiles(gaps, n=50)[-1])
    gaping = sorted(
        {
            page
            for gap, (page, above, below) in zip(gaps, joints, strict=True)
            if gap > _widest(above, below, right, wide)
            if not any(line.page == page and above.y0 < line.y0 - below.size < below.y0 for line in margins)
        }
    )
    if not gaping or len(gaping) > max(_FEWEST, len(pages) / 2):  # else a sheet shows two pages
        return ""
    return f"rows may be missing from the middle of {in_runs(gaping)}"


def _widest(above: Row, below: Row, right: float, usual: float) -> float:
    """How far apart two rows may stand: less within a sentence, any distance where a part begins."""
    fills = above.x1 > right - FULL * above.size and len(above.text) > _PROSE and not above.tabular
    goes_on = below.text[:1].isalpha() and not (below.tabular or is_capitals(below.text))
    if fills and goes_on and above.text[-1:] in _GOING_ON:
        return _GAP
    short = min(len(above.text), len(below.text)) <= _PROSE
    return inf if short or _begins_a_part(below) or _begins_a_part(above) else usual


def _parted(by_page: Pages, right: float, *, is_even: bool) -> str:
    """Pages with rows further apart than those of a paragraph, though one goes on: some are lost.

    A gap that is wider still may stand between two pages of a sheet (``_gaping``).
    """
    joints = [
        ((below.y0 - above.y0) / above.size, page)
        for page, rows in by_page.items()
        for above, below in pairwise(rows)
        if abs(above.size - below.size) < _ALIKE and _flows(above, below, right, is_even=is_even)
    ]
    usual = median(gap for gap, _ in joints) if joints else 0.0
    wide = [page for gap, page in joints if _SKIPPED * usual < gap <= _GAP]
    if len(joints) < _MANY or len(wide) <= 1 + len(joints) / (_SLIPS if is_even else _SLIPS // 2):
        return ""
    return f"rows are missing within sentences of {in_runs(sorted({*wide}))}"


def _flows(above: Row, below: Row, right: float, *, is_even: bool) -> bool:
    """Whether a row goes on with the sentence of the one above, or would if that had not ended."""
    if above.alone or below.alone:
        return False
    fills = above.x1 > right - FULL * above.size and len(above.text) > _PROSE
    ends = fills and above.text[-1:] in _GOING_ON
    ended = is_even and len(above.text) > _PROSE / 2 and bool(_ENDED.search(above.text))
    return bool(_GOES_ON.match(below.text)) and (ends or ended)


def _cornered(by_page: Pages, right: float, pages: Sequence[int]) -> str:
    """Pages whose rows end where the first word of the next would have had room: their ends are lost."""
    bad = []
    for page in pages:
        rows = by_page[page]
        full = sum(row.x1 > right - FULL * row.size for row in rows if not row.tabular)
        short = sum(_leaves_room(above, below, right) for above, below in pairwise(rows))
        bad += [page] if _FEWEST_SHORT <= short <= full else []
    return f"the ends of rows may be missing on {in_runs(bad)}" if bad else ""


def _leaves_room(above: Row, below: Row, right: float) -> bool:
    """Whether a row within a sentence ends so early that the first word of the next would have fitted."""
    words = _pair(above, below) if min(len(above.text), len(below.text)) >= _PROSE else None
    if (
        not words
        or above.alone
        or below.alone
        or words[0] in ("and", "or", "but")
        or below.x0 > above.x0 + _INDENT * below.size
    ):
        return False
    letter = (below.x1 - below.x0) / len(below.text)
    return words[1].islower() and right - above.x1 > (len(words[1]) + _ROOM) * letter


def _unexplained(by_page: Pages, pages: Sequence[int], noted: Set[int]) -> str:
    """Pages that bear marks of footnotes and no note, but few of many: their foot may be lost."""
    labels = ((page, label) for page in pages for row in by_page[page] for _, label in row.marks)
    marks = Counter(page for page, label in labels if label.isdigit())
    bare = [page for page in marks if page not in noted]
    if len(bare) <= max(1, _WITHOUT * len(marks)):
        bare = [page for page in bare if marks[page] >= _FEWEST]
    return f"marks of footnotes have no notes on {in_runs(bare)}" if bare else ""


def _again(by_page: Pages) -> str:
    """Pages on which rows of prose stand again right behind themselves."""
    rows = [row for on in by_page.values() for row in on]
    last: dict[str, int] = {}
    doubled = set()
    step, count, prose = 0, 0, 0  # how far above the same row stands; rows in a row; those of prose
    for at, row in enumerate(rows):
        above = at - last.get(row.text, at)
        last[row.text] = at
        is_prose = len(row.text) > _PROSE and not row.tabular
        if above != step or not step:
            step, count, prose = above if is_prose else 0, 0, 0
        count += 1
        prose += is_prose
        if step > 1 < prose and step - (step > _FEWEST) <= count:
            doubled.add(row.page)
    return f"rows stand twice on {in_runs(sorted(doubled))}" if doubled else ""


def _faint(by_page: Pages, pages: Sequence[int]) -> str:
    """Pages of prose with wide gaps within rows, not one below the other as in a table: words are lost."""
    scattered: dict[int, int] = {}
    for page in pages:
        prose = (row for row in by_page[page] if len(row.text) > _PROSE)
        joints = [(r.size, *joint) for r in prose for joint in pairwise(r.cells)]
        gaps = [(before[2], after) for size, before, after in joints if after[0] - before[1] > _WIDE * size]
        holes = [at for before, (at, _, text) in gaps if _BEFORE.search(before) and _BEHIND.match(text)]
        counts = Counter(round(at / _GRID) for at in holes if len(holes) > _OF_GAPS * len(gaps))
        scattered[page] = sum(n for x, n in counts.items() if counts[x - 1] + n + counts[x + 1] <= _IN_LINE)
    most = _FEWEST if sum(scattered.values()) < _FEWEST_LOST else 1
    faint = [page for page, n in scattered.items() if n >= most]
    return f"words may be missing within the rows of {in_runs(faint)}" if faint else ""


def _broken_words(by_page: Pages, pages: Sequence[int]) -> str:
    """Pages whose rows end, or go on, with a part of a word: a side of them is cut off."""
    of_rows = (_LETTERS.findall(row.text.lower())[1:-1] for on in by_page.values() for row in on)
    begins = sorted({word for words in of_rows for word in words})
    ends = sorted(word[::-1] for word in begins)
    cut = []
    for page in pages:
        rows = [row for row in by_page[page] if len(row.text) > _PROSE and not row.tabular]
        going_on = (below for above, below in pairwise(rows) if _CONTINUED.search(above.text))
        last = [m[1].lower() for row in rows if (m := _EDGE_WORD[0].search(row.text))]
        first = [m[1][::-1] for row in going_on if (m := _EDGE_WORD[1].match(row.text))]
        for edge, vocabulary in ((last, begins), (first, ends)):
            broken = sum(_is_part(word, vocabulary) for word in edge)
            if broken >= _FEWEST_BROKEN and broken > _BROKEN * len(edge):
                cut.append(page)
    return f"words are broken at the side of {in_runs(sorted(set(cut)))}: it may be cut off" if cut else ""


def _is_part(word: str, vocabulary: Sequence[str]) -> bool:
    """Whether a word is none of those that are known, in order, but begins one of them."""
    at = bisect_left(vocabulary, word)
    return at < len(vocabulary) and vocabulary[at] != word and vocabulary[at].startswith(word)

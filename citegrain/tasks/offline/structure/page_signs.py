"""What the pages of a document say against their being all there, in their order and legible."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, groupby, pairwise, zip_longest
from statistics import quantiles

import pyarrow as pa
import pyarrow.compute as pc
from rapidfuzz import process
from rapidfuzz.distance import OSA

from citegrain.tasks.offline.pages import UNSEEN, outer_numbers
from citegrain.tasks.offline.structure.coverage import in_runs
from citegrain.tasks.offline.structure.rows import FULL, MARKER, PageText, Row

_TEXT = 400  # characters of a page that bears text
_NUMBERED = 0.7  # share of the pages with a printed number, from which one without is a sign
_UNENDED = re.compile(
    r"[a-z] (?:the|of|to|in|by|an?|shall|which|such|any|with|under|for|that|is|be|from|on|at|as)$"
)
_ENDED = re.compile(r"[a-z)]\.$")
_OPENS = re.compile(r"^\W{0,3}\d{1,3}[A-Z]{0,2}\. ?[A-Z]|^(?:CHAPTER|PART|THE \w+ SCHEDULE)\b")
_FIRST_OF_LIST = re.compile(r"^\W*\((?:a|i|A|1)\)")
_GOES_ON = re.compile(r"^[a-z]{2,} [a-z]+ ")
_HALF, _AGREE = 0.5, 4  # share of the pages that have a number; pages whose outer numbers agree
_YEARS = 1700  # a number so high is a year, unless others agree with it
_PROSE = 40  # characters of a row of prose; shorter ones repeat in tables and forms
_AGAIN = 0.85  # share of the rows of prose of a page that an earlier page has
_FEW_ROWS, _MANY_ROWS = 3, 10  # rows that the page before it has, and that any other has
_HIDDEN = 150  # characters of a page that no reader sees
_WORDS, _MANY_PAGES = 80, 8  # words of five letters and more of a page; pages of a document
_CUT = 0.15  # of the height of the text that pages of sections in a row end above the others
_SIDE = 0.12  # of the width of the column
_CONTINUED = re.compile(r"[A-Za-z,]$")
_MISSPELT = 0.15  # share of its words
_WORD = re.compile(r"[a-z]{5,}")


def page_doubts(
    lines: pa.Table, pages: pa.Table | None, page_text: PageText, first_page: int, last_page: int
) -> Iterator[str]:
    """What speaks against the pages of a document, in words.

    ``page_text``: the rows of its Act. ``first_page``, ``last_page``: pages of the first and the last
    section: behind it tables and forms break off and repeat.
    """
    by_page: dict[int, list[Row]] = defaultdict(list)
    for row in page_text.rows:
        by_page[row.page].append(row)
    yield _unnumbered(lines, by_page)
    yield _torn(by_page, page_text.right, last_page)
    yield _cropped(by_page, page_text.footnotes, range(first_page + 1, last_page))
    inner = {page: rows for page, rows in by_page.items() if first_page <= page <= last_page}
    yield _narrowed(inner, page_text.left, page_text.right)
    yield _doubled(by_page)
    yield _misspelt(by_page)
    hidden = {
        row["page"]: lost["n_chars"]
        for row in (pages.select(["page", "left_out"]).to_pylist() if pages else ())
        for lost in row["left_out"]
        if row["page"] in by_page and lost["reason"] == UNSEEN and lost["n_chars"] >= _HIDDEN
    }
    if hidden:
        yield f"{sum(hidden.values())} characters are covered or not painted: {in_runs(sorted(hidden))}"


def missing_pages(lines: pa.Table) -> str:
    """What the printed numbers of pages say against their order, in words; empty if nothing.

    A number that those around it contradict is misread; one may begin again at 1. A sheet may show two pages.
    Numbers that few pages have are no page numbers.
    """
    sheets = _sheets(lines)
    each = 2 if sum(len(on) == 2 for on in sheets.values()) > len(sheets) / 2 else 1
    numbers = {page: on[-1] for page, on in sheets.items() if len(on) == each or each == 1}
    if len(numbers) < _HALF * len(set(lines.column("page").to_pylist())):
        return ""
    pages = list(numbers)
    jumps: list[tuple[int, int]] = []
    before = pages[0] if pages else 0
    for page, following in zip_longest(pages[1:], pages[2:]):
        offset = numbers[before] - each * before
        if page and numbers[page] - each * page != offset:
            if following and numbers[following] - each * following == offset:
                continue
            if numbers[page] != 1:
                jumps.append((before, page))
        before = page
    if not jumps:
        return ""
    before, page = jumps[0]
    where = f"the printed page numbers go from {numbers[before]} to {numbers[page]}"
    more = f", and do so {len(jumps) - 1} times more" if len(jumps) > 1 else ""
    return f"{where} (page {page} of the file){more}: pages are missing or out of order"


def _sheets(lines: pa.Table) -> dict[int, list[int]]:
    """Numbers of the pages: of rows of their own, else the outer ones of heads, feet and outermost rows.

    Of these the one that most others agree with; at the edge of the text, where a scan has lost its head,
    only what several agree with.
    """
    columns = (lines.column(name).to_pylist() for name in ("page", "row", "role", "text"))
    sheets: dict[int, list[int]] = {}
    heads: dict[int, list[tuple[bool, int]]] = defaultdict(list)
    edge: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for page, row, role, text in zip(*columns, strict=True):
        if role == "page_number" and (n := text.strip(" -–—[](){}|.")).isdecimal():
            sheets.setdefault(page, []).append(int(n))
        elif role in ("header", "footer"):
            heads[page] += [(True, n) for n in outer_numbers(text)]
        elif role == "body":
            edge[page].append((row, text))
    for page, rows in edge.items():
        first, last = rows[0][0], rows[-1][0]
        heads[page] += [(False, n) for row, text in rows if row in (first, last) for n in outer_numbers(text)]
    constant = Counter(n for among in heads.values() for _, n in set(among))
    agreeing = [Counter(n - k * page for page, among in heads.items() for _, n in set(among)) for k in (1, 2)]
    pairs = (min(n, agreeing[1][offset + 1]) for offset, n in list(agreeing[1].items()))
    each = 1 + (max(pairs, default=0) > max(_AGREE, _HALF * len(heads)))
    agree = agreeing[each - 1]
    for page, among in heads.items():
        sure = {
            (agree[n - each * page], n)
            for is_head, n in among
            if agree[n - each * page] >= _AGREE or (is_head and constant[n] < _AGREE and n < _YEARS)
        }
        if sure and page not in sheets:
            sheets[page] = sorted(n for _, n in sorted(sure)[-each:])
    return dict(sorted(sheets.items()))


def _unnumbered(lines: pa.Table, by_page: Mapping[int, Sequence[Row]]) -> str:
    """Pages whose foot or head is lost: they alone have no printed number; the first may have none.

    A single one may be a table or the opening of a Part; the last and several in a row are not.
    """
    on = pc.equal(lines.column("role"), "page_number")
    numbered = set(lines.column("page").filter(on).to_pylist())
    bearing = [page for page, rows in by_page.items() if sum(len(row.text) for row in rows) > _TEXT]
    last = max(by_page, default=0)
    without = sorted({*bearing[1:], last} - numbered)
    if len(numbered) < max(_FEW_ROWS, _NUMBERED * (len(numbered) + len(without))):
        return ""
    runs = without and without[-1] - without[0] < len(without)
    if not runs or (len(without) == 1 and without[0] != last):
        return ""
    return f"{in_runs(without)} alone bear no printed number: their edge may be cut off"


def _torn(by_page: Mapping[int, Sequence[Row]], right: float, last_page: int) -> str:
    """A sentence that ends with no page, or begins with one: what stood between is lost."""
    for page, rows in by_page.items():
        if page >= last_page or page + 1 not in by_page:
            continue
        above, below = rows[-1], by_page[page + 1][0]
        if above.tabular or below.tabular or above.centred or below.centred:
            continue
        text = above.text.rstrip()
        fills = above.x1 > right - FULL * above.size and text[-1:].islower() and len(text) > _PROSE
        unended = _UNENDED.search(text) or (fills and not text.endswith((" or", " and")))
        opens = MARKER.match(below.text) or _OPENS.match(below.text)
        if unended and opens and not _FIRST_OF_LIST.match(below.text):
            return f"page {page} ends within a sentence, and page {page + 1} begins with another"
        if _ENDED.search(text) and _GOES_ON.match(below.text):
            return f"page {page + 1} begins within a sentence, and page {page} ends with another"
    return ""


def _cropped(by_page: Mapping[int, Sequence[Row]], notes: Sequence[Row], inner: range) -> str:
    """Pages of sections, some in a row, that end far above the foot of most: their foot is cut off."""
    feet = {page: rows[-1].y0 for page, rows in by_page.items() if page in inner}
    for note in notes:
        if note.page in feet:
            feet[note.page] = max(feet[note.page], note.y0)
    if len(feet) < _FEW_ROWS:
        return ""
    usual, top = quantiles(feet.values(), n=10)[-1], min(rows[0].y0 for rows in by_page.values())
    short = {page for page, foot in feet.items() if usual - foot > _CUT * (usual - top)}
    cut = sorted(page for page in short if {page - 1, page + 1} & short)
    return f"{in_runs(cut)} end far above the foot of the others: it may be cut off" if cut else ""


def _narrowed(by_page: Mapping[int, Sequence[Row]], left: float, right: float) -> str:
    """Pages narrower than the others on which sentences go on from row to row: a side of them is cut off."""
    cut = []
    for page, rows in by_page.items():
        going_on = [
            row for row, below in pairwise(rows) if _CONTINUED.search(row.text) and below.text[:1].islower()
        ]
        width = max(row.x1 for row in rows) - min(row.x0 for row in rows)
        if len(going_on) >= _MANY_ROWS and width < (1 - _SIDE) * (right - left):
            cut.append(page)
    return f"{in_runs(cut)} are narrower than the others: a side may be cut off" if cut else ""


def _doubled(by_page: Mapping[int, Sequence[Row]]) -> str:
    """A page that stands in the file twice: it begins as the other does, and says the same."""
    places: dict[str, list[int]] = defaultdict(list)
    begins: dict[int, str] = {}
    for page, rows in by_page.items():
        begins[page] = rows[0].text
        texts = [row.text for row in rows if len(row.text) > _PROSE]
        prose = set(texts)
        common = Counter(earlier for text in prose for earlier in places[text])
        earlier, count = max(common.items(), key=lambda item: item[1], default=(0, 0))
        fewest = _FEW_ROWS if earlier == page - 1 else _MANY_ROWS
        alike = count >= max(fewest, _AGAIN * len(texts))
        if alike and begins[earlier] == begins[page]:
            return f"page {page} says again what page {earlier} says"
        for text in prose:
            places[text].append(page)
    return ""


def _misspelt(by_page: Mapping[int, Sequence[Row]]) -> str:
    """Pages many of whose words few others have, but are one letter off another: bad OCR, a bad layer."""
    words = {
        page: _WORD.findall(" ".join(row.text for row in rows if len(row.text) > _PROSE).lower())
        for page, rows in by_page.items()
    }
    pages_with = Counter(word for tokens in words.values() for word in set(tokens))
    few = 2 if len(words) >= _MANY_PAGES else 1
    rare = {page: [word for word in tokens if pages_with[word] <= few] for page, tokens in words.items()}
    share = {p: len(rare[p]) / len(tokens) for p, tokens in words.items() if len(tokens) >= _WORDS}
    likely = [page for page, rarely in share.items() if rarely > _MISSPELT]
    near = set(_near({word for page in likely for word in rare[page]}, pages_with))
    bad = [p for p in likely if sum(map(near.__contains__, rare[p])) > _MISSPELT * len(words[p])]
    return f"many words are misspelt on {in_runs(bad)}" if bad else ""


def _near(rare: Iterable[str], words: Iterable[str]) -> Iterator[str]:
    """Rare words that are one letter off another of all words that has as many letters."""
    by_length = {n: list(group) for n, group in groupby(sorted(words, key=len), key=len)}
    for n, group in groupby(sorted(rare, key=len), key=len):
        alike = list(group)
        distances = process.cdist(alike, by_length[n], scorer=OSA.distance, score_cutoff=1)
        yield from compress(alike, (distances <= 1).sum(axis=1) > 1)

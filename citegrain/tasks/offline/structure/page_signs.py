"""What the pages of a document say against their being all there, in their order and legible."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.law.numbers import MONTH_NAMES
from citegrain.tasks.offline.pages import IN_HINDI, UNSEEN, outer_numbers
from citegrain.tasks.offline.structure.coverage import in_runs
from citegrain.tasks.offline.structure.rows import PageText, Row
from citegrain.tasks.offline.structure.seams import seam_doubts

_NUMBER = 4  # characters of a page number
_TEXT = 400  # characters of a page that bears text
_NUMBERED = 0.7  # share of the pages with a printed number, from which one without is a sign
_HALF, _AGREE = 0.5, 4  # share of the pages that have a number; pages whose outer numbers agree
_YEARS = 1700  # a number so high is a year, unless others agree with it
_PROSE = 40  # characters of a row of prose; shorter ones repeat in tables and forms
_AGAIN = 0.85  # share of the rows of prose of a page that an earlier page has
_OF_TOTAL = re.compile(r"\b[Pp](?:age|AGE)\s+(\d{1,4})\s+(?:of|OF)\s+(\d{1,4})\b")
_FEW_ROWS, _MANY_ROWS = 3, 10  # rows that the page before it has, and that any other has
_HIDDEN = 150  # characters of a page that no reader sees
_FIGURE, _WITH_LETTER = re.compile(r"\b[\dOlISbBZ]{2,6}\b"), re.compile(r"\d+(?:[A-Z]{1,2}|b)|[A-Zb]\d+")
_FIGURES = 4
_DATE = re.compile(r"\b(\d{1,2})([-./])(\d{1,2})\2(\d{4})\b")
_YEAR = re.compile(  # in a table a sum may stand behind "Act"
    rf"\b(?:(?:Act|Code|Ordinance),|(?:{MONTH_NAMES}),?) (\d{{4}})\b|\(\d{{1,3}} of (\d{{4}})\)"
)
_FIRST_YEAR, _LAST_YEAR, _NO_DATES = 1770, 2060, 3


def page_doubts(
    lines: pa.Table,
    pages: pa.Table | None,
    page_text: PageText,
    first_page: int,
    last_page: int,
    *,
    is_statute: bool = True,
    is_even: bool = True,
) -> Iterator[str]:
    """What speaks against the pages of a document, in words.

    ``page_text``: the rows of its Act. ``first_page``, ``last_page``: pages of the first and the last
    section: behind it tables and forms break off and repeat. ``is_statute``, ``is_even``: whether it is an
    Act or the like, and is printed at even distances.
    """
    by_page: dict[int, list[Row]] = defaultdict(list)
    for row in page_text.rows:
        by_page[row.page].append(row)
    yield _unnumbered(lines, by_page)
    inner = range(first_page, last_page + 1)
    footed = None if is_statute else _footed(lines)
    printed = by_page, page_text.footnotes, page_text.margins, page_text.right
    yield from seam_doubts(*printed, inner, footed, is_even=is_even)
    yield _doubled(by_page)
    yield _misread(by_page)
    yield _undated([*page_text.rows, *page_text.footnotes])
    hidden = {
        row["page"]: lost["n_chars"]
        for row in (pages.select(["page", "left_out"]).to_pylist() if pages else ())
        for lost in row["left_out"]
        if row["page"] in by_page and lost["reason"] == UNSEEN and lost["n_chars"] >= _HIDDEN
    }
    if hidden:
        yield f"{sum(hidden.values())} characters are covered or not painted: {in_runs(sorted(hidden))}"


def _footed(lines: pa.Table) -> set[int]:
    """Pages with a running foot; none, where few have one."""
    columns = (lines.column(name).to_pylist() for name in ("page", "role", "y0"))
    foot: dict[int, tuple[float, str]] = {}
    for page, role, y0 in zip(*columns, strict=True):
        foot[page] = max(foot.get(page, (0.0, "")), (y0, role))
    footed = {page for page, (_, role) in foot.items() if role in ("footer", "page_number")}
    return footed if len(footed) >= _HALF * len(foot) else set()


def printed_total(lines: pa.Table) -> tuple[int, set[int]]:
    """How many pages a document has by numbers such as ``Page 3 of 9``, and these numbers; 0: none say."""
    text = "\n".join(lines.column("text").to_pylist())
    numbered = [(int(match[2]), int(match[1])) for match in _OF_TOTAL.finditer(text)]
    total, count = max(
        Counter(total for total, _ in numbered).items(), key=lambda item: item[1], default=(0, 0)
    )
    if count < max(_FEW_ROWS, _NUMBERED * len(numbered)):
        return 0, set()
    return total, {number for out_of, number in numbered if out_of == total}


def unread_pages(pages: pa.Table | None, first_page: int, last_page: int, last: int) -> str:
    """Pages of a document that could not be read, in words; empty if there are none.

    ``last``: page on which its last provision ends: behind it a drawing may stand.
    """
    if pages is None or not last:
        return ""
    columns = (pages.column(name).to_pylist() for name in ("page", "status", "reason", "n_chars"))
    unread = [
        page
        for page, status, reason, n_chars in zip(*columns, strict=True)
        if first_page <= page <= last_page and reason != IN_HINDI
        if status == "unreadable" or (status == "image_only" and (page <= last or not 0 < n_chars <= _NUMBER))
    ]
    return f"{in_runs(unread)} could not be read" if unread else ""


def missing_pages(lines: pa.Table) -> str:
    """What the printed numbers of pages say against their order, in words; empty if nothing.

    A number that those around it contradict is misread; one may begin again at 1. A sheet may show two pages.
    Numbers that few pages have are no page numbers.
    """
    total, printed = printed_total(lines)
    if total and total not in printed:
        return f"its last page is numbered {max(printed)} of {total}"
    sheets = _sheets(lines)
    each = 2 if sum(len(on) == 2 for on in sheets.values()) > len(sheets) / 2 else 1
    numbers = {page: on[-1] for page, on in sheets.items() if len(on) == each or each == 1}
    if not numbers or len(numbers) < _HALF * len(set(lines.column("page").to_pylist())):
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
        return _exchanged(numbers, each)
    before, page = jumps[0]
    where = f"the printed page numbers go from {numbers[before]} to {numbers[page]}"
    more = f", and do so {len(jumps) - 1} times more" if len(jumps) > 1 else ""
    return f"{where} (page {page} of the file){more}: pages are missing or out of order"


def _exchanged(numbers: Mapping[int, int], each: int) -> str:
    """Two pages with each other's number; a number alone that those around it contradict is misread."""
    offsets = {page: n - each * page for page, n in numbers.items()}
    usual, _ = Counter(offsets.values()).most_common(1)[0]
    due = {page: (n - usual) // each for page, n in numbers.items() if offsets[page] != usual}
    pair = next((page for page, at in due.items() if due.get(at) == page), 0)
    return f"pages {pair} and {due[pair]} of the file have changed places" if pair else ""


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
    most = max(agree.values(), default=0)
    for page, among in heads.items():
        if most > _HALF * len(heads) and any(agree[n - each * page] == most for _, n in among):
            sheets.pop(page, None)  # a number inside the page may be that of another print
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


def _misread(by_page: Mapping[int, Sequence[Row]]) -> str:
    """Pages with figures in which letters stand for digits, as OCR reads them."""
    figures = {p: _FIGURE.findall(" ".join(row.text for row in rows)) for p, rows in by_page.items()}
    lettered = {page: n for page, on in figures.items() if (n := sum(map(_is_lettered, on)))}
    few = sum(lettered.values()) < _FIGURES
    return "" if few else f"letters stand for digits on {in_runs(sorted(lettered))}"


def _is_lettered(figure: str) -> bool:
    """Whether letters stand among digits, and it is no number with a letter, as 2A."""
    return not (figure.isdigit() or figure.isalpha() or _WITH_LETTER.fullmatch(figure))


def _undated(rows: Sequence[Row]) -> str:
    """Dates that no calendar has, and years that no Act may be of: digits are misread."""
    text = " ".join(row.text for row in rows)
    bad = [m[0] for m in _DATE.finditer(text) if int(m[1]) > 31 or int(m[3]) > 12 or _is_no_year(m[4])]
    bad += [m[0] for m in _YEAR.finditer(text) if _is_no_year(m[1] or m[2])]
    return f"{len(bad)} dates and years cannot be: {bad[0]!r}" if len(bad) >= _NO_DATES else ""


def _is_no_year(year: str) -> bool:
    return not _FIRST_YEAR <= int(year) <= _LAST_YEAR

"""What pages, and the parts of provisions, say against their being all there, in their order and legible."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise, zip_longest
from statistics import median

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.tables import grouped
from citegrain.tasks.law.numbers import MONTH_NAMES
from citegrain.tasks.offline.pages import IN_HINDI, UNSEEN, outer_numbers
from citegrain.tasks.offline.structure.coverage import in_runs
from citegrain.tasks.offline.structure.rows import PageText, Row, RunningText
from citegrain.tasks.offline.structure.seams import seam_doubts
from citegrain.tasks.offline.structure.soundness import OF_RULES
from citegrain.tasks.offline.structure.tree import Node

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
_DATE = re.compile(r"\b(\d{1,2})([-./])(\d{1,2})\2(\d{4})\b")
_YEAR = re.compile(  # in a table a sum may stand behind "Act"
    rf"\b(?:(?:Act|Code|Ordinance),|(?:{MONTH_NAMES}),?) (\d{{4}})\b|\(\d{{1,3}} of (\d{{4}})\)"
)
_FIRST_YEAR, _LAST_YEAR, _NO_DATES = 1770, 2060, 3
_BRACKET = re.compile(r"^\W{0,3}\[(?!\s*[Ss]ee\b)")
_ENTRY_NUMBER = re.compile(r"\d+(?=[A-Z]*$)")
_MANY_ENTRIES, _LONG_ENTRY, _TIMES_LONGER = 20, 3000, 40  # of a Schedule; characters of one; the usual one
_LIKE_A_MARK = re.compile(r"\n(?=\W{0,3}\w{0,4} ?\))")
_MARK = re.compile(r"(?:^|\n)(\((?:[2-9]|1\d)\)) [A-Z]")
_FIRST_MARK = re.compile(r"\(\s?[1lI|]\s?\)")  # a scan reads a letter
_QUOTED_ALONE = re.compile(
    r"[—-] ?\(1\) [^\n]+\.\n(?!Provi|Expl|Excep|Illus|(?:Amend|Insert|Omiss|Substit)\w+ of)[A-Z][a-z]* [a-z]"
)
_BARE_MARK = re.compile(r"\W{0,2}(?:([b-hj-z]|[ivx]{2,4})|\d{1,2}) [A-Za-z“\"]")
_ANY_MARK = re.compile(r"(?:^|\n)\W{0,2}\((?:\d{1,2}|[a-z]{1,3})\)")
_LETTER = re.compile(r"\n\W{0,2}\(([c-hj-uwyz])\)")
_CLAUSE = re.compile(
    r"(?:;(?: (?:or|and))?|:—|:-|,—|—)\n+(?!(?:and|or|but|shall|provided|then|as|whichever|whether|in|such|"
    r"he|she|it|they|may|is|who|which|if|for|with|including|includes?)\b)[a-z]{2,} [a-z]"
)
_SENTENCE = re.compile(r"[.:]\n+[A-Z][a-z]* [a-z]")
_NO_PART = re.compile(r"\W{0,4}(?:Provided|Explanation|Exception|Illustration|Note|\*)")
_UNFINISHED = re.compile(
    r"[a-z,] (?:the|of|to|in|by|an?|shall|which|such|any|with|under|for|that|is|be|from|on|at|as|may|not|"
    r"this|his|its|has|been|every|where|when|if)$"
)
_ENDLESS = re.compile(r"[a-z]{2}$(?<!\band)(?<!\bor)(?<!\bbut)")
_SHORT_END = 40  # characters
_FEW_ENDLESS, _ENDLESS_OF = 4, 200  # parts of an Act that may end without a sign, and one more of so many
_ILLEGIBLE = re.compile(r"[a-z,] ?(?!---[^-])([^\w\s*])(?: ?\1){2,} ?[a-z]")
_Parts = dict[tuple[int, str], list[Node]]  # by the parent's identity, and their kind
_MANY_CLAUSES, _MANY_SENTENCES, _USUAL_MARKS = 4, 2, 5  # on a page


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
    yield _bracketless(by_page, inner) if is_statute else ""
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


def _bracketless(by_page: Mapping[int, Sequence[Row]], inner: range) -> str:
    """Pages without a bracket, on which rows begin with what others have in brackets: not sections alone."""
    texts = {page: [row.text for row in rows] for page, rows in by_page.items() if page in inner}
    bare = (page for page, on in texts.items() if "(" not in "".join(on))
    marks = {page: [m[1] for m in map(_BARE_MARK.match, texts[page]) if m] for page in bare}
    bad = [page for page, some in marks.items() if len(some) > 1 and any(some)]
    return f"brackets are missing on {in_runs(bad)}" if bad else ""


def _undated(rows: Sequence[Row]) -> str:
    """Dates that no calendar has, and years that no Act may be of: digits are misread."""
    text = " ".join(row.text for row in rows)
    bad = [m[0] for m in _DATE.finditer(text) if int(m[1]) > 31 or int(m[3]) > 12 or _is_no_year(m[4])]
    bad += [m[0] for m in _YEAR.finditer(text) if _is_no_year(m[1] or m[2])]
    return f"{len(bad)} dates and years cannot be: {bad[0]!r}" if len(bad) >= _NO_DATES else ""


def _is_no_year(year: str) -> bool:
    return not _FIRST_YEAR <= int(year) <= _LAST_YEAR


def lost_parts(running: RunningText, nodes: Sequence[Node], unit: str) -> Iterator[str]:
    """What the parts of provisions, and the last provision, say against their being whole, in words."""
    text = running.text
    final = max(nodes, key=lambda n: (n.end, n.start))
    rows = text[final.start : final.end].split("\n")
    opened = [row for row in rows if _BRACKET.match(row)]
    if opened and sum(row.count("[") - row.count("]") for row in rows) > 0:
        yield f"its last provision opens a bracket that nothing closes: {opened[-1][:40]!r}"
    if unit in OF_RULES:  # of Acts, whose marks are amended away, it says nothing
        yield from _marks_alone(text, nodes, unit)
    by_parent = grouped(((id(node.parent), node.kind), node) for node in nodes)
    yield from _first_alone(text, nodes, unit, by_parent)
    yield from _unfinished(text, nodes, unit)
    yield from _unmarked(running, nodes, unit)
    entries = [group for (_, kind), group in by_parent.items() if kind == "entry"]
    for group in entries:
        yield from _lost_entries(group)
    starts = {node.start for node in nodes}
    for (_, kind), group in by_parent.items():
        for before, after in pairwise(group if kind in ("subsection", "clause") else ()):
            if lost := _left_out(text, before, after, starts):
                yield f"{kind} ({lost}) is not there before {after.number}"
                return


def _marks_alone(text: str, nodes: Sequence[Node], unit: str) -> Iterator[str]:
    """Provisions in which a paragraph is marked (2) or (3), and none (1), in words."""
    starts = {node.start for node in nodes}
    for node in nodes:
        if node.kind == unit and node.status == "in_force":
            within = _MARK.finditer(text[node.text_start : node.end])
            marks = [m for m in within if node.text_start + m.start(1) not in starts]
            if marks and not _FIRST_MARK.search(text[node.start : node.end]):
                yield f"{unit} {node.number} has a paragraph {marks[0][1]}, and no (1)"
                return


def _first_alone(text: str, nodes: Sequence[Node], unit: str, parts: _Parts) -> Iterator[str]:
    """A provision that is marked (1), and has a paragraph behind it that bears no mark, in words."""
    for node in nodes:
        marked = parts.get((id(node), "subsection"), [])
        alone = len(marked) == 1 and marked[0].number.endswith("(1)")
        if alone and node.kind == unit and node.status == "in_force":
            behind = text[marked[0].text_start : marked[0].end].split("\n")[1:]
            if any(row[:1].isupper() and not _NO_PART.match(row) for row in behind):
                yield f"{unit} {node.number} has a (1), and behind it a paragraph without a mark"
                return
    entries = (node for node in nodes if node.kind == "entry")
    if bad := next((n for n in entries if _QUOTED_ALONE.search(text, n.text_start, n.end)), None):
        yield f"{bad.number} quotes a (1), and behind it a paragraph without a mark"


def _unfinished(text: str, nodes: Sequence[Node], unit: str) -> Iterator[str]:
    """Provisions that end within a sentence, or in which dots stand for words, in words."""
    lawful = [n for n in nodes if n.status == "in_force" and n.end > n.text_start and not n.annexed]
    lawful = [n for n in lawful if n.kind in (unit, "subsection", "clause")]
    ends = [(node, text[max(node.text_start, node.end - _SHORT_END) : node.end].rstrip()) for node in lawful]
    endless = [node for node, end in ends if _ENDLESS.search(end)]
    if unfinished := [node for node, end in ends if _UNFINISHED.search(end)]:
        yield f"{unit} {unfinished[0].number} ends within a sentence"
    elif len(endless) > _FEW_ENDLESS + len(lawful) / _ENDLESS_OF:
        many = f"{len(endless)} {unit}s and their parts end without a full stop, first {endless[0].number}"
        yield f"{many}: the print may lack it, or words that stood before it may be lost"
    sections = (node for node in lawful if node.kind == unit)
    if bad := [node for node in sections if len(_ILLEGIBLE.findall(text[node.text_start : node.end])) > 1]:
        yield f"signs stand for words in {unit} {bad[0].number}"


def _unmarked(running: RunningText, nodes: Sequence[Node], unit: str) -> Iterator[str]:
    """Pages on which clauses, or paragraphs of rules, go on without their marks, in words."""
    clauses, marks, sentences, alone = (Counter[int]() for _ in range(4))
    for node in nodes:
        if node.kind == unit and node.status == "in_force":
            within = running.text[node.text_start : node.end]
            for pattern, counts in ((_CLAUSE, clauses), (_ANY_MARK, marks), (_SENTENCE, sentences)):
                counts.update(running.page_at(node.text_start + m.end()) for m in pattern.finditer(within))
            orphans = (
                m for m in _LETTER.finditer(within) if f"({chr(ord(m[1]) - 1)})" not in within[: m.start()]
            )
            alone.update(running.page_at(node.text_start + m.end()) for m in orphans)
    bare = [p for p, n in clauses.items() if n >= _MANY_CLAUSES and n > marks[p]]
    if unit in OF_RULES and marks.total() >= _USUAL_MARKS * len(marks | sentences):
        bare += [p for p, n in sentences.items() if n >= _MANY_SENTENCES and marks[p] <= 1]
    if misread := sorted(page for page, n in alone.items() if n >= _FEW_ROWS):
        yield f"marks of clauses follow none on {in_runs(misread)}: they may be misread"
    if bare:
        yield f"clauses or paragraphs have no marks on {in_runs(sorted({*bare}))}"


def _lost_entries(entries: Sequence[Node]) -> Iterator[str]:
    """What the entries of one Schedule say against their being all there, in words."""
    numbers = {int(match[0]) for n in entries if (match := _ENTRY_NUMBER.search(n.number))}
    if len(numbers) < _MANY_ENTRIES:
        return
    if gap := next((n for n in range(1, max(numbers)) if not numbers & {n, n + 1}), 0):
        yield f"entries {gap} and {gap + 1} of a Schedule are not there"
    lengths = [n.end - n.start for n in entries]
    if lengths[-1] > max(_LONG_ENTRY, _TIMES_LONGER * median(lengths)):
        yield f"the last entry of a Schedule has {lengths[-1]} characters, and may hold others"


def _left_out(text: str, before: Node, after: Node, starts: Set[int]) -> str:
    """The first mark that is not there between two parts; empty where none lacks, or the print shows why.

    It shows stars or the brackets of an amendment, the mark inside a row or right behind, twice the mark of
    the later part, or a row with a mark that is misread. ``starts``: where parts begin.
    """
    first, last = (node.number.rpartition("(")[2].rstrip(")") for node in (before, after))
    lost: list[str] = []
    if first.isdecimal() and last.isdecimal():
        lost = [str(number) for number in range(int(first) + 1, int(last))]
    elif re.fullmatch("[a-z][a-hj-uwyz]", first + last) and ord(last) > ord(first) + 1:
        lost = [chr(letter) for letter in range(ord(first) + 1, ord(last))]
    within = text[before.start : after.start].rstrip() if lost else "*"
    shown = "[" in (text[after.start], within[0]) or within[-1] == "]" or "*" in within
    misread = any(before.start + m.end() not in starts for m in _LIKE_A_MARK.finditer(within))
    behind = text[after.start : after.end]
    printed = any(f"({mark})" in within or f"\n({mark})" in behind for mark in (*lost, last))
    return "" if not lost or shown or misread or printed else lost[0]

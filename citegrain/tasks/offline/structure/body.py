"""What stands on the rows of an Act: its table of contents, sections, Parts, Schedules and Orders."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rapidfuzz import fuzz

from citegrain.tasks.law.numbers import HYPHENS, Order, order_number, order_of
from citegrain.tasks.offline.structure import hindi
from citegrain.tasks.offline.structure.blocks import (
    Frame,
    container_at,
    find_containers,
    heading_like,
    is_capitals,
    order_at,
    schedule_at,
    set_apart,
    state_blocks,
)
from citegrain.tasks.offline.structure.candidates import (
    HEADING_END,
    Candidate,
    Surroundings,
    find_candidates,
    looks_like_heading,
    match_number,
    score_candidates,
)
from citegrain.tasks.offline.structure.rows import MARKER, PageText, Row
from citegrain.tasks.offline.structure.sequence import best_series, end_matter, mend_gaps

_CONTENTS = re.compile(
    r"^\W*(?:ARR?[AE]N?GE?MENT\s+OF\s+(?:SECTIONS?|CLAUSES|ARTICLES|RULES|PROVISIONS)|(?:TABLE\s+OF\s+)?CONTENTS)\b"
    rf"|^\W*(?:{hindi.CONTENTS})",
    re.IGNORECASE,
)
_ACT_NUMBER = re.compile(
    r"^\W*(?:(?:ACT|ORDINANCE|REGULATION)\s*)?N[O0]\s*[.,]?\s*(?:[IVXLC]{1,7}|\d{1,3})\s*OF\s*\d{4}\b"
    rf"|^\W*{hindi.ACT_NUMBER}",
    re.IGNORECASE,
)
_ENACTING = re.compile(
    r"^\W*(?:be\s+it\s+enacted\b|we,?\s+the\s+people\b|it\s+is\s+(?:hereby\s+)?enacted\b|"
    r"an\s+(?:act|ordinance)\s+(?:to|for|further|in)\b|preamble\W{0,3}.{0,3}whereas\b|whereas\b)"
    rf"|^{hindi.ENACTED}",
    re.IGNORECASE,
)
_ENACTED = re.compile(r"^\W*(?:be\s+it\s+enacted\b|we,?\s+the\s+people\b)|^" + hindi.ENACTED, re.IGNORECASE)
_BREAK = re.compile(
    rf"^\W*(?:(?:CHAPTER|PART|TITLE)\s*[-{HYPHENS}—.]?\s*(?:[IVXLC]+[A-Z]?|\d+[A-Z]?|[A-Z])\b|SECTIONS?\W*$|ARTICLES?\W*$|"
    r"(?:THE\s+)?(?:\w+\s+)?SCHEDULES?\b|APPENDIX|ANNEXURE|LIST OF)",
)
_LIST = re.compile(r"^\W*LIST OF (?:AMENDING|AMENDMENT|ABBREVIATIONS)\b")
_EXTRACT = re.compile(r"^\W*EXTRACTS?\b", re.IGNORECASE)
_LEADERS = re.compile(r"[\s.·…_]*(?:\d{1,3})?\s*$")
_LOOK_AHEAD = 40
_HEAD_ROWS, _LONGEST_HEAD = 4, 240  # rows, characters
_HEADED, _BEHIND = 0.6, 0.5  # share of the sections, with the heading above, or behind the number
_ENDS_HEAD = re.compile(rf"(?:[,;:]|[—–―⎯─{HYPHENS}-])\s*$")
_ENDED = re.compile(r"[.:;?!।\])”\"’*_—–―⎯─-]\s*$")
_GONE_HEADING = re.compile(r"^\W*(Repealed|Omitted|Rep\b|Om\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Row where the Act itself begins, the headings of its contents by number, and the contents' row."""

    body_row: int
    contents: dict[str, str]
    contents_row: int = -1


def read_front_matter(rows: Sequence[Row]) -> FrontMatter:
    """Find the table of contents and the first row of the Act proper."""
    enacted = next((i for i, r in enumerate(rows[:6000]) if _ENACTED.match(r.text)), 600)
    start = next((i for i, r in enumerate(rows[:enacted]) if _CONTENTS.match(r.text)), None)
    body = _body_row(rows, start)
    if start is None or body <= start:
        return FrontMatter(body, {})
    return FrontMatter(body, _entries(rows[start + 1 : body]), start)


def _body_row(rows: Sequence[Row], contents: int | None) -> int:
    """First row of the Act: the line with its number, or the enacting formula, that a section follows."""
    candidates = {c.row: c for c in find_candidates(rows[:6000])}
    ones = [i for i, c in candidates.items() if c.order == (1, "")]
    first = contents or 0
    for pattern in (_ACT_NUMBER, _ENACTING):
        for i in range(first, min(len(rows), 6000)):
            if not pattern.match(rows[i].text) or len(rows[i].text) > 400:
                continue
            if pattern is _ACT_NUMBER and not any(_ENACTING.match(r.text) for r in rows[i + 1 : i + 15]):
                continue
            following = [j for j in ones if i < j < i + 120]
            if following and not _dense(candidates, following[0], rows):
                return i
    if contents is not None:
        # the first section is lost: where the formula stands that enacts, behind a list of sections
        for i in range(contents, len(rows)):
            if _ENACTED.match(rows[i].text) and any(contents < row < i for row in candidates):
                return i
        # no formula: the last restart of the numbering at 1 that is not a list
        for j in ones:
            if j > contents and not _dense(candidates, j, rows):
                return j
    return ones[0] if ones and contents is None else 0


def opens_enactment(rows: Sequence[Row], at: int) -> bool:
    """Whether another Act begins on a row: the title of its contents or of a list, or its number.

    An extract of an Act that is printed with another begins none.
    """
    text = rows[at].text
    contents = len(text) <= 120 and (_CONTENTS.match(text) or _LIST.match(text))
    if not contents and (len(text) > 120 or not _ACT_NUMBER.match(text)):
        return False
    if contents or any(_EXTRACT.match(r.text) for r in rows[max(0, at - 4) : at]):
        return bool(contents) and (is_capitals(text) or rows[at].centred)
    return any(_ENACTING.match(r.text) for r in rows[at + 1 : at + 15])


def _dense(candidates: dict[int, Candidate], at: int, rows: Sequence[Row]) -> bool:
    """Whether the entry at row ``at`` begins a list of headings rather than text."""
    window = rows[at : at + _LOOK_AHEAD]
    heads = [i for i in range(at, at + len(window)) if i in candidates]
    has_text = any(candidates[i].has_dash or candidates[i].gone for i in heads[:4])
    return len(heads) >= 8 and not has_text and len(heads) > 0.33 * len(window)


def _entries(rows: Sequence[Row]) -> dict[str, str]:
    """Number and heading of each entry of the contents."""
    candidates = find_candidates(rows)
    for c in candidates:
        c.score = 1.0 - (0.5 if c.quoted else 0.0)
    series = best_series(candidates)
    if not series:  # a list of Chapters alone
        return {}
    headings: dict[str, str] = {}
    ends = [c.row for c in series[1:]] + [len(rows)]
    for c, end in zip(series, ends, strict=True):
        parts = [rows[c.row].text[c.rest :]]
        for row in rows[c.row + 1 : min(end, c.row + 5)]:
            if _BREAK.match(row.text) or row.centred:
                break
            parts.append(row.text)
        heading = _LEADERS.sub("", " ".join(parts)).strip(" .–—-")
        headings[c.number] = heading
        for extra in expand_range(c.number, c.last):
            headings.setdefault(extra, heading)
    return headings


def expand_range(first: str, last: str) -> list[str]:
    """Numbers from ``first`` (left out) to ``last``: ``161``, ``165A`` gives 162 to 165 and 165A."""
    if not last:
        return []
    a, b = re.match(r"\d+", first), re.match(r"\d+", last)
    if not a or not b or not 0 <= int(b[0]) - int(a[0]) <= 400:
        return []
    numbers = [str(n) for n in range(int(a[0]) + 1, int(b[0]) + 1)]
    return numbers + ([last] if last not in numbers and last != first else [])


@dataclass(slots=True)
class Body:
    """Rows of the Act proper and what stands on them.

    ``gone_listed``: numbers that the contents give as repealed or omitted, and the text leaves out.
    ``heads``: rows of headings above their numbers. ``model_headings``: headings by number of a model.
    """

    rows: list[Row]
    series: list[Candidate]
    containers: list[Frame]
    schedule_row: int
    state_rows: set[int]
    gone_listed: list[str] = field(default_factory=list)
    heads: set[int] = field(default_factory=set)
    model_headings: dict[str, str] = field(default_factory=dict)


def find_body(page_text: PageText, front: FrontMatter) -> Body:
    """Find the series of sections and the Parts and Chapters between them."""
    rows = page_text.rows[front.body_row :]
    rows = rows[: end_matter(rows, 20)]
    candidates = find_candidates(rows)
    state = state_blocks(rows, candidates, front.contents)
    first = next((c.row for c in candidates if c.order == (1, "")), 0)
    frames = [i for i in range(first + 1, len(rows)) if i not in state and schedule_at(rows, i)]
    listed = list(front.contents)
    series: list[Candidate] = []
    schedule_row = len(rows)
    for schedule_row in [*frames, len(rows)]:
        restarts = any(c.row > schedule_row and c.order == (1, "") and not c.quoted for c in candidates)
        around = Surroundings(
            front.contents, page_text.margins, page_text.body_size, state, schedule_row, restarts
        )
        series = best_series(score_candidates(candidates, rows, around), listed)
        if heads := heads_above(rows, series, candidates):
            around = replace(around, headed={i + 1 for i in heads})
            series = best_series(score_candidates(candidates, rows, around), listed)
        if not listed or len(series) >= 0.5 * len(listed) or schedule_row == len(rows):
            break
    if series:
        schedule_row = next((i for i in [*frames, len(rows)] if i > series[-1].row), len(rows))
    series = _repair(series, candidates, rows, front.contents, schedule_row)
    series = mend_gaps(series, rows, front.contents, state, schedule_row)
    heads = heads_above(rows, series)
    containers = find_containers(rows, {c.row for c in series} | heads, schedule_row, state)
    unread = set(map(order_of, front.contents)) - _orders(series)
    gone = [n for n, h in front.contents.items() if order_of(n) in unread and _GONE_HEADING.match(h)]
    return Body(rows, series, containers, schedule_row, state, gone, heads)


def heads_above(
    rows: Sequence[Row], series: Sequence[Candidate], candidates: Sequence[Candidate] = ()
) -> set[int]:
    """Rows of headings that stand above the numbers, if most of ``series`` have theirs there.

    Heads of one print are set alike. ``candidates``: of which they are looked for; none: of ``series``.
    """
    behind = (
        f"{rows[c.row].text[c.rest :]} {''.join(r.text[:1] for r in rows[c.row + 1 : c.row + 2])}"
        for c in series
    )
    ends = ((text, HEADING_END.search(text)) for text in behind)
    if sum(bool(m and looks_like_heading(text[: m.start()])) for text, m in ends) > _BEHIND * len(series):
        return set()
    heads = [head for c in series if (head := _head_rows(rows, c))]
    looks = Counter(_look(rows, h) for h in heads if looks_like_heading(" ".join(rows[i].text for i in h)))
    (look, count), *_ = looks.most_common(1) or [(("", False), 0)]
    if count <= _HEADED * len(series):
        return set()
    alike = {look, ("", look[1])} if look[0] == "centred" else {look}  # who fills a row is not seen centred
    heads = [head for c in candidates or series if (head := _head_rows(rows, c))]
    return {i for head in heads if _look(rows, head) in alike for i in head}


def _head_rows(rows: Sequence[Row], c: Candidate) -> range:
    """Rows above a number that are set as a heading is; none where nothing stands behind the number."""
    first = c.row
    while first and c.row - first < _HEAD_ROWS and _set_as_head(rows, first - 1, c.row):
        first -= 1
    if first == c.row or not rows[c.row].text[c.rest :].strip():
        return range(0)
    typed = next((i for i in range(first, c.row) if all(map(set_apart, rows[i : c.row]))), c.row)
    return next((head for i in (first, typed) if (head := _head_from(rows, i, c.row))), range(0))


def _head_from(rows: Sequence[Row], first: int, number: int) -> range:
    """Rows from ``first`` to a number, if they can be all of its heading."""
    above = rows[first - 1] if first else None
    if above and container_at(rows, first - 1, set()):  # its title is set alike
        first = min(first + 1, number - 1)
    elif above and not (set_apart(rows[first]) or _ENDED.search(above.text) or heading_like(above)):
        return range(0)
    text = " ".join(row.text for row in rows[first:number]).lstrip('[“"‘(')
    fits = text[:1].isupper() and len(text) <= _LONGEST_HEAD
    return range(first, number) if fits and first < number else range(0)


def _set_as_head(rows: Sequence[Row], at: int, number: int) -> bool:
    """Whether a row belongs to the heading that ends above row ``number``."""
    row, below = rows[at], rows[at + 1]
    if MARKER.match(row.text) or container_at(rows, at, set()) or match_number(row.text, row.bold):
        return False
    if at + 1 == number:
        return not _ENDS_HEAD.search(row.text) and any(map(str.isalpha, row.text))
    if set_apart(row):
        return set_apart(row) == set_apart(below)
    return set_apart(below) in ("", "centred") and not _ENDED.search(row.text)


def _look(rows: Sequence[Row], head: range) -> tuple[str, bool]:
    """How a heading is set: its type, and whether a full stop ends it."""
    last = rows[head[-1]]
    return set_apart(last), last.text.rstrip().endswith(".")


def _repair(
    series: list[Candidate],
    candidates: Sequence[Candidate],
    rows: Sequence[Row],
    contents: dict[str, str],
    schedule_row: int,
) -> list[Candidate]:
    """Adopt sections whose number is misprinted, known by a heading the contents list there."""
    present = _orders(series)
    taken = {c.row for c in series}
    for number, heading in contents.items():
        if order_of(number) in present or len(heading) < 8:
            continue
        before = max((c.row for c in series if c.order < order_of(number)), default=-1)
        after = min((c.row for c in series if c.order > order_of(number)), default=schedule_row)
        for c in candidates:
            if before < c.row < after and c.row not in taken and not c.quoted:
                text = rows[c.row].text[c.rest : c.rest + len(heading) + 2]
                if fuzz.ratio(heading.lower(), text.lower()) >= 88:
                    c.number, c.order = number, order_of(number)
                    series.append(c)
                    taken.add(c.row)
                    break
    return sorted(series, key=lambda c: c.row)


def _orders(series: Sequence[Candidate]) -> set[Order]:
    """Every number that a series covers, ranges expanded."""
    return {order_of(n) for c in series for n in [c.number, *expand_range(c.number, c.last)]}


def section_spans(body: Body) -> list[tuple[int, int, int]]:
    """(first row, last row, row where its lead-in begins) of each section in the series."""
    framed = {i for f in body.containers for i in range(f.first, f.last + 1)}
    headed = framed | body.heads
    leads: list[int] = []
    previous = -1
    for c in body.series:
        at = max(_stub_start(body.rows, c), previous + 1) - 1
        while at > previous and (at in headed or (heading_like(body.rows[at]) and at not in body.state_rows)):
            at -= 1
        leads.append(at + 1)
        previous = c.row
    ends = [lead - 1 for lead in leads[1:]] + [body.schedule_row - 1]
    spans = []
    for c, lead, end in zip(body.series, leads, ends, strict=True):
        last = end
        while last > c.row and last in framed:
            last -= 1
        spans.append((c.row, max(last, c.row), lead))
    return spans


def _stub_start(rows: Sequence[Row], c: Candidate) -> int:
    """Row of the bare number that announces a section in old plain-text editions, else the section's row.

    They print ``82.`` and the heading on separate lines before the section.
    """
    for i in range(c.row - 1, max(-1, c.row - 6), -1):
        number = match_number(rows[i].text, len(rows[i].text))
        if number and number.number == c.number and not rows[i].text[number.rest :].strip():
            announced = " ".join(r.text for r in rows[i + 1 : c.row]).lower()
            heading = rows[c.row].text[c.rest :].lower()
            if announced and fuzz.partial_ratio(announced[:40], heading) > 85:
                return i
    return c.row


def tail_frames(body: Body) -> tuple[list[Frame], list[Frame]]:
    """Schedules (with appendices) and Orders behind the last section.

    An Order whose number falls back is a mention: forms are headed by the rule they serve. The title of a
    Schedule that comes again is a mention, or stands at the top of its next page.
    """
    schedules: list[Frame] = []
    orders: list[Frame] = []
    skip = -1
    for i in range(body.schedule_row, len(body.rows)):
        if i <= skip:
            continue
        order = order_at(body.rows, i)
        if order and orders and _rank(order) < _rank(orders[-1]):
            continue
        if order:
            orders.append(order)
            skip = order.last
        elif frame := schedule_at(body.rows, i):
            titled = {(f.kind, f.number) for f in schedules if f.kind == "schedule"}
            if (frame.kind, frame.number) not in titled:
                schedules.append(frame)
                skip = frame.last
    return schedules, orders


def _rank(frame: Frame) -> Order:
    return order_of(order_number(frame.number))

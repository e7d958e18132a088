"""One Act, from rows to a tree of provisions over its running text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from rapidfuzz import fuzz

from tasks.structure.blocks import (
    Frame,
    container_at,
    end_matter,
    heading_like,
    is_state_head,
    order_at,
    schedule_at,
    schedule_label,
    state_blocks,
    state_name,
)
from tasks.structure.candidates import (
    Candidate,
    Surroundings,
    find_candidates,
    match_number,
    score_candidates,
)
from tasks.structure.contents import FrontMatter, expand_range, read_front_matter
from tasks.structure.grids import read_grids
from tasks.structure.headings import split_heading
from tasks.structure.notes import Note, read_notes
from tasks.structure.numbers import order_of, roman
from tasks.structure.rows import MarginLine, PageText, Row
from tasks.structure.sequence import best_series
from tasks.structure.subdivide import subdivide
from tasks.structure.text import RunningText, join_rows

_GONE = (
    (
        "repealed",
        re.compile(r"^\W*(?:\[[^\]]{0,400}\]?\W*)?\W*(?:Repealed|Rep)\b", re.IGNORECASE | re.DOTALL),
    ),
    (
        "omitted",
        re.compile(
            r"^\W*(?:\[[^\]]{0,400}\]?\W*)?\W*(?:Omitted|Om)\b|^\W*\*(?:\W*\*)+\W*$",
            re.IGNORECASE | re.DOTALL,
        ),
    ),
)
_GONE_HEADING = re.compile(r"^\W*(Repealed|Omitted|Rep\b|Om\b)", re.IGNORECASE)
_SUB_FRAME = re.compile(
    r"^\W*(?P<word>LIST|PART|TABLE|FORM|DIVISION)\s*(?:NO\.?)?\s*[-–—.]?\s*(?P<num>[IVX]+|\d{1,3}|[A-Z])(?![A-Za-z])"
)


@dataclass(slots=True)
class Node:
    """A provision under construction; offsets are into the running text."""

    kind: str
    number: str
    eid: str
    heading: str
    start: int
    text_start: int
    end: int
    parent: Node | None = None
    status: str = "in_force"
    text: str | None = None
    depth: int = 1


@dataclass(slots=True)
class ActTree:
    """What was read of an Act."""

    running: RunningText
    nodes: list[Node]
    marks: list[tuple[int, Note]]
    warnings: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Body:
    """Rows of the Act proper and what has been found on them."""

    rows: list[Row]
    series: list[Candidate]
    containers: list[Frame]
    schedule_row: int
    state_rows: set[int]
    gone_listed: list[str] = field(default_factory=list)


def read_act(page_text: PageText, *, unit: str, entry_prefix: str) -> ActTree | None:
    """The tree of provisions of one Act; None if no numbered provision is found.

    Parameters
    ----------
    page_text
        Rows of the pages of the Act.
    unit
        ``section`` or ``article``: what its numbered provisions are called.
    entry_prefix
        How entries of its Schedules are cited (``Art`` in the Limitation Act); usually empty.
    """
    front = read_front_matter(page_text.rows)
    body = _find_sections(page_text, front)
    if not body.series:
        return None
    tail = read_grids(body.rows[body.schedule_row :], page_text.right - page_text.left)
    body.rows = body.rows[: body.schedule_row] + tail
    tail_frames = _tail_frames(body)
    spans = _section_spans(body)
    breaks = {first for first, _, _ in spans} | {f.first for f in body.containers}
    breaks |= {f.first for frames in tail_frames for f in frames}
    breaks |= {lead for _, _, lead in spans}
    running = join_rows(body.rows, breaks, page_text.right)
    builder = _Builder(page_text, front, body, running, unit, entry_prefix)
    builder.containers()
    builder.sections(spans)
    builder.tail(*tail_frames)
    notes = read_notes(page_text.footnotes)
    marks = [
        (running.starts[i] + min(offset, len(row.text)), notes[(row.page, label)])
        for i, row in enumerate(body.rows)
        for offset, label in row.marks
        if (row.page, label) in notes
    ]
    return ActTree(running, builder.finished(), marks)


def _find_sections(page_text: PageText, front: FrontMatter) -> _Body:
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
        around = Surroundings(front.contents, page_text.margins, page_text.body_size, state, schedule_row)
        series = best_series(score_candidates(candidates, rows, around), listed)
        if not listed or len(series) >= 0.5 * len(listed) or schedule_row == len(rows):
            break
    if series:
        schedule_row = next((i for i in [*frames, len(rows)] if i > series[-1].row), len(rows))
    series = _repair(series, candidates, rows, front.contents, schedule_row)
    starts = {c.row for c in series}
    containers = []
    skip = -1
    for i in range(min(schedule_row, len(rows))):
        if i <= skip or i in state:
            continue
        frame = container_at(rows, i, starts)
        if frame:
            containers.append(frame)
            skip = frame.last
    body = _Body(rows, series, containers, schedule_row, state)
    body.gone_listed = _gone_listed(series, front.contents)
    return body


def _repair(
    series: list[Candidate],
    candidates: Sequence[Candidate],
    rows: Sequence[Row],
    contents: dict[str, str],
    schedule_row: int,
) -> list[Candidate]:
    """Adopt sections whose number is misprinted, known by a heading the contents list there."""
    found = {c.order for c in series}
    for c in series:
        found |= {order_of(n) for n in expand_range(c.number, c.last)}
    taken = {c.row for c in series}
    for number, heading in contents.items():
        if order_of(number) in found or len(heading) < 8:
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


def _gone_listed(series: Sequence[Candidate], contents: dict[str, str]) -> list[str]:
    """Numbers that the contents give as repealed or omitted and the text leaves out."""
    found = {c.order for c in series}
    for c in series:
        found |= {order_of(n) for n in expand_range(c.number, c.last)}
    return [n for n, heading in contents.items() if order_of(n) not in found and _GONE_HEADING.match(heading)]


def _section_spans(body: _Body) -> list[tuple[int, int, int]]:
    """(first row, last row, row where its lead-in begins) of each section in the series."""
    framed = {i for f in body.containers for i in range(f.first, f.last + 1)}
    leads: list[int] = []
    previous = -1
    for c in body.series:
        lead = max(_stub_start(body.rows, c), previous + 1)
        while lead - 1 > previous and (
            (lead - 1) in framed or (heading_like(body.rows[lead - 1]) and (lead - 1) not in body.state_rows)
        ):
            lead -= 1
        leads.append(lead)
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
    """Row of the bare number that announces a section in old plain-text editions, else its own.

    They print ``82.`` and the heading on lines of their own before the section.
    """
    for i in range(c.row - 1, max(-1, c.row - 6), -1):
        number = match_number(rows[i].text, len(rows[i].text))
        if number and number[0] == c.number and not rows[i].text[number[2] :].strip():
            announced = " ".join(r.text for r in rows[i + 1 : c.row]).lower()
            heading = rows[c.row].text[c.rest :].lower()
            if announced and fuzz.partial_ratio(announced[:40], heading) > 85:
                return i
    return c.row


def _tail_frames(body: _Body) -> tuple[list[Frame], list[Frame]]:
    """Schedules (with appendices) and Orders behind the last section."""
    schedules: list[Frame] = []
    orders: list[Frame] = []
    skip = -1
    for i in range(body.schedule_row, len(body.rows)):
        if i <= skip:
            continue
        order = order_at(body.rows, i)
        frame = None if order else schedule_at(body.rows, i)
        if order:
            orders.append(order)
            skip = order.last
        elif frame and not _repeats(frame, schedules):
            schedules.append(frame)
            skip = frame.last
    return schedules, orders


def _repeats(frame: Frame, earlier: Sequence[Frame]) -> bool:
    """A Schedule's title printed again at the top of its next page, or a mention set like a title."""
    return (
        any(f.kind == frame.kind and f.number == frame.number for f in earlier) and frame.kind == "schedule"
    )


class _Builder:
    """Makes the nodes of one Act in reading order."""

    def __init__(
        self,
        page_text: PageText,
        front: FrontMatter,
        body: _Body,
        running: RunningText,
        unit: str,
        entry_prefix: str,
    ) -> None:
        self.page_text = page_text
        self.front = front
        self.body = body
        self.running = running
        self.unit = unit
        self.entry_prefix = entry_prefix
        self.nodes: list[Node] = []
        self.open_containers: list[tuple[int, Node]] = []
        self.inline = self._inline_headings()
        self.margin_lines: dict[int, list[MarginLine]] = {}
        for line in page_text.margins:
            self.margin_lines.setdefault(line.page, []).append(line)

    def _inline_headings(self) -> bool:
        """Whether sections carry their heading before a dash, as India Code prints them."""
        series = self.body.series
        return sum(c.has_dash or c.gone for c in series) > 0.4 * len(series) and (
            not self.page_text.margins or len(self.page_text.margins) < 0.5 * len(series)
        )

    def span(self, first: int, last: int) -> tuple[int, int]:
        return self.running.starts[first], self.running.ends[last]

    def add(self, node: Node) -> Node:
        node.depth = node.parent.depth + 1 if node.parent else 1
        self.nodes.append(node)
        return node

    # Parts and Chapters -------------------------------------------------

    def containers(self) -> None:
        stack: list[Node] = []
        frames = self.body.containers
        closing = self.body.schedule_row
        for frame in frames:
            kinds = [n.kind for n in stack]
            if frame.kind in kinds:
                del stack[kinds.index(frame.kind) :]
            parent = stack[-1] if stack else None
            start, head_end = self.span(frame.first, frame.last)
            short = "part" if frame.kind == "part" else "chp"
            eid = f"{parent.eid}__{short}_{frame.number}" if parent else f"{short}_{frame.number}"
            title = f"{frame.kind.capitalize()} {frame.number}"
            node = self.add(Node(frame.kind, title, eid, frame.heading, start, head_end, head_end, parent))
            node.status = "omitted" if frame.gone else "in_force"
            stack.append(node)
            self.open_containers.append((frame.first, node))
        end_of_sections = self.running.ends[closing - 1] if closing else 0
        for i, (_, node) in enumerate(self.open_containers):
            node.end = next(
                (n.start for _, n in self.open_containers[i + 1 :] if n.depth <= node.depth), end_of_sections
            )

    def container_of(self, row: int) -> Node | None:
        found = [node for first, node in self.open_containers if first < row]
        return found[-1] if found else None

    # Sections ------------------------------------------------------------

    def sections(self, spans: Sequence[tuple[int, int, int]]) -> None:
        waiting = sorted(self.body.gone_listed, key=order_of)
        for c, (first, last, _) in zip(self.body.series, spans, strict=True):
            while waiting and order_of(waiting[0]) < c.order:
                self._listed_only(waiting.pop(0), self.running.starts[first])
            parent = self.container_of(first)
            state_from = next(
                (i for i in range(first + 1, last + 1) if is_state_head(self.body.rows[i])), None
            )
            own_last = last if state_from is None else state_from - 1
            self._section(c, first, own_last, parent)
            if state_from is not None:
                self._state_amendments(c, state_from, last, parent)
        at = self.running.ends[spans[-1][1]]
        for number in waiting:
            self._listed_only(number, at)

    def _section(self, c: Candidate, first: int, last: int, parent: Node | None) -> None:
        start, end = self.span(first, last)
        after_number = self.running.starts[first] + c.rest
        heading, offset = split_heading(
            self.running.text[after_number:end],
            bold=self._bold_until(first, last) - after_number,
            listed=self.front.contents.get(c.number, ""),
            margin=self._margin(first),
            inline=self.inline,
        )
        text_start = min(after_number + offset, end)
        status = _status(self.running.text[after_number:end], self.running.text[text_start:end])
        short = "art" if self.unit == "article" else "sec"
        for number in [c.number, *expand_range(c.number, c.last)]:
            listed = self.front.contents.get(number, "") if number != c.number else ""
            node = Node(
                self.unit,
                number,
                f"{short}_{number}",
                listed or heading,
                start,
                text_start,
                end,
                parent,
                status,
            )
            self.add(node)
            if number == c.number:
                self._subdivide(node, first, last)

    def _bold_until(self, first: int, last: int) -> int:
        """Offset at which the bold type that opens a section ends."""
        at = self.running.starts[first]
        for i in range(first, min(last, first + 5) + 1):
            row = self.body.rows[i]
            at = self.running.starts[i] + row.bold
            if row.bold < len(row.text.rstrip()) - 1:
                break
        return at

    def _margin(self, first: int) -> str:
        """The marginal note that begins beside a section: its lines down to the next section's."""
        row = self.body.rows[first]
        slack = 0.9 * max(row.size, 8.0)
        following = [
            self.body.rows[c.row].y0
            for c in self.body.series
            if self.body.rows[c.row].page == row.page and self.body.rows[c.row].y0 > row.y0 + 1
        ]
        until = min(following, default=float("inf")) - slack
        parts: list[str] = []
        last = row.y0
        for line in self.margin_lines.get(row.page, ()):
            if row.y0 - slack <= line.y0 < until and line.y0 - last < 1.6 * max(row.size, 8.0):
                parts.append(line.text)
                last = line.y0
        return re.sub(r"(?<=[a-z])- (?=[a-z])", "-", " ".join(parts))

    def _listed_only(self, number: str, at: int) -> None:
        """A provision that only the contents still name, as repealed or omitted."""
        heading = self.front.contents[number].strip(" .[]")
        short = "art" if self.unit == "article" else "sec"
        status = "repealed" if heading.lower().startswith("rep") else "omitted"
        self.add(Node(self.unit, number, f"{short}_{number}", heading, at, at, at, None, status, text=""))

    def _state_amendments(self, c: Candidate, first: int, last: int, parent: Node | None) -> None:
        """State amendments behind a section, one entry a State."""
        short = "art" if self.unit == "article" else "sec"
        heads = [(i, state_name(self.body.rows[i])) for i in range(first, last + 1)]
        named = [(i, name) for i, name in heads if name] or [(first, "State amendment")]
        named[0] = (first, named[0][1])
        for k, (i, name) in enumerate(named):
            until = named[k + 1][0] - 1 if k + 1 < len(named) else last
            start, end = self.span(i, until)
            slug = re.sub(r"[^a-z]+", "-", name.lower()).strip("-")
            eid = f"{short}_{c.number}__state_{slug}"
            self.add(
                Node(
                    "entry",
                    f"{c.number} ({name})",
                    eid,
                    f"State amendment, {name}",
                    start,
                    start,
                    end,
                    parent,
                )
            )

    def _subdivide(self, node: Node, first: int, last: int) -> None:
        rows = []
        for i in range(first, last + 1):
            start, end = self.running.starts[i], self.running.ends[i]
            if end <= node.text_start:
                continue
            start = max(start, node.text_start)
            text = self.running.text[start:end]
            lead = len(text) - len(text.lstrip())
            rows.append((start + lead, end, text[lead:]))
        by_path: dict[tuple[tuple[str, str], ...], Node] = {}
        for part in subdivide(rows, node.text_start, node.end, article=self.unit == "article"):
            eid = node.eid + "".join(f"__{name}_{number}" for name, number in part.path)
            number = node.number + "".join(_cited(name, n) for name, n in part.path)
            parent = by_path.get(part.path[:-1], node)
            child = Node(part.kind, number, eid, "", part.start, part.text_start, part.end, parent)
            by_path[part.path] = self.add(child)

    # Schedules, Orders and rules ------------------------------------------

    def tail(self, schedules: Sequence[Frame], orders: Sequence[Frame]) -> None:
        rows = self.body.rows
        for k, frame in enumerate(schedules):
            until = schedules[k + 1].first - 1 if k + 1 < len(schedules) else len(rows) - 1
            start, end = self.span(frame.first, until)
            short = {"schedule": "sched"}.get(frame.kind, frame.kind)
            eid = f"{short}_{frame.number or '1'}"
            node = self.add(
                Node(
                    "schedule",
                    schedule_label(frame),
                    eid,
                    frame.heading,
                    start,
                    self.running.ends[frame.last],
                    end,
                    None,
                    "omitted" if frame.gone else "in_force",
                )
            )
            inside = [o for o in orders if frame.first < o.first <= until]
            if inside:
                self._orders(node, inside, until)
            else:
                self._entries(node, frame, frame.last + 1, until)

    def _orders(self, schedule: Node, orders: Sequence[Frame], until: int) -> None:
        for k, order in enumerate(orders):
            last = orders[k + 1].first - 1 if k + 1 < len(orders) else until
            start, end = self.span(order.first, last)
            node = self.add(
                Node(
                    "order",
                    f"O{_order_number(order.number)}",
                    f"order_{order.number}",
                    order.heading,
                    start,
                    self.running.ends[order.last],
                    end,
                    schedule,
                    "omitted" if order.gone else "in_force",
                )
            )
            self._rules(node, order, order.last + 1, last)

    def _rules(self, order: Node, frame: Frame, first: int, last: int) -> None:
        rows = self.body.rows[first : last + 1]
        candidates = find_candidates(rows)
        state = state_blocks(rows, candidates, {})
        around = Surroundings({}, (), self.page_text.body_size, state, len(rows))
        series = best_series(score_candidates(candidates, rows, around))
        for k, c in enumerate(series):
            until = series[k + 1].row - 1 if k + 1 < len(series) else len(rows) - 1
            while until > c.row and heading_like(rows[until]):
                until -= 1
            start, end = self.span(first + c.row, first + until)
            after_number = self.running.starts[first + c.row] + c.rest
            heading, offset = split_heading(
                self.running.text[after_number:end],
                bold=self._bold_until(first + c.row, first + until) - after_number,
                listed="",
                margin="",
                inline=True,
            )
            text_start = min(after_number + offset, end)
            status = _status(self.running.text[after_number:end], self.running.text[text_start:end])
            for number in [c.number, *expand_range(c.number, c.last)]:
                node = Node(
                    "rule",
                    f"{order.number}R{number}",
                    f"{order.eid}__rule_{number}",
                    heading,
                    start,
                    text_start,
                    end,
                    order,
                    status,
                )
                self.add(node)
                if number == c.number:
                    self._subdivide(node, first + c.row, first + until)

    def _entries(self, schedule: Node, frame: Frame, first: int, last: int) -> None:
        """Numbered entries of a Schedule; the numbering may restart under each List or Part."""
        rows = self.body.rows
        found: list[tuple[int, str, int, str]] = []  # row, number, offset behind it, sub-frame
        sub, restarts, previous = "", 0, (0, "")
        framed_by = ""  # a List or Part seen since the last entry
        for i in range(first, last + 1):
            row = rows[i]
            framed = _SUB_FRAME.match(row.text) if len(row.text) < 140 else None
            if framed and (row.centred or row.text.isupper()):
                framed_by = f"{framed['word'].lower()}_{framed['num']}"
                continue
            match = match_number(row.text, row.bold) or _table_number(row.text)
            if match is None or match[4]:
                continue
            order = order_of(match[0])
            if order == (1, ""):
                restarts += previous != (0, "")
                sub = framed_by or (f"series_{restarts + 1}" if restarts else "")
            elif not (previous < order and order[0] <= previous[0] + 3):
                continue
            framed_by = ""
            previous = order
            found.append((i, match[0], match[2], sub))
        if len(found) < 2:
            return
        for k, (i, number, offset, sub) in enumerate(found):
            until = found[k + 1][0] - 1 if k + 1 < len(found) else last
            start, end = self.span(i, until)
            text_start = min(self.running.starts[i] + offset, end)
            eid = f"{schedule.eid}{'__' + sub if sub else ''}__entry_{number}"
            cited = (
                f"{self.entry_prefix}{number}" if self.entry_prefix else f"{schedule.number}, entry {number}"
            )
            status = _status(self.running.text[text_start:end], self.running.text[text_start:end])
            self.add(Node("entry", cited, eid, "", start, text_start, end, schedule, status))

    # ----------------------------------------------------------------------

    def finished(self) -> list[Node]:
        """Nodes in reading order, parents before children, ids made unique."""
        seen: dict[str, int] = {}
        for node in self.nodes:
            seen[node.eid] = seen.get(node.eid, 0) + 1
            if seen[node.eid] > 1:
                node.eid = f"{node.eid}~{seen[node.eid]}"
            while node.text_start < node.end and self.running.text[node.text_start].isspace():
                node.text_start += 1
        return sorted(self.nodes, key=lambda n: (n.start, -n.end, n.depth))


def _table_number(text: str) -> tuple[str, int, int, str, bool] | None:
    """Number of a table record: ``303(2) | Theft`` or ``49 | Abetment``."""
    match = re.match(r"^\W*(\d{1,3}[A-Z]{0,3})(?:\s*\(\d+\))?\s*\|\s*", text)
    return (match[1], match.start(1), match.end(), "", False) if match else None


def _cited(name: str, number: str) -> str:
    if name in ("proviso", "explanation", "exception", "illustration"):
        return f" {name} {number}"
    return f"({number})"


def _order_number(number: str) -> str:
    """Arabic number of an Order: XXXIX is 39, XXA is 20A."""
    match = re.fullmatch(r"([IVXLC]+?)([A-H]?)", number)
    if match and roman(match[1]):
        return f"{roman(match[1])}{match[2]}"
    return number


def _status(whole: str, text: str) -> str:
    for status, pattern in _GONE:
        if pattern.match(whole[:500]) or pattern.match(text[:500]):
            return status
    return "in_force"

"""Parts, Chapters, sections, State amendments, Schedules and their entries as nodes of the tree."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from citegrain.tasks.core.tables import grouped
from citegrain.tasks.law.numbers import HYPHENS, order_number, order_of
from citegrain.tasks.offline.structure.blocks import (
    Frame,
    heading_like,
    schedule_label,
    state_blocks,
    state_name,
)
from citegrain.tasks.offline.structure.body import Body, FrontMatter
from citegrain.tasks.offline.structure.candidates import (
    HEADING_END,
    Candidate,
    NumberMatch,
    Surroundings,
    find_candidates,
    looks_like_heading,
    match_number,
    score_candidates,
)
from citegrain.tasks.offline.structure.notes import STATE_AMENDMENT
from citegrain.tasks.offline.structure.rows import MARKER, PageText, Row, breaks_off
from citegrain.tasks.offline.structure.sequence import best_series, is_comment, is_comment_head
from citegrain.tasks.offline.structure.tree import Node, Tree, status_of

_LONGEST_TITLE, _TITLE_ROWS = 240, 4  # characters, rows
_MOSTLY, _SOME = 0.6, 0.3  # of the sections
_FEW_MARGINS = 0.5  # lines in the margin, a section
_LETTERS = 3  # fewer beside a section are specks that OCR read
_DASHES = "-–—―"
_GOES_ON = f",;:{_DASHES}"
_STOPS = tuple(re.compile(rf"{stop}\s+(?=[A-Z(“‘\"'\[*])") for stop in (":", r"\s[-–]", r"\."))
"""What may part a heading from the text behind it in the same row, where type does not."""

_SUB_FRAME = re.compile(
    rf"^\W*(?P<word>LIST|PART|TABLE|FORM|DIVISION)\s*(?:NO\.?)?\s*[-{HYPHENS}—.]?\s*"
    r"(?P<num>[IVX]+|\d{1,3}|[A-Z])(?![A-Za-z])"
)


def _is_bold(row: Row) -> bool:
    return row.bold >= len(row.text.rstrip()) - 1 > 0


def _is_capital(row: Row) -> bool:
    return row.text.isupper() and sum(map(str.isalpha, row.text)) > _LETTERS


class SectionReader:
    """Adds Parts, Chapters and sections to a tree, in reading order."""

    def __init__(self, tree: Tree, page_text: PageText, front: FrontMatter, body: Body) -> None:
        self.tree = tree
        self.running = tree.running
        self.page_text = page_text
        self.front = front
        self.body = body
        self.open_containers: list[tuple[int, Node]] = []
        self.doubts: list[str] = []
        self.titled = {} if body.heads else self._titled()
        # sections carry their heading before a dash, as India Code prints them
        dashed = sum(c.has_dash or c.gone for c in body.series) > 0.4 * len(body.series)
        few_margins = len(page_text.margins) < _FEW_MARGINS * len(body.series)
        self.inline = dashed and few_margins and not (self.titled or body.heads)
        self.margin_lines = grouped((line.page, line) for line in page_text.margins)

    def _titled(self) -> dict[int, tuple[int, int]]:
        """Where the heading of each section ends (row, offset) that stands on rows of its own, or is bold.

        Nothing of a document that prints it before a dash, or in the margin.
        """
        series, margins = self.body.series, self.page_text.margins
        before_dash = sum(bool(HEADING_END.search(self.body.rows[c.row].text[c.rest :])) for c in series)
        if len(margins) > _FEW_MARGINS * len(series) or before_dash > _SOME * len(series):
            return {}
        ends = [c.row for c in series[1:]] + [self.body.schedule_row or len(self.body.rows)]
        sections = list(zip(series, ends, strict=True))
        longer = [(c, end) for c, end in sections if end > c.row + 1]
        at_stops = ((partial(self._before_stop, stop), sections) for stop in _STOPS)
        # each gives row and offset where the heading of a section ends, up to a row; None: none is set off
        ways: list[tuple[Callable[..., tuple[int, int] | None], list[tuple[Candidate, int]]]]
        ways = [(self._own_rows, longer), (self._bold_words, sections), *at_stops]
        for title_end, read in ways:
            strict = {c.row for c, end in read if title_end(c, end, strict=True)}
            if len(strict) > _MOSTLY * len(read):
                places = ((c.row, title_end(c, end, strict=False)) for c, end in read)
                return {row: end for row, end in places if end is not None}
        return {}

    def _own_rows(self, c: Candidate, end: int, *, strict: bool) -> tuple[int, int] | None:
        """End of a heading that stands on rows of its own; ``strict``: bold, or its last row short."""
        rows = self.body.rows
        at = c.row + (not rows[c.row].text[c.rest :].strip())  # the number may stand on a row of its own
        first = rows[at]
        for last in range(at, min(at + _TITLE_ROWS, end - 1)):
            row, below = rows[last], rows[last + 1]
            text = " ".join(r.text for r in rows[c.row : last + 1])[c.rest :].strip()
            too_long = not 2 < len(text) <= _LONGEST_TITLE or HEADING_END.search(text)
            if too_long or (strict and not looks_like_heading(text)):
                return None
            goes_on = below.text[:1].islower() and text[-1] != "."
            for alike in (_is_bold, _is_capital):
                goes_on = alike(below) if alike(first) else goes_on
            if not goes_on:
                short = row.centred or row.x1 < self.tree.edge or self.page_text.paragraphs
                open_end = text[-1] in _GOES_ON and not (text[-1] == ":" and looks_like_heading(text))
                complete = not open_end and not below.text[:1].islower()
                is_heading = complete and (short or _is_bold(first) or not strict)
                return (last, len(row.text)) if is_heading else None
        return None

    def _bold_words(self, c: Candidate, end: int, *, strict: bool) -> tuple[int, int] | None:
        """End of a heading in bold type, behind which the text begins in the same row."""
        rows = self.body.rows
        for last in range(c.row, min(c.row + _TITLE_ROWS, end)):
            if not _is_bold(rows[last]):
                row = rows[last]
                if last > c.row and not row.bold and row.text[:1] not in _DASHES:
                    return last - 1, len(rows[last - 1].text)
                words, behind = row.text[: row.bold].strip(), row.text[row.bold :].lstrip()
                begun = words and (last > c.row or row.bold > c.rest + 2)
                dash = any(end and end in _DASHES for end in (words[-1:], behind.lstrip(" .:;")[:1]))
                return (last, row.bold) if begun and not dash else None
        return None

    def _before_stop(
        self, stop: re.Pattern[str], c: Candidate, end: int, *, strict: bool
    ) -> tuple[int, int] | None:
        """End of a heading that a stop parts from the text; ``strict``: it is no sentence."""
        rows = self.body.rows[c.row : min(c.row + _TITLE_ROWS, end)]
        text = " ".join(row.text for row in rows)
        match = stop.search(text, c.rest, c.rest + _LONGEST_TITLE)
        heading = text[c.rest : match.start()].strip() if match else ""
        if match is None or not heading[:1].isupper() or (strict and not looks_like_heading(heading)):
            return None
        offset = match.end()
        for last, row in enumerate(rows, c.row):
            if offset <= len(row.text):
                return last, offset
            offset -= len(row.text) + 1
        return None

    def containers(self) -> None:
        stack: list[Node] = []
        frames = self.body.containers
        closing = self.body.schedule_row
        for frame in frames:
            kinds = [n.kind for n in stack]
            if frame.kind in kinds:
                del stack[kinds.index(frame.kind) :]
            parent = stack[-1] if stack else None
            start, head_end = self.tree.span(frame.first, frame.last)
            short = "part" if frame.kind == "part" else "chp"
            eid = f"{parent.eid}__{short}_{frame.number}" if parent else f"{short}_{frame.number}"
            title = f"{frame.kind.capitalize()} {frame.number}"
            place = start, head_end, head_end
            node = self.tree.add(Node(frame.kind, title, eid, frame.heading, *place, parent, _status(frame)))
            stack.append(node)
            self.open_containers.append((frame.first, node))
        end_of_sections = self.running.ends[closing - 1] if closing else 0
        for i, (_, node) in enumerate(self.open_containers):
            node.end = next(
                (n.start for _, n in self.open_containers[i + 1 :] if n.depth <= node.depth), end_of_sections
            )

    def sections(self, spans: Sequence[tuple[int, int, int]]) -> None:
        """Add the sections at ``spans``, and those that only the contents still name."""
        waiting = sorted(self.body.gone_listed, key=order_of)
        for c, (first, last, _) in zip(self.body.series, spans, strict=True):
            while waiting and order_of(waiting[0]) < c.order:
                self._listed_only(waiting.pop(0), self.running.starts[first])
            parent = next((node for row, node in reversed(self.open_containers) if row < first), None)
            state_from = next(
                (i for i in range(first + 1, last + 1) if STATE_AMENDMENT.match(self.body.rows[i].text)), None
            )
            end = last if state_from is None else state_from - 1
            comment = next((i for i in range(first + 1, end + 1) if is_comment_head(self.body.rows[i])), None)
            self.tree.add_numbered(
                c,
                (first, end if comment is None else comment - 1),
                (self.tree.unit, "", self.tree.short),
                parent,
                listed=self.front.contents,
                margin=self._margin(first),
                inline=self.inline,
                title_end=self.titled.get(first),
                model_heading=self.body.model_headings.get(c.number, ""),
            )
            if comment is not None:
                self._comment(c, comment, end, parent)
            if state_from is not None:
                self._state_amendments(c, state_from, last, parent)
        at = self.running.ends[spans[-1][1]]
        for number in waiting:
            self._listed_only(number, at)

    def _comment(self, c: Candidate, first: int, last: int, parent: Node | None) -> None:
        """What the editor says of a section, as an entry behind it: no law, unless the section goes on."""
        rows = self.body.rows
        goes_on = any(MARKER.match(row.text) for row in rows[first + 1 : last + 1])
        if goes_on or breaks_off(rows[first - 1]) or not is_comment(rows[first]):
            words = f"{self.tree.unit} {c.number} breaks off at {rows[first].text[:40]!r}"
            self.doubts.append(f"{words}, and what follows may be law: page {rows[first].page}")
        start, end = self.tree.span(first, last)
        eid = f"{self.tree.short}_{c.number}__comment"
        name = f"{c.number} (comment)"
        node = Node("entry", name, eid, "Editor's comment", start, start, end, parent, annexed=True)
        self.tree.add(node)

    def _margin(self, first: int) -> str:
        """The heading above a section, else the marginal note beside it, down to that of the next."""
        above = first
        while above - 1 in self.body.heads:
            above -= 1
        if above < first:
            return " ".join(row.text for row in self.body.rows[above:first])
        row = self.body.rows[first]
        following = [
            self._margin_top(self.body.rows[c.row])
            for c in self.body.series
            if self.body.rows[c.row].page == row.page and self.body.rows[c.row].y0 > row.y0 + 1
        ]
        top, until = self._margin_top(row), min(following, default=float("inf"))
        parts: list[str] = []
        last = row.y0
        for line in self.margin_lines.get(row.page, ()):
            if top <= line.y0 < until and line.y0 - last < 1.6 * row.size:
                parts.append(line.text)
                last = line.y0
        note = re.sub(r"(?<=[a-z])- (?=[a-z])", "-", " ".join(parts))
        return note if sum(map(str.isalpha, note)) >= _LETTERS else ""

    def _margin_top(self, row: Row) -> float:
        """How far up the page the marginal note of the section at ``row`` may begin, points.

        A line just above it, with another below, ends the note of the section before where that
        note had not come to its full stop.
        """
        top = row.y0 - 0.9 * max(row.size, 8.0)
        lines = self.margin_lines.get(row.page, [])
        margin = [i for i, m in enumerate(lines) if top <= m.y0 <= row.y0 + 0.5 * row.size]
        if len(margin) < 2 or lines[margin[0]].y0 >= row.y0 - 0.3 * row.size:
            return top
        first = lines[margin[0]]
        above = lines[margin[0] - 1] if margin[0] else None
        near = above is not None and first.y0 - above.y0 < 1.6 * row.size
        goes_on = near and above is not None and not above.text.rstrip().endswith(".")
        return lines[margin[1]].y0 if goes_on or first.text[:1].islower() else top

    def _listed_only(self, number: str, at: int) -> None:
        """A provision that only the contents still name, as repealed or omitted."""
        heading = self.front.contents[number].strip(" .[]")
        status = "repealed" if heading.lower().startswith("rep") else "omitted"
        self.tree.add(
            Node(self.tree.unit, number, f"{self.tree.short}_{number}", heading, at, at, at, None, status, "")
        )

    def _state_amendments(self, c: Candidate, first: int, last: int, parent: Node | None) -> None:
        """State amendments behind a section, one entry a State."""
        heads = [(i, state_name(self.body.rows[i])) for i in range(first, last + 1)]
        states = [(i, name) for i, name in heads if name] or [(first, "State amendment")]
        states[0] = (first, states[0][1])
        for k, (i, name) in enumerate(states):
            until = states[k + 1][0] - 1 if k + 1 < len(states) else last
            start, end = self.tree.span(i, until)
            slug = re.sub(r"[^a-z]+", "-", name.lower()).strip("-")
            eid = f"{self.tree.short}_{c.number}__state_{slug}"
            heading = f"State amendment, {name}"
            number = f"{c.number} ({name})"
            self.tree.add(Node("entry", number, eid, heading, start, start, end, parent, annexed=True))


@dataclass(frozen=True)
class TailReader:
    """Adds what stands behind the last section to a tree; ``entry_prefix`` as of :func:`read_act`."""

    tree: Tree
    body_size: float
    entry_prefix: str

    def read(self, schedules: Sequence[Frame], orders: Sequence[Frame]) -> None:
        """Add Schedules with their entries, or with the Orders and rules that stand in them."""
        rows = self.tree.rows
        for k, frame in enumerate(schedules):
            until = schedules[k + 1].first - 1 if k + 1 < len(schedules) else len(rows) - 1
            start, end = self.tree.span(frame.first, until)
            short = {"schedule": "sched"}.get(frame.kind, frame.kind)
            eid, text_start = f"{short}_{frame.number or '1'}", self.tree.running.ends[frame.last]
            label, status = schedule_label(frame), _status(frame)
            node = Node("schedule", label, eid, frame.heading, start, text_start, end, None, status)
            self.tree.add(node)
            if inside := [o for o in orders if frame.first < o.first <= until]:
                self._orders(node, inside, until)
            elif frame.kind != "form":  # whose numbers are of blanks to be filled in
                self._entries(node, frame.last + 1, until)

    def _orders(self, schedule: Node, orders: Sequence[Frame], until: int) -> None:
        for k, order in enumerate(orders):
            last = orders[k + 1].first - 1 if k + 1 < len(orders) else until
            start, end = self.tree.span(order.first, last)
            number, eid = f"O{order_number(order.number)}", f"order_{order.number}"
            text_start, status = self.tree.running.ends[order.last], _status(order)
            node = Node("order", number, eid, order.heading, start, text_start, end, schedule, status)
            self.tree.add(node)
            self._rules(node, order.last + 1, last)

    def _rules(self, order: Node, first: int, last: int) -> None:
        rows = self.tree.rows[first : last + 1]
        candidates = find_candidates(rows)
        state = state_blocks(rows, candidates, {})
        around = Surroundings({}, (), self.body_size, state, len(rows))
        series = best_series(score_candidates(candidates, rows, around))
        for k, c in enumerate(series):
            until = series[k + 1].row - 1 if k + 1 < len(series) else len(rows) - 1
            while until > c.row and heading_like(rows[until]):
                until -= 1
            name = ("rule", f"{order.number}R", f"{order.eid}__rule")
            self.tree.add_numbered(c, (first + c.row, first + until), name, order, listed={})

    def _entries(self, schedule: Node, first: int, last: int) -> None:
        """Numbered entries of a Schedule; the numbering may restart under each List or Part."""
        rows = self.tree.rows
        entries: list[tuple[int, str, int, str]] = []  # row, number, offset behind it, sub-frame
        sub, restarts, previous = "", 0, (0, "")
        framed_by = ""  # a List or Part seen since the last entry
        for i in range(first, last + 1):
            row = rows[i]
            framed = _SUB_FRAME.match(row.text) if len(row.text) < 140 else None
            if framed and (row.centred or row.text.isupper()):
                framed_by = f"{framed['word'].lower()}_{framed['num']}"
                continue
            match = match_number(row.text, row.bold) or _table_number(row.text)
            if match is None or match.quoted:
                continue
            order = order_of(match.number)
            if order == (1, ""):
                restarts += previous != (0, "")
                sub = framed_by or (f"series_{restarts + 1}" if restarts else "")
            elif not (previous < order and order[0] <= previous[0] + 3):
                continue
            framed_by = ""
            previous = order
            entries.append((i, match.number, match.rest, sub))
        if len(entries) < 2:
            return
        for k, (i, number, offset, sub) in enumerate(entries):
            until = entries[k + 1][0] - 1 if k + 1 < len(entries) else last
            start, end = self.tree.span(i, until)
            text_start = min(self.tree.running.starts[i] + offset, end)
            eid = f"{schedule.eid}{'__' + sub if sub else ''}__entry_{number}"
            cited = f"{self.entry_prefix or f'{schedule.number}, entry '}{number}"
            text = self.tree.running.text[text_start:end]
            status = status_of(text, text)
            self.tree.add(Node("entry", cited, eid, "", start, text_start, end, schedule, status))


def _status(frame: Frame) -> str:
    return "omitted" if frame.gone else "in_force"


def _table_number(text: str) -> NumberMatch | None:
    """Number of a table record: ``303(2) | Theft`` or ``49 | Abetment``."""
    match = re.match(r"^\W*(\d{1,3}[A-Z]{0,3})(?:\s*\(\d+\))?\s*\|\s*", text)
    return NumberMatch(match[1], match.start(1), match.end(), "", False) if match else None

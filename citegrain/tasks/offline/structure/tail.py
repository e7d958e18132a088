"""Schedules, their entries, Orders and rules as nodes of the tree."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citegrain.tasks.law.numbers import order_number, order_of
from citegrain.tasks.offline.structure.blocks import Frame, heading_like, schedule_label, state_blocks
from citegrain.tasks.offline.structure.candidates import (
    NumberMatch,
    Surroundings,
    find_candidates,
    match_number,
    score_candidates,
)
from citegrain.tasks.offline.structure.sequence import best_series
from citegrain.tasks.offline.structure.tree import Node, Tree, status_of

_SUB_FRAME = re.compile(
    r"^\W*(?P<word>LIST|PART|TABLE|FORM|DIVISION)\s*(?:NO\.?)?\s*[-–—.]?\s*(?P<num>[IVX]+|\d{1,3}|[A-Z])(?![A-Za-z])"
)


class TailReader:
    """Adds what stands behind the last section to a tree.

    ``entry_prefix`` is how entries of the Schedules are cited; usually empty.
    """

    def __init__(self, tree: Tree, body_size: float, entry_prefix: str) -> None:
        self.tree = tree
        self.running = tree.running
        self.body_size = body_size
        self.entry_prefix = entry_prefix

    def read(self, schedules: Sequence[Frame], orders: Sequence[Frame]) -> None:
        """Add Schedules with their entries, or with the Orders and rules that stand in them."""
        rows = self.tree.rows
        for k, frame in enumerate(schedules):
            until = schedules[k + 1].first - 1 if k + 1 < len(schedules) else len(rows) - 1
            start, end = self.tree.span(frame.first, until)
            short = {"schedule": "sched"}.get(frame.kind, frame.kind)
            eid, text_start = f"{short}_{frame.number or '1'}", self.running.ends[frame.last]
            label, status = schedule_label(frame), _status(frame)
            node = Node("schedule", label, eid, frame.heading, start, text_start, end, None, status)
            self.tree.add(node)
            inside = [o for o in orders if frame.first < o.first <= until]
            if inside:
                self._orders(node, inside, until)
            elif frame.kind != "form":  # whose numbers are of blanks to be filled in
                self._entries(node, frame.last + 1, until)

    def _orders(self, schedule: Node, orders: Sequence[Frame], until: int) -> None:
        for k, order in enumerate(orders):
            last = orders[k + 1].first - 1 if k + 1 < len(orders) else until
            start, end = self.tree.span(order.first, last)
            number, eid = f"O{order_number(order.number)}", f"order_{order.number}"
            text_start, status = self.running.ends[order.last], _status(order)
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
            text_start = min(self.running.starts[i] + offset, end)
            eid = f"{schedule.eid}{'__' + sub if sub else ''}__entry_{number}"
            cited = (
                f"{self.entry_prefix}{number}" if self.entry_prefix else f"{schedule.number}, entry {number}"
            )
            text = self.running.text[text_start:end]
            status = status_of(text, text)
            self.tree.add(Node("entry", cited, eid, "", start, text_start, end, schedule, status))


def _status(frame: Frame) -> str:
    return "omitted" if frame.gone else "in_force"


def _table_number(text: str) -> NumberMatch | None:
    """Number of a table record: ``303(2) | Theft`` or ``49 | Abetment``."""
    match = re.match(r"^\W*(\d{1,3}[A-Z]{0,3})(?:\s*\(\d+\))?\s*\|\s*", text)
    return NumberMatch(match[1], match.start(1), match.end(), "", False) if match else None

"""One Act, from rows to a tree of provisions over its running text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from citegrain.tasks.offline.structure.body import Body, find_body, section_spans, tail_frames
from citegrain.tasks.offline.structure.candidates import Candidate
from citegrain.tasks.offline.structure.contents import FrontMatter, read_front_matter
from citegrain.tasks.offline.structure.grids import read_grids
from citegrain.tasks.offline.structure.notes import Note, read_notes
from citegrain.tasks.offline.structure.rows import PageText
from citegrain.tasks.offline.structure.rules import form_frames, read_rules_body
from citegrain.tasks.offline.structure.sections import SectionReader
from citegrain.tasks.offline.structure.tail import TailReader
from citegrain.tasks.offline.structure.text import RunningText, join_rows
from citegrain.tasks.offline.structure.tree import Node, Tree


@dataclass(slots=True)
class ActTree:
    """What was read of an Act.

    ``listed`` are the numbers and headings of its contents; ``before``: characters before it that are none.
    """

    running: RunningText
    nodes: list[Node]
    marks: list[tuple[int, Note]]
    listed: dict[str, str] = field(default_factory=dict)
    before: int = 0


@dataclass(frozen=True)
class Heading:
    """A section that another than the patterns read: where it begins, and its heading; empty if unknown."""

    candidate: Candidate
    heading: str


def read_body(page_text: PageText, rules: str = "") -> tuple[FrontMatter, Body, bool]:
    """Front matter and body of an Act or of rules, and whether they were read as rules."""
    front = read_front_matter(page_text.rows)
    of_rules = read_rules_body(page_text, front, rules) if rules else None
    return (*(of_rules or (front, find_body(page_text, front))), of_rules is not None)


def read_act(
    page_text: PageText,
    *,
    unit: str,
    entry_prefix: str,
    rules: str = "",
    headings: Mapping[int, Heading] | None = None,
) -> ActTree | None:
    """The tree of provisions of one Act, or one set of rules; None if no numbered provision is found.

    Parameters
    ----------
    page_text
        Rows of the pages of the Act.
    unit
        ``section`` or ``article``: what its numbered provisions are called.
    entry_prefix
        How entries of its Schedules are cited (``Art`` in the Limitation Act); usually empty.
    rules
        act_id of rules, which are read by their name; empty: an Act.
    headings
        Sections beside those that the patterns find, by row of the body.
    """
    front, body, of_rules = read_body(page_text, rules)
    more = headings or {}
    body.series = sorted([*body.series, *(h.candidate for h in more.values())], key=lambda c: c.row)
    body.named = {h.candidate.number: h.heading for h in more.values() if h.heading}
    if not body.series:
        return None
    tail = read_grids(body.rows[body.schedule_row :], page_text.right - page_text.left)
    body.rows = body.rows[: body.schedule_row] + tail
    frames = (form_frames(body), []) if of_rules else tail_frames(body)
    spans = section_spans(body)
    breaks = {first for first, _, _ in spans} | {f.first for f in body.containers}
    breaks |= {f.first for group in frames for f in group}
    breaks |= {lead for _, _, lead in spans}
    running = join_rows(body.rows, breaks, page_text.right, page_text.paragraphs)
    tree = Tree(body.rows, running, unit)
    sections = SectionReader(tree, page_text, front, body)
    sections.containers()
    sections.sections(spans)
    TailReader(tree, page_text.body_size, entry_prefix).read(*frames)
    notes = read_notes(page_text.footnotes)
    marks = [
        (running.starts[i] + min(offset, len(row.text)), notes[(row.page, label)])
        for i, row in enumerate(body.rows)
        for offset, label in row.marks
        if (row.page, label) in notes
    ]
    ahead = [] if of_rules or front.contents else page_text.rows[: front.body_row]
    return ActTree(running, tree.finished(), marks, front.contents, sum(len(row.text) for row in ahead))

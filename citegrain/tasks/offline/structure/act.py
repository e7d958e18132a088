"""One Act, from rows to a tree of provisions over its running text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from citegrain.tasks.offline.structure.blocks import Frame
from citegrain.tasks.offline.structure.body import Body, find_body, section_spans, tail_frames
from citegrain.tasks.offline.structure.candidates import Candidate
from citegrain.tasks.offline.structure.contents import FrontMatter, read_front_matter
from citegrain.tasks.offline.structure.grids import read_grids
from citegrain.tasks.offline.structure.notes import Note, read_notes
from citegrain.tasks.offline.structure.rows import PageText
from citegrain.tasks.offline.structure.sections import SectionReader
from citegrain.tasks.offline.structure.tail import TailReader
from citegrain.tasks.offline.structure.text import RunningText, join_rows
from citegrain.tasks.offline.structure.tree import Node, SplitHeading, Tree


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


@dataclass(frozen=True)
class BodyReader:
    """How a kind of document is read that has sections, but is printed otherwise than Acts are.

    Attributes
    ----------
    body
        Front matter and body, from the pages, the front matter as an Act has it, and the id; None where the
        document is not printed so, and is read as an Act.
    frames
        What stands behind the last section: forms, annexures, Schedules.
    heading
        Heading of a provision and where its text begins, from its first rows, its heading in the table of
        contents, and that beside or above it.
    """

    body: Callable[[PageText, FrontMatter, str], tuple[FrontMatter, Body] | None]
    frames: Callable[[Body], list[Frame]]
    heading: SplitHeading


def read_body(
    page_text: PageText, act_id: str = "", reader: BodyReader | None = None
) -> tuple[FrontMatter, Body, bool]:
    """Front matter and body of an Act, and whether they were read by the reader of another kind."""
    front = read_front_matter(page_text.rows)
    other = reader.body(page_text, front, act_id) if reader else None
    return (*(other or (front, find_body(page_text, front))), other is not None)


def read_act(
    page_text: PageText,
    act_id: str,
    unit: str,
    entry_prefix: str,
    reader: BodyReader | None = None,
    headings: Mapping[int, Heading] | None = None,
) -> ActTree | None:
    """The tree of provisions of one Act; None if no numbered provision is found.

    Parameters
    ----------
    page_text
        Rows of the pages of the Act.
    act_id
        Its id.
    unit
        ``section`` or ``article``: what its numbered provisions are called.
    entry_prefix
        How entries of its Schedules are cited (``Art`` in the Limitation Act); usually empty.
    reader
        How a kind that is printed otherwise is read; None: as Acts are.
    headings
        Sections beside those that the patterns find, by row of the body.
    """
    front, body, is_other = read_body(page_text, act_id, reader)
    more = headings or {}
    body.series = sorted([*body.series, *(h.candidate for h in more.values())], key=lambda c: c.row)
    body.named = {h.candidate.number: h.heading for h in more.values() if h.heading}
    if not body.series:
        return None
    tail = read_grids(body.rows[body.schedule_row :], page_text.right - page_text.left)
    body.rows = body.rows[: body.schedule_row] + tail
    frames = (reader.frames(body), []) if reader and is_other else tail_frames(body)
    spans = section_spans(body)
    breaks = {first for first, _, _ in spans} | {f.first for f in body.containers}
    breaks |= {f.first for group in frames for f in group}
    breaks |= {lead for _, _, lead in spans}
    running = join_rows(body.rows, breaks, page_text.right, page_text.paragraphs)
    tree = Tree(body.rows, running, unit, reader.heading if reader else None)
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
    ahead = [] if is_other or front.contents else page_text.rows[: front.body_row]
    return ActTree(running, tree.finished(), marks, front.contents, sum(len(row.text) for row in ahead))

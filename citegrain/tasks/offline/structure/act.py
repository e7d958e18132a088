"""One document, from rows to a tree of provisions over its running text: of sections or of paragraphs."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from citegrain.tasks.core.endpoint import CallConfig
from citegrain.tasks.core.schemas import UNCLAIMED
from citegrain.tasks.law.citations import PARAGRAPH
from citegrain.tasks.law.numbers import ORDINALS
from citegrain.tasks.offline.structure.blocks import Frame, schedule_at
from citegrain.tasks.offline.structure.body import (
    Body,
    FrontMatter,
    find_body,
    opens_enactment,
    read_front_matter,
    section_spans,
    tail_frames,
)
from citegrain.tasks.offline.structure.candidates import Candidate
from citegrain.tasks.offline.structure.coverage import (
    PROVISION,
    Places,
    behind_places,
    front_places,
    in_runs,
    tree_places,
)
from citegrain.tasks.offline.structure.notes import Note, marks_of, read_grids, read_notes
from citegrain.tasks.offline.structure.rows import PageText, Row, RunningText, ends_open, join_rows
from citegrain.tasks.offline.structure.sections import SectionReader, TailReader
from citegrain.tasks.offline.structure.signs import lost_parts
from citegrain.tasks.offline.structure.tree import Node, SplitHeading, Tree

_SHORTEST = 100  # characters: a shorter paragraph, such as a heading, stands with the next
_LONG = 1000  # characters: from here on a paragraph is cut at the end of a sentence
_SCHEDULE = re.compile(
    rf"^\W*(?:THE\s+)?(?:(?P<ordinal>{'|'.join(ORDINALS)})\s+SCHEDULE\b|SCHEDULE\W*$)", re.IGNORECASE
)
_BREAK = re.compile(r"\n+")
_SENTENCE = re.compile(r"(?<=[.?!]) +(?=[A-Z(“\"])")


@dataclass(slots=True)
class ActTree:
    """What was read of an Act.

    ``listed`` are the numbers and headings of its contents; ``before``: characters before it that are none;
    ``places``: where the rows went that it was read from; ``doubts``: what speaks against it, in words.
    """

    running: RunningText
    nodes: list[Node]
    marks: list[tuple[int, Note]]
    listed: dict[str, str] = field(default_factory=dict)
    before: int = 0
    places: Places = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)

    def pages_of(self, kind: str) -> tuple[int, int]:
        """Pages on which the first provision of a kind begins and the last ends; 0: it has none."""
        spans = [(n.start, n.end) for n in self.nodes if n.kind == kind]
        if not spans:
            return 0, 0
        return self.running.page_at(min(spans)[0]), self.running.page_at(max(end for _, end in spans) - 1)


@dataclass(frozen=True)
class Heading:
    """A section that another than the patterns read: where it begins, and its heading; empty if unknown."""

    candidate: Candidate
    heading: str


@dataclass(frozen=True)
class BodyReader:
    """How a kind of document is read that has sections, but is printed otherwise than Acts are.

    ``body``: front matter and body, from the pages, the front matter as an Act has it, and the id; None where
    the document is not printed so, and is read as an Act. ``frames``: what stands behind the last section:
    forms, annexures, Schedules. ``heading``: heading of a provision and where its text begins, from its first
    rows, its heading in the table of contents, and that beside or above it. ``doubts``: what speaks against
    its end being there, in words.
    """

    body: Callable[[PageText, FrontMatter, str], tuple[FrontMatter, Body] | None]
    frames: Callable[[Body], list[Frame]]
    heading: SplitHeading
    doubts: Callable[[Body, Sequence[Frame]], Iterator[str]]


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

    ``unit``: ``section`` or ``article``: what its numbered provisions are called. ``entry_prefix``: how
    entries of its Schedules are cited (``Art`` in the Limitation Act); usually empty. ``reader``: how a kind
    that is printed otherwise is read; None: as Acts are. ``headings``: sections beside those that the
    patterns find, by row of the body.
    """
    front, body, is_other = read_body(page_text, act_id, reader)
    more = headings or {}
    body.series = sorted([*body.series, *(h.candidate for h in more.values())], key=lambda c: c.row)
    body.model_headings = {h.candidate.number: h.heading for h in more.values() if h.heading}
    if not body.series:
        return None
    n_body = len(body.rows)
    tail = read_grids(body.rows[body.schedule_row :], page_text.right - page_text.left)
    body.rows = body.rows[: body.schedule_row] + tail
    frames = (reader.frames(body), []) if reader and is_other else tail_frames(body)
    spans = section_spans(body)
    breaks = {f.first for group in (body.containers, *frames) for f in group}
    breaks |= {row for first, _, lead in spans for row in (first, lead)}
    running = join_rows(body.rows, breaks, page_text.right, page_text.paragraphs)
    tree = Tree(body.rows, running, unit, reader.heading if reader else None)
    sections = SectionReader(tree, page_text, front, body)
    sections.containers()
    sections.sections(spans)
    TailReader(tree, page_text.body_size, entry_prefix).read(*frames)
    marks = marks_of(body.rows, running, read_notes(page_text.footnotes))
    ahead, behind = page_text.rows[: front.body_row], page_text.rows[front.body_row + n_body :]
    before = 0 if is_other or front.contents else sum(len(row.text) for row in ahead)
    nodes = tree.finished()
    places = tree_places(body.rows, running, nodes, _unheld(body, spans, len(running.text)))
    ahead_places = front_places(ahead, len(running.text), front.contents_row)
    for rows, names in ((ahead, ahead_places), (behind, behind_places(behind))):
        places |= {row.printed[0]: [(name, 0)] for row, name in zip(rows, names, strict=True)}
    doubts = [*sections.doubts, *_doubts(page_text, front, body, behind, nodes)]
    doubts += lost_parts(running, nodes, unit)
    doubts += reader.doubts(body, frames[0]) if reader and is_other else ()
    return ActTree(running, nodes, marks, front.contents, before, places, doubts)


def _doubts(
    page_text: PageText, front: FrontMatter, body: Body, behind: Sequence[Row], nodes: Sequence[Node]
) -> Iterator[str]:
    """What the rows of an Act say against its reading, in words."""
    after = [*body.rows[body.series[0].row :], *behind]
    if pages := sorted({after[i].page for i in range(len(after)) if opens_enactment(after, i)}):
        yield f"another Act begins on {in_runs(pages)}"
    last = body.rows[-1]
    if ends_open(last, page_text.right):
        yield f"its text breaks off on page {last.page}: {last.text[-40:]!r}"
    frame = schedule_at(body.rows, len(body.rows) - 1)
    if frame and not frame.gone:
        yield f"its last Schedule has no text: {last.text[:40]!r}"
    contents = page_text.rows[front.contents_row + 1 : front.body_row] if front.contents else ()
    listed = max(map(_listed_schedule, contents), default=0)
    read = [n.eid.removeprefix("sched_") for n in nodes if n.kind == "schedule"]
    if listed > max((int(number) for number in read if number.isdecimal()), default=len(read)):
        yield f"its contents list Schedule {listed}, which is not there"


def _unheld(body: Body, spans: Sequence[tuple[int, int, int]], length: int) -> list[str]:
    """Of each row of an Act its place where no provision holds it."""
    opening = front_places(body.rows[: spans[0][2]], length)
    places = opening + [UNCLAIMED] * (body.schedule_row - len(opening))
    for first, _, lead in spans:
        places[lead:first] = [PROVISION] * (first - lead)  # a heading above sections
    return places + behind_places(body.rows[body.schedule_row :])


def _listed_schedule(row: Row) -> int:
    """Number of the Schedule that a row of the contents lists; 0 where it lists none that is law."""
    match = _SCHEDULE.match(row.text)
    gone = match is None or "[" in row.text or "epealed" in row.text or "mitted" in row.text
    return 0 if gone or match is None else ORDINALS.index((match["ordinal"] or "first").lower()) + 1


def read_paragraphs(page_text: PageText) -> ActTree | None:
    """The paragraphs of a document, numbered as they follow; None if it has no text.

    The id of a paragraph is a digest of its words: one that is inserted renames no other.
    """
    running = join_rows(page_text.rows, set(), page_text.right, page_text.paragraphs)
    tree = Tree(page_text.rows, running, "section")
    for number, (start, end) in enumerate(paragraph_spans(running), 1):
        words = " ".join(running.text[start:end].lower().split())
        name = f"par_{hashlib.sha256(words.encode()).hexdigest()[:8]}"
        tree.add(Node(PARAGRAPH, str(number), name, "", start, start, end))
    nodes = tree.finished()
    places = tree_places(page_text.rows, running, nodes, [UNCLAIMED] * len(page_text.rows))
    return ActTree(running, nodes, [], places=places) if nodes else None


def paragraph_spans(running: RunningText) -> list[tuple[int, int]]:
    """Start and end of each paragraph; short ones are joined to the next, the last to the one before."""
    text, spans, start = running.text, [], 0
    for end, following in _edges(running):
        if end - start >= _SHORTEST or (following == len(text) and text[start:end].strip()):
            spans.append((start, end))
            start = following
    if len(spans) > 1 and spans[-1][1] - spans[-1][0] < _SHORTEST:
        (first, _), (_, last) = spans[-2:]
        spans[-2:] = [(first, last)]
    return spans


def _edges(running: RunningText) -> list[tuple[int, int]]:
    """Where a paragraph may end and the next begin: line breaks; pages and long texts at a sentence's end."""
    text = running.text
    breaks = {m.start(): m.end() for m in _BREAK.finditer(text)} | {len(text): len(text)}
    for _, page in running.pages:
        end = page
        while end and text[end - 1].isspace():
            end -= 1
        if end and text[end - 1] in ".:;?!":
            breaks.setdefault(end, page)
    edges, start = [], 0
    for end, following in sorted(breaks.items()):
        for match in _SENTENCE.finditer(text, start, end):
            if match.start() - start >= _LONG:
                edges.append(match.span())
                start = match.end()
        edges.append((end, following))
        start = following
    return edges


@dataclass(frozen=True, kw_only=True)
class HeadingCalls(CallConfig):
    """How a model is asked for headings; the budget is that of one Act."""

    group: ClassVar[str] = "structure.calls"

    max_tokens: int = 4096
    timeout: float = 60.0
    attempts: int = 2
    max_calls: int = 40
    max_seconds: float = 300.0


@dataclass
class HeadingReplies:
    """What came of asking about one Act.

    ``headings``: those that were taken, by row of the body. ``refused``: how many were not, by reason.
    """

    spans: int = 0
    headings: dict[int, Heading] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)

    def note(self, taken: int) -> str:
        """What was asked and given, in words."""
        note = f"a language model was asked about {self.spans} span{'s' * (self.spans != 1)}: "
        note += f"{taken} heading{'s' * (taken != 1)} taken"
        refused = [f"{n} refused: {why}" for why, n in sorted(self.refused.items()) if n]
        if self.errors:
            refused.append(f"no reply for {len(self.errors)}: {self.errors[0]}")
        return "; ".join([note, *refused])


AskHeadings = Callable[[PageText, str, str, BodyReader | None], HeadingReplies]
"""From the rows of an Act, its id, its unit and how its kind is read to headings."""

"""One document, from rows to a tree of provisions over its running text: of sections or of paragraphs."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import ClassVar, Protocol

from citegrain.tasks.core.endpoint import CallConfig
from citegrain.tasks.core.plugins import Plugins
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
from citegrain.tasks.offline.structure.grids import read_grids
from citegrain.tasks.offline.structure.notes import Note, marks_of, read_notes
from citegrain.tasks.offline.structure.rows import PageText, Row, RunningText, ends_open, join_rows
from citegrain.tasks.offline.structure.sections import SectionReader, TailReader
from citegrain.tasks.offline.structure.tree import Node, SplitHeading, Tree

_SHORTEST = 100  # characters: a shorter paragraph, such as a heading, stands with the next
_LONG = 1000  # characters: from here on a paragraph is cut at the end of a sentence
_SCHEDULE = re.compile(rf"^\W*(?:THE\s+)?(?P<ordinal>{'|'.join(ORDINALS)})\s+SCHEDULE\b", re.IGNORECASE)
_BRACKET = re.compile(r"^\W{0,3}\[(?!\s*[Ss]ee\b)")
_ENTRY_NUMBER = re.compile(r"\d+(?=[A-Z]*$)")
_MANY_ENTRIES, _LONG_ENTRY, _TIMES_LONGER = 20, 3000, 40  # of a Schedule; characters of one; the usual one
_FEWEST_LOST = 2  # clauses that lack in a row: a single one may be omitted without a sign
_OF_RULES = ("rule", "regulation")
_MARK = re.compile(r"(?:^|\n)(\((?:[2-9]|1\d)\)) [A-Z]")
_FIRST_MARK = re.compile(r"\(\s?[1lI|]\s?\)")  # a scan reads a letter
_BREAK = re.compile(r"\n+")
_SENTENCE = re.compile(r"(?<=[.?!]) +(?=[A-Z(“\"])")

PATTERNS = "patterns"
HEADING_READERS = Plugins("structure.headings", ("citegrain.tasks.published.headings",))
"""Who reads headings where sections must be missing, by the names that ``structure.headings`` may have."""


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
    doubts
        What speaks against its end being there, in words.
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

    Parameters
    ----------
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
    body.model_headings = {h.candidate.number: h.heading for h in more.values() if h.heading}
    if not body.series:
        return None
    n_body = len(body.rows)
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
    marks = marks_of(body.rows, running, read_notes(page_text.footnotes))
    ahead, behind = page_text.rows[: front.body_row], page_text.rows[front.body_row + n_body :]
    before = 0 if is_other or front.contents else sum(len(row.text) for row in ahead)
    nodes = tree.finished()
    places = tree_places(body.rows, running, nodes, _unheld(body, spans, len(running.text)))
    ahead_places = front_places(ahead, len(running.text), front.contents_row)
    for rows, names in ((ahead, ahead_places), (behind, behind_places(behind))):
        places |= {row.printed[0]: [(name, 0)] for row, name in zip(rows, names, strict=True)}
    doubts = [*sections.doubts, *_doubts(page_text, front, body, behind, nodes)]
    doubts += _lost_parts(running.text, nodes, unit)
    doubts += reader.doubts(body, frames[0]) if reader and is_other else ()
    return ActTree(running, nodes, marks, front.contents, before, places, doubts)


def _doubts(
    page_text: PageText, front: FrontMatter, body: Body, behind: Sequence[Row], nodes: Sequence[Node]
) -> Iterator[str]:
    """What the rows of an Act say against its reading, in words."""
    after = [*body.rows[body.series[0].row :], *behind]
    pages = sorted({after[i].page for i in range(len(after)) if opens_enactment(after, i)})
    if pages:
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
    if listed and not any(number.isdecimal() and int(number) >= listed for number in read):
        yield f"its contents list Schedule {listed}, which is not there"


def _lost_parts(text: str, nodes: Sequence[Node], unit: str) -> Iterator[str]:
    """What the parts of provisions, and the last provision, say against their being whole, in words."""
    final = max(nodes, key=lambda n: (n.end, n.start))
    rows = text[final.start : final.end].split("\n")
    opened = [row for row in rows if _BRACKET.match(row)]
    if opened and sum(row.count("[") - row.count("]") for row in rows) > 0:
        yield f"its last provision opens a bracket that nothing closes: {opened[-1][:40]!r}"
    if unit in _OF_RULES:  # of Acts, whose marks are amended away, it says nothing
        yield from _marks_alone(text, nodes, unit)
    by_parent: dict[tuple[int, str], list[Node]] = {}
    for node in nodes:
        by_parent.setdefault((id(node.parent), node.kind), []).append(node)
    entries = [group for (_, kind), group in by_parent.items() if kind == "entry"]
    for group in entries:
        yield from _lost_entries(group)
    for (_, kind), group in by_parent.items():
        if kind not in ("subsection", "clause"):
            continue
        for before, after in pairwise(group):
            fewest = _FEWEST_LOST if unit not in _OF_RULES else 1  # which are seldom amended
            if _missing_between(before.number, after.number) >= fewest:
                where = before.eid.split("__")[0].replace("_", " ")
                yield f"{kind} ({after.number}) follows ({before.number}) in {where}"
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


def _lost_entries(entries: Sequence[Node]) -> Iterator[str]:
    """What the entries of one Schedule say against their being all there, in words."""
    numbers = {int(match[0]) for n in entries if (match := _ENTRY_NUMBER.search(n.number))}
    if len(numbers) < _MANY_ENTRIES:
        return
    gap = next((n for n in range(1, max(numbers)) if not numbers & {n, n + 1}), 0)
    if gap:
        yield f"entries {gap} and {gap + 1} of a Schedule are not there"
    lengths = [n.end - n.start for n in entries]
    if lengths[-1] > max(_LONG_ENTRY, _TIMES_LONGER * median(lengths)):
        yield f"the last entry of a Schedule has {lengths[-1]} characters, and may hold others"


def _missing_between(before: str, after: str) -> int:
    """How many letters or numbers are left out between two; 0 where they are neither."""
    if before.isdecimal() and after.isdecimal():
        return int(after) - int(before) - 1
    letters = re.fullmatch("[a-z][a-z]", before + after)
    return ord(after) - ord(before) - 1 if letters and len(before) == 1 else 0


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
    return 0 if gone or match is None else ORDINALS.index(match["ordinal"].lower()) + 1


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


class HeadingReader(Protocol):
    """Who reads the headings of an Act of which sections are missing.

    ``errors``: why some of what was asked has no answer: another run may better the result.
    """

    errors: list[str]

    def __call__(
        self, page_text: PageText, act_id: str, unit: str, reader: BodyReader | None
    ) -> HeadingReplies:
        """The headings of an Act; ``reader`` as in :func:`read_act`."""

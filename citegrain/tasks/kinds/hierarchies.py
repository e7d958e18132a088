"""Documents of other hierarchies than an Act's, read by the levels that ``structure.hierarchy`` describes.

A guideline has chapters and recommendations, a standard clauses and subclauses (3.2.1 of the thesis): what
opens a part of each level is a pattern, and a part is cited by its level's name and its number.
"""

import re
from collections.abc import Iterator, Sequence

from citegrain.tasks.core.schemas import DOCUMENTS, LINES, PAGES, PARAGRAPHS, UNCLAIMED
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.core.store import Artefact
from citegrain.tasks.kinds.contracts import (
    Mark,
    enclose,
    heading_of,
    marked_lines,
    slug_of,
    tree_of,
    without_contents,
)
from citegrain.tasks.law.citations import DIVISION
from citegrain.tasks.offline.document import CorpusDocument, DocumentKind, Setup
from citegrain.tasks.offline.structure import (
    HIERARCHY,
    ActTree,
    Level,
    Node,
    PageText,
    account,
    act_spans,
    join_rows,
    read_rows,
    tree_places,
    unjudged,
)

_FURTHEST = 5  # numbers that may be missing between two parts
_SHORT = 0.7  # of the width of a column: a row that ends before is not broken off by the margin
_ABOVE = "chapter"  # kind of a part that is no more than a heading over others


def structure(document: CorpusDocument, parsed: Artefact, setup: Setup) -> Tables:
    """Read a document into ``texts`` and ``provisions``; its numbers are judged by nobody."""
    row, act = parsed.table(DOCUMENTS).to_pylist()[0], act_spans(document.acts)[0]
    lines, paragraphs = parsed.table(LINES), row["layout"] in PARAGRAPHS
    rows = read_rows(lines, row["body_size"], act.page_start, act.page_end, paragraphs)
    levels: Sequence[Level] = setup.configs["structure"].hierarchy
    running = join_rows(rows.rows, _breaks(rows, levels), rows.right, paragraphs)
    tree = read_levels(running.text, levels, running.pages)
    places = tree_places(rows.rows, running, tree.nodes if tree else [], [UNCLAIMED] * len(rows.rows))
    coverage = account(row["document_id"], lines, places, parsed.table(PAGES))
    return unjudged(tree, act, row["document_id"], coverage)


def _breaks(page_text: PageText, levels: Sequence[Level]) -> set[int]:
    """The rows that a level's pattern opens, and those behind one that is a heading by its shortness."""
    patterns = [re.compile(level.opens) for level in levels]
    opening = {i for i, row in enumerate(page_text.rows) if any(p.match(row.text.strip()) for p in patterns)}
    short = page_text.left + _SHORT * (page_text.right - page_text.left)
    rows = page_text.rows
    return opening | {i + 1 for i in opening if rows[i].x1 < short and rows[i].text[-1:] not in ".;:,"}


def read_levels(
    text: str, levels: Sequence[Level], pages: Sequence[tuple[int, int]] = ((1, 0),)
) -> ActTree | None:
    """The parts of a document over its text; None if it has no words.

    What no part that is cited covers is cut into paragraphs: an introduction, the first words of a chapter.

    ``levels``: the outermost first; ``pages``: where each page begins in the text.
    """
    rank = {level.name: place for place, level in enumerate(levels)}
    cited = {level.name for level in levels if level.cited}
    patterns = {level.name: re.compile(level.opens) for level in reversed(levels)}  # the innermost counts
    marks = list(_counted(without_contents(list(marked_lines(text, patterns)), list(rank)), rank))
    nodes: list[Node] = []
    open_: list[tuple[int, Node]] = []
    for mark, end in zip(marks, [*(mark.start for mark in marks[1:]), len(text)], strict=False):
        while open_ and not _holds(open_[-1], (rank[mark.kind], mark.number)):
            open_.pop()
        above = open_[-1][1] if open_ else None
        name = f"{mark.kind}_{slug_of(mark.number)}"
        heading, text_start = heading_of(text, mark.rest, end)
        kind = DIVISION if mark.kind in cited else _ABOVE
        eid = f"{above.eid}__{name}" if above else name
        depth = above.depth + 1 if above else 1
        node = Node(kind, mark.number, eid, heading, mark.start, text_start, end, above, depth=depth)
        nodes.append(node)
        open_.append((rank[mark.kind], node))
    bare = {id(n) for n in nodes if text[n.text_start : n.end].strip() in ("", n.heading)}
    covered = [(n.start, n.end if n.kind == DIVISION or id(n) in bare else n.text_start) for n in nodes]
    for node in {id(n.parent): n.parent for n in nodes if n.parent}.values():
        if node.kind != DIVISION or id(node) in bare:  # a heading over others
            level = node.eid.rpartition("__")[2].partition("_")[0]
            node.kind, node.number = _ABOVE, f"{level.capitalize()} {node.number}"
    enclose(nodes)
    return tree_of(text, pages, nodes, covered)


def _counted(marks: Sequence[Mark], rank: dict[str, int]) -> Iterator[Mark]:
    """The marks whose numbers count on: one that falls back or leaps ahead stands in a list or a sentence."""
    last: dict[int, tuple[int, ...]] = {}
    for mark in marks:
        place, number = rank[mark.kind], tuple(int(n) for n in re.findall(r"\d+", mark.number))
        before = last.get(place, ())
        outer = max((last[p] for p in last if p < place), key=len, default=())
        inside = len(number) < 2 or not outer or number[: len(outer)] == outer[: len(number) - 1]
        previous = before[len(number) - 1 :][:1] if before[: len(number) - 1] == number[:-1] else ()
        if inside and number > before and number[-1] - sum(previous) <= _FURTHEST:
            last = {p: n for p, n in last.items() if p < place} | {place: number}
            yield mark


def _holds(outer: tuple[int, Node], inner: tuple[int, str]) -> bool:
    """Whether a part stands within another: at a level further in, or by a number that begins with it."""
    (place, node), (further, number) = outer, inner
    return place < further or (place == further and number.startswith(f"{node.number}."))


KIND = DocumentKind(HIERARCHY, 90, structure=structure)

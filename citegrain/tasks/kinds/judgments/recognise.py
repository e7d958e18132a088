"""Whether a PDF is a judgment, from the rows of its pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby

from citegrain.tasks.kinds.judgments.front import FRONT_ROWS, Front, may_be_judgment, read_front
from citegrain.tasks.offline.kinds import Recognition
from citegrain.tasks.offline.pages import DocumentText, NamedAct, Segment

_PRINTS = {
    "court": "the court's copy",
    "judis": "labelled, as JUDIS has it",
    "report": "a law report",
    "publisher": "a publisher's",
}


def recognise(text: DocumentText) -> Recognition | None:
    """A judgment, by its print."""
    front = recognise_judgment(text.pages)
    if front is None:
        return None
    title = NamedAct(front.case_name, "", "judgment", 1, published=front.date)
    return Recognition(
        [title],
        warning=f"a judgment, by its print ({_PRINTS[front.print]})",
        judgment=asdict(front),
    )


def recognise_judgment(pages: Sequence[Sequence[Segment]]) -> Front | None:
    """What a judgment says of itself; None for any other document.

    Parameters
    ----------
    pages
        Segments a page, in reading order.
    """
    front: list[str] = []
    for page in pages:
        front += _rows(page)
        if len(front) >= FRONT_ROWS:
            break
    if not may_be_judgment(front):
        return None
    rows = [_rows(page) for page in pages]
    return read_front(
        front, [row for page in rows[-2:] for row in page], " ".join(row for page in rows for row in page)
    )


def _rows(page: Sequence[Segment]) -> list[str]:
    """Text of each visual row of a page."""
    rows = groupby((s for s in page if s.role != "rule"), key=lambda s: s.row)
    return [" ".join(s.text for s in row) for _, row in rows]

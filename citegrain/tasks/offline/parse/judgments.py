"""Whether a PDF is a judgment, from the rows of its pages."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from citegrain.tasks.law.cases import FRONT_ROWS, Front, may_be_judgment, read_front
from citegrain.tasks.offline.parse.layout import Segment


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

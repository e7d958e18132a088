"""Where each printed character of a document went: conservation of text.

Characters are counted without white space. Each stands in one place: in a provision, in the contents, in a
running head ...; what nothing claims is ``unclaimed``, and speaks against the reading. A claim needs a sign
of its own: what merely stands before or behind the sections of an Act is claimed by nothing.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.schemas import COVERAGE, LEFT_OUT, UNCLAIMED
from citegrain.tasks.offline.pages import n_inked
from citegrain.tasks.offline.structure.blocks import heading_like, is_capitals
from citegrain.tasks.offline.structure.body import opens_enactment
from citegrain.tasks.offline.structure.rows import Row, RunningText
from citegrain.tasks.offline.structure.sequence import is_end_head
from citegrain.tasks.offline.structure.tree import Node

PROVISION, CONTENTS, FRONT, FORM, ANNEXED = "provision", "contents", "front_matter", "form", "annexed"
_ROLES = {
    "header": "running",
    "footer": "running",
    "page_number": "page_number",
    "footnote": "footnote",
    "margin_note": "margin_note",
    "rule": LEFT_OUT,
}
_TITLED = ("part", "chapter")  # what they hold stands in other provisions
_OF_KIND = {"front": FRONT, "back": FRONT}
_ENTRY_ROWS = 5  # of the contents, with the row of the number
_FEWEST, _MOST, _PART = 600, 3000, 0.1  # characters of title page and preamble; of the text at most
_SIGNATURE_ROWS = 15
_SIGNED = re.compile(
    r"^\W*(?:By order\b|Sd/|F(?:ile|\.)? ?No)|\b(?:Secretary|Counsel|Registrar)\b", re.IGNORECASE
)
_SHORT, _LONG = 60, 120  # characters of a row
_ENTRY = re.compile(r"^\W{0,3}(?:\d{1,3}[A-Z]{0,3}|FORM)\b|\.\s*$|\.{4}")  # of contents and lists
_LIST = re.compile(
    r"^\W*(?:(?:THE\s+)?LIST OF\b|(?:TABLE OF\s+)?CONTENTS\W*$|INDEX\W*$)|\.{8}", re.IGNORECASE
)
_SHARE = 0.02  # of the text that may be unclaimed
_PAGE, _MOSTLY = 400, 0.5  # characters of a page that bears text, and the share of them

Places = dict[tuple[int, int], list[tuple[str, int]]]
"""By page and row of ``lines``: the places of its characters in order, and how many there are in each.

What the joining of rows took away, as the hyphen of a broken word, goes to the last."""


def tree_places(
    rows: Sequence[Row], running: RunningText, nodes: Iterable[Node], others: Sequence[str]
) -> Places:
    """Places of the rows of a running text: the provision that holds them, else that in ``others``."""
    spans = list(_spans(nodes))
    firsts = [first for first, _, _ in spans]
    places: Places = {}
    for row, start, end, other in zip(rows, running.starts, running.ends, others, strict=True):
        parts: list[tuple[str, int]] = []
        at, nearest = start, max(0, bisect_right(firsts, start) - 1)
        if spans and spans[nearest][0] <= start < end <= spans[nearest][1]:  # as most rows stand
            places |= {printed: [(spans[nearest][2], 0)] for printed in row.printed}
            continue
        for first, last, place in islice(spans, nearest, None):
            if first >= end or at >= end:
                break
            if last > at:
                parts.append((other, n_inked(running.text[at:first])))
                parts.append((place, n_inked(running.text[max(at, first) : min(last, end)])))
                at = min(last, end)
        parts = [part for part in (*parts, (other, n_inked(running.text[at:end]))) if part[1]]
        parts = parts or [(other, 0)]
        if len(row.printed) > 1:  # a record of a table is read as one
            parts = [max(parts, key=lambda part: part[1])]
        places |= dict.fromkeys(row.printed, parts)
    return places


def _spans(nodes: Iterable[Node]) -> Iterator[tuple[int, int, str]]:
    """Start, end and place of each outermost provision with text, in order; of a Part its title alone."""
    at = 0
    for node in sorted(nodes, key=lambda n: (n.start, -n.end)):
        end = node.text_start if node.kind in _TITLED else node.end
        if node.kind != "opinion" and end > at and node.start >= at:
            place = ANNEXED if node.annexed else FORM if node.eid.startswith("form") else PROVISION
            yield node.start, end, _OF_KIND.get(node.kind, place)
            at = end


def front_places(rows: Sequence[Row], length: int, contents_row: int = -1) -> list[str]:
    """Places of the rows before the Act proper: its title page, its contents, lists, a Statement of Objects.

    ``length``: characters of the text of which they are the beginning. ``contents_row``: row of the title of
    its contents; -1: it has none.
    """
    places: list[str] = []
    prose, since, limit = 0, 0, max(_FEWEST, min(_MOST, _PART * length))
    listed, head = False, FRONT
    for i, row in enumerate(rows):
        if i == contents_row or _LIST.search(row.text):
            listed, since, head = True, 0, CONTENTS
        elif is_end_head(row) and not 0 <= contents_row < i:
            listed, head = False, ANNEXED
        set_apart = heading_like(row) or (len(row.text) < _SHORT and is_capitals(row.text))
        anchored = set_apart or bool(_ENTRY.search(row.text)) or row.tabular
        since = 0 if anchored else since + 1
        if listed:
            places.append(head if since < _ENTRY_ROWS else UNCLAIMED)
            continue
        prose += 0 if set_apart else len(row.text)
        places.append(head if head == ANNEXED or prose <= limit else UNCLAIMED)
    return places


def behind_places(rows: Sequence[Row]) -> list[str]:
    """Places of the rows behind an Act: its signature, and what has a heading, as notes on clauses."""
    places: list[str] = []
    headed = False
    for i, row in enumerate(rows):
        if opens_enactment(rows, i):
            break
        headed = headed or is_end_head(row)
        near = rows[i:_SIGNATURE_ROWS]
        signed = any(len(r.text) < _LONG and _SIGNED.search(r.text) for r in near)
        places.append(ANNEXED if headed or signed else UNCLAIMED)
    return places + [UNCLAIMED] * (len(rows) - len(places))


def merged(all_places: Iterable[Places]) -> Places:
    """The places of several Acts in one document: a page that two share is claimed by either."""
    out: Places = {}
    for places in all_places:
        for printed, parts in places.items():
            if printed not in out or any(place == UNCLAIMED for place, _ in out[printed]):
                out[printed] = parts
    return out


def account(
    document_id: str,
    lines: pa.Table,
    places: Places,
    pages: pa.Table | None,
    roles: Sequence[str] | None = None,
) -> pa.Table:
    """Rows of ``coverage``: of each page how many characters stand in each place.

    ``places``: of the rows of body text; a row that is not there is unclaimed. ``pages``: what ``parse`` did
    not read; None: nothing. ``roles``: of the lines, where a kind of document gives them others than
    ``parse`` did.
    """
    counts: Counter[tuple[int, str, str]] = Counter()
    begins: dict[tuple[int, str, str], str] = {}

    def add(page: int, place: str, n: int, text: str, reason: str = "") -> None:
        if n:
            counts[page, place, reason] += n
            begins.setdefault((page, place, reason), text[:60])

    rows: dict[tuple[int, int], list[str]] = {}
    columns = [lines.column(name).to_pylist() for name in ("page", "row", "text", "role")]
    marked = lines.filter(pc.greater(pc.list_value_length(lines.column("marks")), 0))
    for line in marked.select(["page", "text", "marks"]).to_pylist():
        add(line["page"], "footnote", sum(n_inked(m["label"]) for m in line["marks"]), line["text"])
    for page, row, text, role in zip(*columns[:3], roles or columns[3], strict=True):
        if role == "body":
            rows.setdefault((page, row), []).append(text)
        else:
            add(page, _ROLES[role], n_inked(text), text, "lines and stamps" if role == "rule" else "")
    for printed, texts in rows.items():
        text = " ".join(texts)
        left, parts = n_inked(text), places.get(printed, [(UNCLAIMED, 0)])
        for place, n in parts[:-1]:
            add(printed[0], place, min(n, left), text)
            left -= min(n, left)
        add(printed[0], parts[-1][0], left, text)
    for unread in pages.to_pylist() if pages else ():
        if unread["status"] not in ("text", "ocr"):
            add(unread["page"], LEFT_OUT, unread["n_chars"], "", unread["reason"])
        for lost in unread["left_out"]:
            add(unread["page"], LEFT_OUT, lost["n_chars"], "", lost["reason"])
    return COVERAGE.rows(
        [
            {"document_id": document_id, "page": page, "place": place, "reason": reason, "n_chars": n}
            | {"begins": begins[page, place, reason]}
            for (page, place, reason), n in sorted(counts.items())
        ]
    )


def doubt(coverage: Sequence[Mapping[str, Any]]) -> str:
    """What speaks against a reading of which this is the account, in words; empty if nothing."""
    claimed: Counter[int] = Counter()
    unclaimed: Counter[int] = Counter()
    for row in coverage:
        if row["place"] != LEFT_OUT:
            (unclaimed if row["place"] == UNCLAIMED else claimed)[row["page"]] += row["n_chars"]
    lost, total = unclaimed.total(), unclaimed.total() + claimed.total()
    lost_pages = [
        page
        for page, n in unclaimed.items()
        if n > _MOSTLY * (n + claimed[page]) and n + claimed[page] >= _PAGE
    ]
    if not lost or (lost < _SHARE * total and not lost_pages):
        return ""
    pages = sorted(lost_pages or unclaimed)
    share = f"{lost:,} characters ({lost / total:.1%} of the text)"
    return f"{share} are in no provision, and nothing else that is known: {in_runs(pages)}"


def account_in_words(coverage: Sequence[Mapping[str, Any]]) -> str:
    """How many characters of a document stand in each place, the most first."""
    counts: Counter[str] = Counter()
    for row in coverage:
        counts[row["place"].replace("_", " ")] += row["n_chars"]
    return f"{counts.total():,} characters: " + ", ".join(
        f"{n:,} {place}" for place, n in counts.most_common()
    )


def in_runs(pages: Sequence[int]) -> str:
    """Pages in words: ``pages 3-9, 12``; of many runs the first three."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and runs[-1][1] == page - 1:
            runs[-1][1] = page
        else:
            runs.append([page, page])
    words = [str(a) if a == b else f"{a}-{b}" for a, b in runs[:3]]
    return f"page{'s' * (len(pages) > 1)} {', '.join(words)}{', ...' * (len(runs) > 3)}"

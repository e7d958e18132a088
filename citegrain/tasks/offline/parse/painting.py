"""What of a page's text a reader sees: painted, once, upright, and under nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pymupdf

Line = dict[str, Any]
Box = Sequence[float]

_FILLED, _STROKED = 16, 32  # of the flags of a character, as MuPDF has them
_WHITE = 0xF0  # least value of each colour that passes for the paper's
_OVERPRINTED = 0.12  # of the type size, between two paintings of a word
_MOSTLY = 0.6  # share of the characters of a page that run one way
_TURNS = {(0, -1): 90, (-1, 0): 180, (0, 1): 270}
"""By the direction of its lines, by how much a page is turned to be read."""
_RECTANGLE = re.compile(rb"(-?[\d.]+) +(-?[\d.]+)\s+re\b")
_TALL, _LONG = 6.0, 20.0  # of a filled rectangle that may cover a word


def span_text(span: dict[str, Any]) -> str:
    """Text of a span, of either of MuPDF's dictionaries."""
    return span["text"] if "text" in span else "".join(c["c"] for c in span["chars"])


def turned(page: pymupdf.Page, lines: Iterable[Line]) -> bool:
    """Turn a page whose text does not run as it is read; whether it was turned, and is to be read again."""
    ways: Counter[tuple[int, int]] = Counter()
    for line in lines:
        way = (round(line["dir"][0]), round(line["dir"][1]))
        ways[way] += sum(len(span_text(span).strip()) for span in line["spans"])
    (way, count), *_ = ways.most_common(1) or [((1, 0), 0)]
    if way not in _TURNS or count < _MOSTLY * ways.total():
        return False
    page.set_rotation(_TURNS[way])
    page.remove_rotation()
    return True


def painted_once(lines: list[Line]) -> list[Line]:
    """Lines without spans that are painted again at the same place, as some programs make type bold."""
    seen: dict[str, list[dict[str, Any]]] = {}
    again: set[int] = set()
    for line in lines:
        for span in line["spans"]:
            text = span_text(span).rstrip()
            if not text:
                continue
            others = seen.setdefault(text[:3], [])
            for other in others:
                if id(other) not in again and _at_one_place(span, other):
                    before = span_text(other).rstrip()
                    if before.startswith(text):
                        again.add(id(span))
                    elif text.startswith(before):
                        again.add(id(other))
            others.append(span)
    return _without(lines, again) if again else lines


def _at_one_place(one: dict[str, Any], other: dict[str, Any]) -> bool:
    limit = _OVERPRINTED * max(one["size"], 1.0)
    return all(abs(a - b) < limit for a, b in zip(one["origin"], other["origin"], strict=True))


def seen_lines(page: pymupdf.Page, lines: list[Line]) -> tuple[list[Line], int]:
    """Lines without what nobody sees, and the number of characters that are left out.

    Text is not seen that is neither filled nor stroked, is white on paper, or has an opaque rectangle painted
    over it. The text that OCR lays under a picture is kept: the picture shows it.
    """
    spans = [span for line in lines for span in line["spans"] if span_text(span).strip()]
    doubtful = [s for s in spans if not s.get("char_flags", _FILLED) & (_FILLED | _STROKED) or _is_white(s)]
    covers = _covers(page)
    if not doubtful and not covers:
        return lines, 0
    hidden = {id(span) for span in spans if any(_within(span["bbox"], cover) for cover in covers)}
    if doubtful:
        grounds = [image["bbox"] for image in page.get_image_info()]
        grounds += [d["rect"] for d in page.get_cdrawings() if _is_dark(d.get("fill"))]
        hidden |= {id(s) for s in doubtful if not any(_within(s["bbox"], box) for box in grounds)}
    count = sum(len(span_text(span).strip()) for span in spans if id(span) in hidden)
    return (_without(lines, hidden) if hidden else lines), count


def _is_white(span: dict[str, Any]) -> bool:
    return all(span.get("color", 0) >> shift & 0xFF >= _WHITE for shift in (0, 8, 16))


def _is_dark(fill: Sequence[float] | None) -> bool:
    return fill is not None and min(fill) * 255 < _WHITE


def _covers(page: pymupdf.Page) -> list[Box]:
    """Boxes that are painted over text that was painted before; each hides what it holds."""
    if not any(abs(float(h)) > _TALL and abs(float(w)) > _LONG for w, h in _rectangles(page)):
        return []
    log = page.get_bboxlog()
    drawn = {d["seqno"]: d for d in page.get_cdrawings() if d.get("fill") and d.get("fill_opacity", 1) == 1}
    covers = []
    for number, drawing in drawn.items():
        box = drawing["rect"]
        wide = box[2] - box[0] > _LONG and box[3] - box[1] > _TALL
        before = (item for item in log[:number] if item[0].endswith("text"))
        if wide and _is_box(drawing) and any(_within(item[1], box) for item in before):
            covers.append(box)
    return covers


def _rectangles(page: pymupdf.Page) -> list[tuple[bytes, bytes]]:
    try:
        return _RECTANGLE.findall(page.read_contents())
    except (RuntimeError, ValueError):
        return []


def _is_box(drawing: dict[str, Any]) -> bool:
    return all(item[0] in ("re", "qu") for item in drawing["items"])


def _within(box: Box, other: Box) -> bool:
    """Whether the middle line of a box lies within another."""
    middle = (box[1] + box[3]) / 2
    return other[1] <= middle <= other[3] and other[0] - 1 <= box[0] and box[2] <= other[2] + 1


def _without(lines: list[Line], spans: set[int]) -> list[Line]:
    left = [line | {"spans": [s for s in line["spans"] if id(s) not in spans]} for line in lines]
    return [line for line in left if any(span_text(span).strip() for span in line["spans"])]

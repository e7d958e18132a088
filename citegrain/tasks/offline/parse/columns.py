"""Tables whose columns are numbered: 1, 2, 3 ... above them, as the Schedules of the Codes print them.

MuPDF joins cells that stand close into one line. Where a page prints the numbers of the columns, the
columns' left edges follow from them, and a line that runs over an edge is cut there, at a character.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

_FEWEST = 4
_NEAR = 2.5
_CENTRED = 5.0
_WIDE = 12.0
_LEVEL = 3.0
_STACKED = 3
Line = dict[str, Any]


def has_numbered_columns(lines: list[Line]) -> bool:
    """Whether a page prints the numbers 1, 2, 3, 4 or more side by side."""
    return bool(_numbers(lines))


def _numbers(lines: list[Line]) -> list[Line]:
    """The lines that number the columns, left to right; none if there are none."""
    digits = [line for line in lines if (text := _text(line)).isdigit() and len(text) <= 2]
    for line in digits:
        level = [d for d in digits if abs(d["bbox"][1] - line["bbox"][1]) < _LEVEL]
        level.sort(key=lambda d: d["bbox"][0])
        if len(level) >= _FEWEST and [int(_text(d)) for d in level] == list(range(1, len(level) + 1)):
            return level
    return []


def split_lines(lines: list[Line]) -> list[tuple[Line, int]]:
    """(line, column) of each line of a page that numbers its columns; column 0 above the numbers.

    Parameters
    ----------
    lines
        Lines with characters, as MuPDF's raw dictionary has them.
    """
    whole = [_joined(line, line["spans"]) for line in lines]
    level = _numbers([line for line in whole if line["spans"]])
    edges = _edges(whole, level)
    middles = [_middle(number) for number in level]
    bottom = max((d["bbox"][3] for d in level), default=0.0)
    out: list[tuple[Line, int]] = []
    for line, joined in zip(lines, whole, strict=True):
        if not edges or joined["bbox"][1] < bottom - _LEVEL:
            out.append((joined, 0))
        else:
            out += [(piece, _column(piece, edges, middles)) for piece in _pieces(line, edges)]
    return [(line, column) for line, column in out if line["spans"]]


def _edges(lines: list[Line], level: list[Line]) -> list[float]:
    """Left edge of each column, between its number and the one before; none if one cannot be determined.

    An edge is the leftmost place at which several lines begin; centred lines begin further right. Where
    all lines of a column are joined to those left of it, it is the place at which most words begin.
    """
    bottom = max((d["bbox"][3] for d in level), default=0.0)
    middles = [_middle(number) for number in level]
    below = [line for line in lines if line["bbox"][1] > bottom - _LEVEL and _text(line)]
    begins = Counter(round(line["bbox"][0]) for line in below)
    words = Counter(round(x) for line in below for x in _word_starts(line))
    if len(middles) < _FEWEST or not begins:
        return []
    edges = [float(min(begins))]
    for left, right in pairwise(middles):
        centred = [
            line["bbox"][0]
            for line in below
            if left < line["bbox"][0] <= right and abs(_middle(line) - right) < _CENTRED
        ]
        if len(centred) >= _STACKED:
            edges.append(min(centred))
            continue
        stacked = [x for x, count in begins.items() if left < x <= right and count >= _STACKED]
        scattered = Counter({x: count for x, count in words.items() if left < x <= right})
        if not stacked and not scattered:
            return []
        edges.append(float(min(stacked) if stacked else scattered.most_common(1)[0][0]))
    return edges


def _word_starts(line: Line) -> Iterator[float]:
    previous = " "
    for span in line["spans"]:
        for char in span["chars"]:
            if previous.isspace() and not char["c"].isspace():
                yield char["bbox"][0]
            previous = char["c"]


def _column(line: Line, edges: list[float], middles: list[float]) -> int:
    """Column of a piece: the last whose edge it has passed, or the one under whose number it is centred.

    A centred cell that is wider than the others of its column begins left of the column's edge.
    """
    begins = line["bbox"][0]
    column = max((k for k, e in enumerate(edges, 1) if begins >= e - _NEAR), default=1)
    if column < len(middles) and abs(begins - edges[column - 1]) > _NEAR:
        middle = _middle(line)
        if abs(middle - middles[column]) < _CENTRED:
            return column + 1
    return column


def _middle(line: Line) -> float:
    return float(line["bbox"][0] + line["bbox"][2]) / 2


def _pieces(line: Line, edges: list[float]) -> list[Line]:
    """A line cut before each character that begins at an edge behind white space, or behind a wide gap."""
    pieces: list[list[dict[str, Any]]] = [[]]
    previous = " "
    inked, ink_end = False, line["bbox"][0]
    for span in line["spans"]:
        chars: list[dict[str, Any]] = []
        for char in span["chars"]:
            gap = char["bbox"][0] - ink_end
            begins = gap > _WIDE or any(abs(char["bbox"][0] - e) < _NEAR for e in edges[1:])
            if begins and inked and previous.isspace() and not char["c"].isspace():
                if chars:
                    pieces[-1].append(span | {"chars": chars})
                pieces.append([])
                chars, inked = [], False
            chars.append(char)
            previous = char["c"]
            if not char["c"].isspace():
                inked, ink_end = True, char["bbox"][2]
        if chars:
            pieces[-1].append(span | {"chars": chars})
    return [_joined(line, spans) for spans in pieces if spans]


def _joined(line: Line, spans: list[dict[str, Any]]) -> Line:
    """A line of ``spans``, each with the text and the box of its characters."""
    filled = [_from_characters(span) for span in spans if span["chars"]]
    if not filled:
        return line | {"spans": []}
    filled = [s for s in filled if s["text"].strip()] or filled
    x0, x1 = min(s["bbox"][0] for s in filled), max(s["bbox"][2] for s in filled)
    return line | {"spans": filled, "bbox": (x0, line["bbox"][1], x1, line["bbox"][3])}


def _from_characters(span: dict[str, Any]) -> dict[str, Any]:
    boxes = [c["bbox"] for c in span["chars"] if not c["c"].isspace()] or [c["bbox"] for c in span["chars"]]
    box = (min(b[0] for b in boxes), span["bbox"][1], max(b[2] for b in boxes), span["bbox"][3])
    return span | {"text": "".join(c["c"] for c in span["chars"]), "bbox": box}


def _text(line: Line) -> str:
    return "".join(span["text"] for span in line["spans"]).strip()

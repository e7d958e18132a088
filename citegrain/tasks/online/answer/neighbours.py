"""What an answer's provisions cite, and what cites them, as a drawing by hand: three columns and curves.

Left stands what speaks of the provisions, right what they speak of. It is drawn twice, for a page and, with
labels alone, for a telephone; both are text that scales, and the same bytes for the same graph.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citegrain.tasks.online.graph import Link, Neighbourhood

WORDING = {
    "cites": "cites",
    "derived_from": "made under",
    "replaced_by": "replaced by",
    "conflicts": "prevails over",
    "amended_by": "amended by",
    "followed": "follows",
    "approved": "approves",
    "explained": "explains",
    "distinguished": "distinguishes",
    "doubted": "doubts",
    "overruled": "overrules",
    "reversed": "reverses",
}
"""What each kind of edge says between its ends; the drawing has a style for each, by these names."""
_PREFIX = {"article": "Art.", "paragraph": "para", "rule": "rule", "regulation": "reg."}
_ROW, _TOP, _LEGEND, _ENTRY = 8, 6, 20, 136  # points: between boxes, above them, a legend's lines and entries


@dataclass(frozen=True, slots=True)
class Shape:
    """Measures of a drawing: its width, its columns' and its letters', points."""

    name: str
    width: int
    column: int
    letter: float
    heading: bool

    @property
    def height(self) -> int:
        """Of a box."""
        return 36 if self.heading else 24

    @property
    def gap(self) -> float:
        """Between columns."""
        return (self.width - 3 * self.column) / 2

    def fit(self, text: str, letter: float) -> str:
        """As much of a text as a box is wide."""
        most = int((self.column - 12) / letter)
        return text if len(text) <= most else text[: most - 1].rstrip(" ,(") + "…"


WIDE, NARROW = Shape("wide", 780, 212, 7.0, True), Shape("narrow", 350, 100, 6.1, False)


def short_titles(acts: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The shortest name of each Act that people write: ``BNS``, ``CrPC``, ``JJ Act``."""
    return {act["act_id"]: _short(act["title"], act["aliases"]) for act in acts}


def _short(title: str, aliases: Sequence[str] = ()) -> str:
    latin = [name for name in aliases if name.isascii() and "." not in name]
    words = [n for n in latin if re.fullmatch(r"(?=.*[A-Z].*[A-Z])[A-Za-z]{3,6}", n)]
    if " " not in title:  # an Act of which no more is known than its id
        title = title.replace("-", " ").capitalize()
    title_alone = re.sub(r"\s*\([^)]*\)", "", title.removeprefix("The ")).strip()
    return words[0] if words else min([*latin, title_alone], key=len)


def labels(rows: Iterable[Mapping[str, Any]], titles: Mapping[str, str]) -> dict[str, str]:
    """What nodes are called in a drawing, by id: ``BNS 303``, ``Constitution Art. 21``."""
    out = {}
    for row in rows:
        act, number = titles.get(row["act_id"]) or _short(row["title"]), row["number"]
        prefix = _PREFIX.get(row["kind"], "") if number[:1].isdigit() else ""
        is_act = row["node_id"] == row["act_id"]
        out[row["node_id"]] = act if is_act else " ".join(part for part in (act, prefix, number) if part)
    return out


def neighbours_picture(around: Neighbourhood, titles: Mapping[str, str]) -> dict[str, Any]:
    """What the template ``neighbours.svg.j2`` draws; empty where nothing is cited."""
    if not around.links:
        return {}
    label_by_id = labels(around.nodes.values(), titles)
    seeds = [label_by_id[seed] for seed in around.seeds]
    one, listed = len(seeds) == 1, " and ".join(filter(None, (", ".join(seeds[:-1]), seeds[-1])))
    left, _, right = _columns(around)
    it, speak = ("it", "it speaks") if one else ("them", "they speak")
    sides = [f"Left: what speaks of {it}." if left else "", f"Right: what {speak} of." if right else ""]
    return {
        "one": one,
        "sides": " ".join(filter(None, sides)),
        "kinds": _kinds(around),
        "wording": WORDING,
        "name": f"What {listed} {'cites and what cites it' if one else 'cite and what cites them'}",
        "sentences": [_sentence(link, label_by_id) for link in around.links],
        "left_out": around.total + len(around.seeds) - len(around.nodes),
        "shown": len(around.nodes),
        "drawings": [_drawing(around, label_by_id, shape) for shape in (WIDE, NARROW)],
    }


def _kinds(around: Neighbourhood) -> list[str]:
    """Kinds of links that are drawn, in the order of the legend."""
    drawn = {link.kinds[0] for link in around.links}
    return [kind for kind in WORDING if kind in drawn]


def _sentence(link: Link, labels: Mapping[str, str]) -> str:
    said = ", ".join(WORDING[kind] for kind in link.kinds)
    return f"{labels[link.source]} {said} {labels[link.target]}"


def _columns(around: Neighbourhood) -> list[list[str]]:
    """What speaks of the seeds, the seeds, and what they speak of; each near the seeds it belongs to."""
    seeds = {seed: place for place, seed in enumerate(around.seeds)}
    spoken_of = {link.target for link in around.links if link.source in seeds}
    by_column: dict[str, list[int]] = {}
    for link in around.links:
        for node, seed in ((link.source, link.target), (link.target, link.source)):
            if seed in seeds:
                by_column.setdefault(node, []).append(seeds[seed])
    others = sorted(
        (node for node in around.nodes if node not in seeds),
        key=lambda node: (sum(by_column[node]) / len(by_column[node]), list(around.nodes).index(node)),
    )
    left, right = [n for n in others if n not in spoken_of], [n for n in others if n in spoken_of]
    return [left, list(around.seeds), right]


def _drawing(around: Neighbourhood, labels: Mapping[str, str], shape: Shape) -> dict[str, Any]:
    columns = _columns(around)
    pitch = shape.height + _ROW
    tall = max(map(len, columns)) * pitch
    used = [column for column in columns if column]
    gap = shape.gap * (1 if len(used) > 2 else 4)
    boxes: dict[str, dict[str, Any]] = {}
    for place, column in enumerate(used):
        step = tall / len(column) if column is columns[1] else pitch
        top = _TOP + (tall - step * len(column)) / 2
        for row, node in enumerate(column):
            boxes[node] = _box(around, node, labels[node], shape) | {
                "x": round(place * (shape.column + gap)),
                "y": round(top + row * step + (step - shape.height) / 2),
            }
    width = max(260, *(box["x"] + shape.column for box in boxes.values()))
    per_line, kinds = width // _ENTRY, _kinds(around)
    legend = [
        {"kind": kind, "x": i % per_line * _ENTRY, "y": tall + _TOP + 16 + i // per_line * _LEGEND}
        for i, kind in enumerate(kinds)
    ]
    return {
        "shape": shape,
        "height": legend[-1]["y"] + _LEGEND // 2,
        "boxes": list(boxes.values()),
        "width": width,
        "curves": _curves(around.links, boxes, shape, labels),
        "legend": legend,
    }


def _box(around: Neighbourhood, node: str, label: str, shape: Shape) -> dict[str, Any]:
    row = around.nodes[node]
    heading = row["title"] if row["title"] != label and row["node_id"] != row["act_id"] else ""
    return {
        "label": shape.fit(label, shape.letter),
        "heading": shape.fit(heading, shape.letter * 0.9) if shape.heading else "",
        "title": ": ".join(part for part in (label, row["title"]) if part),
        "seed": node in around.seeds,
    }


Ends = tuple[tuple[float, float], tuple[float, float]]
"""Where a line begins and where it ends."""


def _curves(
    links: Sequence[Link], boxes: Mapping[str, Mapping[str, Any]], shape: Shape, labels: Mapping[str, str]
) -> list[dict[str, Any]]:
    """A line for each link, between sides of boxes; those that meet at a side do so one below the other."""
    sides = {link: _sides(link, boxes) for link in links}
    meeting: dict[tuple[str, bool], list[tuple[float, Link]]] = {}
    for link, (leaves_right, reaches_right) in sides.items():
        for node, other, right in (
            (link.source, link.target, leaves_right),
            (link.target, link.source, reaches_right),
        ):
            meeting.setdefault((node, right), []).append((boxes[other]["y"], link))
    at: dict[tuple[str, Link], tuple[float, float]] = {}
    for (node, right), lines in meeting.items():
        step = min(6.0, (shape.height - 8) / len(lines))
        for place, (_, link) in enumerate(sorted(lines, key=lambda line: line[0])):
            y = boxes[node]["y"] + shape.height / 2 + (place - (len(lines) - 1) / 2) * step
            at[node, link] = (boxes[node]["x"] + shape.column * right, round(y, 1))
    return [
        {
            "path": _path((at[link.source, link], at[link.target, link]), *sides[link], shape.gap),
            "kind": link.kinds[0],
            "title": _sentence(link, labels),
        }
        for link in links
    ]


def _sides(link: Link, boxes: Mapping[str, Mapping[str, Any]]) -> tuple[bool, bool]:
    """Whether a line leaves its source on the right, and reaches its target there."""
    a, b = boxes[link.source], boxes[link.target]
    if a["x"] == b["x"]:  # within a column, beside it
        return (a["y"] < b["y"],) * 2
    return a["x"] < b["x"], b["x"] < a["x"]


def _path(ends: Ends, leaves_right: bool, reaches_right: bool, gap: float) -> str:
    (x0, y0), (x1, y1) = ends
    if leaves_right == reaches_right:
        out = x0 + (1 if leaves_right else -1) * min(gap, 18 + abs(y1 - y0) / 4)
        return f"M{x0:g} {y0:g}C{out:g} {y0:g} {out:g} {y1:g} {x1:g} {y1:g}"
    mid = (x0 + x1) / 2
    return f"M{x0:g} {y0:g}C{mid:g} {y0:g} {mid:g} {y1:g} {x1:g} {y1:g}"

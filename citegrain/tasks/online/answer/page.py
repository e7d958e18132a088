"""An answer as one HTML page that needs nothing beside it, with the pages of the PDFs as pictures."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from citegrain.tasks.core.pages import encodable, source_of, templates
from citegrain.tasks.core.schemas import NODES
from citegrain.tasks.law.asof import AsOf
from citegrain.tasks.online.answer.building import full_text, provision_of
from citegrain.tasks.online.answer.neighbours import WORDING, neighbours_picture, short_titles
from citegrain.tasks.online.answer.schema import Answer
from citegrain.tasks.online.answer.wording import called, counterpart_line, day_line, percent
from citegrain.tasks.online.builds import ATTRIBUTES, PublishedBuild
from citegrain.tasks.online.graph import around

if TYPE_CHECKING:
    from jinja2 import Environment

_DPI = 110
_LONGEST = 1500  # words of a provision that are looked for, those around the passage
_PAGES = 6  # pages of a provision that are looked at
_RUN = 3  # words that must stand side by side, else the likeness is chance
_DRIFT = 60  # words by which footnotes and margins part what belongs together
_COLOURS = (1.0, 0.94, 0.63), (1.0, 0.81, 0.56)  # of a provision, and of a passage in it: text stays black
_SIGNS = re.compile(r"[\W_]+")

Box = tuple[float, float, float, float]
"""Left, top, right and bottom edge, points from the top left of the page."""


class PictureError(ValueError):
    """There is no picture; the message says why."""


@dataclass(frozen=True)
class Picture:
    """A page of a PDF.

    ``provision`` and ``passage``: boxes of the lines on which they stand; empty where the page has no text
    that can be read.
    """

    number: int
    png: bytes
    width: float
    height: float
    provision: list[Box]
    passage: list[Box]

    @property
    def mark(self) -> Box | None:
        """The rectangle around all that is marked, as shares of width and height; None if nothing is."""
        boxes = [*self.provision, *self.passage]
        if not boxes:
            return None
        left, top, right, bottom = zip(*boxes, strict=True)
        across, down = (min(left), max(right)), (min(top), max(bottom))
        x0, x1 = (round(x / self.width, 4) for x in across)
        y0, y1 = (round(y / self.height, 4) for y in down)
        return x0, y0, x1, y1


@lru_cache(maxsize=32)  # a re-index draws what two builds give to one question
def draw_page(
    pdf: Path, sha256: str, pages: tuple[int, int], text: str, passage: str, marked: bool = False
) -> Picture:
    """The page of a provision that has most of its passage.

    Raises PictureError if the file cannot be read or is another one by now.

    ``pages``: first and last page of the provision. ``text``: the provision, its number and heading first.
    ``marked``: whether provision and passage are marked on the picture itself, in colour.
    """
    from citegrain.tasks.core.mupdf import pymupdf

    try:
        data = pdf.read_bytes()
        if hashlib.sha256(data).hexdigest() != sha256:
            raise PictureError(f"{pdf.name} has changed since it was indexed: its page is not shown")
        with pymupdf.open(stream=data, filetype="pdf") as document:
            return _drawn(document, pages, _words(text), _words(passage), marked)
    except (OSError, RuntimeError, pymupdf.mupdf.FzErrorBase) as error:
        why = getattr(error, "strerror", None) or str(error).splitlines()[0]  # without its path
        raise PictureError(f"{pdf.name} cannot be drawn: {why}") from error


def _drawn(
    document: Any, pages: tuple[int, int], text: list[str], passage: list[str], marked: bool
) -> Picture:
    before, here, _ = f" {' '.join(text)} ".partition(f" {' '.join(passage)} ")
    at = len(before.split()) if here else 0
    numbers = _nearest_first(pages, (at + len(passage) / 2) / max(1, len(text)), document.page_count)
    first = max(0, min(at - _LONGEST // 3, len(text) - _LONGEST))
    window, at = text[first : first + _LONGEST], at - first
    from citegrain.tasks.core.mupdf import pymupdf

    best, match, page = -1, (set[int](), set[int](), list[Any]()), document[numbers[0] - 1]
    for number in numbers:
        words = [w for w in document[number - 1].get_text("words") if _words(w[4])]
        places = _align(["".join(_words(w[4])) for w in words], window)
        meant = {i for i, j in places.items() if at <= j < at + len(passage)}
        if len(meant) > best:
            best, match, page = len(meant), (set(places), meant, words), document[number - 1]
        if 2 * best > len(passage):
            break
    provision, meant, words = match
    boxes = [list(_boxes(page, words, _bridged(part))) for part in (provision, meant)]
    for colour, part in zip(_COLOURS, boxes, strict=True) if marked else ():
        if part:
            mark = page.add_highlight_annot([pymupdf.Rect(box) * page.derotation_matrix for box in part])
            mark.set_colors(stroke=colour)
            mark.update()
    pixels = page.get_pixmap(dpi=_DPI, colorspace="rgb" if marked else "gray")
    return Picture(page.number + 1, pixels.tobytes("png"), page.rect.width, page.rect.height, *boxes)


def _words(text: str) -> list[str]:
    return [word for part in text.lower().split() if (word := _SIGNS.sub("", part))]


def _nearest_first(pages: tuple[int, int], share: float, last: int) -> list[int]:
    """The pages of a provision, first the one where this share of it is likely to stand."""
    numbers = range(max(1, pages[0]), min(pages[1], last) + 1) or range(1, 2)
    likely = numbers[0] + share * (len(numbers) - 1)
    return sorted(numbers, key=lambda n: abs(n - likely))[:_PAGES]


def _align(page: Sequence[str], text: Sequence[str]) -> dict[int, int]:
    """Position in the text of each word of the page that belongs to it."""
    matcher = SequenceMatcher(None, page, text, autojunk=False)
    blocks = [b for b in matcher.get_matching_blocks() if b.size >= _RUN]
    if not blocks:
        return {}
    longest = max(blocks, key=lambda b: b.size)
    shift = longest.a - longest.b
    near = [b for b in blocks if abs(b.a - b.b - shift) <= _DRIFT]
    return {b.a + i: b.b + i for b in near for i in range(b.size)}


def _bridged(places: set[int]) -> set[int]:
    """Positions and what lies between two of them that are near: a word that was read otherwise."""
    ordered = sorted(places)
    gaps = (range(a, b) for a, b in pairwise(ordered) if b - a <= _RUN)
    return places.union(*gaps)


def _boxes(page: Any, words: Sequence[Any], places: set[int]) -> Iterator[Box]:
    """A box for each line of the words at these places."""
    from citegrain.tasks.core.mupdf import pymupdf

    for _, line in groupby(sorted(places), key=lambda i: words[i][5:7]):
        box = pymupdf.Rect()
        for i in line:
            box |= pymupdf.Rect(words[i][:4])
        x0, y0, x1, y1 = box * page.rotation_matrix
        yield min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


Rows = Sequence[Mapping[str, Any]]
_PICTURED = 5  # charges whose neighbourhood is drawn


def answer_sheet(build: PublishedBuild, answer: Answer, seconds: Mapping[str, float] | None = None) -> str:
    """An answer as one HTML page, each provision with its page of the PDF where that is at hand."""
    content = answer.to_dict()
    charges = [charge | {"text": full_text(build, charge)} for charge in content["charges"]]
    pictures = {c["provision_id"]: _picture(build, c) for c in charges if c["chunk_id"]}
    neighbours = neighbours_of(build, [str(c["provision_id"]) for c in charges[:_PICTURED]])
    explanation, trace = content.get("explanation", ()), content.get("trace", ())
    return make_sheet(content | {"charges": charges}, explanation, pictures, seconds or {}, neighbours, trace)


def neighbours_of(build: PublishedBuild, ids: Sequence[str]) -> dict[str, Any]:
    """What some provisions cite and what cites them, to be drawn; empty where the build has no graph."""
    if not build.has(NODES):
        return {}
    return neighbours_picture(around(build.graph_tables, ids), short_titles(build.acts))


def make_sheet(
    answer: Mapping[str, Any],
    explanation: Sequence[Mapping[str, Any]],
    pictures: Mapping[str, Picture | str],
    seconds: Mapping[str, float],
    neighbours: Mapping[str, Any] | None = None,
    trace: Rows = (),
) -> str:
    """The page; everything in it that others wrote is escaped.

    ``answer``: as ``ask --json`` has it, with the whole text of each charge. ``pictures``: by provision id
    the page on which it stands, or why there is none; none for texts without PDFs. ``neighbours``: as
    :func:`neighbours_picture` has it. ``trace``: as ``ask --trace --json`` has it.
    """
    environment = templates("citegrain.tasks.online.answer")
    environment.filters |= {
        "called": called,
        "counterparts": counterpart_line,
        "percent": percent,
        "embedded": embedded,
    }
    page = environment.get_template("sheet.html.j2").render(
        answer=answer,
        day=day_line(AsOf(**answer["as_of"]), answer["query"]),
        explained={row["provision_id"]: row for row in explanation},
        rows=explanation,
        stages=list(explanation[0]["stages"]) if explanation else [],
        pictures=pictures,
        attributes=ATTRIBUTES,
        seconds=seconds,
        neighbours=neighbours or {},
        trace=trace,
        style=_style(environment, "amendments.css", "sheet.css", "neighbours.css"),
    )
    return encodable(page)


def make_neighbourhood(
    build: str, neighbours: Mapping[str, Any], names: Mapping[str, str], edges: Mapping[str, Rows]
) -> str:
    """The page of a provision's neighbourhood: the picture, and each edge with the words that say it.

    ``edges``: those of each provision asked for, as ``online.graph.neighbourhood`` has them.
    """
    environment = templates("citegrain.tasks.online.answer")
    page = environment.get_template("neighbourhood.html.j2").render(
        build=build,
        neighbours=neighbours,
        names=names,
        edges=edges,
        wording=WORDING,
        style=_style(environment, "amendments.css", "neighbours.css"),
    )
    return encodable(page)


def _picture(build: PublishedBuild, charge: Mapping[str, Any]) -> Picture | str:
    """The page on which a charge stands, or why it is not shown; nothing for what is no PDF."""
    if not charge["link"].lower().partition("#")[0].endswith(".pdf"):
        return ""
    try:
        return picture_of(build, provision_of(build, charge), charge["evidence"])
    except PictureError as error:
        return str(error)


def picture_of(
    build: PublishedBuild, row: Mapping[str, Any], passage: str = "", marked: bool = False
) -> Picture:
    """The page of a row of ``provisions`` that has most of a passage; without one its first.

    ``marked``: whether the provision is marked on the picture itself. Raises PictureError if there is none.
    """
    document = row["document_id"]
    pdf = build.file(document)
    if pdf is None or pdf.suffix.lower() != ".pdf":
        raise PictureError("the PDF is not at hand: add corpus.path=DIR")
    text = f"{row['number']} {row['heading']} {row['text']}"
    return draw_page(pdf, document, (row["page_start"], row["page_end"]), text, passage, marked)


def _style(environment: Environment, base: str, *more: str) -> Markup:
    amendments = templates("citegrain.tasks.law.editions_compared")
    return source_of(amendments, base) + Markup("").join(source_of(environment, name) for name in more)


def embedded(png: bytes) -> str:
    """A picture as an address that holds it."""
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"

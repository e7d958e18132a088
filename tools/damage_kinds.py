"""Ways in which documents are damaged on their way to a reader, beyond those of ``tests``' ``damages``.

Each kind takes a ``Paper``, damages its document in place, and says whether it could. Small damages are repeated
until they touch a fiftieth of the text, or everything that they can touch.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from citegrain.tasks.core.mupdf import pymupdf

_SHARE = 0.02  # of the text
_FONT = pymupdf.Font("tiro")
_SECTION = re.compile(r"^\W{0,3}(?:\d{1,2}\[)?(\d{1,3}[A-Z]{0,2})\.\s*\W{0,2}[A-Z(—]")
_PART = re.compile(r"^\W{0,3}\((\d{1,2}|[a-z]{1,2}|[ivx]+)\)\s")
_OPENS = re.compile(
    r"^\W{0,3}(?:\(\w{1,4}\)|\d{1,3}[A-Z]{0,2}\.|Provided|Explanation|Illustration|CHAPTER|[“\"])"
)
_PROSE = 40  # characters of a row


@dataclass(frozen=True)
class Line:
    """A printed row: its box, its text and its spans."""

    box: Any
    text: str
    spans: Sequence[dict[str, Any]]


class Paper:
    """A document that is to be damaged.

    ``law``: indices of its pages that bear law. ``other``: a document of another Act.
    """

    def __init__(self, document: Any, law: Sequence[int], other: bytes, chance: random.Random) -> None:
        self.document, self.law, self.other, self.chance = document, list(law), other, chance
        self.budget = _SHARE * sum(len(page.get_text().split()) for page in document)

    def inner(self) -> int:
        """Index of a page of law that is neither the first nor the last."""
        return self.chance.choice(self.law[1:-1])

    def page(self) -> Any:
        return self.document[self.inner()]

    def shuffled(self) -> Iterator[Any]:
        """The pages of law in any order, until a fiftieth of the text was touched."""
        for index in self.chance.sample(self.law, len(self.law)):
            if self.budget <= 0:
                return
            yield self.document[index]

    def lines(self, page: Any) -> list[Line]:
        """The rows of a page from top to bottom; pieces that stand side by side are one."""
        pieces: list[Line] = []
        for block in page.get_text("dict", flags=pymupdf.TEXTFLAGS_DICT & ~pymupdf.TEXT_PRESERVE_IMAGES)[
            "blocks"
        ]:
            for line in block.get("lines", ()):
                text = "".join(span["text"] for span in line["spans"])
                if text.strip() and abs(line["dir"][0]) > 0.9:
                    pieces.append(Line(pymupdf.Rect(line["bbox"]), text, line["spans"]))
        pieces.sort(key=lambda piece: (round((piece.box.y0 + piece.box.y1) / 2), piece.box.x0))
        rows: list[Line] = []
        for piece in pieces:
            middle = (piece.box.y0 + piece.box.y1) / 2
            if rows and rows[-1].box.y0 < middle < rows[-1].box.y1 and piece.box.x0 > rows[-1].box.x0:
                last = rows.pop()
                rows.append(
                    Line(last.box | piece.box, f"{last.text} {piece.text}", [*last.spans, *piece.spans])
                )
            else:
                rows.append(piece)
        return rows

    def prose(self, page: Any) -> list[Line]:
        return [line for line in self.lines(page) if len(line.text) > _PROSE]

    def block(self, page: Any) -> Any:
        """The box around the prose of a page."""
        box = pymupdf.Rect()
        for line in self.prose(page) or self.lines(page):
            box |= line.box
        return box

    def erase(self, page: Any, boxes: Sequence[Any]) -> bool:
        """Take away what stands in some boxes."""
        for box in boxes:
            self.budget -= len(page.get_text(clip=box).split())
            page.add_redact_annot(box, fill=False)
        if boxes:
            page.apply_redactions(images=0, graphics=0)
        return bool(boxes)

    def rows_box(self, page: Any, lines: Sequence[Line]) -> Any:
        """A box of the page's width that holds the middles of some rows and no other's."""
        return pymupdf.Rect(
            0,
            lines[0].box.y0 + lines[0].box.height / 3,
            page.rect.width,
            lines[-1].box.y1 - lines[-1].box.height / 3,
        )

    def retype(
        self, page: Any, change: Callable[[str], str], color: Sequence[float] | None = None,
        lines: Sequence[Line] | None = None, shift: tuple[float, float] = (0, 0), keep: bool = False,
    ) -> bool:  # fmt: skip
        """Set rows of a page anew in their places, with other letters, in a colour, shifted or twice."""
        lines = self.lines(page) if lines is None else lines
        if not lines:
            return False
        if not keep:
            for line in lines:
                page.add_redact_annot(
                    self.rows_box(page, [line]) if len(line.text) > _PROSE else line.box, fill=False
                )
            page.apply_redactions(images=0, graphics=0)
        writer = pymupdf.TextWriter(page.rect)
        for span in (span for line in lines for span in line.spans if span["text"].strip()):
            text = change(span["text"])
            if not text.strip():
                continue
            width = _FONT.text_length(text, 1) or 1
            size = min(span["size"], (span["bbox"][2] - span["bbox"][0]) / width)
            origin = span["origin"][0] + shift[0], span["origin"][1] + shift[1]
            writer.append(origin, text, font=_FONT, fontsize=size)
        writer.write_text(page, color=color)
        self.budget -= sum(len(line.text.split()) for line in lines)
        return True

    def unnumber(self) -> None:
        """Take the printed page numbers away."""
        for page in self.document:
            boxes = [n.box for n in self.lines(page) if re.fullmatch(r"\W*\d{1,4}\W*", n.text)]
            edge = [box for box in boxes if not 0.1 < box.y0 / page.rect.height < 0.9]
            for box in edge:
                page.add_redact_annot(box, fill=False)
            if edge:
                page.apply_redactions(images=0, graphics=0)


Damage = Callable[[Paper], bool]
KINDS: dict[str, Damage] = {}
"""What a reader could see, in principle, from the document alone."""

INVISIBLE: dict[str, Damage] = {}
"""What nobody sees without another copy: the words are law, and stand in order."""


LATER: dict[str, Damage] = {}
"""Kinds that were written when the others had been looked at."""


def kind(table: dict[str, Damage]) -> Callable[[Damage], Damage]:
    def put(damage: Damage) -> Damage:
        table[damage.__name__] = damage
        return damage

    return put


def _inside(box: Any) -> Any:
    """A box that touches no neighbour."""
    return pymupdf.Rect(box.x0 + 0.3, box.y0 + 2, box.x1 - 0.3, box.y1 - 2)


# whole pages ---------------------------------------------------------------------------------


@kind(KINDS)
def page_lost_without_numbers(paper: Paper) -> bool:
    paper.unnumber()
    paper.document.delete_page(paper.inner())
    return True


@kind(KINDS)
def page_blank(paper: Paper) -> bool:
    """A sheet was fed the wrong side up: nothing is on the page."""
    at = paper.inner()
    box = paper.document[at].rect
    paper.document.delete_page(at)
    paper.document.new_page(at, width=box.width, height=box.height)
    return True


@kind(KINDS)
def pages_change_places(paper: Paper) -> bool:
    """Two pages apart from each other, in a print without page numbers."""
    if len(paper.law) < 5:
        return False
    paper.unnumber()
    first, second = sorted(paper.chance.sample(paper.law[1:], 2))
    order = list(range(len(paper.document)))
    order[first], order[second] = second, first
    paper.document.select(order)
    return True


@kind(KINDS)
def page_again_later(paper: Paper) -> bool:
    paper.unnumber()
    at = paper.inner()
    paper.document.fullcopy_page(at, -1)
    paper.document.move_page(len(paper.document) - 1, min(len(paper.document) - 1, paper.law[-1]))
    return True


@kind(KINDS)
def page_of_another_act(paper: Paper) -> bool:
    """One page of another Act is bound in, in the place of a page."""
    at = paper.inner()
    with pymupdf.open(stream=paper.other, filetype="pdf") as other:
        source = paper.chance.randrange(len(other) // 3, len(other))
        paper.document.delete_page(at)
        paper.document.insert_pdf(other, from_page=source, to_page=source, start_at=at)
    return True


@kind(KINDS)
def last_page_lost(paper: Paper) -> bool:
    paper.document.delete_pages(paper.law[-1], len(paper.document) - 1)
    return True


@kind(KINDS)
def schedules_lost(paper: Paper) -> bool:
    """The file ends where the Schedules begin."""
    for index in paper.law[1:]:
        heads = (line.text.strip() for line in paper.lines(paper.document[index])[:4])
        if any(re.match(r"\W*(?:\d\[)?(?:THE )?(?:FIRST )?SCHEDULE\b", head) for head in heads):
            paper.document.delete_pages(index, len(paper.document) - 1)
            return True
    return False


@kind(KINDS)
def page_upside_down(paper: Paper) -> bool:
    return _turned(paper, 180)


@kind(KINDS)
def page_on_its_side(paper: Paper) -> bool:
    return _turned(paper, 90)


def _turned(paper: Paper, by: int) -> bool:
    at = paper.inner()
    box = paper.document[at].rect
    with pymupdf.open(stream=paper.document.tobytes(), filetype="pdf") as copy:
        paper.document.delete_page(at)
        paper.document.new_page(at, width=box.width, height=box.height).show_pdf_page(
            box, copy, at, rotate=by
        )
    return True


@kind(KINDS)
def page_cropped(paper: Paper) -> bool:
    """The box of a page is smaller than what is printed on it."""
    page = paper.page()
    box, block = page.rect, paper.block(page)
    if paper.chance.random() < 0.5:
        box.y1 = block.y0 + 0.7 * block.height
    else:
        box.x1 = block.x0 + 0.8 * block.width
    page.set_mediabox(pymupdf.Rect(box.x0, page.mediabox.y1 - box.y1, box.x1, page.mediabox.y1 - box.y0))
    return True


@kind(KINDS)
def lower_half_of_another_page(paper: Paper) -> bool:
    """Two scans were stitched wrongly."""
    if len(paper.law) < 5:
        return False
    at, source = paper.chance.sample(paper.law[1:-1], 2)
    page, foreign = paper.document[at], paper.document[source]
    middle = (paper.block(page).y0 + paper.block(page).y1) / 2
    lines = [line for line in paper.lines(foreign) if line.box.y0 > middle]
    paper.erase(page, [paper.rows_box(page, rows)] if (rows := _below(paper, page, middle)) else [])
    return paper.retype(page, str, lines=lines, keep=True)


def _below(paper: Paper, page: Any, y: float) -> list[Line]:
    return [line for line in paper.lines(page) if line.box.y0 > y]


@kind(KINDS)
def halves_exchanged(paper: Paper) -> bool:
    """The lower half of a page stands above its upper half."""
    page = paper.page()
    lines = paper.prose(page)
    half = len(lines) // 2
    by = lines[half].box.y0 - lines[0].box.y0 if half else 0
    upper, lower = lines[:half], lines[half : 2 * half]
    if half < 5:
        return False
    page.add_redact_annot(paper.rows_box(page, lines), fill=False)
    page.apply_redactions(images=0, graphics=0)
    paper.retype(page, str, lines=lower, shift=(0, -by), keep=True)
    return paper.retype(page, str, lines=upper, shift=(0, lines[-1].box.y0 - upper[-1].box.y0), keep=True)


@kind(KINDS)
def other_page_shines_through(paper: Paper) -> bool:
    """The rows of the next page stand between those of a page."""
    at = paper.inner()
    return paper.retype(
        paper.document[at], str, lines=paper.prose(paper.document[at + 1]), shift=(2, 5), keep=True
    )


@kind(KINDS)
def ghost_of_the_page(paper: Paper) -> bool:
    """A page is painted twice, the second time half a row lower."""
    page = paper.page()
    return paper.retype(page, str, lines=paper.prose(page), shift=(3, 6), keep=True)


# parts of pages ------------------------------------------------------------------------------


def _strip(paper: Paper, from_x: float, to_x: float) -> bool:
    page = paper.page()
    box = paper.block(page)
    x0, x1 = (box.x0 + share * box.width for share in (from_x, to_x))
    return paper.erase(page, [pymupdf.Rect(x0, 0, x1, page.rect.height)])


@kind(KINDS)
def right_half_cut(paper: Paper) -> bool:
    return _strip(paper, 0.5, 2)


@kind(KINDS)
def left_half_cut(paper: Paper) -> bool:
    return _strip(paper, -1, 0.5)


@kind(KINDS)
def left_edge_in_the_gutter(paper: Paper) -> bool:
    return _strip(paper, -1, 0.06)


@kind(KINDS)
def last_words_of_rows_lost(paper: Paper) -> bool:
    page = paper.page()
    last = {line.box.y0: line for line in paper.prose(page)}.values()
    words = page.get_text("words")
    boxes = []
    for line in last:
        on = [w for w in words if abs((w[1] + w[3]) / 2 - (line.box.y0 + line.box.y1) / 2) < 3]
        boxes += [pymupdf.Rect(max(on, key=lambda w: w[2])[:4])] if on else []
    return paper.erase(page, [_inside(box) for box in boxes])


@kind(KINDS)
def corner_folded(paper: Paper) -> bool:
    """A triangle at a right corner hides what stands in it."""
    page = paper.page()
    box, upper = paper.block(page), paper.chance.random() < 0.5
    boxes = []
    for word in page.get_text("words"):
        x, y = (word[0] - box.x0) / box.width, (word[1] - box.y0) / box.height
        y = y if upper else 1 - y
        boxes += [pymupdf.Rect(word[:4])] if x - y > 0.35 and 0 <= y <= 1 else []
    return paper.erase(page, boxes)


@kind(KINDS)
def last_row_of_each_page_lost(paper: Paper) -> bool:
    return _edge_rows(paper, slice(-1, None))


@kind(KINDS)
def first_rows_of_pages_lost(paper: Paper) -> bool:
    return _edge_rows(paper, slice(0, 2))


def _edge_rows(paper: Paper, which: slice) -> bool:
    done = False
    for index in paper.law[1:-1]:
        page = paper.document[index]
        rows = [
            r
            for r in paper.prose(page)
            if r.spans[0]["size"] >= max(s.spans[0]["size"] for s in paper.prose(page)) - 1
        ]
        done |= bool(rows) and paper.erase(page, [paper.rows_box(page, rows[which])])
    return done


@kind(KINDS)
def column_of_a_table_lost(paper: Paper) -> bool:
    for page in _with_tables(paper):
        rows = _table_rows(paper, page)
        x = sorted(r.spans[-1]["bbox"][0] for r in rows)[len(rows) // 2]
        boxes = [pymupdf.Rect(s["bbox"]) for r in rows for s in r.spans if s["bbox"][0] > x - 15]
        return paper.erase(page, boxes)
    return False


@kind(KINDS)
def rows_of_a_table_lost(paper: Paper) -> bool:
    done = False
    for page in _with_tables(paper):
        rows = _table_rows(paper, page)
        at = paper.chance.randrange(1, len(rows) - 3)
        done |= paper.erase(page, [paper.rows_box(page, rows[at : at + 3])])
        if paper.budget <= 0:
            break
    return done


def _with_tables(paper: Paper) -> Iterator[Any]:
    for index in paper.chance.sample(range(len(paper.document)), len(paper.document)):
        if len(_table_rows(paper, paper.document[index])) >= 8:
            yield paper.document[index]


def _table_rows(paper: Paper, page: Any) -> list[Line]:
    wide = [
        line
        for line in paper.lines(page)
        if any(b["bbox"][0] - a["bbox"][2] > 25 for a, b in pairwise(line.spans) if b["text"].strip())
    ]
    return wide if len(wide) * 2 > len(paper.lines(page)) else []


# letters -------------------------------------------------------------------------------------


@kind(KINDS)
def fonts_without_table(paper: Paper) -> bool:
    """The fonts of a page lose what says which letter a glyph is; codes are shifted as subsets have them."""
    page = paper.page()
    letters = "etaoinshrdlcumwfgypbvkxjqzETAOINSHRDLCUMWFGYPBVKXJQZ0123456789,.;:()—-“”[]’‘"
    codes = {letter: chr(33 + at) for at, letter in enumerate(letters)}
    return paper.retype(page, lambda text: "".join(codes.get(c, c) for c in text))


@kind(KINDS)
def glyphs_unmapped(paper: Paper) -> bool:
    """A page whose letters come out as the sign that says: unknown."""
    return paper.retype(paper.page(), lambda text: re.sub(r"\S", "\u00bf", text))


@kind(KINDS)
def recognised_badly(paper: Paper) -> bool:
    """OCR of one page: one letter of twenty is another, as they look alike."""
    alike = dict(zip("eoclitnhrmaubfgsd", "ceoeIlurnnuohtq5cl", strict=False))

    def noise(text: str) -> str:
        return "".join(alike.get(c, c) if paper.chance.random() < 0.05 else c for c in text)

    return paper.retype(paper.page(), noise)


@kind(KINDS)
def blanks_within_words(paper: Paper) -> bool:
    return paper.retype(
        paper.page(),
        lambda text: re.sub(
            r"[a-z]{5,}", lambda m: m[0] if paper.chance.random() < 0.7 else f"{m[0][:2]} {m[0][2:]}", text
        ),
    )


@kind(KINDS)
def digits_lost(paper: Paper) -> bool:
    """The font of a page has no digits."""
    return paper.retype(paper.page(), lambda text: re.sub(r"\d", "", text))


@kind(KINDS)
def brackets_lost(paper: Paper) -> bool:
    return paper.retype(paper.page(), lambda text: re.sub(r"[()]", "", text))


@kind(KINDS)
def stops_lost(paper: Paper) -> bool:
    return paper.retype(paper.page(), lambda text: re.sub(r"[.,;:]", "", text))


@kind(KINDS)
def capitals_lost(paper: Paper) -> bool:
    return paper.retype(paper.page(), lambda text: re.sub(r"[A-Z]", "", text))


@kind(KINDS)
def signs_come_out_as_question_marks(paper: Paper) -> bool:
    """Quotation marks and dashes of some pages are signs that a code page lacks."""
    done = False
    for page in paper.shuffled():
        done |= paper.retype(page, lambda text: re.sub("[“”‘’—–]", "?", text))
    return done


@kind(KINDS)
def bold_lost(paper: Paper) -> bool:
    """The bold font of a page is not there."""
    return _font_lost(paper, lambda span: bool(span["flags"] & 16))


@kind(KINDS)
def italics_lost(paper: Paper) -> bool:
    return _font_lost(paper, lambda span: bool(span["flags"] & 2))


def _font_lost(paper: Paper, gone: Callable[[dict[str, Any]], bool]) -> bool:
    done = False
    for page in paper.shuffled():
        spans = [
            s for line in paper.lines(page) for s in line.spans if gone(s) and len(s["text"].strip()) > 1
        ]
        done |= paper.erase(page, [_inside(pymupdf.Rect(s["bbox"])) for s in spans])
    return done


@kind(KINDS)
def part_marks_misread(paper: Paper) -> bool:
    """(1) as (l), (b) as (h), (ii) as (u): OCR of the marks that open rows."""
    alike = str.maketrans({"1": "l", "2": "z", "5": "s", "b": "h", "c": "e", "i": "j", "4": "A", "g": "9"})
    done = False
    for page in paper.shuffled():
        lines = [line for line in paper.lines(page) if _PART.match(line.text)]
        for line in lines:
            span = line.spans[0]
            mark, bracket, rest = span["text"].partition(")")
            changed = span | {"text": f"{mark.translate(alike)}{bracket}{rest}"}
            page.add_redact_annot(_inside(line.box), fill=False)
            page.apply_redactions(images=0, graphics=0)
            done |= paper.retype(
                page, str, lines=[Line(line.box, line.text, [changed, *line.spans[1:]])], keep=True
            )
    return done


# words, rows and parts -----------------------------------------------------------------------


@kind(KINDS)
def paragraph_white(paper: Paper) -> bool:
    """Some paragraphs are painted white."""
    done = False
    for page in paper.shuffled():
        if rows := _a_paragraph(paper, page):
            done |= paper.retype(page, str, color=(1, 1, 1), lines=rows)
    return done


def _a_paragraph(paper: Paper, page: Any) -> list[Line]:
    lines = paper.lines(page)
    starts = [i for i, line in enumerate(lines) if _OPENS.match(line.text)]
    spans = [(a, b) for a, b in pairwise(starts) if 2 <= b - a <= 12 and len(lines[a].text) > _PROSE]
    return lines[slice(*paper.chance.choice(spans))] if spans else []


@kind(KINDS)
def stamped_over(paper: Paper) -> bool:
    """A registrar's stamp stands among the rows of a page, in the place of three."""
    page = paper.page()
    lines = paper.prose(page)
    if len(lines) < 12:
        return False
    at = paper.chance.randrange(4, len(lines) - 5)
    paper.erase(page, [paper.rows_box(page, lines[at : at + 3])])
    texts = (
        "RECEIVED on 14 MAR 2019 in the office of the Registrar,",
        "Diary No. 5521 of 2019. Copy supplied",
    )
    for text, line in zip(texts, lines[at:], strict=False):
        page.insert_text((line.box.x0 + 30, line.box.y1 - 2), text, fontname="helv", fontsize=10)
    return True


@kind(KINDS)
def names_blackened(paper: Paper) -> bool:
    """Black bars in the place of half rows."""
    done = False
    for page in paper.shuffled():
        lines = paper.prose(page)
        for line in paper.chance.sample(lines, min(6, len(lines))):
            middle = line.box.x0 + paper.chance.uniform(0.2, 0.5) * line.box.width
            bar = pymupdf.Rect(middle, line.box.y0 + 3, middle + 0.35 * line.box.width, line.box.y1 - 3)
            done |= paper.erase(page, [bar])
            page.draw_rect(bar, fill=(0, 0, 0), color=(0, 0, 0))
    return done


@kind(KINDS)
def section_numbers_misread(paper: Paper) -> bool:
    """One digit of some numbers of sections is read as another."""
    alike = str.maketrans("0123456789", "8785462398")
    return _renumbered(paper, lambda number: number.translate(alike))


@kind(KINDS)
def section_numbers_shortened(paper: Paper) -> bool:
    """The first digit of some numbers of sections is lost."""
    return _renumbered(paper, lambda number: number[1:] if number[1:2].isdigit() else "")


def _renumbered(paper: Paper, change: Callable[[str], str]) -> bool:
    done = False
    for page in paper.shuffled():
        for line in paper.lines(page):
            match = _SECTION.match(line.text)
            new = change(match[1]) if match else ""
            if match and new and line.spans[0]["text"].lstrip().startswith(match[1]):
                span = line.spans[0]
                fresh = Line(
                    line.box, span["text"], [span | {"text": span["text"].replace(match[1], new, 1)}]
                )
                page.add_redact_annot(_inside(pymupdf.Rect(span["bbox"])), fill=False)
                page.apply_redactions(images=0, graphics=0)
                done |= paper.retype(page, str, lines=[fresh], keep=True)
                break
        if done and paper.chance.random() < 0.5:
            break
    return done


@kind(KINDS)
def notes_swallowed(paper: Paper) -> bool:
    """The footnotes of some pages are not there, their marks are."""
    done = False
    for page in paper.shuffled():
        lines = paper.lines(page)
        low = [
            n
            for n in lines
            if n.box.y0 > 0.55 * page.rect.height and re.match(r"\s*(?:\d{1,2}|\*)\.?\s+[A-Z]", n.text)
        ]
        small = [n for n in low if n.spans[0]["size"] < paper.prose(page)[0].spans[0]["size"] - 0.5]
        if small:
            top = min(n.box.y0 for n in small)
            rest = [n for n in lines if n.box.y0 >= top and not re.fullmatch(r"\W*\d+\W*", n.text)]
            done |= paper.erase(page, [_inside(n.box) for n in rest])
    return done


@kind(KINDS)
def headings_lost(paper: Paper) -> bool:
    """The numbers of some sections stand there without their headings."""
    done = False
    for page in paper.shuffled():
        for line in paper.lines(page):
            match = re.match(r"^\W{0,3}\d{1,3}[A-Z]{0,2}\.\s*([A-Z][^—.]{6,60})\.?\s?—", line.text)
            boxes = page.search_for(match[1][:40], clip=line.box) if match else []
            done |= paper.erase(page, [_inside(box) for box in boxes[:1]])
    return done


@kind(KINDS)
def chapter_headings_lost(paper: Paper) -> bool:
    boxes: dict[int, list[Any]] = {}
    for index in paper.law:
        lines = paper.lines(paper.document[index])
        for at, line in enumerate(lines):
            if re.match(r"^\W*(?:CHAPTER|PART)\s+[IVXLC0-9]+[A-Z]?\W*$", line.text):
                boxes.setdefault(index, []).append(paper.rows_box(paper.document[index], lines[at : at + 2]))
    for index in paper.chance.sample(sorted(boxes), (len(boxes) + 1) // 2):
        paper.erase(paper.document[index], boxes[index])
    return bool(boxes)


def _parts_lost(paper: Paper, opens: re.Pattern[str], closes: re.Pattern[str], *, inside: bool) -> bool:
    """Erase parts of sections from the row that opens them to that which opens the next; ``inside``: (b) of (c)."""
    done = False
    for page in paper.shuffled():
        lines = paper.lines(page)
        marks = [i for i, line in enumerate(lines) if closes.match(line.text)]
        for first, last in pairwise(marks):
            if not opens.match(lines[first].text) or last - first > 10 or paper.budget <= 0:
                continue
            if inside and not _follows(_PART.match(lines[first].text), _PART.match(lines[last].text)):
                continue
            if inside and lines[first].text.strip()[:3] in ("(1)", "(a)", "(i)"):
                continue
            done |= paper.erase(page, [paper.rows_box(page, lines[first:last])])
            break
    return done


def _follows(first: re.Match[str] | None, second: re.Match[str] | None) -> bool:
    if not first or not second:
        return False
    a, b = first[1], second[1]
    if a.isdecimal() and b.isdecimal():
        return int(b) == int(a) + 1
    return len(a) == len(b) == 1 and ord(b) == ord(a) + 1


@kind(KINDS)
def clause_lost(paper: Paper) -> bool:
    """(b) between (a) and (c)."""
    return _parts_lost(paper, re.compile(r"^\W{0,3}\([a-z]\)\s"), _OPENS, inside=True)


@kind(KINDS)
def subsection_lost(paper: Paper) -> bool:
    return _parts_lost(paper, re.compile(r"^\W{0,3}\(\d{1,2}\)\s"), _OPENS, inside=True)


@kind(INVISIBLE)
def proviso_lost(paper: Paper) -> bool:
    """What stands before it ends with a colon, or did with a full stop."""
    return _parts_lost(paper, re.compile(r"^\W{0,3}(?:Provided|Explanation)"), _OPENS, inside=False)


@kind(KINDS)
def section_text_lost(paper: Paper) -> bool:
    """Of some sections the first row alone is there."""
    done = False
    for page in paper.shuffled():
        lines = paper.lines(page)
        starts = [i for i, line in enumerate(lines) if _SECTION.match(line.text)]
        for first, last in pairwise(starts):
            if 3 <= last - first <= 15 and paper.budget > 0:
                done |= paper.erase(page, [paper.rows_box(page, lines[first + 1 : last])])
                break
    return done


@kind(KINDS)
def end_of_a_section_lost(paper: Paper) -> bool:
    """From somewhere in a section to its end."""
    done = False
    for page in paper.shuffled():
        lines = paper.lines(page)
        starts = [i for i, line in enumerate(lines) if _SECTION.match(line.text)]
        for first, last in pairwise(starts):
            if 5 <= last - first <= 25 and paper.budget > 0:
                at = paper.chance.randrange(first + 2, last - 1)
                done |= paper.erase(page, [paper.rows_box(page, lines[at:last])])
                break
    return done


def _matches_lost(paper: Paper, pattern: str) -> bool:
    """What a pattern finds on one row, its first group where it has one."""
    regex, done = re.compile(pattern), False
    for page in paper.shuffled():
        texts = {match[regex.groups] for match in regex.finditer(page.get_text())}
        boxes = [box for text in texts for box in page.search_for(text)]
        done |= paper.erase(page, [_inside(box) for box in boxes])
    return done


@kind(KINDS)
def quotations_lost(paper: Paper) -> bool:
    """What stands in quotation marks, as the terms that are defined."""
    return _matches_lost(paper, r"[“\"][^“”\"\n]{3,60}[”\"]")


@kind(KINDS)
def substitutions_lost(paper: Paper) -> bool:
    """What stands in the brackets of an amendment on one row."""
    return _matches_lost(paper, r"\d?\[([^\[\]\n]{6,80})\]")


@kind(KINDS)
def paragraphs_change_places(paper: Paper) -> bool:
    """Six rows of a page stand in the place of six of another, and those in theirs."""
    if len(paper.law) < 4:
        return False
    first, second = (paper.document[i] for i in sorted(paper.chance.sample(paper.law[1:], 2)))
    blocks = []
    for page in (first, second):
        lines = paper.prose(page)
        if len(lines) < 14:
            return False
        at = paper.chance.randrange(3, len(lines) - 9)
        blocks.append(lines[at : at + 6])
    for page, here, there in ((first, *blocks), (second, *reversed(blocks))):
        page.add_redact_annot(paper.rows_box(page, here), fill=False)
        page.apply_redactions(images=0, graphics=0)
        for line, place in zip(there, here, strict=True):
            by = place.box.x0 - line.box.x0, place.box.y0 - line.box.y0
            paper.retype(page, str, lines=[line], shift=by, keep=True)
    return True


@kind(KINDS)
def half_rows_lost(paper: Paper) -> bool:
    """A finger lies on the page: the ends of eight rows."""
    page = paper.page()
    lines = paper.prose(page)
    if len(lines) < 12:
        return False
    at = paper.chance.randrange(1, len(lines) - 9)
    box = paper.block(page)
    left = box.x0 + 0.7 * box.width
    return paper.erase(
        page, [pymupdf.Rect(left, n.box.y0 + 3, page.rect.width, n.box.y1 - 3) for n in lines[at : at + 8]]
    )


@kind(KINDS)
def every_third_row_lost_below(paper: Paper) -> bool:
    """A roller slips: rows are lost more often towards the foot of a page, and the rest moves up."""
    page = paper.page()
    lines = paper.prose(page)
    half = len(lines) // 2
    if half < 6:
        return False
    rest = [line for i, line in enumerate(lines[half:]) if i % 3]
    page.add_redact_annot(paper.rows_box(page, lines[half:]), fill=False)
    page.apply_redactions(images=0, graphics=0)
    for line, place in zip(rest, lines[half:], strict=False):
        paper.retype(page, str, lines=[line], shift=(0, place.box.y0 - line.box.y0), keep=True)
    return True


# what nobody sees ----------------------------------------------------------------------------


@kind(INVISIBLE)
def digit_edited(paper: Paper) -> bool:
    """A sum, a term or a section that is cited is another."""
    done = False
    for page in paper.shuffled():
        lines = [n for n in paper.prose(page) if re.search(r"[a-z] \d{2,}", n.text)]
        done |= paper.retype(
            page,
            lambda text: re.sub(r"(?<=[a-z] )\d(?=\d)", lambda m: str((int(m[0]) % 8) + 1), text),
            lines=lines,
        )
    return done


@kind(INVISIBLE)
def not_dropped(paper: Paper) -> bool:
    return _words(paper, r" not ", " ")


@kind(INVISIBLE)
def shall_may(paper: Paper) -> bool:
    return _words(paper, r"\bshall\b", "may")


def _words(paper: Paper, pattern: str, by: str) -> bool:
    done = False
    for page in paper.shuffled():
        lines = [line for line in paper.prose(page) if re.search(pattern, line.text)]
        done |= paper.retype(page, lambda text: re.sub(pattern, by, text), lines=lines)
    return done


# written after what the others showed was mended ---------------------------------------------


@kind(LATER)
def coffee_ring(paper: Paper) -> bool:
    """A round stain of a quarter of the page's width hides what is under it."""
    page = paper.page()
    box = paper.block(page)
    x, y = (paper.chance.uniform(0.3, 0.7) for _ in "xy")
    x, y, radius = box.x0 + x * box.width, box.y0 + y * box.height, box.width / 8
    words = [pymupdf.Rect(word[:4]) for word in page.get_text("words")]
    return paper.erase(
        page,
        [_inside(w) for w in words if abs(complex((w.x0 + w.x1) / 2 - x, (w.y0 + w.y1) / 2 - y)) < radius],
    )


@kind(LATER)
def rows_read_upwards(paper: Paper) -> bool:
    page = paper.page()
    lines = paper.prose(page)
    page.add_redact_annot(paper.rows_box(page, lines), fill=False)
    page.apply_redactions(images=0, graphics=0)
    for line, place in zip(lines, reversed(lines), strict=True):
        paper.retype(page, str, lines=[line], shift=(0, place.box.y0 - line.box.y0), keep=True)
    return len(lines) > 8


@kind(LATER)
def digits_as_letters(paper: Paper) -> bool:
    alike = str.maketrans("0158", "OlSB")
    return paper.retype(paper.page(), lambda text: text.translate(alike))


@kind(LATER)
def rows_of_noise(paper: Paper) -> bool:
    """Five rows of a page are what OCR makes of a picture."""
    page = paper.page()
    lines = paper.prose(page)
    if len(lines) < 12:
        return False
    at = paper.chance.randrange(3, len(lines) - 7)
    signs = "|~^.-_:;'lijftv/\\ "
    return paper.retype(
        page, lambda text: "".join(paper.chance.choice(signs) for _ in text), lines=lines[at : at + 5]
    )


@kind(LATER)
def definitions_lost(paper: Paper) -> bool:
    """Definitions that begin with a quotation mark, or a mark and one."""
    pattern = re.compile(r"^\W{0,3}(?:\(\w{1,4}\)\s*)?[“\"]")
    return _parts_lost(paper, pattern, _OPENS, inside=False)


@kind(LATER)
def overlap_of_scans(paper: Paper) -> bool:
    """The first rows of the next page stand again at the foot of a page, in the place of its last."""
    at = paper.inner()
    page, following = paper.document[at], paper.document[at + 1]
    here, there = paper.prose(page)[-4:], paper.prose(following)[:4]
    if len(here) < 4 or len(there) < 4:
        return False
    page.add_redact_annot(paper.rows_box(page, here), fill=False)
    page.apply_redactions(images=0, graphics=0)
    for line, place in zip(there, here, strict=True):
        by = place.box.x0 - line.box.x0, place.box.y0 - line.box.y0
        paper.retype(page, str, lines=[line], shift=by, keep=True)
    return True


@kind(LATER)
def small_print_lost(paper: Paper) -> bool:
    """A copier drops what is thin: commas, full stops, hyphens and quotation marks, every second one."""
    done = False
    for page in paper.shuffled():
        done |= paper.retype(
            page, lambda text: re.sub(r"[.,;:’“”-]", lambda m: m[0] * (paper.chance.random() < 0.5), text)
        )
    return done


@kind(LATER)
def note_among_the_rows(paper: Paper) -> bool:
    """A reader's typed note stands in the place of two rows of a page."""
    page = paper.page()
    lines = paper.prose(page)
    if len(lines) < 12:
        return False
    at = paper.chance.randrange(4, len(lines) - 5)
    texts = (
        "Checked against the copy in the library; see also the file of",
        "2014, where counsel asked for time.",
    )
    by = Line(lines[at].box, texts[0], [lines[at].spans[0] | {"text": texts[0], "bbox": lines[at].box}])
    more = Line(
        lines[at + 1].box, texts[1], [lines[at + 1].spans[0] | {"text": texts[1], "bbox": lines[at + 1].box}]
    )
    paper.erase(page, [paper.rows_box(page, lines[at : at + 2])])
    return paper.retype(page, str, lines=[by, more], keep=True)

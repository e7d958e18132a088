"""Ways in which documents are damaged on their way to a reader.

Each kind takes a ``Paper`` and damages its document in place; False: it could not. ``FIRST`` damage some pages
that follow each other; small ones of the others are repeated until they touch a fiftieth of the text, or
everything that they can touch.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from string import ascii_letters
from typing import Any

from citegrain.tasks.core.mupdf import pymupdf

_SHARE = 0.02  # of the text
_FONT = pymupdf.Font("tiro")
_NUMBER = re.compile(r"^\W{0,3}(?:\d{1,2}\[)?(\d{1,3}[A-Z]{0,2}\.)")
_SECTION = re.compile(r"^\W{0,3}(?:\d{1,2}\[)?(\d{1,3}[A-Z]{0,2})\.\s*\W{0,2}[A-Z(—]")
_PART = re.compile(r"^\W{0,3}(\((?:\d{1,2}|[a-z]{1,2}|[ivx]+)\))")
_OPENS = re.compile(
    r"^\W{0,3}(?:\(\w{1,4}\)|\d{1,3}[A-Z]{0,2}\.|Provided|Explanation|Illustration|CHAPTER|[“\"])"
)
_PROSE = 40  # characters of a row


def chance_of(seed: str) -> random.Random:
    return random.Random(seed)  # noqa: S311 - damages, no secrets


@dataclass(frozen=True)
class Line:
    """A printed row: its box, its text and its spans."""

    box: Any
    text: str
    spans: Sequence[dict[str, Any]]


def _inside(box: Any) -> Any:
    """A box that touches no neighbour."""
    return pymupdf.Rect(box[0] + 0.3, box[1] + 2, box[2] - 0.3, box[3] - 2)


class Paper:
    """A document that is to be damaged.

    ``law``: indices of its pages that bear law. ``other``: a document of another Act.
    """

    def __init__(self, document: Any, law: Sequence[int], other: bytes, chance: random.Random) -> None:
        self.document, self.law, self.other, self.chance = document, list(law), other, chance
        self.budget = _SHARE * sum(len(page.get_text().split()) for page in document)

    def run(self, least: int = 1, share: float = 0.2) -> list[int]:
        """Some pages of law that follow each other, the first left out where there are others."""
        pages = self.law[1:] or self.law
        count = min(len(pages), self.chance.randint(least, max(least, int(share * len(pages)))))
        first = self.chance.randint(0, len(pages) - count)
        return pages[first : first + count]

    def some(self, least: int = 1, share: float = 0.2) -> list[Any]:
        return [self.document[index] for index in self.run(least, share)]

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
        flags = pymupdf.TEXTFLAGS_DICT & ~pymupdf.TEXT_PRESERVE_IMAGES
        for block in page.get_text("dict", flags=flags)["blocks"]:
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

    def cut(self, page: Any, x0: float = -9, y0: float = -9, x1: float = 9, y1: float = 9) -> bool:
        """Take away a part of a page, as shares of the block of its text."""
        box = self.block(page)
        left, right = (box.x0 + share * box.width for share in (x0, x1))
        top, bottom = (box.y0 + share * box.height for share in (y0, y1))
        return self.erase(page, [pymupdf.Rect(left, top, right, bottom) & page.rect])

    def rows_box(self, page: Any, lines: Sequence[Line]) -> Any:
        """A box of the page's width that holds the middles of some rows and no other's."""
        top, bottom = lines[0].box, lines[-1].box
        return pymupdf.Rect(0, top.y0 + top.height / 3, page.rect.width, bottom.y1 - bottom.height / 3)

    def erase_rows(self, page: Any, lines: Sequence[Line]) -> bool:
        return bool(lines) and self.erase(page, [self.rows_box(page, lines)])

    def retype(
        self, page: Any, change: Callable[[str], str] = str, color: Sequence[float] | None = None,
        lines: Sequence[Line] | None = None, shift: tuple[float, float] = (0, 0), keep: bool = False,
    ) -> bool:  # fmt: skip
        """Set rows of a page anew in their places, with other letters, in a colour, shifted or twice."""
        lines = self.lines(page) if lines is None else lines
        if not lines:
            return False
        if not keep:
            for line in lines:
                box = self.rows_box(page, [line]) if len(line.text) > _PROSE else line.box
                page.add_redact_annot(box, fill=False)
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

    def put(self, page: Any, lines: Sequence[Line], places: Sequence[Line]) -> bool:
        """Set rows in the places of others, which go."""
        if not places:
            return False
        page.add_redact_annot(self.rows_box(page, places), fill=False)
        page.apply_redactions(images=0, graphics=0)
        for line, place in zip(lines, places, strict=False):
            self.retype(page, lines=[line], shift=(0, place.box.y0 - line.box.y0), keep=True)
        return True

    def empty(self, at: int) -> Any:
        """Put an empty page in the place of a page."""
        box = self.document[at].rect
        self.document.delete_page(at)
        return self.document.new_page(at, width=box.width, height=box.height)

    def copied(self, source: int, before: int) -> None:
        """Put a copy of a page before another."""
        self.document.fullcopy_page(source, -1)
        self.document.move_page(len(self.document) - 1, before)

    def end_before(self, at: int) -> None:
        self.document.select([*range(at)])

    def unnumber(self) -> None:
        """Take the printed page numbers away."""
        for page in self.document:
            boxes = [n.box for n in self.lines(page) if re.fullmatch(r"\W*\d{1,4}\W*", n.text)]
            self.erase(page, [box for box in boxes if not 0.1 < box.y0 / page.rect.height < 0.9])


Damage = Callable[[Paper], bool | None]
Pages = Callable[[Paper], Any]  # yields pages
FIRST: dict[str, Damage] = {}
"""Kinds that the tests damage Acts, rules and judgments by."""

VISIBLE: dict[str, Damage] = {}
"""What a reader could see, in principle, from the document alone."""

INVISIBLE: dict[str, Damage] = {}
"""What nobody sees without another copy: the words are law, and stand in order."""

LATER: dict[str, Damage] = {}
"""Kinds that were written when the others had been looked at."""

ADDITIONS = ("boxed", "glued")
"""What takes no law away by itself: a reading that still has all of it may be sound."""


def on(pages: Pages, damage_page: Callable[[Paper, Any], bool | None]) -> Damage:
    """A damage of some pages from that of one."""

    def damage(paper: Paper) -> bool:
        done = [damage_page(paper, page) is not False for page in pages(paper)]
        return any(done)

    return damage


def kind(table: dict[str, Damage], pages: Pages | None = None) -> Callable[[Any], Any]:
    """Put a damage into a table, of a paper or, with ``pages``, of each of these pages of a paper."""

    def put(damage: Any) -> Any:
        table[damage.__name__] = on(pages, damage) if pages else damage
        return damage

    return put


def _one(paper: Paper) -> list[Any]:
    return paper.some(share=0)


def _two(paper: Paper) -> list[Any]:
    return paper.some(least=2)


def _inner(paper: Paper) -> list[Any]:
    return [paper.page()]


def _between(paper: Paper) -> list[Any]:
    return [paper.document[index] for index in paper.law[1:-1]]


def _few(paper: Paper) -> Iterator[Any]:
    for page in paper.shuffled():
        yield page
        if paper.chance.random() < 0.5:
            return


# whole pages ---------------------------------------------------------------------------------


FIRST |= {
    "end_dropped": lambda paper: paper.end_before(paper.run(share=0)[0]),
    "one_side": lambda paper: paper.document.select(
        [*range(paper.chance.randint(0, 1), len(paper.document), 2)]
    ),
}
VISIBLE |= {
    "last_page_lost": lambda paper: paper.end_before(paper.law[-1]),
    "page_blank": lambda paper: paper.empty(paper.inner()),  # a sheet was fed the wrong side up
}


@kind(FIRST)
def cut_anywhere(paper: Paper) -> None:
    """The end is missing, from some row of some page."""
    (at,) = paper.run(share=0)
    lines = paper.lines(paper.document[at])
    paper.erase_rows(paper.document[at], lines[paper.chance.randrange(1 + len(lines) * 2 // 3) :])
    paper.end_before(at + 1)


@kind(FIRST)
def middle_dropped(paper: Paper) -> None:
    paper.law = paper.law[:-1] if len(paper.law) > 2 else paper.law
    pages = paper.run()
    paper.document.delete_pages(pages[0], pages[-1])


@kind(FIRST)
def beginning_dropped(paper: Paper) -> None:
    law = paper.law
    last = law[paper.chance.randint(0, len(law) // 3)] if len(law) > 1 else 0
    paper.document.delete_pages(0, last)


@kind(FIRST)
def pictures(paper: Paper) -> None:
    for number in paper.run():
        picture = paper.document[number].get_pixmap(dpi=40)
        page = paper.empty(number)
        page.insert_image(page.rect, pixmap=picture)


@kind(FIRST)
def shuffled(paper: Paper) -> None:
    order = list(range(len(paper.document)))
    law = paper.law if len(paper.law) > 1 else order
    pages = list(law)
    while pages == list(law):
        paper.chance.shuffle(pages)
    for at, page in zip(list(law), pages, strict=True):
        order[at] = page
    paper.document.select(order)


@kind(FIRST)
def two_exchanged(paper: Paper) -> None:
    """Two pages that follow each other stand the wrong way round."""
    law = paper.law if len(paper.law) > 1 else range(len(paper.document))
    at = paper.chance.randrange(len(law) - 1)
    paper.document.move_page(law[at + 1], law[at])


@kind(FIRST)
def doubled(paper: Paper) -> None:
    """Some pages are scanned twice."""
    for number in reversed(paper.run()):
        paper.document.fullcopy_page(number, number)


@kind(FIRST)
def page_replaced(paper: Paper) -> bool | None:
    """In the place of a page of law stands a copy of another."""
    if len(paper.law) < 2:
        return False
    source, place = paper.chance.sample(paper.law, 2)
    paper.copied(source, place)
    paper.document.delete_page(place + 1)
    return None


@kind(FIRST)
def foreign_pages(paper: Paper) -> None:
    with pymupdf.open(stream=paper.other, filetype="pdf") as pages:
        at = paper.chance.randint(len(pages) // 4, len(pages) - 1)
        last = min(len(pages) - 1, at + paper.chance.randint(0, 3))
        paper.document.insert_pdf(pages, from_page=at, to_page=last, start_at=paper.run(share=0)[0])


@kind(FIRST)
def glued(paper: Paper) -> None:
    """Another Act stands in the same file."""
    with pymupdf.open(stream=paper.other, filetype="pdf") as pages:
        paper.document.insert_pdf(pages, start_at=paper.chance.choice([0, -1]))


@kind(FIRST)
def boxed(paper: Paper) -> None:
    """A comment of the publisher in a box below the title, or at the head of a page of law."""
    head = paper.chance.choice(["STATEMENT OF OBJECTS AND REASONS", "COMMENTS", "CASE LAW", "SYNOPSIS"])
    page = paper.document[paper.chance.choice([0, paper.law[0], paper.law[len(paper.law) // 2]])]
    top = paper.lines(page)[0].box.y0
    text = (
        f"{head}\n[This Act seeks to make better provision for those whom it is about, and to amend the law.]"
    )
    box = pymupdf.Rect(72, max(5, top - 62), page.rect.width - 72, max(60, top - 4))
    page.insert_textbox(box, text, fontname="tiro", fontsize=9)


@kind(VISIBLE)
def page_lost_without_numbers(paper: Paper) -> None:
    paper.unnumber()
    paper.document.delete_page(paper.inner())


@kind(VISIBLE)
def pages_change_places(paper: Paper) -> bool | None:
    """Two pages apart from each other, in a print without page numbers."""
    if len(paper.law) < 5:
        return False
    paper.unnumber()
    first, second = sorted(paper.chance.sample(paper.law[1:], 2))
    order = list(range(len(paper.document)))
    order[first], order[second] = second, first
    paper.document.select(order)
    return None


@kind(VISIBLE)
def page_again_later(paper: Paper) -> None:
    paper.unnumber()
    paper.copied(paper.inner(), min(len(paper.document), paper.law[-1]))


@kind(VISIBLE)
def page_of_another_act(paper: Paper) -> None:
    """One page of another Act is bound in, in the place of a page."""
    at = paper.inner()
    with pymupdf.open(stream=paper.other, filetype="pdf") as other:
        source = paper.chance.randrange(len(other) // 3, len(other))
        paper.document.delete_page(at)
        paper.document.insert_pdf(other, from_page=source, to_page=source, start_at=at)


@kind(VISIBLE)
def schedules_lost(paper: Paper) -> bool | None:
    """The file ends where the Schedules begin."""
    for index in paper.law[1:]:
        heads = (line.text.strip() for line in paper.lines(paper.document[index])[:4])
        if any(re.match(r"\W*(?:\d\[)?(?:THE )?(?:FIRST )?SCHEDULE\b", head) for head in heads):
            paper.end_before(index)
            return None
    return False


def _turned(paper: Paper, by: int) -> None:
    at = paper.inner()
    with pymupdf.open(stream=paper.document.tobytes(), filetype="pdf") as copy:
        page = paper.empty(at)
        page.show_pdf_page(page.rect, copy, at, rotate=by)


VISIBLE["page_upside_down"] = partial(_turned, by=180)
VISIBLE["page_on_its_side"] = partial(_turned, by=90)


@kind(VISIBLE, _inner)
def page_cropped(paper: Paper, page: Any) -> None:
    """The box of a page is smaller than what is printed on it."""
    box, block = page.rect, paper.block(page)
    if paper.chance.random() < 0.5:
        box.y1 = block.y0 + 0.7 * block.height
    else:
        box.x1 = block.x0 + 0.8 * block.width
    page.set_mediabox(pymupdf.Rect(box.x0, page.mediabox.y1 - box.y1, box.x1, page.mediabox.y1 - box.y0))


@kind(VISIBLE)
def lower_half_of_another_page(paper: Paper) -> bool | None:
    """Two scans were stitched wrongly."""
    if len(paper.law) < 5:
        return False
    at, source = paper.chance.sample(paper.law[1:-1], 2)
    page, foreign = paper.document[at], paper.document[source]
    middle = (paper.block(page).y0 + paper.block(page).y1) / 2
    below, lines = ([n for n in paper.lines(on) if n.box.y0 > middle] for on in (page, foreign))
    paper.erase_rows(page, below)
    return paper.retype(page, lines=lines, keep=True)


@kind(VISIBLE, _inner)
def halves_exchanged(paper: Paper, page: Any) -> bool:
    """The lower half of a page stands above its upper half."""
    lines = paper.prose(page)
    half = len(lines) // 2
    return half >= 5 and paper.put(page, [*lines[half:], *lines[:half]], lines)


def _shining(paper: Paper, which: int, shift: tuple[float, float]) -> bool:
    at = paper.inner()
    lines = paper.prose(paper.document[at + which])
    return paper.retype(paper.document[at], lines=lines, shift=shift, keep=True)


# the rows of the next page stand between those of a page; a page is painted twice, once half a row lower
VISIBLE["other_page_shines_through"] = partial(_shining, which=1, shift=(2, 5))
VISIBLE["ghost_of_the_page"] = partial(_shining, which=0, shift=(3, 6))


# parts of pages ------------------------------------------------------------------------------


@kind(FIRST, _one)
def whited_out(paper: Paper, page: Any) -> None:
    """A white box over the middle of a page: a third of its text."""
    box = paper.block(page)
    at, white = box.y0 + paper.chance.uniform(0.2, 0.5) * box.height, (1, 1, 1)
    page.draw_rect(pymupdf.Rect(0, at, page.rect.width, at + box.height / 3), color=white, fill=white)


@kind(FIRST, _one)
def half_lost(paper: Paper, page: Any) -> None:
    """The upper or the lower half of a page is not there."""
    paper.cut(page, **({"y1": 0.5} if paper.chance.random() < 0.5 else {"y0": 0.5}))


def _cut(pages: Pages = _inner, **edges: float) -> Damage:
    return on(pages, lambda paper, page: paper.cut(page, **edges))


FIRST |= {
    "foot_cropped": _cut(_two, y0=0.8),
    "head_cropped": _cut(_two, y1=0.2),
    "side_cut": _cut(Paper.some, x0=0.8),  # as of a sheet that was laid on the glass askew
    "left_cut": _cut(Paper.some, x1=0.2),
}
VISIBLE |= {
    "right_half_cut": _cut(x0=0.5),
    "left_half_cut": _cut(x1=0.5),
    "left_edge_in_the_gutter": _cut(x1=0.06),
}


def _words_lost(paper: Paper, page: Any, lost: Callable[[float, float], bool]) -> bool:
    """Take words of a page away by where their middles stand, as shares of the block of its text."""
    box = paper.block(page)
    places = ((w, (w[0] + w[2]) / 2 - box.x0, (w[1] + w[3]) / 2 - box.y0) for w in page.get_text("words"))
    return paper.erase(page, [_inside(w) for w, x, y in places if lost(x / box.width, y / box.height)])


@kind(FIRST, Paper.some)
def faint(paper: Paper, page: Any) -> None:
    """Of some pages every sixth word is not there."""
    _words_lost(paper, page, lambda x, y: paper.chance.random() < 1 / 6)


@kind(VISIBLE, _inner)
def last_words_of_rows_lost(paper: Paper, page: Any) -> bool:
    last = {line.box.y0: line for line in paper.prose(page)}.values()
    words = page.get_text("words")
    on = ([w for w in words if abs(w[1] + w[3] - n.box.y0 - n.box.y1) < 6] for n in last)
    return paper.erase(page, [_inside(max(row, key=lambda w: w[2])) for row in on if row])


@kind(VISIBLE)
def corner_folded(paper: Paper) -> bool:
    """A triangle at a right corner hides what stands in it."""
    upper = paper.chance.random() < 0.5
    return _words_lost(paper, paper.page(), lambda x, y: 0 <= (y if upper else 1 - y) < x - 0.35)


@kind(LATER, _inner)
def coffee_ring(paper: Paper, page: Any) -> bool:
    """A round stain of a quarter of the page's width hides what is under it."""
    box = paper.block(page)
    at = complex(*(paper.chance.uniform(0.3, 0.7) for _ in "xy"))
    return _words_lost(
        paper, page, lambda x, y: abs(x - at.real + (y - at.imag) * box.height / box.width * 1j) < 1 / 8
    )


def _edge_rows(paper: Paper, page: Any, which: slice) -> bool:
    prose = paper.prose(page)
    largest = max((row.spans[0]["size"] for row in prose), default=0)
    return paper.erase_rows(page, [r for r in prose if r.spans[0]["size"] >= largest - 1][which])


VISIBLE["last_row_of_each_page_lost"] = on(_between, partial(_edge_rows, which=slice(-1, None)))
VISIBLE["first_rows_of_pages_lost"] = on(_between, partial(_edge_rows, which=slice(0, 2)))


def _tables(paper: Paper) -> Iterator[tuple[Any, list[Line]]]:
    """Pages of tables, and their rows."""
    for page in paper.chance.sample([*paper.document], len(paper.document)):
        lines = paper.lines(page)
        rows = [
            line
            for line in lines
            if any(b["bbox"][0] - a["bbox"][2] > 25 for a, b in pairwise(line.spans) if b["text"].strip())
        ]
        if len(rows) >= 8 and len(rows) * 2 > len(lines):
            yield page, rows


@kind(VISIBLE)
def column_of_a_table_lost(paper: Paper) -> bool:
    for page, rows in _tables(paper):
        x = sorted(r.spans[-1]["bbox"][0] for r in rows)[len(rows) // 2]
        boxes = [pymupdf.Rect(s["bbox"]) for r in rows for s in r.spans if s["bbox"][0] > x - 15]
        return paper.erase(page, boxes)
    return False


@kind(VISIBLE)
def rows_of_a_table_lost(paper: Paper) -> bool:
    done = False
    for page, rows in _tables(paper):
        at = paper.chance.randrange(1, len(rows) - 3)
        done |= paper.erase_rows(page, rows[at : at + 3])
        if paper.budget <= 0:
            break
    return done


# letters -------------------------------------------------------------------------------------


def _replaced(
    pages: Pages, pattern: str, by: str | Callable[[re.Match[str]], str], share: float = 1
) -> Damage:
    """Set pages anew with something else for a share of what a pattern finds."""

    def damage(paper: Paper, page: Any) -> bool:
        def one(match: re.Match[str]) -> str:
            if share < 1 and paper.chance.random() >= share:
                return match[0]
            return match.expand(by) if isinstance(by, str) else by(match)

        return paper.retype(page, lambda text: re.sub(pattern, one, text))

    return on(pages, damage)


def _misread(match: re.Match[str]) -> str:
    return match[0].replace("h", "b").replace("cl", "d").replace("rn", "m").replace("ce", "ee")


def _swapped(match: re.Match[str]) -> str:
    at = len(match[0]) // 2
    return match[0][: at - 1] + match[0][at] + match[0][at - 1] + match[0][at + 1 :]


def _translated(pages: Pages, key: Callable[[Paper], Mapping[int, Any]]) -> Damage:
    """Set pages anew by one table of letters."""

    def damage(paper: Paper) -> None:
        table = key(paper)
        for page in pages(paper):
            paper.retype(page, lambda text: text.translate(table))

    return damage


def _exchanged(paper: Paper) -> dict[int, str]:
    return dict(zip(map(ord, ascii_letters), paper.chance.sample(ascii_letters, 52), strict=True))


def _shifted(paper: Paper) -> dict[int, str]:
    by = paper.chance.choice([-29, -3, -1, 1, 2, 5, 29])
    return {code: chr(code + by) if code + by > 32 else "?" for code in range(33, 127)}


_SIGNS = {code: (code - 3) % 95 + 32 for code in range(33, 127)}
_FREQUENT = "etaoinshrdlcumwfgypbvkxjqzETAOINSHRDLCUMWFGYPBVKXJQZ0123456789,.;:()—-“”[]’‘"
_CODES = {ord(letter): 33 + at for at, letter in enumerate(_FREQUENT)}
_ALIKE = dict(zip("eoclitnhrmaubfgsd", "ceoeIlurnnuohtq5c", strict=True))
FIRST |= {
    "letters_swapped": _replaced(Paper.some, "[A-Za-z]{3,}", _swapped, 1 / 3),  # as in bad OCR
    "words_glued": _replaced(Paper.some, " ", ""),  # a layer without blanks
    # a font without its table, whose letters come out as signs
    "signs_for_letters": _translated(_one, lambda _: _SIGNS),
    "letters_exchanged": _translated(Paper.some, _exchanged),  # by a wrong table of the font
    "code_points_shifted": _translated(Paper.some, _shifted),
    # the font of some pages lacks a letter
    "letter_lost": _translated(Paper.some, lambda paper: {ord(paper.chance.choice("eaoinst")): ""}),
    # OCR takes letters for others that look like them, in half of the words
    "letters_alike": _replaced(Paper.some, "[A-Za-z]+", _misread, 0.5),
    "dots_for_words": _replaced(_one, r"(?<=[a-z] )[a-z]{3,}(?= [a-z])", "....", 0.1),  # by a copyist
}
VISIBLE |= {
    # the fonts lose what says which letter a glyph is; codes are shifted as subsets have them
    "fonts_without_table": _translated(_inner, lambda _: _CODES),
    "glyphs_unmapped": _replaced(_inner, r"\S", "\u00bf"),  # the sign that says: unknown
    "recognised_badly": _replaced(_inner, f"[{''.join(_ALIKE)}]", lambda match: _ALIKE[match[0]], 0.05),
    "blanks_within_words": _replaced(_inner, "(?<![a-z])([a-z]{2})(?=[a-z]{3})", r"\1 ", 0.3),
    "digits_lost": _replaced(_inner, r"\d", ""),  # the font has none
    "brackets_lost": _replaced(_inner, "[()]", ""),
    "stops_lost": _replaced(_inner, "[.,;:]", ""),
    "capitals_lost": _replaced(_inner, "[A-Z]", ""),
    # quotation marks and dashes of some pages are signs that a code page lacks
    "signs_come_out_as_question_marks": _replaced(Paper.shuffled, "[“”‘’—–]", "?"),
}
LATER |= {
    "digits_as_letters": _replaced(_inner, "[0158]", lambda match: "OlSB"["0158".index(match[0])]),
    # a copier drops what is thin: commas, full stops, hyphens and quotation marks, every second one
    "small_print_lost": _replaced(Paper.shuffled, "[.,;:’“”-]", "", 0.5),
}


@kind(LATER)
def rows_of_noise(paper: Paper) -> bool:
    """Five rows of a page are what OCR makes of a picture."""
    page, lines = _rows(paper, 5)
    signs = "|~^.-_:;'lijftv/\\ "
    return paper.retype(page, lambda text: "".join(paper.chance.choices(signs, k=len(text))), lines=lines)


def _font_lost(paper: Paper, page: Any, flag: int) -> bool:
    """What is in bold type, or in italics."""
    spans = (s for line in paper.lines(page) for s in line.spans if s["flags"] & flag)
    return paper.erase(page, [_inside(s["bbox"]) for s in spans if len(s["text"].strip()) > 1])


VISIBLE["bold_lost"] = on(Paper.shuffled, partial(_font_lost, flag=16))
VISIBLE["italics_lost"] = on(Paper.shuffled, partial(_font_lost, flag=2))


# marks and numbers ---------------------------------------------------------------------------


def _marked(
    pages: Pages, pattern: re.Pattern[str], change: Callable[[Paper, str], str], most: int = 99
) -> Damage:
    """Set other marks, or none, in the place of those that open rows; ``most``: of a page."""

    def damage(paper: Paper, page: Any) -> bool:
        done = False
        opening = ((line, m[1]) for line in paper.lines(page) if (m := pattern.match(line.text)))
        for line, mark in [(line, m) for line, m in opening if m in line.spans[0]["text"]][:most]:
            span, new = line.spans[0], change(paper, mark)
            if not new:
                done |= paper.erase(page, [_inside(box) for box in page.search_for(mark, clip=line.box)[:1]])
            elif new != mark:
                page.add_redact_annot(_inside(span["bbox"]), fill=False)
                page.apply_redactions(images=0, graphics=0)
                changed = span | {"text": span["text"].replace(mark, new, 1)}
                done |= paper.retype(page, lines=[Line(line.box, "", [changed])], keep=True)
        return done

    return on(pages, damage)


_DIGITS_ALIKE = str.maketrans("0123456789", "8785462398")
_MARKS_ALIKE = str.maketrans("125bci4g", "lzshejA9")
FIRST |= {
    "numbers_erased": _marked(_two, _NUMBER, lambda _, mark: ""),
    "numbers_misread": _marked(
        _two, _NUMBER, lambda paper, _: "".join(paper.chance.choices("lOSBZ", k=2)) + "."
    ),
    "sub_numbers_erased": _marked(_two, _PART, lambda _, mark: ""),
}
VISIBLE |= {
    # (1) as (l), (b) as (h): OCR of the marks that open rows
    "part_marks_misread": _marked(Paper.shuffled, _PART, lambda _, mark: mark.translate(_MARKS_ALIKE)),
    # one digit of some numbers of sections is read as another; the first digit is lost
    "section_numbers_misread": _marked(_few, _SECTION, lambda _, mark: mark.translate(_DIGITS_ALIKE), 1),
    "section_numbers_shortened": _marked(
        _few, _SECTION, lambda _, mark: mark[1:] if mark[1:2].isdigit() else mark, 1
    ),
}


# rows ----------------------------------------------------------------------------------------


def _rows(paper: Paper, count: int) -> tuple[Any, list[Line]]:
    """A page, and some rows from its middle; none where it has few."""
    page = paper.page()
    lines = paper.prose(page)
    at = paper.chance.randrange(3, max(4, len(lines) - count - 2))
    return page, lines[at : at + count] if len(lines) >= count + 7 else []


@kind(FIRST, _two)
def rows_lost(paper: Paper, page: Any) -> None:
    """Some rows in the middle of some pages are not there, as under a stain."""
    lines = paper.lines(page)
    if len(lines) >= 12:
        count = paper.chance.randint(3, 8)
        first = paper.chance.randint(1, len(lines) - count - 2)
        paper.erase_rows(page, lines[first : first + count])


@kind(FIRST, _two)
def fifth_rows_lost(paper: Paper, page: Any) -> None:
    """Every fifth row of some pages is not there."""
    paper.erase(page, [paper.rows_box(page, [line]) for line in paper.lines(page)[3::5]])


@kind(FIRST, _one)
def paragraph_doubled(paper: Paper, page: Any) -> None:
    """Six rows of a page stand again in the place of the six behind them."""
    lines = paper.lines(page)
    middle = len(lines) // 2
    paper.put(page, lines[max(0, middle - 6) : middle], lines[middle : middle + 6])


@kind(VISIBLE, Paper.shuffled)
def paragraph_white(paper: Paper, page: Any) -> bool:
    """Some paragraphs are painted white."""
    lines = paper.lines(page)
    starts = [i for i, line in enumerate(lines) if _OPENS.match(line.text)]
    spans = [(a, b) for a, b in pairwise(starts) if 2 <= b - a <= 12 and len(lines[a].text) > _PROSE]
    rows = lines[slice(*paper.chance.choice(spans))] if spans else []
    return paper.retype(page, color=(1, 1, 1), lines=rows)


@kind(VISIBLE)
def paragraphs_change_places(paper: Paper) -> bool:
    """Six rows of a page stand in the place of six of another, and those in theirs."""
    if len(paper.law) < 4:
        return False
    pages = [paper.document[i] for i in sorted(paper.chance.sample(paper.law[1:], 2))]
    blocks = []
    for lines in map(paper.prose, pages):
        if len(lines) < 14:
            return False
        at = paper.chance.randrange(3, len(lines) - 9)
        blocks.append(lines[at : at + 6])
    return paper.put(pages[0], blocks[1], blocks[0]) and paper.put(pages[1], blocks[0], blocks[1])


@kind(VISIBLE)
def half_rows_lost(paper: Paper) -> bool:
    """A finger lies on the page: the ends of eight rows."""
    page, lines = _rows(paper, 8)
    box = paper.block(page)
    left = box.x0 + 0.7 * box.width
    return paper.erase(page, [pymupdf.Rect(left, n.box.y0 + 3, page.rect.width, n.box.y1 - 3) for n in lines])


@kind(VISIBLE, _inner)
def every_third_row_lost_below(paper: Paper, page: Any) -> bool:
    """A roller slips: rows are lost towards the foot of a page, and the rest moves up."""
    lines = paper.prose(page)
    half = len(lines) // 2
    lower = lines[half:]
    return half >= 6 and paper.put(page, [line for i, line in enumerate(lower) if i % 3], lower)


@kind(VISIBLE, Paper.shuffled)
def names_blackened(paper: Paper, page: Any) -> bool:
    """Black bars in the place of half rows."""
    lines = paper.prose(page)
    for line in paper.chance.sample(lines, min(6, len(lines))):
        middle = line.box.x0 + paper.chance.uniform(0.2, 0.5) * line.box.width
        bar = pymupdf.Rect(middle, line.box.y0 + 3, middle + 0.35 * line.box.width, line.box.y1 - 3)
        paper.erase(page, [bar])
        page.draw_rect(bar, fill=(0, 0, 0), color=(0, 0, 0))
    return bool(lines)


def _written(paper: Paper, count: int, font: str, texts: Sequence[str]) -> bool:
    """Something else stands in the place of some rows of a page."""
    page, lines = _rows(paper, count)
    done = paper.erase_rows(page, lines)
    for text, line in zip(texts, lines, strict=False):
        page.insert_text((line.box.x0, line.box.y1 - 2), text, fontname=font, fontsize=10)
    return done


# a registrar's stamp; a reader's typed note
_STAMP = "RECEIVED on 14 MAR 2019 in the office of the Registrar,", "Diary No. 5521 of 2019. Copy supplied"
_NOTE = (
    "Checked against the copy in the library; see also the file of",
    "2014, where counsel asked for time.",
)
VISIBLE["stamped_over"] = partial(_written, count=3, font="helv", texts=_STAMP)
LATER["note_among_the_rows"] = partial(_written, count=2, font="tiro", texts=_NOTE)


@kind(LATER, _inner)
def rows_read_upwards(paper: Paper, page: Any) -> bool:
    lines = paper.prose(page)
    return len(lines) > 8 and paper.put(page, lines[::-1], lines)


@kind(LATER)
def overlap_of_scans(paper: Paper) -> bool:
    """The first rows of the next page stand again at the foot of a page, in the place of its last."""
    at = paper.inner()
    here, there = paper.prose(paper.document[at])[-4:], paper.prose(paper.document[at + 1])[:4]
    return min(len(here), len(there)) == 4 and paper.put(paper.document[at], there, here)


# parts of sections ---------------------------------------------------------------------------


@kind(FIRST)
def section_lost(paper: Paper) -> bool:
    """A section is not there: from its number to the next on the page."""
    for index in paper.chance.sample(paper.law, len(paper.law)):
        lines = paper.lines(paper.document[index])
        starts = [i for i, line in enumerate(lines) if _NUMBER.match(line.text)]
        if len(starts) > 1:
            return paper.erase_rows(paper.document[index], lines[starts[0] : starts[1]])
    return False


@kind(VISIBLE, Paper.shuffled)
def notes_swallowed(paper: Paper, page: Any) -> bool:
    """The footnotes of some pages are not there, their marks are."""
    lines = paper.lines(page)
    size = paper.prose(page)[0].spans[0]["size"] - 0.5
    low = (n for n in lines if n.box.y0 > 0.55 * page.rect.height and n.spans[0]["size"] < size)
    top = min(
        (n.box.y0 for n in low if re.match(r"\s*(?:\d{1,2}|\*)\.?\s+[A-Z]", n.text)), default=page.rect.y1
    )
    rest = [n for n in lines if n.box.y0 >= top and not re.fullmatch(r"\W*\d+\W*", n.text)]
    return paper.erase(page, [_inside(n.box) for n in rest])


@kind(VISIBLE)
def chapter_headings_lost(paper: Paper) -> bool:
    """Half of them, or one more."""
    pages = [(page, paper.lines(page)) for page in (paper.document[index] for index in paper.law)]
    head = re.compile(r"^\W*(?:CHAPTER|PART)\s+[IVXLC0-9]+[A-Z]?\W*$")
    places = [(on, n[i : i + 2]) for on, n in pages for i, line in enumerate(n) if head.match(line.text)]
    for place in paper.chance.sample(places, (len(places) + 1) // 2):
        paper.erase_rows(*place)
    return bool(places)


def _matches_lost(pattern: str) -> Damage:
    """What a pattern finds on one row, its first group where it has one."""
    regex = re.compile(pattern, re.MULTILINE)

    def damage(paper: Paper, page: Any) -> bool:
        texts = {match[regex.groups] for match in regex.finditer(page.get_text())}
        return paper.erase(page, [_inside(box) for text in texts for box in page.search_for(text)])

    return on(Paper.shuffled, damage)


def _parts_lost(opens: str, *, inside: bool = False) -> Damage:
    """Erase parts of sections from the row that opens them to that which opens the next; ``inside``: (b) of (c)."""

    def damage(paper: Paper, page: Any) -> bool:
        lines = paper.lines(page)
        for first, last in pairwise(i for i, line in enumerate(lines) if _OPENS.match(line.text)):
            follows = _follows(*(_PART.match(lines[at].text) for at in (first, last)))
            if re.match(opens, lines[first].text) and last - first <= 10 and (follows or not inside):
                return paper.erase_rows(page, lines[first:last])
        return False

    return on(Paper.shuffled, damage)


def _follows(first: re.Match[str] | None, second: re.Match[str] | None) -> bool:
    """Whether a mark is that behind another, which is no first."""
    a, b = (match[1].strip("()") if match else "" for match in (first, second))
    if a in ("1", "a", "i") or not b:
        return False
    if a.isdecimal() and b.isdecimal():
        return int(b) == int(a) + 1
    return len(a) == len(b) == 1 and ord(b) == ord(a) + 1


def _of_a_section(fewest: int, most: int, first: Callable[[Paper, int], int]) -> Damage:
    """Take rows of some sections away, from one of them on."""

    def damage(paper: Paper, page: Any) -> bool:
        lines = paper.lines(page)
        for start, end in pairwise(i for i, line in enumerate(lines) if _SECTION.match(line.text)):
            if fewest <= end - start <= most:
                return paper.erase_rows(page, lines[start + first(paper, end - start) : end])
        return False

    return on(Paper.shuffled, damage)


VISIBLE |= {
    "headings_lost": _matches_lost(r"^\W{0,3}\d{1,3}[A-Z]{0,2}\.\s*([A-Z][^—.\n]{6,60})\.?\s?—"),
    "quotations_lost": _matches_lost(r"[“\"][^“”\"\n]{3,60}[”\"]"),  # as terms that are defined
    "substitutions_lost": _matches_lost(r"\d?\[([^\[\]\n]{6,80})\]"),  # in the brackets of an amendment
    "clause_lost": _parts_lost(r"^\W{0,3}\([a-z]\)\s", inside=True),
    "subsection_lost": _parts_lost(r"^\W{0,3}\(\d{1,2}\)\s", inside=True),
    "section_text_lost": _of_a_section(3, 15, lambda paper, rows: 1),  # but for its first row
    "end_of_a_section_lost": _of_a_section(5, 25, lambda paper, rows: paper.chance.randrange(2, rows - 1)),
}
# definitions that begin with a quotation mark, or a mark and one
LATER["definitions_lost"] = _parts_lost(r"^\W{0,3}(?:\(\w{1,4}\)\s*)?[“\"]")


# what nobody sees ----------------------------------------------------------------------------


def _reworded(pattern: str, by: str | Callable[[re.Match[str]], str]) -> Damage:
    def damage(paper: Paper, page: Any) -> bool:
        lines = [line for line in paper.prose(page) if re.search(pattern, line.text)]
        return paper.retype(page, lambda text: re.sub(pattern, by, text), lines=lines)

    return on(Paper.shuffled, damage)


INVISIBLE |= {
    # a sum, a term or a section that is cited is another
    "digit_edited": _reworded(r"(?<=[a-z] )\d(?=\d)", lambda match: str(int(match[0]) % 8 + 1)),
    "not_dropped": _reworded(" not ", " "),
    "shall_may": _reworded(r"\bshall\b", "may"),
    # what stands before it ends with a colon, or did with a full stop
    "proviso_lost": _parts_lost(r"^\W{0,3}(?:Provided|Explanation)"),
}

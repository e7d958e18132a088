"""A typesetter of Acts: three prints, with footnotes that restart on each page, running heads and marks.

Text may carry ``\\x01ID\\x02``, the mark of a footnote. A paragraph that begins with ``=`` is centred, one that
begins with ``^`` stands alone at body size without an indent, one with ``~`` at the foot of the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pymupdf

from tests.typeset import Section, saved

_MARK = re.compile("\x01(\\w+)\x02")
_FACES = {"r": "tiro", "b": "tibo"}
FONTS = {face: pymupdf.Font(name) for face, name in _FACES.items()}


@dataclass(frozen=True)
class Print:
    """How an edition is set. Sizes in points; ``box`` is the text block on the sheet."""

    sheet: tuple[float, float]
    box: tuple[float, float, float, float]
    size: float = 11
    note_size: float = 8.5
    rule: bool = True
    head: str = ""  # {title}, {page}
    foot: str = ""
    bold: bool = True
    contents: bool = True
    hyphens: bool = False


A4 = Print((595, 842), (72, 64, 523, 770), foot="{page}")
LETTER = Print((612, 792), (90, 80, 522, 720), 10.5, 8, rule=False, head="{title}|{page}", bold=False, contents=False, hyphens=True)  # fmt: skip
BOOK = Print((612, 792), (144, 158, 468, 634), 9, 7, head="{page}|{title}", foot="", contents=False, hyphens=True)  # fmt: skip

POCKET = Print((420, 595), (48, 60, 372, 540), 8, 6.5, rule=False, head="{title}|{page}", contents=True, hyphens=True)  # fmt: skip
LARGE = Print(
    (612, 1008), (100, 110, 512, 900), 14, 11, rule=True, foot="- {page} -", bold=False, hyphens=False
)
OFFSET = Print((595, 842), (150, 90, 555, 700), 10, 8, rule=True, head="{page}|{title}", foot="{title}", bold=False, contents=True)  # fmt: skip


@dataclass(frozen=True)
class Edition:
    """One edition of an Act.

    Attributes
    ----------
    notes
        Text of each footnote by its id.
    codes
        What the printer set at the foot of some pages.
    glued
        Ids of marks that are set in the size of the text.
    """

    title: str
    number: str
    sections: Sequence[Section]
    schedule: Sequence[str]
    notes: Mapping[str, str]
    codes: Sequence[str] = ()
    glued: frozenset[str] = frozenset()
    misread: Mapping[str, str] = field(default_factory=dict)
    last: Sequence[str] = ()


@dataclass
class _Word:
    text: str
    face: str
    mark: str = ""
    space: bool = True


class _Setter:
    def __init__(self, edition: Edition, style: Print) -> None:
        self.edition, self.style = edition, style
        self.document = pymupdf.open()
        self.fresh()

    def fresh(self) -> None:
        width, height = self.style.sheet
        self.page = self.document.new_page(width=width, height=height)
        self.writer = pymupdf.TextWriter(self.page.rect)
        self.marks: list[str] = []
        self.note_lines: list[str] = []
        self.feet: list[str] = []
        self.y = self.style.box[1]

    def end(self) -> None:
        style, number = self.style, len(self.document)
        left, top, right, bottom = style.box
        y = bottom - len(self.note_lines) * (style.note_size + 1.5)
        if self.note_lines and style.rule:
            self.page.draw_line((left, y - 4), (left + 90, y - 4), width=0.5)
        for line in self.note_lines:
            y += style.note_size + 1.5
            self.writer.append((left, y), line, font=FONTS["r"], fontsize=style.note_size)
        for foot in self.feet:
            self.writer.append((left, self.y + 1.25 * style.size), foot, font=FONTS["r"], fontsize=style.size)
            self.y += 1.25 * style.size
        values = {"title": self.edition.title, "page": number}
        for text, at in ((style.head, top - 18), (style.foot, bottom + 24)):
            parts = text.format(**values).split("|")
            if len(parts) == 2:
                if number % 2:
                    parts.reverse()
                self.put(parts[0], left, at)
                self.put(parts[1], right - FONTS["r"].text_length(parts[1], style.size - 1), at)
            elif text:
                self.put(parts[0], (left + right) / 2 - 4, at)
        if self.edition.codes and number % 4 == 1:
            self.put(self.edition.codes[number // 4 % len(self.edition.codes)], left, bottom + 14)
        self.writer.write_text(self.page)

    def put(self, text: str, x: float, y: float) -> None:
        self.writer.append((x, y), text, font=FONTS["r"], fontsize=self.style.size - 1.5)

    def width(self, word: _Word, size: float) -> float:
        if word.mark and word.mark not in self.edition.glued:
            return 0.45 * size
        return float(FONTS[word.face].text_length(word.text, size))

    def paragraph(self, words: Sequence[_Word], indent: float = 18, centred: bool = False) -> None:
        size, (left, _, right, _) = self.style.size, self.style.box
        space, x = FONTS["r"].text_length(" ", size), indent
        line: list[_Word] = []
        rows: list[tuple[float, list[_Word]]] = []
        start, todo = indent, list(words)
        while todo:
            word = todo.pop(0)
            gap = space if word.space and line else 0
            if x + gap + self.width(word, size) > right - left and line:
                half = len(word.text) // 2
                if self.style.hyphens and len(word.text) > 8 and word.text.isalpha():
                    first = _Word(word.text[:half] + "-", word.face, space=word.space)
                    if x + gap + self.width(first, size) <= right - left:
                        line.append(first)
                        word = _Word(word.text[half:], word.face)
                rows.append((start, line))
                line, x, start, gap = [], 0.0, 0.0, 0
            line.append(word)
            x += gap + self.width(word, size)
        rows.append((start, line))
        for start, row in rows:
            self.row(row, start, centred)
        self.y += 3

    def row(self, row: list[_Word], start: float, centred: bool) -> None:
        style = self.style
        left, _, right, bottom = style.box
        lines = [line for w in row if w.mark for line in self.note(w.mark, len(self.marks) + 1)]
        if self.y + style.size * 1.25 * (1 + len(self.feet)) + (len(self.note_lines) + len(lines)) * (style.note_size + 1.5) + 8 > bottom:  # fmt: skip
            self.end()
            self.fresh()
        self.y += style.size * 1.25
        space, x = FONTS["r"].text_length(" ", style.size), left + start
        if centred:
            x = (left + right - sum(self.width(w, style.size) + space for w in row)) / 2
        for k, word in enumerate(row):
            x += space if word.space and k else 0
            size, y, text = style.size, self.y, word.text
            if word.mark:
                if word.mark not in self.marks:
                    self.marks.append(word.mark)
                    self.note_lines += self.note(word.mark, len(self.marks))
                text = str(self.marks.index(word.mark) + 1)
                if word.mark not in self.edition.glued:
                    size, y = 0.62 * size, y - 0.35 * size
            self.writer.append((x, y), text, font=FONTS[word.face], fontsize=size)
            x += self.width(word, style.size)

    def note(self, mark: str, number: int) -> list[str]:
        style, out, line = self.style, [], f"{number}."
        for word in self.edition.notes[mark].split():
            if FONTS["r"].text_length(f"{line} {word}", style.note_size) > style.box[2] - style.box[0]:
                out.append(line)
                line = word
            else:
                line = f"{line} {word}"
        return [*out, line]


def words(text: str, face: str = "r") -> list[_Word]:
    """Words of a text; a mark is a word of its own that nothing parts from the next."""
    out: list[_Word] = []
    for chunk in text.split():
        first = True
        for k, piece in enumerate(_MARK.split(chunk)):
            if piece:
                out.append(_Word("0" if k % 2 else piece, face, piece if k % 2 else "", first))
                first = False
    return out


def typeset(edition: Edition, style: Print) -> bytes:
    """The PDF of an edition in one of the prints."""
    setter = _Setter(edition, style)

    def centred(text: str) -> None:
        setter.paragraph(words(text), 0, centred=True)

    centred(edition.title)
    if style.contents:
        centred("ARRANGEMENT OF SECTIONS")
        centred("SECTIONS")
        for section in edition.sections:
            heading = _MARK.sub("", section.heading)
            setter.paragraph(words(f"{section.number}. {heading}."), 0)
        centred(edition.title)
    centred(f"ACT NO. {edition.number.upper()}")
    setter.paragraph(words("An Act to provide for the matters hereinafter appearing."))
    setter.paragraph(words("BE it enacted by Parliament as follows:—"))
    for section in edition.sections:
        number = edition.misread.get(section.number, section.number)
        opening = words(f"\x01{section.mark}\x02[") if section.mark else []
        head = words(f"{number}. {section.heading}.—", "b" if style.bold else "r")
        if opening:
            head[0].space = False
        first, *rest = section.paragraphs
        text = words(first)
        if text:
            text[0].space = False
        setter.paragraph([*opening, *head, *text])
        for paragraph in rest:
            _plain(setter, paragraph)
    if edition.schedule:
        centred("THE SCHEDULE")
        centred("(See section 3)")
        for entry in edition.schedule:
            setter.paragraph(words(entry))
    for paragraph in edition.last:
        _plain(setter, paragraph)
    setter.end()
    return saved(setter.document)


def _plain(setter: _Setter, paragraph: str) -> None:
    if paragraph.startswith("="):
        setter.paragraph(words(paragraph[1:]), 0, centred=True)
    elif paragraph.startswith("~"):
        setter.feet.append(paragraph[1:])
    else:
        setter.paragraph(words(paragraph.removeprefix("^")), 0 if paragraph.startswith("^") else 18)

"""Prints of an Act that differ in format, running heads, headings, numbers and what is printed with it."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pymupdf

from tests import typeset
from tests.typeset import Act, Section
from tests.typeset_hindi import ACT as HINDI
from tests.typeset_hindi import hindi

Box = tuple[float, float, float, float]
Heading = Callable[[str, str, str], str]
"""From the number as it is printed, the heading and the first paragraph to markup."""


def _joined(template: str) -> Heading:
    """Number, heading and text in one paragraph."""
    return lambda n, h, t: (
        "<p>" + template.format(n=n, h=h, c=_capitals(h), s=small_capitals(h), t=t) + "</p>"
    )


def _rows(template: str, above: bool = False) -> Heading:
    """The heading in a paragraph of its own: behind the number, or above it."""

    def printed(n: str, h: str, t: str) -> str:
        head = template.format(n=n, h=h, c=_capitals(h), s=small_capitals(h))
        return f"{head}<p>{n} {t}</p>" if above else f"{head}<p>{t}</p>"

    return printed


def _capitals(text: str) -> str:
    return html.escape(html.unescape(text).upper())


def small_capitals(text: str) -> str:
    """Capitals, the small letters of ``text`` in a smaller size."""
    small = r'<span style="font-size:8.6px">{}</span>'
    plain = html.unescape(text)
    return "".join(
        small.format(html.escape(part.upper())) if part[:1].islower() else html.escape(part)
        for part in re.findall(r"[a-z][a-z ,]*|[^a-z]+", plain)
    )


HEADINGS: dict[str, Heading] = {
    "bold dash": _joined("<b>{n} {h}.</b>—{t}"),
    "dash": _joined("{n} {h}.—{t}"),
    "en dash": _joined("<b>{n} {h}.</b>– {t}"),
    "hyphen": _joined("<b>{n} {h}</b> - {t}"),
    "italic dash": _joined("{n} <i>{h}</i>.—{t}"),
    "small capitals dash": _joined("{n} {s}.—{t}"),
    "capitals colon": _joined("{n} {c}: {t}"),
    "colon": _joined("{n} {h}: {t}"),
    "bold colon": _joined("<b>{n} {h}:</b> {t}"),
    "bold": _joined("<b>{n} {h}.</b> {t}"),
    "bold without a stop": _joined("<b>{n} {h}</b> {t}"),
    "italic": _joined("{n} <i>{h}.</i> {t}"),
    "number bold, heading italic": _joined("<b>{n}</b> <i>{h}.</i> {t}"),
    "row, bold": _rows("<p><b>{n} {h}</b></p>"),
    "row, plain": _rows("<p>{n} {h}</p>"),
    "row, stop": _rows("<p>{n} {h}.</p>"),
    "row, colon": _rows("<p>{n} {h}:</p>"),
    "row, capitals": _rows("<p>{n} {c}</p>"),
    "row, small capitals": _rows("<p>{n} {s}</p>"),
    "row, italic": _rows("<p>{n} <i>{h}</i></p>"),
    "row, centred": _rows("<h2><b>{n} {h}</b></h2>"),
    "rows, number and heading": _rows("<h2>{n}</h2><h2>{h}</h2>"),
    "above, bold": _rows("<p><b>{h}</b></p>", above=True),
    "above, plain": _rows("<p>{h}</p>", above=True),
    "above, stop": _rows("<p>{h}.</p>", above=True),
    "above, italic": _rows("<p><i>{h}</i></p>", above=True),
    "above, centred": _rows("<h2>{h}</h2>", above=True),
    "above, centred italic": _rows("<h2><i>{h}</i></h2>", above=True),
    "above, small capitals": _rows("<p>{s}</p>", above=True),
    "above, capitals": _rows("<p>{c}</p>", above=True),
    "margin": _joined("<b>{n}</b> {t}"),
    "margin, plain": _joined("{n} {t}"),
}
ROMAN = {1: "I", 4: "IV", 5: "V", 9: "IX", 10: "X", 40: "XL", 50: "L", 90: "XC", 100: "C"}


def roman(number: int) -> str:
    out = ""
    for value in sorted(ROMAN, reverse=True):
        while number >= value:
            out, number = out + ROMAN[value], number - value
    return out


@dataclass(frozen=True)
class Leaf:
    """A page: its number, the sections that begin on it, and the chapter that it belongs to."""

    page: pymupdf.Page
    number: int
    sections: Sequence[str]
    before: str
    chapter: str
    title: str
    block: Box


Furniture = Callable[[Leaf], None]


def put(
    page: pymupdf.Page,
    x: float,
    y: float,
    text: str,
    size: float = 9,
    align: str = "left",
    face: str = "tiro",
) -> None:
    width = pymupdf.get_text_length(text, fontname=face, fontsize=size)
    x -= {"left": 0, "centre": width / 2, "right": width}[align]
    page.insert_text((x, y), text, fontname=face, fontsize=size)


def _on(leaf: Leaf) -> str:
    first, last = (leaf.sections[0], leaf.sections[-1]) if leaf.sections else (leaf.before, leaf.before)
    return f"[S. {first}" if first == last else f"[Ss. {first}-{last}"


def folio(leaf: Leaf) -> None:
    put(leaf.page, (leaf.block[0] + leaf.block[2]) / 2, leaf.block[3] + 26, str(leaf.number), align="centre")


def book(leaf: Leaf) -> None:
    """Left pages: number and title; right pages: chapter and number."""
    left, top, right, _ = leaf.block
    if leaf.number % 2 == 0:
        put(leaf.page, left, top - 14, str(leaf.number))
        put(leaf.page, (left + right) / 2, top - 14, leaf.title.title()[:40], align="centre", face="tiit")
    else:
        put(leaf.page, (left + right) / 2, top - 14, leaf.chapter.title(), align="centre", face="tiit")
        put(leaf.page, right, top - 14, str(leaf.number), align="right")


def by_section(leaf: Leaf) -> None:
    """The sections of the page in the outer corner, the title inside."""
    left, top, right, _ = leaf.block
    if leaf.number % 2 == 0:
        put(leaf.page, left, top - 16, f"{leaf.number}  {leaf.title}")
        put(leaf.page, right, top - 16, _on(leaf) + "]", align="right")
    else:
        put(leaf.page, left, top - 16, _on(leaf))
        put(leaf.page, right, top - 16, f"{leaf.chapter}  {leaf.number}", align="right")


def sections_alone(leaf: Leaf) -> None:
    """Nothing but the section in the outer corner, close to the text; the number at the foot."""
    left, top, right, _ = leaf.block
    number = (leaf.sections or [leaf.before])[0]
    outer = (left, "left") if leaf.number % 2 == 0 else (right, "right")
    put(leaf.page, outer[0], top - 8, f"S. {number}", size=10, align=outer[1])
    folio(leaf)


def outer_foot(leaf: Leaf) -> None:
    outer = (leaf.block[0], "left") if leaf.number % 2 == 0 else (leaf.block[2], "right")
    put(leaf.page, outer[0], leaf.block[3] + 20, str(leaf.number), align=outer[1])
    put(
        leaf.page,
        (leaf.block[0] + leaf.block[2]) / 2,
        leaf.block[3] + 20,
        "www.lampbooks.example",
        8,
        "centre",
    )


def inner_foot(leaf: Leaf) -> None:
    inner = (leaf.block[2], "right") if leaf.number % 2 == 0 else (leaf.block[0], "left")
    put(leaf.page, inner[0], leaf.block[3] + 20, f"{leaf.number} / {leaf.title.title()}", align=inner[1])


def three_rows(leaf: Leaf) -> None:
    """A masthead of three rows, as gazettes of States have it."""
    left, top, right, _ = leaf.block
    middle = (left + right) / 2
    put(leaf.page, middle, top - 40, "THE GOA GAZETTE, EXTRAORDINARY", align="centre", face="tibo")
    put(leaf.page, left, top - 28, "PANAJI, 4TH MAY, 2012 (VAISAKHA 14, 1934)", 8)
    put(leaf.page, right, top - 28, f"SERIES I No. 5     {leaf.number}", 8, "right")
    put(leaf.page, middle, top - 16, leaf.title if leaf.number % 2 else leaf.chapter, 8, "centre")


def line_numbers(leaf: Leaf) -> None:
    """A bill: each fifth line has its number outside the text."""
    folio(leaf)
    rows = sorted(
        {
            round(line["bbox"][3])
            for block in leaf.page.get_text("dict")["blocks"]
            for line in block.get("lines", ())
        }
    )
    x = leaf.block[0] - 22 if leaf.number % 2 else leaf.block[2] + 12
    for count, y in enumerate(rows, 1):
        if count % 5 == 0:
            put(leaf.page, x, y - 3, str(count), 9)


def asterisks(leaf: Leaf) -> None:
    """Footnotes with asterisks and daggers under the text."""
    folio(leaf)
    left, _, _, bottom = leaf.block
    leaf.page.draw_line((left, bottom + 2), (left + 90, bottom + 2), width=0.5)
    for count, note in enumerate(
        (
            "* Ins. by Act 9 of 2015, s. 2 (w.e.f. 1-4-2016).",
            "† The words “of Goa” omitted by Act 4 of 2018, s. 3.",
        )
    ):
        put(leaf.page, left, bottom + 10 + 8 * count, note, 7.5)


def watermark(leaf: Leaf) -> None:
    """A stamp across the margin and a line of the portal at head and foot."""
    left, top, right, bottom = leaf.block
    put(leaf.page, left, top - 30, "Lamp Law Portal - for reference only", 7)
    put(leaf.page, right, bottom + 30, f"Page {leaf.number} of {len(leaf.page.parent)}", 8, "right")
    put(leaf.page, left, bottom + 30, "Printed from lamps.example on 04/05/2020 at 11:42", 8)


def none(leaf: Leaf) -> None:
    pass


@dataclass(frozen=True)
class Situation:
    """How an Act is printed.

    ``number``: of a section, with ``{n}`` or ``{roman}``. ``front``, ``behind``: markup before the enacting
    formula, and behind the last section. ``between``: markup behind every seventh section. ``finish``: what is
    done with the pages.
    """

    heading: str = "bold dash"
    sheet: tuple[float, float] = (595, 842)
    block: Box = (72, 60, 523, 760)
    furniture: Furniture = folio
    number: str = "{n}."
    contents: bool = False
    css: str = ""
    front: str = ""
    behind: str = ""
    between: str = ""
    chapters: bool = True
    finish: Callable[[pymupdf.Document], pymupdf.Document] = field(default=lambda d: d)


CHAPTERS = ("PRELIMINARY", "AUTHORITIES AND THEIR POWERS", "OFFENCES AND PENALTIES", "MISCELLANEOUS")


def in_chapters(act: Act) -> list[tuple[str, str, list[Section]]]:
    """The sections of an Act in four Chapters."""
    sections = act.sections
    step = -(-len(sections) // len(CHAPTERS))
    parts = [sections[k : k + step] for k in range(0, len(sections), step)]
    return [(roman(k + 1), CHAPTERS[k], part) for k, part in enumerate(parts)]


def printed_number(situation: Situation, section: Section, at: int) -> str:
    return situation.number.format(n=section.number, roman=roman(at))


def print_act(act: Act, situation: Situation) -> bytes:
    """A PDF of an Act as a situation has it."""
    printed = HEADINGS[situation.heading]
    parts = in_chapters(act) if situation.chapters else [("", "", act.sections)]
    markup = f"<h1>{html.escape(act.title)}</h1>{situation.front}"
    if situation.contents:
        entries = "".join(
            f'<p class="contents">{printed_number(situation, s, k)} {html.escape(s.heading)}</p>'
            for k, s in enumerate(act.sections, 1)
        )
        markup += f"<h2>ARRANGEMENT OF SECTIONS</h2>{entries}<h1>{html.escape(act.title)}</h1>"
    markup += f"<h1>ACT NO. {act.number.upper()}</h1><p>An Act to provide for what is said below.</p>"
    markup += "<p>BE it enacted by Parliament as follows:—</p>"
    count = 0
    for number, name, sections in parts:
        markup += f"<h2>CHAPTER {number}</h2><h2>{name}</h2>" if name else ""
        for s in sections:
            count += 1
            first, *rest = (html.escape(p) for p in s.paragraphs)
            note = 9.5 * (len(s.heading) // 11 + 1) - 14 * (sum(map(len, s.paragraphs)) // 60 + 1)
            room = (
                f' style="margin-bottom:{max(0, note):.0f}px"'
                if situation.heading.startswith("margin")
                else ""
            )
            markup += f'<div id="s{s.number}"{room}>{printed(printed_number(situation, s, count), html.escape(s.heading), first)}'
            markup += "".join(f"<p>{p}</p>" for p in rest) + "</div>"
            markup += situation.between if count % 7 == 3 else ""
    document, places = _lay_out(markup + situation.behind, situation)
    _furnish(document, places, act, parts, situation)
    return typeset.saved(situation.finish(document))


def _lay_out(markup: str, situation: Situation) -> tuple[pymupdf.Document, dict[str, tuple[int, float]]]:
    places: dict[str, tuple[int, float]] = {}

    def position(place: object) -> None:
        if place.id and place.open_close & 1:  # type: ignore[attr-defined]
            places.setdefault(place.id, (place.page_num - 1, place.rect[1]))  # type: ignore[attr-defined]

    sheet = pymupdf.Rect(0, 0, *situation.sheet)
    left, top, right, bottom = situation.block
    frame = pymupdf.Rect(left, top, right, bottom)
    story = pymupdf.Story(html=markup, user_css=typeset.CSS + situation.css)
    return story.write_with_links(lambda n, r: (sheet, frame, None), position), places


def _furnish(
    document: pymupdf.Document,
    places: dict[str, tuple[int, float]],
    act: Act,
    parts: Sequence[tuple[str, str, Sequence[Section]]],
    situation: Situation,
) -> None:
    on: dict[int, list[Section]] = {}
    chapter_of = {
        s.number: f"CHAPTER {n}.—{name}" if name else act.title for n, name, part in parts for s in part
    }
    for s in act.sections:
        on.setdefault(places[f"s{s.number}"][0], []).append(s)
    before, chapter = act.sections[0].number, chapter_of[act.sections[0].number]
    for index, page in enumerate(document):
        here = on.get(index, [])
        chapter = chapter_of[here[0].number] if here else chapter
        if index or situation.furniture in (folio, line_numbers):
            situation.furniture(
                Leaf(page, index + 1, [s.number for s in here], before, chapter, act.title, situation.block)
            )
        if situation.heading.startswith("margin"):
            _marginal(page, here, places, situation, index)
        before = here[-1].number if here else before


def _marginal(
    page: pymupdf.Page,
    sections: Sequence[Section],
    places: dict[str, tuple[int, float]],
    situation: Situation,
    index: int,
) -> None:
    left, _, right, _ = situation.block
    for _k, s in enumerate(sections):
        words, lines = s.heading.split(), [""]
        for word in words:
            if len(lines[-1]) + len(word) > 15:
                lines.append("")
            lines[-1] = f"{lines[-1]} {word}".strip()
        y = places[f"s{s.number}"][1]
        for row, line in enumerate(lines):
            x = right + 8 if index % 2 == 0 else left - 70
            put(page, x, y + 9 + 8.6 * row, line + ("." if row == len(lines) - 1 else ""), 7.5)


# what is done with the pages -----------------------------------------------------------------


def two_up(document: pymupdf.Document) -> pymupdf.Document:
    out = pymupdf.open()
    width, height = document[0].rect.width, document[0].rect.height
    for first in range(0, len(document), 2):
        page = out.new_page(width=2 * width, height=height)
        for side in range(2):
            if first + side < len(document):
                page.show_pdf_page(
                    pymupdf.Rect(side * width, 0, (side + 1) * width, height), document, first + side
                )
    return out


def turned(*degrees: float) -> Callable[[pymupdf.Document], pymupdf.Document]:
    """Each page drawn at one of the angles, as a scan lies on the glass, and a little shifted."""

    def turn(document: pymupdf.Document) -> pymupdf.Document:
        out = pymupdf.open()
        for number in range(len(document)):
            box = document[number].rect
            page = out.new_page(width=box.width, height=box.height)
            shift = 9 * (number % 3 - 1)
            page.show_pdf_page(
                pymupdf.Rect(box.x0 + shift, box.y0 - shift, box.x1 + shift, box.y1 - shift),
                document,
                number,
                rotate=degrees[number % len(degrees)],
                keep_proportion=True,
            )
        return out

    return turn


def by_flag(document: pymupdf.Document) -> pymupdf.Document:
    """Pages that lie on their side in the file and are turned by the viewer."""
    for page in document:
        box = page.rect
        page.set_rotation(0)
    out = pymupdf.open()
    for number in range(len(document)):
        box = document[number].rect
        page = out.new_page(width=box.height, height=box.width)
        page.show_pdf_page(page.rect, document, number, rotate=90)
        page.set_rotation(90)
    return out


def hindi_first(document: pymupdf.Document) -> pymupdf.Document:
    out = pymupdf.open("pdf", hindi(HINDI))
    out.insert_pdf(document)
    return out


STATEMENT = (
    "<h1>STATEMENT OF OBJECTS AND REASONS</h1><p>1. The law on this subject is scattered over many enactments, and the "
    "Commission has recommended that it be brought together.</p><p>2. The Bill, among other things, seeks to set up an "
    "authority and to provide penalties.</p><p>3. The notes on clauses explain the provisions in detail.</p><p>4. The "
    "Bill seeks to achieve the above objects.</p><p>NEW DELHI;</p><p>The 4th May, 2012.</p><p>A. KEEPER.</p>"
)
BOX = (
    "<p><b>STATEMENT OF OBJECTS AND REASONS</b></p><p>[The object of the Act is to bring together the law on the subject; "
    "it was passed on the recommendation of the Commission, see the Gazette of India, 2011, Part II.]</p>"
)
STATE = (
    "<h2>STATE AMENDMENT</h2><p><b>Goa</b></p><p>In its application to the State of Goa, after this section the following "
    "section shall be inserted, namely:—</p><p>“99A. Power of the State Government.—The State Government may by order "
    "exempt any class of persons.”</p><p>[<i>Vide</i> Goa Act 9 of 1988, s. 3.]</p>"
)
COMMENT = (
    '<p><b>COMMENTS</b></p><p style="font-size:9px">This section was considered in Keeper v. State of Goa, AIR 1988 SC 5, where '
    "it was said that the power must be used within a reasonable time.</p>"
)
TABLE = (
    '<h1>THE SCHEDULE</h1><h2>(See section 3)</h2><table border="1"><tr><td>Sl. No.</td><td>Matter</td><td>Fee in rupees</td></tr>'
    + "".join(
        f"<tr><td>{n}.</td><td>Application of class {n} for a licence under the Act</td><td>{n * 100}</td></tr>"
        for n in range(1, 16)
    )
    + "</table>"
)
INDEX = "<h1>INDEX</h1>" + "".join(
    f'<p class="contents">{w} ........ {n}</p>'
    for n, w in enumerate(
        "Accounts Appeals Board Books Claims Duty Fees Fines Grants Heirs Land Notice Oath Orders Penalty Rules".split(),
        3,
    )
)
COVER = (
    "<h1>GOVERNMENT OF INDIA</h1><h1>MINISTRY OF LAW AND JUSTICE</h1><h1>LEGISLATIVE DEPARTMENT</h1><p>(As modified up to the "
    "4th May, 2012)</p><p>Price: Rs. 12.00</p>"
)
LETTER = Situation(sheet=(612, 792), block=(144, 144, 468, 648), css="body {font-size: 9.5px}")
SITUATIONS: dict[str, Situation] = {
    **{f"heading: {name}": Situation(name) for name in HEADINGS if not name.startswith("margin")},
    "heading: margin": Situation("margin", block=(150, 60, 480, 770), furniture=none),
    "heading: margin, plain, book": Situation("margin, plain", block=(130, 80, 465, 760), furniture=book),
    "heading: row, bold, contents": Situation("row, bold", contents=True),
    "heading: bold, contents": Situation("bold", contents=True),
    "heading: above, plain, contents": Situation("above, plain", contents=True),
    "heading: row, plain, book": Situation("row, plain", furniture=book),
    "heading: above, italic, by section": Situation("above, italic", furniture=by_section),
    "head: book": Situation(furniture=book),
    "head: book on Letter": replace(LETTER, furniture=book),
    "head: by section": Situation(furniture=by_section),
    "head: by section on Letter": replace(LETTER, heading="dash", furniture=by_section),
    "head: sections alone": Situation(furniture=sections_alone),
    "head: sections alone, plain": Situation("dash", furniture=sections_alone, contents=True),
    "head: three rows": Situation(furniture=three_rows, block=(72, 90, 523, 760)),
    "head: portal": Situation(furniture=watermark),
    "foot: outside": Situation(furniture=outer_foot, block=(60, 50, 380, 560), sheet=(440, 620)),
    "foot: inside": replace(LETTER, furniture=inner_foot),
    "lines numbered": Situation("margin", block=(150, 60, 480, 770), furniture=line_numbers),
    "lines numbered, dash": Situation(furniture=line_numbers),
    "asterisks": Situation(furniture=asterisks, block=(72, 60, 523, 730)),
    "two up": Situation(furniture=book, block=(60, 70, 380, 560), sheet=(440, 620), finish=two_up),
    "turned": Situation(furniture=book, finish=turned(1.2, -0.8, 0.4)),
    "turned, plain rows": Situation("row, bold", furniture=by_section, finish=turned(0.9, -1.5)),
    "by flag": Situation(furniture=book, finish=by_flag),
    "Hindi first": Situation(finish=hindi_first),
    "box on page one": Situation(front=BOX),
    "box on page one, rows": Situation("row, plain", front=BOX, contents=False),
    "statement behind": Situation(behind=STATEMENT),
    "statement behind, rows": Situation("row, bold", behind=STATEMENT),
    "State amendments": Situation(between=STATE),
    "State amendments, above": Situation("above, bold", between=STATE),
    "comments": Situation(between=COMMENT),
    "comments, rows": Situation("row, bold", between=COMMENT),
    "table": Situation(behind=TABLE),
    "table, above": Situation("above, centred", behind=TABLE),
    "index": Situation(behind=INDEX),
    "cover": Situation(front=COVER, contents=True),
    "number: S. 12.": Situation(number="S. {n}."),
    "number: S.12, row": Situation("row, bold", number="S.{n}."),
    "number: Sec. 12.": Situation("dash", number="Sec. {n}."),
    "number: Section 12.": Situation(number="Section {n}."),
    "number: Section 12 row": Situation("row, bold", number="Section {n}"),
    "number: Article roman": Situation("row, bold", number="Article {roman}."),
    "number: roman": Situation(number="{roman}.", chapters=False),
    "number: roman, row": Situation("row, bold", number="{roman}."),
    "number: sign": Situation(number="§ {n}."),
    "number: no stop": Situation("bold dash", number="{n}"),
    "number: brackets": Situation("bold dash", number="[{n}]"),
    "no chapters, capitals": Situation("row, capitals", chapters=False),
}

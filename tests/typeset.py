"""Small Acts of our own, typeset as the three layout families print them."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from citegrain.tasks.core.mupdf import pymupdf  # without what it takes half a second to load

PAGE = pymupdf.Rect(0, 0, 595, 842)
CSS = """
body { font-family: serif; font-size: 11px; }
h1 { font-size: 12px; text-align: center; font-weight: normal; margin: 4px; }
h2 { font-size: 11px; text-align: center; font-weight: normal; margin: 6px; }
p { margin: 3px 0 3px 0; text-indent: 18px; text-align: justify; }
p.contents { margin: 1px 0 1px 0; text-indent: 0; }
sup { font-size: 7px; }
"""


@dataclass(frozen=True)
class Section:
    """A section: paragraphs may begin with markers; ``mark`` puts it in amendment brackets."""

    number: str
    heading: str
    paragraphs: Sequence[str]
    mark: str = ""


@dataclass(frozen=True)
class Act:
    """An Act: chapters as (number, heading, sections)."""

    title: str
    number: str
    chapters: Sequence[tuple[str, str, Sequence[Section]]]
    notes: Sequence[str] = field(default_factory=tuple)

    @property
    def sections(self) -> list[Section]:
        return [s for _, _, sections in self.chapters for s in sections]


LANTERN = Act(
    "THE LANTERN KEEPERS (WELFARE) ACT, 2011",
    "17 of 2011",
    [
        (
            "I",
            "PRELIMINARY",
            [
                Section(
                    "1",
                    "Short title, extent and commencement",
                    [
                        "(1) This Act may be called the Lantern Keepers (Welfare) Act, 2011.",
                        "(2) It extends to the whole of India.",
                    ],
                ),
                Section(
                    "2",
                    "Definitions",
                    [
                        "In this Act, unless the context otherwise requires,—",
                        "(a) “keeper” means a person who tends a lantern for wages;",
                        "(b) “lantern” means a lamp shown at night for the guidance of vessels, and includes—",
                        "(i) its tower; and",
                        "(ii) its lens.",
                    ],
                ),
            ],
        ),
        (
            "II",
            "RIGHTS OF KEEPERS",
            [
                Section(
                    "3",
                    "Wages of keepers",
                    [
                        "Every keeper shall be paid his wages before the seventh day of the month "
                        "following that in which they were earned:",
                        "Provided that wages under section 5 may be paid weekly.",
                        "Explanation.—In this section, wages include the oil allowance.",
                    ],
                ),
                Section(
                    "3A",
                    "Oil allowance",
                    ["Every owner shall supply the keeper with oil of the quality that is prescribed.]"],
                    mark="1",
                ),
                Section(
                    "4",
                    "Penalty for withholding wages",
                    [
                        "Whoever withholds the wages of a keeper for more than three months shall be "
                        "punished with imprisonment for a term which may extend to two years, or with fine, "
                        "or with both."
                    ],
                ),
                Section("5", "Weekly payment", ["A keeper of a floating lantern may ask to be paid weekly."]),
            ],
        ),
    ],
    notes=["Ins. by Act 9 of 2015, s. 2 (w.e.f. 1-4-2016)."],
)


def _paragraph(section: Section, *, bold: bool, inline: bool) -> str:
    first, *rest = section.paragraphs
    opening = f"<sup>{section.mark}</sup>[" if section.mark else ""
    number = f"{section.number}."
    heading = f" {html.escape(section.heading)}." if inline else ""
    head = f"<b>{number}{heading}</b>" if bold else number + heading
    dash = "—" if inline else " "
    out = f'<p id="s{section.number}">{opening}{head}{dash}{html.escape(first)}</p>'
    return out + "".join(f"<p>{html.escape(p)}</p>" for p in rest)


def _front(act: Act, kind: str = "SECTIONS") -> str:
    entries = "".join(f'<p class="contents">{s.number}. {html.escape(s.heading)}.</p>' for s in act.sections)
    return f"<h1>{act.title}</h1><h2>ARRANGEMENT OF {kind}</h2>{entries}"


def _opening(act: Act) -> str:
    return (
        f"<h1>{act.title}</h1><h1>ACT NO. {act.number.upper()}</h1>"
        "<p>An Act to provide for the welfare of those who keep lanterns.</p>"
        "<p>BE it enacted by Parliament in the Sixty-second Year of the Republic of India as follows:—</p>"
    )


def _body(act: Act, *, bold: bool, inline: bool) -> str:
    out = []
    for number, heading, sections in act.chapters:
        out.append(f"<h2>CHAPTER {number}</h2><h2>{heading}</h2>")
        out += [_paragraph(s, bold=bold, inline=inline) for s in sections]
    return "".join(out)


def _lay_out(markup: str, frame: pymupdf.Rect) -> tuple[pymupdf.Document, dict[str, tuple[int, float]]]:
    places: dict[str, tuple[int, float]] = {}

    def position(place: object) -> None:
        if place.id and place.open_close & 1:  # type: ignore[attr-defined]
            places.setdefault(place.id, (place.page_num - 1, place.rect[1]))  # type: ignore[attr-defined]

    story = pymupdf.Story(html=markup, user_css=CSS)
    return story.write_with_links(lambda n, r: (PAGE, frame, None), position), places


def story(markup: str) -> pymupdf.Document:
    """Markup laid out on pages with usual margins."""
    return _lay_out(markup, pymupdf.Rect(72, 60, 523, 760))[0]


def saved(document: pymupdf.Document) -> bytes:
    """The bytes of a PDF, the same for the same pages."""
    document.set_metadata({"creationDate": "D:20200102000000", "title": "made for a test"})
    return bytes(document.tobytes(garbage=4, deflate=True, no_new_id=True))


def india_code(
    act: Act = LANTERN, *, contents: bool = True, bold: bool = True, as_on: str = "", clauses: bool = False
) -> bytes:
    """India Code: contents, bold headings before a dash, footnotes under a rule, page numbers."""
    cover = f"<h1>[As on the {as_on}]</h1>" if as_on else ""
    markup = (
        cover
        + (_front(act, "CLAUSES" if clauses else "SECTIONS") if contents else "")
        + _opening(act)
        + _body(act, bold=bold, inline=True)
    )
    document, _ = _lay_out(markup, pymupdf.Rect(72, 60, 523, 700))
    for index, page in enumerate(document):
        page.insert_text((295, 800), str(index + 1), fontname="tiro", fontsize=11)
        if index == len(document) - 1 and act.notes:
            page.insert_text((72, 725), "_" * 30, fontname="tiro", fontsize=9)
            for k, note in enumerate(act.notes, 1):
                page.insert_text((72, 726 + 11 * k), f"{k}. {note}", fontname="tiro", fontsize=9)
    return saved(document)


def gazette(act: Act = LANTERN) -> bytes:
    """The Gazette: bold numbers, headings as notes in the outer margin."""
    masthead = (
        "<h2>THE GAZETTE OF INDIA EXTRAORDINARY</h2>"
        "<h2>NEW DELHI, MONDAY, MARCH 14, 2011/PHALGUNA 23, 1932 (SAKA)</h2>"
    )
    frame = pymupdf.Rect(150, 60, 480, 780)
    document, places = _lay_out(masthead + _opening(act) + _body(act, bold=True, inline=False), frame)
    for section in act.sections:
        page, y = places[f"s{section.number}"]
        words, lines = section.heading.split(), [""]
        for word in words:
            if len(lines[-1]) + len(word) > 13:
                lines.append("")
            lines[-1] = f"{lines[-1]} {word}".strip()
        x = 490 if page % 2 == 0 else 70
        for k, line in enumerate(lines):
            end = "." if k == len(lines) - 1 else ""
            document[page].insert_text((x, y + 9 + 9.5 * k), line + end, fontname="tiro", fontsize=8)
    return saved(document)


def join(*pdfs: bytes) -> bytes:
    """Several PDFs as one file."""
    out = pymupdf.open()
    for data in pdfs:
        out.insert_pdf(pymupdf.open("pdf", data))
    return saved(out)


def pages_of_text(count: int) -> bytes:
    """A PDF of ``count`` pages of plain words that are no Act."""
    document = pymupdf.open()
    for number in range(count):
        page = document.new_page()
        for line in range(6):
            words = f"This line {number * line} of a report on lamp {number % 97} is not of any law at all."
            page.insert_text((72, 150 + 30 * line), words)
    return saved(document)


def renamed(act: Act, title: str, number: str) -> Act:
    """The same Act under another title and number."""
    sections = [
        (
            n,
            h,
            [
                Section(
                    s.number,
                    s.heading,
                    [
                        re.sub(r"Lantern Keepers \(Welfare\) Act, 2011", title.title(), p)
                        for p in s.paragraphs
                    ],
                    s.mark,
                )
                for s in ss
            ],
        )
        for n, h, ss in act.chapters
    ]
    return Act(title.upper(), number, sections, act.notes)

"""Small Acts as Word documents, web pages, workbooks and slides, each with one fault that is easily misread.

Each maker of ``MAKERS`` gives some, with what is right: the sections, the notes, words of the warnings.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from io import BytesIO
from typing import Any

import docx
import openpyxl
import pptx
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.opc.constants import RELATIONSHIP_TYPE as RT
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Font

from tests.office import saved

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
TITLE, NUMBER = "THE KITE MAKERS ACT, 2017", "(ACT NO. 31 OF 2017)"
SECTIONS = (
    ("1", "Short title", "This Act may be called the Kite Makers Act, 2017."),
    ("2", "Definitions", "In this Act, “maker” means a person who makes kites for sale."),
    ("3", "Licence of makers", "No person shall make kites without a licence – see the Schedule."),
    ("4", "Strings", "Every maker shall use a string of cotton, and the maker’s mark stands on it."),
    ("5", "Penalty", "Whoever sells glass string shall be punished with fine of “five thousand” rupees."),
)
Section = tuple[str, str, str]


@dataclass(frozen=True)
class Fault:
    """A file and what is right: sections (number, heading, text), notes, words of its warnings."""

    kind: str
    form: str
    data: bytes
    sections: Sequence[Section] = SECTIONS
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()


def changed(number: str, text: str, heading: str = "") -> list[Section]:
    """The sections with another text in one of them."""
    return [(n, heading or h, text) if n == number else (n, h, t) for n, h, t in SECTIONS]


# web pages


def page(sections: Sequence[Section] = SECTIONS, head: str = "<meta charset=utf-8>") -> str:
    body = "".join(f"<p><b>{n}. {h}.—</b>{t}</p>" for n, h, t in sections)
    return f"<html><head>{head}</head><body><p align=center><b>{TITLE}</b></p><p align=center>{NUMBER}</p>{body}</body></html>"


def labelled(label: str, encoding: str = "cp1252") -> bytes:
    head = f'<meta http-equiv="Content-Type" content="text/html; charset={label}">'
    return page(head=head).encode(encoding)


LABELS = {
    "cp1252": "ISO-8859-1 latin1 us-ascii iso8859-1 l1 cp819 x-cp1252 ISO_8859-1:1987 "
              "utf-7 rot13 unicode_escape cp037 punycode undefined nonsense",
    "utf-8": "iso-8859-1 utf-16 unicode-1-1-utf-8 UTF8",
    "cp874": "windows-874 tis-620", "cp1254": "latin5", "gb18030": "gb2312",
}  # fmt: skip


def encodings() -> Iterator[Fault]:
    for encoding, labels in LABELS.items():
        for label in labels.split():
            yield Fault("encoding", "html", labelled(label, encoding))
    yield Fault("encoding", "html", b"<!-- <meta charset=koi8-r> -->" + labelled("iso-8859-1"))
    misread = page().encode("cp1252").decode("latin-1").encode()
    yield Fault("encoding", "html", misread, warnings=["U+0097"])
    yield Fault("encoding", "html", labelled("iso-8859-2"), warnings=["U+0097"])
    references = page().replace("—", "&#151;").replace("“", "&#147;").replace("”", "&#x94;")
    yield Fault("encoding", "html", references.encode())
    text = "Every maker shall use—a string."
    control = saved(word(changed("4", text.replace("—", "\x97"))))
    yield Fault("encoding", "docx", control, changed("4", text), (), ["U+0097"])
    lost = page().encode("cp1252").replace(b"cotton", b"cot\x81ton")
    right = changed("4", SECTIONS[3][2].replace("cotton", "cot\x81ton"))
    yield Fault("encoding", "html", lost, right, (), ["U+0081"])
    mixed = page().encode().replace("—".encode(), b"\x97", 1)
    yield Fault("encoding", "html", mixed)
    plain = "\n\n".join([TITLE, NUMBER, *(f"{n}. {h}.—{t}" for n, h, t in SECTIONS)])
    yield Fault("encoding", "plain", plain.encode("cp1252"))
    yield Fault("encoding", "plain", plain.encode("cp1252").decode("latin-1").encode(), warnings=["U+0097"])


STRING = "Every maker shall use a string of cotton{}, and the maker’s mark stands on it."
MARKED = (
    "<del> and glass</del>",
    "<s> and glass</s>",
    "<strike> and glass</strike>",
    '<span style="text-decoration: underline line-through"> and glass</span>',
    '<span style="TEXT-DECORATION: Line-Through !important"> and <b>glass</b></span>',
    '<span style="text-decoration-line:line-through"> and glass</span>',
    '<span class="x gone"> and <i>glass</i></span>',
    "<font class=old> and glass</font>",
    "<del> and <ins>glass</ins></del>",
)


def struck_pages() -> Iterator[Fault]:
    head = (
        "<meta charset=utf-8><style>.gone { color: red; text-decoration: line-through }"
        " @media screen { font.old, td.old { text-decoration: line-through red } }</style>"
    )
    for marked in MARKED:
        text = STRING.format(marked + "<ins></ins>")
        yield Fault("struck", "html", page(changed("4", text), head).encode(), warnings=["and glass"])
    saved_by_word = head.replace("<style>", "<style>\n<!--\n").replace("</style>", "\n-->\n</style>")
    imported = head.replace("<style>", "<style>@import url(x.css);\n")
    for other in (saved_by_word, imported):
        text = page(changed("4", STRING.format(MARKED[6])), other)
        yield Fault("struck", "html", text.encode(), warnings=["and glass"])
    on_paper = "@media print { p { color: red } b, .x { display: none } } @media screen"
    printed = head.replace("@media screen", on_paper)
    text = page(changed("4", STRING.format(MARKED[6])), printed)
    yield Fault("struck", "html", text.encode(), warnings=["and glass"])
    text = STRING.replace(" of cotton{}", " <del>of glass</del><ins>of cotton</ins>")
    yield Fault("struck", "html", page(changed("4", text)).encode(), warnings=["of glass"])
    more = [*SECTIONS, ("6", "Old", "Gone with the wind.")]
    gone = page(more).replace("<p><b>6.", "<p style='text-decoration:line-through'><b>6.")
    yield Fault("struck", "html", gone.encode(), warnings=["6. Old"])
    block = page(more).replace("<p><b>6.", "<del><p><b>6.").replace("wind.</p>", "wind.</p></del>")
    yield Fault("struck", "html", block.encode(), warnings=["6. Old"])
    listed = "<ol>" + "".join(f"<li><b>{h}.—</b>{t}" for _, h, t in SECTIONS) + "</ol>"
    data = page([]).replace("</body>", listed + "</body>").replace("<li><b>Strings", "<li><s><b>Strings")
    data = data.replace("on it.", "on it.</s>")
    three = [s for s in SECTIONS if s[0] != "4"]
    yield Fault("struck", "html", data.encode(), three, warnings=["Strings"])


def hyphens() -> Iterator[Fault]:
    registers = "Registers", "Every maker shall keep a register."
    for hyphen in "\u2011\u2010-":
        more = [*SECTIONS[:2], (f"2{hyphen}A", *registers), *SECTIONS[2:]]
        right = [(n.replace(hyphen, ""), h, t) for n, h, t in more]
        yield Fault("hyphen", "html", page(more).encode(), right)
        yield Fault("hyphen", "docx", saved(word(more)), right)
    document = word(SECTIONS[:2])
    paragraph = document.add_paragraph()
    run = "<w:rPr><w:b/></w:rPr><w:t>2</w:t><w:noBreakHyphen/><w:t>A. Registers.—</w:t>"
    paragraph._p.append(parse_xml(f'<w:r xmlns:w="{W}">{run}</w:r>'))
    paragraph.add_run(registers[1])
    yield Fault("hyphen", "docx", saved(document), [*SECTIONS[:2], ("2A", *registers)])


# Word


def word(sections: Sequence[Section] = SECTIONS) -> Any:
    document = docx.Document()
    for text in (TITLE, NUMBER):
        paragraph = document.add_paragraph()
        paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
        paragraph.add_run(text).bold = True
    for section in sections:
        add(document, section)
    return document


def add(document: Any, section: Section) -> Any:
    number, heading, text = section
    paragraph = document.add_paragraph()
    paragraph.add_run(f"{number}. {heading}.—" if number else f"{heading}.—").bold = True
    for piece in re.split("({.*?})", text):
        run = paragraph.add_run(piece.strip("{}"))
        if piece.startswith("{"):
            run.font.highlight_color = 7
    return paragraph


def struck_words() -> Iterator[Fault]:
    text = "Every maker shall use a string of cotton{ and glass}, and the maker’s mark stands on it."

    def marked(change: Callable[[Any, Any], None]) -> bytes:
        document = word(changed("4", text))
        for paragraph in document.paragraphs:
            for run in paragraph.runs:
                if run.font.highlight_color:
                    change(document, run)
        return saved(document)

    def by_style(document: Any, run: Any) -> None:
        style = document.styles.add_style("Omitted", 2)
        style.font.strike = True
        run.style = style

    def by_revision(_: Any, run: Any) -> None:
        run._r.addprevious(deleted := parse_xml(f'<w:del xmlns:w="{W}" w:id="1" w:author="x"/>'))
        deleted.append(run._r)
        run._r.t_lst[0].tag = f"{{{W}}}delText"

    for change in (
        lambda _, run: setattr(run.font, "strike", True),
        lambda _, run: setattr(run.font, "double_strike", True),
        by_style,
        by_revision,
    ):
        yield Fault("struck", "docx", marked(change), warnings=["and glass"])
    more = [*SECTIONS, ("6", "Old", "Gone with the wind.")]
    document = word(more)
    for run in document.paragraphs[-1].runs:
        run.font.strike = True
    yield Fault("struck", "docx", saved(document), warnings=["6. Old"])
    document = word(more)
    style = document.styles.add_style("Repealed", 1)
    style.font.strike = True
    document.paragraphs[-1].style = style
    yield Fault("struck", "docx", saved(document), warnings=["6. Old"])
    document = word()
    style = document.styles.add_style("Omitted", 1)
    style.font.strike = True
    document.paragraphs[5].style = style
    for run in document.paragraphs[5].runs:
        run.font.strike = False
    yield Fault("struck", "docx", saved(document))
    for change in (lambda _, run: setattr(run.font, "strike", True), by_revision):
        document = numbered(LEVELS["through"], chapters=())
        for run in document.paragraphs[5].runs:
            change(document, run)
        left = [s for s in SECTIONS if s[0] != "4"]
        yield Fault("struck", "docx", saved(document), left, warnings=["Strings"])
    mark = document.paragraphs[5]._p.get_or_add_pPr()  # its end is deleted, too: the numbers close up
    mark.append(parse_xml(f'<w:rPr xmlns:w="{W}"><w:del w:id="2" w:author="x"/></w:rPr>'))
    closed = [*SECTIONS[:3], ("4", *SECTIONS[4][1:])]
    yield Fault("struck", "docx", saved(document), closed, warnings=["Strings"])
    show = pptx.Presentation()
    for text in (TITLE, *(f"{n}. {h}.—{t}" for n, h, t in SECTIONS)):
        frame = show.slides.add_slide(show.slide_layouts[1]).placeholders[1].text_frame
        frame.text = text
        run = frame.paragraphs[0].add_run()
        run.text = " and glass"
        run._r.get_or_add_rPr().set("strike", "sngStrike")
    yield Fault("struck", "pptx", saved(show), warnings=["and glass"])


LEVEL = '<w:lvl w:ilvl="{}"><w:start w:val="1"/><w:numFmt w:val="{}"/>{}<w:lvlText w:val="{}"/></w:lvl>'
LEVELS = {
    "through": [("upperRoman", "CHAPTER %1", ""), ("decimal", "%2.", '<w:lvlRestart w:val="0"/>')],
    "part": [
        ("upperRoman", "PART %1", ""),
        ("upperRoman", "CHAPTER %2", '<w:lvlRestart w:val="0"/>'),
        ("decimal", "%3.", '<w:lvlRestart w:val="0"/>'),
    ],
    "legal": [("upperRoman", "CHAPTER %1", ""), ("lowerRoman", "%2.", '<w:isLgl/><w:lvlRestart w:val="0"/>')],
    "deeper": [
        ("upperRoman", "CHAPTER %1", ""),
        ("decimal", "%2.", '<w:lvlRestart w:val="0"/>'),
        ("lowerLetter", "(%3)", ""),
    ],
}


def numbered(
    levels: Sequence[tuple[str, str, str]], chapters: Sequence[int] = (0, 2), wing: bool = False
) -> Any:
    """Sections with numbers of Word's; ``chapters``: before which sections a Chapter begins."""
    document = word([])
    xml = "".join(LEVEL.format(at, form, more, text) for at, (form, text, more) in enumerate(levels))
    numbering = document.part.numbering_part.element
    numbering.insert(0, parse_xml(f'<w:abstractNum xmlns:w="{W}" w:abstractNumId="90">{xml}</w:abstractNum>'))
    numbering.append(parse_xml(f'<w:num xmlns:w="{W}" w:numId="90"><w:abstractNumId w:val="90"/></w:num>'))
    last = min(at for at, level in enumerate(levels) if "." in level[1])

    def number(paragraph: Any, level: int) -> None:
        xml = f'<w:numPr xmlns:w="{W}"><w:ilvl w:val="{level}"/><w:numId w:val="90"/></w:numPr>'
        paragraph._p.get_or_add_pPr().append(parse_xml(xml))

    for at, (_, heading, text) in enumerate(SECTIONS):
        if at in chapters:
            for level in range(last):
                paragraph = document.add_paragraph()
                paragraph.add_run("OF KITES" if at else "PRELIMINARY").bold = True
                paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
                number(paragraph, level)
        number(add(document, ("", heading, text)), last)
        if wing and at == 1:
            for words in ("a square kite;", "a round kite."):
                number(document.add_paragraph(words), last + 1)
    return document


def numbers() -> Iterator[Fault]:
    yield Fault("numbering", "docx", saved(numbered(LEVELS["through"])))
    yield Fault("numbering", "docx", saved(numbered(LEVELS["through"], (0, 1, 2, 3, 4))))
    yield Fault("numbering", "docx", saved(numbered(LEVELS["part"])))
    yield Fault("numbering", "docx", saved(numbered(LEVELS["legal"])))
    text = SECTIONS[1][2] + "\n(a) a square kite;\n(b) a round kite."
    yield Fault("numbering", "docx", saved(numbered(LEVELS["deeper"], wing=True)), changed("2", text))
    # restarts by the Part alone, not by the Chapter
    through, chapter = '<w:lvlRestart w:val="1"/>', ("upperRoman", "CHAPTER %2", "")
    document = numbered([("upperRoman", "PART %1", ""), chapter, ("decimal", "%3.", through)])
    for paragraph in list(document.paragraphs):
        level = paragraph._p.find(f".//{{{W}}}ilvl")
        if level is not None and level.get(f"{{{W}}}val") == "0":
            paragraph._p.getparent().remove(paragraph._p)
    yield Fault("numbering", "docx", saved(document))


NOTE = "Subs. by Act 5 of 2019, s. 3, for “a cord” (w.e.f. 1-4-2019)."
NOTES = f'<w:{{0}}s xmlns:w="{W}">{{1}}</w:{{0}}s>'


def noted(places: Sequence[tuple[str, str, str]]) -> bytes:
    """An Act with notes: kind, section, text."""
    document = word()
    for kind in dict.fromkeys(kind for kind, _, _ in places):
        body = f'<w:{kind} w:type="separator" w:id="0"><w:p><w:r><w:separator/></w:r></w:p></w:{kind}>'
        for at, (each, section, text) in enumerate(places, 2):
            if each == kind:
                paragraphs = "".join(f"<w:p><w:r><w:t>{part}</w:t></w:r></w:p>" for part in text.split("\n"))
                body += f'<w:{kind} w:id="{at}">{paragraphs}</w:{kind}>'
                reference = f'<w:r xmlns:w="{W}"><w:{kind}Reference w:id="{at}"/></w:r>'
                here = next(p for p in document.paragraphs if p.text.startswith(f"{section}. "))
                here._p.append(parse_xml(reference))
        part = Part(
            PackURI(f"/word/{kind}s.xml"),
            f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}s+xml",
            NOTES.format(kind, body).encode(),
            document.part.package,
        )
        document.part.relate_to(part, getattr(RT, kind.upper() + "S"))
    return saved(document)


def endnotes() -> Iterator[Fault]:
    other = "Ins. by Act 6 of 2020, s. 2."
    yield Fault("endnotes", "docx", noted([("endnote", "4", NOTE)]), notes=[f"1. {NOTE}"])
    both = noted([("endnote", "4", NOTE), ("endnote", "5", other)])
    yield Fault("endnotes", "docx", both, notes=[f"1. {NOTE}", f"2. {other}"])
    mixed = noted([("footnote", "3", other), ("endnote", "4", NOTE)])
    yield Fault("endnotes", "docx", mixed, notes=[f"1. {other}", f"2. {NOTE}"])
    long = noted([("endnote", "2", f"{other}\n{NOTE}")])
    yield Fault("endnotes", "docx", long, notes=[f"1. {other} {NOTE}"])

    def rename(name: str, data: bytes) -> tuple[str, bytes]:
        return name.replace("/endnotes.", "/endnotes2."), data.replace(b"endnotes.xml", b"endnotes2.xml")

    renamed = repacked(noted([("endnote", "4", NOTE)]), rename)
    yield Fault("endnotes", "docx", renamed, notes=[f"1. {NOTE}"])


def repacked(data: bytes, change: Callable[[str, bytes], tuple[str, bytes]]) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(*change(name, old.read(name)))
    return out.getvalue()


def strict(data: bytes) -> bytes:
    """An Office file in Strict Open XML."""
    names = {"extended-properties": "extendedProperties", "custom-properties": "customProperties"}

    def change(name: str, part: bytes) -> tuple[str, bytes]:
        if not name.endswith((".xml", ".rels")) or name.endswith("Content_Types].xml"):
            return name, part
        text = re.sub(
            r"http://schemas\.openxmlformats\.org/(officeDocument|wordprocessingml|drawingml|spreadsheetml|presentationml)/2006/([\w-]+)",
            lambda m: f"http://purl.oclc.org/ooxml/{m[1]}/{names.get(m[2], m[2])}",
            part.decode(),
        )
        return name, text.encode()

    return repacked(data, change)


def strict_files() -> Iterator[Fault]:
    yield Fault("strict", "docx", strict(saved(word())))
    yield Fault("strict", "docx", strict(saved(numbered(LEVELS["through"]))))
    yield Fault("strict", "docx", strict(noted([("endnote", "4", NOTE)])), notes=[f"1. {NOTE}"])
    yield Fault("strict", "xlsx", strict(workbook()))
    show = pptx.Presentation()
    for text in (TITLE, *(f"{n}. {h}.—{t}" for n, h, t in SECTIONS)):
        show.slides.add_slide(show.slide_layouts[1]).placeholders[1].text = text
    yield Fault("strict", "pptx", strict(saved(show)))


def chunked(name: str, kind: str, blob: bytes) -> bytes:
    """Sections 1 to 3 in Word, what follows in an altChunk."""
    document = word(SECTIONS[:3])
    part = Part(PackURI(f"/word/{name}"), kind, blob, document.part.package)
    link = document.part.relate_to(part, RT.A_F_CHUNK)
    chunk = f'<w:altChunk xmlns:w="{W}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="{link}"/>'
    document.element.body.insert(len(document.element.body) - 1, parse_xml(chunk))
    return saved(document)


def chunks() -> Iterator[Fault]:
    rest = "".join(f"<p><b>{n}. {h}.—</b>{t}</p>" for n, h, t in SECTIONS[3:])
    new = f"<html><meta charset=utf-8>{rest}</html>".encode()
    yield Fault("altChunk", "docx", chunked("a.html", "text/html", new))
    old = f"<html><meta charset=iso-8859-1>{rest}</html>".encode("cp1252")
    yield Fault("altChunk", "docx", chunked("a.htm", "text/html", old))
    xhtml = f'<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><body>{rest}</body></html>'
    yield Fault("altChunk", "docx", chunked("a.xhtml", "application/xhtml+xml", xhtml.encode()))
    plain = "\n".join(f"{n}. {h}.—{t}" for n, h, t in SECTIONS[3:])
    yield Fault("altChunk", "docx", chunked("a.txt", "text/plain", plain.encode()))
    struck = rest.replace("of cotton", "of cotton<del> and glass</del>")
    data = chunked("a.html", "text/html", f"<html><meta charset=utf-8>{struck}</html>".encode())
    yield Fault("altChunk", "docx", data, warnings=["and glass"])
    for name, kind in (
        ("a.rtf", "application/rtf"),
        ("a.mht", "message/rfc822"),
        ("a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"),
    ):
        data = chunked(name, kind, b"{\\rtf1 4. Strings}")
        yield Fault("altChunk", "docx", data, SECTIONS[:3], warnings=[name])


# workbooks


def workbook(
    rows: Sequence[Sequence[Any]] = SECTIONS,
    header: Sequence[Any] = ("Section", "Subject", "Text"),
    change: Callable[[Any], None] = lambda sheet: None,
) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Law"
    for row in ([TITLE], [NUMBER], header, *rows):
        if row:
            sheet.append(list(row))
    change(sheet)
    return saved(book)


def integers(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [[int(number) if str(number).isdecimal() else number, *rest] for number, *rest in rows]


def rows() -> Iterator[Fault]:
    yield Fault("rows", "xlsx", workbook())
    yield Fault("rows", "xlsx", workbook(integers(SECTIONS)))
    yield Fault("rows", "xlsx", workbook([(f"{n}.", h + ".", t) for n, h, t in SECTIONS], ()))
    yield Fault("rows", "xlsx", workbook([(f"{n}. {h}.—{t}",) for n, h, t in SECTIONS], ()))
    yield Fault("rows", "xlsx", workbook([(n, f"{h}.—{t}") for n, h, t in SECTIONS], ()))
    yield Fault("rows", "xlsx", workbook([(f"Section {n}", h, t) for n, h, t in SECTIONS]))

    def merge(sheet: Any) -> None:
        sheet.insert_rows(4)
        sheet["A4"] = "CHAPTER I PRELIMINARY"
        for row in (1, 2, 4):
            sheet.merge_cells(f"A{row}:C{row}")

    yield Fault("rows", "xlsx", workbook(integers(SECTIONS), change=merge))
    more = [*SECTIONS[:2], ("", "", "(a) a square kite;"), ("", "", "(b) a round kite."), *SECTIONS[2:]]

    def tall(sheet: Any) -> None:
        sheet.merge_cells("A5:A7")
        sheet.merge_cells("B5:B7")

    text = SECTIONS[1][2] + "\n(a) a square kite;\n(b) a round kite."
    yield Fault("rows", "xlsx", workbook(integers(more), change=tall), changed("2", text))
    chapters = ["CHAPTER I PRELIMINARY", "", "CHAPTER II LICENCES", "", ""]
    in_columns = [(chapter, *section) for chapter, section in zip(chapters, SECTIONS, strict=True)]

    def merge_chapters(sheet: Any) -> None:
        sheet.merge_cells("A4:A5")
        sheet.merge_cells("A6:A8")

    yield Fault("rows", "xlsx", workbook(in_columns, ("Chapter", "No.", "Subject", "Text"), merge_chapters))
    counted = [(at, f"s. {n}", h, t) for at, (n, h, t) in enumerate(SECTIONS, 1)]
    yield Fault("rows", "xlsx", workbook(counted, ("Sr. No.", "Section", "Subject", "Text")))
    extra = [*SECTIONS[:2], ("2A", "Registers", "Every maker shall keep a register."), *SECTIONS[2:]]
    yield Fault("rows", "xlsx", workbook(integers(extra)), extra)


def tables() -> Iterator[Fault]:
    """Rows that are no provisions."""
    goods = (
        "Rice, husked or not husked, of any kind",
        "Wheat of any kind, whatever it may be called",
        "Oats",
    )
    for number in (str, int):
        rates = [(number(at), good, "5%") for at, good in enumerate(goods, 1)]
        yield Fault("tables", "xlsx", workbook(rates, ("Item", "Goods", "Rate")), ())
    names = [(1, "Ram Lal", "of Agra"), (2, "Sita Devi", "of Mathura")]
    yield Fault("tables", "xlsx", workbook(names, ("No.", "Name", "Place")), ())
    again = [("1", "Fee", f"The fee for a {what} rupees.") for what in ("licence is ten", "copy is two")]
    yield Fault("tables", "xlsx", workbook(again, ("No.", "Head", "Amount")), ())


def figures() -> Iterator[Fault]:
    for value, pattern, shown in (
        (0.05, "0%", "5%"),
        (0.125, "0.0%", "12.5%"),
        (1.5, "0.00%", "150.00%"),
        (5000, '"Rs. "#,##0', "Rs. 5,000"),
        (0.1 + 0.2, "General", "0.3"),
        (date(2013, 4, 1), "yyyy-mm-dd", "2013-04-01"),
        (date(2013, 4, 1), "dd/mm/yyyy", "01/04/2013"),
        (date(2013, 4, 1), 'd" "mmmm\\ yyyy', "1 April 2013"),
        (date(2013, 4, 1), "[$-409]dd-mmm-yy;@", "01-Apr-13"),
    ):

        def change(sheet: Any, value: Any = value, pattern: str = pattern) -> None:
            sheet["D7"] = value
            sheet["D7"].number_format = pattern

        right = changed("4", f"{SECTIONS[3][2]} {shown}")
        yield Fault("figures", "xlsx", workbook(integers(SECTIONS), change=change), right)


def formulas() -> Iterator[Fault]:
    def text(sheet: Any) -> None:
        sheet["C8"] = '="Whoever"&" sells"'

    data = workbook(integers(SECTIONS), change=text)
    yield Fault("formulas", "xlsx", data, changed("5", ""), warnings=["Law", "C8"])

    def figure(sheet: Any) -> None:
        sheet["D4"] = "=1+1"
        sheet["D6"] = "=SUM(D4:D5)"

    yield Fault("formulas", "xlsx", workbook(integers(SECTIONS), change=figure), warnings=["Law", "D4", "D6"])

    def second(sheet: Any) -> None:
        rates = sheet.parent.create_sheet("Rates", 0)
        rates.append(["Kite", "=2*3"])

    yield Fault("formulas", "xlsx", workbook(change=second), warnings=["Rates", "B1"])

    def stored(name: str, data: bytes) -> tuple[str, bytes]:
        return name, re.sub(b"<v></v>|<v ?/>", b"<v>6</v>", data)

    yield Fault("formulas", "xlsx", repacked(workbook(change=second), stored))

    def array(sheet: Any) -> None:
        from openpyxl.worksheet.formula import ArrayFormula

        sheet["D4"] = ArrayFormula("D4:D5", "=1+1")

    yield Fault("formulas", "xlsx", workbook(change=array), warnings=["Law", "D4"])


def struck_cells() -> Iterator[Fault]:
    def cell(sheet: Any) -> None:
        sheet["D7"] = "and glass"
        sheet["D7"].font = Font(strike=True)

    yield Fault("struck", "xlsx", workbook(change=cell), warnings=["D7", "and glass"])

    def words(sheet: Any) -> None:
        head, tail = STRING.split("{}")
        struck = TextBlock(InlineFont(strike=True), " and glass")
        sheet["C7"] = CellRichText(head, struck, tail)

    yield Fault("struck", "xlsx", workbook(change=words), warnings=["C7", "and glass"])

    def row(sheet: Any) -> None:
        sheet.append(["6", "Old", "Gone with the wind."])
        for at in "ABC":
            sheet[f"{at}9"].font = Font(strike=True)

    yield Fault("struck", "xlsx", workbook(change=row), warnings=["Gone"])

    def bold(sheet: Any) -> None:
        rest = STRING.format("").removeprefix("Every maker")
        sheet["C7"] = CellRichText(TextBlock(InlineFont(b=True), "Every maker"), rest)

    yield Fault("struck", "xlsx", workbook(change=bold))


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def field(kind: str) -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


DELETED = '<w:rPr><w:del w:id="1" w:author="x"/></w:rPr>'
WITHIN = {
    "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>": "Click here",
    field("begin") + "<w:r><w:instrText>IF </w:instrText></w:r>" + field("begin") + field("separate") + "{}"
    + field("end") + field("separate") + field("end"): "field",
    '<w:r><w:pict><v:textpath xmlns:v="urn:schemas-microsoft-com:vml" string="{0}"/></w:pict></w:r>': "DRAFT",
    "<w:r><w:ruby><w:rt>{}</w:rt><w:rubyBase/></w:ruby></w:r>": "kapas",
}  # fmt: skip


def within_words() -> Iterator[Fault]:
    """What stands within a paragraph of Word and is no text of it."""
    for xml, words in WITHIN.items():
        document = word()
        content = xml.format(words if "string" in xml else run(words))
        document.paragraphs[5]._p.append(parse_xml(f'<w:ins xmlns:w="{W}">{content}</w:ins>'))
        yield Fault("within", "docx", saved(document), warnings=[words])
    document = word(SECTIONS[:3])
    texts = ["4. Strings.—Every maker shall use a string of cot", "ton, and the maker’s mark stands on it."]
    for text, properties in zip(texts, (DELETED, ""), strict=True):
        xml = f'<w:p xmlns:w="{W}"><w:pPr>{properties}</w:pPr>{run(text)}</w:p>'
        document.element.body.insert(len(document.element.body) - 1, parse_xml(xml))
    add(document, SECTIONS[4])
    yield Fault("within", "docx", saved(document), changed("4", SECTIONS[3][2]))
    document = word()
    cells = document.add_table(1, 3).rows[0].cells
    for cell, text in zip(cells, ("Kite", "glass", "Fee"), strict=True):
        cell.text = text
    cells[1]._tc.get_or_add_tcPr().append(parse_xml(f'<w:cellDel xmlns:w="{W}" w:id="1" w:author="x"/>'))
    right = changed("5", SECTIONS[4][2] + " Kite Fee")
    yield Fault("within", "docx", saved(document), right, warnings=["glass"])


def lost_parts() -> Iterator[Fault]:
    """Files of Word that lack what they refer to."""

    def lost(data: bytes) -> bytes:
        return repacked(data, lambda name, part: (name.replace("word/_rels/document", "word/_rels/x"), part))

    note = noted([("footnote", "4", NOTE)])
    yield Fault("lost", "docx", lost(note), notes=[], warnings=["footnotes", "notes without a text"])
    unnumbered = [s for s in SECTIONS if s[0] == "0"]
    yield Fault("lost", "docx", lost(saved(numbered(LEVELS["through"]))), unnumbered, warnings=["numbering"])

    def other(name: str, part: bytes) -> tuple[str, bytes]:
        return name, part.replace(b'w:id="2"', b'w:id="7"') if name.endswith("footnotes.xml") else part

    yield Fault("lost", "docx", repacked(note, other), warnings=["notes without a text: 1"])

    def starred(name: str, part: bytes) -> tuple[str, bytes]:
        mark = b'<w:footnoteReference w:customMarkFollows="1" w:id="2"/><w:t>*</w:t>'
        return name, part.replace(b'<w:footnoteReference w:id="2"/>', mark)

    yield Fault("lost", "docx", repacked(note, starred), notes=[f"*. {NOTE}"])
    yield Fault("lost", "xlsx", workbook(change=lambda sheet: sheet.parent.create_chartsheet("Fees")))


def styled(css: str, marked: str, more: str = "") -> Fault:
    """A page in which a style sheet hides or strikes words."""
    head = f"<meta charset=utf-8><style>{css}</style>"
    return Fault(
        "styled", "html", page(changed("4", STRING.format(marked)), head).encode(), warnings=["and glass"]
    )


def styled_pages() -> Iterator[Fault]:
    marked = '<span class="x y" data-old=1> and glass</span>'
    for css in (
        "p .x{display:none}", "p > span.x{text-decoration:line-through}", ".y.x{display:none}",
        "[data-old]{opacity:0}", "p{font-size:9pt}p span.x{font-size:0}",
    ):  # fmt: skip
        yield styled(css, marked)
    for css in (
        "div > .x{display:none}",
        ".x.z{display:none}",
        "p span[title]{display:none}",
        "p + .x{display:none}",
        ".x:hover{display:none}",
    ):
        head = f"<meta charset=utf-8><style>{css}</style>"
        yield Fault(
            "styled", "html", page(head=head).replace("of cotton", "<span class=x>of cotton</span>").encode()
        )
    for part, words in (
        ("<ruby>cotton<rp>(</rp><rt>kapas</rt></ruby>", "kapas"),
        ("cotton<embed src=kite.x>", "kite.x"),
    ):
        yield Fault("styled", "html", page().replace("cotton", part).encode(), warnings=[words])


def lists_of_pages() -> Iterator[Fault]:
    """Numbers that a page does not hold as text."""
    item = "<li class=s><b>{1}.—</b>{2}"
    items = "".join(item.format(*section) for section in SECTIONS)
    inner = "<ol style='list-style: lower-alpha inside'><li>a square kite;<li>Ins. kites.</ol>"
    counted = "<style>ol.g{list-style-type:none}.g>li:before{content:'' counter(g) '. '}</style>"
    for before, text, right in (
        ("", f"<ol>{items}</ol>", SECTIONS),
        (counted, f"<ol class=g>{items}</ol>", SECTIONS),
        ("", f"<ol>{items}</ol>".replace("for sale.", f"for sale.{inner}"),
         changed("2", SECTIONS[1][2] + " a. a square kite; b. Ins. kites.")),
    ):  # fmt: skip
        data = page([], f"<meta charset=utf-8>{before}").replace("</body>", f"{text}</body>")
        yield Fault("list", "html", data.encode(), right)
    style = "<meta charset=utf-8><style>p::before{content:counter(s)}</style>"
    yield Fault("list", "html", page(head=style).encode(), warnings=["content: counter"])


def linked_notes() -> Iterator[Fault]:
    """Footnotes as Google Docs, LibreOffice and Word save them: what links back to its mark."""
    for mark, label in (
        ('<sup><a href="#f" id="r">[1]</a></sup>', '<a href="#r" id="f">[1]</a> '),
        ('<a name="r" href="#f"><sup>1</sup></a>', '<a name="f" href="#r">1</a>'),
        (
            '<a href="#f" name="r"><span><sup>[1]</sup></span></a>',
            '<a href="#r" name="f"><span>[1]</span></a> ',
        ),
        ('<a href="#f" id="r" role="doc-noteref"><sup>1</sup></a>', '<a id="f" href="#r"><sup>1</sup></a> '),
    ):
        text = page(changed("4", SECTIONS[3][2] + mark)).replace("</body>", f"<p>{label}{NOTE}</p></body>")
        yield Fault("notes", "html", text.encode(), notes=[f"1. {NOTE}"])
    raised = "10<sup>1</sup>/<sub>2</sub> rupees for a kite of 3 m<sup>2</sup>"
    yield Fault(
        "notes", "html", page(changed("4", raised)).encode(), changed("4", "101/2 rupees for a kite of 3 m2")
    )


def hidden_cells() -> Iterator[Fault]:
    def row(sheet: Any) -> None:
        sheet.append(["6", "Old", "Gone with the wind."])
        sheet.row_dimensions[9].hidden = True

    def column(sheet: Any) -> None:
        sheet["E7"] = "secret"
        sheet.column_dimensions.group("D", "F", hidden=True)

    def error(sheet: Any) -> None:
        sheet["D7"], sheet["D7"].data_type = "#REF!", "e"

    for change, said in ((row, "Gone"), (column, "secret"), (error, "#REF!")):
        yield Fault("hidden", "xlsx", workbook(change=change), warnings=[said])

    def negative(sheet: Any) -> None:
        sheet["D7"], sheet["D7"].number_format = -5, "#,##0_);(#,##0)"

    yield Fault("hidden", "xlsx", workbook(change=negative), changed("4", f"{SECTIONS[3][2]} (5)"))


MAKERS = (
    encodings, struck_pages, hyphens, struck_words, numbers, endnotes, strict_files, chunks, rows, tables, figures,
    formulas, struck_cells, within_words, lost_parts, styled_pages, lists_of_pages, linked_notes, hidden_cells,
)  # fmt: skip

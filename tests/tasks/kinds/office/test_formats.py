"""Word documents, web pages, presentations, workbooks and texts: their structure comes from styles and tags."""

from __future__ import annotations

import base64
import itertools
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
import pytest
from docx.enum.text import WD_BREAK
from docx.oxml import parse_xml

from citegrain.tasks.core.stage import Tables
from citegrain.tasks.offline.corpus import load_registry, typeset_demo
from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.structure.stage import act_spans, structure_document
from tests import office, office_faults, typeset
from tests.conftest import ROOT
from tests.tasks.kinds.readings import identified

CONFIG = ParseConfig(ocr="off")
NS = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
ENDINGS = {"docx": ".docx", "html": ".html", "plain": ".txt", "pptx": ".pptx", "xlsx": ".xlsx", "pdf": ".pdf"}
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
Provisions = Mapping[str, Mapping[str, Any]]


def parsed(data: bytes, form: str) -> Tables:
    return parse_document(data, "d" * 64, CONFIG, form)


def row(data: bytes, form: str) -> dict[str, Any]:
    out: dict[str, Any] = parsed(data, form)["documents"].to_pylist()[0]
    return out


def lines(data: bytes, form: str, role: str = "body") -> list[str]:
    return [line["text"] for line in parsed(data, form)["lines"].to_pylist() if line["role"] == role]


def provisions(data: bytes, form: str) -> Provisions:
    tables = parsed(data, form)
    registry = load_registry(ROOT / "citegrain/data/registry.yaml")
    acts = identified(tables, registry, f"act{ENDINGS[form]}")
    read = structure_document(tables["documents"], tables["lines"], act_spans(acts))
    return {p["provision_id"]: p for p in read["provisions"].to_pylist()}


def meaning(provision: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a provision says, but for its place and for blanks, which depend on where lines end."""
    text = re.sub(r"\s", "", provision["text"])
    return *(provision[name] for name in ("kind", "number", "heading", "status", "parent_id", "depth")), text


@pytest.mark.parametrize(
    ("form", "write"), [("docx", office.as_word), ("html", office.as_web_page), ("plain", office.as_text)]
)
def test_an_act_gives_the_provisions_of_its_pdf(form: str, write: Callable[..., bytes]) -> None:
    lantern = typeset.LANTERN.chapters
    chapters = [(n, h, [replace(s, mark="") for s in sections]) for n, h, sections in lantern]
    act = replace(typeset.LANTERN, chapters=chapters, notes=())
    printed = provisions(typeset.india_code(act, contents=False), "pdf")
    read = provisions(write(*office.lantern(act)), form)
    assert len(printed) > 12 and [*map(meaning, read.values())] == [*map(meaning, printed.values())]


def headed(style: str) -> bytes:
    """The Act with each heading in a paragraph of its own."""
    document = docx.Document()
    title, units = office.lantern()
    document.add_paragraph(title.title(), style="Title")
    for unit in units:
        if " " in unit.number:
            heading = f"Chapter {unit.number.split()[1]} – {unit.heading.title()}"
            document.add_paragraph(heading, style="Heading 1")
        elif unit.number != "0":
            name = "Section " if style == "Heading 4" else ""
            document.add_paragraph(f"{name}{unit.number}. {unit.heading}", style=style)
        for text in unit.paragraphs:
            document.add_paragraph(text)
    return office.saved(document)


@pytest.mark.parametrize("style", ["Heading 3", "Heading 4", "Normal"])
def test_headings_in_paragraphs_of_their_own(style: str) -> None:
    read = provisions(headed(style), "docx")
    sections = [p for p in read.values() if p["kind"] == "section"]
    expected = typeset.LANTERN.sections
    assert [(p["number"], p["heading"]) for p in sections] == [(s.number, s.heading) for s in expected]
    assert [p["text"] for p in sections] == ["\n".join(s.paragraphs) for s in expected]
    chapters = [p["heading"] for p in read.values() if p["kind"] == "chapter"]
    assert chapters == ["Preliminary", "Rights Of Keepers"]


@pytest.mark.slow
@pytest.mark.parametrize(("form", "write"), [("docx", office.as_word), ("html", office.as_web_page)])
def test_the_constitution_gives_the_provisions_of_its_pdf(
    form: str, write: Callable[..., bytes], tmp_path: Path
) -> None:
    printed = provisions(typeset_demo(office.RECIPE, tmp_path).read_bytes(), "pdf")
    read = provisions(write(*office.constitution()), form)
    # this proviso goes on in its paragraph, and a line of the PDF happens to begin with it
    by_chance = {f"constitution-of-india/art_94__proviso_{n}" for n in (1, 2)}
    # a stray figure ends the clause before; of the PDF the indent says that it ends
    by_chance |= {f"constitution-of-india/art_101__clause_3__subclause_{c}" for c in "ab"}
    assert len(printed) > 2_000 and set(printed) - set(read) <= by_chance and set(read) <= set(printed)
    same = [key for key in printed if key not in by_chance]
    assert [key for key in same if meaning(read[key]) != meaning(printed[key])] == []


def test_word_sets_numbers_that_are_not_in_the_text() -> None:
    document = docx.Document()
    abstract = parse_xml(
        f'<w:abstractNum xmlns:w="{NS}" w:abstractNumId="90">'
        '<w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
        '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%2)"/></w:lvl>'
        '<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerRoman"/><w:lvlText w:val="(%3)"/></w:lvl>'
        "</w:abstractNum>"
    )
    numbering = document.part.numbering_part.element
    numbering.insert(0, abstract)
    numbering.append(parse_xml(f'<w:num xmlns:w="{NS}" w:numId="90"><w:abstractNumId w:val="90"/></w:num>'))
    for level, text in [(0, "Rent."), (1, "of land"), (2, "wet"), (2, "dry"), (1, "of houses"), (0, "Tax.")]:
        paragraph = document.add_paragraph(text)
        numbers = f'<w:numPr xmlns:w="{NS}"><w:ilvl w:val="{level}"/><w:numId w:val="90"/></w:numPr>'
        paragraph._p.get_or_add_pPr().append(parse_xml(numbers))
    expected = ["3. Rent.", "(a) of land", "(i) wet", "(ii) dry", "(b) of houses", "4. Tax."]
    assert lines(office.saved(document), "docx") == expected


def test_legal_numbers_of_word_are_decimal() -> None:
    levels = [("upperRoman", "ARTICLE %1", ""), ("decimalZero", "Section %1.%2", "<w:isLgl/>")]
    read = lines(office.saved(office_faults.numbered(levels, (0, 2))), "docx")
    numbers = [" ".join(text.split()[:2]) for text in read if text.startswith(("ARTICLE", "Section"))]
    sections = ["Section 1.01", "Section 1.02"], ["Section 2.01", "Section 2.02", "Section 2.03"]
    assert numbers == ["ARTICLE I", *sections[0], "ARTICLE II", *sections[1]]


def test_word_lists_what_is_not_read() -> None:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Draft of Monday"
    document.add_paragraph("Rent").add_run(" secret").font.hidden = True
    symbols = '<w:sym w:font="Wingdings" w:char="F0A7"/><w:sym w:font="Arial" w:char="20B9"/><w:sym/>'
    document.paragraphs[0]._p.append(parse_xml(f'<w:r xmlns:w="{NS}">{symbols}<w:t>500</w:t></w:r>'))
    document.add_picture(BytesIO(PIXEL))
    data = office.saved(document)
    assert lines(data, "docx") == ["Rent₹500"]
    assert row(data, "docx")["warnings"] == [
        "header of the document, not read: “Draft of Monday”",
        "symbols of a font, not read: U+F0A7 of Wingdings, U+E000 of None",
        "hidden, so not read: “secret”",
        "pictures and drawings, not read: Picture 1",
    ]


def test_word_reads_what_is_shown() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Whoever ")
    paragraph._p.append(parse_xml(f'<w:ins xmlns:w="{NS}"><w:r><w:t>inserts</w:t></w:r></w:ins>'))
    paragraph._p.append(parse_xml(f'<w:del xmlns:w="{NS}"><w:r><w:delText>deletes</w:delText></w:r></w:del>'))
    paragraph.add_run(" hidden").font.hidden = True
    broken = document.add_paragraph("one")
    broken.add_run().add_break()
    broken.add_run("two")
    broken.add_run().add_break(WD_BREAK.PAGE)
    document.add_paragraph("A heading", style="Heading 2")
    marked = document.add_paragraph("Rent")
    marked.add_run("12").font.superscript = True
    marked.add_run(" is due on the 3")
    marked.add_run("rd").font.superscript = True
    document.sections[0].header.paragraphs[0].text = "Draft of Monday"
    read = parsed(office.saved(document), "docx")["lines"].to_pylist()
    assert [line["page"] for line in read] == [1, 1, 1, 2, 2]
    texts = ["Whoever inserts", "one", "two", "A heading", "Rent is due on the 3rd"]
    assert [line["text"] for line in read] == texts
    assert read[3]["bold"] == len("A heading") and read[3]["x0"] > read[0]["x0"] + 100
    assert read[4]["marks"] == [{"offset": 4, "label": "12"}]


def test_tables_that_only_place_text_are_undone() -> None:
    long = "Every keeper shall be paid his wages before the seventh day of the month."
    page = (
        "<table><tr><td>(a)</td><td>{0}</td></tr><tr><td colspan=2><p>{0}</p><p>Second.</p></td></tr>"
        "<tr><td>Item</td><td>Rate</td><td>Unit</td></tr></table>"
    )
    read = parsed(page.format(long).encode(), "html")["lines"].to_pylist()
    assert [line["row"] for line in read] == [0, 1, 2, 3, 3, 3]
    assert [line["text"] for line in read] == [f"(a) {long}", long, "Second.", "Item", "Rate", "Unit"]
    cells = read[3:]
    assert all(b["x0"] - a["x1"] > 30 for a, b in itertools.pairwise(cells))


def test_web_pages_show_what_a_browser_shows() -> None:
    page = """<html><head><title>Not read</title><style>.c { text-align: center } /* .gone{} */
    .gone { display: none } b.thin { font-weight: 400 }</style><script>alert("no")</script></head><body>
    <nav>Home</nav><p class=c>THE  LAMPS\n ACT</p><p class="gone">hidden</p><p hidden>hidden too</p>
    <p><b>1. Rent.</b>—Due<sup>7</sup> on<br>Monday</p><ol type=a start=2><li>oil<li>(z) wick</ol>
    <p><b class=thin>not bold</b></p><pre>one
two</pre>tail</body></html>"""
    read = parsed(page.encode(), "html")["lines"].to_pylist()
    listed, rest = ["b. oil", "(z) wick"], ["not bold", "one", "two", "tail"]
    expected = ["THE LAMPS ACT", "1. Rent.—Due on", "Monday", *listed, *rest]
    assert [line["text"] for line in read] == expected
    assert read[0]["x0"] > 200 and read[1]["bold"] == len("1. Rent.") and read[5]["bold"] == 0
    assert read[1]["marks"] == [{"offset": len("1. Rent.—Due"), "label": "7"}]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_texts_have_their_encoding(encoding: str) -> None:
    text = "“Rent” – due in Café\n"
    page = f"<html><meta charset={encoding}><p>{text}</p></html>"
    assert lines(text.encode(encoding), "plain") == [text.strip()]
    assert lines(page.encode(encoding), "html") == [text.strip()]


def test_lines_of_a_wrapped_text_are_joined() -> None:
    text = """
                THE LAMPS ACT, 2011

    1. Rent.-(1) Every keeper of a lamp that is
    lit shall be paid the rent of it, whether or
    not it is his.
    (2) Rent is due on Monday
    at the latest.\x0cPage two.
"""
    assert lines(text.replace(".\x0c", ".\n\x0c").encode(), "plain") == [
        "THE LAMPS ACT, 2011",
        "1. Rent.-(1) Every keeper of a lamp that is lit shall be paid the rent of it, whether or not it is his.",
        "(2) Rent is due on Monday at the latest.",
        "Page two.",
    ]


def test_slides_are_pages() -> None:
    show = pptx.Presentation()
    for title in ("", "Second"):
        slide = show.slides.add_slide(show.slide_layouts[5 if title else 6])
        if title:
            slide.shapes.title.text = "Second\vslide"
            slide.notes_slide.notes_text_frame.text = "Say it slowly"
    read = parsed(office.saved(show), "pptx")
    pages = [(page["page"], page["status"]) for page in read["pages"].to_pylist()]
    assert pages == [(1, "blank"), (2, "text")]
    shown = [(line["page"], line["text"]) for line in read["lines"].to_pylist()]
    assert shown == [(2, "Second slide"), (2, "Say it slowly")]


def test_sheets_are_tables() -> None:
    data = office.as_workbook("Rates", [office.Unit("1", "Rent", ["5.0"]), office.Unit("", "Tax")])
    read = parsed(data, "xlsx")["lines"].to_pylist()
    assert [(line["row"], line["text"]) for line in read] == [
        (0, "Rates"), (1, "1"), (1, "Rent"), (1, "5.0"), (2, "Tax")
    ]  # fmt: skip
    assert [line["role"] for line in read] == ["header", *["body"] * 4]


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (256, []),
        (257, ["what stands behind column 256, not read: sheet Rates, cell IW1, sheet Rates, cell IW2"]),
    ],
)
def test_a_sheet_says_that_columns_were_not_read(column: int, said: list[str]) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Rates"
    for row in (1, 2):
        book.active.cell(row, column, "oil")
    book.save(data := BytesIO())
    assert parsed(data.getvalue(), "xlsx")["documents"].column("warnings").to_pylist() == [said]


def test_pages_of_pdf2htmlex_are_read_as_a_pdf() -> None:
    page = """<html><head><meta name="generator" content="pdf2htmlEX"><style>.w0{width:793px}.h0{height:1122px}
    .m0{transform:matrix(0.25,0,0,0.25,0,0)}.fs0{font-size:64px}.fs1{font-size:40px}.v1{vertical-align:24px}
    .x1{left:96px}.y1{bottom:900px}.y2{bottom:880px}.y9{bottom:20px}</style></head><body>
    <div id="page-container"><div id="pf1" class="pf w0 h0"><div class="pc"><div class="t m0 x1 y2 fs0">second <span
    class="_ _3"> </span>line<span class="fs1 v1">12</span></div><div class="t m0 x1 y1 fs0">first</div></div></div>
    <div id="pf2" class="pf w0 h0"><div class="pc"><div class="t m0 x1 y1 fs0">third</div></div></div></div>"""
    read = parsed(page.encode(), "html")
    assert read["documents"].column("layout").to_pylist() == ["pdf2htmlex"]
    placed = [(line["page"], line["text"]) for line in read["lines"].to_pylist()]
    assert placed == [(1, "first"), (1, "second line"), (2, "third")]
    assert set(read["lines"].column("size").to_pylist()) == {12.0}
    assert read["lines"].to_pylist()[1]["marks"] == [{"offset": 11, "label": "12"}]


def rezipped(data: bytes, **parts: bytes) -> bytes:
    """An archive with some of its parts replaced or added."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        names = {
            name.replace("__", "/").replace("_xml", ".xml").replace("_bin", ".bin"): name for name in parts
        }
        for name in {*old.namelist(), *names}:
            new.writestr(name, parts[names[name]] if name in names else old.read(name))
    return out.getvalue()


def zipped(kind: bytes) -> bytes:
    """An archive as other offices write them."""
    with zipfile.ZipFile(out := BytesIO(), "w") as archive:
        archive.writestr("mimetype", kind)
    return out.getvalue()


@cache
def word() -> bytes:
    return office.as_word(*office.lantern())


def without(make: Callable[[], bytes], part: str) -> bytes:
    """An archive that lacks one of its parts."""
    return make().replace(part.encode(), f"{part[:-1]}_".encode())


def noted() -> bytes:
    """A presentation with a note."""
    show = pptx.Presentation()
    show.slides.add_slide(show.slide_layouts[6]).notes_slide.notes_text_frame.text = "Say this."
    return office.saved(show)


SHEET = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">%b</worksheet>'
FAR = SHEET % (b'<sheetData><row r="%b"/></sheetData>' % (b"9" * 20))
ENTITY = b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><d>&x;</d>'
ODD = f'<w:document xmlns:w="{NS}"><w:body><w:p><w:r><w:sym w:char="x"/></w:r></w:p></w:body></w:document>'
DEEP = f'<w:document xmlns:w="{NS}"><w:body>{"<w:p>" * 5000}'.encode()
LONG = f'<w:document xmlns:w="{NS}"><w:body><w:p>'.encode() + b"x" * 10_100_000
PARTS: list[tuple[Callable[[], bytes], str, str]] = [
    (word, "word/document.xml", "docx"),
    (noted, "ppt/notesSlides/notesSlide1.xml", "pptx"),
    (noted, "ppt/slides/slide1.xml", "pptx"),
    (lambda: office.as_workbook(*office.lantern()), "xl/worksheets/sheet1.xml", "xlsx"),
]
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@pytest.mark.parametrize(
    ("data", "form", "words"),
    [
        (b"", "docx", "empty"),
        (b"no archive", "docx", "not a ZIP archive"),
        (lambda: word()[: len(word()) // 2], "docx", "truncated"),
        (word, "xlsx", "rename it to .docx"),
        (word, "pdf", "rename it to .docx"),
        (typeset.india_code, "html", "rename it to .pdf"),
        (b"<!DOCTYPE html><html><p>x</p></html>", "pdf", "rename it to .html"),
        (lambda: rezipped(office.as_slides(*office.lantern()), word__x_xml=b""), "docx", "damaged"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "docx", "encrypted"),
        (OLE + bytes(64), "xlsx", "before 2007"),
        (b"{\\rtf1 x}", "docx", "RTF"),
        (lambda: zipped(b"application/vnd.oasis.opendocument.text"), "docx", "OpenDocument"),
        (lambda: zipped(b"application/epub+zip"), "html", "EPUB"),
        (b"MIME-Version: 1.0\nContent-Type: multipart/related\n\n<html>", "html", "MHTML"),
        (lambda: rezipped(word(), word__vbaProject_bin=b"x"), "docx", "macros"),
        (lambda: rezipped(word(), word__document_xml=ENTITY), "docx", "entities"),
        (lambda: rezipped(word(), word__document_xml=ENTITY.decode().encode("utf-16")), "docx", "entities"),
        (lambda: rezipped(word(), word__document_xml=DEEP), "docx", "nested too deeply"),
        (
            lambda: rezipped(word(), word__document_xml=b"<oops"),
            "docx",
            "read: its XML is broken; save it again",
        ),
        (lambda: rezipped(word(), word__document_xml=LONG), "docx", "longer than 10 MB"),
        (lambda: rezipped(word(), word__document_xml=ODD.encode()), "docx", "do not fit each other; save"),
        *(
            (partial(without, make, part), form, "read: a part of it is missing")
            for make, part, form in PARTS
        ),
        (b"<html>" + b"<div>" * 5000 + b"deep", "html", "nested too deeply"),
        (bytes(range(256)) * 40, "plain", "not a text"),
        (b"<html></html>", "html", "no text"),
        (lambda: rezipped(office.as_workbook("x", []), xl__worksheets__sheet1_xml=FAR), "xlsx", "beyond row"),
    ],
)
def test_a_file_that_cannot_be_read_says_so_in_one_line(
    data: bytes | Callable[[], bytes], form: str, words: str
) -> None:
    read = row(data() if callable(data) else data, form)
    assert read["status"] != "text" and words in read["reason"] and "\n" not in read["reason"]


def test_an_archive_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citegrain.tasks.kinds.office.reading.MAX_UNPACKED_MIB", 1)
    assert "ZIP bomb" in row(rezipped(word(), word__bomb_bin=bytes(2**20)), "docx")["reason"]
    assert row(word(), "docx")["status"] == "text"

"""Acts of the typesetter and the embedded Constitution as Word documents, web pages and other Office files."""

from __future__ import annotations

import html
import importlib.metadata
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import docx
import openpyxl
import pptx
import yaml
from docx.enum.text import WD_ALIGN_PARAGRAPH

from tests.typeset import LANTERN, Act

RECIPE = Path(__file__).parent.parent / "citegrain/data/demo/constitution.yaml"


@dataclass(frozen=True)
class Unit:
    """A Part (``number`` is ``PART III``) or an Article, with its paragraphs."""

    number: str
    heading: str
    paragraphs: Sequence[str] = ()


def constitution() -> tuple[str, list[Unit]]:
    """Title and units of the Constitution, from the package of the demo corpus."""
    recipe = yaml.safe_load(RECIPE.read_text(encoding="utf-8"))
    package = importlib.metadata.distribution(recipe["package"])
    path = Path(str(package.locate_file(f"{recipe['package']}/{recipe['file']}")))
    parts = {first: (number, heading) for number, heading, first in recipe["parts"]}
    units: list[Unit] = []
    articles = json.loads(path.read_text(encoding="utf-8"))
    for item in sorted(articles, key=lambda article: _order(article["article"])):
        number = re.sub(r"\s", "", str(item["article"]))
        if number in parts:
            units.append(Unit(f"PART {parts[number][0]}", parts[number][1]))
        lines = str(item["description"]).replace("\u00a0", " ").split("\n")
        paragraphs = [" ".join(line.split()) for line in lines if line.strip()]
        heading = " ".join(str(item["title"]).replace("\u00a0", " ").split()).strip(" .")
        units.append(Unit(number, heading, paragraphs))
    return str(recipe["title"]), units


def _order(number: object) -> tuple[int, str]:
    match = re.match(r"(\d+)(.*)", re.sub(r"\s", "", str(number)))
    return (int(match[1]), match[2]) if match else (0, str(number))


def lantern(act: Act = LANTERN) -> tuple[str, list[Unit]]:
    """An Act of the typesetter in the same form."""
    units = [Unit("0", "", [f"ACT NO. {act.number.upper()}", "BE it enacted by Parliament as follows:—"])]
    for number, heading, sections in act.chapters:
        units.append(Unit(f"CHAPTER {number}", heading))
        units += [Unit(s.number, s.heading, s.paragraphs) for s in sections]
    return act.title, units


def as_word(title: str, units: Sequence[Unit]) -> bytes:
    """A Word document: title and Parts by their styles, the heading of an Article in bold before a dash."""
    document = docx.Document()
    document.add_paragraph(title, style="Title")
    for unit in units:
        if not unit.paragraphs and " " in unit.number:
            document.add_paragraph(unit.number, style="Heading 2")
            document.add_paragraph(unit.heading, style="Heading 3")
            continue
        first, *rest = unit.paragraphs or ("",)
        if unit.number == "0":
            opening = document.add_paragraph("PREAMBLE" if "WE" in first else "")
            opening.alignment = WD_ALIGN_PARAGRAPH.CENTER
            rest = [first, *rest]
        else:
            paragraph = document.add_paragraph()
            paragraph.add_run(f"{unit.number}. {unit.heading}.").bold = True
            paragraph.add_run(f"—{first}")
        for text in rest:
            document.add_paragraph(text)
    return saved(document)


def as_web_page(title: str, units: Sequence[Unit]) -> bytes:
    """A web page: the same by tags."""
    out = [f"<h1>{html.escape(title)}</h1>"]
    for unit in units:
        heading = html.escape(unit.heading)
        if not unit.paragraphs and " " in unit.number:
            out.append(f"<h2>{unit.number}</h2><h3>{heading}</h3>")
            continue
        first, *rest = unit.paragraphs or ("",)
        if unit.number == "0":
            out.append(f"<p>{html.escape(first)}</p>")
        else:
            out.append(f"<p><b>{unit.number}. {heading}.</b>&mdash;{html.escape(first)}</p>")
        out += [f"<p>{html.escape(text)}</p>" for text in rest]
    head, body = "<head><meta charset='utf-8'><title>x</title></head>", "\n".join(out)
    return f"<!DOCTYPE html><html>{head}<body>{body}</body></html>".encode()


def as_text(title: str, units: Sequence[Unit]) -> bytes:
    """A plain text, a paragraph a line."""
    out = [title]
    for unit in units:
        first, *rest = unit.paragraphs or ("",)
        out.append(f"{unit.number}\n{unit.heading}" if " " in unit.number else "")
        if " " not in unit.number:
            out[-1] = first if unit.number == "0" else f"{unit.number}. {unit.heading}.—{first}"
        out += rest
    return "\n".join(out).encode()


def as_slides(title: str, units: Sequence[Unit]) -> bytes:
    """A presentation: a slide a unit."""
    show = pptx.Presentation()
    for unit in (Unit("", title), *units):
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = f"{unit.number} {unit.heading}".strip()
        slide.placeholders[1].text = "\n".join(unit.paragraphs)
    return saved(show)


def as_workbook(title: str, units: Sequence[Unit]) -> bytes:
    """A workbook: a row a unit."""
    book = openpyxl.Workbook()
    book.active.title = title[:30]
    for unit in units:
        book.active.append([unit.number, unit.heading, " ".join(unit.paragraphs)])
    return saved(book)


def saved(document: object) -> bytes:
    """The bytes of a document of python-docx, python-pptx or openpyxl."""
    stream = BytesIO()
    document.save(stream)  # type: ignore[attr-defined]
    return stream.getvalue()

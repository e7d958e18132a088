"""An answer as one HTML page that needs nothing beside it."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from citegrain.tasks.core.pages import encodable, source_of, templates
from citegrain.tasks.core.schemas import NODES
from citegrain.tasks.law.asof import AsOf
from citegrain.tasks.online.answer.building import full_text, provision_of
from citegrain.tasks.online.answer.neighbours import WORDING, neighbours_picture, short_titles
from citegrain.tasks.online.answer.picture import Picture, PictureError, draw_page
from citegrain.tasks.online.answer.schema import Answer
from citegrain.tasks.online.answer.wording import called, counterpart_line, day_line, percent
from citegrain.tasks.online.builds import ATTRIBUTES, PublishedBuild
from citegrain.tasks.online.graph import around

if TYPE_CHECKING:
    from jinja2 import Environment

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

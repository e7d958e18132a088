"""Texts that come without a PDF: JSON lines as ``corpus.jsonl`` of a BEIR folder has them."""

from __future__ import annotations

import codecs
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, StrictStr, ValidationError

from citegrain.tasks.core.faults import faults, shown
from citegrain.tasks.offline.pages import Page, PageStatus, RefusedError, Segment

ID_ROLE, TITLE_ROLE, TEXT_ROLE = "header", "margin_note", "body"
"""Roles of the lines of a text: its id stands above it and its title beside it, as on a page of an Act."""


def _identifier(text: str) -> str:
    if not text or not text.isprintable() or " " in text:
        raise ValueError(f"must be printable and without spaces, not {shown(text)}")
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank")
    return text


class Text(BaseModel):
    """A line of the file; what else is on it is not read."""

    id: Annotated[StrictStr, AfterValidator(_identifier), Field(alias="_id")]
    text: Annotated[StrictStr, AfterValidator(_not_blank)]
    title: StrictStr = ""


def read_texts(data: bytes) -> list[Text]:
    """Every text of a file of JSON lines, in its order; blank lines are passed over.

    Raises
    ------
    RefusedError
        If a line is not ``{"_id": ..., "title": ..., "text": ...}``, an id is there twice, or there is no
        text. The message names the first line that is wrong.
    """
    texts: dict[str, Text] = {}
    lines: dict[str, int] = {}
    for number, line in enumerate(data.removeprefix(codecs.BOM_UTF8).split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            text = Text.model_validate_json(line)
        except ValidationError as error:
            wrong = ": ".join(part for part in next(faults(error)) if part)
            raise RefusedError(f"line {number}: {wrong}") from error
        if (first := lines.setdefault(text.id, number)) != number:
            raise RefusedError(f"line {number}: _id: {shown(text.id)} is already on line {first}")
        texts[text.id] = text
    if not texts:
        raise RefusedError("no text in it")
    return list(texts.values())


def text_page(number: int, text: Text) -> Page:
    """A text as a page of its own, a line each for id, title and text."""
    parts = ((ID_ROLE, text.id), (TITLE_ROLE, text.title.strip()), (TEXT_ROLE, text.text.strip()))
    segments = [
        Segment(0, 0, 0, 0, 0, 0, 0, False, words, row=row, role=role)
        for row, (role, words) in enumerate(parts)
    ]
    return Page(number, 0, 0, segments, PageStatus("text"))

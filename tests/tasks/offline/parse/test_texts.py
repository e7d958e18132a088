"""Files of texts: what is read of them, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from citegrain.tasks.core.schemas import DOCUMENTS, LINES, PAGES
from citegrain.tasks.offline.parse import parse_texts

GOOD = {"_id": "S1", "text": "x"}


def read(*lines: Any) -> dict[str, Any]:
    data = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return parse_texts(data.encode(), "d")


def test_a_text_is_a_page_with_its_id_above_and_its_title_beside() -> None:
    tables = read(
        "\ufeff" + json.dumps(GOOD), "", {"_id": "é/2", "title": " T ", "text": " a\u2028b\nc ", "n": 1}, ""
    )
    (document,) = DOCUMENTS.conform(tables["documents"]).to_pylist()
    assert (document["status"], document["n_pages"]) == ("text", 2)
    assert [p["n_chars"] for p in PAGES.conform(tables["pages"]).to_pylist()] == [3, 7]
    lines = LINES.conform(tables["lines"]).to_pylist()
    assert [(line["page"], line["role"], line["text"]) for line in lines] == [
        (1, "header", "S1"), (1, "margin_note", ""), (1, "body", "x"),
        (2, "header", "é/2"), (2, "margin_note", "T"), (2, "body", "a\u2028b\nc"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([{"text": "x"}], "line 1: _id: is missing"),
        ([GOOD, {"_id": 2, "text": "x"}], "line 2: _id: must be a string, not 2"),
        ([{"_id": "", "text": "x"}], "line 1: _id: must be printable, without spaces at its ends, not ''"),
        (
            [{"_id": "a ", "text": "x"}],
            "line 1: _id: must be printable, without spaces at its ends, not 'a '",
        ),
        ([GOOD, "", GOOD], "line 3: _id: 'S1' is already on line 1"),
        ([{"_id": "a", "title": "T"}], "line 1: text: is missing"),
        ([{"_id": "a", "text": " \n"}], "line 1: text: is blank"),
        ([{"_id": "a", "text": "x", "title": 1}], "line 1: title: must be a string, not 1"),
        (['"a text"'], "line 1: must be an object, not 'a text'"),
        ([GOOD, "{"], "line 2: not JSON: EOF while parsing an object"),
        (['{"_id": "a", "text": "\\ud800"}'], "line 1: not JSON: "),
        ([], "no text in it"),
    ],
)
def test_a_file_with_a_line_that_is_no_text_is_refused(lines: list[Any], why: str) -> None:
    tables = read(*lines)
    (document,) = tables["documents"].to_pylist()
    assert document["status"] == "refused" and document["reason"].startswith(why)
    assert "\n" not in document["reason"] and not tables["lines"].num_rows


def test_a_file_as_notepad_writes_it_and_an_id_with_a_space() -> None:
    data = (json.dumps({"_id": "a b", "text": "é"}) + "\r\n\r\n").encode("utf-16")
    lines = LINES.conform(parse_texts(data, "d")["lines"]).to_pylist()
    assert [line["text"] for line in lines] == ["a b", "", "é"]
    (document,) = parse_texts(data[:-1], "d")["documents"].to_pylist()
    assert document["reason"] == "not UTF-16, though it begins so"


def test_bytes_that_are_no_text_are_refused() -> None:
    (document,) = parse_texts(b'{"_id": "a", "text": "\xff"}', "d")["documents"].to_pylist()
    assert document["reason"].startswith("line 1: not JSON: ")

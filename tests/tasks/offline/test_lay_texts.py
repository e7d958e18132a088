"""What a model says of provisions: clean, a few at a time, and no more where it never replies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citegrain.tasks.core.endpoint import Endpoint, Unparsable, parse_reply
from citegrain.tasks.offline.lay_texts import (
    LAY_TEXTS,
    NOT_NEEDED,
    PATIENCE,
    Label,
    LayReply,
    lay_requests,
    write_lay_texts,
)
from tests.bad_server import misbehaving

ROWS = [
    {"act_id": "a-1999", "number": str(n), "heading": "h", "text": f"text {n}"}
    for n in range(1, 2 * PATIENCE + 6)
]
REQUESTS = lay_requests(ROWS, {"a-1999": "A"}, {("a-1999", "2")}.__contains__)


def reply(data: dict[str, Any]) -> str:
    """Texts; of some that nobody asks; of others nothing that can be read."""
    number = int(data["number"])
    if number > PATIENCE:
        return "no"
    texts = dict.fromkeys(("plain", "scene", "message"), "" if number < 4 else data["number"])
    return json.dumps({"needed": number >= 4, **texts})


def test_what_came_is_given_at_once_and_who_replies_to_nothing_is_asked_no_more(tmp_path: Path) -> None:
    with misbehaving("good", script=reply) as server:
        parts = list(write_lay_texts(REQUESTS, Endpoint(server.url, "m"), tmp_path))
    numbers = {json.loads(body["messages"][1]["content"])["number"] for body in server.bodies}
    assert len(REQUESTS) == len(ROWS) - 1 and len(parts) == 2 and len(numbers) == 2 * PATIENCE
    (first, failed), (second, failed_too) = parts
    assert [line["section"] for line in first[NOT_NEEDED]] == ["1", "3"]
    assert [line["section"] for line in first[LAY_TEXTS]] == [str(n) for n in range(4, PATIENCE + 1)]
    assert set(first[LAY_TEXTS][0]) == {"act", "section", "plain", "scene", "message"}
    assert len(failed) == 1 and len(failed_too) == PATIENCE and not second[LAY_TEXTS]


def test_nothing_to_ask_asks_nobody(tmp_path: Path) -> None:
    nothing: dict[Label, Any] = {}
    assert list(write_lay_texts(nothing, Endpoint("http://127.0.0.1:9/v1", "m"), tmp_path)) == []


@pytest.mark.parametrize(
    ("texts", "error"),
    [
        ({"plain": "x" * 1001}, "longer than 1000 characters"),
        ({"scene": " "}, "a text is empty"),
        ({"plain": "a\u202eb\n\u0007c"}, ""),
    ],
)
def test_a_text_of_a_model_is_short_clean_and_there(texts: dict[str, str], error: str) -> None:
    reply = json.dumps({"needed": True, "plain": "p", "scene": "s", "message": "m"} | texts)
    if error:
        with pytest.raises(Unparsable, match=error):
            parse_reply(reply, LayReply)
    else:
        assert parse_reply(reply, LayReply)[0]["plain"] == "a b c"

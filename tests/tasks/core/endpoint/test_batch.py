"""Requests in a file, replies from one: what waits, what was recorded, what a kill leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from citegrain.tasks.core.endpoint import (
    BATCH,
    RECORDED,
    BatchPending,
    CallConfig,
    Endpoint,
    EndpointError,
    ReplyModel,
    ask_model,
    kept_replies,
    metered,
    read_replies,
    reply_rows,
)
from citegrain.tasks.core.endpoint.batch import reply_line
from citegrain.tasks.core.endpoint.client import ModelReply
from tests.bad_server import misbehaving


class Number(ReplyModel):
    n: int


CONFIG = CallConfig(attempts=2, longest_wait=2.0, timeout=5)
PROMPTS = {q: [{"role": "user", "content": json.dumps({"q": q})}] for q in ("a", "b", "c")}


def answer(folder: Path, *replies: str) -> None:
    """Answer the requests that wait, in their order."""
    lines = [json.loads(line) for line in (folder / "requests.jsonl").read_text().splitlines()]
    with (folder / "replies.jsonl").open("a") as out:
        for line, text in zip(lines, replies, strict=False):
            out.write(json.dumps(reply_line(line["custom_id"], ModelReply(text), "m")) + "\n")


def endpoint(folder: Path, mode: str) -> Endpoint:
    return Endpoint("", "m", mode=mode, replies=folder / "replies.jsonl")


def test_a_batch_stops_until_its_replies_are_there(tmp_path: Path) -> None:
    batch = endpoint(tmp_path, BATCH)
    with pytest.raises(BatchPending, match="3 requests are in ") as error:
        ask_model(PROMPTS, batch, CONFIG, Number)
    assert error.value.exit_code == 3
    bodies = [json.loads(line)["body"] for line in (tmp_path / "requests.jsonl").read_text().splitlines()]
    assert [body["messages"] for body in bodies] == list(PROMPTS.values())
    assert {body["model"] for body in bodies} == {"m"} and bodies[0]["temperature"] == 0.0
    answer(tmp_path, '{"n": 1}', "nonsense")
    with pytest.raises(BatchPending, match="2 requests"):  # the one without, and the one to be asked again
        ask_model(PROMPTS, batch, CONFIG, Number)


def test_what_cannot_be_read_is_asked_for_once_more_and_then_given_up(tmp_path: Path) -> None:
    batch = endpoint(tmp_path, BATCH)
    for replies in (('{"n": 1}', '{"n": 2}', "no"), ("no again",)):
        with pytest.raises(BatchPending):
            ask_model(PROMPTS, batch, CONFIG, Number)
        answer(tmp_path, *replies)
    out = ask_model(PROMPTS, batch, CONFIG, Number)
    assert [out[q].text for q in "ab"] == ['{"n": 1}', '{"n": 2}']
    assert "does not fit the schema" in out["c"].error


def test_recorded_replies_are_read_and_nobody_is_asked(tmp_path: Path) -> None:
    with pytest.raises(BatchPending):
        ask_model(PROMPTS, endpoint(tmp_path, BATCH), CONFIG, Number)
    answer(tmp_path, '{"n": 1}')
    out = ask_model(PROMPTS, endpoint(tmp_path, RECORDED), CONFIG, Number)
    assert out["a"].text == '{"n": 1}' and out["b"].error == "no reply to this prompt was recorded"
    other = CallConfig(temperature=0.5)
    assert ask_model(PROMPTS, endpoint(tmp_path, RECORDED), other, Number)["a"].error


def test_a_file_that_is_no_file_of_replies_ends_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    for text in ("{", "[]", '{"custom_id": "x"}', '{"custom_id": "x", "response": {"body": {}}}', "[" * 9999):
        file.write_text(text)
        with pytest.raises(EndpointError, match=r"replies\.jsonl:1: "):
            read_replies(file)
    file.write_text('{"custom_id": "x", "response": null, "error": {"message": "expired"}}\n\n')
    assert read_replies(file)["x"][0].error == "expired"
    with pytest.raises(EndpointError, match="endpoint=batch needs the model's name"):
        Endpoint("", "", mode=BATCH)


def test_what_is_kept_is_exported_and_read_again_to_the_same_replies(tmp_path: Path) -> None:
    with misbehaving("good", script=lambda data: json.dumps({"n": len(data["q"])})) as server:
        live = Endpoint(server.url, "m")
        first = ask_model(PROMPTS, live, CONFIG, Number, reply_rows(tmp_path, "judge", live, CONFIG))
    lines = list(kept_replies(tmp_path, "m"))
    assert len(lines) == 3 and lines == list(kept_replies(tmp_path)) and not list(kept_replies(tmp_path, "x"))
    file = tmp_path / "recorded" / "replies.jsonl"
    file.parent.mkdir()
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    again = ask_model(PROMPTS, endpoint(file.parent, RECORDED), CONFIG, Number)
    assert {q: r.text for q, r in again.items()} == {q: r.text for q, r in first.items()}


def test_tokens_are_counted_where_they_are_metered_and_replies_that_are_kept_count_too(
    tmp_path: Path,
) -> None:
    with misbehaving("good", script=lambda data: '{"n": 1}') as server:
        live = Endpoint(server.url, "m", price_in=1.0, price_out=10.0)
        rows = reply_rows(tmp_path, "judge", live, CONFIG)
        with metered() as every:
            ask_model(PROMPTS, live, CONFIG, Number, rows)
            with metered() as again:
                ask_model({"a": PROMPTS["a"]}, live, CONFIG, Number, rows)
        ask_model(PROMPTS, live, CONFIG, Number, rows)
    assert (again.tokens_in, again.tokens_out) == (100, 10)
    assert again.questions == {"a": (100, 10)} and every.questions["a"] == (200, 20)
    assert every.questions.keys() == PROMPTS.keys()
    assert (every.tokens_in, every.tokens_out) == (400, 40) and live.price(400, 40) == pytest.approx(8e-4)


_KILLED = """
import sys
from pathlib import Path
from citegrain.tasks.core.endpoint import Endpoint, ask_model, reply_rows
from tests.tasks.core.endpoint.test_batch import CONFIG, PROMPTS, Number
live = Endpoint(sys.argv[1], "m")
ask_model(PROMPTS, live, CONFIG, Number, reply_rows(Path(sys.argv[2]), "judge", live, CONFIG))
"""


def test_nothing_is_asked_twice_after_a_kill(tmp_path: Path) -> None:
    def slowly(data: dict[str, str]) -> str:
        time.sleep(30 if data["q"] == "c" and not gone else 0)
        return '{"n": 1}'

    gone: list[bool] = []
    with misbehaving("good", script=slowly) as server:
        arguments = [sys.executable, "-c", _KILLED, server.url, str(tmp_path)]
        running = subprocess.Popen(arguments, env=os.environ)
        while len(list(tmp_path.rglob("rows-*.parquet"))) != 2:
            assert running.poll() is None
            time.sleep(0.05)
        running.send_signal(signal.SIGKILL)
        running.wait()
        gone.append(True)
        subprocess.run(arguments, check=True, env=os.environ)
        counts = {json.loads(user)["q"]: n for user, n in server.seen.items()}
    assert counts == {"a": 1, "b": 1, "c": 2}
    assert len(list(tmp_path.rglob("rows-*.parquet"))) <= 3


def test_an_endpoint_says_how_long_it_wants_to_be_left_alone() -> None:
    with misbehaving("429 then", script=lambda data: '{"n": 1}') as server:
        begun = time.monotonic()
        (reply,) = ask_model({"a": PROMPTS["a"]}, Endpoint(server.url, "m"), CONFIG, Number).values()
    assert reply.text == '{"n": 1}' and time.monotonic() - begun >= 1
    with misbehaving("429 for long") as server:
        script = ask_model({"a": PROMPTS["a"]}, Endpoint(server.url, "m"), CONFIG, Number)
    assert "HTTP 429" in script["a"].error and script["a"].attempts == 1

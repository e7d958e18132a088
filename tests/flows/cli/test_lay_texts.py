"""Lay texts by a model: asked for once, beside the documents, and read by the next index run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citegrain.tasks.core.endpoint import ModelReply
from citegrain.tasks.core.endpoint.batch import reply_line
from citegrain.tasks.offline.lay_texts import NOT_NEEDED, PATIENCE
from tests.bad_server import misbehaving
from tests.flows.conftest import Done, common

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("commands")]


def reply(data: dict[str, Any]) -> str:
    """Texts with the number of their provision; of the first that a model is shown it says that none asks."""
    needed, said = data["number"] != "1", f": my wick number {data['number']} went out"
    texts = {name: f"{name}{said}" if needed else "" for name in ("plain", "scene", "message")}
    return json.dumps({"needed": needed, **texts})


def test_an_act_gets_lay_texts_and_is_found_by_them(
    call: Callable[..., Done], indexed: Path, corpus: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = common(indexed.parent, tiny_model)
    file = corpus / "lay_texts.jsonl"
    planned = call("lay-texts", "--dry-run", *settings)
    assert planned.returncode == 0, planned.stderr
    assert "provisions without lay texts: about" in planned.stdout and not file.exists()
    with misbehaving("good", script=reply) as server:
        monkeypatch.setenv("CITEGRAIN_LLM_BASE_URL", server.url)
        monkeypatch.setenv("CITEGRAIN_LLM_MODEL", "m")
        done = call("lay-texts", *settings)
        assert done.returncode == 0, done.stderr
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        assert planned.stdout.split()[0] == str(len(server.bodies))
        assert {row["section"] for row in rows} and "1" not in {row["section"] for row in rows}
        assert {json.loads(x)["section"] for x in (corpus / NOT_NEEDED).read_text().splitlines()} == {"1"}
        calls = len(server.bodies)
        shutil.rmtree(indexed / "store/lay_texts")
        again = call("lay-texts", *settings)
        assert again.returncode == 0, "what was answered is not asked for again, not needed included"
        assert len(server.bodies) == calls and again.stdout.startswith("0 provisions without lay texts")
    with file.open("a") as out:
        out.write(json.dumps(rows[0] | {"act": "no-such-act-1999", "section": "7"}) + "\n")
    before = file.read_text()
    again = call("index", *settings)
    assert again.returncode == 0 and "lay_texts.jsonl: not indexed" not in again.stdout, again.stderr
    said = f"lay_texts.jsonl: 1 of {len(rows) + 1} are of no provision here, first no-such-act-1999 7"
    assert said in again.stdout
    build = json.loads(call("ask", "my wick number 3A went out", "--json", *settings).stdout)
    assert build["charges"][0]["section"] == "3A" and file.read_text() == before


def test_a_batch_writes_what_came_and_an_endpoint_that_fails_is_left_alone(
    call: Callable[..., Done], indexed: Path, corpus: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, file = common(indexed.parent, tiny_model), corpus / "lay_texts.jsonl"
    batch = (*settings, "endpoint=batch", "endpoint.model=m")
    assert call("lay-texts", *batch).returncode == 3 and not file.exists()
    waiting = (indexed / "batch/requests.jsonl").read_text().splitlines()
    requests = [json.loads(line) for line in waiting]
    with (indexed / "batch/replies.jsonl").open("w") as out:
        for request in requests[:3]:
            said = ModelReply(reply(json.loads(request["body"]["messages"][1]["content"])))
            out.write(json.dumps(reply_line(request["custom_id"], said, "m")) + "\n")
    done = call("lay-texts", *batch)
    assert done.returncode == 3 and f"{len(requests) - 3} requests are in" in done.stderr
    assert len(file.read_text().splitlines() + (corpus / NOT_NEEDED).read_text().splitlines()) == 3
    with misbehaving("detail") as server:
        monkeypatch.setenv("CITEGRAIN_LLM_BASE_URL", server.url)
        monkeypatch.setenv("CITEGRAIN_LLM_MODEL", "m")
        failed = call("lay-texts", *settings)
    assert failed.returncode == 1 and len(server.bodies) == min(PATIENCE, len(requests) - 3)
    assert failed.stderr.count("\n") == 1 and "HTTP 403: Invalid API key" in failed.stderr
    assert f"{len(requests) - 3} provisions have no reply" in failed.stderr


def test_a_corpus_without_a_folder_has_no_place_for_them(call: Callable[..., Done], tmp_path: Path) -> None:
    done = call("lay-texts", "corpus=demo", f"artifacts='{tmp_path}'")
    assert done.returncode == 2 and "beside the documents of a folder" in done.stderr


def test_a_folder_that_is_not_there_is_said_before_a_model_is_asked(
    call: Callable[..., Done], tmp_path: Path
) -> None:
    done = call("lay-texts", "corpus=folder", "corpus.name=mine", f"corpus.path='{tmp_path / 'nowhere'}'")
    assert done.returncode == 2 and "no such folder" in done.stderr

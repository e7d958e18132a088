"""A real model behind a real server: what it says is not tested, what becomes of it is."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from citegrain.flows.shared.asking import endpoint_of
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.core.endpoint import Endpoint
from citegrain.tasks.law.citing import Lexicon
from citegrain.tasks.online.cascade import Cascade
from citegrain.tasks.online.generate import AnswerSchema, GenerateConfig, generate
from citegrain.tasks.online.query import QueryConfig, make_queries
from citegrain.tasks.online.verify import STATUSES
from tests.conftest import ROOT
from tools import smollm2

pytestmark = [
    pytest.mark.slow,
    pytest.mark.model,
    pytest.mark.prefect,
    pytest.mark.xdist_group("prefect"),
    pytest.mark.skipif(bool(smollm2.missing()), reason=smollm2.missing()),
]


@pytest.fixture(scope="module")
def server() -> Iterator[smollm2.Server]:
    with smollm2.serving() as started:
        yield started


@pytest.fixture
def endpoint(server: smollm2.Server) -> Endpoint:
    return server.endpoint


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The embedded corpus, indexed into a temporary folder: the overrides that name it."""
    folder = tmp_path_factory.mktemp("smollm2")
    where = [f"artifacts='{folder / 'artifacts'}'", f"corpus.path='{folder / 'pdf'}'"]
    done = subprocess.run(
        [sys.executable, "-m", "citegrain", "index", "corpus=demo", *where],
        cwd=ROOT, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return where


def test_the_command_line_answers_or_tells_why_not(endpoint: Endpoint, demo: list[str]) -> None:
    reply = smollm2.ask(endpoint, smollm2.QUESTION, ["generate.response_format=json_object_schema", *demo])
    answer = reply.answer
    assert reply.is_recorded, reply.stderr
    # held to the schema, a reply can be read unless it finds no end
    assert reply.code == 0 or "cut off" in answer["error"]
    assert all(c["verification"] in STATUSES for c in answer["charges"])
    assert answer["checked"]["n_charges"] == len(answer["charges"])
    assert sum(answer["checked"][f"n_{s}"] for s in STATUSES) == len(answer["charges"])
    assert answer["reply"]["attempts"] == 1 and answer["reply"]["tokens_in"] > 100
    assert endpoint.key not in reply.stdout + reply.stderr


def test_the_cascade_gives_one_row(
    endpoint: Endpoint,
    demo: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    for name, value in smollm2.environment(endpoint).items():
        monkeypatch.setenv(name, value)
    settings = load_settings(["corpus=demo", *smollm2.OVERRIDES, *demo])
    build = Build.open(settings.builds_folder / "demo", settings.models_folder)
    cascade = Cascade(
        build,
        settings.cascade,
        tmp_path,
        endpoint_of(settings, "generate=llm", settings.cascade.generate.kind == "llm"),
    )
    result = cascade.run({"q": smollm2.QUESTION})
    [row] = result.answers.to_pylist()
    assert result.hits["q"] and row["tokens_in"] > 100 and row["tokens_out"] > 0
    assert bool(row["error"]) == (not row["answer"]) and "\n" not in row["error"]
    assert row["n_charges"] == sum(row[f"n_{s}"] for s in STATUSES)
    stored_bytes = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    shown = capfd.readouterr()
    assert endpoint.key not in shown.out + shown.err + repr(row) and endpoint.key.encode() not in stored_bytes


def test_a_wrong_key_is_reported_and_not_tried_again(endpoint: Endpoint) -> None:
    queries = make_queries({"q": "x"}, Lexicon([]), QueryConfig())
    wrong = Endpoint(endpoint.base_url, endpoint.model, "sk-wrong")
    generated = generate(queries, {}, GenerateConfig("llm"), AnswerSchema((), ()), wrong)["q"]
    assert (generated.error, generated.reply.attempts) == ("HTTP 401: Invalid API key", 1)


def test_the_server_stops_whatever_happens() -> None:
    with pytest.raises(ZeroDivisionError), smollm2.serving() as server:
        raise ZeroDivisionError
    with socket.socket() as line, pytest.raises(ConnectionRefusedError):
        line.connect(("127.0.0.1", urlsplit(server.endpoint.base_url).port))


def test_a_server_that_ends_by_itself_is_an_error() -> None:
    with pytest.raises(smollm2.Unavailable, match="exit status -9"), smollm2.serving() as server:
        server.process.kill()
        server.process.wait()


@pytest.mark.parametrize(("form", "group"), smollm2.FORMS)
def test_it_helps_to_search_or_leaves_the_question_as_it_is(
    server: smollm2.Server, demo: list[str], form: str, group: str
) -> None:
    before = server.replies
    said = smollm2.search(server.endpoint, smollm2.QUESTION, form, group, demo)
    assert said and server.endpoint.key not in "".join(said)
    assert server.replies > before

"""Hostile files over HTTP: each gets a clear reply, nothing outside is read, nothing is lost."""

from __future__ import annotations

import base64
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from citegrain import Build
from citegrain.flows.serving.service import addressed
from citegrain.tasks.offline.index import note_origin
from tests.flows.conftest import copy_artifacts
from tests.flows.serving.hostile import hostile_files
from tests.flows.serving.test_api import TOKEN, app_of, origin_of, reindexed

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("prefect")]
SECRET, QUESTION = "a secret of this machine 4711", "wages of a keeper"
NAMES = (
    "../a.pdf",
    "..\\a.pdf",
    "/etc/a.pdf",
    "a/b.pdf",
    "C:\\a.pdf",
    ".a.pdf",
    "a\0.pdf",
    "%2e%2e%2fa.pdf",
    "a.pdf/",
)


@pytest.mark.parametrize("count", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_hostile_files_get_a_reply_and_nothing_else(once_indexed: Path, tmp_path: Path, count: int) -> None:
    artifacts, corpus, secret = (tmp_path / name for name in ("artifacts", "documents", "secret.txt"))
    copy_artifacts(once_indexed, artifacts)
    secret.write_text(SECRET, encoding="utf-8")
    build = Build.open(artifacts / "builds/mine")
    origin = origin_of(artifacts)
    corpus.mkdir()
    for file in Path(origin.corpus).iterdir():
        (corpus / file.name).write_bytes(file.read_bytes())
    note_origin(build.folder, replace(origin, corpus=str(corpus)))
    sound = {file.name: file.read_bytes() for file in corpus.iterdir()}
    expected = addressed(build.ask(QUESTION)).to_dict()
    _, app = app_of(artifacts)
    given, started = app.state.jobs._run, list[Any]()

    async def run(job: Any, origin: Any) -> None:
        started.append(job)

    app.state.jobs._run = run
    temporary = set(Path(tempfile.gettempdir()).iterdir())
    taken, statuses = dict[str, bytes](), Counter[int]()
    with TestClient(app, raise_server_exceptions=False) as client:
        for n, (name, content) in enumerate(hostile_files(count, secret)):
            body = {"question": QUESTION, "file": name, "content": base64.b64encode(content).decode()}
            replies = [client.post("/v1/ask/file", json=body)]
            replies.append(client.post("/v1/ingest", params={"file": name}, content=content, headers=TOKEN))
            for reply in replies:
                statuses[reply.status_code] += 1
                assert reply.status_code in (200, 202, 413, 422), (name, reply.text)
                assert SECRET not in reply.text and str(tmp_path) not in reply.text, name
            if replies[0].status_code == 200:
                assert replies[0].json() | {"uploads": []} == expected, name
            if replies[1].status_code == 202:
                taken[name] = content
            place = client.post(
                "/v1/ingest", params={"file": NAMES[n % len(NAMES)]}, content=b"x", headers=TOKEN
            )
            assert place.status_code in (404, 422)
            if n % 20 == 0:
                assert client.post("/v1/ask", json={"question": QUESTION}).json() == expected
        assert {file.name: file.read_bytes() for file in corpus.iterdir()} == sound | taken
        assert len(taken) == len(started) and statuses[200] and statuses[422]
        assert {path.name for path in tmp_path.iterdir()} == {"artifacts", "documents", "secret.txt"}
        strange = {p for p in Path(tempfile.gettempdir()).iterdir() if p not in temporary}
        assert not [p for p in strange if any(f.name in taken for f in p.rglob("*"))], (
            "what is sent is forgotten"
        )
        if count > 10:  # one re-index with all of them: the Acts are there as before
            app.state.jobs._run = given
            job = reindexed(client)
            assert job["state"] in ("promoted or unchanged", "refused"), job
            answer = Build.open(artifacts / "builds/mine").ask(QUESTION)
            assert not any(SECRET in charge.text for charge in answer.charges)
            assert expected["charges"][0]["provision_id"] in {
                c.provision_id for c in (*answer.charges, *answer.others)
            }
    print(dict(statuses))  # noqa: T201

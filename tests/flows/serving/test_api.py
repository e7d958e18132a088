"""The service answers as the library does, refuses what is wrong in one form, and loses no request."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import jsonschema  # type: ignore[import-untyped]
import pytest
import uvicorn
from fastapi.testclient import TestClient

from citegrain import Build, Question
from citegrain.flows.serving import guard, jobs, start
from citegrain.flows.serving import service as serving
from citegrain.flows.serving.api import create_app
from citegrain.flows.serving.guard import Counts, PatientProtocol
from citegrain.flows.serving.jobs import FileRefused, Jobs, Uploads
from citegrain.flows.serving.messages import AskRequest
from citegrain.flows.serving.service import Busy, OpenBuilds, Service, address, addressed
from citegrain.flows.serving.start import listening_socket
from citegrain.flows.shared.pool import Failed, WorkerPool, start_pool
from citegrain.flows.shared.remembered import answer_of_api, local_sockets, socket_of
from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.core.errors import TOO_DEEP
from citegrain.tasks.core.schemas import AMENDMENTS, PROVISIONS
from citegrain.tasks.core.tables import read_table, write_table
from citegrain.tasks.offline.index import Origin, note_origin, publish, read_origin
from citegrain.tasks.offline.models import ModelError, begun
from citegrain.tasks.online.gloss import Glosses
from tests import typeset
from tests.flows.conftest import BELL, copy_artifacts
from tests.flows.shared.test_library import QUESTIONS

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("prefect")]
TOKEN = {"authorization": "Bearer a secret"}
SECTION = "lantern-keepers-welfare-act-2011/sec_3"
NO_DOCUMENTS = [
    ("pdf", b"hello", "not a PDF"),
    ("pdf", b"%PDF-1.4 and no more", "a.pdf: "),
    ("pdf", typeset.india_code()[:3000], "a.pdf: "),
    ("txt", b"hello", "too little text: 1 word in all"),
    ("docx", b"PK\x03\x04 and no more", "a.docx: "),
]


def app_of(artifacts: Path, **options: Any) -> tuple[Service, Any]:
    builds, counts = OpenBuilds(artifacts / "builds", artifacts / "models"), Counts()
    service = Service(builds, options.pop("most", 32), counts.batches.observe)
    options = {"names": ["testserver"], **options}
    return service, create_app(service, Jobs(builds, artifacts), counts, "a secret", **options)


@pytest.fixture(scope="module")
def served(
    once_indexed: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[TestClient, Build]]:
    artifacts = tmp_path_factory.mktemp("api") / "artifacts"
    copy_artifacts(once_indexed, artifacts)
    with TestClient(app_of(artifacts)[1], raise_server_exceptions=False) as client:
        yield client, Build.open(artifacts / "builds" / "mine")


def problem(reply: Any, status: int) -> dict[str, Any]:
    assert (reply.status_code, reply.headers["content-type"]) == (status, "application/problem+json")
    content: dict[str, Any] = reply.json()
    assert content["status"] == status and content["instance"] == reply.headers["x-request-id"]
    return content


def test_each_question_gets_the_answer_of_the_library(served: tuple[TestClient, Build]) -> None:
    client, build = served
    for text in QUESTIONS:
        for more in ({}, {"k": 2}, {"as_of": "1900-01-01"}, {"full": True}):
            reply = client.post("/v1/ask", json={"question": text, **more})
            assert reply.status_code == 200 and reply.json() == addressed(build.ask(text, **more)).to_dict()
        result = client.post("/v1/search", json={"text": text, "k": 3}).json()
        hits = build.search(text, k=3)
        assert [h["provision_id"] for h in result["hits"]] == [h.provision_id for h in hits]
        assert (result["reason"], result["message"]) == (hits.reason, hits.message)
    text = f"Section 3 and section 99 of the {build.acts[0]['title']}"
    checked = client.post("/v1/check", json={"text": text}).json()
    assert checked["citations"] == [citation.model_dump() for citation in build.check(text)]
    assert {"no_such_provision"} < {c["status"] for c in checked["citations"]}


def test_a_provision_its_page_and_its_neighbours(served: tuple[TestClient, Build]) -> None:
    client, build = served
    shown = client.get(f"/v1/provisions/{SECTION}").json()
    assert shown == build.provision(SECTION).model_dump() | {"url": shown["url"]}
    words = {"cite": "section 3 of the Lantern Keepers (Welfare) Act"}
    assert client.get("/v1/provisions", params=words).json() == shown
    past = client.get(f"/v1/provisions/{SECTION}", params={"as_of": "1900-01-01"}).json()
    assert not past["in_force"] and past["remarks"]
    page = client.get(f"/v1/provisions/{SECTION}/page")
    assert page.headers["content-type"] == "image/png" and page.content.startswith(b"\x89PNG")
    import pymupdf

    colours = {pixel for pixel, _ in pymupdf.Pixmap(page.content).color_count(colors=True).items()}
    assert any(len(set(pixel[:3])) > 1 for pixel in colours), "the section is marked in colour"
    pixels = pymupdf.Pixmap(page.content)
    marked = [
        (x / pixels.width, y / pixels.height)
        for y in range(pixels.height)
        for x in range(pixels.width)
        if max(pixels.pixel(x, y)) - min(pixels.pixel(x, y)) > 40
    ]
    edges = [
        min(x for x, _ in marked),
        min(y for _, y in marked),
        max(x for x, _ in marked),
        max(y for _, y in marked),
    ]
    assert list(map(float, page.headers["x-citegrain-mark"].split())) == pytest.approx(edges, abs=0.02)
    # a letter under a mark is as dark as one beside it: nothing lies over the text
    coloured = [pixel for pixel in colours if max(pixel[:3]) - min(pixel[:3]) > 8]
    assert min(map(max, coloured)) < 60 < 250 < max(map(max, coloured))
    edges = client.get(f"/v1/provisions/{SECTION}/neighbours").json()["edges"]
    assert [e["other"] for e in edges] == [e["other"] or "" for e in build.graph(SECTION)[SECTION]]
    assert {row["act"] for row in client.get("/v1/acts").json()} == {a["act_id"] for a in build.acts}
    assert all(
        row["reading"].startswith(("sound", "incomplete: ", "doubtful: "))
        for row in client.get("/v1/acts").json()
    )
    (row,) = client.get("/v1/builds").json()
    assert f"{row['name']}/{row['key']}" == build.label and row["state"] == "current"


def test_the_sections_of_an_act_are_listed(served: tuple[TestClient, Build]) -> None:
    client, _ = served
    act = SECTION.partition("/")[0]
    shown = client.get(f"/v1/acts/{act}/provisions").json()
    assert [row["provision"] for row in shown["provisions"][:3]] == ["section 1", "section 2", "section 3"]
    assert shown["total"] == len(shown["provisions"]) and shown["title"].startswith("The Lantern Keepers")
    for row in shown["provisions"]:
        one = client.get(f"/v1/provisions/{row['provision_id']}").json()
        assert (one["heading"], one["page"], one["in_force"]) == (
            row["heading"],
            row["page"],
            row["in_force"],
        )
    by_name = client.get("/v1/acts/Lantern Keepers (Welfare) Act/provisions?start=1&most=2").json()
    assert by_name["provisions"] == shown["provisions"][1:3] and by_name["total"] == shown["total"]
    past = client.get(f"/v1/acts/{act}/provisions?as_of=1900-01-01").json()
    assert past["as_of"] == "1900-01-01" and not any(row["in_force"] for row in past["provisions"])
    problem(client.get("/v1/acts/moon-act/provisions"), 422)


def test_addresses_open_here_and_none_is_of_this_machine(served: tuple[TestClient, Build]) -> None:
    client, build = served
    body = {"question": QUESTIONS[0], "matters": True}
    replies = [client.post("/v1/ask", json=body), client.get(f"/v1/provisions/{SECTION}")]
    answer, shown = (reply.json() for reply in replies)
    assert answer["charges"] and build.ask(QUESTIONS[0]).charges[0].url.startswith("file:///")
    assert not any("file:/" in reply.text or str(build.folder.parent) in reply.text for reply in replies)
    for url in (shown["url"], *(row["url"] for row in answer["charges"] + answer["others"])):
        assert client.get(url).content.startswith(b"\x89PNG"), url
    charge = build.ask(QUESTIONS[0]).charges[0]
    assert address(charge.model_copy(update={"link": "a.docx"}), "", "") == ""


def test_what_a_question_in_hindi_reads_is_read_before_it_is_asked(indexed: Path) -> None:
    build = OpenBuilds(indexed / "builds", indexed / "models").get()
    begun(lambda: None).result(60)  # behind what was begun
    assert "glosses" in build._shared and "_by_bones" in vars(Glosses.over(build))


def test_what_is_wrong_is_said_in_one_form_and_the_question_is_not_repeated(
    served: tuple[TestClient, Build],
) -> None:
    client, _ = served
    secret = "my neighbour hit me"
    for body, status in (
        ({"question": " "}, 422),
        ({"question": secret, "as_of": "2020-02-31"}, 422),
        ({"question": secret, "k": 101}, 422),
        ({"question": secret, "k": 1, "confidence": 0.9}, 422),
        ({"question": secret, "confidence": 0.9}, 422),  # nothing was learned for this reader
        ({"question": secret, "more": 1}, 422),
        ({"question": secret, "acts": ["The Act of Nobody"]}, 422),
        ({"question": secret, "kinds": ["judgment"]}, 422),
        ({"question": secret, "build": "other"}, 404),
        ({"question": secret, "build": "../mine"}, 404),
        ({"question": secret * 2000}, 422),
    ):
        assert secret not in json.dumps(problem(client.post("/v1/ask", json=body), status))
    problem(client.post("/v1/ask", content=b"{\xff"), 422)  # of no type that says JSON
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        reply = client.post("/v1/check", content=b'{"text": "a"}', headers={"content-type": kind})
        assert "application/json" in problem(reply, 415)["detail"]
    day = client.post("/v1/ask", json={"question": secret, "as_of": "2020-02-31"}).json()["detail"]
    assert day == "2020-02-31: there is no such day"
    assert "did you mean mine?" in client.get("/v1/acts?build=mnie").json()["detail"]
    for sent in (b"{", b"{\xff", b"", b'{"question": "a"}}', b"[" * 100_000):
        reply = client.post("/v1/ask", content=sent, headers={"content-type": "application/json"})
        problem(reply, 400 if sent else 422)
    problem(client.post("/v1/ask", content=b"x" * (guard.MOST_BYTES + 1)), 413)
    problem(client.get("/v1/provisions/no/such"), 404)
    for place in (f"/v1/provisions/{SECTION}?as-of=1900-01-01", "/v1/acts?Build=mine", "/v1/jobs/x?a=1"):
        assert "no parameter of this route" in problem(client.get(place), 422)["detail"], place
    problem(client.post("/v1/ask?as_of=1900-01-01", json={"question": secret}), 422)  # it belongs in the body
    problem(client.post("/v1/feedback?a=1", json={"question": secret, "applicable": []}), 422)
    there = problem(client.post("/v1/ask", json={"question": secret, "kinds": ["novel"]}), 422)["detail"]
    assert "kinds act" in there and "jurisdictions " in there
    several = problem(client.get("/v1/provisions?cite=section 3A"), 422)
    assert len(several["choices"]) > 1 and not any(id_ in several["detail"] for id_ in several["choices"])
    for id_, law in several["choices"].items():
        assert client.get(f"/v1/provisions/{id_}").json()["law"] == law
    for place in ("/v1/provisions/..%2f..%2fetc/passwd", "/v1/provisions/%2e%2e/x/page", "/nowhere"):
        problem(client.get(place), 404)
    assert "openapi.json" in problem(client.get("/nowhere"), 404)["detail"]
    other = client.delete("/v1/ask")
    assert "another method" in problem(other, 405)["detail"] and other.headers["allow"] == "POST"
    problem(client.get("/v1/changes"), 404)
    reply = client.get("/health", headers={"x-request-id": "mine-1"})
    assert reply.headers["x-request-id"] == "mine-1" and reply.json()["status"] == "ok"
    assert client.get("/health", headers={"x-request-id": "a b"}).headers["x-request-id"] != "a b"


def test_what_is_wrong_with_a_field_is_said_in_plain_words(served: tuple[TestClient, Build]) -> None:
    client, _ = served
    for body, said in (
        ({}, "question is missing"),
        ([1], 'body must be an object, as {"name": "value"}'),
        ({"question": None}, 'question must be a string in quotation marks'),
        ({"question": "a", "k": "x"}, "k must be a whole number, as 3"),
        ({"question": "a", "k": -1}, "k is too small: send 0 or more"),
        ({"question": "a", "full": "perhaps"}, "full must be true or false"),
        ({"question": "a", "acts": "IPC"}, 'acts must be a list, as ["IPC"]'),
        ({"question": "a", "acts": ["a"] * 501}, "acts has too many entries: send 500 at most"),
        ({"question": "a", "as_of": "soon"}, "as_of must be a day as 2024-07-01, auto, or two days with / between them"),
        ({"a": 1, "b": 2, "c": 3, "d": 4}, "question is missing; a is not known here: leave it out, or mend its name; "
         "b is not known here: leave it out, or mend its name; and 2 more"),
    ):  # fmt: skip
        content = problem(client.post("/v1/ask", json=body), 422)
        assert content["detail"] == said
        assert content["errors"][0]["detail"] in said and content["errors"][0]["field"].startswith("body")
    days = problem(client.get("/v1/provisions?cite=IPC 302&as_of=soon"), 422)
    assert days["detail"] == "as_of must be a day as 2024-07-01, or empty"
    more = problem(client.get("/v1/provisions?cite=IPC 302&day=soon"), 422)["detail"]
    assert more == "day: no parameter of this route, which has as_of, build, cite"
    assert "too long" in problem(client.post("/v1/ask", json={"question": "a" * 20_001}), 422)["detail"]


def test_an_error_inside_is_a_problem_without_its_words(
    served: tuple[TestClient, Build], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    client, _ = served
    given = Build.ask_all

    def fail(build: Build, questions: list[Question]) -> Any:
        if any(q.text == "poison" for q in questions):
            raise RuntimeError("secret words")
        return given(build, questions)

    monkeypatch.setattr(Build, "ask_all", fail)
    reply = client.post("/v1/ask", json={"question": "poison"})
    assert "secret" not in json.dumps(problem(reply, 500)) and "secret words" in caplog.text
    service = client.app.state.service  # type: ignore[attr-defined]

    async def both() -> list[Any]:
        asks = (
            service.ask(AskRequest.model_validate({"question": text}))
            for text in ("wages", "poison", "wages")
        )
        return await asyncio.gather(*asks, return_exceptions=True)

    first, poison, last = client.portal.call(both)  # type: ignore[union-attr]
    assert first == last and isinstance(poison, RuntimeError), "a fault hits its own question alone"


def test_the_log_has_the_text_of_a_question_only_if_that_is_switched_on(
    once_indexed: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    copy_artifacts(once_indexed, tmp_path / "artifacts")
    for switched_on in (False, True):
        app = app_of(tmp_path / "artifacts", log_questions=switched_on)[1]
        caplog.clear()
        with caplog.at_level(logging.INFO, "citegrain"), TestClient(app) as client:
            client.post("/v1/ask", json={"question": "the lamp of Asha"})
            line = json.loads(caplog.records[-1].message)
            assert ("Asha" in caplog.text) is switched_on and line["route"] == "/v1/ask" and line["ms"] > 0
            assert 'citegrain_requests_total{route="/v1/ask",status="200"} 1.0' in client.get("/metrics").text


def test_documents_are_taken_in_only_with_the_token_and_only_by_plain_names(
    once_indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_artifacts(once_indexed, tmp_path / "artifacts")
    corpus = tmp_path / "documents"
    corpus.mkdir()
    origin = replace(origin_of(tmp_path / "artifacts"), corpus=str(corpus))
    note_origin(Build.open(tmp_path / "artifacts/builds/mine").folder, origin)
    _, app = app_of(tmp_path / "artifacts")
    started: list[str] = []

    async def run(job: Any, origin: Origin) -> None:
        started.append(origin.corpus)

    app.state.jobs._run = run
    with TestClient(app) as client:
        for headers in ({}, {"authorization": "Bearer a secreT"}, {"authorization": "a secret"}):
            problem(client.post("/v1/reindex", headers=headers), 401)
            problem(client.post("/v1/ingest?file=a.pdf", content=b"x", headers=headers), 401)
        for name in (
            "../a.pdf",
            "/etc/a.pdf",
            ".a.pdf",
            "a.exe",
            "a\x00.pdf",
            "a%2f.pdf",
            "",
            "..",
            "a\n.pdf",
        ):
            reply = client.post("/v1/ingest", params={"file": name}, content=b"x", headers=TOKEN)
            problem(reply, 422)
        problem(client.post("/v1/ingest?file=a.pdf", headers=TOKEN), 422)
        reply = client.post("/v1/ingest?file=a.txt", files={"file": ("a.txt", b"x")}, headers=TOKEN)
        assert "send the file alone" in problem(reply, 415)["detail"]
        store = tmp_path / "artifacts/store"
        stored = set(store.rglob("*"))
        for ending, content, why in NO_DOCUMENTS:
            reply = client.post(f"/v1/ingest?file=a.{ending}", content=content, headers=TOKEN)
            assert why in problem(reply, 422)["detail"], (ending, reply.text)
        assert not list(corpus.iterdir()) and not started
        assert set(store.rglob("*")) == stored, "nothing of it is kept"
        one, two = (typeset.india_code(act) for act in (typeset.LANTERN, BELL))
        reply = client.post("/v1/ingest?file=an act.pdf", content=one, headers=TOKEN)
        assert reply.status_code == 202 and (corpus / "an act.pdf").read_bytes() == one
        assert client.get(f"/v1/jobs/{reply.json()['job']}", headers=TOKEN).json()["state"] == "running"
        problem(client.post("/v1/ingest?file=an act.pdf", content=two, headers=TOKEN), 409)
        problem(client.post("/v1/ingest?file=an act.pdf&replace=true", content=b"x", headers=TOKEN), 422)
        assert (corpus / "an act.pdf").read_bytes() == one
        client.post("/v1/ingest?file=an act.pdf&replace=true", content=two, headers=TOKEN)
        assert [p.read_bytes() for p in corpus.iterdir()] == [two] and len(started) == 2
        (corpus / "b.pdf").mkdir()  # cannot be written, as in a folder that may only be read
        problem(client.post("/v1/ingest?file=b.pdf&replace=true", content=one, headers=TOKEN), 409)
        late = Failed("took longer", late=True)  # such a file is taken in, and the run says what it is
        monkeypatch.setattr(
            WorkerPool, "run", lambda pool, stage, function, given: dict.fromkeys(given, late)
        )
        assert client.post("/v1/ingest?file=c.txt", content=b"hello", headers=TOKEN).status_code == 202
        app.state.token = ""
        problem(client.post("/v1/reindex", headers={"authorization": "Bearer "}), 403)


def dies(file: Path) -> None:
    os.abort()


def recurses(file: Path) -> None:
    recurses(file)


def test_a_file_is_refused_for_its_own_fault_alone_and_read_in_the_memory_of_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uploads, begun, outcome = Uploads(), list[float](), list[Any]()

    def start(workers: int, gib: float) -> Any:
        begun.append(gib)
        return start_pool(workers, gib)

    monkeypatch.setattr(jobs, "start_pool", start)
    monkeypatch.setattr(
        WorkerPool, "run", lambda pool, stage, function, given: dict.fromkeys(given, outcome[-1])
    )

    def check(result: Any, *overrides: str) -> None:
        outcome.append(result)
        uploads.check("a.txt", b"hello", Origin("c", str(tmp_path), list(overrides)), "artifacts=x")

    check(None)
    for limit in ("runner.memory_gib=7.5",) * 2:
        check(None, "corpus.name='x'", limit)
    assert begun == [4.0, 7.5]
    for fault in (Failed("a bug", broken=True), Failed("the disk is full", fatal=True)):
        with pytest.raises(RuntimeError, match=fault.reason):
            check(fault)
    for refused in ("too little text", Failed("needs more memory")):
        with pytest.raises(FileRefused):
            check(refused)


@pytest.mark.parametrize(("ends", "why"), [(dies, "brought down the process"), (recurses, TOO_DEEP)])
def test_a_file_that_ends_the_process_that_reads_it_is_refused(ends: Any, why: str) -> None:
    with pytest.raises(FileRefused, match=f"a.txt: {why}") as caught:
        Uploads()._read(None, ends, "a.txt", b"hello", 60)
    assert caught.value.status == 422


def origin_of(artifacts: Path) -> Origin:
    origin = read_origin(Build.open(artifacts / "builds/mine").folder)
    assert origin is not None
    return origin


def reindexed(client: TestClient) -> dict[str, Any]:
    reply = client.post("/v1/reindex", headers=TOKEN)
    assert reply.status_code == 202
    until = time.monotonic() + 120
    while (job := client.get(f"/v1/jobs/{reply.json()['job']}", headers=TOKEN).json())["state"] == "running":
        assert time.monotonic() < until
        time.sleep(0.1)
    return dict(job)


def test_a_build_is_made_anew_with_what_it_was_made_with_or_not_at_all(indexed: Path) -> None:
    build = Build.open(indexed / "builds/mine")
    origin = origin_of(indexed)
    again = load_settings([*origin.overrides, f"artifacts='{indexed}'"])
    assert again.corpus.name == "mine" and again.corpus.path == origin.corpus
    assert again.documents["parse"].ocr == "off" and again.embed.model.endswith("tiny")
    with TestClient(app_of(indexed)[1]) as client:
        job = reindexed(client)
        assert job["state"] == "promoted or unchanged" and "no change" in job["output"], job
        assert Build.open(indexed / "builds/mine").folder == build.folder
        note_origin(build.folder, replace(origin, overrides=["corpus.kind='http'"]))
        reply = client.post("/v1/ingest?file=a.pdf", content=b"x", headers=TOKEN)
        assert "list of addresses" in problem(reply, 409)["detail"]
        note_origin(build.folder, replace(origin, folder=str(indexed / "gone")))
        assert "not at hand" in problem(client.post("/v1/reindex", headers=TOKEN), 409)["detail"]
        shutil.rmtree(build.folder.with_name(f"{build.folder.name}.origin"))
        assert "index it again" in problem(client.post("/v1/reindex", headers=TOKEN), 409)["detail"]


def test_beyond_the_bound_requests_are_sent_away_and_nobody_else_is_lost(indexed: Path) -> None:
    service, app = app_of(indexed, most=4)
    with TestClient(app) as client, ThreadPoolExecutor(16) as pool:
        client.post("/v1/ask", json={"question": "wages"})
        replies = list(pool.map(lambda n: client.post("/v1/ask", json={"question": "wages"}), range(48)))
    statuses = {reply.status_code for reply in replies}
    assert 200 in statuses <= {200, 503} and service.waiting == 0
    for reply in replies:
        if reply.status_code == 503:
            assert problem(reply, 503) and reply.headers["retry-after"] == "1"
    assert len({reply.text for reply in replies if reply.status_code == 200}) == 1


def test_questions_that_wait_together_are_answered_at_once(indexed: Path) -> None:
    sizes: list[int] = []
    builds = OpenBuilds(indexed / "builds", indexed / "models")

    async def ask() -> list[Any]:
        service = Service(builds, 8, sizes.append)
        asks = [service.ask(AskRequest.model_validate({"question": text})) for text in QUESTIONS[:8]]
        answers = await asyncio.gather(*asks)
        with pytest.raises(Busy):
            await asyncio.gather(
                *(service.ask(AskRequest.model_validate({"question": "wages"})) for _ in range(9))
            )
        return answers

    answers = asyncio.run(ask())
    build = builds.get()
    assert [a.to_dict() for _, a in answers] == [build.ask(text).to_dict() for text in QUESTIONS[:8]]
    assert max(sizes[:3]) > 1


def test_changes_are_those_of_the_build_that_answers_while_another_is_opened(
    indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = indexed / "builds" / "mine"
    answers = (folder / "current").read_text().strip()
    before, coming = "d" * len(answers), "f" * len(answers)
    for key in (before, coming):
        shutil.copytree(folder / answers, folder / key)
    table = read_table(file := folder / before / PROVISIONS.file, PROVISIONS)
    texts = [row["text"] + " It burns." * (row["provision_id"] == SECTION) for row in table.to_pylist()]
    shutil.rmtree(file)
    write_table(file, table.set_column(table.schema.get_field_index("text"), "text", [texts]), PROVISIONS)
    monkeypatch.setattr(OpenBuilds, "_take", lambda builds, name, key: None)  # it takes very long
    with TestClient(app_of(indexed)[1]) as client:
        client.post("/v1/ask", json={"question": "wages"})
        publish(folder / coming)
        assert "there is no build before this one" in client.get("/v1/changes").json()["detail"]
        rows = [
            {"state": "promoted", "build": build, "before": other}
            for build, other in [(answers, before), (coming, answers)]
        ]
        (folder / "promotions.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        changes = client.get("/v1/changes").json()
        assert (changes["old"], changes["new"]) == (before, answers)
        (change,) = changes["changes"]
        assert (change["new_id"], change["provision"]) == (SECTION, "section 3")
        assert "burns" in change["old_words"][0] and not change["new_words"]
        assert client.post("/v1/ask", json={"question": "wages"}).json()["build"] == f"mine/{answers}"


def test_a_new_build_takes_over_without_a_request_lost(
    indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = indexed / "builds" / "mine"
    old = (folder / "current").read_text().strip()
    new = "f" * len(old)
    shutil.copytree(folder / old, folder / new)
    app = app_of(indexed)[1]
    with TestClient(app) as client:

        def label() -> str:
            reply = client.post("/v1/ask", json={"question": "wages"})
            assert reply.status_code == 200
            return str(reply.json()["build"])

        assert label() == f"mine/{old}"
        publish(folder / new)
        seen, until = [label()], time.monotonic() + 60
        while seen[-1] != f"mine/{new}" and time.monotonic() < until:
            seen.append(label())
        assert set(seen) <= {f"mine/{old}", f"mine/{new}"} and seen[-1] == f"mine/{new}"
        while not (stored := list(folder.glob("*.changes/*.parquet"))) and time.monotonic() < until:
            time.sleep(0.05)
        assert stored, "compared before anybody asks"
        changes = client.get("/v1/changes").json()
        assert (changes["old"], changes["new"], changes["total"]) == (old, new, 0)
        serving._changes.cache_clear()  # as after the next start
        monkeypatch.setattr(serving, "amendments", None)
        assert client.get("/v1/changes").json() == changes, "compared once, and stored"
        decided = {"state": "rolled back", "build": new, "before": old, "at": "2026-11-30T06:00:00+00:00"}
        (folder / "promotions.jsonl").write_text(json.dumps(decided) + "\n")
        monkeypatch.setattr(serving, "amendments", lambda first, second: AMENDMENTS.empty())
        back = client.get("/v1/changes").json()
        assert (back["old"], back["new"], back["rolled_back"]) == (new, old, decided["at"]), (
            "the earlier first"
        )
        assert changes["rolled_back"] == ""
        (folder / ("e" * len(old))).mkdir()
        (folder / "current").write_text("e" * len(old))
        assert label() == f"mine/{new}", "a build that cannot be opened does not answer"
        while client.get("/health").json()["status"] == "ok" and time.monotonic() < until:
            time.sleep(0.05)
        reason = client.get("/health").json()["reasons"][0]
        assert "cannot be opened" in reason and str(indexed) not in reason

        def unreadable(*where: Any) -> Any:
            raise ModelError("model.safetensors: another digest")

        monkeypatch.setattr(serving.Build, "open", unreadable)
        publish(folder / old)
        assert label() == f"mine/{new}", "nor does one whose model cannot be read"
        while "digest" not in client.get("/health").json()["reasons"][0] and time.monotonic() < until:
            time.sleep(0.05)
        assert "another digest" in client.get("/health").json()["reasons"][0]


def test_replies_fit_what_openapi_says(served: tuple[TestClient, Build]) -> None:
    client, _ = served
    described = client.get("/openapi.json").json()
    for method, place, body in (
        ("post", "/v1/ask", {"question": "wages of a keeper", "full": True}),
        ("post", "/v1/search", {"text": "wages"}),
        ("post", "/v1/check", {"text": "Section 9 of the Lantern Keepers (Welfare) Act"}),
        ("get", "/v1/builds", None),
        ("get", "/v1/acts", None),
        ("get", "/health", None),
    ):
        operation = described["paths"][place][method]
        schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
        reply = client.request(method, place, json=body).json()
        jsonschema.validate(reply, {**schema, "components": described["components"]})
        assert (
            method == "get"
            or described["components"]["schemas"][
                operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
            ]["examples"]
        )
    for place in ("/v1/ingest", "/v1/reindex"):  # a parameter Authorization is none to who generates a client
        assert described["paths"][place]["post"]["security"] == [{"HTTPBearer": []}]
    (sent,) = described["paths"]["/v1/ingest"]["post"]["requestBody"]["content"].values()
    assert sent["schema"]["format"] == "binary"
    schema = {"$ref": "#/components/schemas/Problem", "components": described["components"]}
    jsonschema.validate(client.get("/v1/jobs/x").json(), schema)


@contextmanager
def over_http(app: Any, local: Sequence[socket.socket] = ()) -> Iterator[tuple[str, int]]:
    """Host and port of an application that is served by a thread, on these sockets, too."""
    config = uvicorn.Config(app, port=0, http=PatientProtocol, log_config=None, access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=[[listening_socket(config), *local]])
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture
def listening(indexed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    monkeypatch.setattr(guard, "PATIENCE", 0.5)
    with over_http(app_of(indexed)[1]) as place:
        yield place


def test_a_reply_is_sent_at_once(listening: tuple[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Or its body waits until the client acknowledges its head."""
    accepted: list[int] = []
    connected = PatientProtocol.connection_made

    def noted(protocol: PatientProtocol, transport: Any) -> None:
        sock = transport.get_extra_info("socket")
        accepted.append(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        connected(protocol, transport)

    monkeypatch.setattr(PatientProtocol, "connection_made", noted)
    assert httpx.get(f"http://127.0.0.1:{listening[1]}/health", trust_env=False).is_success
    assert accepted and all(accepted)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"POST /v1/ask HTTP/1.1\r\nhost: localhost\r\nx-slow: ", b""),
        (b"", b""),
        (b"POST /v1/ask HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{", b"408"),
        (b"POST /v1/ask HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100000000\r\n\r\n{", b"413"),
        (b"POST /v1/ask HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{", b"408"),
        (b"GET / HTTP/1.1\r\nhost: localhost\r\nx: " + b"a" * 200_000, b"400"),
        (b"GET /health HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{", b"200"),  # read by nobody
    ],
)
def test_who_is_slow_or_sends_too_much_is_let_go(
    listening: tuple[str, int], sent: bytes, status: bytes
) -> None:
    with socket.create_connection(listening, 30) as connection:
        connection.sendall(sent)
        reply = b""
        with suppress(ConnectionResetError):
            while part := connection.recv(65536):
                reply += part
    assert reply[9:12] in (status, b"")
    assert httpx.get(f"http://127.0.0.1:{listening[1]}/health", trust_env=False).json()["status"] == "ok"


def test_a_connection_is_kept_longer_than_clients_keep_it() -> None:
    """Else a request is lost that is sent while the server closes the connection: httpx keeps it 5 seconds."""
    assert start._config(lambda *_: None, "localhost", 0).timeout_keep_alive >= 60  # type: ignore[arg-type]


def test_a_body_that_drips_is_let_go_and_does_not_keep_others_waiting(
    listening: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "PATIENCE", 1.0)
    head = b"POST /v1/ask HTTP/1.1\r\nhost: localhost\r\ncontent-length: 900000\r\n\r\n"
    slow = [socket.create_connection(listening, 30) for _ in range(8)]
    for connection in slow:
        connection.sendall(head)
    ended, begun = set[int](), time.monotonic()
    while len(ended) < len(slow) and time.monotonic() - begun < 20:
        for connection in slow:
            with suppress(OSError):
                connection.send(b"a")
        shown = httpx.get(f"http://127.0.0.1:{listening[1]}/health", trust_env=False)
        assert shown.elapsed.total_seconds() < 1 and shown.json()["waiting"] == 0
        ended = {n for n, connection in enumerate(slow) if _ended(connection)}
        time.sleep(0.1)
    assert len(ended) == len(slow), "each within a second or two, not within the hours that it takes"
    for connection in slow:
        connection.close()


def _ended(connection: socket.socket) -> bool:
    """Whether the server closed a connection, or answered."""
    connection.setblocking(False)
    with suppress(BlockingIOError):
        try:
            return connection.recv(65536)[9:12] in (b"408", b"")
        except ConnectionError:
            return True
    return False


@pytest.fixture(scope="module")
def names_checked(once_indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    artifacts = tmp_path_factory.mktemp("names") / "artifacts"
    copy_artifacts(once_indexed, artifacts)
    return TestClient(app_of(artifacts, names=["law.example"], origins=["https://friend.example"])[1])


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "127.0.0.1:8000"}, 200),
        ({"host": "[::1]:8000"}, 200),
        ({"host": "192.0.2.7"}, 200),
        ({"host": "LOCALHOST:9"}, 200),
        ({"host": "law.example"}, 200),
        ({"host": "evil.example:8000"}, 421),
        ({"host": "law.example.evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"host": "localhost@evil.example"}, 421),
        ({"host": ""}, 421),
        ({"host": "["}, 421),
        ({"host": "localhost", "origin": "http://law.example:8000"}, 200),
        ({"host": "localhost", "origin": "https://friend.example"}, 200),
        ({"host": "localhost", "origin": "https://evil.example"}, 403),
        ({"host": "localhost", "origin": "null"}, 403),
    ],
)
def test_who_is_called_by_another_name_does_not_answer(
    names_checked: TestClient, headers: dict[str, str], status: int
) -> None:
    reply = names_checked.get("/health", headers=headers)
    assert reply.status_code == status
    assert status == 200 or problem(reply, status)


def test_ask_lets_an_api_answer_that_runs_over_the_same_build(
    call: Callable[..., Any], indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = ["ask", "wages of a keeper", f"artifacts='{indexed}'", "--json"]
    cold = call(*question)
    service, app = app_of(indexed)
    batches: list[int] = []
    monkeypatch.setattr(service, "on_batch", batches.append)
    with local_sockets(indexed) as local:
        (address,) = (Path(one.getsockname()) for one in local)
        assert stat.S_IMODE(address.stat().st_mode) & 0o077 == 0, "others may not ask"
        with local_sockets(indexed) as second:
            assert not second, "the first has it"
        with over_http(app, local):
            assert call(*question).stdout == cold.stdout and batches == [1]
            shown = call(*question[:-1], "--k", "1")
            assert shown.stdout == call(*question[:-1], "--k", "1", "--no-api").stdout and batches == [1, 1]
            for other in (["--no-api"], ["--explain"], ["select=top"], ["fuse=rrf"]):
                assert call(*question, *other).returncode == 0 and batches == [1, 1]
            monkeypatch.setattr(service, "most", 0)
            assert call(*question).stdout == cold.stdout, "one that is busy is not waited for"
            monkeypatch.setattr(service, "most", 1)
            build = service.builds.get()
            monkeypatch.setattr(build, "folder", build.folder.with_name("0" * 32))
            assert call(*question).stdout == cold.stdout and batches == [1, 1, 1], "of another build"
    assert not address.exists() and call(*question).stdout == cold.stdout


def test_an_api_that_is_asked_to_end_takes_its_socket_away(indexed: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [sys.executable, "-m", "citegrain", "api", "--port", port, "corpus.name=mine"]
    address, server = socket_of(indexed), subprocess.Popen([*command, f"artifacts='{indexed}'"])
    try:
        for _ in range(600):
            with suppress(httpx.HTTPError):
                httpx.get(f"http://127.0.0.1:{port}/health", trust_env=False)
                break
            time.sleep(0.1)
        assert address.exists()
        server.terminate()
        assert server.wait(30) == 0 and not address.exists()
    finally:
        server.kill()


def test_the_socket_of_an_api_that_was_killed_is_taken_over(indexed: Path) -> None:
    address = socket_of(indexed)
    for name in (address.name, "api-0123456789ab.sock"):
        with socket.socket(socket.AF_UNIX) as killed:
            killed.bind(str(indexed / name))
    assert answer_of_api(indexed, indexed / "builds" / "mine", "wages", 0, "", False) is None
    with local_sockets(indexed) as local:
        assert len(local) == 1 and [*indexed.glob("*.sock")] == [address]
    (deep := indexed / ("d" * 100)).mkdir()
    with local_sockets(deep) as local:
        assert local == [], "a path that is too long for a socket"


def test_the_command_starts_and_says_where(call: Callable[..., Any], indexed: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = str(taken.getsockname()[1])
        done = call("api", "--port", port, f"artifacts='{indexed}'")
        assert done.returncode == 1 and f"port {port} cannot be used" in done.stderr
    done = call("api", "corpus.name=nothing", "--port", port, f"artifacts='{indexed}'")
    assert done.returncode == 1 and "no build 'nothing' is published" in done.stderr

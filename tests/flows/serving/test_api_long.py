"""The service for minutes: requests that a machine invents, and kill -9 under load."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

from citegrain import Build
from tests.conftest import ROOT
from tests.flows.reindex.test_reindex_killed import overrides, with_rule
from tests.flows.serving.test_api import TOKEN, app_of, over_http
from tests.flows.shared.test_library import QUESTIONS

__all__ = ["overrides"]
pytestmark = [pytest.mark.prefect, pytest.mark.slow, pytest.mark.xdist_group("studies")]
REQUESTS, KILLS = 10_000, 20
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
    "response_schema_conformance"
)


def test_requests_that_schemathesis_invents_find_no_fault_of_the_server(
    indexed: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tool = shutil.which("schemathesis")
    if tool is None:
        pytest.skip("schemathesis is not installed: pipx install schemathesis")
    app = app_of(indexed)[1]

    async def run(job: Any, origin: Any) -> None:
        """No re-index for each file that is taken in."""

    app.state.jobs._run = run
    before = {path for path in tmp_path.rglob("*") if path.suffix != ".parquet"}
    with over_http(app) as (host, port):
        address = f"http://{host}:{port}"
        command = [tool, "run", f"{address}/openapi.json", "--checks", CHECKS, "--phases", "coverage,fuzzing"]
        command += ["--max-examples", "800", "--workers", "2", "--seed", "1", "--request-timeout", "60"]
        command += ["--suppress-health-check", "all", "--continue-on-failure", "--warnings", "off"]
        command += ["--header", f"Authorization: {TOKEN['authorization']}"]
        done = subprocess.run(
            command,
            check=False,
            cwd=tmp_path_factory.mktemp("tool"),  # where it keeps its examples
            capture_output=True,
            text=True,
            timeout=3000,
        )
        counts = httpx.get(f"{address}/metrics", trust_env=False).text
    sent = re.findall(r'^citegrain_requests_total\{route="(.*)",status="(\d+)"\} (.*)', counts, re.MULTILINE)
    statuses: Counter[str] = Counter()
    for _, status, number in sent:
        statuses[status] += int(float(number))
    print(dict(statuses))  # noqa: T201
    assert done.returncode == 0, done.stdout[-8000:]
    assert sum(statuses.values()) >= REQUESTS and all(status < "500" for status in statuses)
    after = {path for path in tmp_path.rglob("*") if path.suffix != ".parquet"}
    strange = [path for path in after - before if path.parent.name != "pdfs"]
    assert not strange, "nothing is written beside the documents"


class Clients:
    """Who asks all the while; ``down`` is set while the API may be away."""

    def __init__(self, address: str, threads: int) -> None:
        self.address, self.down, self.ended = address, threading.Event(), threading.Event()
        self.answers: dict[tuple[str, str], dict[str, Any]] = {}
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self.threads = [threading.Thread(target=self._ask, args=(n,)) for n in range(threads)]

    def _ask(self, number: int) -> None:
        while not self.ended.is_set():
            text, number = QUESTIONS[number % len(QUESTIONS)], number + 1
            may_be_lost = self.down.is_set()
            try:
                reply = httpx.post(
                    f"{self.address}/v1/ask", json={"question": text}, trust_env=False, timeout=60
                )
            except httpx.TransportError as error:
                self.counts["lost at a kill"] += 1
                if not (may_be_lost or self.down.is_set()):
                    self.faults.append(repr(error))
                time.sleep(0.05)
                continue
            if reply.status_code != 200:
                self.faults.append(reply.text)
                continue
            answer = reply.json()
            first = self.answers.setdefault((answer["build"], text), answer)
            if first != answer:
                differ = [(name, first[name], answer[name]) for name in first if first[name] != answer[name]]
                self.faults.append(f"{answer['build']}: two answers to {text}: {differ}")
            self.counts[answer["build"]] += 1
            time.sleep(0.2)  # the re-index is to come on, too


def without_urls(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without the addresses of files: that of a PDF is given while its bytes are there."""
    lists = {name: [row | {"url": ""} for row in answer[name]] for name in ("charges", "others")}
    return answer | lists


def started(command: list[str], address: str) -> subprocess.Popen[bytes]:
    """The API, when it answers."""
    api = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    while True:
        assert api.poll() is None
        try:
            httpx.get(f"{address}/health", trust_env=False)
            return api
        except httpx.TransportError:
            time.sleep(0.1)


def begun(overrides: list[str]) -> subprocess.Popen[bytes]:
    """A re-index in processes of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "citegrain", "reindex", *overrides],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def test_twenty_kills_of_a_reindex_and_some_of_the_api_under_load(
    overrides: list[str], corpus: Path, indexed: Path
) -> None:
    assert begun(overrides).wait(300) == 0  # from now on the documents lie where the addresses say
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "citegrain", "api", "corpus.name=mine", "--port", str(port)]
    command += [f"artifacts='{indexed}'"]
    api, clients, rng = started(command, address), Clients(address, 3), random.Random(0)  # noqa: S311
    for thread in clients.threads:
        thread.start()
    kills = api_kills = version = 0
    longest = 10.0  # seconds that a re-index takes, as those show that nobody disturbs
    try:
        while kills < KILLS:
            version += 1
            (corpus / "lantern.pdf").write_bytes(with_rule(version))
            began, reindex = time.monotonic(), begun(overrides)
            try:
                if version % 5 == 1:  # so that builds are published, too
                    assert reindex.wait(300) == 0
                    longest = time.monotonic() - began
                else:
                    reindex.wait(rng.uniform(0.3, longest))
            except subprocess.TimeoutExpired:
                os.killpg(reindex.pid, signal.SIGKILL)
                reindex.wait()
                kills += 1
            if version % 5 == 3:
                clients.down.set()
                api.kill()
                api.wait()
                api, api_kills = started(command, address), api_kills + 1
                clients.down.clear()
    finally:
        clients.ended.set()
        for thread in clients.threads:
            thread.join()
        api.kill()
        api.wait()
    print(f"{kills} and {api_kills} kills, {version} re-indexes;", dict(clients.counts))  # noqa: T201
    assert not clients.faults
    assert len({label for label, _ in clients.answers}) > 2
    builds = {label: Build.open(indexed / "builds" / label) for label, _ in clients.answers}
    for (label, text), answer in clients.answers.items():
        again = builds[label].ask(text).to_dict()
        assert without_urls(answer) == without_urls(again), "of one complete build"

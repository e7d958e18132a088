"""The schedule fires, one run at a time, and leaves no process behind."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import psutil
import pytest

from citegrain.flows.serving.serve import REINDEX
from citegrain.flows.serving.servers import start
from citegrain.flows.shared.prefect_tasks import set_up_prefect
from citegrain.tasks.offline.index import read_pointer
from tests import typeset
from tests.conftest import ROOT
from tests.flows.conftest import Done, common
from tests.flows.reindex.test_reindex import amended
from tests.flows.study.test_bench import benched, write_stories

STUB = "tests.flows.reindex.stub_reindex:reindex"
_SERVE = """
import sys
from citegrain.flows.serving import serve as serving
from citegrain.flows.serving.servers import ServerError
from citegrain.flows.shared.settings import load_settings
overrides = sys.argv[4:]
if sys.argv[2]:
    stands_in = [sys.executable, "-c", sys.argv[2], sys.argv[1]]
    serving.prefect_server = lambda port: (stands_in, {})
    serving._runner = lambda scheduled, overrides: stands_in[:3] + ["schedule"]
try:
    serving.serve(load_settings(overrides), overrides, int(sys.argv[1]), lambda s: print(s, flush=True), sys.argv[3])
except ServerError as error:
    sys.exit(str(error))
"""

# a server that answers on its port and a schedule that does nothing, each with a child that ignores SIGTERM
_STANDS_IN = """
import http.server, subprocess, sys, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
subprocess.Popen([sys.executable, "-c", "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"])
if sys.argv[1] == "schedule":
    time.sleep({schedule})
    sys.exit(3)
server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
server.timeout = {server}
server.handle_request()
time.sleep({server})
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(what: Callable[[], bool], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if what():
            return True
        time.sleep(0.1)
    return what()


@contextmanager
def serving(
    tmp_path: Path, *overrides: str, port: int = 0, stands_in: str = "", scheduled: str = STUB
) -> Iterator[subprocess.Popen[str]]:
    """``serve`` in a separate process."""
    arguments = ["corpus.name=mine", f"artifacts='{tmp_path}'", *overrides]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PREFECT_")}
    environment["PREFECT_RUNNER_POLL_FREQUENCY"] = "1"
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVE, str(port or free_port()), stands_in, scheduled, *arguments],
        cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:  # the test failed before it ended: nothing of it may stay
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
            process.kill()


def end(process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str]:
    """Ask ``serve`` to end; its exit code and what it said. No process and no port may be left."""
    family = psutil.Process(process.pid).children(recursive=True)
    assert family
    process.send_signal(number)
    said, errors = process.communicate(timeout=60)
    left = [p for p in family if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]
    assert not left, left
    return process.returncode, said + errors


@pytest.mark.slow
@pytest.mark.prefect
@pytest.mark.xdist_group("serving")
def test_a_scheduled_run_fires_and_runs_come_one_at_a_time(tmp_path: Path) -> None:
    runs = tmp_path / "runs.txt"

    def lines() -> list[str]:
        return runs.read_text().splitlines() if runs.exists() else []

    port = free_port()
    with serving(tmp_path, "schedule.interval=2", port=port) as process:
        assert wait_for(lambda: len(lines()) >= 3 or process.poll() is not None, 150)
        code, said = end(process, signal.SIGINT)
    assert code == 0 and "Traceback" not in said, said
    assert f"mine: re-index every 2 s; runs are shown on http://127.0.0.1:{port}" in said
    words = [line.split()[0] for line in lines()]
    assert words == ["begin", "end"] * (len(words) // 2) + ["begin"] * (len(words) % 2)
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port))


@pytest.mark.slow
@pytest.mark.prefect
@pytest.mark.xdist_group("serving")
def test_the_schedule_re_indexes_and_makes_up_for_nothing(
    tmp_path: Path, corpus: Path, indexed: Path, tiny_model: Path
) -> None:
    overrides = [*common(tmp_path, tiny_model), *benched(write_stories(tmp_path))]
    pointer = indexed / "builds" / "mine" / "current"
    before = read_pointer(pointer)
    port = free_port()

    def ended() -> list[str]:
        """Names of the states of the runs that ended, in the order of the schedule."""
        run_filter = {
            "sort": "EXPECTED_START_TIME_ASC",
            "flow_runs": {"state": {"type": {"any_": ["COMPLETED", "FAILED", "CRASHED"]}}},
        }
        with suppress(httpx.TransportError):
            reply = httpx.post(
                f"http://127.0.0.1:{port}/api/flow_runs/filter", json=run_filter, trust_env=False
            )
            if reply.is_success:
                return [r["state_name"] for r in reply.json() if r["deployment_id"]]
        return []

    with serving(tmp_path, *overrides, "schedule.interval=4", port=port, scheduled=REINDEX) as process:
        assert wait_for(lambda: bool(ended()) or process.poll() is not None, 150)
        assert set(ended()) == {"No change"} and read_pointer(pointer) == before
        (corpus / "lantern.pdf").write_bytes(typeset.india_code(amended()))
        assert wait_for(lambda: "Promoted" in ended() or process.poll() is not None, 150)
        assert set(ended()) == {"No change", "Promoted"}
        assert read_pointer(pointer) != before == read_pointer(pointer.with_name("previous"))
        code, said = end(process, signal.SIGINT)
    assert code == 0 and "Traceback" not in said, said
    time.sleep(9)  # two runs come due
    with serving(tmp_path, *overrides, "schedule.interval=3600", port=port, scheduled=REINDEX) as process:
        assert wait_for(lambda: bool(ended()) or process.poll() is not None, 150)
        many = len(ended())
        assert not wait_for(lambda: len(ended()) > many, 20)
        end(process, signal.SIGINT)


@pytest.mark.prefect
@pytest.mark.xdist_group("prefect")
def test_an_expected_error_is_a_state_and_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    set_up_prefect(tmp_path)
    from prefect.client.schemas.objects import State

    from citegrain.flows.serving.scheduled import load_flow

    scheduled = load_flow("tests.flows.reindex.stub_reindex:failing")
    for name, state, words in [
        ("busy", "Busy", "another re-index is at work"),
        ("empty", "Failed", "no PDF is in the folder"),
        ("full", "Failed", "no space left"),
    ]:
        overrides = [f"corpus.name={name}", f"artifacts='{tmp_path}'"]
        capfd.readouterr()
        state_of_run: State[None] | None = scheduled(overrides, return_state=True)
        assert state_of_run is not None and state_of_run.name == state and words in str(state_of_run.message)
        scheduled(
            overrides
        )  # as the runner calls it: what is raised here would be a traceback on the terminal
        lines = capfd.readouterr().err.splitlines()
        assert len(lines) == 2 and all(re.match(rf"[\d-]+ [\d:]+ {state}: .*{words}", x) for x in lines)


@pytest.mark.prefect
@pytest.mark.xdist_group("prefect")
def test_what_came_due_while_nothing_ran_is_forgotten(tmp_path: Path) -> None:
    set_up_prefect(tmp_path)
    from prefect.client.orchestration import get_client
    from prefect.states import Scheduled

    from citegrain.flows.serving.scheduled import forget_missed, load_flow

    now = datetime.now(UTC)

    async def left() -> int:
        deployment = await (await load_flow(STUB).ato_deployment("mine")).aapply()
        async with get_client() as client:
            created = [
                await client.create_flow_run_from_deployment(
                    deployment,
                    parameters={"overrides": []},
                    state=Scheduled(scheduled_time=now + timedelta(hours=hours)),
                )
                for hours in (-2, -1, 1)
            ]
            await forget_missed(deployment, now)
            remaining = {run.id for run in await client.read_flow_runs()} & {run.id for run in created}
        assert remaining <= {created[2].id}
        return len(remaining)

    assert asyncio.run(left()) == 1


def stands_in(server: float = 600, schedule: float = 600) -> str:
    """Quick processes in place of Prefect's, that end by themselves after so many seconds."""
    return _STANDS_IN.format(server=server, schedule=schedule)


def test_what_a_server_started_is_gone_when_it_is_stopped() -> None:
    large = "import signal, time; signal.signal(15, 1); b = b'x' * 400_000_000; print(flush=True); time.sleep(600)"
    server = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", {large!r}], stdout=subprocess.PIPE)
child.stdout.readline()
time.sleep(600)
"""
    with ExitStack() as stack:
        process = start(stack, [sys.executable, "-c", server], None)
        parent = psutil.Process(process.pid)
        assert wait_for(lambda: sum(p.memory_info().rss for p in parent.children()) > 400_000_000, 60)
        (child,) = parent.children()
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_all_processes(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path, stands_in=stands_in()) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(
            "mine: re-index at 30 2 * * * (Asia/Kolkata); runs are shown on http://127.0.0.1:"
        )
        code, said = end(process, number)
    assert code == 0, said


def test_a_signal_that_comes_while_the_server_starts(tmp_path: Path) -> None:
    sleeper = "import time; time.sleep(600)"
    with serving(tmp_path, stands_in=sleeper) as process:
        assert wait_for(lambda: len(psutil.Process(process.pid).children()) == 1, 60)
        code, said = end(process, signal.SIGTERM)
    assert (code, said) == (0, "")


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ({"server": 1.5}, "Prefect's server ended: see"),
        ({"schedule": 1.5}, "the schedule ended by itself"),
    ],
)
def test_what_ends_by_itself_is_reported_and_ends_the_other(
    tmp_path: Path, ends: dict[str, float], words: str
) -> None:
    with serving(tmp_path, stands_in=stands_in(**ends)) as process:
        assert wait_for(lambda: len(psutil.Process(process.pid).children(recursive=True)) >= 3, 60)
        family = psutil.Process(process.pid).children(recursive=True)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1 and words in errors and "Traceback" not in errors
    assert not [p for p in family if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]


def test_a_server_that_does_not_start_and_a_port_that_is_taken(tmp_path: Path) -> None:
    with serving(tmp_path, stands_in="raise SystemExit(1)") as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1 and "prefect did not start: see" in errors
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with serving(tmp_path, port=port, stands_in=stands_in()) as process:
            _, errors = process.communicate(timeout=60)
    assert process.returncode == 1 and f"port {port} cannot be used" in errors


def test_a_folder_that_cannot_be_created_is_one_line(call: Callable[..., Done], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = call("schedule", "corpus.name=mine", f"artifacts='{tmp_path}/file/artifacts'")
    assert done.returncode == 1 and "Not a directory" in done.stderr and len(done.stderr.splitlines()) == 1

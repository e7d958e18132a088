"""Ctrl-C at a terminal, as a user presses it."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from citegrain.__main__ import STOPPED
from tests.conftest import ROOT

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("commands")]
PATIENCE = 240.0  # of a start on a busy machine
BUSY = """
import hashlib, signal, subprocess, sys, time
from citegrain.__main__ import stop_on_interrupt
stop_on_interrupt()
def prefects(*_):
    time.sleep(600)  # it tells its server first
def servers(*_):
    print("by itself", flush=True)
    sys.exit(0)
handler = {"prefect": prefects, "server": servers}.get(sys.argv[1])
if handler:
    handler.__module__ = f"{sys.argv[1]}.engine"
    signal.signal(signal.SIGTERM, handler)
print(subprocess.Popen(["sleep", "600"], stdout=-3, stderr=-3).pid, flush=True)
hashlib.pbkdf2_hmac("sha256", b"", b"", 10**6 if sys.argv[1] == "server" else 2 * 10**9)  # as a forward pass does
"""


class Terminal:
    """``citegrain`` at a pseudo-terminal."""

    def __init__(self, *arguments: str) -> None:
        self.output = ""
        self.pid, self._end = pty.fork()
        if not self.pid:
            os.chdir(ROOT)
            os.execv(sys.executable, [sys.executable, "-m", "citegrain", *arguments])  # noqa: S606

    def read(self, until: str = "") -> None:
        """Read until something is shown, or until the end."""
        limit = time.monotonic() + PATIENCE
        while time.monotonic() < limit and not (until and until in self.output):
            if select.select([self._end], [], [], 0.1)[0]:
                try:
                    self.output += os.read(self._end, 65536).decode(errors="replace")
                except OSError:  # it has ended
                    return

    def interrupt(self) -> tuple[int, float]:
        """Press Ctrl-C; exit code, and seconds until it ended."""
        begun = time.monotonic()
        os.write(self._end, b"\x03")
        self.read()
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status), time.monotonic() - begun


def _open_to_sigint(pid: int) -> list[str]:
    """Threads of a process that do not block SIGINT."""
    blocked = {
        task.name: int(re.search(r"SigBlk:\s*(\w+)", (task / "status").read_text())[1], 16)  # type: ignore[index]
        for task in Path(f"/proc/{pid}/task").iterdir()
    }
    return [name for name, mask in blocked.items() if not mask >> (signal.SIGINT - 1) & 1]


@pytest.mark.parametrize("whose", ["", "prefect", "server"])
def test_sigterm_ends_a_process_in_the_midst_of_a_computation(whose: str) -> None:
    with subprocess.Popen([sys.executable, "-c", BUSY, whose], cwd=ROOT, stdout=-1, stderr=-1) as process:
        assert process.stdout is not None
        child = psutil.Process(int(process.stdout.readline()))
        process.terminate()
        begun = time.monotonic()
        said, complaint = process.communicate(timeout=PATIENCE)
        seconds = time.monotonic() - begun
    if whose == "server":
        child.kill()
        assert process.returncode == 0 and said == b"by itself\n"
    else:
        assert process.returncode == 143 and complaint.decode().strip() == STOPPED and seconds < 3
        assert not psutil.wait_procs([child], timeout=10)[1]


def test_ctrl_c_ends_indexing_and_a_prompt_at_once(corpus: Path, tiny_model: Path, indexed: Path) -> None:
    fresh = corpus.parent / "fresh"
    where = ["corpus=folder", f"corpus.path='{corpus}'", "corpus.name=mine"]
    where += ["embed=hub", f"embed.model='{tiny_model}'"]
    prompt = Terminal("ask", "--interactive", f"artifacts='{indexed}'")
    prompt.read(until="> ")
    assert len(_open_to_sigint(prompt.pid)) == 1, "a thread of a library would take it, and main sleep on"
    indexing = Terminal("index", *where, f"artifacts='{fresh}'", "runner.workers=2")
    indexing.read(until="parse ")
    started = psutil.Process(indexing.pid).children(recursive=True)
    assert started, "Prefect's server and the workers"
    for terminal in (indexing, prompt):
        before = len(terminal.output)
        code, seconds = terminal.interrupt()
        assert code == 130 and seconds < 2, terminal.output
        assert terminal.output[before:].count(STOPPED) == 1 and "Traceback" not in terminal.output
        assert terminal.output.rstrip().endswith(STOPPED)
    assert not psutil.wait_procs(started, timeout=10)[1], "all that it started has ended"
    assert not (fresh / "builds/mine/current").exists()

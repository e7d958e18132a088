"""Ctrl-C at a terminal, as a user presses it."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import sys
import time
from pathlib import Path

import psutil
import pytest

from citegrain.flows.cli.stopping import STOPPED
from tests.conftest import ROOT

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("commands")]
PATIENCE = 240.0  # of a start on a busy machine


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


def test_ctrl_c_ends_indexing_and_a_prompt_at_once(corpus: Path, tiny_model: Path, indexed: Path) -> None:
    fresh = corpus.parent / "fresh"
    where = [
        "corpus=folder",
        f"corpus.path='{corpus}'",
        "corpus.name=mine",
        "embed=hub",
        f"embed.model='{tiny_model}'",
    ]
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

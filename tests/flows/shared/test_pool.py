"""Worker processes, and how they are let go."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from citegrain.flows.shared.configs import RunnerConfig
from citegrain.flows.shared.pool import worker_pool


def _pids(workers: object) -> list[int]:
    outcomes = workers.run("parse", os.getpid, {"a": (), "b": ()})  # type: ignore[attr-defined]
    return sorted(set(outcomes.values()))


def test_workers_are_gone_once_they_are_ended_and_ending_twice_is_ending_once() -> None:
    with worker_pool(RunnerConfig(workers=2)) as workers:
        pids = _pids(workers)
        assert pids and all(map(psutil.pid_exists, pids))
        workers.end()
        assert not any(map(psutil.pid_exists, pids))
        workers.end()


def test_what_fails_after_the_workers_are_ended_is_raised_at_once() -> None:
    begun = 0.0
    with pytest.raises(KeyboardInterrupt), worker_pool(RunnerConfig(workers=1)) as workers:
        _pids(workers)
        workers.end()
        begun = time.perf_counter()
        raise KeyboardInterrupt
    assert time.perf_counter() - begun < 2


def test_workers_end_in_the_midst_of_a_job_where_the_run_fails() -> None:
    with pytest.raises(ValueError, match="lost"), worker_pool(RunnerConfig(workers=1)) as workers:
        (pid,) = _pids(workers)
        raise ValueError("lost")
    assert not psutil.pid_exists(pid)


def test_workers_collect_garbage_as_seldom_as_who_starts_them() -> None:
    before = gc.get_threshold()
    gc.set_threshold(40_000, 7, 9)
    try:
        with worker_pool(RunnerConfig(workers=1)) as workers:
            thresholds = workers.run("parse", gc.get_threshold, {"a": ()})
    finally:
        gc.set_threshold(*before)
    assert thresholds == {"a": (40_000, 7, 9)}


@pytest.mark.parametrize(
    ("arguments", "stdin"), [(["plain.py"], False), (["-m", "plain"], False), (["-c"], False), (["-"], True)]
)
def test_a_script_without_a_guard_is_run_once(tmp_path: Path, arguments: list[str], stdin: bool) -> None:
    (tmp_path / "plain.py").write_text(SCRIPT)
    command = [sys.executable, *arguments, *([SCRIPT] if arguments == ["-c"] else [])]
    entry = SCRIPT if stdin else None
    said = subprocess.run(
        command, cwd=tmp_path, input=entry, capture_output=True, text=True, timeout=60, check=False
    )
    assert (said.stdout, said.returncode) == ("run\n{'a': 8}\n", 0), said.stderr


SCRIPT = """
from citegrain.flows.shared.configs import RunnerConfig
from citegrain.flows.shared.pool import worker_pool

print("run", flush=True)
with worker_pool(RunnerConfig(workers=1)) as pool:
    print(pool.run("parse", pow, {"a": (2, 3)}))
"""

"""Two re-indexes at once: the second waits or leaves, and who was killed blocks no one."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from citegrain.tasks.core.store import ReindexBusy, StoreError, reindexing
from citegrain.tasks.core.store.files import REINDEX_LOCK
from citegrain.tasks.core.store.gc import collect_garbage
from tests.conftest import ROOT

_HOLD = """
import sys, time
from pathlib import Path
from citegrain.tasks.core.store import reindexing
with reindexing(Path(sys.argv[1]), 0):
    print("locked", flush=True)
    time.sleep(float(sys.argv[2]))
"""


@contextmanager
def another_holder(folder: Path, seconds: float) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock, from the time the block begins."""
    command = [sys.executable, "-c", _HOLD, str(folder), str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == "locked\n"
            yield process
        finally:
            process.kill()


def test_the_second_leaves_and_says_who_is_at_work(tmp_path: Path) -> None:
    folder = tmp_path / "builds" / "mine"
    with another_holder(folder, 60) as other:
        with (
            pytest.raises(ReindexBusy, match=rf"mine: another re-index \(process {other.pid}\) is at work;"),
            reindexing(folder, 0),
        ):
            pytest.fail("both hold the lock")
        begun = time.monotonic()
        with pytest.raises(ReindexBusy, match=r"is at work still after 0.3 s"), reindexing(folder, 0.3):
            pytest.fail("both hold the lock")
        assert time.monotonic() - begun >= 0.3
        with reindexing(folder.with_name("another"), 0):
            pass


def test_the_second_waits(tmp_path: Path) -> None:
    with another_holder(tmp_path, 0.5) as other, reindexing(tmp_path, 60):
        assert other.wait(60) == 0


def test_a_killed_process_blocks_no_one(tmp_path: Path) -> None:
    with another_holder(tmp_path, 60) as other:
        other.kill()
        other.wait(60)
        with reindexing(tmp_path, 0):
            pass


def test_the_lock_is_free_after_an_error_and_within_one_process_too(tmp_path: Path) -> None:
    with pytest.raises(KeyError), reindexing(tmp_path, 0):
        with pytest.raises(ReindexBusy), reindexing(tmp_path, 0):
            pytest.fail("both hold the lock")
        raise KeyError
    with reindexing(tmp_path, 0):
        pass


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"), reindexing(tmp_path / "file" / "mine", 0):
        pytest.fail("there is no lock")


def test_gc_leaves_the_lock(tmp_path: Path) -> None:
    folder = tmp_path / "builds" / "mine"
    with reindexing(folder, 0):
        (folder / ".current.1-abc").write_text("")
        assert collect_garbage(tmp_path, time.time() + 10 * 86_400).leftovers == 1
    assert [p.name for p in folder.iterdir()] == [REINDEX_LOCK]

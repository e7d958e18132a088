"""A folder is replaced whole or not at all."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from citegrain.tasks.core.store.artefacts import replaced_folder
from citegrain.tasks.core.store.gc import collect_garbage
from tests.tasks.core.store.test_artefacts import at_once, run_killed


def write(target: Path, text: str) -> None:
    with replaced_folder(target) as part:
        (part / "a").write_text(text)
        (part / "b").write_text(text)


def text_of(target: Path) -> str:
    first, second = (target / "a").read_text(), (target / "b").read_text()
    assert first == second
    return first


def names(folder: Path) -> set[str]:
    return {p.name for p in folder.iterdir()}


def test_a_folder_is_made_and_replaced(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "report"
    for text in ("one", "two", "three"):
        write(target, text)
        assert text_of(target) == text
    assert names(target.parent) == {"report"}


@pytest.mark.parametrize("before", ["", "one"])
def test_an_error_in_the_body_keeps_what_was_there(tmp_path: Path, before: str) -> None:
    target = tmp_path / "report"
    if before:
        write(target, before)
    with pytest.raises(ZeroDivisionError), replaced_folder(target) as part:
        (part / "a").write_text("two")
        raise ZeroDivisionError
    assert names(tmp_path) == ({"report"} if before else set())
    assert not before or text_of(target) == before


def test_an_error_in_the_swap_keeps_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "report"
    write(target, "one")
    rename, done = Path.rename, []

    def fails_once_the_old_is_aside(self: Path, to: Path) -> Path:
        done.append(self)
        if len(done) == 3:
            raise PermissionError(13, "no", str(to))
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", fails_once_the_old_is_aside)
    with pytest.raises(PermissionError):
        write(target, "two")
    assert text_of(target) == "one" and names(tmp_path) == {"report"}


def test_what_is_to_be_kept_stays(tmp_path: Path) -> None:
    target = tmp_path / "report"
    write(target, "one")
    for keep, text in ((True, "one"), (False, "two")):
        with replaced_folder(target, keep=lambda _, keep=keep: keep) as part:  # type: ignore[misc]
            (part / "a").write_text("two")
            (part / "b").write_text("two")
        assert text_of(target) == text and names(tmp_path) == {"report"}


# a process that replaces a folder is killed before the rename that follows so many
KILLED = """
import os, signal, sys
from pathlib import Path
from tests.tasks.core.store.test_folders import write
rename, done = Path.rename, []
def dies(self, to):
    if len(done) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    done.append(self)
    return rename(self, to)
Path.rename = dies
write(Path(sys.argv[1]), "two")
"""
MOMENTS = {"before": 0, "old still there": 1, "between": 2, "new there": 3}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_kill_leaves_the_old_or_the_new(tmp_path: Path, moment: str) -> None:
    target = tmp_path / "report"
    write(target, "one")
    run_killed(KILLED, target, MOMENTS[moment])
    assert target.exists() == (moment != "between")
    with pytest.raises(ZeroDivisionError), replaced_folder(target):
        raise ZeroDivisionError
    assert text_of(target) == ("one" if MOMENTS[moment] <= 2 else "two")
    write(target, "three")
    assert text_of(target) == "three" and not (tmp_path / ".report.old").exists()


def test_garbage_collection_gives_a_folder_its_name_back(tmp_path: Path) -> None:
    target = tmp_path / "reports" / "study"
    write(target, "one")
    run_killed(KILLED, target, 2)
    assert not target.exists()
    collect_garbage(tmp_path, time.time() + 1e6)
    assert text_of(target) == "one" and names(target.parent) == {"study"}


def _many(start: Any, target: str, text: str) -> None:
    start.wait()
    for _ in range(40):
        write(Path(target), text)


def test_processes_that_replace_the_same_folder_end_with_one_of_theirs(tmp_path: Path) -> None:
    target = tmp_path / "report"
    at_once(_many, *((str(target), text) for text in "xy"))
    assert text_of(target) in ("x", "y") and names(tmp_path) == {"report"}

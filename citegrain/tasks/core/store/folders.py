"""Folders that are written whole: under the name stands the old one or the new, never a part of one.

A folder that stands there is moved to ``.NAME.old``, then the new one takes the name, then the old is
deleted. A process that is killed between the two renames leaves the old folder as ``.NAME.old``; whoever
writes the folder next, and ``core.store.gc``, gives it its name back.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from citegrain.tasks.core.store.files import temporary_name

OLD = ".old"
"""How the name of a folder ends that is being replaced."""


@contextmanager
def replaced_folder(
    target: Path, keep: Callable[[Path], object] | None = None, temporary: Path | None = None
) -> Iterator[Path]:
    """Give an empty folder to write to, and make it ``target`` when the body has ended without an error.

    Two processes may replace the same folder at once: the one or the other stands there then, whole.

    Parameters
    ----------
    target
        The folder to be replaced, or to be made where it is not there.
    keep
        Whether a folder that stands there is to stay, and the new one is dropped; by default none stays.
    temporary
        Where the new folder is written, on the same file system; by default beside ``target``.

    Raises
    ------
    OSError
        If it cannot be written; ``target`` stays as it was. The same holds for any error of the body.
    """
    restore(target)
    part = (temporary or target.parent) / f".{target.name}.{temporary_name()}"
    try:
        part.mkdir(parents=True)
        yield part
        target.parent.mkdir(parents=True, exist_ok=True)
        if not _took_name(part, target) and not (keep and keep(target)):
            _swap(part, target)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def restore(target: Path) -> None:
    """Give a folder its name back if a process was killed while it was replacing it."""
    old = _old(target)
    if old.exists() and not target.exists():
        with _locked(target):
            _give_back(old, target)


def _swap(part: Path, target: Path) -> None:
    old = _old(target)
    with _locked(target):
        try:
            if target.exists():
                _delete(old)  # of a process that was killed after its swap
                target.rename(old)
            _took_name(part, target)  # another process may have been faster: its folder is whole, too
        finally:
            _give_back(old, target)
        _delete(old)


def _give_back(old: Path, target: Path) -> None:
    if old.exists() and not target.exists():
        _took_name(old, target)


def _took_name(part: Path, target: Path) -> bool:
    """Rename a folder; False if another folder has the name already."""
    try:
        part.rename(target)
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
            raise
        return False
    return True


def _delete(old: Path) -> None:
    """Delete a folder. It loses its name first: what is half deleted must not be taken for whole."""
    doomed = old.with_name(f".{temporary_name()}")
    if old.exists():
        old.rename(doomed)
        shutil.rmtree(doomed, ignore_errors=True)


def _old(target: Path) -> Path:
    return target.with_name(f".{target.name}{OLD}")


@contextmanager
def _locked(target: Path) -> Iterator[None]:
    """Let one process at a time rename; the lock of a process that was killed is free at once."""
    path = target.with_name(f".{target.name}.lock")
    with FileLock(path):
        try:
            yield
        finally:
            path.unlink(missing_ok=True)  # who waits for it sees that the file is gone, and makes another

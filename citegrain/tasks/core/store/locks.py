"""One re-index of a corpus at a time: a lock that the operating system drops when its holder dies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from citegrain.tasks.core.store.errors import StoreError, explain

REINDEX_LOCK = ".reindex.lock"
"""Name of the lock within the folder of a corpus' builds. The file stays; what counts is who holds it."""


class ReindexBusy(RuntimeError):
    """Another process re-indexes the same corpus; nothing was begun."""


@contextmanager
def reindexing(folder: Path, wait: float) -> Iterator[None]:
    """Hold the lock of ``artifacts/builds/<name>/`` while the body runs.

    The lock is the operating system's: that of a process that was killed is free at once.

    Parameters
    ----------
    folder
        Of the corpus' builds; made if it is not there.
    wait
        Seconds to wait for another holder to end; 0 not at all.

    Raises
    ------
    ReindexBusy
        If another process still holds it then.
    StoreError
        If the lock cannot be written.
    """
    path = folder / REINDEX_LOCK
    lock = FileLock(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=max(wait, 0.0))
        path.write_text(f"{os.getpid()}\n", encoding="ascii")
    except Timeout:
        raise ReindexBusy(_message(folder, path, wait)) from None
    except OSError as error:
        lock.release()
        raise StoreError(explain(error, folder)) from error
    try:
        yield
    finally:
        lock.release()


def _message(folder: Path, path: Path, wait: float) -> str:
    waited = f" still after {wait:g} s" if wait > 0 else ""
    return f"{folder.name}: another re-index{_holder(path)} is at work{waited}; nothing was begun"


def _holder(path: Path) -> str:
    """Who holds the lock, for the message alone; empty where the file does not say."""
    try:
        pid = path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
    return f" (process {pid})" if pid.isdigit() else ""

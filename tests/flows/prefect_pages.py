"""What Prefect's pages show, from its database."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def rows(query: str) -> list[tuple[Any, ...]]:
    """Rows of Prefect's database, wherever this process keeps it; ids as 32 hex digits."""
    with sqlite3.connect(Path(os.environ["PREFECT_HOME"]) / "prefect.db") as database:
        found = database.execute(query).fetchall()
    return [tuple(_plain(value) for value in row) for row in found]


def _plain(value: Any) -> Any:
    return value.replace("-", "") if isinstance(value, str) and len(value) == 36 else value


def wait_for(read: Callable[[], T], ready: Callable[[T], bool], seconds: float = 20.0) -> T:
    """What ``read`` returns once it is ``ready``: states and log lines reach the database in batches."""
    deadline = time.monotonic() + seconds
    while not ready(last := read()) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert ready(last), last
    return last

"""What Prefect's pages show, from its database."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

T = TypeVar("T")


def rows(query: str, *parameters: str) -> list[tuple[Any, ...]]:
    """Rows of Prefect's database, wherever this process keeps it; ids as 32 hex digits."""
    with sqlite3.connect(Path(os.environ["PREFECT_HOME"]) / "prefect.db") as database:
        fetched = database.execute(query, parameters).fetchall()
    return [tuple(_plain(value) for value in row) for row in fetched]


def _plain(value: Any) -> Any:
    return value.replace("-", "") if isinstance(value, str) and len(value) == 36 else value


def task_runs(flow_run: str) -> list[tuple[str, str, str, dict[str, Any]]]:
    """Id, name, state and inputs of the tasks of the runs of a flow that have a name."""
    query = "from task_run t join flow_run f on t.flow_run_id = f.id where f.name = ?"
    tasks = rows(f"select t.id, t.name, t.state_name, t.task_inputs {query}", flow_run)
    return [(uuid, name, state, json.loads(inputs)) for uuid, name, state, inputs in tasks]


def edges(tasks: list[tuple[str, str, str, dict[str, Any]]]) -> dict[str, set[str]]:
    """Names of the tasks that each task waited for, by its name."""
    names = {uuid: name for uuid, name, *_ in tasks}
    return {
        name: {names.get(UUID(i["id"]).hex, "") for i in inputs.get("wait_for", [])}
        for _, name, _, inputs in tasks
    }


def wait_for(read: Callable[[], T], ready: Callable[[T], bool], seconds: float = 20.0) -> T:
    """What ``read`` returns once it is ``ready``: states and log lines reach the database in batches."""
    deadline = time.monotonic() + seconds
    while not ready(last := read()) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert ready(last), last
    return last

"""Tasks as Prefect draws them: edges, names, log lines; states that are returned and errors that are raised.

Its database is begun from tables that ship, as its own migrations would leave it.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from citegrain.flows.shared.prefect_tasks import begin_database, set_up_prefect, template
from tests.flows.prefect_pages import edges, rows, task_runs, wait_for
from tools.prefect_database import migrated

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("prefect")]


def test_edges_names_and_log_lines_are_kept_and_errors_leave_as_they_are(tmp_path: Path) -> None:
    set_up_prefect(tmp_path)
    from prefect import flow, get_run_logger
    from prefect.states import Completed, Failed

    from citegrain.flows.shared.prefect_tasks import Local, drawn, run_task
    from citegrain.flows.shared.progress import Silent

    def work(what: str) -> Any:
        get_run_logger().info("%s on the lantern", what)
        if what == "raise":
            raise KeyError("lantern")
        return Failed(message="no oil") if what == "fail" else Completed(message="lit")

    unseen = Local(open)

    @flow(name="lantern", flow_run_name="light {corpus}", validate_parameters=False)
    def dag(corpus: str, hidden: Local[Any]) -> None:
        assert hidden is unseen
        first = run_task(work, "fail 1 lamp", "fail")
        second = run_task(work, "light 2 lamps", "light", after=[first])
        assert first.is_failed() and second.is_completed() and second.message == "lit"
        run_task(work, "raise 3 lamps", "raise", after=[first, second])

    with drawn(tmp_path, Silent()), pytest.raises(KeyError, match="lantern"):
        dag("street", unseen)
    assert not logging.getLogger("EventsWorker").isEnabledFor(
        logging.ERROR
    )  # it says each event that is lost

    drawn_edges = edges(wait_for(lambda: task_runs("light street"), lambda tasks: len(tasks) == 3))
    assert drawn_edges["light 2 lamps"] == {"fail 1 lamp"}
    assert drawn_edges["raise 3 lamps"] == {"fail 1 lamp", "light 2 lamps"}
    shown = dict(rows("select name, parameters from flow_run"))
    assert json.loads(shown["light street"]) == {"corpus": "street", "hidden": "<Local>"}
    lines = wait_for(
        lambda: rows("select message from log"), lambda lines: ("light on the lantern",) in lines
    )
    assert ("fail on the lantern",) in lines


@pytest.mark.parametrize("error", ["status", "start", "other"])
def test_a_server_whose_disk_is_full_is_one_line(error: str, tmp_path: Path) -> None:
    from prefect.exceptions import PrefectHTTPStatusError

    from citegrain.flows.shared.prefect_tasks import drawn
    from citegrain.flows.shared.progress import Silent
    from citegrain.tasks.core.store import StoreError

    lost: dict[str, Exception] = {
        "status": PrefectHTTPStatusError(
            "Server error '500' for url 'http://x'\nResponse: {}", request=Mock(), response=Mock()
        ),
        "start": RuntimeError("Timed out while attempting to connect to ephemeral Prefect API server."),
        "other": RuntimeError("a bug"),
    }
    with pytest.raises((StoreError, RuntimeError)) as raised, drawn(tmp_path, Silent()):
        raise lost[error]
    if error == "other":
        assert raised.value is lost[error]
    else:
        message = str(raised.value)
        assert message.startswith("Prefect's own server did not start or was lost (") and "\n" not in message
        assert "is there space left" in message and "http" not in message
        assert message.endswith("What was finished is kept, and the next run continues from there")


def tables(path: Path) -> dict[str, set[str]]:
    with closing(sqlite3.connect(path)) as database:
        names = [row[0] for row in database.execute("select name from sqlite_master where type = 'table'")]
        return {name: {row[1] for row in database.execute(f"pragma table_info({name})")} for name in names}


def test_a_lost_server_is_no_line_for_each_event(tmp_path: Path) -> None:
    code = f"""if True:
        from logging import ERROR, getLogger
        from pathlib import Path
        from citegrain.flows.shared.prefect_tasks import begin_database, set_up_prefect, template
        set_up_prefect(Path({str(tmp_path)!r}))
        import prefect
        assert not getLogger("prefect._internal.concurrency").isEnabledFor(ERROR)
    """
    subprocess.run([sys.executable, "-c", code], check=True, env={"PATH": os.environ["PATH"]})


def test_the_tables_that_ship_are_those_of_the_installed_version(tmp_path: Path) -> None:
    from alembic.script import ScriptDirectory
    from prefect.server import database as of_prefect
    from prefect.server.database.orm_models import Base

    assert template().is_file(), "there are none for the Prefect installed: python -m tools.prefect_database"
    begin_database(tmp_path / "prefect.db")
    ours = tables(tmp_path / "prefect.db")
    for name, table in Base.metadata.tables.items():
        assert {column.name for column in table.columns} <= ours[name], name
    with closing(sqlite3.connect(tmp_path / "prefect.db")) as database:
        ((revision,),) = database.execute("select version_num from alembic_version")
    folder = Path(of_prefect.__file__).parent / "_migrations"
    migrations = ScriptDirectory(str(folder), version_locations=[str(folder / "versions/sqlite")])
    assert revision == migrations.get_current_head()
    assert [path.name for path in tmp_path.iterdir()] == ["prefect.db"]


def test_a_database_that_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "prefect.db").write_bytes(b"of a run")
    begin_database(tmp_path / "prefect.db")
    assert (tmp_path / "prefect.db").read_bytes() == b"of a run"


@pytest.mark.slow
def test_migrations_leave_what_ships(tmp_path: Path) -> None:
    shipped = template().read_text(encoding="utf-8").partition("\n")[2]
    # keys of a table stand in an order by chance
    one, other = (
        sorted(line.strip(" ,\t") for line in sql.splitlines()) for sql in (shipped, migrated(tmp_path))
    )
    assert one == other

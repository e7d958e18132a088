"""Prefect's database is begun from tables that ship, as its own migrations would leave it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from citegrain.flows.shared.prefect_environment import begin_database, template
from tools.prefect_database import migrated


def tables(path: Path) -> dict[str, set[str]]:
    with closing(sqlite3.connect(path)) as database:
        names = [row[0] for row in database.execute("select name from sqlite_master where type = 'table'")]
        return {name: {row[1] for row in database.execute(f"pragma table_info({name})")} for name in names}


def test_a_lost_server_is_no_line_for_each_event(tmp_path: Path) -> None:
    code = f"""if True:
        from logging import ERROR, getLogger
        from pathlib import Path
        from citegrain.flows.shared.prefect_environment import apply
        apply(Path({str(tmp_path)!r}))
        import prefect
        assert not getLogger("prefect._internal.concurrency").isEnabledFor(ERROR)
    """
    subprocess.run([sys.executable, "-c", code], check=True, env={"PATH": os.environ["PATH"]})


@pytest.mark.prefect
@pytest.mark.xdist_group("prefect")
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

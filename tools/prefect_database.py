"""Write the tables of the installed Prefect as SQL: ``python -m tools.prefect_database``."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from citegrain.flows.shared.prefect_tasks import template

_HEAD = (
    "-- The empty database of this version of Prefect; written anew by: python -m tools.prefect_database\n"
)


def migrated(home: Path) -> str:
    """The database that Prefect's migrations make in a folder, as SQL."""
    code = "import asyncio; from prefect.server.database import provide_database_interface as interface; asyncio.run(interface().create_db())"
    environment = os.environ | {"PREFECT_HOME": str(home), "PREFECT_LOGGING_LEVEL": "CRITICAL"}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    with closing(sqlite3.connect(home / "prefect.db")) as database:
        return "\n".join(database.iterdump()) + "\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        text = migrated(Path(home))
    template().parent.mkdir(exist_ok=True)
    for old in template().parent.glob("*.sql"):
        old.unlink()
    template().write_text(_HEAD + text, encoding="utf-8")

"""Settings of Prefect, made before it is imported."""

import importlib.metadata
import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from citegrain.tasks.core.paths import PACKAGE
from citegrain.tasks.core.store.files import check_writable, temporary_name

_DATABASE = 16 << 20  # bytes; Prefect's database and its journal take 6 MB in a run


def apply(artifacts: Path, server_log: str = "CRITICAL") -> None:
    """Keep Prefect's files below ``artifacts``, its telemetry off and its log quiet.

    What the environment sets already stands. Raises StoreError if there is no room for its files: its server
    would try for two minutes. ``server_log``: the level of what that writes to the run's terminal.
    """
    home = artifacts / "prefect"
    check_writable(home, _DATABASE)
    for name, value in {
        "PREFECT_HOME": str(home),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_API_HOST": "127.0.0.1",
        # a busy machine takes longer than the 20 s that are allowed
        "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
        # of the forms of settings that Prefect brings no flow of ours has any; a lasting server has them all
        "PREFECT_API_BLOCKS_REGISTER_ON_START": str(server_log != "CRITICAL").lower(),
        # where the server was lost, each event would be a line, and each call would wait for a minute
        "PREFECT_INTERNAL_LOGGING_LEVEL": "CRITICAL",
        "PREFECT_CLIENT_MAX_RETRIES": "3",
        "PREFECT_LOGGING_LEVEL": "WARNING",
        "PREFECT_LOGGING_TO_API_ENABLED": "true",
        "PREFECT_SERVER_LOGGING_LEVEL": server_log,
        "DO_NOT_TRACK": "1",
    }.items():
        os.environ.setdefault(name, value)
    with suppress(OSError, sqlite3.Error):  # Prefect makes its tables itself, e.g. where no links can be made
        begin_database(home / "prefect.db")


def template() -> Path:
    """The tables of the installed Prefect as SQL; of most versions there is none."""
    return PACKAGE / f"data/prefect/{importlib.metadata.version('prefect')}.sql"


def begin_database(path: Path) -> None:
    """Make Prefect's tables if there are none: its migrations, from its first version on, take seconds."""
    if path.exists() or not template().is_file():
        return
    part = path.with_name(temporary_name(".prefect-"))
    try:
        with closing(sqlite3.connect(part)) as database:
            database.executescript(template().read_text(encoding="utf-8"))
        with suppress(FileExistsError):  # a server has begun meanwhile: its file stays
            path.hardlink_to(part)
    finally:
        part.unlink(missing_ok=True)

"""Settings of Prefect, made before it is imported."""

from __future__ import annotations

import os
from pathlib import Path

from citegrain.tasks.core.store.files import check_writable

_DATABASE = 16 << 20  # bytes; Prefect's database and its journal take 6 MB in a run


def apply(artifacts: Path, server_log: str = "CRITICAL") -> None:
    """Keep Prefect's files below ``artifacts``, its telemetry off and its log quiet.

    What the environment sets already stands. Raises StoreError if there is no room for its files: its server
    would try for two minutes, and say so in thousands of lines.

    ``server_log``: the level of what its server writes, by default to the terminal of the run.
    """
    home = artifacts / "prefect"
    check_writable(home, _DATABASE)
    for name, value in {
        "PREFECT_HOME": str(home),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_API_HOST": "127.0.0.1",
        # a busy machine takes longer than the 20 s that are allowed
        "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
        "PREFECT_LOGGING_LEVEL": "WARNING",
        "PREFECT_LOGGING_TO_API_ENABLED": "true",
        "PREFECT_SERVER_LOGGING_LEVEL": server_log,
        "DO_NOT_TRACK": "1",
    }.items():
        os.environ.setdefault(name, value)

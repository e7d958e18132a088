"""Settings of Prefect, made before it is imported."""

from __future__ import annotations

import os
from pathlib import Path


def apply(artifacts: Path) -> None:
    """Keep Prefect's files below ``artifacts``, its telemetry off and its log quiet.

    What the environment sets already stands.
    """
    home = artifacts / "prefect"
    home.mkdir(parents=True, exist_ok=True)
    for name, value in {
        "PREFECT_HOME": str(home),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_API_HOST": "127.0.0.1",
        # a busy machine takes longer than the 20 s that are allowed
        "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
        "PREFECT_LOGGING_LEVEL": "WARNING",
        "PREFECT_LOGGING_TO_API_ENABLED": "true",
        "PREFECT_SERVER_LOGGING_LEVEL": "WARNING",
        "DO_NOT_TRACK": "1",
    }.items():
        os.environ.setdefault(name, value)

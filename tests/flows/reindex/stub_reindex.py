"""What the tests schedule in place of the re-index: it notes when it began and ended."""

from __future__ import annotations

import errno
import time

from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.core.store import ReindexBusy
from citegrain.tasks.offline.corpus import CorpusError


def reindex(overrides: list[str]) -> None:
    settings = load_settings(overrides)
    with (settings.artifacts_folder / "runs.txt").open("a", encoding="utf-8") as file:
        file.write(f"begin {time.time()} {settings.corpus.name}\n")
        file.flush()
        time.sleep(2.5)
        file.write(f"end {time.time()} {settings.corpus.name}\n")


def failing(overrides: list[str]) -> None:
    """Ends as a re-index that finds another at work, or one that finds no document, or no room."""
    raise {
        "busy": ReindexBusy("mine: another re-index is at work; nothing was begun"),
        "empty": CorpusError("no PDF is in the folder"),
        "full": OSError(errno.ENOSPC, "full"),
    }[load_settings(overrides).corpus.name]

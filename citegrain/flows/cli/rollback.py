"""The command that goes back to the previous build: ``citegrain rollback``."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import UTC, datetime

from citegrain.flows.cli.terminal import Overrides, in_one_line, out, published, settings_of


def rollback(overrides: Overrides = None) -> None:
    """Make the previous build of a corpus current again."""
    from citegrain.tasks.core.store import ReindexBusy, reindexing
    from citegrain.tasks.evaluation.promotion import ROLLED_BACK, write_record
    from citegrain.tasks.offline.index import read_pointer
    from citegrain.tasks.offline.index import rollback as roll

    settings = settings_of(published(overrides))
    with in_one_line(settings.artifacts_folder, more=(ValueError, ReindexBusy)):
        folder = settings.builds_folder / settings.corpus.name
        # a re-index that runs would promote what is taken back here
        with reindexing(folder, settings.reindex.wait) if folder.is_dir() else nullcontext():
            before = read_pointer(folder / "current")
            key = roll(settings.builds_folder, settings.corpus.name)
            write_record(folder, datetime.now(UTC).isoformat(timespec="seconds"), ROLLED_BACK, key, before)
    out.print(f"{settings.corpus.name}: current is {key}")

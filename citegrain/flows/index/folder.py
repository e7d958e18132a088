"""A folder indexed in one line, for programs: ``index("acts", name="mine")``."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from citegrain.flows.index.run import run_index
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.overrides import quoted
from citegrain.flows.shared.progress import Silent
from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.offline.corpus import CorpusError

OnProgress = Callable[[str, int, int], None]
"""Called with a stage, and how many of how many are done."""


def index(
    folder: Path | str, name: str, progress: OnProgress | None = None, overrides: Sequence[str] = ()
) -> Build:
    """Index the documents of a folder, publish the build and open it; nothing that exists is made again.

    A file that cannot be indexed is named by a warning. Raises CorpusError if none can, SettingsError if an
    override cannot be.

    ``name``: of the build, below the folder of ``CITEGRAIN_ARTIFACTS``. ``progress``: called as the stages
    proceed. ``overrides``: further settings, as ``citegrain index`` takes them: ``chunk=page``.
    """
    where = [f"corpus.path={quoted(str(Path(folder).resolve()))}", f"corpus.name={quoted(name)}"]
    settings = load_settings(["corpus=folder", *where, *overrides])
    result = run_index(settings, _Calls(progress or (lambda stage, done, total: None)))
    for row in result.report()["refused"]:
        warnings.warn(f"{row['file']}: not indexed: {row['reason']}", stacklevel=2)
    if result.build is None:
        raise CorpusError(f"{folder}: nothing was published")
    return Build.open(result.build, settings.models_folder)


class _Calls(Silent):
    """Progress that calls a function."""

    def __init__(self, call: OnProgress) -> None:
        self._call = call

    @contextmanager
    def step(self, name: str, total: int) -> Iterator[Callable[[int], None]]:
        """Call with the sum of what is done."""
        done = 0

        def add(n: int) -> None:
            nonlocal done
            done += n
            self._call(name, done, total)

        yield add

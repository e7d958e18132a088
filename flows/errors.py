"""Errors whose message says what is wrong: told in one line, and no traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flows.terminal import fail
from tasks.benchmark import BenchmarkError
from tasks.builds import BuildError
from tasks.corpus import CorpusError, RegistryError
from tasks.corpus.demo import DemoError
from tasks.counterparts import CorrespondenceError
from tasks.generate import EndpointError
from tasks.models import ModelError
from tasks.query import GlossaryError
from tasks.store import StoreError
from tasks.store.artefacts import explain

TELLING = (
    BenchmarkError,
    BuildError,
    CorpusError,
    CorrespondenceError,
    DemoError,
    EndpointError,
    GlossaryError,
    ModelError,
    RegistryError,
    StoreError,
)
"""Errors whose message says what is wrong with a configuration, whatever is asked of it."""


@contextmanager
def in_one_line(
    artifacts: Path, more: tuple[type[Exception], ...] = (), usage: tuple[type[Exception], ...] = ()
) -> Iterator[None]:
    """End the command with one line where its body fails by what is wrong outside it.

    Parameters
    ----------
    artifacts
        Where the command writes, for what the system says of it.
    more
        Further errors of this command.
    usage
        Those that are the user's way of asking: exit code 2 instead of 1.
    """
    telling: tuple[type[Exception], ...] = (*TELLING, *more)
    try:
        yield
    except telling as error:
        fail(str(error), 2 if isinstance(error, usage) else 1)
    except OSError as error:  # where no stage writes: the demo's PDF, Prefect's folder
        fail(explain(error, artifacts), 1)

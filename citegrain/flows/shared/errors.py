"""Errors whose message says what is wrong: shown in one line, without a traceback."""

from __future__ import annotations

from citegrain.tasks.core.endpoint import EndpointError
from citegrain.tasks.core.store import StoreError
from citegrain.tasks.evaluation.benchmark import BenchmarkError
from citegrain.tasks.law.counterparts import CorrespondenceError
from citegrain.tasks.offline.corpus import CorpusError, DemoError, NoFolderError, RegistryError
from citegrain.tasks.offline.models import ModelError
from citegrain.tasks.online.builds import BuildError


class ClusterError(RuntimeError):
    """A cluster cannot be used; the message says why."""


EXPECTED = (
    BenchmarkError,
    BuildError,
    ClusterError,
    CorpusError,
    CorrespondenceError,
    DemoError,
    EndpointError,
    ModelError,
    RegistryError,
    StoreError,
)
"""Errors whose message says what is wrong with a configuration, whatever is asked of it."""

USAGE = (NoFolderError,)
"""Those that are the user's way of asking, whatever is asked."""

"""Citation-grounded retrieval over statutes: PDFs of Acts in, cited provisions out.

>>> from citegrain import Build
>>> build = Build.open("artifacts/builds/mine")            # doctest: +SKIP
>>> [hit.law for hit in build.search("They took my land")]  # doctest: +SKIP
>>> build.answer("They took my land").charges               # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from citegrain.flows.shared.library import Build as Build
    from citegrain.tasks.online.answer import Answer as Answer
    from citegrain.tasks.online.builds import BuildError as BuildError
    from citegrain.tasks.online.cascade import Cascade as Cascade
    from citegrain.tasks.online.cascade import CascadeConfig as CascadeConfig
    from citegrain.tasks.online.hits import Hit as Hit

_HOMES = {
    "Answer": "citegrain.tasks.online.answer",
    "Build": "citegrain.flows.shared.library",
    "BuildError": "citegrain.tasks.online.builds",
    "Cascade": "citegrain.tasks.online.cascade",
    "CascadeConfig": "citegrain.tasks.online.cascade",
    "Hit": "citegrain.tasks.online.hits",
}
__all__ = ["Answer", "Build", "BuildError", "Cascade", "CascadeConfig", "Hit"]


def __getattr__(name: str) -> Any:
    """Import a name when it is asked for: a worker process that parses PDFs needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)

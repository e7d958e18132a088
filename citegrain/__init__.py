"""Citation-grounded retrieval over statutes: PDFs of Acts in, cited provisions out.

>>> from citegrain import Build, index
>>> build = index("my-acts", name="mine")                # doctest: +SKIP
>>> build = Build.open("mine")                           # doctest: +SKIP
>>> build.ask("They took my land").charges               # doctest: +SKIP
>>> build.provision("IPC 302", as_of="2015-06-01").text  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from citegrain.flows.index.folder import index as index
    from citegrain.flows.shared.library import Build as Build
    from citegrain.flows.shared.library import Question as Question
    from citegrain.flows.shared.library import QuestionError as QuestionError
    from citegrain.tasks.core.plugins import plugin as plugin
    from citegrain.tasks.online.answer import Answer as Answer
    from citegrain.tasks.online.builds import BuildError as BuildError
    from citegrain.tasks.online.cascade import Cascade as Cascade
    from citegrain.tasks.online.cascade import CascadeConfig as CascadeConfig
    from citegrain.tasks.online.hits import Hit as Hit
    from citegrain.tasks.online.provision import NotInBuild as NotInBuild
    from citegrain.tasks.online.provision import Provision as Provision

_HOMES = {
    "Answer": "citegrain.tasks.online.answer",
    "Build": "citegrain.flows.shared.library",
    "BuildError": "citegrain.tasks.online.builds",
    "Cascade": "citegrain.tasks.online.cascade",
    "CascadeConfig": "citegrain.tasks.online.cascade",
    "Hit": "citegrain.tasks.online.hits",
    "NotInBuild": "citegrain.tasks.online.provision",
    "Provision": "citegrain.tasks.online.provision",
    "Question": "citegrain.flows.shared.library",
    "QuestionError": "citegrain.flows.shared.library",
    "index": "citegrain.flows.index.folder",
    "plugin": "citegrain.tasks.core.plugins",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a name when it is asked for: a worker process that parses PDFs needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)

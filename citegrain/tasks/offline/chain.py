"""The stages of an index run, by dotted name: a new stage is a package and a line here."""

from importlib import import_module

from citegrain.tasks.core.stage import CorpusStage
from citegrain.tasks.offline.document import BuildPart, DocumentStage

OVER_DOCUMENTS = (
    "citegrain.tasks.offline.parse",
    "citegrain.tasks.offline.structure",
    "citegrain.tasks.offline.chunk",
    "citegrain.tasks.offline.tag",
    "citegrain.tasks.published.summarise",
)
_OVER_CORPUS = ("citegrain.tasks.offline.graph", "citegrain.tasks.offline.amending_acts")
PARTS = {
    "relations": "citegrain.tasks.published.channels.relation",
    "colbert": "citegrain.tasks.published.channels.colbert",
}
"""Modules of parts of a build, by the parameter of ``index`` that asks for each."""


def document_stages(packages: tuple[str, ...]) -> tuple[DocumentStage, ...]:
    """The stage that each package declares as ``DOCUMENT_STAGE``."""
    return tuple(import_module(package).DOCUMENT_STAGE for package in packages)


DOCUMENT_STAGES = document_stages(OVER_DOCUMENTS)
"""Run for each document, in the order of the work: each stands behind those it reads."""
CORPUS_STAGES: tuple[CorpusStage, ...] = tuple(import_module(name).CORPUS_STAGE for name in _OVER_CORPUS)
"""Run once, over the tables of all documents; each reads those tables and what stands before it."""


def build_parts(chosen: dict[str, object]) -> dict[str, BuildPart]:
    """Parts of a build by the parameter of ``index`` that asks for each; no others are imported."""
    return {name: import_module(module).BUILD_PART for name, module in PARTS.items() if chosen[name]}

"""The chain of stages that are run for each document: a new stage is a package and a line here."""

from __future__ import annotations

from citegrain.tasks.offline import chunk, parse, structure, tag

DOCUMENT_STAGES = (
    parse.DOCUMENT_STAGE,
    structure.DOCUMENT_STAGE,
    chunk.DOCUMENT_STAGE,
    tag.DOCUMENT_STAGE,
)
"""In the order of the work: each stands behind those it reads."""

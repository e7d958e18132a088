"""The stages of an index run: a new stage is a package and a line here."""

from __future__ import annotations

from citegrain.tasks.offline import chunk, graph, parse, structure, summarise, tag

DOCUMENT_STAGES = (
    parse.DOCUMENT_STAGE,
    structure.DOCUMENT_STAGE,
    chunk.DOCUMENT_STAGE,
    tag.DOCUMENT_STAGE,
    summarise.DOCUMENT_STAGE,
)
"""Run for each document, in the order of the work: each stands behind those it reads."""
CORPUS_STAGES = (graph.CORPUS_STAGE,)
"""Run once, over the tables of all documents; each reads those tables and what stands before it."""

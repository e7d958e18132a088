"""Channel ``layers``: from the nearest documents to their nearest sections, and to the chunks of these."""

from collections.abc import Mapping, Sequence
from typing import Any

from citegrain.tasks.core.runs import Ranked
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import Matrix, PublishedBuild
from citegrain.tasks.online.retrieve import nearest_chunks
from citegrain.tasks.published.summaries import layer_of


def layers(
    build: PublishedBuild,
    queries: Sequence[Mapping[str, Any]],
    eligible: Mask,
    vectors: Matrix,
    *,
    k: int,
    centre: float,
    layer_documents: int = 2,
    layer_sections: int = 12,
) -> dict[str, Ranked]:
    """The ``k`` nearest chunks of the nearest sections of the nearest documents; 0 passes a layer over.

    Documents and sections are compared by the vectors of their summaries, chunks by their own, as ``dense``
    does; a chunk without a summary above it is not left out. Source: the LegalBench guide, phase 4, after
    Lima 2024.
    """
    most = {"document": layer_documents, "section": layer_sections}
    above = [(layer_of(build, level), n) for level, n in most.items() if n]
    hits: dict[str, Ranked] = {}
    for i, query in enumerate(queries):
        vector, mask = vectors[i : i + 1], eligible
        for layer, n in above:
            mask = layer.below(vector, n, mask)
        hits |= nearest_chunks(build, [query], mask, vector, k=k, centre=centre)
    return hits

"""Channel ``classifier``: provisions by what was learned of each from texts whose answers are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from citegrain.tasks.core.runs import Ranked, descending
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import Matrix, PublishedBuild
from citegrain.tasks.online.retrieve.classifier import classifier_of, read_classifier
from citegrain.tasks.online.retrieve.stage import shipped, standing

_FIRST = 300  # labels that are put in order first: the rest are seldom needed


def classifier(
    build: PublishedBuild,
    queries: Sequence[Mapping[str, Any]],
    eligible: Mask,
    vectors: Matrix,
    *,
    k: int,
    counterparts: bool,
    classifier: str,
    glossed: str,
) -> dict[str, Ranked]:
    """The ``k`` provisions with the greatest sums of the scores of the labels that lead to them.

    Several lead to one where sections of an old code were joined. Nothing is found where the texts were read
    by another reader than the build's. Of a question in Hindi, in whichever script, its English is scored by
    what was learned of such questions as well.
    """
    learned = classifier_of(build, classifier)
    if learned is None:
        return {query["query_id"]: [] for query in queries}
    ids, stands, ranked = build.chunk_ids, standing(build, counterparts, eligible), {}
    texts, labels = [query["text"] for query in queries], learned.labels
    every = learned.scores(texts, vectors)
    rows = [row for row, query in enumerate(queries) if any(t["words_only"] for t in query["texts"])]
    if glossed and rows:
        more = build.shared(
            ("glossed", glossed),
            lambda: read_classifier(shipped("glossed.safetensors", glossed), build.query_space),
        )
        if more is not None:
            labels, every = learned.joined(more, every, rows, texts, vectors)
    for query, scores in zip(queries, every, strict=True):
        sums: dict[int, float] = {}
        for i in descending(scores, _FIRST):
            if scores[i] <= 0 or len(sums) >= k:
                break
            for row in stands(labels[i]):
                sums[row] = sums.get(row, 0.0) + float(scores[i])
        best = sorted(sums.items(), key=lambda item: -item[1])[:k]
        ranked[query["query_id"]] = [(ids[row], score) for row, score in best]
    return ranked

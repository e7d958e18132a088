"""Retrieval over a build of four chunks, one Act of which ended in June."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tasks.query import Lexicon, QueryConfig, make_queries
from tasks.retrieve import RetrieveConfig, query_vectors, retrieve, vector_rows
from tasks.runs import rankings

LEXICON = Lexicon([])
OLD, NEW = date(2024, 6, 1), date(2024, 8, 1)


class Build:
    """Chunks c0, c1 of the old law and c2, c3 of the new; a text is the number in it."""

    chunk_ids = ("c0", "c1", "c2", "c3")

    def __init__(self) -> None:
        self.searches = 0
        self.encoded: list[str] = []

    def eligible(self, as_of: date | None) -> np.ndarray:
        old = as_of is not None and as_of < date(2024, 7, 1)
        return np.array([old, old, not old, not old])

    def encode_queries(self, texts: Sequence[str]) -> np.ndarray:
        self.encoded += texts
        return np.eye(4, dtype=np.float32)[[int(t.split()[-1]) for t in texts]]

    def dense_search(self, queries: Any, k: int, eligible: Any) -> Any:
        self.searches += 1
        scores = np.where(eligible, queries + np.arange(4) / 100, -np.inf)
        rows = np.argsort(-scores, axis=1)[:, :k]
        return np.take_along_axis(scores, rows, 1), np.where(
            np.isfinite(np.take_along_axis(scores, rows, 1)), rows, -1
        )

    def sparse_scores(self, text: str) -> np.ndarray:
        return np.array([1.0, 2.0, 3.0, 4.0], dtype=np.float32)

    def numbered(self, kind: str, number: str, act_id: str | None) -> list[tuple[str, list[int]]]:
        return [("old/sec_1", [0, 1]), ("new/sec_1", [2])] if number == "1" else []

    def family(self, row: int) -> list[int]:
        return [0, 1] if row < 2 else [2, 3]


def test_each_query_searches_the_law_of_its_day() -> None:
    build = Build()
    texts = {"a": "told 0", "b": "told 0", "c": "told 2", "d": "section 1 told 2"}
    days = {"a": OLD, "b": NEW, "c": date(2024, 6, 2), "d": None}
    queries = make_queries(texts, LEXICON, QueryConfig(), days)
    runs = retrieve(build, queries, RetrieveConfig(k=2))
    for channel in ("dense", "sparse"):
        found = {q: [c for c, _ in r] for q, r in rankings(runs[channel]).items()}
        assert {q: set(c) for q, c in found.items()} == {
            "a": {"c0", "c1"}, "b": {"c2", "c3"}, "c": {"c0", "c1"}, "d": {"c2", "c3"},
        }  # fmt: skip
    assert rankings(runs["provision"]) == {"d": [("c2", 1.0)]}
    assert build.searches == 2  # four days, but only two laws
    assert runs["dense"].column("query_id").to_pylist()[::2] == ["a", "b", "c", "d"]


def test_a_batch_is_what_each_query_gives_alone() -> None:
    build = Build()
    texts = {"a": "told 0", "b": "told 3"}
    days = {"a": OLD, "b": NEW}
    both = retrieve(build, make_queries(texts, LEXICON, QueryConfig(), days), RetrieveConfig(family=True))
    for query in texts:
        own = make_queries({query: texts[query]}, LEXICON, QueryConfig(), days)
        for channel, run in retrieve(build, own, RetrieveConfig(family=True)).items():
            assert rankings(run).get(query) == rankings(both[channel]).get(query)


def test_a_text_is_encoded_once_ever(tmp_path: Path) -> None:
    build = Build()
    rows = vector_rows(tmp_path, "space", 4)
    queries = [{"texts": [{"text": "told 1", "weight": 1.0}]}, {"texts": [{"text": "told 3", "weight": 1.0}]}]
    first = query_vectors(build, queries[:1], rows)
    both = query_vectors(build, queries, rows)
    assert build.encoded == ["told 1", "told 3"]
    assert both[0] == pytest.approx(first[0]) and both[1].tolist() == [0, 0, 0, 1]
    assert query_vectors(build, [], rows).shape == (0, 4)

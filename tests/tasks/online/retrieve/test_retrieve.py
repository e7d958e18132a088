"""Retrieval over a build of four chunks, one Act of which ended in June."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from citegrain.tasks.core.runs import rankings
from citegrain.tasks.core.schemas import QUERIES
from citegrain.tasks.law.citing import Lexicon
from citegrain.tasks.offline.embed import query_rows
from citegrain.tasks.offline.index import Expansion
from citegrain.tasks.online.query import QueryConfig, make_queries
from citegrain.tasks.online.retrieve import RetrieveConfig, named_alone, query_vectors, search_channel
from citegrain.tasks.published.channels import colbert as colbert_channel
from citegrain.tasks.published.channels.colbert import TokenIndex, colbert, write_colbert
from tests.fakes import as_build

LEXICON = Lexicon([])
OLD, NEW = date(2024, 6, 1), date(2024, 8, 1)


class Build:
    """Chunks c0, c1 of the old law and c2, c3 of the new; a text is the number in it."""

    chunk_ids: tuple[str, ...] = ("c0", "c1", "c2", "c3")
    rows = MappingProxyType({f"c{i}": i for i in range(4)})
    act_ids: tuple[str, ...] = ("law",) * 4
    citable = np.array([True, True, True, False])
    story_mean: np.ndarray | None = None

    def __init__(self) -> None:
        self.citations = {"c0": "old/sec_1", "c1": "old/sec_1", "c2": "new/sec_1", "c3": "new/sec_2"}
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

    def sparse_scores(self, text: str, rarity: bool = False) -> np.ndarray:
        scores = np.array([1.0, 2.0, 3.0, 4.0], dtype=np.float32)
        return scores[::-1] if rarity else scores

    def numbered(self, kind: str, number: str, act_id: str | None) -> list[tuple[str, list[int]]]:
        return [("old/sec_1", [0, 1]), ("new/sec_1", [2])] if number == "1" else []

    @property
    def expansion(self) -> Expansion:
        raise LookupError("no lay texts")

    def rows_of(self, provision_id: str) -> list[int]:
        return {"old/sec_1": [0, 1], "new/sec_1": [2], "new/sec_2": [3]}.get(provision_id, [])

    def counterpart(self, provision_id: str, eligible: np.ndarray | None) -> list[int]:
        other = {"old/sec_1": [3], "new/sec_1": [0]}.get(provision_id, [])
        return [r for r in other if eligible is None or eligible[r]]

    def family(self, row: int) -> list[int]:
        return [0, 1] if row < 2 else [2, 3]


def retrieve(build: Build, queries: pa.Table, config: RetrieveConfig) -> dict[str, pa.Table]:
    """The run of each configured channel."""

    def vectors() -> np.ndarray:
        return query_vectors(as_build(build), queries.to_pylist())

    return {
        c: search_channel(as_build(build), queries.to_pylist(), c, config, vectors) for c in config.channels
    }


def test_tokens_are_searched_by_the_law_of_the_day_and_texts_by_weight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Passages of one token each, which four dimensions keep to the last bits."""
    write_colbert(tmp_path / "c", lambda: iter(np.eye(4, dtype=np.float16)[:, None]), 4)
    reads = {"zero": [0], "three": [3] * 63 + [2, 1]}  # the last of 65 tokens is not read

    def token_vectors(texts: Sequence[str], query: bool) -> list[np.ndarray]:
        return [np.eye(4, dtype=np.float16)[reads[text]] for text in texts]

    build: Any = Build()
    monkeypatch.setattr(colbert_channel, "token_index_of", lambda build: TokenIndex(tmp_path / "c"))
    build.encoder = SimpleNamespace(token_vectors=token_vectors)
    texts = [{"text": "zero", "weight": 1.0}, {"text": "three", "weight": 0.5}]
    queries = [{"query_id": "q", "texts": texts}]
    hits = colbert(build, queries, np.array([True, True, True, False]), k=3)
    expected = {"c0": 1.0, "c1": 0.0, "c2": 0.5 / 64}
    assert dict(hits["q"]) == pytest.approx(expected, abs=1e-4) and hits["q"][0][0] == "c0"
    assert [c for c, _ in colbert(build, queries, np.ones(4, bool), k=2)["q"]] == ["c0", "c3"]


def test_each_query_searches_the_law_of_its_day() -> None:
    build = Build()
    texts = {"a": "number 0", "b": "number 0", "c": "number 2", "d": "section 1 number 2"}
    days = {"a": OLD, "b": NEW, "c": date(2024, 6, 2), "d": None}
    queries = make_queries(texts, LEXICON, QueryConfig(), days)
    runs = retrieve(build, queries, RetrieveConfig(k=2))
    for channel in ("dense", "sparse"):
        chunks = {q: [c for c, _ in r] for q, r in rankings(runs[channel]).items()}
        assert {q: set(c) for q, c in chunks.items()} == {
            "a": {"c0", "c1"}, "b": {"c2", "c3"}, "c": {"c0", "c1"}, "d": {"c2", "c3"},
        }  # fmt: skip
    assert rankings(runs["provision"]) == {"d": [("c2", 1.0)]}
    assert build.searches == 2  # four days, but only two laws
    assert runs["dense"].column("query_id").to_pylist()[::2] == ["a", "b", "c", "d"]


def test_a_batch_is_what_each_query_gives_alone() -> None:
    build = Build()
    texts = {"a": "number 0", "b": "number 3"}
    days = {"a": OLD, "b": NEW}
    both = retrieve(build, make_queries(texts, LEXICON, QueryConfig(), days), RetrieveConfig(family=True))
    for query in texts:
        alone = make_queries({query: texts[query]}, LEXICON, QueryConfig(), days)
        for channel, run in retrieve(build, alone, RetrieveConfig(family=True)).items():
            assert rankings(run).get(query) == rankings(both[channel]).get(query)


def test_a_question_has_the_vector_that_it_has_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def in_int8(build: Build, texts: list[str]) -> np.ndarray:
        longest = max(map(len, texts), default=0)  # an encoder in int8 scales texts by those beside them
        return np.array([[len(text), longest] for text in texts], np.float32).reshape(-1, 2)

    monkeypatch.setattr(Build, "encode_queries", in_int8)
    queries = [{"texts": [{"text": text, "weight": 1.0}]} for text in ("one", "another")]
    alone = [query_vectors(as_build(Build()), [query])[0].tolist() for query in queries]
    assert query_vectors(as_build(Build()), queries).tolist() == alone
    assert query_vectors(as_build(Build()), []).shape == (0, 2)


def test_the_words_of_a_question_in_another_language_are_searched_without_a_vector() -> None:
    build = Build()
    queries = make_queries({"q": "number 1"}, LEXICON, QueryConfig(), typed={"q": ["number 3"]})
    assert query_vectors(as_build(build), queries.to_pylist()).tolist() == [[0, 1, 0, 0]]
    assert build.encoded == ["number 1"]
    chunk, score = rankings(retrieve(build, queries, RetrieveConfig(k=1))["sparse"])["q"][0]
    assert chunk == "c3" and score == pytest.approx(1.3 * 4.0)


def test_a_text_is_encoded_once_ever(tmp_path: Path) -> None:
    build = Build()
    rows = query_rows(tmp_path, "space", "", 4)
    queries = [
        {"texts": [{"text": "number 1", "weight": 1.0}]},
        {"texts": [{"text": "number 3", "weight": 1.0}]},
    ]
    first = query_vectors(as_build(build), queries[:1], rows)
    both = query_vectors(as_build(build), queries, rows)
    assert build.encoded == ["number 1", "number 3"]
    assert both[0] == pytest.approx(first[0]) and both[1].tolist() == [0, 0, 0, 1]
    assert query_vectors(as_build(build), [], rows).shape == (0, 4)


def search(build: Build, text: str = "number 2", **fields: Any) -> dict[str, list[tuple[str, float]]]:
    queries = make_queries({"q": text}, LEXICON, QueryConfig(), {"q": NEW})
    runs = retrieve(build, queries, RetrieveConfig(**fields))
    return {channel: rankings(run).get("q", []) for channel, run in runs.items()}


def test_what_all_stories_say_is_taken_off_the_query() -> None:
    build = Build()
    build.story_mean = np.array([0, 0, 0.8, 0], dtype=np.float32)
    assert [c for c, _ in search(build)["dense"]] == ["c2", "c3"]
    # (0, 0, 1 - .5 x .8, 0) of length 1 again: the same direction, so the same score
    assert dict(search(build, centre=0.5)["dense"]) == pytest.approx(dict(search(build)["dense"]))
    build.story_mean = np.array([0, 0, 2.0, -0.5], dtype=np.float32)
    # (0, 0, 1 - 2, .5) / sqrt(1.25): c3 is nearer now
    far, near = -1 / 1.25**0.5 + 0.02, 0.5 / 1.25**0.5 + 0.03
    ranked = search(build, centre=1.0)["dense"]
    assert [c for c, _ in ranked] == ["c3", "c2"]
    assert [s for _, s in ranked] == pytest.approx([near, far])


def test_a_build_without_stories_is_searched_as_it_is() -> None:
    assert search(Build(), centre=0.5)["dense"] == search(Build())["dense"]


def test_rarity_is_asked_of_the_build() -> None:
    assert [c for c, _ in search(Build())["sparse"]] == ["c3", "c2"]
    assert [c for c, _ in search(Build(), rarity=True)["sparse"]] == ["c2", "c3"]


def test_schedules_are_left_out_but_for_what_is_named() -> None:
    ranked = search(Build(), "section 1 number 2", schedules=False)
    assert [c for c, _ in ranked["dense"]] == [c for c, _ in ranked["sparse"]] == ["c2"]
    build = Build()
    build.citable = np.array([True, True, False, True])
    ranked = search(build, "section 1 number 2", schedules=False)
    assert [c for c, _ in ranked["dense"]] == ["c3"]
    assert [c for c, _ in ranked["provision"]] == ["c2"]


def test_a_channel_is_keyed_by_what_it_reads_alone() -> None:
    config = RetrieveConfig(centre=0.5, rarity=True)
    common = {"k": 20, "family": False, "schedules": True}
    assert config.parameters("dense") == {"channel": "dense", "centre": 0.5, **common}
    assert config.parameters("sparse") == {"channel": "sparse", "rarity": True, **common}
    channel = {"channel": "provision", "counterparts": False}
    assert config.parameters("provision") == channel | common
    with pytest.raises(ValueError, match="between 0 and 1"):
        RetrieveConfig(centre=1.5)


def test_what_is_named_and_no_law_gives_way_to_its_counterpart() -> None:
    plain = search(Build(), "section 1 number 2")["provision"]
    assert plain == [("c2", 1.0)]
    ranked = search(Build(), "section 1 number 2", counterparts=True)["provision"]
    # old/sec_1 is no law any more: c3 took its place, and the two share the mention
    assert ranked == [("c3", 0.5), ("c2", 0.5)]


def test_what_a_question_does_nothing_but_name_in_its_order() -> None:
    class Numbered(Build):
        lexicon = LEXICON

        def numbered(self, kind: str, number: str, act: str | None) -> list[tuple[str, list[int]]]:
            rows = {"new/sec_1": [2], "new/sec_2": [3]}
            few = [p for p in rows if p.endswith(number) or number == "many"]
            return [(p, rows[p]) for p in few] * (2 if number == "many" else 1)

    def alone(text: str, *mentions: tuple[str, str | None]) -> dict[str, float]:
        row = make_queries({"q": text}, LEXICON, QueryConfig(), {"q": NEW}).to_pylist()[0]
        row["mentions"] = [{"kind": "section", "number": n, "act_id": act} for n, act in mentions]
        return named_alone(as_build(Numbered()), QUERIES.rows([row])).get("q", {})

    assert alone("sections 2 and 1", ("2", "new"), ("1", "new")) == {"c3": 1.0, "c2": 1.0}
    assert alone("section 1", ("1", "new"), ("1", "old")) == {"c2": 0.5}
    assert alone("he hit me, section 1", ("1", "new")) == alone("the law") == {}
    assert alone("section 1", ("many", None)) == {}

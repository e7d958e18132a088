"""The channels over lay texts: by hand, against the plain definition, and by the law of the day."""

from __future__ import annotations

from datetime import date
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.core.runs import Ranked, rankings
from citegrain.tasks.core.schemas import PROVISIONS
from citegrain.tasks.core.words import Analyser
from citegrain.tasks.offline.index import Expansion, expansion_table
from citegrain.tasks.online.query import QueryConfig, make_queries
from citegrain.tasks.online.retrieve import RetrieveConfig, nearest_lay_texts
from citegrain.tasks.online.retrieve.channels.lay_dense import lay_dense
from tests.fakes import as_build
from tests.tasks.online.retrieve.test_retrieve import LEXICON, NEW, OLD, Build, retrieve

BOTH = ["lay_dense", "lay_sparse"]
SECTIONS = [("new", "1"), ("new", "2"), ("old", "1")]
PLAIN = dict.fromkeys(PROVISIONS.arrow.names) | {"kind": "section"}
PROVISION_ROWS = PROVISIONS.rows(
    [PLAIN | {"act_id": a, "number": n, "provision_id": f"{a}/sec_{n}"} for a, n in SECTIONS]
)


class Expanded(Build):
    """The build of four chunks with lay texts; ``lay_texts`` as (act, section, text), and the vector of each."""

    def __init__(self, lay_texts: list[tuple[str, str, str]], vectors: list[list[float]]) -> None:
        super().__init__()
        table, _ = expansion_table(lay_texts, PROVISION_ROWS)
        matrix = np.array(vectors, dtype=np.float32)
        self._lay = Expansion.build(table, matrix, Analyser("english", "en"), 1.5, 0.75)

    @property
    def expansion(self) -> Expansion:
        return self._lay


def two_sections() -> Expanded:
    """Section 1 of the new law with two texts, section 2 with one."""
    lay_texts = [("new", "1", "my goat"), ("new", "1", "their cow"), ("new", "2", "our goat and a goat")]
    return Expanded(lay_texts, [[0.6, 0, 0, 0.8], [0, 1, 0, 0], [0.8, 0.6, 0, 0]])


def search(build: Build, text: str = "goat 0", day: date = NEW, **fields: Any) -> dict[str, Ranked]:
    queries = make_queries({"q": text}, LEXICON, QueryConfig(), {"q": day})
    runs = retrieve(build, queries, RetrieveConfig(BOTH, **fields))
    return {channel: rankings(run).get("q", []) for channel, run in runs.items()}


def test_by_hand() -> None:
    # section 1 stands by c2, section 2 by c3; the query is (1, 0, 0, 0)
    ranked = search(two_sections())
    assert [c for c, _ in ranked["lay_dense"]] == ["c3", "c2"]
    assert dict(ranked["lay_dense"]) == pytest.approx({"c3": 0.8, "c2": 0.6})
    # (0, 1, 0, 0): of two texts the nearer one counts
    assert dict(search(two_sections(), "goat 1")["lay_dense"]) == pytest.approx({"c2": 1.0, "c3": 0.6})
    assert [c for c, _ in ranked["lay_sparse"]] == ["c3", "c2"]
    assert search(two_sections(), "cow 0")["lay_sparse"][0][0] == "c2"
    assert search(two_sections(), "unseen 0")["lay_sparse"] == []
    assert [c for c, _ in search(two_sections(), k=1)["lay_dense"]] == ["c3"]


def test_the_lay_text_that_matched_is_the_nearest_of_those_that_stand_for_a_provision() -> None:
    vector = np.array([1, 0, 0, 0], dtype=np.float32)

    def nearest(vector: np.ndarray = vector, day: date = NEW, **fields: Any) -> dict[str, str]:
        config = RetrieveConfig(BOTH, counterparts=True, **fields)
        return nearest_lay_texts(as_build(two_sections()), config, day, vector)

    assert nearest() == {"new/sec_1": "my goat", "new/sec_2": "our goat and a goat"}
    assert nearest(vector[[1, 0, 2, 3]])["new/sec_1"] == "their cow"
    assert nearest(day=OLD) == {"old/sec_1": "my goat"}
    assert nearest(schedules=False) == {"new/sec_1": "my goat"}


def test_the_mean_of_the_stories_is_taken_off_both_sides() -> None:
    build = two_sections()
    build.story_mean = np.array([0.4, 0, 0, 0.4], dtype=np.float32)
    # q' = (.8, 0, 0, -.2), section 1: (.4, 0, 0, .6) and (-.2, 1, 0, -.2), section 2: (.6, .6, 0, -.2)
    q = np.array([0.8, 0, 0, -0.2]) / 0.68**0.5
    first = max(q @ [0.4, 0, 0, 0.6] / 0.52**0.5, q @ [-0.2, 1, 0, -0.2] / 1.08**0.5)
    second = q @ [0.6, 0.6, 0, -0.2] / 0.76**0.5
    scores = dict(search(build, centre=0.5)["lay_dense"])
    assert scores == pytest.approx({"c2": first, "c3": second}, abs=1e-6)
    assert search(build, centre=0.0) == search(two_sections())
    assert search(two_sections(), centre=0.5) == search(two_sections())  # without stories there is no mean


def test_the_counterpart_stands_for_a_provision_that_is_no_law_on_the_day() -> None:
    # of section 1 it is c0; section 2 has none
    ranked = search(two_sections(), day=OLD, counterparts=True)
    assert dict(ranked["lay_dense"]) == pytest.approx({"c0": 0.6})
    assert [c for c, _ in ranked["lay_sparse"]] == ["c0"]
    assert search(two_sections(), day=OLD) == {"lay_dense": [], "lay_sparse": []}


def test_of_texts_that_fall_to_one_provision_the_best_counts() -> None:
    lay_texts = [("new", "1", "goat goat"), ("old", "1", "goat, cow")]
    build = Expanded(lay_texts, [[0.6, 0.8, 0, 0], [0.8, 0.6, 0, 0]])
    ranked = search(build, day=OLD, counterparts=True)
    assert dict(ranked["lay_dense"]) == pytest.approx({"c0": 0.8})
    alone = search(Expanded(lay_texts[:1], [[0.6, 0.8, 0, 0]]), day=OLD, counterparts=True)
    assert dict(alone["lay_dense"]) == pytest.approx({"c0": 0.6})
    both = build.expansion.sparse.scores("goat 0")
    assert dict(ranked["lay_sparse"]) == pytest.approx({"c0": float(both.max())})


def test_schedules_are_left_out_as_in_other_channels() -> None:
    ranked = search(two_sections(), schedules=False)  # c3 is no section
    assert [c for c, _ in ranked["lay_dense"]] == [c for c, _ in ranked["lay_sparse"]] == ["c2"]


class Amended(Expanded):
    """The same after the first part of the old provision was omitted."""

    def eligible(self, as_of: date | None) -> np.ndarray:
        return np.array([False, True, True, True])


def test_the_first_part_that_is_law_stands_for_the_provision_and_the_others_follow_with_family() -> None:
    lay_texts, vectors = [("old", "1", "goat")], [[1.0, 0, 0, 0]]
    full = Expanded(lay_texts, vectors)
    assert [c for c, _ in search(full, day=OLD)["lay_dense"]] == ["c0"]
    assert [c for c, _ in search(full, day=OLD, family=True)["lay_sparse"]] == ["c0", "c1"]
    assert [c for c, _ in search(Amended(lay_texts, vectors), day=OLD)["lay_dense"]] == ["c1"]


def test_a_batch_is_what_each_query_gives_alone() -> None:
    build = two_sections()
    texts = {f"q{i}": f"{'goat' if i % 2 else 'cow'} {i % 4}" for i in range(8)}
    days = {q: OLD if i < 3 else NEW for i, q in enumerate(texts)}
    config = RetrieveConfig(BOTH, counterparts=True)
    together = retrieve(build, make_queries(texts, LEXICON, QueryConfig(), days), config)
    for query in texts:
        alone_queries = make_queries({query: texts[query]}, LEXICON, QueryConfig(), days)
        for channel, run in retrieve(build, alone_queries, config).items():
            alone, batch = rankings(run).get(query, []), rankings(together[channel]).get(query, [])
            assert [c for c, _ in alone] == [c for c, _ in batch]
            assert [s for _, s in alone] == pytest.approx([s for _, s in batch], abs=1e-6)


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.floats(0, 1), st.integers(1, 300))
def test_as_its_definition_has_it(seed: int, centre: float, n: int) -> None:
    """The greatest cosine of q - c m and t - c m, text by text; more queries than are held at once."""
    random = np.random.default_rng(seed)

    def drawn(rows: int) -> Any:
        v = random.normal(size=(rows, 4)) + 0.5
        return (v / np.linalg.norm(v, axis=1, keepdims=True)).astype(np.float32)

    owners = sorted(int(i) for i in random.integers(0, 2, 6))
    lay_texts = [("new", str(owner + 1), f"text {i}") for i, owner in enumerate(owners)]
    vectors, queries, mean = drawn(6), drawn(n), drawn(5).mean(axis=0)
    build = Expanded(lay_texts, vectors.tolist())
    build.story_mean = mean
    rows, law = [{"query_id": str(i)} for i in range(n)], build.eligible(NEW)
    scores = lay_dense(
        as_build(build), rows, law, queries, k=20, centre=centre, counterparts=False, others=True
    )

    def cosine(a: Any, b: Any) -> float:
        a, b = a - centre * mean, b - centre * mean
        return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))

    for i in (0, n // 2, n - 1):
        best: dict[str, float] = {}
        for text, owner in zip(vectors, owners, strict=True):
            chunk = f"c{owner + 2}"
            best[chunk] = max(best.get(chunk, -1.0), cosine(queries[i], text))
        assert dict(scores[str(i)]) == pytest.approx(best, abs=1e-4)
        assert [s for _, s in scores[str(i)]] == sorted((s for _, s in scores[str(i)]), reverse=True)


@pytest.mark.parametrize("channel", BOTH)
def test_a_build_without_lay_texts_is_reported(channel: str) -> None:
    queries = make_queries({"q": "goat 0"}, LEXICON, QueryConfig(), {"q": NEW})
    with pytest.raises(LookupError, match="no lay texts"):
        retrieve(Build(), queries, RetrieveConfig([channel]))
    assert list(retrieve(Build(), queries, RetrieveConfig(["dense"]))) == ["dense"]


def test_what_their_keys_hold() -> None:
    config = RetrieveConfig(BOTH, centre=0.5, counterparts=True, rarity=True)
    common = {"k": 20, "family": False, "schedules": True, "counterparts": True}
    dense = {"channel": "lay_dense", "centre": 0.5, "others": True}
    assert config.parameters("lay_dense") == dense | common
    assert config.parameters("lay_sparse") == {"channel": "lay_sparse"} | common


class TwoActs(Expanded):
    """Six chunks of two Acts, of which only the first Act has lay texts; the query's own order is given."""

    order = (3, 0, 4, 1, 5, 2)
    chunk_ids = tuple(f"c{i}" for i in range(6))
    rows = MappingProxyType({f"c{i}": i for i in range(6)})
    act_ids = ("with",) * 3 + ("without",) * 3
    citable = np.ones(6, dtype=bool)

    def __init__(self) -> None:
        super().__init__([("new", "1", "goat"), ("new", "2", "cow")], [[0.9, 0, 0, 0.1], [0.5, 0, 0, 0.5]])

    def eligible(self, as_of: date | None) -> np.ndarray:
        return np.ones(6, dtype=bool)

    def rows_of(self, provision_id: str) -> list[int]:
        return {"new/sec_1": [1], "new/sec_2": [2]}[provision_id]

    def dense_search(self, queries: Any, k: int, eligible: Any) -> tuple[np.ndarray, np.ndarray]:
        rows = np.array([self.order[:k]] * len(queries))
        return np.linspace(1, 0, rows.shape[1])[None, :].repeat(len(queries), 0), rows


def test_an_act_without_lay_texts_keeps_the_ranks_of_its_vectors() -> None:
    ranked = search(TwoActs(), "goat 0")
    # by vectors c3, c4 and c5 of that Act are first, third and fifth; c1 and c2 stand for the lay texts
    assert [c for c, _ in ranked["lay_dense"]] == ["c3", "c1", "c4", "c2", "c5"]
    assert [c for c, _ in ranked["lay_sparse"]] == ["c1"], "by words they have no place of their own"
    assert [c for c, _ in search(TwoActs(), "goat 0", others=False)["lay_dense"]] == ["c1", "c2"]
    for channel in ranked.values():
        scores = [s for _, s in channel]
        assert scores == sorted(scores, reverse=True)
    assert [c for c, _ in search(TwoActs(), "goat 0", k=2)["lay_dense"]] == ["c3", "c1"]


def test_where_lay_texts_tell_of_other_acts_both_lists_are_empty() -> None:
    class OtherActs(Build):
        @property
        def expansion(self) -> None:  # type: ignore[override]
            return None

    assert search(OtherActs()) == {"lay_dense": [], "lay_sparse": []}

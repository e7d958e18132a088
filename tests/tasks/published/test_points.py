"""Vectors in Qdrant against the flat index."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citegrain.tasks.offline.index import BuildError, IndexConfig, search_dense
from citegrain.tasks.offline.index.stage import build_dense
from citegrain.tasks.published.points import Points, connect, point_id

if find_spec("qdrant_client") is None:  # not loaded here: every process of the tests would wait for it
    pytest.skip("needs qdrant-client: pip install 'citegrain[qdrant]'", allow_module_level=True)


def unit(n: int, seed: int) -> Any:
    v = np.random.default_rng(seed).normal(size=(n, 16)).astype(np.float32)
    return v / np.linalg.norm(v, axis=1, keepdims=True)


ROWS, QUERIES = unit(300, 0), unit(20, 1)
PAYLOADS = [
    {"source": f"act{i % 5}.pdf", "page": i // 5 + 1, "chunk_id": f"c{i}", "text": f"text {i}"}
    for i in range(300)
]


def points(client: Any) -> Points:
    stored = Points(client, "citegrain-b", PAYLOADS)
    stored.put(ROWS)
    return stored


@pytest.mark.parametrize("share", [1.0, 0.3, 0.01, 0.0])
def test_the_top_k_is_that_of_the_flat_index(share: float) -> None:
    eligible = np.random.default_rng(2).random(300) < share
    for mask in (eligible, None) if share == 1.0 else (eligible,):
        scores, rows = points(connect()).search(QUERIES, 10, mask)
        exact_scores, exact_rows = search_dense(build_dense(ROWS, IndexConfig()), QUERIES, 10, mask)
        assert (rows == exact_rows).all()
        assert np.allclose(scores[rows >= 0], exact_scores[rows >= 0], atol=1e-6)


def test_a_second_ingest_adds_nothing_and_mends_what_is_missing() -> None:
    client = connect()
    points(client)
    before = client.scroll("citegrain-b", limit=400)[0]
    assert [p.payload for p in before if p.id == point_id("c7")] == [PAYLOADS[7]]
    points(client)
    assert client.scroll("citegrain-b", limit=400)[0] == before
    client.delete("citegrain-b", [point_id("c3"), point_id("c4")])  # as if the first had been cut short
    again = points(client)
    assert client.count("citegrain-b", exact=True).count == 300
    assert again.search(ROWS[3:4], 1)[1].tolist() == [[3]]


def test_ids_do_not_depend_on_the_run() -> None:
    assert point_id("c7") == "46cb83e7-20a4-522f-a691-de46ae5dee91"


def test_each_law_has_its_mark() -> None:
    both = points(connect())
    even = np.arange(300) % 2 == 0
    for mask in (even, ~even, even):
        rows = both.search(QUERIES, 10, mask)[1]
        assert mask[rows].all()


def test_nothing_of_qdrants_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its embedded mode on disk keeps pickles; in memory it writes and reads no file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pickle.loads", lambda *_: pytest.fail("a pickle was read"))
    points(connect()).search(QUERIES, 5)
    assert not list(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_server_that_is_not_there_is_said_in_one_line_without_address_and_key() -> None:
    absent = Points(connect("http://127.0.0.1:9", "secret"), "citegrain-b", PAYLOADS)
    for ask in (lambda: absent.put(ROWS), lambda: absent.search(QUERIES, 1)):
        with pytest.raises(BuildError, match="CITEGRAIN_QDRANT_URL does not answer") as caught:
            ask()
        assert "secret" not in str(caught.value) and "127.0.0.1" not in str(caught.value)

"""Figures of a build whose tables are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citegrain.flows.shared.library import Build
from citegrain.tasks.offline import index
from citegrain.tasks.offline.index import IndexConfig
from citegrain.tasks.published.reproduce import chunk_parameters, measure
from tests.tasks.online.test_builds import row

TOKENS = [100, 482, 18, 400]
PATTERN = [None, "12", None, None]
SECTION = ["1", "2", None, "3"]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    schemas = {s.name: s for s in index.STAGE.outputs}
    tables = {name: schema.empty() for name, schema in schemas.items()}
    given: dict[str, list[dict[str, Any]]] = {
        "pages": [{"page": i, "status": s} for i, s in enumerate(["text", "image_only", "blank", "unreadable"])],
        "documents": [{}],
        "chunks": [
            {"chunk_id": f"c{i}", "n_tokens": n, "text": "x" * n, "indexed": i != 2} for i, n in enumerate(TOKENS)
        ],
        "tags": [
            {"chunk_id": f"c{i}", "act_id": "a", "section": s, "thesis_section": p, "kind": "section" if s else "part"}
            for i, (s, p) in enumerate(zip(SECTION, PATTERN, strict=True))
        ],
        "references": [{"resolved": r} for r in ("provision", "act", "no", "provision")],
    }  # fmt: skip
    for name, values in given.items():
        tables[name] = schemas[name].rows([row(schemas[name], **one) for one in values])

    def files(target: Path) -> None:
        vectors = np.eye(3, 8, dtype=np.float32)
        index.write_files(target, tables, ["wages", "oil", "bell"], [vectors], vectors[:0], IndexConfig())

    facts = {
        "embed": {}, "weights": "", "dimension": 8, "uses": ["parse/p1", "chunk/gone", "chunk/k1"],
        "counts": {name: table.num_rows for name, table in tables.items()},
    }  # fmt: skip
    return Build.open(index.write_build(tmp_path / "builds", "mine", index.STAGE.key({}, {}), files, facts))


def test_known_figures(build: Build) -> None:
    measures = measure(build)
    counts: dict[str, tuple[Any, int | None]] = {name: (m.value, m.n) for name, m in measures.items()}
    assert counts["documents"] == (1, None) and counts["pages"] == (4, None)
    assert counts["pages_without_text"] == (2, 4)  # a blank page has lost nothing
    assert counts["chunks"] == (4, None) and counts["vectors"] == (3, 4) and counts["dimension"] == (8, None)
    assert counts["mean_tokens"] == (250, None) and counts["median_tokens"] == (250, None)
    assert counts["sd_tokens"] == (pytest.approx(np.std(TOKENS)), None)
    assert counts["tokens"] == (1000, None) and counts["chars_a_page"] == (250, None)
    assert counts["long_chunks"] == (2, 4) and counts["unread_tokens"] == (100 + 18, 1000)
    assert counts["with_act"] == (4, 4) and counts["with_section"] == (3, 4)
    assert counts["with_pattern"] == (1, 4)
    assert counts["numbered_with_section"] == (3, 3) and counts["searched_with_section"] == (3, 3)
    assert counts["references_resolved"] == (2, 4)
    assert measures["index_mb"].value == (build.folder / "dense" / "00000.faiss").stat().st_size / 1e6
    assert measures["index_mb"].text == "0.0 MB"


def test_the_parameters_of_the_chunks(build: Build, tmp_path: Path) -> None:
    store = tmp_path / "store"
    assert chunk_parameters(build, store) is None
    (store / "chunk" / "k1").mkdir(parents=True)
    manifest = {"key": {"params": {"size": 700, "overlap": 85, "titles": {"a": "Act a"}}}}
    (store / "chunk" / "k1" / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert chunk_parameters(build, store) == {"size": 700, "overlap": 85}

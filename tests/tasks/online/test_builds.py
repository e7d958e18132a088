"""A build on disk: what it refuses, and which law it lets through on which day."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from citegrain.flows.shared.library import Build
from citegrain.tasks.core.runs import rankings
from citegrain.tasks.core.schemas import QUERIES, TableSchema
from citegrain.tasks.offline import index
from citegrain.tasks.offline.index import TOKENS, IndexConfig
from citegrain.tasks.online.builds import BuildError
from citegrain.tasks.online.retrieve import RetrieveConfig, search_channel
from citegrain.tasks.published import points
from citegrain.tasks.published.channels.colbert import token_index_of
from citegrain.tasks.published.summaries import layer_of, write_layer_rows, write_layer_vectors

OLD, NEW = date(2015, 1, 1), date(2020, 1, 1)
VECTORS = np.eye(6, 8, dtype=np.float32)
OTHERS = np.eye(6, 7, dtype=np.float32)[::-1].copy()


def row(schema: TableSchema, **given: Any) -> dict[str, Any]:
    """A row with something harmless in every column that is not given."""
    plain: dict[Any, Any] = {pa.string(): "", pa.int32(): 1, pa.float32(): 0.0, pa.bool_(): False}
    out: dict[str, Any] = {
        field.name: None if field.nullable else plain.get(field.type, []) for field in schema.arrow
    }
    return out | dict(schema.added) | given


schemas = {s.name: s for s in index.STAGE.outputs}
PROVISIONS = [
    # (id, version, status, valid_from, valid_to)
    ("a/sec_1", OLD, "in_force", None, date(2019, 12, 31)),
    ("a/sec_1", NEW, "in_force", None, None),
    ("a/sec_2", NEW, "in_force", date(2021, 4, 1), None),
    ("a/sec_3", NEW, "omitted", None, None),
    ("b/sec_1", None, "in_force", date(1900, 1, 1), date(2024, 6, 30)),
    ("b/sec_2", None, "repealed", None, None),
]


def write(
    folder: Path,
    tokens: bool = False,
    lay: Sequence[tuple[str, str, str]] = (),
    inactive: str = "",
    dense: str = "flat",
    layers: Mapping[str, Sequence[int]] | None = None,
    **facts: Any,
) -> Path:
    acts = [("a", OLD), ("a", NEW), ("b", None)]
    tables = {name: schema.empty() for name, schema in schemas.items()}
    tables["acts"] = schemas["acts"].rows(
        [
            row(schemas["acts"], act_id=a, version_date=v, title=f"Act {a}", active=a not in inactive)
            for a, v in acts
        ]
    )
    tables["provisions"] = schemas["provisions"].rows(
        [
            row(schemas["provisions"], provision_id=p, act_id=p[0], version_date=v, status=s,
                valid_from=first, valid_to=last, kind="section", number=p[-1])
            for p, v, s, first, last in PROVISIONS
        ]
    )  # fmt: skip
    tables["chunks"] = schemas["chunks"].rows(
        [
            row(schemas["chunks"], chunk_id=f"c{i}", act_id=p[0], version_date=v, citation=p,
                indexed=True, text=f"word{i} wages",
                parent_chunk_id="c0" if i == 1 else None)
            for i, (p, v, *_) in enumerate(PROVISIONS)
        ]
    )  # fmt: skip
    texts = tables["chunks"].column("text").to_pylist()
    matrices = [np.full((i + 1, 8), i, dtype=np.float16) for i in range(6)]

    def files(target: Path) -> None:
        lay_table, _ = index.expansion_table(lay, tables["provisions"])
        lay_vectors = VECTORS[: lay_table.num_rows]
        token_matrices = iter(matrices) if tokens else None
        index.write_files(
            target,
            tables,
            texts,
            [VECTORS],
            VECTORS[:0],
            IndexConfig(dense),
            token_matrices,
            (lay_table, lay_vectors),
        )

        for space in facts.get("spaces", ()):
            index.write_vectors(target / index.SPACES / space, [OTHERS], OTHERS[:2], IndexConfig(dense))
        for level, rows in (layers or {}).items():
            write_layer_rows(target, level, rows)
            write_layer_vectors(target, level, VECTORS, IndexConfig(dense))

    facts = {"embed": {}, "weights": "", "dimension": 8} | facts
    key = index.STAGE.key({"tokens": tokens, "lay": lay, "dense": dense}, {})
    return index.write_build(folder, "mine", key, files, facts)


@pytest.mark.parametrize(
    ("as_of", "allowed"),
    [
        (None, ["c1", "c2", "c4"]),  # the latest version, whatever its dates
        (date(2026, 1, 1), ["c1", "c2"]),  # b has ended
        (date(2020, 6, 1), ["c1", "c4"]),  # section 2 had not come into force
        (date(2016, 1, 1), ["c0", "c4"]),  # the version of that day
        (date(2019, 12, 31), ["c0", "c4"]),  # the last day counts
        (date(2010, 1, 1), ["c0", "c4"]),  # older than every version: the earliest
        (date(1890, 1, 1), ["c0"]),
    ],
)
def test_which_law_is_searched(tmp_path: Path, as_of: date | None, allowed: list[str]) -> None:
    build = Build.open(write(tmp_path))
    mask = build.eligible(as_of)
    assert [c for c, yes in zip(build.chunk_ids, mask, strict=True) if yes] == allowed
    _, rows = build.dense_search(VECTORS, 6, mask)
    assert {build.chunk_ids[r] for r in rows.ravel() if r >= 0} == set(allowed)


def test_qdrant_searches_the_law_of_a_day_and_keeps_what_is_cited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("qdrant_client", reason="needs qdrant-client: pip install 'citegrain[qdrant]'")
    client = points.connect()
    monkeypatch.setattr("citegrain.tasks.published.points.connect", lambda url, key: client)
    folder = write(tmp_path, dense="qdrant")
    for _ in range(2):  # the second time all is there already
        build = Build.open(folder)
        for day, allowed in ((None, {"c1", "c2", "c4"}), (date(2016, 1, 1), {"c0", "c4"})):
            _, rows = build.dense_search(VECTORS, 6, build.eligible(day))
            assert {build.chunk_ids[r] for r in rows.ravel() if r >= 0} == allowed
        assert build.vectors([2, 0]).tolist() == VECTORS[[2, 0]].tolist()
    stored, _ = client.scroll(f"citegrain-{folder.name}")
    assert {p.payload["chunk_id"] for p in stored} == set(build.chunk_ids) and len(stored) == 6
    assert stored[0].payload["text"].startswith("word") and stored[0].payload["page"] == 1


def test_each_encoder_has_a_space_of_its_own(tmp_path: Path) -> None:
    facts = {
        "embed": {"model": "other", "query_prefix": "q: "},
        "weights": "w2",
        "space": "s2",
        "dimension": 7,
    }
    build = Build.open(write(tmp_path, spaces={"second": facts}))
    other = build.in_space("second")
    assert build.in_space("") is build and build.in_space("second") is other
    assert build.vectors([1]).tolist() == VECTORS[[1]].tolist()
    assert other.vectors([1]).tolist() == OTHERS[[1]].tolist()
    law = build.eligible(None)
    assert other.dense_search(OTHERS[[1]], 1, law)[1].tolist() == [[1]]
    assert build.story_mean is None
    assert other.story_mean is not None and other.story_mean.tolist() == OTHERS[:2].mean(axis=0).tolist()
    assert other.embed_config.query_prefix == "q: " and other.query_space == "s2"
    assert other.table(schemas["chunks"]) is build.table(schemas["chunks"]), "tables are shared"
    with pytest.raises(BuildError, match="no vector space third: it has second"):
        build.in_space("third")
    with pytest.raises(BuildError, match=r"index with embed\.also\.second"):
        Build.open(write(tmp_path / "plain")).in_space("second")


def test_from_documents_to_sections_to_chunks(tmp_path: Path) -> None:
    # summaries of documents 0 (a) and 1 (b); of sections 2 (a, 1), 3 (a, 2), 4 (b, 1); c5 is no law
    layers = {"document": [0, 0, 0, 0, 1, 1], "section": [2, 2, 3, 3, 4, 4]}
    build = Build.open(write(tmp_path, layers=layers))
    queries = QUERIES.rows([row(QUERIES, query_id=str(day), as_of=day) for day in (None, date(2026, 1, 1))])
    # nearest to document b, then a; to section (a, 2) before (a, 1) before (b, 1); to chunk c1 before c4, c2
    vector = np.asarray([[0.1, 0.9, 0.2, 0.3, 0.25, 0, 0, 0]], dtype=np.float32)

    def search(**options: int) -> list[list[str]]:
        config = RetrieveConfig(["layers"], options=options)
        run = search_channel(
            build, queries.to_pylist(), "layers", config, lambda: np.repeat(vector, 2, axis=0)
        )
        return [[c for c, _ in ranked] for ranked in rankings(run).values()]

    flat = [["c1", "c4", "c2"], ["c1", "c2"]]
    assert search(layer_documents=0, layer_sections=0) == flat == search()
    assert search(layer_documents=1, layer_sections=0) == [["c4"], ["c1", "c2"]], (
        "b is no law on the later day"
    )
    assert search(layer_documents=0, layer_sections=1) == [["c2"], ["c2"]]
    assert search(layer_documents=1, layer_sections=1) == [["c4"], ["c2"]]
    with pytest.raises(BuildError, match="no layer document; index with summarise"):
        layer_of(Build.open(write(tmp_path / "flat")), "document")


def test_what_the_registry_calls_inactive_is_not_searched(tmp_path: Path) -> None:
    build = Build.open(write(tmp_path, inactive="a"))
    mask = build.eligible(date(2019, 1, 1))
    assert [c for c, yes in zip(build.chunk_ids, mask, strict=True) if yes] == ["c4"]


def test_rows_by_id(tmp_path: Path) -> None:
    build = Build.open(write(tmp_path))
    assert build.provision_row("a/sec_1", OLD)["valid_to"] == date(2019, 12, 31)
    assert build.provision_row("a/sec_1", NEW)["valid_to"] is None
    assert build.act("b", None)["title"] == "Act b"
    assert build.chunk("c3")["citation"] == "a/sec_3"
    assert [build.parent(c)["chunk_id"] for c in ("c1", "c0", "c3")] == ["c0", "c0", "c3"]
    assert build.sparse_scores("word4").argmax() == 4


def test_token_vectors_are_mapped(tmp_path: Path) -> None:
    assert Build.open(write(tmp_path)).token_vectors() is None
    vectors = Build.open(write(tmp_path, tokens=True)).token_vectors()
    assert vectors is not None
    assert [vectors(i).shape for i in range(6)] == [(i + 1, 8) for i in range(6)]
    assert all((vectors(i) == i).all() for i in range(6))
    assert isinstance(vectors(2).base, np.memmap | np.ndarray) and not vectors(2).flags.owndata


def test_a_build_without_compressed_tokens_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="index with index=colbert"):
        token_index_of(Build.open(write(tmp_path)))


LAY = [("a", "1", "they kept my pay"), ("b", "2", "nobody paid"), ("z", "1", "not of this corpus")]


def test_lay_texts_are_held_for_their_provisions(tmp_path: Path) -> None:
    build = Build.open(write(tmp_path, lay=LAY))
    lay = build.expansion
    assert lay is not None and lay.provisions == ["a/sec_1", "b/sec_2"]
    assert (lay.vectors == VECTORS[:2]).all()
    assert lay.sparse.scores("pay").argmax() == 0
    assert list(build.rows_of("a/sec_1")) == [0, 1] and not list(build.rows_of("z/sec_1"))


def test_a_build_without_lay_texts_has_none_of_their_files_and_says_what_to_do(tmp_path: Path) -> None:
    plain, expanded = write(tmp_path / "plain"), write(tmp_path / "expanded", lay=LAY)
    names = [{str(p.relative_to(f)) for p in f.rglob("*") if p.is_file()} for f in (plain, expanded)]
    assert names[0] == {n for n in names[1] if not n.startswith("expansion")}
    for name in names[0] - {"manifest.json"}:
        assert (plain / name).read_bytes() == (expanded / name).read_bytes()
    with pytest.raises(BuildError, match=r"index with index=expanded, or with index\.expansion="):
        Build.open(plain).expansion  # noqa: B018


def test_lay_texts_of_another_corpus_are_none(tmp_path: Path) -> None:
    build = Build.open(write(tmp_path, lay=LAY[2:], expansion={"unknown_labels": 1}))
    assert build.expansion is None


@pytest.mark.parametrize("name", ["chunks.parquet/part-00000.parquet", "dense/00000.faiss", TOKENS])
def test_a_damaged_file_is_named(tmp_path: Path, name: str) -> None:
    folder = write(tmp_path, tokens=True)
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[:-3])
    with pytest.raises(BuildError, match=f"{name}: damaged or missing"):
        Build.open(folder)


def test_a_build_of_a_newer_citegrain_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"manifest_version": 99}))
    with pytest.raises(BuildError, match="upgrade it or rebuild"):
        Build.open(folder)


@pytest.mark.parametrize("part", ["classification.parquet/part-00000.parquet", "dense/00000.faiss"])
def test_a_build_of_an_older_citegrain_is_refused(tmp_path: Path, part: str) -> None:
    folder = write(tmp_path)
    manifest = json.loads((folder / "manifest.json").read_text())
    del manifest["files"][part]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(BuildError, match=f"older citegrain, without {Path(part).parts[0]}"):
        Build.open(folder)


def test_a_folder_without_a_build_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="citegrain index"):
        Build.open(tmp_path)

"""Indexes against independent numbers; publishing; validity."""

from __future__ import annotations

import json
import math
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from citegrain.tasks.core.schemas import PROVISIONS, REFERENCES
from citegrain.tasks.core.stage import Key
from citegrain.tasks.core.store import StoreError
from citegrain.tasks.core.words import Analyser
from citegrain.tasks.offline.index import (
    BuildNameError,
    IndexConfig,
    SparseIndex,
    check_name,
    complete_build,
    publish,
    publishing,
    read_pointer,
    rollback,
    search_dense,
    write_build,
)
from citegrain.tasks.offline.index.stage import Shards, build_dense, read_dense, write_dense, write_shards
from citegrain.tasks.offline.merge import fill_validity, resolve_references

PLAIN = Analyser("none", "none")
TEXTS = [
    "wages of the keeper",
    "oil and wages",
    "the lamp the lamp",
    "penalty for the owner",
    "wages wages wages",
]


def test_bm25_is_equation_3_2() -> None:
    index = SparseIndex.build(TEXTS, PLAIN, 1.5, 0.75)
    docs = [PLAIN.terms(t) for t in TEXTS]
    mean = sum(map(len, docs)) / len(docs)
    for query in ("wages", "the lamp", "wages of the owner", "nothing known"):
        expected = []
        for doc in docs:
            score = 0.0
            for term in PLAIN.terms(query):
                n = sum(term in d for d in docs)
                if not n:
                    continue
                idf = math.log(1 + (len(docs) - n + 0.5) / (n + 0.5))
                f = doc.count(term)
                score += idf * f * 2.5 / (f + 1.5 * (1 - 0.75 + 0.75 * len(doc) / mean))
            expected.append(score)
        # the Lucene variant leaves out the constant factor k1 + 1, which changes no ranking
        assert index.scores(query) * 2.5 == pytest.approx(expected, rel=1e-5)


@settings(max_examples=40)
@given(
    st.lists(
        st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=9).map(" ".join), min_size=3, max_size=12
    ),
    st.sampled_from("abcdefg"),
)
def test_a_term_ranks_as_in_rank_bm25(texts: list[str], term: str) -> None:
    """For one term the idf is a common factor: rank_bm25, whose idf differs, must rank alike."""
    ours = SparseIndex.build(texts, PLAIN, 1.5, 0.75).scores(term)
    theirs = BM25Okapi([t.split() for t in texts], k1=1.5, b=0.75)
    theirs.idf = dict.fromkeys(theirs.idf, 1.0)
    reference = theirs.get_scores([term])
    assert np.allclose(ours / max(ours.max(), 1e-9), reference / max(reference.max(), 1e-9), atol=1e-5)


def test_equal_texts_give_equal_files_and_no_pickle(tmp_path: Path) -> None:
    for name in ("a", "b"):
        SparseIndex.build(TEXTS, Analyser("english", "en"), 1.5, 0.75).save(tmp_path / name)
    files = sorted(p.name for p in (tmp_path / "a").iterdir())
    assert all((tmp_path / "a" / f).read_bytes() == (tmp_path / "b" / f).read_bytes() for f in files)
    assert {Path(f).suffix for f in files} == {".npy", ".json"}
    loaded = SparseIndex.load(tmp_path / "a")
    assert (
        loaded.scores("wage").tolist()
        == SparseIndex.build(TEXTS, Analyser("english", "en"), 1.5, 0.75).scores("wages").tolist()
    )
    assert isinstance(loaded.arrays["data"].base, np.memmap), "nothing is read before it is needed"


@given(
    texts=st.lists(st.text(alphabet="ab c", max_size=30), min_size=1, max_size=6),
    k1=st.sampled_from([1.2, 1.5]),
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_bm25_is_that_of_bm25s_and_so_are_its_files(tmp_path: Path, texts: list[str], k1: float) -> None:
    import bm25s
    from bm25s.tokenization import Tokenized

    terms = [text.split() for text in texts]
    assume(any(terms))
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    mine.mkdir(exist_ok=True)
    SparseIndex.build(texts, PLAIN, k1, 0.75).save(mine)
    vocabulary = {term: i for i, term in enumerate(sorted({t for row in terms for t in row}))}
    other = bm25s.BM25(method="lucene", k1=k1, b=0.75)
    ids = [[vocabulary[t] for t in row] for row in terms]
    other.index(Tokenized(ids=ids, vocab=vocabulary), show_progress=False)
    other.save(theirs, allow_pickle=False)
    (theirs / "analysis.json").write_bytes((mine / "analysis.json").read_bytes())
    for path in mine.iterdir():
        if path.name != "vocab.index.json":
            assert path.read_bytes() == (theirs / path.name).read_bytes(), path.name
    written = [json.loads((folder / "vocab.index.json").read_text()) for folder in (mine, theirs)]
    assert written[0] == written[1]
    index, query = SparseIndex.load(theirs), ["a", "b", "a"]
    ids_of_query = [vocabulary[t] for t in query if t in vocabulary]
    assert index.scores(" ".join(query)).tolist() == (
        other.get_scores_from_ids(ids_of_query).tolist() if ids_of_query else [0.0] * len(texts)
    )


def test_english_stop_words_are_those_of_bm25s() -> None:
    from bm25s import stopwords

    assert Analyser("none", "en").terms(" ".join(stopwords.STOPWORDS_EN)) == []
    words = Analyser("none", "none").terms(" ".join(stopwords.STOPWORDS_EN_PLUS))
    assert Analyser("none", "en").terms(" ".join(words)) == [
        w for w in words if w not in stopwords.STOPWORDS_EN
    ]


def test_analysis_keeps_section_numbers() -> None:
    assert Analyser("english", "en").terms("The wages under section 498A, of the Act") == [
        "wage",
        "under",
        "section",
        "498a",
        "act",
    ]


def vectors(n: int, seed: int = 0) -> Any:
    v = np.random.default_rng(seed).normal(size=(n, 16)).astype(np.float32)
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def test_flat_search_is_exact_and_filters_before_the_top(tmp_path: Path) -> None:
    rows, queries = vectors(200), vectors(5, 1)
    write_dense(build_dense(rows, IndexConfig()), tmp_path / "dense.faiss")
    index = read_dense(tmp_path / "dense.faiss")
    mask = np.random.default_rng(2).random(200) < 0.3
    for eligible in (None, mask):
        scores, hits = search_dense(index, queries, 10, eligible)
        exact = queries @ rows.T
        if eligible is not None:
            exact = np.where(eligible, exact, -np.inf)
        order = np.argsort(-exact, axis=1)[:, :10]
        assert (hits == order).all()
        assert np.allclose(scores, np.take_along_axis(exact, order, 1), atol=1e-5)


def test_fewer_rows_than_asked() -> None:
    _, hits = search_dense(build_dense(vectors(3), IndexConfig()), vectors(1, 1), 5)
    assert sorted(hits[0].tolist()) == [-1, -1, 0, 1, 2]


@pytest.mark.parametrize("kind", ["hnsw", "ivf"])
def test_approximate_indexes_are_repeatable_and_near_exact(tmp_path: Path, kind: str) -> None:
    rows, queries = vectors(800), vectors(20, 1)
    config = IndexConfig(dense=kind)
    for name in ("a", "b"):
        write_dense(build_dense(rows, config), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    _, hits = search_dense(read_dense(tmp_path / "a"), queries, 10)
    _, exact = search_dense(build_dense(rows, IndexConfig()), queries, 10)
    overlap = np.mean([len(set(f) & set(e)) / 10 for f, e in zip(hits, exact, strict=True)])
    assert overlap > 0.95


@given(
    seed=st.integers(0, 99), rows=st.integers(1, 400), share=st.floats(0, 1), most=st.sampled_from([0, 10**6])
)
def test_ivf_scores_exactly_and_gives_no_barred_row(seed: int, rows: int, share: float, most: int) -> None:
    data, queries = vectors(rows, seed), vectors(3, seed + 1)
    eligible = np.random.default_rng(seed).random(rows) < share
    index = build_dense(data, IndexConfig(dense="ivf"))
    assert (index.reconstruct(rows - 1) == data[-1]).all()
    with mock.patch("citegrain.tasks.offline.index.stage.EXACT_ROWS", most):  # by lists, or one by one
        scores, hits = search_dense(index, queries, 20, eligible)
    for query, row, values in zip(queries, hits, scores, strict=True):
        given_rows = row[row >= 0]
        assert eligible[given_rows].all() and len(set(given_rows)) == len(given_rows)
        assert len(given_rows) == min(20, eligible.sum())  # so few lists are all read
        assert np.allclose(values[row >= 0], data[given_rows] @ query, atol=1e-5)


@given(
    seed=st.integers(0, 99),
    cuts=st.lists(st.integers(1, 90), min_size=1, max_size=4),
    share=st.floats(0, 1),
)
def test_shards_are_searched_as_one_index(seed: int, cuts: list[int], share: float) -> None:
    data, queries = vectors(sum(cuts), seed), vectors(3, seed + 1)
    eligible = np.random.default_rng(seed).random(len(data)) < share
    parts = np.split(data, np.cumsum(cuts)[:-1])
    shards = Shards([build_dense(part, IndexConfig()) for part in parts])
    for among in (None, eligible):
        scores, rows = shards.search(queries, 20, among)
        wanted, _ = search_dense(build_dense(data, IndexConfig()), queries, 20, among)
        there = min(20, len(data) if among is None else int(among.sum()))
        assert np.allclose(scores[:, :there], wanted[:, :there], atol=1e-5) and (rows[:, there:] == -1).all()
        for query, row, values in zip(queries, rows[:, :there], scores, strict=True):
            assert len(set(row)) == there and (among is None or among[row].all())
            assert np.allclose(data[row] @ query, values[:there], atol=1e-5)
    order = np.random.default_rng(seed).permutation(len(data)).tolist()
    assert (shards.vectors(order) == data[order]).all()


@pytest.mark.parametrize("few", [False, True])
def test_whether_rows_are_few_is_asked_of_all_shards(few: bool) -> None:
    data = vectors(6000)
    shards = Shards([build_dense(part, IndexConfig(dense="ivf")) for part in np.split(data, 3)])
    eligible = np.random.default_rng(3).random(len(data)) < 0.02
    most = int(eligible.sum()) - (not few)  # more than any shard has
    with mock.patch.multiple("citegrain.tasks.offline.index.stage", _PROBED=1, EXACT_ROWS=most):
        _, rows = shards.search(vectors(8, 1), 20, eligible)
    _, exact = search_dense(build_dense(data, IndexConfig()), vectors(8, 1), 20, eligible)
    assert (rows == exact).all() == few


def test_shards_are_read_as_they_were_written(tmp_path: Path) -> None:
    data = vectors(50)
    write_shards(tmp_path / "dense", iter([data[:20], data[20:]]), IndexConfig())
    assert [path.name for path in sorted((tmp_path / "dense").iterdir())] == ["00000.faiss", "00001.faiss"]
    assert (Shards.read(tmp_path / "dense").vectors(range(50)) == data).all()


def test_few_eligible_rows_of_ivf_are_searched_exactly() -> None:
    rows, queries = vectors(6000), vectors(8, 1)
    eligible = np.random.default_rng(3).random(len(rows)) < 0.02
    with mock.patch("citegrain.tasks.offline.index.stage._PROBED", 1):
        indexes = [build_dense(rows, IndexConfig(dense=kind)) for kind in ("ivf", "flat")]
        narrow, exact = (search_dense(index, queries, 20, eligible)[1] for index in indexes)
        wide, _ = (search_dense(index, queries, 20)[1] for index in indexes)
    assert (narrow == exact).all()
    assert (wide == -1).any() or (
        wide != search_dense(indexes[1], queries, 20)[1]
    ).any()  # one list misses some


@pytest.mark.parametrize(
    ("rows", "dense"), [(1, "flat"), (100_000, "flat"), (100_001, "ivf"), (10**6, "ivf")]
)
def test_auto_chooses_by_the_number_of_rows_and_says_so(rows: int, dense: str) -> None:
    config = IndexConfig(dense="auto")
    assert config.settled(rows) == IndexConfig(dense=dense)
    assert config.reason(rows).startswith(f"index.dense={dense}: {rows:,} rows, ")
    assert IndexConfig(dense="hnsw").settled(rows) == IndexConfig(dense="hnsw")


def provision(**values: Any) -> dict[str, Any]:
    defaults = dict.fromkeys(PROVISIONS.arrow.names) | {
        "provision_id": "a/sec_1", "act_id": "a", "kind": "section", "number": "1", "heading": "", "text": "Pay.",
        "status": "in_force", "depth": 1, "ordinal": 0, "char_start": 0, "text_start": 0, "char_end": 4,
        "page_start": 1, "page_end": 1, "document_id": "d", "validity_evidence": "", "notes": [],
        "version_date": date(2020, 1, 1),
    }  # fmt: skip
    return defaults | values


def filled(rows: list[dict[str, Any]], **act: Any) -> list[tuple[date | None, date | None, str]]:
    versions = {r["version_date"] for r in rows}
    acts = [
        {"act_id": "a", "version_date": v, "in_force_from": None, "in_force_to": None, "staged": False} | act
        for v in versions
    ]
    out = fill_validity(PROVISIONS.rows(rows), acts).to_pylist()
    return [(r["valid_from"], r["valid_to"], r["validity_evidence"]) for r in out]


def test_validity_comes_from_notes_then_from_the_act() -> None:
    noted = provision(valid_from=date(2016, 4, 1), validity_evidence="footnote 1")
    days = {"in_force_from": date(2011, 5, 1), "in_force_to": date(2024, 6, 30)}
    assert filled([noted], **days)[0] == (
        date(2016, 4, 1),
        date(2024, 6, 30),
        "footnote 1; registry: the Act's last day in force",
    )
    assert filled([provision()], **days)[0][0] == date(2011, 5, 1)
    staged = filled([provision()], **days, staged=True)[0]
    assert staged[0] == date(2011, 5, 1) and "in stages" in staged[2]
    assert filled([noted], **days, staged=True)[0][0] == date(2016, 4, 1)
    gone = provision(status="omitted", valid_to=date(2015, 3, 31))
    assert filled([gone], **days)[0][:2] == (None, date(2015, 3, 31))


def test_a_version_ends_where_the_next_reads_otherwise() -> None:
    early = provision(version_date=date(2018, 1, 1))
    same = provision(version_date=date(2020, 1, 1), text=" Pay.\n")
    late = provision(version_date=date(2022, 1, 1), text="Pay more.", valid_from=date(2021, 5, 1))
    assert [v[1] for v in filled([early, same, late])] == [None, date(2021, 4, 30), None]


def note(effective: date | None) -> dict[str, Any]:
    return {
        "offset": 9, "label": "1", "page": 1, "text": "", "action": "substituted", "by_act": "", "effective": effective
    }  # fmt: skip


@pytest.mark.parametrize(
    ("notes", "begins"),
    [
        ([date(2019, 9, 1)], date(2019, 9, 1)),
        ([date(1994, 11, 14), date(2019, 9, 1)], date(2019, 9, 1)),  # older than the edition before
        ([date(2021, 4, 1), date(2019, 9, 1), date(2021, 4, 1)], date(2021, 4, 1)),  # the day of most notes
        ([date(2021, 4, 1), date(2019, 9, 1)], date(2019, 9, 1)),  # of equals the first
        ([date(2022, 4, 1)], date(2022, 4, 1)),  # printed before its day
        ([None], None),
        ([], None),
    ],
)
def test_a_version_begins_with_the_amendment_that_its_notes_tell(
    notes: list[date | None], begins: date | None
) -> None:
    early = provision(version_date=date(2018, 1, 1))
    late = provision(version_date=date(2022, 1, 1), text="Pay more.", notes=[note(n) for n in notes])
    (_, ended, _), (first, _, evidence) = filled([early, late], in_force_from=date(1989, 7, 1))
    assert ended == (begins or date(2022, 1, 1)) - timedelta(days=1)
    assert first == (begins or date(1989, 7, 1)) and ("2018-01-01" in evidence) == (begins is not None)


def test_a_version_ends_the_day_before_it_is_omitted() -> None:
    early = provision(version_date=date(2018, 1, 1))
    gone = provision(
        version_date=date(2022, 1, 1), text="Omitted.", status="omitted", valid_to=date(2021, 3, 31)
    )
    assert [v[1] for v in filled([early, gone])] == [date(2021, 3, 31), date(2021, 3, 31)]


def test_references_are_resolved_against_the_build() -> None:
    base = {"source_id": "a/sec_1", "act_id": "a", "text": "", "offset": 0, "resolved": "no"}
    rows = [
        base | {"target_act": "a", "target_id": "a/sec_1"},
        base | {"target_act": "a", "target_id": "a/sec_9"},
        base | {"target_act": "b", "target_id": "b/sec_1"},
        base | {"target_act": None, "target_id": None},
    ]
    out = resolve_references(REFERENCES.rows(rows), PROVISIONS.rows([provision()]))
    assert out.column("resolved").to_pylist() == ["provision", "act", "no", "no"]


def make(builds: Path, n: int) -> Path:
    def write(folder: Path) -> None:
        (folder / "data").write_text(str(n))

    return write_build(
        builds,
        "mine",
        Key("index", 1, {"n": n}),
        write,
        {"uses": []},
    )


def test_publishing_moves_one_line(tmp_path: Path) -> None:
    first, second = make(tmp_path, 1), make(tmp_path, 2)
    publish(first)
    assert read_pointer(tmp_path / "mine/current") == first.name and not read_pointer(
        tmp_path / "mine/previous"
    )
    publish(second)
    publish(second)
    assert read_pointer(tmp_path / "mine/current") == second.name
    assert read_pointer(tmp_path / "mine/previous") == first.name
    assert rollback(tmp_path, "mine") == first.name
    assert read_pointer(tmp_path / "mine/current") == first.name
    assert (tmp_path / "mine/current").read_text().count("\n") == 1


def test_rollback_without_a_previous_build(tmp_path: Path) -> None:
    publish(make(tmp_path, 1))
    with pytest.raises(StoreError, match="no previous build"):
        rollback(tmp_path, "mine")


def test_a_build_that_fails_leaves_the_published_one(tmp_path: Path) -> None:
    publish(make(tmp_path, 1))

    def fail(folder: Path) -> None:
        (folder / "half").write_text("x")
        raise OSError(28, "No space left on device")

    with pytest.raises(StoreError, match="no space left"):
        write_build(tmp_path, "mine", Key("index", 1, {"n": 2}), fail, {})
    assert len([p for p in (tmp_path / "mine").iterdir() if p.is_dir()]) == 1
    assert read_pointer(tmp_path / "mine/current")


def test_a_damaged_build_is_written_again(tmp_path: Path) -> None:
    folder = make(tmp_path, 1)
    assert complete_build(folder)
    (folder / "data").write_text("other")
    assert not complete_build(folder)
    assert complete_build(make(tmp_path, 1))
    assert json.loads((folder / "manifest.json").read_text())["key"]["params"] == {"n": 1}


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "a..b", "x" * 65, "a b", "ü"])
def test_names_that_could_lead_elsewhere_are_refused(name: str) -> None:
    with pytest.raises(BuildNameError):
        check_name(name)


def test_good_names() -> None:
    assert [check_name(n) for n in ("mine", "acts-2025", "v1.2_x")] == ["mine", "acts-2025", "v1.2_x"]


@pytest.mark.parametrize(
    ("values", "word"), [({"dense": "pq"}, "dense"), ({"b": 2}, "b must lie"), ({"stemmer": "x"}, "stemmer")]
)
def test_parameters_are_checked(values: dict[str, Any], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        IndexConfig(**values)


def test_builds_count_kinds_of_documents_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    acts = [("a", "act"), ("a", "act"), ("b", "act"), ("r", "rules"), ("j", "judgment"), ("c", "contract")]
    rows = [
        {"act_id": act_id, "kind": kind}
        for act_id, kind in [*acts, ("notes", "other"), ("text-corpus", "act")]
    ]
    monkeypatch.setattr(publishing, "read_table", lambda *read: pa.Table.from_pylist(rows))
    build = tmp_path / "mine" / "key"
    build.mkdir(parents=True)
    (build / "manifest.json").write_text('{"files": {}, "counts": {"documents": 8}}')
    (tmp_path / "mine" / "current").write_text("key\n")
    (row,) = publishing.list_builds(tmp_path)
    assert (row.acts, row.versions, row.rules, row.judgments, row.others) == (2, 3, 1, 1, 3)

"""The index flow on Acts of our own: plan, resume, change, bad files, publishing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from citegrain.flows.index.inputs import IndexResult, prepare
from citegrain.flows.index.run import plan_index, run_index
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.settings import Settings, load_settings
from citegrain.tasks.core.runs import rankings
from citegrain.tasks.core.schemas import ALL, BACKGROUND, CHUNKS, PROVISIONS
from citegrain.tasks.core.stage import Key
from citegrain.tasks.evaluation.benchmark import BenchmarkError
from citegrain.tasks.offline.index import DENSE, Shards, list_builds, read_pointer
from citegrain.tasks.offline.models import ModelError
from citegrain.tasks.online.builds import BuildError
from citegrain.tasks.online.cascade import Cascade, CascadeConfig
from citegrain.tasks.online.fuse import FuseConfig
from citegrain.tasks.online.retrieve import RetrieveConfig
from tests import office, typeset
from tests.conftest import ROOT
from tests.flows.conftest import BELL, Quiet, common, copy_artifacts
from tests.tiny_adapter import write_tiny_adapter

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("index")]
Make = Callable[..., Settings]


def run(settings: Settings) -> IndexResult:
    return run_index(settings, Quiet())


def reasons(result: IndexResult) -> dict[str, str]:
    return {row["file"]: row["reason"] for row in result.report()["refused"]}


def test_of_each_stage_what_is_missing_is_counted_and_nothing_else(settings: Make, corpus: Path) -> None:
    """The time left is read off that."""
    for added, embedded in (("bell.pdf", 14), ("buoys.pdf", 7)):
        buoys = typeset.renamed(typeset.LANTERN, "THE BUOYS ACT, 2014", "20 of 2014")
        (corpus / added).write_bytes(typeset.india_code(BELL if added == "bell.pdf" else buoys))
        progress = Quiet()
        result = run_index(settings(), progress)
        assert progress.totals == progress.counted
        assert progress.totals["embed"] == result.computed["embed"] == embedded


def test_first_run_second_run_and_a_changed_act(settings: Make, corpus: Path) -> None:
    first = run(settings("runner.workers=2"))
    assert first.line == "1 configuration, 10 stage runs, 0 already present, 10 to make"
    assert first.computed["parse"] == first.computed["tag"] == 2 and first.computed["index"] == 1
    assert first.build is not None
    assert read_pointer(first.build.parent / "current") == first.build.name

    second = run(settings())
    assert second.line == "1 configuration, 10 stage runs, 10 already present"
    assert not second.started_flow and not second.computed and second.build == first.build

    changed = typeset.india_code(
        typeset.renamed(typeset.LANTERN, "THE BELL RINGERS (WELFARE) ACT, 2013", "4 of 2013"), bold=False
    )
    (corpus / "bell.pdf").write_bytes(changed)
    plan = plan_index(prepare(settings()))
    assert {d.source.relative: d.missing for d in plan.documents} == {
        "bell.pdf": ["parse", "structure", "chunk", "tag"],
        "lantern.pdf": [],
    }
    third = run(settings())
    assert third.computed == {
        "parse": 1,
        "structure": 1,
        "chunk": 1,
        "tag": 1,
        "index": 1,
    }  # the texts are the same
    assert third.build is not None and third.build != first.build
    assert read_pointer(third.build.parent / "previous") == first.build.name


@pytest.mark.usefixtures("indexed")
def test_a_renamed_file_and_another_folder_make_nothing_new(
    settings: Make, corpus: Path, tmp_path: Path
) -> None:
    first = run(settings())
    moved = tmp_path / "elsewhere"
    shutil.move(corpus, moved)
    (moved / "bell.pdf").rename(moved / "zz renamed ü.pdf")
    again = run(settings(f"corpus.path='{moved}'"))
    assert not again.started_flow and again.build == first.build


@pytest.mark.usefixtures("indexed")
def test_only_what_a_parameter_shapes_is_made_again(settings: Make) -> None:
    result = run(settings("chunk.size=40", "chunk.overlap=4"))
    assert "parse" not in result.computed and "structure" not in result.computed
    assert result.computed["chunk"] == 2
    result = run(settings("chunk.size=40", "chunk.overlap=4", "index.k1=1.2"))
    assert result.computed == {"index": 1}


def tables(folder: Path) -> dict[str, bytes]:
    files = [part for s in ALL.values() for part in (folder / s.file).glob("*")]
    return {str(p.relative_to(folder)): p.read_bytes() for p in [*files, *(folder / "sparse").iterdir()]}


def assert_equal_builds(one: Path | None, two: Path | None) -> None:
    """Tables and sparse index byte for byte, vectors by cosine and by their neighbours."""
    assert one is not None and two is not None and one.name == two.name
    assert tables(one) == tables(two)
    va, vb = (
        np.concatenate([x.reconstruct_n(0, x.ntotal) for x in Shards.read(folder / DENSE).indexes])
        for folder in (one, two)
    )
    assert float((va * vb).sum(axis=1).min()) >= 0.9999
    near_a, near_b = (np.argsort(-(va[:200] @ v.T), axis=1)[:, :20] for v in (va, vb))
    shared = [len(set(a) & set(b)) / len(a) for a, b in zip(near_a, near_b, strict=True)]
    assert float(np.mean(shared)) >= 0.99


def published(artifacts: Path) -> Path:
    """The current build of ``mine``."""
    folder = artifacts / "builds" / "mine"
    return folder / str(read_pointer(folder / "current"))


def test_two_builds_from_empty_stores_are_equal(settings: Make, once_indexed: Path) -> None:
    two = run(settings("embed.batch_size=3")).build  # by one worker, the other by two
    assert_equal_builds(published(once_indexed), two)


@pytest.mark.slow
@pytest.mark.model
def test_two_builds_of_the_embedded_corpus_are_equal(tmp_path: Path) -> None:
    one, two = (
        run(load_settings([f"artifacts='{tmp_path / name}'", f"corpus.path='{tmp_path / name}-pdf'"])).build
        for name in ("one", "two")
    )
    assert_equal_builds(one, two)


def test_incremental_equals_rebuild(settings: Make, corpus: Path, tmp_path: Path, once_indexed: Path) -> None:
    (corpus / "bell.pdf").rename(tmp_path / "bell.pdf")
    run(settings())
    (tmp_path / "bell.pdf").rename(corpus / "bell.pdf")
    grown = run(settings()).build
    fresh = published(once_indexed)
    assert grown is not None
    assert grown.name == fresh.name and tables(grown) == tables(fresh)


def bad_files(folder: Path, good: bytes) -> None:
    (folder / "empty.pdf").write_bytes(b"")
    (folder / "words.pdf").write_bytes(b"these are words, not a PDF")
    (folder / "cut off.pdf").write_bytes(good[: len(good) // 2])
    locked = pymupdf.open("pdf", good)
    (folder / "locked.pdf").write_bytes(
        locked.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="o", user_pw="u")
    )
    (folder / "same again.pdf").write_bytes(good)
    (folder / "two..dots ü.pdf").write_bytes(typeset.pages_of_text(2))
    (folder / "same act.pdf").write_bytes(typeset.india_code(contents=False))
    bill = typeset.renamed(typeset.LANTERN, "THE LANTERN KEEPERS (WELFARE) BILL, 2011", "17 of 2011")
    (folder / "notes.txt").write_text("hello")
    (folder / "bill.pdf").write_bytes(typeset.india_code(bill, clauses=True))
    scan = pymupdf.open()
    for page in pymupdf.open("pdf", good):
        scan.new_page().insert_image(page.rect, pixmap=page.get_pixmap(dpi=40))
    (folder / "scan.pdf").write_bytes(scan.tobytes())


def test_each_bad_file_is_one_clear_line_and_the_others_are_indexed(
    settings: Make, corpus: Path, lantern_pdf: bytes
) -> None:
    bad_files(corpus, lantern_pdf)
    result = run(settings())
    why = reasons(result)
    expected = {
        "empty.pdf": "empty (0 bytes)",
        "words.pdf": "not a PDF",
        "cut off.pdf": "truncated",
        "locked.pdf": "password",
        "same act.pdf": "the same Act and version of 2020-01-02 as lantern.pdf",
        "bill.pdf": "a Bill, not an Act",
        "scan.pdf": "needs OCR",
        "notes.txt": "too little text: 1 word in all",
    }
    assert set(why) == set(expected)
    for file, words in expected.items():
        assert words in why[file] and "\n" not in why[file], file
    done = result.report()["indexed"]
    assert {row["act_id"]: row["warnings"] for row in done} == {
        "lantern-keepers-welfare-act-2011": [],
        "bell-ringers-welfare-act-2013": [],
        "two-dots": ["no sections, Articles or rules recognised: cited by paragraph and page"],
    }
    assert next(r for r in done if r["file"] == "lantern.pdf")["same_bytes"] == ["same again.pdf"]
    assert result.build is not None
    (listed,) = list_builds(result.build.parents[1])
    assert (listed.documents, listed.acts, listed.rules, listed.judgments, listed.others) == (3, 2, 0, 0, 1)
    assert not run(settings()).started_flow


def test_two_acts_in_one_file_are_both_indexed(settings: Make, corpus: Path, lantern_pdf: bytes) -> None:
    both = typeset.join(lantern_pdf, (corpus / "bell.pdf").read_bytes())
    for name in ("lantern.pdf", "bell.pdf"):
        (corpus / name).unlink()
    (corpus / "both.pdf").write_bytes(both)
    build = run(settings()).build
    assert build is not None
    rows = Build.open(build).table(PROVISIONS).to_pylist()
    assert {r["act_id"] for r in rows} == {
        "lantern-keepers-welfare-act-2011",
        "bell-ringers-welfare-act-2013",
    }
    assert sum(r["kind"] == "section" for r in rows) == 12


def test_versions_of_an_act_stand_side_by_side(settings: Make, corpus: Path) -> None:
    (corpus / "new.pdf").write_bytes(typeset.india_code(as_on="6th October, 2025"))
    build = run(settings()).build
    assert build is not None
    rows = Build.open(build).table(PROVISIONS).to_pylist()
    dates = {str(r["version_date"]) for r in rows if r["act_id"].startswith("lantern")}
    assert dates == {"2020-01-02", "2025-10-06"}


@pytest.mark.usefixtures("indexed")
def test_nothing_to_index_publishes_nothing_and_loses_nothing(settings: Make, corpus: Path) -> None:
    before = run(settings()).build
    for path in corpus.iterdir():
        path.write_bytes(b"spoilt")
    result = run(settings())
    assert result.build is None and len(reasons(result)) == 2
    why = "not a PDF: the header %PDF- is missing"
    assert reasons(result) == {"bell.pdf": why, "lantern.pdf": f"the same bytes as bell.pdf: {why}"}
    assert before is not None and read_pointer(before.parent / "current") == before.name
    assert Build.open(before).chunk_ids


@pytest.mark.usefixtures("indexed")
def test_a_damaged_artefact_is_made_again(settings: Make) -> None:
    first = run(settings())
    victim = next((settings().store_folder / "structure").glob("*/provisions.parquet"))
    victim.write_bytes(victim.read_bytes()[:-10])
    result = run(settings())
    assert result.computed == {"structure": 1} and result.build == first.build


@pytest.mark.usefixtures("indexed")
def test_a_damaged_build_is_refused_and_made_again(settings: Make) -> None:
    first = run(settings()).build
    assert first is not None
    (first / CHUNKS.file / "part-00000.parquet").write_bytes(b"PAR1")
    with pytest.raises(BuildError, match=r"part-00000.parquet: damaged"):
        Build.open(first)
    assert run(settings()).computed == {"index": 1}
    assert Build.open(first).chunk_ids


@pytest.mark.usefixtures("indexed")
def test_an_open_build_stays_as_it_was(settings: Make, corpus: Path) -> None:
    first = run(settings()).build
    assert first is not None
    old = Build.open(first.parent)
    before = [h.provision_id for h in old.search("wages of a keeper")]
    (corpus / "bell.pdf").unlink()
    second = run(settings()).build
    shutil.rmtree(first)
    assert [h.provision_id for h in old.search("wages of a keeper")] == before
    assert Build.open(first.parent).folder == second


KILLED = """
    import os, signal, sys, threading, time
    sys.path.insert(0, {root!r})
    from citegrain.flows.shared.settings import load_settings
    from citegrain.flows.index.run import run_index
    from tests.flows.conftest import Quiet
    import citegrain.tasks.offline.embed.stage as stage
    if __name__ == "__main__":
        if {moment!r} == "embed":
            stage.CHECKPOINT = 4
            append, count = stage.RowStore.append, []
            def once(self, table):
                append(self, table)
                count.append(1)
                if len(count) == 2:
                    os.killpg(os.getpgid(0), signal.SIGKILL)
            stage.RowStore.append = once
        run_index(load_settings({overrides!r}), Quiet())
"""


def test_a_killed_run_goes_on_where_it_died(
    settings: Make, corpus: Path, tmp_path: Path, tiny_model: Path
) -> None:
    overrides = common(tmp_path, tiny_model)
    script = tmp_path / "killed.py"
    script.write_text(textwrap.dedent(KILLED).format(root=str(ROOT), moment="embed", overrides=overrides))
    process = subprocess.Popen([sys.executable, str(script)], cwd=ROOT, start_new_session=True)
    assert process.wait(240) == -signal.SIGKILL
    assert not list((tmp_path / "artifacts" / "builds").glob("*/*/manifest.json"))
    result = run(settings())
    assert "parse" not in result.computed and "tag" not in result.computed
    assert result.build is not None
    texts = len(Build.open(result.build).chunk_ids)
    assert result.computed["embed"] == texts - 8  # two segments of four had been kept


def test_a_file_that_hangs_or_kills_its_process_costs_itself_alone() -> None:
    from citegrain.flows.shared.configs import RunnerConfig
    from citegrain.flows.shared.pool import Failed, worker_pool

    # functions of the standard library: a worker would load this module for one of its own
    with worker_pool(RunnerConfig(workers=2, timeout=3)) as pool:
        dead = pool.run("parse", os.abort, {"x": ()})
        assert isinstance(dead["x"], Failed) and "brought down" in dead["x"].reason
        slow = pool.run("parse", time.sleep, {"x": (600,)})
        assert isinstance(slow["x"], Failed) and "runner.timeout=3" in slow["x"].reason
        assert pool.run("parse", pow, {str(n): (n, 2) for n in range(5)}) == {str(n): n * n for n in range(5)}


@pytest.mark.usefixtures("indexed")
def test_the_report_is_plain_data(settings: Make) -> None:
    result = run(settings())
    data = json.loads(json.dumps(result.report(), default=str))
    assert data["corpus"] == "mine" and data["refused"] == []
    assert {row["sections"] for row in data["indexed"]} == {6}


def test_a_build_holds_the_mean_of_the_stories_it_was_given(settings: Make, indexed: Path) -> None:
    build = Build.open(published(indexed))
    texts = build.table(BACKGROUND).column("text").to_pylist()
    assert len(texts) == len(set(texts)) == 130  # the dev splits of both benchmarks
    mean = build.encode_queries(texts).mean(axis=0)
    assert build.story_mean is not None and np.allclose(build.story_mean, mean, atol=1e-5)
    result = run(settings("index.background=[]"))
    assert (
        result.computed == {"index": 1}
        and result.build is not None
        and result.build.name != build.folder.name
    )
    plain = Build.open(result.build)
    assert plain.story_mean is None and not plain.table(BACKGROUND).num_rows
    words = "who supplies the oil"
    assert np.allclose(plain.sparse_scores(words, rarity=True), plain.sparse_scores(words), atol=1e-6)


def test_a_reader_of_queries_leaves_the_vectors_of_the_law_alone(
    settings: Make, tiny_model: Path, tmp_path: Path
) -> None:
    base = run(settings())
    assert base.build is not None
    adapter = write_tiny_adapter(tmp_path / "adapter", tiny_model, scale=4.0)
    with_reader = f"embed.query_model='{adapter}'"
    second = run(settings(with_reader))
    assert second.computed == {"index": 1}, "no text is embedded anew"
    assert second.build is not None and second.build != base.build
    plain, learned = (Build.open(f, tmp_path / "models") for f in (base.build, second.build))
    rows = range(len(plain.chunk_ids))
    assert np.array_equal(plain.vectors(rows), learned.vectors(rows))
    question = ["the keeper was not paid for the oil"]
    assert not np.allclose(plain.encode_queries(question), learned.encode_queries(question), atol=1e-3)
    assert plain.story_mean is not None and learned.story_mean is not None
    assert not np.allclose(plain.story_mean, learned.story_mean, atol=1e-3)
    assert plain.query_space != learned.query_space
    assert not run(settings(with_reader)).computed

    shutil.rmtree(adapter)
    write_tiny_adapter(adapter, tiny_model, scale=4.0, seed=2)
    with pytest.raises(ModelError, match="run citegrain index"):
        Build.open(second.build, tmp_path / "models").encode_queries(question)


LAY = [
    ("lantern-keepers-welfare-act-2011", "3A", "I have to buy the oil myself"),
    ("bell-ringers-welfare-act-2013", "4", "he sits on my wages"),
    ("some-other-act-1999", "1", "of an Act that is not here"),
]


def write_lay(folder: Path, *lay_texts: tuple[str, str, str]) -> str:
    """Override: a file of lay texts, three of each provision."""
    rows = [
        {"act": act, "section": section}
        | {style: f"{text}, {style}" for style in ("plain", "scene", "message")}
        for act, section, text in lay_texts
    ]
    path = folder / "lay.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return f"index.expansion=['{path}']"


@pytest.mark.usefixtures("indexed")
def test_lay_texts_make_a_build_of_their_own_and_are_encoded_once(
    settings: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = run(settings())
    with_lay_texts = write_lay(tmp_path, *LAY)
    result = run(settings(with_lay_texts))
    assert result.computed == {"index": 1} and result.build is not None and result.build != plain.build
    assert not run(settings(with_lay_texts)).started_flow

    build = Build.open(result.build)
    assert build.manifest["expansion"] == {"texts": 6, "provisions": 2, "unknown_labels": 0}
    assert str(tmp_path) not in json.dumps(build.manifest)
    lay = build.expansion
    assert lay is not None and lay.provisions == [
        build.labelled(act, section)[0] for act, section, _ in LAY[:2]
    ]
    texts = lay.table.column("text").to_pylist()
    assert np.allclose(lay.vectors, build.encode_queries(texts), atol=1e-3)
    assert build.search("who supplies the oil")

    monkeypatch.setattr(
        "citegrain.tasks.offline.assemble.Encoder", None
    )  # another build of the same texts encodes none
    again = run(settings(with_lay_texts, "index.k1=1.2"))
    assert again.computed == {"index": 1} and again.build is not None
    expansion = Build.open(again.build).expansion
    assert expansion is not None and (expansion.vectors == lay.vectors).all()


@pytest.mark.usefixtures("indexed")
def test_lay_texts_are_in_the_key_and_without_them_it_is_what_it_was(settings: Make, tmp_path: Path) -> None:
    def key(*overrides: str) -> Key:
        build_key = plan_index(prepare(settings(*overrides))).key
        assert build_key is not None
        return build_key

    plain = key("index=flat")
    assert plain.digest == key("index.expansion=[]").digest != key().digest
    assert plain.digest == key("index=flat", "index.dense=auto").digest != key("index.dense=ivf").digest
    trained = [key("index.expansion=[]", f"index.relations={chosen}").digest for chosen in ("false", "true")]
    assert trained[0] == plain.digest != trained[1]
    assert set(plain.params) == {
        "dense", "hnsw_m", "hnsw_ef_construction", "hnsw_ef_search", "k1", "b", "stemmer", "stopwords",
        "background", "tokens", "acts", "over_all",
    }  # fmt: skip
    one = key(write_lay(tmp_path, *LAY[:1]))
    (tmp_path / "elsewhere").mkdir()
    assert one.digest == key(write_lay(tmp_path / "elsewhere", *LAY[:1])).digest
    assert one.digest == key(write_lay(tmp_path, LAY[2], LAY[0])).digest, "of an Act that is not here"
    assert one.digest != key(write_lay(tmp_path, *LAY[:2])).digest
    other = key(write_lay(tmp_path, (*LAY[0][:2], "another text")))
    assert len({plain.digest, one.digest, other.digest}) == 3


@pytest.mark.usefixtures("indexed")
def test_lay_texts_change_the_builds_that_have_their_acts_and_no_other(
    settings: Make, tmp_path: Path
) -> None:
    first = run(settings(write_lay(tmp_path, *LAY[:2])))
    further = write_lay(tmp_path, *LAY, ("some-other-act-1999", "2", "of another Act too"))
    assert not run(settings(further)).started_flow
    copy = settings(further, f"artifacts='{tmp_path / 'fresh'}'")
    copy_artifacts(tmp_path / "artifacts", tmp_path / "fresh")
    shutil.rmtree(tmp_path / "fresh" / "builds" / "mine")
    fresh = run(copy)
    assert fresh.computed == {"index": 1}
    assert_equal_builds(first.build, fresh.build)
    facts = [Build.open(folder).manifest for folder in (first.build, fresh.build) if folder]
    assert facts[0]["content"] == facts[1]["content"] and facts[0]["expansion"] == facts[1]["expansion"]
    changed = run(settings(write_lay(tmp_path, LAY[0], (*LAY[1][:2], "she keeps my pay"), LAY[2])))
    assert changed.computed == {"index": 1} and changed.build is not None
    lay = Build.open(changed.build).expansion
    assert lay is not None and "she keeps my pay, plain" in lay.table.column("text").to_pylist()


@pytest.mark.slow
@pytest.mark.usefixtures("indexed")
def test_two_encoders_in_one_build(settings: Make, corpus: Path, tiny_model: Path, tmp_path: Path) -> None:
    adapter = write_tiny_adapter(tmp_path / "adapter", tiny_model, scale=4.0)
    two = f"+embed.also.second.model='{adapter}'"
    alone = run(settings())
    both = run(settings(two))
    assert both.build is not None and alone.build is not None and both.build != alone.build
    build = Build.open(both.build, tmp_path / "models")
    texts = len(build.chunk_ids)
    assert both.computed == {"embed": texts, "index": 1}, "the first encoder embeds nothing anew"
    files = (build / DENSE / "00000.faiss" for build in (both.build, alone.build))
    assert len({file.read_bytes() for file in files}) == 1
    assert not run(settings(two)).computed

    second = build.in_space("second")
    every = range(texts)
    assert not np.allclose(build.vectors(every), second.vectors(every), atol=1e-2)
    nearest = second.dense_search(second.vectors([3]), 1)[1]
    assert np.array_equal(second.vectors(nearest[0].tolist()), second.vectors([3]))
    fused = CascadeConfig(
        retrieve=RetrieveConfig(["dense", "dense_second"]), fuse=FuseConfig(weights={"dense_second": 3.0})
    )
    result = Cascade(build, fused).run({"q": "who supplies the oil"})
    query = second.encode_queries(["who supplies the oil"])
    expected = second.dense_search(query, 1, build.eligible(None))[1][0, 0]
    assert rankings(result.runs["dense_second"])["q"][0][0] == build.chunk_ids[expected]
    assert result.hits["q"]

    shorter = replace(BELL, chapters=BELL.chapters[:1])  # the header of a chunk names no chapter
    first = replace(shorter.chapters[0][2][0], paragraphs=["(1) This Act is about bells.", "(2) It is new."])
    chapter = (*shorter.chapters[0][:2], [first, *shorter.chapters[0][2][1:]])
    (corpus / "bell.pdf").write_bytes(typeset.india_code(replace(shorter, chapters=[chapter])))
    amended = run(settings(two))
    assert amended.build is not None and amended.computed["parse"] == 1
    changed = Build.open(amended.build, tmp_path / "models")
    before, after = (
        {row["text_hash"] for row in map(b.passage, range(len(b.chunk_ids)))} for b in (build, changed)
    )
    assert 0 < amended.computed["embed"] == 2 * len(after - before) < texts, "only what is new, in both"


@pytest.mark.slow
def test_token_vectors_of_what_changed_are_encoded_and_searched_as_in_a_fresh_build(
    settings: Make, corpus: Path, tmp_path: Path
) -> None:
    (corpus / "bell.pdf").rename(tmp_path / "bell.pdf")
    lantern = run(settings("index.colbert=16"))
    (tmp_path / "bell.pdf").rename(corpus / "bell.pdf")
    grown = run(settings("index.colbert=16"))
    fresh = run(settings("index.colbert=16", f"artifacts='{tmp_path / 'fresh'}'"))
    assert lantern.build is not None and grown.build is not None and fresh.build is not None
    assert grown.build.name == fresh.build.name and grown.computed["parse"] == 1
    assert grown.computed["embed"] < fresh.computed["embed"], "what is there is not encoded again"
    builds = [Build.open(one, tmp_path / "models") for one in (grown.build, fresh.build)]
    config = CascadeConfig(retrieve=RetrieveConfig(["colbert"]), fuse=FuseConfig("single"))
    ours, theirs = (
        rankings(Cascade(build, config).run({"q": "who supplies the oil"}).runs["colbert"])["q"]
        for build in builds
    )
    assert len(ours) > 5 and len({c for c, _ in ours[:5]} & {c for c, _ in theirs[:5]}) >= 4
    assert [s for _, s in ours[:5]] == pytest.approx([s for _, s in theirs[:5]], abs=0.01)
    assert not run(settings("index.colbert=16")).computed
    plain = run(settings())
    assert plain.build is not None and not (plain.build / "colbert").exists()
    with pytest.raises(BuildError, match="index=colbert"):
        Cascade(Build.open(plain.build, tmp_path / "models"), config).run({"q": "oil"})
    with (grown.build / "colbert" / "codes.npy").open("r+b") as file:
        file.seek(-1, 2)
        file.write(bytes([255 ^ builds[0].folder.joinpath("colbert/codes.npy").read_bytes()[-1]]))
    with pytest.raises(BuildError, match=r"codes\.npy: damaged"):
        Build.open(grown.build)


@pytest.mark.slow
@pytest.mark.usefixtures("indexed")
def test_late_chunking_embeds_what_stands_in_a_changed_section(settings: Make, corpus: Path) -> None:
    alone, late = run(settings()), run(settings("embed.late=section", "chunk.size=40", "chunk.overlap=4"))
    assert alone.build is not None and late.build is not None and late.computed["embed"] > 0
    build = Build.open(late.build)
    assert not run(settings("embed.late=section", "chunk.size=40", "chunk.overlap=4")).computed
    first = BELL.chapters[0][2][0]
    longer = replace(first, paragraphs=[*first.paragraphs, "(3) It is about bells."])
    chapter = (*BELL.chapters[0][:2], [longer, *BELL.chapters[0][2][1:]])
    (corpus / "bell.pdf").write_bytes(
        typeset.india_code(replace(BELL, chapters=[chapter, *BELL.chapters[1:]]))
    )
    amended = run(settings("embed.late=section", "chunk.size=40", "chunk.overlap=4"))
    assert amended.build is not None
    cited = [str(one).partition("__")[0] for one in Build.open(amended.build).citations.values()]
    of_first = [one for one in cited if "bell" in one and one.endswith("/sec_1")]
    assert 0 < amended.computed["embed"] == len(of_first) < len(build.chunk_ids) / 2


@pytest.mark.usefixtures("indexed")
def test_lay_texts_of_which_none_is_of_this_corpus(settings: Make, tmp_path: Path) -> None:
    result = run(settings(write_lay(tmp_path, LAY[2])))
    assert result.build is not None
    build = Build.open(result.build)
    assert build.expansion is None and build.manifest["expansion"]["texts"] == 0
    assert build.search("who supplies the oil")


@pytest.mark.parametrize("rows", ["not json", '{"act": "a"}'])
def test_a_file_of_lay_texts_that_is_wrong_is_named(settings: Make, tmp_path: Path, rows: str) -> None:
    with_lay_texts = write_lay(tmp_path)
    (tmp_path / "lay.jsonl").write_text(rows + "\n")
    with pytest.raises(BenchmarkError, match=r"lay\.jsonl"):
        prepare(settings(with_lay_texts))


def test_a_folder_of_mixed_formats_loses_only_the_bad_files(settings: Make, corpus: Path) -> None:
    word = office.as_word(
        *office.lantern(typeset.renamed(typeset.LANTERN, "THE BUOYS ACT, 2014", "20 of 2014"))
    )
    (corpus / "buoys.docx").write_bytes(word)
    (corpus / "cut.docx").write_bytes(word[:5000])
    (corpus / "named.html").write_bytes(word)
    (corpus / "old.doc").write_bytes(b"\xd0\xcf\x11\xe0")
    page = office.as_web_page("THE PIERS ACT, 2015", office.lantern()[1])
    (corpus / "piers.html").write_bytes(page)
    result = run(settings())
    assert result.build is not None
    assert sorted(row["file"] for row in result.report()["indexed"]) == [
        "bell.pdf",
        "buoys.docx",
        "lantern.pdf",
        "piers.html",
    ]
    assert reasons(result).keys() == {"cut.docx", "old.doc"}  # named.html has the bytes of buoys.docx
    build = Build.open(result.build)
    hits = [hit for hit in build.search("wages of the keeper withheld", k=20) if hit.act == "buoys-act-2014"]
    assert hits and {(hit.link, hit.page) for hit in hits} == {("buoys.docx", 0)}

"""Studies over Acts of our own: plan, sharing, resume, failures, files, MLflow."""

from __future__ import annotations

import csv
import json
import pickle
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

import ir_measures
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ir_measures import AP, nDCG

from citegrain.flows.cli.measure import close
from citegrain.flows.index.run import build_for, run_index
from citegrain.flows.shared.choices import FactorConfig, SweepConfig
from citegrain.flows.shared.settings import Settings, SettingsError, load_settings
from citegrain.flows.study import tracking
from citegrain.flows.study.calibrate import choose
from citegrain.flows.study.folder import write_study
from citegrain.flows.study.run import run_study
from citegrain.flows.study.study import Study, StudyError, begin_study
from citegrain.tasks.core.runs import rankings
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.core.store import Store
from citegrain.tasks.evaluation.benchmark import BenchmarkError
from citegrain.tasks.evaluation.report.declared import query_costs
from citegrain.tasks.evaluation.report.plots import draw
from citegrain.tasks.evaluation.score import SPAN_METRICS
from citegrain.tasks.evaluation.studies import read_study, study_folder
from citegrain.tasks.offline.corpus import CorpusError
from citegrain.tasks.offline.index import read_pointer
from citegrain.tasks.online.cascade import Cascade
from citegrain.tasks.online.makers import answer as answer_maker
from citegrain.tasks.online.steps import Step
from tests.bad_server import misbehaving
from tests.flows.conftest import Quiet, common, copy_artifacts, finished, write_corpus
from tests.flows.prefect_pages import edges, rows, task_runs, wait_for
from tests.tasks.evaluation.benchmark.samples import guide_record, write_lines

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("prefect")]
Make = Callable[..., Settings]

LANTERN, BELL = "lantern-keepers-welfare-act-2011", "bell-ringers-welfare-act-2013"
STORIES = [
    ("a", "The keeper of our lantern was not paid his wages for three months", [(LANTERN, "3")]),
    ("b", "Who supplies the oil? Section 3A of the Lantern Keepers (Welfare) Act", [(LANTERN, "3A")]),
    ("c", "The bell ringer is owed wages since June", [(BELL, "3")]),
    ("d", "My washing machine broke in the first week", []),
    ("e", "A keeper was punished twice", [(LANTERN, "99")]),
]


def record(name: str, text: str, cited: list[tuple[str, str]], **more: Any) -> dict[str, Any]:
    applicable = [{"act": act, "section": section} for act, section in cited]
    labels = {"primary": applicable[0] if applicable else None, "applicable": applicable}
    fields = {"incident_date": None, "domain": ["labour"], "cross_domain": False} | labels | more
    return guide_record(id=name, text=text, **fields)


def write_stories(folder: Path) -> Path:
    return write_lines(folder / "stories.jsonl", *(record(*story) for story in STORIES))


def benched(stories: Path) -> list[str]:
    return [
        "benchmark=file", f"benchmark.path='{stories}'", "benchmark.as_of=2026-01-01",
        "bench.latency=1", "bench.mlflow=false", "bench.report=false", "rerank=none",
    ]  # fmt: skip


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    return write_stories(tmp_path)


@pytest.fixture
def unindexed(settings: Make, benchmark: Path) -> Make:
    return lambda *overrides: settings(*benched(benchmark), *overrides)


@pytest.fixture
def bench(unindexed: Make, indexed: Path) -> Make:
    """Settings of a study over the two Acts, which are indexed already."""
    return unindexed


# words are searched as the first searches them, so that the run is shared
BOTH = ["retrieve=hybrid", "retrieve.rarity=false", "retrieve.schedules=true", "fuse=rrf"]
THREE = {
    "sparse": ["retrieve=sparse", "fuse=single"],
    "both": BOTH,
    "diverse": [*BOTH, "select=mmr"],
}


def measure(bench: Make, configurations: dict[str, list[str]], **more: Any) -> tuple[Study, Tables, Path]:
    members = {name: (overrides, bench(*overrides)) for name, overrides in configurations.items()}
    first = next(iter(members))
    declared = first, ("primary_accuracy", "ndcg_10")
    return finished(run_study("t", members, bench(), Quiet(), ["sweep"], *declared, **more))


@dataclass(frozen=True)
class Measured:
    """A study of THREE that was run once. To be read or copied, not to be changed."""

    study: Study
    results: Tables
    folder: Path
    artifacts: Path


@pytest.fixture(scope="module")
def measured(
    tmp_path_factory: pytest.TempPathFactory, once_indexed: Path, lantern_pdf: bytes, tiny_model: Path
) -> Measured:
    folder = tmp_path_factory.mktemp("measured")
    write_corpus(folder, lantern_pdf)
    copy_artifacts(once_indexed, folder / "artifacts")
    base = [*common(folder, tiny_model), *benched(write_stories(folder))]
    return Measured(*measure(lambda *more: load_settings([*base, *more]), THREE), folder / "artifacts")


@pytest.fixture
def artifacts(measured: Measured, tmp_path: Path) -> Path:
    """The test's own artefacts hold the study of THREE already."""
    copy_artifacts(measured.artifacts, tmp_path / "artifacts")
    return tmp_path / "artifacts"


def value(results: Tables, configuration: str, metric: str) -> dict[str, Any]:
    cells = {(r["configuration"], r["metric"]): r for r in results["summary"].to_pylist()}
    return dict(cells[configuration, metric])


def test_a_study_shares_its_work_and_is_computed_once(
    unindexed: Make, measured: Measured, artifacts: Path
) -> None:
    study, results = measured.study, measured.results
    # one query, three channels, two fusions, two rerankings, three selections, three answers, three scores
    assert study.line == "3 configurations x 5 queries, 17 stage runs, 0 already present, 17 to make"
    assert study.computed == {
        "query": 1, "retrieve": 3, "fuse": 2, "rerank": 2, "select": 3, "verify": 3, "score": 3
    }  # fmt: skip
    # in the order of the work, whichever channels a configuration has
    assert study.steps() == [
        "query", "sparse", "dense", "provision", "fused", "reranked", "selected", "answers", "score"
    ]  # fmt: skip
    assert value(results, "both", "primary_accuracy")["n"] == 4
    assert value(results, "both", "abstained_out_of_scope")["n"] == 1
    lost = {(r["configuration"], r["section"]): r["lost_at"] for r in results["funnel"].to_pylist()}
    assert lost["both", "99"] == "not_indexed" and lost["both", "3A"] == "found"
    assert any("99" in w for w in study.warnings)

    again, same, folder = measure(unindexed, THREE)
    assert again.line.endswith("17 stage runs, 17 already present") and not again.started_flow
    for name, table in results.items():
        assert same[name].to_pandas().equals(table.to_pandas()), name  # NaN equals NaN
    # the files say the same as the tables, to those who read TREC
    qrels = list(ir_measures.read_trec_qrels(str(folder / "qrels.txt")))
    run = list(ir_measures.read_trec_run(str(folder / "runs" / "both.run")))
    theirs = ir_measures.calc_aggregate([nDCG @ 10, AP], qrels, run)
    assert value(same, "both", "ndcg_10")["value"] == pytest.approx(theirs[nDCG @ 10], abs=1e-6)
    with (folder / "csv" / "both.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    assert len(rows) == 5 and rows[3]["source_accuracy"] == "" and rows[0]["llm"] == "extractive"
    assert json.loads((folder / "study.json").read_text(encoding="utf-8"))["benchmark"]["in_scope"] == 4
    shutil.copytree(folder, folder.with_name(".t-1-ab"))  # one whose writing was cut short
    assert study_folder(artifacts / "reports") == folder
    with pytest.raises(FileNotFoundError, match="no study"):
        study_folder(artifacts / "reports", "other")


def test_what_is_lost_is_computed_again_and_nothing_else(
    unindexed: Make, measured: Measured, artifacts: Path
) -> None:
    for stage in ("select", "score"):
        shutil.rmtree(artifacts / "store" / stage)
    again, same, _ = measure(unindexed, THREE)
    assert again.computed == {"select": 3, "score": 3}
    assert same["scores"].equals(measured.results["scores"])


def test_prefect_shows_edges_names_and_a_line_for_each_stage_run(unindexed: Make, artifacts: Path) -> None:
    shutil.rmtree(artifacts / "store" / "select")
    members = {name: (overrides, unindexed(*overrides)) for name, overrides in THREE.items()}
    run_study("shown", members, unindexed(), Quiet(), [])

    def finished() -> list[tuple[str, str, str, dict[str, Any]]]:
        return task_runs("bench shown")

    done = {"Cached", "Completed"}
    tasks = wait_for(finished, lambda tasks: len(tasks) == 17 and {state for _, _, state, _ in tasks} <= done)
    states, reads = {name: state for _, name, state, _ in tasks}, edges(tasks)
    both = "fused: 5 queries for 2 configurations"
    assert reads["dense: 5 queries for 2 configurations"] == {"query: 5 queries"}
    assert reads[both] == {
        "query: 5 queries", "sparse: 5 queries", "dense: 5 queries for 2 configurations",
        "provision: 5 queries for 2 configurations",
    }  # fmt: skip
    assert states[both] == "Cached" and states["selected: 5 queries for diverse"] == "Completed"
    assert "answers: 5 queries for both" in reads["score both"] and both in reads["score both"]
    parameters = json.loads(rows("select parameters from flow_run where name = 'bench shown'")[0][0])
    assert parameters["configurations"] == THREE and parameters["work"] == "<Local>"

    def lines() -> set[str]:
        return {message for (message,) in rows("select message from log")}

    wait_for(lines, lambda lines: any(line.startswith("selected: computed, ") for line in lines))


def test_a_task_runs_from_what_it_was_pickled_as(measured: Measured) -> None:
    both = measured.study.members[1]
    for node in (both.nodes["dense"], both.score):
        assert node is not None
        given = node, node.inputs(measured.study.results), Store(measured.artifacts / "none")
        sent, *rest = pickle.loads(pickle.dumps(given))  # noqa: S301
        elsewhere = sent.run(*rest)
        assert not elsewhere.cached and elsewhere.read().equals(measured.study.results[node.recipe].read())


def test_scores_without_times_stand_for_no_study_that_times(bench: Make) -> None:
    def timed(*overrides: str) -> tuple[dict[str, int], bool]:
        members = {"both": (list[str](), bench(*overrides))}
        done = finished(run_study("t", members, bench(*overrides), Quiet(), []))
        times = dict(zip(*done[1]["timings"].select(["step", "ms"]).to_pydict().values(), strict=True))
        single = [times[name] for name in ("single_p50", "single_p95", "single_max") if name in times]
        assert single == sorted(single) and len(single) in (0, 3)
        return done[0].computed, bool(single)

    assert timed("bench.latency=0")[1] is False
    assert timed() == ({"score": 1}, True)
    assert timed("bench.latency=0") == ({}, False)
    assert timed("bench.latency=2") == ({}, True)


def test_a_batch_gives_what_ask_gives(measured: Measured) -> None:
    study = measured.study
    for member in study.members:
        assert member.cascade is not None
        cascade = Cascade(member.cascade.build, member.settings.cascade)
        for query, text in study.texts.items():
            alone = cascade.run({query: text}, study.as_of[query])
            for name, run in alone.runs.items():
                ours = rankings(member.read(name)).get(query, [])
                assert [c for c, _ in ours] == [c for c, _ in rankings(run).get(query, [])]
            row = next(r for r in member.read("answers").to_pylist() if r["query_id"] == query)
            assert row["n_charges"] == alone.answers.to_pylist()[0]["n_charges"]


def test_a_query_or_configuration_that_fails_stops_no_other(bench: Make, monkeypatch: Any) -> None:
    steps = Cascade.steps

    def broken(self: Cascade, texts: Any, as_of: Any) -> list[Step]:
        chain = steps(self, texts, as_of)
        if self.config.select.method == "mmr":
            at = next(i for i, s in enumerate(chain) if s.name == "selected")
            work = chain[at].work

            def fails(tables: Any, done: Any) -> pa.Table:
                if "b" in tables["reranked"].column("query_id").to_pylist():
                    raise ZeroDivisionError("b is too much")
                return work(tables, done)

            chain[at] = replace(chain[at], sources={"broken": 1}, work=fails)
        return chain

    monkeypatch.setattr(Cascade, "steps", broken)
    absent = ["rerank=cross_encoder", "rerank.model=/nowhere/at/all"]
    study, results, _ = measure(bench, THREE | {"absent": absent})
    assert study.members[3].failure and study.members[3].scores is None
    assert study.members[2].lost == {"b": "selected: ZeroDivisionError: b is too much"}
    scores = {tuple(row.values())[:3]: row["value"] for row in results["scores"].to_pylist()}
    assert scores["both", "b", "primary_accuracy"] == 1
    assert scores["diverse", "b", "primary_accuracy"] == 0 and scores["diverse", "a", "failed"] == 0
    monkeypatch.undo()
    mended, _, _ = measure(bench, THREE)  # nothing that was broken is stored
    assert not mended.members[2].lost and mended.computed["select"] == 1


def test_missing_lay_texts_are_reported_and_stop_nothing_else(bench: Make) -> None:
    study, _, _ = measure(bench, {"plain": ["index=flat", "retrieve=complaints"], "expanded": ["index=flat"]})
    plain, expanded = study.members
    assert plain.scores is not None and not plain.failure and expanded.scores is None
    assert "index with index=expanded" in expanded.failure and "\n" not in expanded.failure


def test_plan_strict_and_bad_benchmarks(unindexed: Make, benchmark: Path) -> None:
    bench = unindexed
    members = {"both": (list[str](), bench())}
    quiet = Quiet()
    run_study("t", members, bench(), quiet, [], plan_only=True)
    assert quiet.lines[-2].startswith("a build is missing") and "1 configuration x" in quiet.lines[-1]
    assert quiet.lines[-1].endswith(
        "1 build is to be made first, whose 1 configuration has stage runs that are not counted"
    )
    begin_study("t", members, bench(), Quiet())
    run_study("t", members, bench(), quiet, [], plan_only=True)
    # query, seven channels, features, fused, reranked, selected, answers, scores
    assert "14 stage runs, 0 already present" in quiet.lines[-1]
    with pytest.raises(StudyError, match="--strict"):
        run_study("t", members, bench(), Quiet(), [], strict=True)
    for wrong, message in (
        (record(*STORIES[0], incident_date="2024-13-01"), "incident_date"),
        (record(*STORIES[1]), "id"),
        (record("z", "a story", [], register=...), "register"),
    ):
        write_lines(benchmark, *(record(*story) for story in STORIES), wrong)
        with pytest.raises(BenchmarkError, match=rf"stories\.jsonl:6: {message}"):
            run_study("t", members, bench(), Quiet(), [])


def test_each_complaint_is_judged_by_the_law_of_its_day(bench: Make, benchmark: Path) -> None:
    write_lines(benchmark, record(*STORIES[0], incident_date="2012-05-01"))
    study = begin_study("t", {"both": ([], bench())}, bench(), Quiet())
    assert study.as_of["a"] is not None and study.as_of["a"].isoformat() == "2012-05-01"
    story = "a", "He stole my cow on 3 May 2014.", [(LANTERN, "3")]
    write_lines(benchmark, record(*story, incident_date="2012-05-01"))
    days = {}
    for which in ("given", "text", "today"):
        one = bench("benchmark.as_of=2020-01-01", f"benchmark.days={which}")
        days[which] = str(begin_study("t", {"both": ([], one)}, one, Quiet()).as_of["a"])
    assert days == {"given": "2012-05-01", "text": "2014-05-03", "today": "2020-01-01"}


def test_languages_of_the_same_complaints_are_compared_in_pairs(bench: Make, benchmark: Path) -> None:
    other = {"a": "Bread is baked in an oven", "c": STORIES[2][1]}
    lines = ({"id": q, "hindi": text, "hinglish": STORIES[0][1]} for q, text in other.items())
    write_lines(benchmark.with_name("languages.jsonl"), *lines)
    members = {name: [*THREE["sparse"], f"benchmark.language={name}"] for name in ("english", "hindi")}
    study, results, _ = measure(bench, members)
    assert study.benchmark.name == "stories_english" and list(study.texts) == ["a", "c"]
    accuracies = [value(results, name, "primary_accuracy") for name in members]
    assert [(row["value"], row["n"]) for row in accuracies] == [(1.0, 2), (0.5, 2)]
    (row,) = (r for r in results["comparisons"].to_pylist() if r["metric"] == "primary_accuracy")
    assert (row["configuration"], row["difference"], row["n"]) == ("hindi", -0.5, 2)
    with pytest.raises(StudyError, match="all has other complaints"):
        measure(bench, {"hindi": members["hindi"], "all": [*THREE["sparse"], "benchmark.split=dev"]})


def test_a_published_name_is_enough(bench: Make, settings: Make, tmp_path: Path) -> None:
    run_index(settings(), Quiet())
    name = ["corpus=published", "corpus.name=mine", f"artifacts='{tmp_path / 'artifacts'}'"]
    plain = load_settings(name)
    current = read_pointer(tmp_path / "artifacts" / "builds" / "mine" / "current")
    published = build_for(plain, Quiet())
    assert published is not None and published.name == current
    # another chunking is made from the store, without the files, and moves no pointer
    model = settings().embed.model
    offline = ["embed=hub", f"embed.model='{model}'", "parse.ocr=off"]
    windows = load_settings([*name, *offline, "chunk=fixed"])
    shutil.rmtree(tmp_path / "pdfs")
    assert build_for(windows, Quiet(), make=False) is None
    build = build_for(windows, Quiet())
    assert build is not None and build.name != current and build.is_dir()
    assert read_pointer(tmp_path / "artifacts" / "builds" / "mine" / "current") == current
    parsed_anew = load_settings([*name, *offline, "parse.ocr_dpi=200", "parse.max_pages=9", "chunk=fixed"])
    with pytest.raises(CorpusError, match="parsed anew"):
        build_for(parsed_anew, Quiet())
    with pytest.raises(CorpusError, match="no build of this name"):
        build_for(load_settings([*name[:1], "corpus.name=other", *name[2:], "chunk=fixed"]), Quiet())


def test_sweeps_are_checked_and_grids_are_expanded() -> None:
    grid = SweepConfig("g", {"x": ["a=1"]}, {"rerank": ["none", "late_interaction"], "select.k": [3, 5]})
    members = grid.members()
    assert "model_qwen2.5_7b" in SweepConfig(grid={"endpoint.model": ["qwen2.5:7b"]}).members()
    assert len(members) == 5 and members["rerank_none-k_3"] == ["rerank=none", "select.k=3"]
    for wrong, message in (
        ({"configurations": {}}, "neither"),
        ({"configurations": {"a/b": []}}, "sweep.configurations='a/b'"),
        ({"grid": {"embed.model": ["a/b"]}}, "sweep.grid='model_a/b'"),
        ({"configurations": {"a": []}, "baseline": "b"}, "baseline"),
        ({"configurations": {"a": []}, "metrics": ["luck"]}, "luck"),
    ):
        with pytest.raises(ValueError, match=message):
            SweepConfig("s", **wrong)
    assert SweepConfig("s", {"a": []}, metrics=["ece", "brier"]).metrics == ["ece", "brier"]
    with pytest.raises(ValueError, match=r"sweep.made_for.*: ece: a query by itself has no value of it"):
        SweepConfig("s", {"a": []}, made_for={"a": "complaints ece"})
    with pytest.raises(ValueError, match="aurc: a query by itself has no value of it"):
        FactorConfig("f", "aurc", "best", [["x=0"], ["x=1"]])
    with pytest.raises(SettingsError, match="bench"):
        load_settings(["bench.latency=-1"])
    with pytest.raises(SettingsError, match=r"bench\.name='a/b'"):
        load_settings(["bench.name=a/b"])


def test_a_value_is_chosen_only_on_evidence() -> None:
    factor = FactorConfig("f", "ndcg_10", "supported", [["x=0"], ["x=1"], ["x=2"]])
    queries = [f"q{i}" for i in range(40)]
    plain = dict.fromkeys(queries, 0.5)
    chance = {q: 0.5 + (0.3 if i % 2 else -0.29) for i, q in enumerate(queries)}
    better = {q: 0.5 + 0.01 * (i % 5 + 1) for i, q in enumerate(queries)}
    choice = choose(factor, {"x_0": plain, "x_1": chance}, 1)
    assert choice.chosen == ["x=0"] and choice.tried[1].value > 0.5
    taken = choose(factor, {"x_0": plain, "x_1": chance, "x_2": better}, 1)
    assert taken.chosen == ["x=2"] and "n = 40" in taken.reason
    best = FactorConfig("f", "ndcg_10", "best", factor.values)
    assert choose(best, {"x_0": plain, "x_1": chance}, 1).chosen == ["x=1"]
    assert choose(best, {"x_0": plain, "x_1": dict(plain)}, 1).chosen == ["x=0"]
    for rule in ("supported", "best"):  # of errors the fewer are the better
        wrong = FactorConfig("f", "brier", rule, [["x=0"], ["x=1"]])
        assert choose(wrong, {"x_0": plain, "x_1": better}, 1).chosen == ["x=0"]
        assert choose(wrong, {"x_0": better, "x_1": plain}, 1).chosen == ["x=1"]


def test_calibration_refuses_a_test_split(bench: Make) -> None:
    from citegrain.flows.study.calibrate import calibrate

    with pytest.raises(StudyError, match="development split only"):
        calibrate([], bench(), Quiet(), [])


def logged(folder: Path, artifacts: Path) -> tuple[Any, tuple[str, str], dict[str, Any]]:
    """A client, experiment and parent of a study that is logged twice, and its children by name."""
    from mlflow import MlflowClient

    from citegrain.flows.study.tracking import log_study, uri

    experiment, parent = log_study(folder, artifacts)
    assert log_study(folder, artifacts) == (experiment, parent), "once"
    client = MlflowClient(uri(artifacts))
    runs = client.search_runs([experiment])
    children = {r.info.run_name: r for r in runs if r.data.tags.get("mlflow.parentRunId") == parent}
    assert len(runs) == len(children) + 1
    return client, (experiment, parent), children


def test_mlflow_holds_a_study_once(measured: Measured, artifacts: Path) -> None:
    from citegrain.flows.study.tracking import LOGGED, VIEW

    folder = study_folder(artifacts / "reports")
    client, first, children = logged(folder, artifacts)
    assert set(children) == set(THREE)
    metrics = children["both"].data.metrics
    row = value(measured.results, "both", "primary_accuracy")
    for part in ("lo", "hi", "n"):
        assert metrics[f"primary_accuracy_{part}"] == pytest.approx(row[part], abs=1e-4)
    assert children["diverse"].data.params["select.method"] == "mmr"
    assert children["both"].data.tags["benchmark_sha256"]
    parent = client.get_run(first[1]).data
    shown = read_study(folder).focus
    assert parent.tags["shown_configuration"] == shown
    main = ("primary_accuracy", "complete_accuracy", "primary_5", "fused_primary_20")
    assert set(parent.metrics) == {f"{metric}{part}" for metric in main for part in ("", "_lo", "_hi", "_n")}
    for metric in ("fused_primary_20", "primary_5"):
        mean = value(measured.results, shown, metric)["value"]
        assert parent.metrics[metric] == pytest.approx(mean, abs=1e-4)
    note = parent.tags["mlflow.note.content"]
    for varied in ("retrieve.channels: ", "select.method: expected, mmr"):
        assert varied in parent.tags["varied"] and f"- {varied}" in note
    assert "| Configuration | Primary accuracy" in note and "| both | " in note and "\\@" not in note
    assert "- `ndcg_10` (nDCG@10): nDCG at 10, the primary graded 2, the others 1" in note
    assert "Wilson's of proportions" in note and "char_recall" not in note
    assert {"set_precision", "set_recall", "source_accuracy"} <= set(metrics)
    assert {*SPAN_METRICS, "char_precision_64", "essential"} <= set(LOGGED)
    child_note = children["both"].data.tags["mlflow.note.content"]
    assert child_note.startswith("- Primary accuracy: **") and f"], Wilson, n = {row['n']}\n" in child_note
    assert "BCa bootstrap, n = " in child_note
    assert "fuse=rrf select=mmr`" in children["diverse"].data.tags["mlflow.note.content"]
    view = json.loads(client.get_experiment(first[0]).tags[VIEW])
    columns = ("primary_accuracy", "primary_accuracy_lo", "primary_accuracy_hi", "complete_accuracy")
    assert view["selectedColumns"][:4] == [f"metrics.`{name}`" for name in columns]
    assert "params.`retrieve.channels`" in view["selectedColumns"]
    assert all(width >= 6 * len(name.split("`")[1]) + 30 for name, width in view["columnWidths"].items())
    files = {a.path for a in client.list_artifacts(first[1])}
    assert {"scores.parquet", "summary.parquet", "qrels.txt", "study.json"} <= files


def test_a_model_that_fails_is_asked_again_in_the_next_run(bench: Make, monkeypatch: Any) -> None:
    from citegrain.tasks.core.schemas import ANSWERS

    calls = []
    plain = answer_maker._answer

    def answer(*given: Any) -> pa.Table:
        calls.append(1)
        rows = plain(*given).to_pylist()
        return ANSWERS.rows([r | {"error": "no reply"} if r["query_id"] == "a" else r for r in rows])

    monkeypatch.setattr(answer_maker, "_answer", answer)
    _, results, _ = measure(bench, {"both": []})
    scores = {(r["query_id"], r["metric"]): r["value"] for r in results["scores"].to_pylist()}
    assert [key for key in scores if key[1] == "extracted"] == [("a", "extracted")] and calls
    assert value(results, "both", "failed")["value"] == 0  # extracts are an answer, and counted apart
    monkeypatch.undo()
    again, results, _ = measure(bench, {"both": []})
    assert again.computed == {"verify": 1, "score": 1} and value(results, "both", "failed")["value"] == 0
    last, _, _ = measure(bench, {"both": []})
    assert not last.computed


def test_what_a_model_costs_stands_beside_what_it_gives(bench: Make, monkeypatch: Any) -> None:
    monkeypatch.setenv("CITEGRAIN_LLM_MODEL", "m")
    prices = "endpoint.price_in=2", "endpoint.price_out=10"
    configurations = {"plain": ["generate=extractive", *prices], "model": ["generate=llm", *prices]}
    with misbehaving("good", script=lambda data: '{"charges": [], "note": "none"}') as server:
        monkeypatch.setenv("CITEGRAIN_LLM_BASE_URL", server.url)
        study, results, folder = measure(bench, configurations)
        again, _, _ = measure(bench, configurations)
    n = len(study.texts)
    timings, spent = results["timings"].to_pylist(), ("tokens_in", "tokens_out", "cost")
    rows = {(r["configuration"], r["step"]): tuple(r[name] for name in spent) for r in timings}
    # the server says that a prompt has 100 tokens, a reply 10; a price is that of a million
    assert server.calls["good"] == n and rows["model", "answers"] == (100, 10, pytest.approx(3e-4))
    assert rows["plain", "answers"] == rows["model", "fused"] == (0, 0, 0)
    assert [m.costs() for m in again.members] == [m.costs() for m in study.members]  # nobody was asked again
    report = read_study(folder)
    assert query_costs(report.rows("timings"), "tokens") == {"plain": 0, "model": 110}
    assert rows["model", "single_p50"] == rows["model", "single_p95"] == (100, 10, pytest.approx(3e-4))
    assert "accuracy_cost" in draw(report)


def test_replies_that_were_not_recorded_are_counted(bench: Make, tmp_path: Path, capsys: Any) -> None:
    nowhere = ["endpoint=recorded", "endpoint.model=m", f"endpoint.replies='{tmp_path / 'none.jsonl'}'"]
    study, _, _ = measure(bench, {"both": [], "judged": ["rerank=judge", *nowhere]})
    both, judged = study.members
    error = "no reply to this prompt was recorded"
    assert not both.unanswered and set(judged.unanswered["judgements"]) == {error}
    close(study, 0.0)
    n = len(judged.unanswered["judgements"])
    printed = " ".join(capsys.readouterr().out.split())
    assert f"judged: judgements went on without {n} replies of the model: {error}" in printed
    searched, again = (measure(bench, {"searched": ["controller=llm", *nowhere]})[0] for _ in range(2))
    without = searched.members[0].unanswered
    assert set(without) == {"traces"} and set(without["traces"]) == {error}
    assert again.members[0].unanswered == without, "it is not taken for whole the next time"


def test_tables_of_a_study_are_files_that_explain_themselves(bench: Make, monkeypatch: Any) -> None:
    study, results, folder = measure(bench, {"both": []})
    scores = pq.read_table(folder / "scores.parquet")
    assert scores.column_names == ["configuration", "query_id", "metric", "value"]
    assert pq.read_table(folder / "summary.parquet").column_names == [
        "configuration", "metric", "value", "lo", "hi", "n"
    ]  # fmt: skip
    assert scores.schema.field("value").metadata[b"description"]
    # where writing fails, what was there stays, and nothing half written beside it
    monkeypatch.setattr("citegrain.flows.study.folder.write_csv", mock.Mock(side_effect=OSError("no space")))
    with pytest.raises(OSError, match="no space"):
        write_study(study, results, [])
    assert [p.name for p in folder.parent.iterdir()] == ["t"] and (folder / "study.json").is_file()


def test_a_metric_of_ones_own_stands_in_tables_comparisons_and_mlflow(
    bench: Make, tmp_path: Path, monkeypatch: Any
) -> None:
    lab = "def charges(build, query, ranking, answer) -> float:\n    return len(answer.charges)\n"
    (tmp_path / "counting_lab.py").write_text(lab, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    mine = "counting_lab:charges"
    metrics = [f"bench.metrics=['{mine}']", "bench.report=true"]
    members = {name: (THREE[name], bench(*metrics, *THREE[name])) for name in ("sparse", "both")}
    family = "sparse", (mine, "hit_10")
    done = finished(run_study("own", members, bench(*metrics), Quiet(), ["sweep"], *family))
    row = value(done[1], "both", mine)
    assert row["n"] == 5 and row["lo"] <= row["value"] <= row["hi"]
    assert [r["metric"] for r in done[1]["comparisons"].to_pylist()] == [*family[1]]
    assert "counting_<wbr>lab:charges" in (done[2] / "report.html").read_text(encoding="utf-8")
    metrics_logged = tracking._metrics(read_study(done[2]), "both")
    assert {"counting_lab.charges_lo", "hit_10_hi"} <= set(metrics_logged)
    assert next(iter(metrics_logged)) == "primary_accuracy", "a page that compares runs opens on it"


def test_the_report_links_the_answers_of_its_worst_queries_as_pages(bench: Make) -> None:
    _, _, folder = measure(lambda *words: bench(*words, "bench.report=true"), {"sparse": THREE["sparse"]})
    pages = {path.name for path in (folder / "pages").iterdir()}
    report = (folder / "report.html").read_text(encoding="utf-8")
    linked = set(re.findall(r'href="pages/(\w+\.html)"', report))
    assert pages == linked and pages
    page = (folder / "pages" / min(pages)).read_text(encoding="utf-8")
    assert "Law of 2026-01-01, as asked" in page and "data:image/png;base64" in page and "<rect" in page

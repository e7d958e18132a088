"""Factorial studies over Acts of our own: cells, plan, sharing, resume, holes, files, MLflow."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from citegrain.flows.shared.choices import StudyConfig
from citegrain.flows.shared.settings import load_settings
from citegrain.flows.study import ablate as costs
from citegrain.flows.study import nodes
from citegrain.flows.study.ablate import ablate
from citegrain.flows.study.run import run_study
from citegrain.flows.study.study import Study
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.evaluation.design import Contrast
from tests.flows.conftest import Done, Quiet, common, copy_artifacts, finished
from tests.flows.study.test_bench import benched, logged, write_stories
from tests.flows.tiny_study import TINY, Ablated

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("studies")]
Call = Callable[..., Done]
Run = Callable[..., tuple[Study, Tables, Path]]


@pytest.fixture
def artifacts(ablated: Ablated, tmp_path: Path) -> Path:
    """The test's own artefacts hold the study already."""
    shutil.rmtree(tmp_path / "artifacts", ignore_errors=True)
    copy_artifacts(ablated.artifacts, tmp_path / "artifacts")
    return tmp_path / "artifacts"


def design_of(folder: Path) -> dict[str, Any]:
    """What the file of a study says of its design."""
    return dict(json.loads((folder / "study.json").read_text(encoding="utf-8"))["design"])


@pytest.fixture
def base(indexed: Path, corpus: Path, tmp_path: Path, tiny_model: Path) -> list[str]:
    benchmark = [o for o in benched(write_stories(tmp_path)) if o != "rerank=none"]
    return [*common(tmp_path, tiny_model), *benchmark]


@pytest.fixture
def run(base: list[str]) -> Run:
    def start(
        study: StudyConfig = TINY, *overrides: str, dry_run: bool = False, progress: Quiet | None = None
    ) -> Any:
        given = [*base, *overrides]
        settings = replace(load_settings(given), study=study)
        return finished(ablate(given, settings, progress or Quiet(), ["ablate"], dry_run))

    return start


def test_cells_share_their_work_and_the_same_study_is_the_same(
    run: Run, ablated: Ablated, artifacts: Path
) -> None:
    study, results, folder = ablated.study, ablated.results, ablated.folder
    assert len(study.members) == 16 and not any(m.failure for m in study.members)
    unique = {"query": 1, "retrieve": 2, "fuse": 2, "rerank": 8, "select": 16, "verify": 16, "score": 16}
    # answers are computed once for two equal lists
    assert study.computed.keys() == unique.keys() and all(n <= unique[s] for s, n in study.computed.items())
    assert len(ablated.drawn) == sum(unique.values()), "one task a stage run, whichever cells it serves"
    rows = results["effects"].to_pylist()
    confirmed = [r for r in rows if r["confirmatory"]]
    contrasts, metrics = ("retrieval: rrf - sparse", "reranker: on - off"), ("primary_accuracy", "ndcg_10")
    assert {(r["contrast"], r["metric"]) for r in confirmed} == set(product(contrasts, metrics))
    assert {r["matched"] for r in confirmed} == {8} and all(r["n"] == 4 for r in confirmed)
    assert not [r for r in rows if r["dimension"] == "register"], "it does not divide these queries"
    # the effect is the mean of the differences of matched cells
    means = {
        r["configuration"]: r["value"] for r in results["summary"].to_pylist() if r["metric"] == "ndcg_10"
    }
    rrf = [name for name in means if name.startswith("rrf-")]
    differences = [means[name] - means[name.replace("rrf-", "sparse-")] for name in rrf]
    effect = next(r for r in confirmed if r["factor"] == "retrieval" and r["metric"] == "ndcg_10")
    assert effect["effect"] == pytest.approx(sum(differences) / 8)

    facts = design_of(folder)
    assert facts["holes"] == [] and facts["cells"]["rrf-reranker_on-provenance_off-mmr"]["reranker"] == "on"
    again = run()
    assert not again[0].started_flow
    for name, table in results.items():
        assert again[1][name].to_pandas().equals(table.to_pandas()), name  # NaN equals NaN
    assert {r["step"] for r in results["timings"].to_pylist()} >= {"single_p50"}


@pytest.mark.parametrize(
    "cell", ["rrf-reranker_on-provenance_on-mmr", "sparse-reranker_off-provenance_off-topk"]
)
def test_a_cell_is_what_the_configuration_alone_is(ablated: Ablated, base: list[str], cell: str) -> None:
    overrides = TINY.overrides(TINY.design.cells[cell])
    settings = load_settings([*base, *overrides])
    single = finished(run_study("alone", {cell: (overrides, settings)}, settings, Quiet(), []))
    assert single[0].started_flow
    theirs, rows = single[1]["scores"].to_pylist(), ablated.results["scores"].to_pylist()
    ours = [row for row in rows if row["configuration"] == cell]
    assert sorted(map(repr, ours)) == sorted(map(repr, theirs)) and len(ours) > 50


def test_a_failed_cell_is_a_hole_and_its_partners_are_left_out(run: Run) -> None:
    factors = {**TINY.factors, "reranker": {"off": ["rerank=none"], "on": ["rerank=cross_encoder"]}}
    broken = replace(TINY, factors=factors)
    _, results, folder = run(broken, "rerank.model=/nowhere/at/all")
    holes = design_of(folder)["holes"]
    assert len(holes) == 8 and all("reranker_on" in name for name in holes)
    by_factor = {r["factor"]: r for r in results["effects"].to_pylist() if r["confirmatory"]}
    assert by_factor["retrieval"]["matched"] == 4
    assert by_factor["reranker"]["matched"] == by_factor["reranker"]["n"] == 0
    assert by_factor["reranker"]["p"] != by_factor["reranker"]["p"], "it was declared and cannot be estimated"


@pytest.mark.slow
def test_a_killed_study_is_resumed_and_ends_like_one_that_was_not(
    run: Run, ablated: Ablated, monkeypatch: Any
) -> None:
    work_run = nodes.Node.run
    finished: list[str] = []

    def killed(node: nodes.Node, *rest: Any) -> nodes.StageResult:
        if len(finished) == 12:
            raise KeyboardInterrupt
        finished.append(node.step.name)
        return work_run(node, *rest)

    monkeypatch.setattr(nodes.Node, "run", killed)
    with pytest.raises(KeyboardInterrupt):
        run()
    monkeypatch.setattr(nodes.Node, "run", work_run)
    resumed = run()
    computed, undisturbed = resumed[0].computed, ablated.study.computed
    assert sum(computed.values()) == sum(undisturbed.values()) - 12, "what was finished is not computed again"
    assert resumed[1]["effects"].to_pandas().equals(ablated.results["effects"].to_pandas())
    assert resumed[1]["scores"].equals(ablated.results["scores"])


def test_a_dry_run_shows_cells_stages_and_time_and_stores_nothing(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "artifacts" / "store"
    before = sorted(p for p in store.rglob("*"))
    quiet = Quiet()
    run(TINY, dry_run=True, progress=quiet)
    text = "\n".join(quiet.lines)
    assert "16 cells, all of retrieval (2) x reranker (2)" in text
    assert "rerank      8 unique runs,   0 present" in text and "at most" in text and " s by the time" in text
    assert sorted(p for p in store.rglob("*")) == before
    assert not quiet.steps and not (tmp_path / "artifacts" / "reports").exists()


def test_a_dry_run_before_anything_is_indexed_says_that_builds_are_missing(run: Run, tmp_path: Path) -> None:
    quiet = Quiet()
    run(TINY, f"artifacts='{tmp_path / 'none'}'", dry_run=True, progress=quiet)
    assert "not known before the builds are made" in quiet.lines[-1]
    assert any(line.startswith("16 configurations x 5 queries") for line in quiet.lines)
    assert not (tmp_path / "none" / "builds").exists()


def test_a_fraction_has_fewer_cells_and_lists_its_aliases(run: Run) -> None:
    study, results, folder = run(replace(TINY, cells="fraction"))
    assert len(study.members) == 8 and folder.name.startswith("tiny-fraction-")
    assert "retrieval x reranker = provenance x diversity" in design_of(folder)["aliases"]
    assert {r["kind"] for r in results["effects"].to_pylist()} == {"main"}


def test_times_are_stored_and_are_those_of_single_steps(
    run: Run, ablated: Ablated, artifacts: Path, monkeypatch: Any
) -> None:
    rows = ablated.results["timings"].to_pylist()
    times = {r["configuration"]: r["ms"] for r in rows if r["step"] == "single_p50"}
    assert len(times) == 16 and min(times.values()) > 0
    stored = sorted((artifacts / "store" / costs.STAGE.name).iterdir())
    monkeypatch.setattr(costs, "time_queries", lambda *_: pytest.fail("timed again"))
    again = run()
    assert again[1]["timings"].equals(ablated.results["timings"])
    assert sorted((artifacts / "store" / costs.STAGE.name).iterdir()) == stored


def test_mlflow_has_a_child_a_cell_with_its_levels(ablated: Ablated, tmp_path: Path) -> None:
    client, (_, parent), children = logged(ablated.folder, tmp_path / "artifacts")
    assert len(children) == 16
    one = children["rrf-reranker_on-provenance_on-mmr"].data
    assert one.params["factor.reranker"] == "on" and one.params["factor.diversity"] == "mmr"
    assert {"primary_accuracy", "primary_accuracy_lo", "ndcg_10_n", "query_ms_p50"} <= set(one.metrics)
    note = client.get_run(parent).data.tags["mlflow.note.content"]
    assert "retrieval: rrf against sparse" in note and "| sparse-reranker" not in note
    assert "- retrieval: sparse, rrf\n- reranker: off, on\n" in note


PAIRS = ("rrf", "sparse"), ("sparse", "rrf")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"contrasts": [Contrast("retrieval", "rrf", "weighted")]}, "two levels"),
        ({"contrasts": [Contrast("chunking", "a", "b")]}, "two levels"),
        ({"contrasts": [Contrast("retrieval", "rrf", "rrf")]}, "two levels"),
        ({"contrasts": [Contrast("retrieval", *pair) for pair in PAIRS]}, "declared twice"),
        ({"metrics": ["ndcg_10", "ndcg_10"]}, "a metric is named twice"),
        ({"metrics": ["primary_acuracy"]}, "named primary_acuracy; did you mean primary_accuracy?"),
        ({"metrics": ["primary_accuracy", "ece"]}, "ece: a query by itself has no value of it"),
        ({"cells": "some"}, "all or fraction"),
        ({"factors": {"one": {"only": ["select=top"]}}, "contrasts": []}, "at least two levels"),
        ({"factors": {"a/b": {"../x": [], "y": []}}, "contrasts": []}, "study.factors"),
        ({"timed": -1}, "timed"),
    ],
)
def test_a_wrong_study_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(TINY, **wrong)


@pytest.mark.parametrize("name", ["structural", "late_interaction"])
def test_studies_that_ship_are_whole(name: str) -> None:
    study = load_settings([f"study={name}"]).study
    assert study is not None
    cells = study.design.cells
    assert len(study.contrasts) >= len(study.factors) - 1
    for name in list(cells)[:: max(1, len(cells) // 2)]:
        assert load_settings(["corpus=demo", *study.overrides(cells[name])]).corpus.kind == "demo"


def test_the_structural_study_is_that_of_the_thesis() -> None:
    study = load_settings([]).study
    assert study is not None and len(study.design.cells) == 64
    assert [c.label for c in study.contrasts] == [
        "retrieval: rrf - dense", "retrieval: rrf - sparse", "retrieval: rrf - weighted",
        "chunking: statutory - fixed", "reranker: on - off", "provenance: on - off", "diversity: mmr - topk",
    ]  # fmt: skip
    assert study.metrics == ["primary_accuracy", "ndcg_10"]
    composed = [load_settings(["corpus=demo", *study.overrides(c)]) for c in study.design.cells.values()]
    assert {(s.cascade.rerank.scale, s.cascade.select.scale) for s in composed} == {("min_max", "min_max")}
    chunks, reranks = [s.documents["chunk"] for s in composed], [s.cascade.rerank for s in composed]
    built = zip(chunks, reranks, strict=True)
    assert len({(chunk.strategy, rerank.scorer, rerank.provenance) for chunk, rerank in built}) == 8


def test_from_the_command_line(call: Call, base: list[str], tmp_path: Path) -> None:
    left_out = ("chunking", "reranker", "retrieval.weighted", "retrieval.dense")
    overrides = [*base, "bench.report=true", "study.name=small", "study.timed=1"]
    overrides += [f"~study.factors.{name}" for name in left_out]
    overrides.append("study.contrasts=[{factor:retrieval,level:rrf,against:sparse}]")
    plan = call("ablate", *overrides, "--dry-run")
    assert plan.returncode == 0 and "8 cells" in plan.stderr
    done = call("ablate", *overrides)
    assert done.returncode == 0, done.stderr
    assert "retrieval: rrf against sparse" in done.stdout and "report.html" in done.stdout
    folder = tmp_path / "artifacts" / "reports" / "small-mine-stories"
    assert pq.read_table(folder / "effects.parquet").num_rows == 2
    wrong = call("ablate", *base, "study.cells=some")
    assert wrong.returncode == 2 and "all or fraction" in wrong.stderr

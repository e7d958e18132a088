"""A calibration that is really run: two factors on a development split, and the experiment that comes of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.evaluation.studies import read_study
from tests.flows.conftest import Done, common
from tests.flows.study.test_bench import benched, write_stories

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("prefect")]
FACTORS = """
factors:
  - {name: chunk_size, rule: best, values: [["chunk.size=40"], ["chunk.size=20"]]}
  - {name: rrf_k, values: [["fuse.k=60"], ["fuse.k=1"]]}
"""


def test_two_factors_are_calibrated_and_the_experiment_composes_to_what_was_chosen(
    call: Callable[..., Done],
    corpus: Path,
    tmp_path: Path,
    indexed: Path,
    tiny_model: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "conf" / "calibrate").mkdir(parents=True)
    (tmp_path / "conf" / "calibrate" / "two.yaml").write_text(FACTORS, encoding="utf-8")
    split = [o for o in benched(write_stories(tmp_path)) if not o.startswith("rerank")]
    given = [*common(tmp_path, tiny_model), *split]
    given += ["experiment=bm25_only", "retrieve.channels=[dense,sparse]"]
    start = ["fuse=rrf", "select=top", "calibrate=two", "benchmark.split=dev"]
    done = call("calibrate", "--write", "tuned", *given, *start)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "artifacts" / "reports" / "calibration-mine-stories"
    size, k = json.loads((folder / "calibration.json").read_text(encoding="utf-8"))
    assert (size["factor"], k["factor"]) == ("chunk_size", "rrf_k")
    for choice, values in ((size, (40, 20)), (k, (60, 1))):
        assert [int(tried["overrides"][0].partition("=")[2]) for tried in choice["tried"]] == [*values]
        assert all(tried["n"] == 4 and 0 <= tried["value"] <= 1 for tried in choice["tried"])
        # each of its configurations is a study of its own, with builds of their own where chunks differ
        study = read_study(folder / choice["factor"])
        means = [study.value(name, "ndcg_10") for name in study.configurations]
        assert means == pytest.approx([tried["value"] for tried in choice["tried"]])
    builds = {facts["build"] for facts in read_study(folder / "chunk_size").facts["configurations"].values()}
    assert len(builds) == 2
    best = max(size["tried"], key=lambda tried: tried["value"])
    assert size["chosen"] == best["overrides"]
    assert k["chosen"] == ["fuse.k=60"] and k["reason"] == "none is better by more than chance"  # of four

    text = (tmp_path / "conf" / "experiment" / "tuned.yaml").read_text(encoding="utf-8")
    written = yaml.safe_load(text)
    assert written["defaults"][0] == "bm25_only" and {"override /fuse": "rrf"} in written["defaults"]
    assert "made by: citegrain" in text and size["reason"] in text
    where = ["corpus=folder", f"corpus.path='{corpus}'", "corpus.name=mine"]
    tuned, plain = load_settings(["experiment=tuned", *where]), load_settings([*given, *start])
    assert tuned.documents["chunk"].size == int(best["overrides"][0].partition("=")[2])
    assert all(tuned.online[name] == plain.online[name] for name in ("fuse", "retrieve", "select"))
    assert tuned.embed == plain.embed


def test_the_seven_parameters_of_the_thesis_are_factors_and_its_own_values_stand_first() -> None:
    given = ["experiment=thesis", "corpus=folder", "corpus.path=.", "corpus.name=mine"]
    plain = load_settings(given)
    factors = load_settings([*given, "calibrate=thesis"]).calibrate.factors
    names = ["chunk_size", "overlap", "k_ret", "rrf_k", "lambda", "lambda_mmr", "k_2"]
    assert [factor.name for factor in factors] == names  # 4.1
    for factor in factors:
        first, *others = (load_settings([*given, *value]) for value in factor.values)
        assert first == plain, factor.name  # Table 4.2
        assert all(other != plain for other in others)

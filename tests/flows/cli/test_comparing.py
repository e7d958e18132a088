"""Values by comma, ``citegrain compare``, and what a calibration leaves for the next command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from citegrain.flows.cli import measure
from citegrain.flows.shared.choices import SweepConfig
from citegrain.flows.shared.settings import load_settings
from citegrain.flows.study import calibrate
from citegrain.tasks.core.schemas import COMPARISONS
from citegrain.tasks.evaluation.compare import compare
from citegrain.tasks.evaluation.report import plots, verdicts_table
from citegrain.tasks.evaluation.score import KINDS
from citegrain.tasks.evaluation.studies import command_of, read_study, study_folders
from tests.flows.conftest import Done, Quiet
from tests.tasks.evaluation.report.studies import make_study, write

Call = Callable[..., Done]
ON = ["corpus=demo", "benchmark=constitution"]


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is measured, in the place of measuring it."""
    calls: list[Any] = []
    monkeypatch.setattr(measure, "measure", lambda *given: calls.append(given))
    return calls


@pytest.mark.parametrize("command", [("sweep",), ("sweep", "-m"), ("bench", "--multirun")])
def test_values_by_comma_are_measured_without_a_sweep(
    call: Call, measured: list[Any], command: tuple[str, ...]
) -> None:
    done = call(*command, "fuse.depth=5,10", "select=top,mmr", *ON)
    assert done.returncode == 0, done.stderr
    title, members, _, _, _, baseline, metrics = measured[0]
    assert {name: overrides for name, (overrides, _) in members.items()} == {
        "depth_5-select_top": ["fuse.depth=5", "select=top"],
        "depth_5-select_mmr": ["fuse.depth=5", "select=mmr"],
        "depth_10-select_top": ["fuse.depth=10", "select=top"],
        "depth_10-select_mmr": ["fuse.depth=10", "select=mmr"],
    }
    settings = members["depth_10-select_mmr"][1]
    assert (settings.cascade.fuse.depth, settings.cascade.select.method) == (10, "mmr")
    assert baseline == "depth_5-select_top" and metrics == ["primary_accuracy", "ndcg_10"]
    assert title == "fuse.depth_5_10-select_top_mmr-demo-constitution"


def test_values_cross_a_sweep_that_is_named(call: Call, measured: list[Any]) -> None:
    assert call("sweep", "sweep=operators", "rerank.provenance=0.0,0.15", *ON).returncode == 0
    members = measured[0][1]
    chosen = ["select=mmr", "rerank.provenance=0.15"]
    assert len(members) == 10 and members["diverse-provenance_0.15"][0] == chosen
    assert call("sweep", "embed.model=a/b,c", *ON).returncode == 2


def test_a_sweep_over_several_benchmarks_is_a_study_each_and_one_table(
    call: Call, measured: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[tuple[list[Path], dict[str, str]]] = []
    monkeypatch.setattr(measure, "_show_kinds", lambda *given: shown.append(given))
    monkeypatch.setenv("CITEGRAIN_SHARED", str(tmp_path))  # without the real questions
    done = call("sweep", "sweep=presets", "corpus=demo", f"artifacts='{tmp_path}'")
    assert done.returncode == 0 and "real_choose: left out" in done.stderr
    names = ["complaints_dev", "rera", "cases"]
    assert [given[2].benchmark.name for given in measured] == names
    assert [given[0] for given in measured] == [f"presets-demo-{name}" for name in names]
    assert all(given[1]["thesis"][1].benchmark.name == given[2].benchmark.name for given in measured)
    ((folders, made_for),) = shown
    assert folders == [tmp_path / "reports" / f"presets-demo-{name}" for name in names]
    assert made_for["civicsetu"] == "rera primary_5"
    measured.clear()
    assert call("sweep", "sweep=presets", *ON).returncode == 0
    assert [given[0] for given in measured] == ["presets-demo-constitution"]


def test_claims_are_shown_reversed_or_not_beyond_chance(tmp_path: Path) -> None:
    claims = dict.fromkeys("ab", "hit_1 higher") | dict.fromkeys("cd", "hit_1 lower") | {"e": "mrr lower"}
    cells = ("base", "a", "b", "c", "d")
    folder = make_study(tmp_path / "s", cells, study="s", baseline="base", claims=claims)
    values = {"a": (0.2, 0.1, 0.3, 0.01), "b": (-0.2, -0.3, -0.1, 0.01), "c": (-0.2, -0.3, -0.1, 0.04)}
    values["d"] = (-0.1, -0.3, 0.1, 0.6)
    names = [column.name for column in COMPARISONS.arrow]
    rows = [
        dict.fromkeys(names, 1)
        | {"configuration": name, "baseline": "base", "metric": "hit_1", "difference": d, "lo": lo, "hi": hi}
        | {"p": p, "p_holm": p, "mde": 0.1}
        for name, (d, lo, hi, p) in values.items()
    ]
    write(folder, COMPARISONS, rows)
    table = verdicts_table(read_study(folder))
    verdicts = {row[0].text: row[-1].text for row in table.rows}
    expected = ["shown", "reversed", "shown", "not beyond chance", "not measured"]
    assert verdicts == dict(zip("abcde", expected, strict=True))
    assert (table.rows[0][1].text, table.rows[0][2].text) == ("Hit 1 higher", "+20.0")


@pytest.mark.parametrize("claim", ["hit_1 higher", "ndcg_10 more", "ndcg_10", ""])
def test_a_claim_names_a_metric_of_the_sweep_and_a_direction(claim: str) -> None:
    assert SweepConfig(configurations={"a": []}, metrics=["ndcg_10"], claims={"a": "ndcg_10 lower"})
    with pytest.raises(ValueError, match=r"sweep.claims.a=.*: one of sweep.metrics, then higher or lower"):
        SweepConfig(configurations={"a": []}, metrics=["ndcg_10"], claims={"a": claim})


def test_a_configuration_of_several_values_has_a_command_of_its_own() -> None:
    command = command_of("citegrain sweep fuse.depth=5,10 corpus=demo", ["fuse.depth=5"])
    assert command == "citegrain bench corpus=demo fuse.depth=5"


@pytest.fixture
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "draw", lambda study: {})


@pytest.mark.usefixtures("no_figures")
def test_finished_runs_are_compared_with_the_first(call: Call, tmp_path: Path) -> None:
    reports = tmp_path / "reports"
    make_study(reports / "one", study="one")
    make_study(reports / "two", ("default",), study="two", skills={"default": 0.9})
    done = call("compare", "one/plain", "one/default", "two", f"artifacts='{tmp_path}'")
    assert done.returncode == 0, done.stderr
    joined = read_study(reports / "one-plain-vs-one-default-vs-two")
    assert joined.scored == ["plain", "one-default", "two-default"] and joined.baseline == "plain"
    one, two = read_study(reports / "one"), read_study(reports / "two")
    assert joined.cells["plain", "ndcg_10"]["value"] == one.cells["plain", "ndcg_10"]["value"]
    assert joined.cells["two-default", "mrr"]["n"] == two.cells["default", "mrr"]["n"]
    assert len(joined.answers("one-default")) == len(one.answers("default")) > 0
    rows = {(r["configuration"], r["metric"]): r for r in joined.rows("comparisons")}
    assert len(rows) == 4
    alone = compare(one.tables["scores"], KINDS, [("plain", "default", "ndcg_10")], 1).to_pylist()[0]
    row = rows["one-default", "ndcg_10"]
    assert all(row[k] == alone[k] for k in ("difference", "lo", "hi", "p"))
    assert row["p_holm"] > row["p"]  # four comparisons, not one
    text = (joined.folder / "report.html").read_text(encoding="utf-8")
    assert "citegrain bench corpus.name=mine benchmark=constitution experiment=plain" in text
    assert "The family, chosen from finished runs: " in text and "two-default" in done.stdout
    assert "design" not in json.loads((joined.folder / "study.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["one"], 1, "two different runs"),
        (["one/plain", "one/plain"], 1, "two different runs"),
        (["one/plain", "one/none"], 1, "one/none: no run of this name has scores"),
        (["one", "none"], 2, "none: no study has this name"),
        (["one", "other"], 1, "not measured on the same benchmark: as_of"),
    ],
)
def test_what_cannot_be_compared_is_one_line(
    call: Call, tmp_path: Path, words: list[str], code: int, message: str
) -> None:
    one = make_study(tmp_path / "reports" / "one", ("plain",), study="one")
    facts = read_study(one).facts["benchmark"] | {"as_of": "2001-01-01"}
    make_study(tmp_path / "reports" / "other", ("default",), study="other", benchmark=facts)
    done = call("compare", *words, f"artifacts='{tmp_path}'")
    assert done.returncode == code and message in done.stderr and done.stderr.count("\n") == 1


def test_the_studies_inside_a_calibration_are_not_the_newest(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    overrides = [f"artifacts='{tmp_path}'", "corpus=demo", "benchmark=constitution_dev"]
    settings = load_settings(overrides)
    newest = make_study(settings.reports_folder / "mine")

    def run(title: str, *_: Any) -> Any:
        make_study(settings.reports_folder / title)
        return SimpleNamespace(members=[])

    monkeypatch.setattr(calibrate, "run_study", run)
    choose = calibrate.choose
    monkeypatch.setattr(calibrate, "choose", lambda factor, values, seed: choose(factor, _Equal(), seed))
    choices, file = calibrate.calibrate(overrides, settings, Quiet(), ["calibrate"])
    assert (file.parent / choices[0].factor / "study.json").is_file()
    assert study_folders(settings.reports_folder) == [newest]


class _Equal(dict[str, dict[str, float]]):
    """Scores by which no value is better than another."""

    def __missing__(self, name: str) -> dict[str, float]:
        return {"a": 1.0, "b": 0.0}

    def get(self, name: str, default: Any = None) -> Any:
        return self[name]


def test_the_choices_are_printed_as_one_line_to_paste(
    call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    chosen = [["rerank=none"], ["retrieve.k=20", "retrieve.channels=[dense, sparse]"]]
    choices = [calibrate.Choice(f"f{i}", "ndcg_10", overrides, "") for i, overrides in enumerate(chosen)]
    monkeypatch.setattr(calibrate, "calibrate", lambda *_: (choices, tmp_path / "calibrated.yaml"))
    done = call("calibrate", *ON)
    assert done.stdout.splitlines()[-1] == "rerank=none retrieve.k=20 'retrieve.channels=[dense, sparse]'"

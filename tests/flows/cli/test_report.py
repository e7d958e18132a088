"""``citegrain report``, and that the commands a report prints give the configurations of its rows."""

from __future__ import annotations

import os
import shlex
from dataclasses import asdict
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from citegrain.flows.cli.main import app
from citegrain.flows.shared.settings import load_settings, shaping
from citegrain.tasks.evaluation.report import page
from citegrain.tasks.evaluation.report.provenance import command_of
from tests.tasks.evaluation.report.studies import make_study


def report(artifacts: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["report", *words, f"artifacts='{artifacts}'"])


@pytest.fixture(autouse=True)
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "draw", lambda study: {})


def test_the_newest_the_named_and_the_folder(tmp_path: Path) -> None:
    old, new = (make_study(tmp_path / "reports" / name, study=name) for name in ("old", "new"))
    os.utime(old / "study.json", (1, 1))
    for words, folder in (((), new), (("old",), old), ((str(old),), old)):
        done = report(tmp_path, *words)
        assert done.exit_code == 0, done.output
        written = folder / "report.html"
        assert done.output.replace("\n", "").endswith(str(written))
        assert f"<h1>{folder.name}</h1>" in written.read_text(encoding="utf-8")
        written.unlink()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 1, "there is no study yet"),
        (("none",), 2, "none: no study has this name"),
        (("a", "b"), 2, "one study at a time, not a and b"),
    ],
)
def test_errors_take_one_line(tmp_path: Path, words: tuple[str, ...], code: int, message: str) -> None:
    done = report(tmp_path, *words)
    assert done.exit_code == code
    assert done.output.startswith(f"citegrain: {message}")
    assert done.output.count("\n") == 1


def test_a_damaged_study_takes_one_line(tmp_path: Path) -> None:
    folder = make_study(tmp_path / "reports" / "mine")
    (folder / "funnel.parquet").write_bytes(b"no table")
    done = report(tmp_path, "mine")
    assert done.exit_code == 1
    assert "funnel.parquet" in done.output
    assert done.output.count("\n") == 1
    assert not (folder / "report.html").exists()


@pytest.mark.parametrize("sweep", ["baselines", "rerankers"])
def test_the_commands_give_the_configurations_of_the_sweep(sweep: str) -> None:
    overrides = [f"sweep={sweep}", "corpus=demo", "benchmark=constitution", "bench.seed=3", "fuse.k=40"]
    chosen = load_settings(overrides).sweep
    assert chosen is not None
    members = chosen.members()
    for member in [next(iter(members.values())), list(members.values())[-1]]:
        command = shlex.split(command_of(shlex.join(["citegrain", "sweep", *overrides]), member))
        assert command[:2] == ["citegrain", "bench"]
        again, then = load_settings(command[2:]), load_settings([*overrides, *member])
        for stage in (*shaping(), "benchmark", "corpus", "bench"):
            assert asdict(again.of(stage)) == asdict(then.of(stage))

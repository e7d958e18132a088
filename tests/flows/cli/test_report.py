"""``citegrain report``, and that the commands a report prints give the configurations of its rows."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from citegrain.flows.cli.main import app
from citegrain.flows.shared.settings import load_settings, shaping
from citegrain.tasks.core.schemas import FUNNEL, SCORES, SUMMARY, per_configuration
from citegrain.tasks.evaluation.report import kinds_table, plots, standings
from citegrain.tasks.evaluation.studies import command_of, read_study
from tests.tasks.evaluation.report.studies import make_study, write


def report(artifacts: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["report", *words, f"artifacts='{artifacts}'"])


@pytest.fixture(autouse=True)
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "draw", lambda study: {})


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
        (("a", "b"), 2, "a: no study has this name"),
    ],
)
def test_errors_take_one_line(tmp_path: Path, words: tuple[str, ...], code: int, message: str) -> None:
    done = report(tmp_path, *words)
    assert done.exit_code == code
    assert done.output.startswith(f"citegrain: {message}")
    assert done.output.count("\n") == 1


def test_runs_on_several_benchmarks_stand_beside_each_other(tmp_path: Path) -> None:
    texts = ("How can I get a refund?", "Punish him!", "She is my aunt.", "Is he entitled to it?")
    firsts = {"real": (1, 0, 0, 1), "written": (1, 1, 1, 1)}
    for name, values in firsts.items():
        folder = make_study(
            tmp_path / "reports" / name, ("default", "other"), queries=4, beyond=1,
            study=name, questions={f"q-{i:03d}": {"text": text} for i, text in enumerate(texts)},
            benchmark={"name": f"{name}_set"},
        )  # fmt: skip
        names, rows = ("configuration", "query_id", "metric", "value"), []
        for configuration, (i, first) in product(("default", "other"), enumerate(values)):
            for metric, value in (("primary_1", first), ("hit_1", 1), ("primary_5", 0), ("primary_20", 1)):
                row = configuration, f"q-{i:03d}", metric, float(value)
                rows.append(dict(zip(names, row, strict=True)))
        write(folder, per_configuration(SCORES), rows)
    done = report(tmp_path, "real", "written/default")
    assert done.exit_code == 0, done.output
    page_text = (tmp_path / "reports" / "real" / "report.html").read_text(encoding="utf-8")
    section = page_text.partition('id="beside"')[2].partition("</section>")[0]
    cells = [re.sub(r"<[^>]+>", " ", row).split() for row in section.split("<tr>")[2:]]
    begins = [" ".join(row)[:68] for row in cells]
    assert begins[:2] == [
        "(all) real_set real/default 4 50.0 [15.0, 85.0] 100.0 [51.0, 100.0] ",
        "(all) written_set written/default 4 100.0 [51.0, 100.0] 100.0 [51.0,",
    ]
    of_default = [row for row in cells if "real/default" in row]
    groups = [(" ".join(r).partition("_set")[0], r[r.index("real/default") + 1 :][:2]) for r in of_default]
    assert groups == [
        ("(all) real", ["4", "50.0"]), ("punishment real", ["1", "0.0"]), ("remedy real", ["1", "100.0"]),
        ("procedure real", ["1", "100.0"]), ("right real", ["2", "100.0"]), ("(none of these) real", ["1", "0.0"]),
    ]  # fmt: skip
    assert "One configuration" in section and "15.0, 85.0" in done.output
    assert "differ in fuse.k" in report(tmp_path, "real/default", "written/other").output
    for words, why in (
        (("real/none", "written"), "real/none: no run of this name has scores"),
        (("real/default",), "a comparison needs two different runs or more"),
    ):
        done = report(tmp_path, *words)
        assert done.exit_code == 1 and done.output == f"citegrain: {why}\n"


def test_whole_studies_on_several_benchmarks_say_where_most_was_lost(tmp_path: Path) -> None:
    lost = {"a": ("found", "not_retrieved", "not_retrieved"), "b": ("found", "found", "found")}
    for name, metric in (("one", "hit_1"), ("two", "ndcg_10")):
        folder = make_study(
            tmp_path / "reports" / name, tuple(lost), queries=3, beyond=0, study=name,
            benchmark={"name": f"{name}_set"}, metrics=[metric],
        )  # fmt: skip
        rows: list[dict[str, Any]] = [
            {"configuration": c, "query_id": f"q-{i}", "primary": primary, "lost_at": at}
            for c, losses in lost.items()
            for i, at in enumerate(losses)
            for primary in (True, False)
        ]
        rows = [row | {"act": "a", "section": "1"} for row in rows]
        write(folder, per_configuration(FUNNEL), rows)
        values = {"a": 0.25, "b": 1.0}.items()
        cells = [
            {"configuration": c, "value": v, "lo": v, "hi": v} | {"metric": metric, "n": 3} for c, v in values
        ]
        write(folder, SUMMARY, cells)
    table = kinds_table([read_study(tmp_path / "reports" / name) for name in ("one", "two")])
    headings = [(c.heading, c.small) for c in table.columns]
    assert headings == [("one_set", "Any applicable first,\N{NO-BREAK SPACE}%"), ("two_set", "nDCG@10")]
    assert [[(cell.text, cell.n) for cell in row] for row in table.rows] == [
        [("a", ""), ("25.0", "Not retrieved 2 of 3"), ("0.250", "Not retrieved 2 of 3")],
        [("b", ""), ("100.0", "n = 3"), ("1.000", "n = 3")],
    ]
    scores = [
        {"configuration": c, "query_id": f"q-{i}", "metric": "hit_1", "value": float(at == "found")}
        for c, losses in lost.items()
        for i, at in enumerate(losses)
    ]
    write(tmp_path / "reports/one", per_configuration(SCORES), scores)
    made_for = {"a": "one_set hit_1", "b": "two_set ndcg_10", "c": "three_set hit_1"}
    studies = [read_study(tmp_path / "reports" / name) for name in ("one", "two")]
    first, second = standings(studies, made_for)
    assert first.startswith("a, made for one_set: any applicable first 25.0 all alike, n = 3, place 2 of 2 ")
    assert "Against b −66.7" in first and first.endswith("only b has, its funnel lost: not retrieved 2")
    best = "b, made for two_set: nDCG@10 1.000 all alike, n = 3, place 1 of 2 published systems"
    assert second == best
    shown = report(tmp_path, "one", "two").output
    assert "By kind of question" in shown and "Not retrieved 2 of 3" in shown
    assert "By kind of question" not in report(tmp_path, "one/a", "two/b").output


def test_a_damaged_study_takes_one_line(tmp_path: Path) -> None:
    folder = make_study(tmp_path / "reports" / "mine")
    (folder / "funnel.parquet").write_bytes(b"no table")
    done = report(tmp_path, "mine")
    assert done.exit_code == 1 and "funnel.parquet" in done.output and done.output.count("\n") == 1
    assert not (folder / "report.html").exists()


@pytest.mark.parametrize("sweep", ["baselines", "rewrites"])
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
            assert asdict(again.group(stage)) == asdict(then.group(stage))

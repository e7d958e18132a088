"""The notebooks have outputs, run, and only read: a build, a factorial study, a study without a design."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pyarrow.parquet as pq
import pytest

from citegrain.tasks.core.schemas import EFFECTS, SUMMARY
from citegrain.tasks.core.tables import write_table
from citegrain.tasks.evaluation.report import supported
from tests.conftest import ROOT
from tests.flows.tiny_study import Ablated
from tests.golden_outputs import golden_build

NOTEBOOKS = ROOT / "notebooks"


@pytest.fixture(autouse=True)
def unseen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No window for figures, none left open; started in the folder of the notebooks."""
    import matplotlib.pyplot as plt

    monkeypatch.chdir(NOTEBOOKS)
    with mpl.rc_context({"backend": "agg", "figure.max_open_warning": 0}):
        yield
        plt.close("all")


def run(name: str) -> dict[str, Any]:
    """Run the cells of a notebook; what its names stand for in the end."""
    names: dict[str, Any] = {}
    for cell in json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            try:
                exec(compile("".join(cell["source"]), name, "exec"), names)
            finally:
                if "pd" in names:  # options are those of the process
                    names["pd"].reset_option("display.max_colwidth")
    return names


def files(folder: Path) -> list[tuple[Path, int, int]]:
    """What is there, but for the folder of the Prefect server, which is at work."""
    files = [(p, p.stat()) for p in folder.rglob("*") if "prefect" not in p.relative_to(folder).parts]
    return sorted((p, s.st_size, s.st_mtime_ns) for p, s in files)


@pytest.mark.parametrize("notebook", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda p: p.stem)
def test_a_notebook_ships_with_the_outputs_of_one_run(notebook: Path) -> None:
    text = notebook.read_text(encoding="utf-8")
    code = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    kinds = [output["output_type"] for cell in code for output in cell["outputs"]]
    assert len(kinds) >= len(code) - 1 and "error" not in kinds
    assert not re.search(r"""[\s"'(]/(home|root|tmp|Users|opt|usr|var)/""", text), "a path of a machine"


def test_the_outputs_are_of_the_study_that_the_docs_show() -> None:
    study = json.loads((ROOT / "docs/results/structural-demo-constitution.json").read_text(encoding="utf-8"))
    cells = json.loads((NOTEBOOKS / "01_ablation.ipynb").read_text(encoding="utf-8"))["cells"]
    outputs = [o for cell in cells for o in cell.get("outputs", ())]
    printed = "".join(line for o in outputs for line in o.get("text") or o["data"]["text/plain"])
    assert study["study"] in printed and study["effects"]
    for effect in study["effects"]:
        numbers = r"\s+".join(re.escape(f"{effect[key]:.4f}") for key in ("effect", "lo", "hi"))
        assert re.search(rf"{effect['metric']}\s+{numbers}\s+{effect['n']}\b", printed), effect


@pytest.mark.model
@pytest.mark.xdist_group("golden")
def test_the_build_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    build = golden_build().folder
    before = files(build)
    monkeypatch.setenv("CITEGRAIN_BUILD", str(build))
    run("00_build")
    assert files(build) == before


@pytest.mark.prefect
@pytest.mark.xdist_group("studies")
class TestOfAStudy:
    """Notebooks that read a study."""

    @pytest.fixture(autouse=True)
    def study_in_environment(self, ablated: Ablated, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CITEGRAIN_STUDY", str(ablated.folder))
        monkeypatch.delenv("CITEGRAIN_CONFIGURATION", raising=False)

    @pytest.fixture
    def copy(self, ablated: Ablated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A copy of the study alone, to be changed."""
        folder = tmp_path / "reports" / ablated.folder.name
        shutil.copytree(ablated.folder, folder)
        monkeypatch.setenv("CITEGRAIN_STUDY", str(folder))
        return folder

    @pytest.mark.parametrize("name", ["01_ablation", "02_error_analysis"])
    def test_it_only_reads(self, ablated: Ablated, name: str) -> None:
        before = files(ablated.artifacts)
        run(name)
        assert files(ablated.artifacts) == before

    def test_every_declared_effect_is_computed_by_hand(
        self, ablated: Ablated, capsys: pytest.CaptureFixture[str]
    ) -> None:
        names = run("01_ablation")
        printed = capsys.readouterr().out
        assert "4 of 4 effects were computed again from the scores" in printed
        assert "cells: 16 of 16 combinations" in printed and "holes: none" in printed
        assert len(names["claims"]) == 4 and not names["interactions"].empty
        assert set(names["front"].index) <= {member.name for member in ablated.study.members}

    def test_an_effect_is_supported_where_the_report_says_so(self, copy: Path) -> None:
        """By its interval and its p: one of the two is not enough."""
        import matplotlib.pyplot as plt

        path = copy / "effects.parquet"
        table = pq.read_table(path).to_pylist()
        rows = [row for row in table if row["confirmatory"]]
        intervals = [(-0.1, 0.3, 0.001), (0.1, 0.3, 0.2), (0.1, 0.3, 0.001), (-0.3, -0.1, 0.001)]
        for row, (lo, hi, p_holm) in zip(rows, intervals, strict=True):
            row |= {"lo": lo, "hi": hi, "p": 0.0001, "p_holm": p_holm}
        write_table(path, EFFECTS.rows(table), EFFECTS)
        names = run("01_ablation")
        shown = {(row["contrast"], row["metric"]) for row in rows if supported(row)}
        assert shown == {(row["contrast"], row["metric"]) for row in rows[2:]}
        claims = names["claims"]
        claimed = claims[claims["verdict"].str.startswith("supported")]
        assert {*zip(claimed["contrast"], claimed["metric"], strict=True)} == shown
        verdicts = [names["verdict"](row | {"wins": 3, "losses": 1}) for row in rows[:2]]
        assert verdicts == ["null: the interval includes 0", "null after Holm"]
        panels = plt.figure(1).axes
        labels = [label.get_text() for label in panels[0].get_yticklabels()]
        full = {
            (labels[int(y)], axes.get_title())
            for axes in panels
            for line in axes.lines
            if line.get_marker() == "o" and line.get_markerfacecolor() != "white"
            for y in np.asarray(line.get_ydata())
        }
        assert full == shown

    def test_a_study_of_other_metrics_is_looked_at_by_ndcg(self, copy: Path) -> None:
        """Its summary has what was declared and the shares."""
        summary = pq.read_table(copy / "summary.parquet", filters=[("metric", "!=", "ndcg_10")])
        write_table(copy / "summary.parquet", summary, SUMMARY)
        names = run("02_error_analysis")
        assert (
            names["configuration"] == names["ndcg"].index[0]
            and "ndcg_10" not in names["configuration_summary"].index
        )

    @pytest.mark.parametrize("row", [1, 2])  # the one that is shown step by step, and another
    def test_an_effect_that_was_tampered_with_is_seen(self, copy: Path, row: int) -> None:
        table = pq.read_table(copy / "effects.parquet").to_pylist()
        assert table[row]["confirmatory"]
        table[row]["effect"] += 0.001
        write_table(copy / "effects.parquet", EFFECTS.rows(table), EFFECTS)
        with pytest.raises(AssertionError):
            run("01_ablation")

    def test_a_hole_leaves_out_its_partners(self, copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """Effects that rest on the cells that are left, from scores that lack one."""
        from citegrain.tasks.core.schemas import SCORES, per_configuration
        from citegrain.tasks.evaluation.compare import effects
        from citegrain.tasks.evaluation.design import Contrast, full
        from citegrain.tasks.evaluation.score import KINDS

        path = copy / "study.json"
        facts = json.loads(path.read_text(encoding="utf-8"))
        design, hole = facts["design"], next(iter(facts["design"]["cells"]))
        design["holes"] = [hole]
        path.write_text(json.dumps(facts), encoding="utf-8")
        scores = pq.read_table(copy / "scores.parquet", filters=[("configuration", "!=", hole)])
        write_table(copy / "scores.parquet", scores, per_configuration(SCORES))
        contrasts = [Contrast(**c) for c in design["contrasts"]]
        table = effects(scores, KINDS, full(design["factors"]), contrasts, design["metrics"], 0)
        write_table(copy / "effects.parquet", table, EFFECTS)
        names = run("01_ablation")
        assert {len(names["cells_of"](c, "ndcg_10")[0]) for c in design["contrasts"]} == {7}
        assert f"holes: {hole}" in capsys.readouterr().out

    def test_the_best_cell_is_looked_at_and_any_other_can_be(
        self, ablated: Ablated, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        names = run("02_error_analysis")
        best = max(r["value"] for r in ablated.results["summary"].to_pylist() if r["metric"] == "ndcg_10")
        assert names["ndcg"][names["configuration"]] == pytest.approx(best)
        # e cites a section that the Act does not have
        assert names["losses"].set_index("query_id")["lost_at"]["e"] == "not_indexed"
        assert names["row_of"]("lantern-keepers-welfare-act-2011/3")["heading"]
        effect = next(
            r["effect"]
            for r in ablated.results["effects"].to_pylist()
            if r["confirmatory"] and r["metric"] == "ndcg_10" and r["factor"] == names["contrast"]["factor"]
        )
        assert names["differences"]["difference"].mean() == pytest.approx(effect)
        monkeypatch.setenv("CITEGRAIN_CONFIGURATION", "sparse-reranker_off-provenance_off-topk")
        assert set(run("02_error_analysis")["losses"]["configuration"]) == {
            "sparse-reranker_off-provenance_off-topk"
        }
        monkeypatch.setenv("CITEGRAIN_CONFIGURATION", "none")
        with pytest.raises(ValueError, match="none: tiny-mine-stories has no scores of this name"):
            run("02_error_analysis")

    def test_a_study_without_design_groups_or_build(
        self, copy: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = copy / "study.json"
        facts = json.loads(path.read_text(encoding="utf-8"))
        del facts["design"]
        for question in facts["questions"].values():
            del question["groups"]
        path.write_text(json.dumps(facts), encoding="utf-8")
        run("02_error_analysis")
        printed = capsys.readouterr().out
        for sentence in ("this study has no design", "lacks the groups", "the build cannot be read"):
            assert sentence in printed
        with pytest.raises(ValueError, match="has no design"):
            run("01_ablation")

    def test_the_newest_study_is_read_the_newest_factorial_one_first(
        self, copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        reports = tmp_path / "artifacts" / "reports"
        shutil.copytree(copy, reports / "factorial")
        shutil.copytree(copy, reports / "plain")
        facts = json.loads((copy / "study.json").read_text(encoding="utf-8"))
        del facts["design"]
        (reports / "plain" / "study.json").write_text(json.dumps(facts), encoding="utf-8")
        os.utime(reports / "factorial" / "study.json", (1, 1))
        (tmp_path / "pyproject.toml").touch()
        monkeypatch.delenv("CITEGRAIN_STUDY")
        monkeypatch.chdir(reports)
        for name in ("01_ablation", "02_error_analysis"):
            assert run(name)["folder"].name == "factorial"
        shutil.rmtree(reports / "factorial")
        assert run("02_error_analysis")["folder"].name == "plain"
        with pytest.raises(FileNotFoundError, match="no factorial study is there yet"):
            run("01_ablation")

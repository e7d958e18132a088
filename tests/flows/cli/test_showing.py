"""The tables of a terminal show the numbers as the report does, and fit its width."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from rich.console import Console, RenderableType

from citegrain.flows.cli.measure import ablate
from citegrain.flows.cli.showing import comparisons, summary, tried, with_short_names
from citegrain.flows.cli.terminal import rendered
from citegrain.flows.study.calibrate import Choice, Tried
from citegrain.tasks.core.pages import Column, Table, TableCell
from citegrain.tasks.core.schemas import EFFECTS, SUMMARY, TIMINGS
from citegrain.tasks.evaluation.report import costs_table, declared_effects, family_rows
from citegrain.tasks.evaluation.studies import StudyFolder


def printed(table: RenderableType) -> list[str]:
    file = io.StringIO()
    Console(file=file, width=80).print(table)
    return file.getvalue().splitlines()


def study(**tables: pa.Table) -> StudyFolder:
    facts = {"configurations": {"default": {}}, "baseline": "", "metrics": [], "own_metrics": {}}
    return StudyFolder(Path("nowhere"), facts, tables)


def cells(values: dict[str, float], arm: float, n: int) -> pa.Table:
    """A summary of one configuration, from values by metric."""
    bounds = [{"metric": m, "value": v, "lo": v - arm, "hi": v + arm} for m, v in values.items()]
    return SUMMARY.rows([{"configuration": "default", "n": n} | row for row in bounds])


def measured() -> StudyFolder:
    times = [{"configuration": "default", "step": "single_p50", "ms": 2.44}]
    values = cells({"primary_accuracy": 0.2037, "ndcg_10": 0.31379}, 0.1, 54)
    return study(summary=values, timings=TIMINGS.rows(times))


def effect(**values: Any) -> dict[str, Any]:
    return {
        "kind": "main", "contrast": "c", "by_factor": None, "by_level": None, "by_against": None, "dimension": "all",
        "group": "all", "confirmatory": True, "n": 54, "matched": 32, "wins": 3, "losses": 5, "level": "on",
        "against": "off", "effect": 0.1, "lo": 0.02, "hi": 0.2, "p": 0.01, "p_holm": 0.02, "mde": 0.08,
    } | values  # fmt: skip


def printed_effects(rows: list[dict[str, Any]]) -> list[str]:
    return printed(rendered(declared_effects(family_rows(study(effects=EFFECTS.rows(rows))))))


def test_a_summary_has_shares_in_per_cent_and_ndcg_as_a_plain_number() -> None:
    lines = printed(summary(measured(), "t", ["default"]))
    assert max(map(len, lines)) <= 80 and not any("…" in text for text in lines)
    assert "accuracy, %" in lines[2].replace("\N{NO-BREAK SPACE}", " ") and "nDCG@10" in "".join(lines[1:3])
    values = next(text for text in lines if text.startswith("default")).split()
    assert values == ["default", "20.4", "–", "–", "0.314", "2.4"]
    assert "[10.4, 30.4]" in "".join(lines) and "[0.214, 0.414]" in "".join(lines)


def test_differences_have_the_scale_of_their_metric() -> None:
    row = {"configuration": "default", "baseline": "bm25", "n": 54, "wins": 3, "losses": 5}
    row |= {"p": 0.2, "p_holm": 0.0001, "difference": -0.056, "lo": -0.2, "hi": 0.1, "mde": 0.15}
    lines = printed(comparisons([row | {"metric": m} for m in ("primary_accuracy", "mrr")]))
    plain = [text.split() for text in lines if text.startswith("default")]
    assert plain == [
        ["default", "Primary", "accuracy,", "%", "−5.6", "3–5", "<0.001", "15.0"],
        ["default", "MRR", "−0.056", "3–5", "<0.001", "0.150"],
    ]
    assert "[−20.0, +10.0]" in "".join(lines) and "[−0.200, +0.100]" in "".join(lines)


def test_the_values_tried_are_shown_in_the_scale_of_its_metric() -> None:
    values = [Tried(["k=1"], 0.25, 0.0, 0.0, 0.0, 8, 1.0), Tried(["k=2"], 0.375, 0.125, 0.1, 0.2, 8, 0.03)]
    lines = printed(tried(Choice("k", "primary_accuracy", ["k=2"], "", values)))
    assert ["*", "k=2", "37.5", "+12.5", "0.030"] in [text.split() for text in lines]
    assert any("[+10.0, +20.0]" in text for text in lines)


def test_only_declared_effects_are_shown_the_supported_ones_marked() -> None:
    least = {"primary_accuracy": 0.02, "ndcg_10": -0.01}
    rows = [effect(metric=metric, factor="reranker", lo=lo) for metric, lo in least.items()]
    rows.append(rows[0] | {"confirmatory": False, "factor": "diversity"})
    lines = printed_effects(rows)
    assert max(map(len, lines)) <= 80 and not any("…" in text for text in lines)
    assert "over these 2" in lines[0] and not any("diversity" in text for text in lines)
    first, second = (text for text in lines if "reranker" in text)
    assert first.split() == ["*", "reranker:", "on", "against", "off", "+10.0", "3–5", "0.020", "8.0"]
    assert second.split()[0] == "reranker:" and second.split()[4] == "+0.100"
    assert "[+2.0, +20.0]" in "".join(lines)


def test_effects_are_listed_metric_by_metric() -> None:
    metrics, factors = ("primary_accuracy", "ndcg_10"), ("reranker", "diversity", "chunking")
    titles = ("Primary", "nDCG@10")
    # a study has them contrast by contrast
    rows = [effect(metric=metric, factor=factor) for factor in factors for metric in metrics]
    words = [line.split() for line in printed_effects(rows)]
    listed = [w[0] if w[0] in titles else w[1] for w in words if w and w[0] in (*titles, "*")]
    labels = [f"{factor}:" for factor in factors]
    assert listed == [titles[0], *labels, titles[1], *labels]


def test_a_table_wider_than_the_terminal_stands_in_parts_with_the_names_of_its_rows() -> None:
    metrics = ("primary_accuracy", "primary_5", "primary_20", "hit_5", "hit_10", "recall_5", "ndcg_10")
    wide = study(summary=cells(dict.fromkeys(metrics, 0.5), 0.25, 9), timings=TIMINGS.empty())
    lines = printed(summary(wide, "t", ["default"], metrics))
    rows_shown = [line for line in lines if line.startswith("default")]
    assert len(rows_shown) == 2 and not any("…" in line or len(line) > 80 for line in lines)
    assert sum(line.count("50.0") + line.count("0.500") for line in rows_shown) == len(metrics)


@pytest.mark.parametrize("signs", range(3, 20))
def test_no_sign_of_a_table_is_cut(signs: int) -> None:
    lines = printed(
        rendered(Table("", [Column("x")] * 12, [[TableCell("default")] + [TableCell("1" * signs)] * 12]))
    )
    assert max(map(len, lines)) <= 80 and sum(line.count("1" * signs) for line in lines) == 12


def test_a_long_name_ends_its_line_behind_a_sign() -> None:
    rows = [[TableCell("depth_5-select_top"), *[TableCell("1" * 9)] * 6]]
    words = [line.split()[0] for line in printed(rendered(Table("", [Column("x")] * 6, rows)))[2:]]
    assert words == ["depth_5-", "select_top"]


def test_what_a_model_takes_stands_at_the_median_and_of_95_per_cent() -> None:
    spent = {"configuration": "default", "tokens_in": 100.0, "tokens_out": 20.0, "cost": 0.25}
    rows = [spent | {"step": s, "ms": ms} for s, ms in (("single_p50", 30.0), ("single_p95", 40.0))]
    table = costs_table(study(summary=measured().tables["summary"], timings=TIMINGS.rows(rows)))
    assert [cell.text for cell in table.rows[0]] == ["default", "30.0", "40.0", "120", "120", "0.25", "0.25"]
    assert not costs_table(measured()).rows  # no model was asked


def test_a_summary_can_be_of_some() -> None:
    lines = printed(summary(measured(), "t", []))
    assert not any(text.startswith("default") for text in lines)


def test_a_study_brings_its_benchmark_unless_another_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[list[str]] = []

    def run(overrides: list[str], *_: object) -> None:
        given.append([o for o in overrides if o.startswith("benchmark=")])

    monkeypatch.setattr("citegrain.flows.study.ablate.ablate", run)
    ablate(["study=guide", "benchmark.path=x.json"], dry_run=True)
    ablate(["study=guide", "benchmark=constitution"], dry_run=True)
    assert given == [["benchmark=legalbench"], ["benchmark=constitution"]]


def test_long_names_of_configurations_are_shortened_and_the_short_ones_explained() -> None:
    long = "retrieve.channels_dense_sparse_provision_lay_dense_lay_spars"
    rows = [
        {"configuration": name, "metric": "ndcg_10", "value": 0.3, "lo": 0.2, "hi": 0.4, "n": 9}
        for name in (long, "default")
    ]
    long_study = study(summary=SUMMARY.rows(rows), timings=TIMINGS.empty())
    facts = {**long_study.facts, "configurations": {"default": {}, long: {}}, "baseline": long}
    short, names = with_short_names(StudyFolder(long_study.folder, facts, long_study.tables))
    assert names == {"c2": long} and (short.baseline, short.scored) == ("c2", ["default", "c2"])
    assert any(line.startswith("c2 ") for line in printed(summary(short, "t", short.scored)))
    assert with_short_names(long_study)[1] == {}

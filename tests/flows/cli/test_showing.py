"""The tables of a terminal tell the numbers as the report does, and fit its width."""

from __future__ import annotations

import io

import pyarrow as pa
from rich.console import Console
from rich.table import Table

from citegrain.flows.cli.showing import comparisons, effects, summary, tried
from citegrain.flows.study.calibrate import Choice, Tried
from citegrain.flows.study.results import Results
from citegrain.tasks.core.schemas import (
    BREAKDOWN,
    COMPARISONS,
    FUNNEL,
    SCORES,
    SUMMARY,
    TIMINGS,
    per_configuration,
)


def printed(table: Table) -> list[str]:
    file = io.StringIO()
    Console(file=file, width=80).print(table)
    return file.getvalue().splitlines()


def results(compared: pa.Table) -> Results:
    cells = [("primary_accuracy", 0.2037), ("ndcg_10", 0.31379)]
    rows = [
        {"configuration": "default", "metric": m, "value": v, "lo": v - 0.1, "hi": v + 0.1, "n": 54}
        for m, v in cells
    ]
    times = [{"configuration": "default", "step": "single_p50", "ms": 2.44}]
    return Results(
        per_configuration(SCORES).empty(), per_configuration(FUNNEL).empty(), SUMMARY.rows(rows),
        compared, BREAKDOWN.empty(), TIMINGS.rows(times),
    )  # fmt: skip


def test_a_summary_tells_shares_in_per_cent_and_ndcg_as_it_is() -> None:
    lines = printed(summary(results(COMPARISONS.empty()), "t"))
    assert max(map(len, lines)) <= 80 and not any("…" in told for told in lines)
    assert "accuracy, %" in lines[2].replace("\N{NO-BREAK SPACE}", " ") and "nDCG@10" in "".join(lines[1:3])
    values = next(told for told in lines if told.startswith("default")).split()
    assert values == ["default", "20.4", "–", "–", "0.314", "2.4"]
    assert "[10.4, 30.4]" in "".join(lines) and "[0.214, 0.414]" in "".join(lines)


def test_differences_have_the_scale_of_their_metric() -> None:
    told = {"baseline": "bm25", "n": 54, "wins": 3, "losses": 5, "p": 0.2, "p_holm": 0.0001}
    rows = [
        told
        | {"configuration": "default", "metric": m, "difference": -0.056, "lo": -0.2, "hi": 0.1, "mde": 0.15}
        for m in ("primary_accuracy", "mrr")
    ]
    lines = printed(comparisons(results(COMPARISONS.rows(rows))))
    plain = [told.split() for told in lines if told.startswith("default")]
    assert plain == [
        ["default", "primary_accuracy", "−5.6", "3-5", "<0.001", "15.0"],
        ["default", "mrr", "−0.056", "3-5", "<0.001", "0.150"],
    ]
    assert "[−20.0, +10.0]" in "".join(lines) and "[−0.200, +0.100]" in "".join(lines)


def test_what_was_tried_is_told_in_the_scale_of_its_metric() -> None:
    plain, other = (
        Tried(["k=1"], 0.25, 0.0, 0.0, 0.0, 8, 1.0),
        Tried(["k=2"], 0.375, 0.125, 0.1, 0.2, 8, 0.03),
    )
    lines = printed(tried(Choice("k", "primary_accuracy", ["k=2"], "", [plain, other])))
    assert ["*", "k=2", "37.5", "+12.5", "0.030"] in [told.split() for told in lines]
    assert any("[+10.0, +20.0]" in told for told in lines)


def test_only_declared_effects_are_told_those_shown_marked() -> None:
    told = {
        "kind": "main", "by_factor": None, "confirmatory": True, "n": 54, "matched": 32, "wins": 3, "losses": 5,
        "effect": 0.1, "lo": 0.02, "hi": 0.2, "p": 0.01, "p_holm": 0.02, "mde": 0.08,
    }  # fmt: skip
    rows = [
        told | {"metric": m, "factor": "reranker", "level": "on", "against": "off", "lo": lo}
        for m, lo in (("primary_accuracy", 0.02), ("ndcg_10", -0.01))
    ]
    rows.append(rows[0] | {"confirmatory": False, "factor": "diversity"})
    lines = printed(effects(rows))
    assert max(map(len, lines)) <= 80 and not any("…" in told for told in lines)
    assert "over these 2" in lines[0] and not any("diversity" in told for told in lines)
    first, second = (told for told in lines if "reranker" in told)
    assert first.split() == ["*", "reranker:", "on", "against", "off", "+10.0", "3-5", "0.020", "8.0"]
    assert second.split()[0] == "reranker:" and second.split()[4] == "+0.100"
    assert "[+2.0, +20.0]" in "".join(lines)


def test_effects_are_told_metric_by_metric() -> None:
    told = {
        "kind": "main", "by_factor": None, "confirmatory": True, "n": 54, "matched": 32, "wins": 3, "losses": 5,
        "effect": 0.1, "lo": 0.02, "hi": 0.2, "p": 0.01, "p_holm": 0.02, "mde": 0.08,
    }  # fmt: skip
    metrics, factors = ("primary_accuracy", "ndcg_10"), ("reranker", "diversity", "chunking")
    rows = [
        told | {"metric": metric, "factor": factor, "level": "on", "against": "off"}
        for factor in factors  # a study has them contrast by contrast
        for metric in metrics
    ]
    words = [line.split() for line in printed(effects(rows))]
    told_in_order = [w[0] if w[0] in metrics else w[1] for w in words if w and w[0] in (*metrics, "*")]
    named = [f"{factor}:" for factor in factors]
    assert told_in_order == [metrics[0], *named, metrics[1], *named]


def test_a_summary_can_be_of_some() -> None:
    lines = printed(summary(results(COMPARISONS.empty()), "t", []))
    assert not any(told.startswith("default") for told in lines)

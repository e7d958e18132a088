"""The page: its numbers are those of the tables, its text is data, and it needs nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from citegrain.tasks.core.schemas import (
    BREAKDOWN,
    COMPARISONS,
    FUNNEL,
    SCORES,
    SUMMARY,
    TIMINGS,
    per_configuration,
)
from citegrain.tasks.evaluation.report import write_report
from citegrain.tasks.evaluation.report.failures import worst_queries
from citegrain.tasks.evaluation.report.page import _page
from citegrain.tasks.evaluation.studies import StudyReadError, read_study
from tests.tasks.evaluation.report.pages import Page
from tests.tasks.evaluation.report.studies import ACT, HASH, POISON, make_study, write


def plain(folder: Path) -> str:
    """The page without its figures, which take most of the time."""
    return _page(read_study(folder), {})


def rendered(folder: Path) -> str:
    """The page that is written into a study's folder."""
    return write_report(folder).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_study(tmp_path_factory.mktemp("study"))
    assert write_report(folder) == folder / "report.html"
    return folder


@pytest.fixture(scope="module")
def html(written: Path) -> str:
    return (written / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


# Numbers ------------------------------------------------------------------------


def test_the_summary_holds_the_numbers_of_the_table(written: Path, page: Page) -> None:
    table = page.table("Main metrics")
    assert [cell.split(",")[0] for cell in table[0][:3]] == [
        "Configuration",
        "Primary accuracy",
        "Complete set",
    ]
    rows = {
        (r["configuration"], r["metric"]): r for r in pq.read_table(written / "summary.parquet").to_pylist()
    }
    for line, name in zip(table[1:], ("plain", "dense_only", "default"), strict=True):
        assert line[0].split()[0] == name
        for cell, metric, scale, digits in (
            (line[1], "primary_accuracy", 100, 1),
            (line[5], "ndcg_10", 1, 3),
        ):
            row = rows[name, metric]
            value, lo, hi = (f"{scale * row[key]:.{digits}f}" for key in ("value", "lo", "hi"))
            assert cell == f"{value} [{lo}, {hi}]"
    assert "n = 12" in table[0][1]
    assert "baseline" in table[1][0]


def test_every_metric_stands_with_its_meaning(page: Page) -> None:
    table = {row[0]: row for row in page.table("Every metric")}
    assert table["primary_accuracy"][1:3] == ["the first charge is the primary provision", "Wilson"]
    assert table["ndcg_10"][2] == "BCa"
    assert table["citation_validity"][3:5] == ["12", "100.0 all alike"]


def test_comparisons_and_their_family(written: Path, page: Page) -> None:
    assert (
        "declared before the scores were seen: dense_only and default against the baseline, plain, by Primary accuracy and nDCG@10: 4 comparisons"
        in page.text
    )
    row = next(
        r
        for r in pq.read_table(written / "comparisons.parquet").to_pylist()
        if r["configuration"] == "default"
    )
    cells = page.table("Primary accuracy: configuration minus plain")[2]
    assert cells[0] == "default"
    assert cells[1] == f"{100 * row['difference']:+.1f}".replace("-", "−")
    assert cells[3:] == ["12", "5–2", "0.020", "0.030", "15.0"]
    assert "Of 4 comparisons with plain, 4 have p < 0.05 after Holm's adjustment" in page.text


def test_the_funnel_counts_provisions(written: Path, page: Page) -> None:
    table = page.table("Where primary provisions")
    rows = [r for r in pq.read_table(written / "funnel.parquet").to_pylist() if r["primary"]]
    for line in table[1:]:
        name = line[0].split()[0]
        for heading, cell in zip(table[0][1:-1], line[1:-1], strict=True):
            loss = heading.lower().replace(" ", "_")
            assert int(cell) == sum(r["configuration"] == name and r["lost_at"] == loss for r in rows)
        assert line[-1] == "12"


def test_abstention_and_time_stand_apart(written: Path, page: Page) -> None:
    rows = {
        (r["configuration"], r["metric"]): r for r in pq.read_table(written / "summary.parquet").to_pylist()
    }
    table = page.table("Abstention")
    row = rows["default", "abstained_out_of_scope"]
    assert table[3][1].startswith(f"{round(row['value'] * 3)} of 3 ")
    assert ["n = 3" in table[0][1], "n = 12" in table[0][2], "n = 15" in table[0][3]] == [True] * 3
    assert page.table("Milliseconds")[2][:4] == ["plain baseline", "0.40", "9.0", "2.0"]


def test_confidence_has_a_section_where_it_was_estimated(tmp_path: Path, page: Page) -> None:
    folder = make_study(tmp_path, sure=("dense_only", "default"), queries=40)
    sure = Page(rendered(folder))
    rows = {
        (r["configuration"], r["metric"]): r for r in pq.read_table(folder / "summary.parquet").to_pylist()
    }
    table, n = sure.table("Confidence"), "n = 43"
    assert table[0][2:] == [
        "ECE", "Brier score", f"AURC{n}", f"Accuracy, surest 50%,\N{NO-BREAK SPACE}%{n}",
        f"Accuracy, surest 80%,\N{NO-BREAK SPACE}%{n}",
    ]  # fmt: skip
    assert [line[0].split()[0] for line in table[1:]] == ["dense_only", "default"]
    for line in table[1:]:
        name = line[0].split()[0]
        for cell, metric in zip(line[2:5], ("ece", "brier", "aurc"), strict=True):
            row = rows[name, metric]
            where = "" if metric == "aurc" else f" n = {row['n']}"
            assert cell == f"{row['value']:.3f} [{row['lo']:.3f}, {row['hi']:.3f}]{where}"
    assert {"figure-risk_coverage", "figure-reliability"} <= set(sure.ids)
    half = rows["default", "selective_50"]
    assert (
        f"the half of 43 complaints of which default is surest, the first charge is the primary provision in {100 * half['value']:.1f}%"
        in sure.text
    )
    assert "confidence" not in page.ids and not any(i.startswith("figure-r") for i in page.ids)


def test_a_benchmark_to_which_nothing_applies_has_its_page(tmp_path: Path) -> None:
    beyond = Page(plain(make_study(tmp_path, ("default",), queries=0, beyond=9)))
    assert "No complaint of this benchmark has a provision that applies" in beyond.text
    assert not any(
        caption.startswith("Main metrics") and len(rows[0]) < 2 for caption, rows in beyond.tables.items()
    )
    assert beyond.table("Abstention")[1][0] == "default" and "9 to which nothing applies" in beyond.text


def test_what_was_measured_and_how_to_do_it_again(page: Page) -> None:
    for text in (
        "15 complaints",
        "12 of them in scope",
        "2026-11-01",
        "mine",
        "f" * 40,
        "all of it committed",
        HASH,
        "numpy 2.4.6",
    ):
        assert text in page.text
    assert "citegrain bench corpus.name=mine benchmark=constitution experiment=default" in page.text


def test_the_ten_worst_queries(written: Path, page: Page) -> None:
    scores = [
        r for r in pq.read_table(written / "scores.parquet").to_pylist() if r["configuration"] == "default"
    ]
    least = sorted(
        (r["value"], r["query_id"]) for r in scores if r["metric"] == "ndcg_10" and r["value"] < 1
    )[:10]
    listed, equal = worst_queries(read_study(written), "default", 10)
    assert [(q["score"], q["query_id"]) for q in listed] == least
    assert equal == sum(r["metric"] == "ndcg_10" and r["value"] == least[0][0] for r in scores)
    first = listed[0]
    assert [w["label"] for w in first["applicable"]] == [f"{ACT}/303", f"{ACT}/304"]
    assert first["charges"][0]["link"] == "bns.pdf#page=9"
    places = {w["ranks"][-1] for w in first["applicable"]}
    assert [c["applies"] for c in first["charges"]] == [str(place) in places for place in (1, 2, 3)]
    assert page.tags["blockquote"] == len(listed)


def test_where_gold_is_words_the_worst_are_those_of_its_main_metric(tmp_path: Path) -> None:
    folder = make_study(tmp_path, ("default",), queries=3, beyond=0, answers=False)
    row = {"configuration": "default", "n": 3, "value": 0.5, "lo": 0.4, "hi": 0.6}
    write(folder, SUMMARY, [row | {"metric": metric} for metric in ("similarity", "page_accuracy")])
    scores = {"q-002": 0.5, "q-001": 0.25, "q-000": 1.0}
    of_name = {"configuration": "default", "metric": "similarity"}
    rows = [of_name | {"query_id": query, "value": value} for query, value in scores.items()]
    write(folder, per_configuration(SCORES), rows)
    write(folder, per_configuration(FUNNEL), [])
    page = plain(folder)
    assert re.findall(r"<span>Similarity ([\d.]+)</span>", page) == ["0.250", "0.500"]
    assert "Least similarity first" in page
    assert "primary: " not in page and "What applies, and its rank" not in page


def test_without_a_default_the_best_is_looked_at(tmp_path: Path) -> None:
    study = read_study(make_study(tmp_path, ("a", "b", "c")))
    best = max(study.scored, key=lambda name: study.cells[name, "ndcg_10"]["value"])
    assert study.focus == best


# What is there and what is not ---------------------------------------------------


def test_nothing_comes_from_elsewhere(html: str, page: Page) -> None:
    assert not re.search(
        r"https?:|//\w", "".join(html.split(page.raw[-1]))
    )  # comments of the script begin with //
    assert "@import" not in html
    assert set(re.findall(r"url\((.)", html)) == {"#"}
    assert not {"link", "img", "iframe", "object", "embed", "base", "form"} & set(page.tags)
    assert not [a for a in page.attributes if a[1] in ("src", "srcset", "action")]
    assert all(value.startswith("#") for _, name, value in page.attributes if name.endswith("href"))


def test_no_id_stands_twice_and_every_reference_leads_somewhere(page: Page) -> None:
    assert max(page.ids.values()) == 1
    wanted = {value[1:] for _, name, value in page.attributes if name.endswith("href")}
    assert wanted <= set(page.ids)


def test_only_our_script_may_run(html: str, page: Page) -> None:
    assert page.tags["script"] == 1
    digest = base64.b64encode(hashlib.sha256(page.raw[-1].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in html


def test_figures_stand_in_the_page_and_beside_it(written: Path, page: Page) -> None:
    names = {
        "primary_accuracy",
        "ndcg_10",
        "accuracy_time",
        "funnel_primary",
        "funnel_all",
        "breakdown_primary_accuracy",
    }
    assert {p.name for p in (written / "figures").iterdir()} == {
        f"{n}.{kind}" for n in names for kind in ("svg", "png")
    }
    assert page.tags["svg"] == len(names)
    assert sorted(p.name for p in written.iterdir() if p.name.startswith(".")) == []


def test_the_same_folder_gives_the_same_page(written: Path, html: str) -> None:
    assert rendered(written) == html


def test_texts_are_data(tmp_path: Path) -> None:
    name = 'a<b>&"$x_1$'
    folder = make_study(
        tmp_path, ("plain", name), queries=4, text=POISON, warnings=[POISON], lost={"q-000": POISON}, study=POISON,
        failures={"broken": POISON}, command=POISON, benchmark={"name": POISON, "description": POISON, "queries": 4, "in_scope": 4},
    )  # fmt: skip
    page = Page(rendered(folder))
    assert page.tags["script"] == 1
    assert not {"img", "b"} & set(page.tags)
    assert page.text.count(POISON) > 10
    assert "49" not in re.findall(r"\w+", page.text)
    assert name in page.text


def test_one_configuration(tmp_path: Path) -> None:
    page = Page(rendered(make_study(tmp_path, ("only",), beyond=0)))
    assert "there is nothing to compare it with" in page.text
    assert "worst queries of only" in page.text
    assert page.table("Main metrics")[1][0] == "only"
    assert "baseline" not in page.table("Main metrics")[1][0]


def test_sixty_four_configurations(tmp_path: Path) -> None:
    names = [f"rerank_late_interaction-provenance_0.15-select_mmr-{i:02d}" for i in range(64)]
    page = Page(plain(make_study(tmp_path, names, queries=5)))
    assert len(page.table("Main metrics")) == 65
    assert "each of 63 configurations against the baseline" in page.text


def test_failures_and_warnings_are_reported(tmp_path: Path) -> None:
    warnings = [f"section {i} of the-unknown-act-1999 [build 01234567]" for i in range(20)]
    folder = make_study(
        tmp_path, ("plain", "llm"), failures={"llm": "the endpoint refused"}, lost={"q-003": "reranked: IndexError"}, warnings=warnings,
        environment={"git_commit": "f" * 40 + "-dirty"},
    )  # fmt: skip
    page = Page(plain(folder))
    assert "1 configuration failed and has no numbers" in page.text
    assert "llm failed: the endpoint refused" in page.text
    assert "q-003: reranked: IndexError" in page.text
    assert all(f"not indexed: {warning}" in page.text for warning in warnings)
    assert page.text.count("changes that were not committed") == 2
    row = page.table("Main metrics")[2]
    assert row[0] == "llm failed"
    assert set(row[1:]) == {"–"}
    heads = page.table("Main metrics")[0]
    assert "n = 12" in heads[1]  # a query without an answer is not primary
    assert "n = 11" in heads[2]  # and has no set


def test_a_baseline_that_failed_is_reported(tmp_path: Path) -> None:
    folder = make_study(tmp_path, ("plain", "dense"), failures={"plain": "no build"}, baseline="plain")
    assert "The baseline, plain, has no scores" in Page(plain(folder)).text


def test_what_cannot_be_computed_is_a_dash(tmp_path: Path) -> None:
    folder = make_study(tmp_path, ("plain", "default"))
    gap = {"value": math.nan, "lo": math.nan, "hi": math.nan, "n": 0}
    write(
        folder,
        SUMMARY,
        [{"configuration": c, "metric": "primary_accuracy"} | gap for c in ("plain", "default")],
    )
    contrast = dict.fromkeys(("difference", "lo", "hi", "p", "p_holm", "mde"), math.nan) | dict.fromkeys(
        ("n", "wins", "losses"), 0
    )
    write(
        folder,
        COMPARISONS,
        [{"baseline": "plain", "configuration": "default", "metric": "primary_accuracy"} | contrast],
    )
    write(folder, TIMINGS, [{"configuration": "plain", "step": "single_p50", "ms": math.nan}])
    write(folder, BREAKDOWN, [])
    html = rendered(folder)
    page = Page(html)
    assert page.table("Main metrics")[1][1:] == ["–", "–"]
    assert page.table("Primary accuracy: configuration")[1][1:] == ["–", "–", "0", "0–0", "–", "–", "–"]
    assert "none has p < 0.05" in page.text
    assert "nan" not in re.findall(r"\w+", page.text.lower())
    assert 'data-sort="nan"' not in html


def test_tables_that_are_not_there_are_empty(tmp_path: Path) -> None:
    folder = make_study(tmp_path, ("default",), queries=3)
    for name in ("summary", "scores", "funnel", "breakdown", "comparisons", "timings"):
        (folder / f"{name}.parquet").unlink()
    page = Page(rendered(folder))
    assert page.tags["svg"] == 0
    assert "No times were measured" in page.text


def test_what_is_no_study_is_refused_on_one_line(tmp_path: Path) -> None:
    with pytest.raises(StudyReadError, match=r"study\.json"):
        rendered(tmp_path)
    (tmp_path / "study.json").write_text(json.dumps({"study": "x"}))
    with pytest.raises(StudyReadError, match="this is not a study: benchmark, configurations missing"):
        rendered(tmp_path)
    folder = make_study(tmp_path / "study")
    (folder / "summary.parquet").write_bytes(b"PAR1")
    with pytest.raises(StudyReadError, match=r"summary\.parquet") as caught:
        rendered(folder)
    assert "\n" not in str(caught.value)


def test_results_come_first_parameters_are_folded_and_the_page_has_a_dark_side(html: str) -> None:
    at = [html.index(f'<section id="{name}">') for name in ("results", "measured", "comparisons")]
    assert at == sorted(at)
    measured = html[at[1] : at[2]]
    assert measured.index("<details><summary>Parameters by which") < measured.index("The parameters by which")
    assert "@media screen and (prefers-color-scheme: dark)" in html
    light, _, dark = html.partition("prefers-color-scheme: dark")
    colours = set(re.findall(r"(--\w+): #", light))  # each has another value at night
    assert colours == set(re.findall(r"(--\w+): #", dark.partition("@media print")[0]))
    assert "#fff" not in light.partition(";\n}")[2].partition("</style>")[0]

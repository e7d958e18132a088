"""The page of a factorial study: it claims what is supported and nothing more, and names what is missing."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from citegrain.tasks.core.schemas import EFFECTS, MODEL
from citegrain.tasks.evaluation.design import Contrast, fraction
from citegrain.tasks.evaluation.report import write_report
from citegrain.tasks.evaluation.report.claims import disagreements, divided, family_rows, not_shown, supported
from citegrain.tasks.evaluation.report.declared import FEW, front_cells, reference_cell, telling_cells
from citegrain.tasks.evaluation.report.page import _page
from citegrain.tasks.evaluation.report.plots import draw
from citegrain.tasks.evaluation.studies import read_study
from tests.tasks.evaluation.report.factorials import CONTRASTS, FACTORS, make_factorial, rewrite_effects
from tests.tasks.evaluation.report.pages import Page
from tests.tasks.evaluation.report.studies import POISON, Row, make_study, write

HOLE = "rrf-fixed-reranker_on-provenance_off-mmr"


def plain(folder: Path) -> Page:
    """The page without its figures, which take most of the time."""
    return Page(_page(read_study(folder), {}))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_factorial(tmp_path_factory.mktemp("full"), holes={HOLE: "the index lacks vectors"})
    write_report(folder)
    return folder


@pytest.fixture(scope="module")
def html(written: Path) -> str:
    return (written / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For tests that change the effects: few complaints, all cells."""
    return make_factorial(tmp_path_factory.mktemp("small"), queries=8)


def effect(**values: Any) -> Row:
    base: Row = {
        "kind": "main", "contrast": "reranker: on - off", "factor": "reranker", "level": "on", "against": "off", "by_factor": None,
        "by_level": None, "by_against": None, "metric": "primary_accuracy", "dimension": "all", "group": "all", "confirmatory": True,
        "effect": 0.1, "lo": 0.02, "hi": 0.18, "n": 60, "matched": 32, "wins": 9, "losses": 3, "p": 0.001, "p_holm": 0.01, "mde": 0.06,
    }  # fmt: skip
    return base | values


# What is claimed ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ({}, True),
        ({"effect": -0.1, "lo": -0.18, "hi": -0.02}, True),
        ({"p_holm": 0.05}, False),
        ({"p_holm": math.nan}, False),
        ({"lo": -0.01}, False),
        ({"lo": 0.0}, False),
        ({"lo": math.nan, "hi": math.nan}, False),
    ],
)
def test_an_effect_is_shown_where_interval_and_p_agree(values: dict[str, float], shown: bool) -> None:
    row = effect(**values)
    assert supported(row) is shown
    assert [len(part) for part in divided([row])] == [int(shown), int(not shown), 0]


def test_the_page_says_why_an_effect_is_not_shown_where_half_of_the_evidence_is_there() -> None:
    assert not_shown(effect(lo=-0.01, p_holm=0.2)) == (
        "reranker: on against off (+10.0 points [−1.0, +18.0]; detectable: 6.0)"
    )
    assert "the interval excludes 0, p by Holm is 0.200" in not_shown(effect(p_holm=0.2))
    assert "p by Holm is 0.010, the interval includes 0" in not_shown(effect(lo=-0.01))


def test_the_page_claims_exactly_what_is_supported(written: Path, page: Page) -> None:
    rows = family_rows(read_study(written))
    shown, null, _ = divided(rows)
    assert 3 < len(shown) < len(rows) == 14
    claimed = re.findall(r"(Shown|No effect shown): (\w+: \w+ against \w+)(?=,| \()", page.text)
    by_verdict = {
        verdict: sorted(name for v, name in claimed if v == verdict)
        for verdict in ("Shown", "No effect shown")
    }
    for verdict, effects in (("Shown", shown), ("No effect shown", null)):
        names = sorted(f"{r['factor']}: {r['level']} against {r['against']}" for r in effects)
        assert by_verdict[verdict] == names


def test_the_effects_are_those_of_the_table(written: Path, page: Page) -> None:
    rows = pq.read_table(written / "effects.parquet").to_pylist()
    declared = [r for r in rows if r["confirmatory"] and r["metric"] == "primary_accuracy"]
    table = page.table("Primary accuracy: the declared effects")[2:]
    assert len(table) == len(declared) == 7
    for line, row in zip(table, declared, strict=True):
        assert line[0] == f"{row['factor']}: {row['level']} against {row['against']}"
        value, lo, hi = (f"{100 * row[key]:+.1f}".replace("-", "−") for key in ("effect", "lo", "hi"))
        assert line[1] == f"{value} [{lo}, {hi}]"
        assert line[2:5] == ["60", str(row["matched"]), f"{row['wins']}–{row['losses']}"]
        assert line[7] == f"{100 * row['mde']:.1f}"


def test_nothing_is_claimed_where_nothing_is_shown(small: Path) -> None:
    rewrite_effects(small, effect=0.01, lo=-0.02, hi=0.04, p=0.4, p_holm=1.0)
    page = plain(small)
    assert "Primary accuracy: 0 of 7 declared effects shown. No effect shown: retrieval: sparse" in page.text
    assert "Shown:" not in page.text
    assert page.text.count("No effect shown: ") == 2 + 14


def test_what_could_not_be_estimated_is_named(small: Path) -> None:
    unknown = dict.fromkeys(("effect", "lo", "hi", "p", "p_holm", "mde"), math.nan)
    rewrite_effects(small, **unknown)
    page = plain(small)
    assert page.text.count("Not estimated: ") == 14
    assert page.table("nDCG@10: the declared effects")[2][1] == "–"
    assert "nan" not in re.findall(r"\w+", page.text.lower())
    assert not [name for name in draw(read_study(small)) if name.startswith("effects_primary")]


# The cross-check -------------------------------------------------------------------


def test_the_cross_check_agrees_where_it_does(page: Page) -> None:
    heads = page.table("Primary accuracy: the declared effects")[:2]
    assert "Cross-check by GEE" in heads[0]
    assert heads[1][-2:] == ["Estimatelog odds ratio", "Difference"]
    assert "The GEE comes to the same verdict on each of the 14 effects" in page.text


def test_a_disagreement_is_reported(tmp_path: Path) -> None:
    folder = make_factorial(tmp_path, queries=8)
    write(folder, EFFECTS, [effect(), effect(contrast="x", level="y", effect=0.1)])
    model = {"metric": "primary_accuracy", "family": "binomial", "n": 60, "cells": 64, "difference": -0.1}
    write(
        folder,
        MODEL,
        [
            model | {"contrast": "reranker: on - off", "estimate": 0.1, "lo": -0.1, "hi": 0.3, "p": 0.3},
            model | {"contrast": "x", "estimate": -0.5, "lo": -0.7, "hi": -0.3, "p": 0.0001},
        ],
    )
    compared, lines = disagreements(read_study(folder))
    assert compared == 2
    assert lines == [
        "Primary accuracy, reranker: on against off: shown by the declared test alone",
        "Primary accuracy, reranker: y against off: shown by both, in opposite directions",
    ]
    assert "The GEE disagrees on 2 of 2 effects" in plain(folder).text


def test_without_a_model_there_is_no_cross_check(tmp_path: Path) -> None:
    folder = make_factorial(tmp_path, queries=6)
    (folder / "model.parquet").unlink()
    page = plain(folder)
    assert "GEE" not in page.text
    assert len(page.table("Primary accuracy: the declared effects")[1]) == 8


# What is exploratory, what is missing ------------------------------------------------


def test_what_was_not_declared_is_labelled(page: Page) -> None:
    captions = [c for c in page.tables if "interactions" in c or "effects by groups" in c]
    assert len(captions) == 4
    assert all(c.startswith("Exploratory.") for c in captions)
    assert "Interactions (exploratory)" in page.text
    assert re.search(
        r"Of 36 tests \d+ ha(s|ve) p < 0.05; were there no effect at all, about 1.8 would", page.text
    )
    assert len(page.table("Exploratory. Primary accuracy: interactions")) == 19
    groups = page.table("Exploratory. Primary accuracy: effects by groups")
    assert groups[1] == ["Formaln = 30", "Informaln = 30", "Yesn = 20", "Non = 20"]
    assert len(groups) == 9


def test_holes_are_named(page: Page) -> None:
    assert (
        f"1 cell without scores, left out together with the cells they are matched with:{HOLE}: the index"
        in page.text
    )
    rows = page.table("Every cell")
    assert rows[-1] == [f"{HOLE} no scores", "rrf", "fixed", "on", "off", "mmr", "–", "–", "–"]


def test_the_design_is_described(page: Page) -> None:
    assert "64 cells, all of 4 × 2 × 2 × 2 × 2" in page.text
    for text in (
        "retrieval=weighted",
        "generate=none retrieve.depth=100",
        "statutory 206",
        "7 contrasts (retrieval: sparse against dense;",
    ):
        assert text in page.text
    assert "by primary accuracy and nDCG@10: 14 effects" in page.text
    assert "cannot tell apart" not in page.text


def test_a_fraction_names_its_aliases_and_shows_no_interaction(tmp_path: Path) -> None:
    design = fraction(FACTORS)
    hole = list(design.cells)[3]
    folder = make_factorial(tmp_path, holes={hole: "out of memory"}, fractional=True, queries=20)
    page = plain(folder)
    assert "16 cells, a fraction of the 64 of 4 × 2 × 2 × 2 × 2" in page.text
    assert all(alias in page.text for alias in design.aliases)
    assert f"{hole}: out of memory" in page.text
    assert "A fraction of a design cannot separate interactions from each other: none is shown" in page.text
    assert "By least squares" in page.table("nDCG@10: the declared effects")[0]
    assert "interactions_primary_accuracy" not in draw(read_study(folder))
    assert len(page.table("Every cell")) == 17


# The other sections ------------------------------------------------------------------


def test_the_cells_stand_with_their_levels_best_first(written: Path, page: Page) -> None:
    study, table = read_study(written), page.table("Every cell")
    assert table[0][1:6] == ["Retrieval", "Chunking", "Reranker", "Provenance", "Diversity"]
    assert len(table) == 65
    values = [float(line[6].split()[0]) for line in table[1:-1]]
    assert values == sorted(values, reverse=True)
    front = front_cells(study)
    assert {line[0].split()[0] for line in table[1:] if line[0].endswith("undominated")} == set(front)
    cells = study.facts["design"]["cells"]
    assert all(line[1:6] == list(cells[line[0].split()[0]].values()) for line in table[1:])


def test_sections_of_many_cells_look_at_a_few(written: Path, page: Page) -> None:
    study = read_study(written)
    chosen = telling_cells(study)
    assert 2 < len(chosen) <= FEW
    assert {study.focus, reference_cell(study)} <= set(chosen)
    assert f"The sections below show {len(chosen)} cells of 64" in page.text
    assert {line[0] for line in page.table("Where primary provisions")[1:]} == set(chosen)
    assert len(page.table("Milliseconds")) == len(chosen) + 2
    assert not [c for c in page.tables if c.startswith(("Main metrics", "The parameters"))]


def test_what_needs_answers_or_a_baseline_is_left_out(page: Page) -> None:
    for text in (
        "Comparisons",
        "Abstention",
        "The answer",
        "Answers by",
        "answers/",
        "baseline",
    ):
        assert text not in page.text
    assert "answered" not in page.text
    assert (
        "citegrain bench corpus.name=mine experiment=" in page.text
    )  # the study itself is no part of a cell


def test_every_figure_is_there_and_the_page_needs_nothing_else(written: Path, html: str, page: Page) -> None:
    names = {
        "effects_primary_accuracy", "effects_ndcg_10", "interactions_primary_accuracy", "accuracy_time",
        "funnel_primary", "funnel_all", "effects_by_group",
    }  # fmt: skip
    assert {p.stem for p in (written / "figures").iterdir()} == names
    assert page.tags["svg"] == len(names)
    assert not re.search(r"https?:|//\w", "".join(html.split(page.raw[-1])))
    assert max(page.ids.values()) == 1
    wanted = {value[1:] for _, name, value in page.attributes if name.endswith("href")}
    assert wanted <= set(page.ids)


def test_few_cells_keep_the_sections_of_every_study(tmp_path: Path) -> None:
    factors = {"chunking": ["statutory", "fixed"], "reranker": ["off", "on"]}
    contrasts = [c for c in CONTRASTS if c.factor in factors]
    folder = make_factorial(tmp_path, queries=12, factors=factors, contrasts=contrasts)
    names = set(draw(read_study(folder)))
    assert {"primary_accuracy", "interactions_primary_accuracy", "effects_ndcg_10"} <= names
    page = plain(folder)
    assert "The sections below show" not in page.text
    assert len(page.table("Where primary provisions")) == 5


@pytest.mark.parametrize("levels", [["off", "on"], [f"k{n}" for n in range(FEW + 1)]])
def test_a_study_of_one_factor_has_its_page(tmp_path: Path, levels: list[str]) -> None:
    contrasts = [Contrast("reranker", levels[1], levels[0])]
    folder = make_factorial(tmp_path, queries=8, factors={"reranker": levels}, contrasts=contrasts)
    page = Page(write_report(folder).read_text(encoding="utf-8"))
    assert f"{len(levels)} cells, all of {len(levels)}" in page.text and "The study has none." in page.text
    drawn = {p.stem for p in (folder / "figures").iterdir()}
    assert {"effects_primary_accuracy", "accuracy_time", "effects_by_group"} <= drawn
    assert not any(name.startswith("interactions") for name in drawn)


def test_a_study_of_two_factors_and_one_contrast_draws_how_they_meet(tmp_path: Path) -> None:
    factors = {"chunking": ["statutory", "fixed"], "reranker": ["off", "on"]}
    contrasts = [c for c in CONTRASTS if c.factor == "reranker"]
    folder = make_factorial(tmp_path, queries=8, factors=factors, contrasts=contrasts)
    assert write_report(folder).is_file()
    assert (folder / "figures" / "interactions_primary_accuracy.svg").is_file()


def test_a_study_cut_short_is_still_a_page(tmp_path: Path) -> None:
    folder = make_factorial(tmp_path, queries=4)
    for name in ("effects", "model", "summary", "scores", "funnel", "breakdown", "timings", "comparisons"):
        (folder / f"{name}.parquet").unlink()
    page = plain(folder)
    assert "The study has no effects" in page.text
    assert "64 cells without scores" in page.text
    assert draw(read_study(folder)) == {}


def test_an_ordinary_study_has_nothing_of_this(tmp_path: Path) -> None:
    folder = make_study(tmp_path, queries=4)
    assert read_study(folder).facts["design"] == {}
    page = plain(folder)
    assert "What each component is worth" not in page.text
    assert "Comparisons" in page.text


def test_names_of_levels_are_data(tmp_path: Path) -> None:
    factors = {POISON: ["a<b>", "$x_1$"], "reranker": ["off", "on"]}
    contrasts = [type(CONTRASTS[0])(POISON, "a<b>", "$x_1$")]
    folder = make_factorial(tmp_path, queries=5, factors=factors, contrasts=contrasts)
    facts = json.loads((folder / "study.json").read_text())
    facts["design"] |= {"aliases": [POISON], "holes": [POISON], "base": [POISON], "tokens": {POISON: 1.0}}
    (folder / "study.json").write_text(json.dumps(facts))
    study = read_study(folder)
    page = Page(_page(study, draw(study)))
    assert page.tags["script"] == 1
    assert not {"img", "b"} & set(page.tags)
    assert page.text.count(POISON) > 10

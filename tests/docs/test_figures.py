"""The figures of the docs come from docs/results."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from docs import figures

PAGES = [pytest.param(page, id=str(page.relative_to(figures.ROOT))) for page in figures.pages()]
# cards say how labels were made, which no study can
FREE = re.compile(r"docs/log.md|citegrain/data/.*")
FACTS = {
    "study": "s",
    "command": "citegrain sweep",
    "date": "2026-11-23",
    "benchmark": {"name": "b", "split": "dev", "queries": 6, "in_scope": 4},
    "configurations": ["one", "two"],
    "baseline": "one",
    "summary": [
        {"configuration": "one", "metric": "primary_accuracy", "value": 0.25, "lo": 0.0456, "hi": 0.6994, "n": 4},
        {"configuration": "one", "metric": "ndcg_10", "value": 0.5, "lo": None, "hi": None, "n": 4},
    ],
    "comparisons": [
        {"configuration": "two", "metric": "ndcg_10", "difference": -0.071, "lo": -0.1, "hi": 0.02, "n": 4, "p_holm": 0.4}
    ],
    "effects": [
        {"factor": "f", "level": "on", "against": "off", "metric": "primary_accuracy", "effect": 0.05, "lo": 0.02, "hi": 0.08, "p_holm": 0.01},
        {"factor": "f", "level": "on", "against": "off", "metric": "ndcg_10", "effect": -0.01, "lo": -0.02, "hi": 0.01, "p_holm": 0.9},
    ],
    "funnel": [["one", "found", 1], ["two", "not_retrieved", 3]],
    "ms": {"one": 24},
}  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_what_its_studies_say(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert figures.render(text) == text, "run make figures"


def test_tracked_results_are_those_that_the_pages_show() -> None:
    shown = set().union(*(figures.studies_of(p.read_text(encoding="utf-8")) for p in figures.pages()))
    assert {path.stem for path in figures.RESULTS.glob("*.json")} <= shown


def test_numbers_stand_with_their_interval_and_missing_ones_as_a_dash() -> None:
    text = figures.results(FACTS)
    assert "| `one` | 25.0 [4.6, 69.9] | – | – | .500 [–, –] | 4 | 24 |" in text
    assert "| `two` | – | – | – | – | – | – |" in text
    assert "4 complaints in scope and 2 out of scope" in text


def test_differences_have_a_sign_and_the_adjusted_p() -> None:
    assert "| `two` | `ndcg_10` | -.071 [-.100, +.020] | 4 | .400 |" in figures.comparisons(FACTS)


def test_languages_stand_with_their_difference_on_the_same_complaints() -> None:
    two = {"configuration": "two", "metric": "primary_accuracy", "n": 4}
    facts = FACTS | {
        "summary": [*FACTS["summary"], two | {"value": 0.0, "lo": 0.0, "hi": 0.49}],
        "comparisons": [two | {"difference": -0.25, "lo": -0.75, "hi": 0.0, "p_holm": 1.0}],
    }
    text = figures.paired(facts)
    assert "| `one` | 25.0 [4.6, 69.9] | – | – | – | 4 |" in text
    assert "| `two` | 0.0 [0.0, 49.0]; -25.0 [-75.0, +0.0] | – | – | – | 4 |" in text


def test_an_effect_is_bold_where_interval_and_test_agree() -> None:
    assert "| f: on against off | **+5.0 [+2.0, +8.0]** | -.010 [-.020, +.010] |" in figures.effects(FACTS)


def test_the_funnel_counts_by_place() -> None:
    text = figures.funnel(FACTS)
    assert "| configuration | found | not retrieved |" in text
    assert "| `two` | 0 | 3 |" in text


def test_a_block_is_rendered_from_one_study_or_several(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps(FACTS))
    page = "a\n<!-- figures: funnel s -->\nstale row\n<!-- end -->\nb\n<!-- figures: sure s s -->\n<!-- end -->\n"
    rendered = figures.render(page, tmp_path)
    assert "stale row" not in rendered
    assert "| `one` | 1 | 0 |" in rendered
    assert rendered.count("| `b` (dev) | – | – | – | – | – |") == 2
    assert figures.render(rendered, tmp_path) == rendered


TYPED = re.compile(
    r"(?<![\d.])(?!95%)\d[\d.,]*\s?%"  # a share
    r"|\[[+−-]?\d*\.?\d+, ?[+−-]?\d*\.?\d+\]"  # an interval
    r"|\bn = \d{2,}|\b(?<!Act )\d+ of (?:the )?\d+\b"  # Act 4 of 2011 is the name of an Act
)


@pytest.mark.parametrize("page", [p for p in PAGES if not FREE.fullmatch(str(p.id))])
def test_no_figure_is_typed_outside_blocks_and_the_log(page: Path) -> None:
    text = re.sub(r"```.*?```", "", figures.BLOCK.sub("", page.read_text(encoding="utf-8")), flags=re.DOTALL)
    assert TYPED.findall(text) == []


def test_an_absent_study_keeps_its_tracked_figures(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "gone.json").write_text("{}")
    assert figures.refresh(tmp_path / "reports", {"gone"}, folder) == []
    assert (folder / "gone.json").read_text() == "{}"

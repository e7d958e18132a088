"""The published figures: whole, as printed, and with arithmetic that holds."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import yaml
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from citegrain.tasks.evaluation.compare import wilson
from citegrain.tasks.evaluation.reproduce import (
    Document,
    Given,
    Measured,
    Published,
    PublishedError,
    Status,
    judge,
    load_document,
    work_out,
)
from citegrain.tasks.evaluation.reproduce.measures import ENCODER_READS
from tests.conftest import ROOT

FOLDER = ROOT / "data" / "published"


@pytest.fixture(scope="module")
def thesis() -> Document:
    return load_document(FOLDER / "thesis.yaml")


@pytest.fixture(scope="module")
def paper_qa() -> Document:
    return load_document(FOLDER / "paper_qa.yaml")


def test_every_printed_row_is_there(thesis: Document, paper_qa: Document) -> None:
    places = {(r.table, r.row) for r in thesis.rows}
    assert places == {
        *(("4.1", n) for n in range(1, 11)),
        *(("4.2", n) for n in range(1, 14)),
        ("5.1", 1),
        ("5.1", 2),
    }
    cells = {(r.row, r.column) for r in paper_qa.rows}
    assert cells == {(n, c) for n in range(1, 7) for c in ("n", "source", "page", "similarity")}
    assert len(cells) == len(paper_qa.rows)


def test_figures_are_those_that_are_printed(thesis: Document, paper_qa: Document) -> None:
    for row in (*thesis.rows, *paper_qa.rows):
        if row.rule == "interval":
            assert row.printed == f"[{row.low}%, {row.high}%]"
        else:
            assert f"{row.value:,.{row.digits}f}" in row.printed, row.id


def test_no_row_and_statement_is_without_its_table(thesis: Document, paper_qa: Document) -> None:
    for document in (thesis, paper_qa):
        tables = {table for table, _, _ in document.tables}
        rows = {(r.table, r.row) for r in document.rows}
        assert {r.table for r in document.rows} == tables
        assert all((s.table, row) in rows for s in document.statements for row in s.rows)


COMES_TO = {
    # by hand from the printed figures, not by the expressions of the file
    "tokens on a page": 20836 * 647 / 3500,
    "the same, overlaps taken off": 20836 * (647 - 85) / 3500,
    "chunks a page": 20836 / 3500,
    "dense index, 4 bytes a float": 20836 * 768 * 4 / 1_000_000,
    "vectors that would fill it": 235_000_000 / (768 * 4),
    "share of pages without text": 23 / 35,
    "share with their Act": 2056500 / 20836,
    "share with a section number": 1293700 / 20836,
    "mean below the target of 700": 53 / 7,
    "overlap as a share": 85 / 7,
    "largest bonus": 0.15 * 1.5,
    "share of a full chunk embedded": 382 / 7,
    "primary right, set not": 12.0,
    "a question out of scope scores": 1.0,
    "source, questions that have one": 5 / 7,
    "page, questions that have one": 1.03 / 7,
    "the same, gpt-4o": 1.37 / 7,
    "the same, gpt-4o, open": 1.53 / 7,
    "page, model against model": 0.034,
    "page, mean of the six": 2.502 / 6,
    "qwen2.5:7b ahead of gpt-4o by": 0.031,
    "the same, failed calls left out": 0.5435 - 102.5 / 189,
}


def test_arithmetic_holds(thesis: Document, paper_qa: Document) -> None:
    found = {}
    for document in (thesis, paper_qa):
        for statement in document.statements:
            found[statement.label] = work_out(statement, document.names, Given())
    assert {label: s.value for label, s in found.items()} == pytest.approx(COMES_TO)
    verdicts = {label: s.verdict for label, s in found.items() if s.verdict}
    assert [label for label, verdict in verdicts.items() if verdict == "contradicts"] == [
        "dense index, 4 bytes a float",
        "page, model against model",
    ]
    assert len(verdicts) == 10
    assert found["dense index, 4 bytes a float"].line == (
        "rows 4, 7, 8: dense index, 4 bytes a float: 20,836 x 768 x 4 / 10^6 = 64.0 MB; "
        "the document has 235: contradicts"
    )
    assert found["tokens on a page"].text == "3,852 tokens"


def test_ours_goes_through_the_same_arithmetic(thesis: Document) -> None:
    statements = {s.label: s for s in thesis.statements}
    ours = {"chunks": 100, "mean_tokens": 200, "pages": 40, "vectors": 90, "dimension": 384, "chars": 80_000}
    given = Given({name: Measured(value) for name, value in ours.items()})

    def told(label: str) -> str:
        return work_out(statements[label], thesis.names, given).ours

    assert told("tokens on a page") == "500 tokens"
    assert told("the same, overlaps taken off") == "2,000 characters"
    assert told("dense index, 4 bytes a float") == "0.1 MB"
    assert told("share with their Act") == ""  # not measured


def test_wilson_is_scipys_statsmodels_and_the_formula() -> None:
    z = stats.norm.ppf(0.975)
    for right, n in [(188, 200), (164, 200), (0, 50), (50, 50), (1, 3)]:
        share, own = right / n, wilson(right, n)
        centre = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        bounds = stats.binomtest(right, n).proportion_ci(0.95, method="wilson")
        assert (own.lo, own.hi) == (bounds.low, bounds.high)
        assert (own.lo, own.hi) == pytest.approx((centre - half, centre + half), abs=1e-12)
        assert (own.lo, own.hi) == pytest.approx(proportion_confint(right, n, method="wilson"), abs=1e-12)


def test_the_two_published_intervals_to_the_printed_digit(thesis: Document) -> None:
    found = [judge(r, thesis.names, Given()) for r in thesis.rows if r.rule == "interval"]
    assert [(o.ours, o.status) for o in found] == [
        ("[89.8%, 96.5%]", Status.REPRODUCED),
        ("[76.1%, 86.7%]", Status.REPRODUCED),
    ]
    assert [o.ours for o in found] == [o.published.printed for o in found]


def test_the_encoder_reads_as_much_everywhere(thesis: Document) -> None:
    assert thesis.names["encoder_reads"] == ENCODER_READS


ROW = {"id": "a", "table": "1", "row": 1, "label": "a", "printed": "1", "value": 1, "unit": "", "section": "1",
       "line": 1, "rule": "configured", "ours": "chunk.size"}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rule": "guessed"}, "a: rule guessed: one of measured"),
        ({"rule": "measured"}, "a: the rule measured lacks what it reads"),
        ({"rule": "interval"}, "lacks what it reads"),
        ({"rule": "recomputed", "expression": "a / 0"}, "divides by zero"),
        ({"rule": "recomputed", "expression": "b + 1"}, "b has no figure"),
        ({"rule": "recomputed", "expression": "__import__('os')"}, "are wanted"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, change: dict[str, object], words: str) -> None:
    file = tmp_path / "mine.yaml"
    told = {
        "source": "mine",
        "title": "mine",
        "constants": {},
        "tables": [],
        "rows": [ROW | change],
        "statements": [],
    }
    file.write_text(yaml.safe_dump(told), encoding="utf-8")
    with pytest.raises(PublishedError, match=r"mine\.yaml: ") as caught:
        load_document(file)
    assert words in str(caught.value)


def test_an_id_that_stands_twice_and_a_file_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    told = {"source": "m", "title": "m", "constants": {"a": 1}, "tables": [], "rows": [ROW], "statements": []}
    file.write_text(yaml.safe_dump(told), encoding="utf-8")
    with pytest.raises(PublishedError, match="stands twice"):
        load_document(file)
    with pytest.raises(PublishedError, match="gone"):
        load_document(tmp_path / "gone.yaml")


@pytest.mark.parametrize(("printed", "digits"), [("≈ 3,500", 0), ("0.800", 3), ("94.0%", 1), ("[89.8%, 96.5%]", 1),
                                                  ("235 MB", 0), ("12,937 (62.1%)", 0), ("188 / 200", 0)])  # fmt: skip
def test_digits_as_printed(printed: str, digits: int) -> None:
    assert Published(**(ROW | {"printed": printed})).digits == digits  # type: ignore[arg-type]

"""The published figures: whole, as printed, and with arithmetic that holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citegrain.flows.cli.reproduce import our_figures
from citegrain.tasks.published.reproduce import (
    Document,
    MeasuredFigure,
    OurFigures,
    PublishedFigure,
    Status,
    judge,
    load_document,
    work_out,
)
from citegrain.tasks.published.reproduce.ours import ENCODER_READS
from citegrain.tasks.published.reproduce.report import StatementResult
from tests.conftest import ROOT

FOLDER = ROOT / "data" / "published"


@pytest.fixture(scope="module")
def thesis() -> Document:
    return load_document(FOLDER / "thesis.yaml")


@pytest.fixture(scope="module")
def paper_qa() -> Document:
    return load_document(FOLDER / "paper_qa.yaml")


@pytest.fixture(scope="module")
def documents(thesis: Document, paper_qa: Document) -> list[Document]:
    others = ("civicsetu", "kg_citerag", "guide")
    return [thesis, paper_qa, *(load_document(FOLDER / f"{name}.yaml") for name in others)]


def test_every_printed_row_is_there(thesis: Document, paper_qa: Document) -> None:
    rows = {t.table: {r.row for r in t.rows} for t in thesis.tables}
    assert rows == {"4.1": set(range(1, 11)), "4.2": set(range(1, 14)), "5.1": {1, 2}}
    cells = {t.table: [(r.row, r.column) for r in t.rows] for t in paper_qa.tables}
    models = ("llama", "qwen", "gpt")
    assert {table: set(places) for table, places in cells.items()} == {
        "4.4": {(n, "") for n in (1, 3, 4, 5, 6, 7)},  # the others are no numbers
        "5.1": {(n, c) for n in range(1, 7) for c in ("n", "source", "page", "similarity")},
        "5.2": {(n, c) for n in range(1, 6) for c in (*models, "mean")},
        "5.3": {(n, c) for n in range(1, 4) for c in models},
    }
    assert sum(map(len, map(set, cells.values()))) == len(paper_qa.rows)


def test_figures_are_those_that_are_printed(documents: list[Document]) -> None:
    for row in (row for document in documents for row in document.rows):
        if row.rule == "interval":
            assert row.printed == f"[{row.low}%, {row.high}%]"
        else:
            assert f"{row.value:.{row.digits}f}" in row.printed.replace(",", ""), row.id


def test_a_statement_is_about_rows_of_its_table(documents: list[Document]) -> None:
    for table in (table for document in documents for table in document.tables):
        assert {row for s in table.statements for row in s.rows} <= {r.row for r in table.rows}


COMES_TO = {
    # by hand from the printed figures, not by the sums of the program
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
    "answers a model": 150.0,
    "mean of all answers of llama3.2": 0.349 + 0.0393 + 0.118,
    "mean of all answers of qwen2.5:7b": 0.369 + 0.0606 + 0.1138,
    "mean of all answers of gpt-4o": 0.337 + 0.0735 + 0.1018,
    "failed calls of gpt-4o": 0.055,
    "answers of gpt-4o in another language": 0.035,
    "sections without a document": 793,
    "sections of the six": 605,
    "edges to what is carried out, those of the rules as a whole added": 62,
    "citations of a judgment": 2840 / 4451,
    "chunks of a judgment that fill the index": 160_000_000 / 1536 / 4451,
    "BM25: score of five, from that of one": 0.6 * 5 * 2.5 / 6.5,
    "weights in general": 1.0,
    "score of the first, not rounded before": 0.9 / 61,
    "hits of questions that would give the rate": 2800 / 33,
    "gain in precision": 401 / 2.4,
    "gain in recall": 2722 / 35,
    "fall of wrong documents": 3900 / 67,
    "gain in essential chunks": 2147 / 16.39,
    "precision of pieces less that of windows with a reranker": 0.0,
    "pairs resolved": 58.0,
}


def statements(*documents: Document) -> dict[str, StatementResult]:
    return {
        s.label: work_out(s, document.names, OurFigures())
        for document in documents
        for table in document.tables
        for s in table.statements
    }


def test_sums_are_written_out_as_they_are_calculated(documents: list[Document]) -> None:
    for result in statements(*documents).values():
        python = result.sum_text.replace(",", "").replace(" x ", " * ").replace("^", "**")
        assert eval(python) == pytest.approx(result.value), result.statement.label  # noqa: S307


def test_arithmetic_holds(documents: list[Document]) -> None:
    results = statements(*documents)
    assert {label: s.value for label, s in results.items()} == pytest.approx(COMES_TO)
    verdicts = {label: s.verdict for label, s in results.items() if s.verdict}
    assert [label for label, verdict in verdicts.items() if verdict == "contradicts"] == [
        "dense index, 4 bytes a float",
        "answers a model",
        "page, model against model",
        "BM25: score of five, from that of one",
        "score of the first, not rounded before",
    ]
    assert len(verdicts) == 23
    assert results["dense index, 4 bytes a float"].line == (
        "rows 4, 7, 8: dense index, 4 bytes a float: 20,836 x 768 x 4 / 10^6 = 64.0 MB; "
        "the document has 235: contradicts"
    )
    assert results["tokens on a page"].text == "3,852 tokens"


def test_ours_goes_through_the_same_arithmetic(thesis: Document) -> None:
    by_label = {s.label: s for table in thesis.tables for s in table.statements}
    values = {"chunks": 100, "mean_tokens": 200, "pages": 40, "chars_a_page": 2000}
    values |= {"vectors": 90, "dimension": 384}
    ours = OurFigures({name: MeasuredFigure(value) for name, value in values.items()})

    def result(label: str) -> str:
        return work_out(by_label[label], thesis.names, ours).ours

    assert result("tokens on a page") == "500 tokens"
    assert result("the same, overlaps taken off") == "2,000 characters"
    assert result("dense index, 4 bytes a float") == "0.1 MB"
    assert result("share with their Act") == ""  # not measured


def test_the_two_published_intervals_to_the_printed_digit(thesis: Document) -> None:
    outcomes = [judge(r, thesis.names, OurFigures()) for r in thesis.rows if r.rule == "interval"]
    assert [o.ours for o in outcomes] == ["[89.8%, 96.5%]", "[76.1%, 86.7%]"]
    assert all(o.ours == o.published.printed and o.status is Status.REPRODUCED for o in outcomes)


BY_HAND = {
    # rows that follow from others: ours, and whether that is what is printed
    "faith_before": ("0.620", True), "faith_after": ("0.648", True), "precise_before": ("0.400", True),
    "precise_after": ("0.266", True), "chunks_found": ("4,263", True), "term": ("0.00328", True),
    "entity_term": ("0.00820", True), "example": ("0.01476", True), "t_search": ("567", True),
    "t_generate": ("324", True), "t_query": ("907", True), "tokens": ("3,650", True), "price": ("0.0008", True),
    "maharashtra_unresolved": ("0", True), "up_unresolved": ("4", True),
    "karnataka_unresolved": ("2", True), "tamil_nadu_unresolved": ("2", True),
}  # fmt: skip


def test_rows_that_follow_from_others(documents: list[Document]) -> None:
    outcomes = {
        row.id: judge(row, document.names, OurFigures())
        for document in documents[2:]
        for row in document.rows
        if row.rule == "recomputed"
    }
    assert {n: (o.ours, o.status == Status.REPRODUCED) for n, o in outcomes.items()} == BY_HAND
    near = next(r for r in documents[2].rows if r.id == "faith_before")
    assert judge(replace(near, tolerance=0.001), documents[2].names, OurFigures()).status == Status.DIFFERS


def test_the_presets_have_the_parameters_that_are_printed(documents: list[Document]) -> None:
    figures = our_figures([document.experiment for document in documents[1:]], {}, None)
    rows = [(d.experiment, row) for d in documents[1:] for row in d.rows if row.rule == "configured"]
    outcomes = [judge(row, {}, figures[experiment]) for experiment, row in rows]
    differing = [o.published.id for o in outcomes if o.status != Status.REPRODUCED]
    assert differing == ["dimensions", "guide_dimensions"]
    assert len(outcomes) == 49 + 6 + 9


def test_the_encoder_reads_as_much_everywhere(thesis: Document) -> None:
    assert thesis.names["encoder_reads"] == ENCODER_READS


READS = {
    "measured": {"why"},
    "configured": {"ours"},
    "recomputed": {"sum", "terms"},
    "interval": {"n", "low", "high"},
    "studied": {"ours", "why"},
    "unpublished": {"why"},
}


def test_every_row_has_what_its_rule_reads(documents: list[Document]) -> None:
    for document in documents:
        for row in document.rows:
            assert all(getattr(row, name) for name in READS[row.rule]), row.id
        assert len({row.id for row in document.rows}) == len(document.rows)
        assert set(document.headlines) <= {row.id for row in document.rows} and document.headlines
        constants = set(document.names) - {row.id for row in document.rows}
        assert len(document.names) == len(document.rows) + len(constants)


@pytest.mark.parametrize(("printed", "digits"), [("≈ 3,500", 0), ("0.800", 3), ("94.0%", 1), ("[89.8%, 96.5%]", 1),
                                                  ("235 MB", 0), ("12,937 (62.1%)", 0), ("188 / 200", 0),
                                                  ("~4,200", 0), ("19.6s", 1), ("$0.0008", 4), ("10x", 0)])  # fmt: skip
def test_digits_as_printed(printed: str, digits: int) -> None:
    fields = {"id": "a", "row": 1, "label": "a", "section": "1", "line": 1, "unit": "", "rule": "measured"}
    assert PublishedFigure(**fields, printed=printed, value=1).digits == digits  # type: ignore[arg-type]

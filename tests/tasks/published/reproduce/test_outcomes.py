"""Statuses follow from the rules; studies are found; the report is written."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from citegrain.tasks.core.pages import markdown_text
from citegrain.tasks.core.schemas import SHARES, SUMMARY
from citegrain.tasks.published.reproduce import (
    Accuracy,
    MeasuredFigure,
    OurFigures,
    PublishedFigure,
    Status,
    accuracies_of,
    find_study,
    judge,
    load_document,
    make_report,
    markdown,
)
from citegrain.tasks.published.reproduce.documents import number
from citegrain.tasks.published.reproduce.report import row_list
from tests.conftest import ROOT

PLAIN: dict[str, Any] = {"id": "a", "row": 1, "label": "a", "unit": "", "section": "1", "line": 1}


def row(**values: Any) -> PublishedFigure:
    return PublishedFigure(**(PLAIN | {"why": "because"} | values))


CHUNKS = row(id="chunks", printed="20,836", value=20836, rule="measured", tolerance=0.05)
TAGGED = row(id="tagged", printed="60 (60%)", value=60, n=100, rule="measured", tolerance=0.01)
DEPTH = row(printed="20", value=20, rule="configured", ours="retrieve.k")
MODEL = row(printed="768", value=768, rule="configured", ours="embed.model", equals="hub/mpnet")
SHARE = row(printed="94.0%", value=94.0, rule="recomputed", sum="per_cent", terms=["right", "all"])
STUDIED = row(printed="60%", value=60, unit="per cent", rule="studied", ours="hit_10", tolerance=0.05)
COMPLAINTS = {"n": 200, "unit": "complaints", "ours": "primary_accuracy"}
LOST = row(printed="188 / 200", value=188, rule="unpublished", **COMPLAINTS)


@pytest.mark.parametrize(
    ("published", "ours_by_kind", "ours", "status"),
    [
        (CHUNKS, {"measures": {"chunks": MeasuredFigure(20000)}}, "20,000", Status.REPRODUCED),
        (CHUNKS, {"measures": {"chunks": MeasuredFigure(19000)}}, "19,000", Status.DIFFERS),
        (CHUNKS, {}, "-", Status.NOT_MEASURED),
        # a share is compared, not the count
        (TAGGED, {"measures": {"tagged": MeasuredFigure(6, 10)}}, "6 of 10 (60.0%)", Status.REPRODUCED),
        (TAGGED, {"measures": {"tagged": MeasuredFigure(60, 60)}}, "60 of 60 (100.0%)", Status.DIFFERS),
        (TAGGED, {"measures": {"tagged": MeasuredFigure(0, 0)}}, "0 of 0 (-%)", Status.DIFFERS),
        (DEPTH, {"config": {"retrieve.k": 20}}, "20", Status.REPRODUCED),
        (DEPTH, {"config": {"retrieve.k": 50}}, "50", Status.DIFFERS),
        (MODEL, {"config": {"embed.model": "hub/mpnet"}}, "mpnet", Status.REPRODUCED),
        (MODEL, {"config": {"embed.model": "hub/minilm"}}, "minilm", Status.DIFFERS),
        (SHARE, {}, "94.0%", Status.REPRODUCED),
        (LOST, {}, "-", Status.NOT_REPRODUCIBLE),
        (STUDIED, {}, "-", Status.NOT_MEASURED),
        (STUDIED, {"accuracies": {"hit_10": Accuracy(0.63, 0.5, 0.7, 90)}}, "63.0% [50.0, 70.0], n=90", Status.REPRODUCED),
        (STUDIED, {"accuracies": {"hit_10": Accuracy(0.57, 0.5, 0.7, 90)}}, "57.0% [50.0, 70.0], n=90", Status.DIFFERS),
        (LOST, {"accuracies": {"primary_accuracy": Accuracy(0.5, 0.3, 0.7, 20)}}, "50.0% [30.0, 70.0], n=20",
         Status.NOT_REPRODUCIBLE),
    ],
)  # fmt: skip
def test_status_follows_from_the_rule(
    published: PublishedFigure, ours_by_kind: dict[str, Any], ours: str, status: Status
) -> None:
    outcome = judge(published, {"right": 188, "all": 200}, OurFigures(**ours_by_kind))
    assert (outcome.ours, outcome.status) == (ours, status)
    assert bool(outcome.why) == (status is not Status.REPRODUCED)


def test_a_share_that_is_rounded_otherwise_differs() -> None:
    assert judge(SHARE, {"right": 187, "all": 200}, OurFigures()).status is Status.DIFFERS


def test_status_says_what_it_rests_on() -> None:
    assert judge(SHARE, {"right": 188, "all": 200}, OurFigures()).status_text == "reproduced (arithmetic)"
    assert judge(DEPTH, {}, OurFigures(config={"retrieve.k": 20})).status_text == "reproduced (setting)"
    assert judge(CHUNKS, {}, OurFigures({"chunks": MeasuredFigure(20836)})).status_text == "reproduced"


def test_every_published_row_has_a_status_and_a_reason() -> None:
    names = ("thesis", "paper_qa", "civicsetu", "kg_citerag", "guide")
    documents = [load_document(ROOT / f"data/published/{n}.yaml") for n in names]
    ours = {}
    for d in reversed(documents):
        ours[d.experiment] = OurFigures(config={r.ours: r.equals or r.value for r in d.rows if r.ours})
    report = make_report(documents, ours, ["no build"], None)
    outcomes = [o for s in report.sections for o in s.outcomes]
    assert len(outcomes) == sum(len(d.rows) for d in documents)
    assert all(o.why for o in outcomes if o.status is not Status.REPRODUCED)
    assert report.counts() == {"reproduced": 103, "differs": 6, "not reproducible": 155, "not measured": 33}
    assert list(dict.fromkeys(h.system for h in report.headlines)) == [d.name for d in documents]
    assert sum(len(d.headlines) for d in documents) == len(report.headlines)
    table = report.headline_table
    assert [c.heading for c in table.columns] == ["figure", "theirs", "ours", "status", "command"]
    commands = {"citegrain reproduce", "citegrain sweep sweep=presets", "citegrain sweep sweep=guide", "-"}
    assert {row[-1].text for row in table.rows} == commands
    shown = {row[1].text: [cell.text for cell in row] for row in table.rows}
    hit = next(row for figure, row in shown.items() if figure.startswith("hit among ten"))
    assert hit[0] == "KG-CiteRAG" and hit[2:5] == ["84.85%", "-", "not reproducible"]
    reasons = report.headline_reasons()
    assert len(set(reasons)) == len(reasons) and sum("KG-CiteRAG: its questions" in r for r in reasons) == 1
    assert sum(r.startswith("citegrain sweep sweep=guide corpus=folder") for r in reasons) == 1
    text = markdown(report)
    assert text == markdown(report) and "## Thesis, Table 4.1: corpus and index" in text
    assert "## CivicSetu, Section 2: the graph" in text
    for o in outcomes:
        cells = map(markdown_text, (str(o.published.row), o.published.label, o.published.printed))
        assert f"| {' | '.join(cells)} | " in text
    assert json.loads(json.dumps(report.as_json()))["sections"][0]["outcomes"][0]["status"] == "not measured"


def test_numbers_and_rows_in_words() -> None:
    numbers = [number(-0.0001, 3), number(math.nan), number(2.5, 1), number(3500)]
    assert numbers == ["0.000", "-", "2.5", "3,500"]
    assert (row_list([4, 2]), row_list([1, 2, 3, 3]), row_list([1, 2])) == ("2, 4", "1 to 3", "1, 2")


def write_study(reports: Path, name: str, corpus: str, split: str, at: int, **cells: float) -> None:
    folder = reports / name
    folder.mkdir(parents=True)
    benchmark = {"name": "b", "split": split, "in_scope": 9}
    facts: dict[str, object] = {"study": name, "corpus": corpus, "benchmark": benchmark}
    facts["configurations"] = {c: {} for c in cells}
    (folder / "study.json").write_text(json.dumps(facts), encoding="utf-8")
    rows: list[dict[str, object]] = [
        {"configuration": c, "metric": "primary_accuracy", "value": v, "lo": math.nan, "hi": math.nan, "n": 9}
        for c, v in cells.items()
    ]
    pq.write_table(SUMMARY.rows(rows), folder / "summary.parquet")
    os.utime(folder / "study.json", (at, at))


def test_the_last_study_of_a_system_on_its_benchmark(tmp_path: Path) -> None:
    write_study(tmp_path, "old", "some", "test", 1, civicsetu=0.25, thesis=0.5)
    write_study(tmp_path, "new", "all", "test", 2, civicsetu=0.75)
    write_study(tmp_path, "last", "all", "test", 3, default=0.125)
    row = {"configuration": "guide", "metric": "mismatch", "value": 0.5, "lo": 0.4, "hi": 0.6, "n": 9}
    pq.write_table(SUMMARY.rows([row]), tmp_path / "last" / "summary.parquet")
    part = {"configuration": "guide", "group": "case", "channel": "name", "share": 0.7, "n": 24}
    pq.write_table(SHARES.rows([part]), tmp_path / "last" / "shares.parquet")
    assert accuracies_of(tmp_path, "guide", "")["mismatch"].n == 9
    assert accuracies_of(tmp_path, "guide", "")["share.case.name"].text(100, 1) == "70.0%"
    study = find_study(tmp_path, "all")  # not the one without an accuracy
    assert study is not None and study.name == "new"
    assert accuracies_of(tmp_path, "civicsetu", "b")["primary_accuracy"].value == 0.75
    assert accuracies_of(tmp_path, "civicsetu", "b")["thesis.primary_accuracy"].value == 0.5  # beside it
    assert accuracies_of(tmp_path, "thesis", "")["primary_accuracy"].value == 0.5
    assert accuracies_of(tmp_path, "civicsetu", "rera") == accuracies_of(tmp_path, "tier2", "") == {}


def test_the_study_of_this_build_on_a_test_split_goes_first(tmp_path: Path) -> None:
    assert find_study(tmp_path / "none", "acts") is None
    write_study(tmp_path, "old", "acts", "test", 1, default=0.5, thesis=0.25)
    write_study(tmp_path, "dev", "acts", "dev", 2, default=0.5)
    write_study(tmp_path, "other", "demo", "test", 3, bm25=0.5)
    write_study(tmp_path, "unscored", "acts", "test", 4)
    write_study(tmp_path, ".half-1-ab", "acts", "test", 5, thesis=0.5)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "study.json").write_text("{}", encoding="utf-8")

    def chosen(corpus: str, name: str = "") -> tuple[str, str]:
        study = find_study(tmp_path, corpus, name)
        assert study is not None
        return study.name, study.configuration

    assert chosen("acts") == ("old", "thesis")
    assert chosen("demo") == ("other", "bm25")
    assert find_study(tmp_path, "neither") is None
    assert chosen("acts", "dev") == ("dev", "default")
    for name in ("gone", "unscored"):
        with pytest.raises(FileNotFoundError, match=name):
            find_study(tmp_path, "acts", name)
    study = find_study(tmp_path, "acts")
    assert study is not None and study.accuracies_of("thesis")["primary_accuracy"].value == 0.25
    assert not study.accuracies_of("civicsetu")  # another system's accuracy does not stand beside its rows
    assert study.rows()[0] == ("default", "0.500", "-", "-", "-")

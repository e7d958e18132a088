"""The CSV of the paper-QA system, row by row and file by file."""

from __future__ import annotations

import csv
from pathlib import Path

from citegrain.tasks.evaluation.report import DETAILED, STANDARD, paper_qa_rows, write_csv

RUN = {"seed": 2, "llm": "m", "template_id": 4, "open_knowledge": "Yes"}
SCORES = {
    "a": {
        "source_accuracy": 1.0,
        "cited_source_accuracy": 0.0,
        "cited_page_accuracy": 0.5,
        "similarity": 0.61239,
    }
}


def test_a_row_says_what_was_asked_for() -> None:
    places = {"a": [("x.pdf", 3), ("x.pdf", 1), ("y.pdf", 2), ("x.pdf", 3)]}
    row, bare = paper_qa_rows({"a": "Why; so?", "b": "And?"}, SCORES, places, {"a": "It; is"}, RUN)
    assert [row[name] for name in STANDARD] == [2, "m", 4, "Yes", "a", 1.0, "", 0.6124]
    assert (row["found_sources"], row["found_pages"]) == ("x.pdf; y.pdf", '{"x.pdf": [3, 1], "y.pdf": [2]}')
    assert [bare[name] for name in STANDARD[5:]] == ["", "", ""] and bare["llm_response"] == ""
    row, _ = paper_qa_rows({"a": "Why?", "b": "And?"}, SCORES, places, {}, RUN, cited_only=True)
    assert (row["source_accuracy"], row["page_accuracy"]) == (0.0, 0.5)
    # an answer that is not in prose has no template and no seed
    (plain,) = paper_qa_rows({"a": "Why?"}, SCORES, {}, {}, {"llm": "extractive"})
    assert "template_id" not in plain and "open_knowledge" not in plain and "seed" not in plain


def test_blocks_are_appended_behind_an_empty_line(tmp_path: Path) -> None:
    rows = paper_qa_rows({"a": "Why; so?"}, SCORES, {}, {"a": "It\nis"}, RUN)
    path = tmp_path / "all.csv"
    for _ in range(2):
        write_csv(path, rows, DETAILED, append=True)
    text = path.read_text(encoding="utf-8")
    assert text.startswith(";".join(DETAILED) + "\n") and text.count("template_id") == 1 and "\n\n" in text
    with path.open(encoding="utf-8") as file:
        read = list(csv.DictReader(file, delimiter=";"))
    assert [r["question"] for r in read] == ["Why; so?"] * 2 and read[1]["llm_response"] == "It\nis"
    write_csv(path, rows, STANDARD)
    assert path.read_text(encoding="utf-8") == ";".join(STANDARD) + "\n2;m;4;Yes;a;1.0;;0.6124\n"

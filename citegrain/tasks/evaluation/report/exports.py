"""What other tools read of a study: runs as ``trec_eval`` reads them, and the CSV of the paper-QA system.

The CSV has semicolons (Table 4.5 of that thesis), and is standard or detailed. ``similarity`` compares an
answer with a reference answer. Benchmarks of complaints have none: the column stays empty, as do source and
page where nothing applies. A question without a source is not counted as found. ``seed``, ``template_id`` and
``open_knowledge`` are those of an answer in prose, and empty where there is none.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from citegrain.tasks.core.runs import trec_column

STANDARD = (
    "seed",
    "llm",
    "template_id",
    "open_knowledge",
    "question_id",
    "source_accuracy",
    "page_accuracy",
    "similarity",
)
DETAILED = (*STANDARD[:5], "question", *STANDARD[5:], "found_sources", "found_pages", "llm_response")


def trec_lines(rankings: Mapping[str, Sequence[str]], tag: str) -> Iterator[str]:
    """Lines ``query Q0 document rank score tag``; the score falls with the rank, so that ties cannot arise.

    ``rankings``: labels of provisions by query id, best first.
    """
    for query, labels in rankings.items():
        for rank, label in enumerate(labels, 1):
            yield f"{trec_column(query)} Q0 {trec_column(label)} {rank} {1 / rank:.6f} {tag}"


def paper_qa_rows(
    texts: Mapping[str, str],
    scores: Mapping[str, Mapping[str, float]],
    sources: Mapping[str, Sequence[tuple[str, int]]],
    answers: Mapping[str, str],
    run: Mapping[str, Any],
    cited_only: bool = False,
) -> list[dict[str, Any]]:
    """Rows with the columns of ``DETAILED``, one a query.

    ``sources``: (file, page) of what was selected, or of what was cited, by query id, in order. ``run``:
    ``seed``, ``llm``, ``template_id`` and ``open_knowledge`` of the configuration. ``cited_only``: whether
    source and page are measured over what the answer cites alone.
    """
    prefix = "cited_" if cited_only else ""
    rows = []
    for query, text in texts.items():
        pages: dict[str, list[int]] = {}
        for file, page in dict.fromkeys(sources.get(query, ())):
            pages.setdefault(file, []).append(page)
        measured = scores.get(query, {})
        rows.append(
            {
                **run,
                "question_id": query,
                "question": text,
                "source_accuracy": _rounded(measured.get(f"{prefix}source_accuracy")),
                "page_accuracy": _rounded(measured.get(f"{prefix}page_accuracy")),
                "similarity": _rounded(measured.get("similarity")),
                "found_sources": "; ".join(pages),
                "found_pages": json.dumps(pages, ensure_ascii=False),
                "llm_response": answers.get(query, ""),
            }
        )
    return rows


def _rounded(value: float | None) -> float | str:
    return "" if value is None else round(value, 4)


def write_csv(
    path: Path, rows: Iterable[Mapping[str, Any]], columns: Sequence[str], append: bool = False
) -> None:
    """Write rows with ``;`` between the columns; ``append``: behind what is there, after an empty line."""
    more = append and path.is_file() and path.stat().st_size > 0
    with path.open("a" if more else "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, delimiter=";", extrasaction="ignore", lineterminator="\n")
        if more:
            file.write("\n")
        else:
            writer.writeheader()
        writer.writerows(rows)

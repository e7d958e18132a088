"""What other tools read of a study: runs as ``trec_eval`` reads them, and the CSV of the paper-QA system.

The CSV has semicolons (Table 4.5 of that thesis), and is standard or detailed. ``similarity`` compares an
answer with a reference answer. Benchmarks of complaints have none: the column stays empty, as do source and
page where nothing applies. A question without a source is not counted as found.
"""

from __future__ import annotations

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

    Parameters
    ----------
    rankings
        Labels of provisions by query id, best first.
    """
    for query, labels in rankings.items():
        for rank, label in enumerate(labels, 1):
            yield f"{trec_column(query)} Q0 {trec_column(label)} {rank} {1 / rank:.6f} {tag}"


def paper_qa_rows(
    texts: Mapping[str, str],
    scores: Mapping[str, Mapping[str, float]],
    sources: Mapping[str, Sequence[tuple[str, int]]],
    answers: Mapping[str, str],
    seed: int,
    model: str,
) -> list[dict[str, Any]]:
    """Rows with the columns of ``DETAILED``, one a query.

    Parameters
    ----------
    scores
        Metrics by query id.
    sources
        (file, page) of what was selected, by query id, in order.
    """
    rows = []
    for query, text in texts.items():
        pages: dict[str, list[int]] = {}
        for file, page in dict.fromkeys(sources.get(query, ())):
            pages.setdefault(file, []).append(page)
        measured = scores.get(query, {})
        rows.append(
            {
                "seed": seed,
                "llm": model,
                "template_id": 1,
                "open_knowledge": "No",
                "question_id": query,
                "question": text,
                "source_accuracy": _rounded(measured.get("source_accuracy")),
                "page_accuracy": _rounded(measured.get("page_accuracy")),
                "similarity": "",
                "found_sources": "; ".join(pages),
                "found_pages": json.dumps(pages, ensure_ascii=False),
                "llm_response": answers.get(query, ""),
            }
        )
    return rows


def _rounded(value: float | None) -> float | str:
    return "" if value is None else round(value, 4)


def write_csv(path: Path, rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """Write rows with ``;`` between the columns."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, delimiter=";", extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)

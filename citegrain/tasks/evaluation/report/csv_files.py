"""Results in the semicolon CSV of the paper-QA system (its Table 4.5), standard and detailed.

``similarity`` compares an answer with a reference answer, which benchmarks of complaints do not have: it
stays empty, as do source and page where nothing applies. A question without a source is not
counted as found.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

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


def paper_qa_rows(
    texts: Mapping[str, str],
    scores: Mapping[str, Mapping[str, float]],
    found: Mapping[str, Sequence[tuple[str, int]]],
    answers: Mapping[str, str],
    seed: int,
    model: str,
) -> list[dict[str, Any]]:
    """Rows with the columns of ``DETAILED``, one a query.

    Parameters
    ----------
    scores
        Metrics by query id.
    found
        (file, page) of what was selected, by query id, in order.
    """
    rows = []
    for query, text in texts.items():
        pages: dict[str, list[int]] = {}
        for file, page in found.get(query, ()):
            held = pages.setdefault(file, [])
            if page not in held:
                held.append(page)
        own = scores.get(query, {})
        rows.append(
            {
                "seed": seed,
                "llm": model,
                "template_id": 1,
                "open_knowledge": "No",
                "question_id": query,
                "question": text,
                "source_accuracy": _rounded(own.get("source_accuracy")),
                "page_accuracy": _rounded(own.get("page_accuracy")),
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

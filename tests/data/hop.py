"""The benchmark of questions that need a second hop, as its files hold it."""

from __future__ import annotations

import json
from typing import Any

from citegrain.tasks.evaluation.benchmark import Citation
from tests.data.labelled import Labelled

HOP = Labelled("hop")
HOPS: dict[str, dict[str, Any]] = {
    hop["id"]: hop for hop in map(json.loads, (HOP.folder / "hops.jsonl").read_text("utf-8").splitlines())
}
"""What each question names, its kind, and the references on which its set hangs together."""


def links(question: str) -> list[tuple[Citation, Citation, str]]:
    """The references of a question: whose text, to what, in which words."""
    return [(Citation(**x["from"]), Citation(**x["to"]), x["words"]) for x in HOPS[question]["links"]]

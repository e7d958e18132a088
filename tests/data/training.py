"""The lay texts to learn from as their files hold them, and the texts that they must keep away from."""

from __future__ import annotations

from citegrain.tasks.evaluation.benchmark import SPLITS, load_benchmark
from citegrain.tasks.offline.corpus import load_registry
from citegrain.tasks.train import STYLES, read_lay_queries, read_questions, read_stories
from tests.conftest import ROOT

FOLDER = ROOT / "data" / "training"
ACTS = load_registry(ROOT / "data" / "registry.yaml").acts
CARD = (FOLDER / "README.md").read_text(encoding="utf-8")
LAY = read_lay_queries(FOLDER / "lay_queries.jsonl")
OTHERS = read_lay_queries(FOLDER / "lay_queries_others.jsonl")
STORIES = read_stories(FOLDER / "lay_stories.jsonl")
QUESTIONS = read_questions(FOLDER / "questions.jsonl")
KINDS = (*STYLES, "story")
LIMITS = {"plain": (10, 40), "scene": (35, 70), "message": (8, 50), "story": (70, 170)}
"""Words of a text by the rules it was written by."""

TEXTS: dict[str, dict[str, str]] = {
    style: {f"{lay.citation.label}/{style}": dict(lay.texts)[style] for lay in LAY} for style in STYLES
} | {"story": {story.id: story.text for story in STORIES}}
"""Texts of each kind by id: ``act/section/style``, or the story's own."""

OTHER_TEXTS = {f"{lay.citation.label}/{style}": text for lay in OTHERS for style, text in lay.texts}
EVERY = {name: text for kind in KINDS for name, text in TEXTS[kind].items()} | OTHER_TEXTS
BENCHMARKS = {
    f"{name}/{split}/{record.id}": record.text
    for name in ("complaints", "constitution", "hop", "others")
    for split in SPLITS
    for record in load_benchmark(ROOT / "data" / "benchmarks" / name / f"{split}.jsonl", name, split).records
}


def card_row(begins: str) -> list[str]:
    """Cells of the row of the card that begins so."""
    row = next(line for line in CARD.splitlines() if line.startswith(f"| {begins} |"))
    return [cell.strip() for cell in row.strip("|").split("|")][1:]

"""The texts to learn from as their files hold them, and the texts that they must keep away from."""

from __future__ import annotations

from functools import cached_property

from citegrain.tasks.evaluation.benchmark import SPLITS, load_benchmark
from citegrain.tasks.offline.corpus import load_registry
from citegrain.tasks.online.gloss import HINDI, HINGLISH
from citegrain.tasks.train import STYLES, LayQueries, read_lay_queries, read_questions, read_stories
from citegrain.tasks.train.texts import Question, Story
from tests.conftest import ROOT

FOLDER = ROOT / "data" / "training"
ACTS = load_registry(ROOT / "data" / "registry.yaml").acts
CARD = (FOLDER / "README.md").read_text(encoding="utf-8")
KINDS = (*STYLES, "story")
LIMITS = {"plain": (10, 40), "scene": (35, 70), "message": (8, 50), "story": (70, 170)}
"""Words of a text by the rules it was written by."""
FILES = ("questions", "forum_questions")


class Training:
    """The files, each read when a test first uses it."""

    @cached_property
    def lay(self) -> tuple[LayQueries, ...]:
        return read_lay_queries(FOLDER / "lay_queries.jsonl")

    @cached_property
    def others(self) -> tuple[LayQueries, ...]:
        return read_lay_queries(FOLDER / "lay_queries_others.jsonl")

    @cached_property
    def more(self) -> tuple[LayQueries, ...]:
        return read_lay_queries(FOLDER / "lay_queries_others_more.jsonl")

    @cached_property
    def rest(self) -> tuple[LayQueries, ...]:
        return read_lay_queries(FOLDER / "lay_queries_rest.jsonl")

    @cached_property
    def stories(self) -> tuple[Story, ...]:
        return read_stories(FOLDER / "lay_stories.jsonl")

    @cached_property
    def files(self) -> dict[str, tuple[Question, ...]]:
        """The questions of each of ``FILES``."""
        return {name: read_questions(FOLDER / f"{name}.jsonl") for name in FILES}

    @cached_property
    def short(self) -> tuple[Question, ...]:
        return read_questions(FOLDER / "short_questions.jsonl")

    @cached_property
    def indian(self) -> dict[str, tuple[Question, ...]]:
        return {n: read_questions(FOLDER / f"{n.lower()}_questions.jsonl") for n in (HINGLISH, HINDI)}

    @cached_property
    def question_texts(self) -> dict[str, str]:
        """The texts of ``files`` by id."""
        return {q.id: q.text for questions in self.files.values() for q in questions}

    @cached_property
    def texts(self) -> dict[str, dict[str, str]]:
        """Texts of each kind by id: ``act/section/style``, or the story's own."""
        return {
            style: {f"{lay.citation.label}/{style}": dict(lay.texts)[style] for lay in self.lay}
            for style in STYLES
        } | {"story": {story.id: story.text for story in self.stories}}

    @cached_property
    def other_texts(self) -> dict[str, str]:
        return {
            f"{lay.citation.label}/{style}{end}": text
            for end, queries in (("", self.others), (" more", self.more), ("", self.rest))
            for lay in queries
            for style, text in lay.texts
        }

    @cached_property
    def every(self) -> dict[str, str]:
        return {name: text for kind in KINDS for name, text in self.texts[kind].items()} | self.other_texts

    @cached_property
    def benchmarks(self) -> dict[str, str]:
        folder = ROOT / "data" / "benchmarks"
        return {
            f"{name}/{split}/{record.id}": record.text
            for name in ("complaints", "constitution", "hop", "others")
            for split in SPLITS
            for record in load_benchmark(folder / name / f"{split}.jsonl", name, split).records
        }


TRAINING = Training()


def card_row(begins: str) -> list[str]:
    """Cells of the row of the card that begins so."""
    row = next(line for line in CARD.splitlines() if line.startswith(f"| {begins} |"))
    return [cell.strip() for cell in row.strip("|").split("|")][1:]

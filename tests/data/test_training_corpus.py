"""The training texts against the Acts: labels that exist, words that are not the law's."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from statistics import median

import pyarrow as pa
import pytest

from citegrain.tasks.evaluation.benchmark import Citation, overlap
from citegrain.tasks.online.gloss import HINDI, HINGLISH
from citegrain.tasks.train import STYLES
from tests.data.law import ids_of
from tests.data.training import CARD, KINDS, TRAINING, card_row

MUCH = 0.36


@cache
def label_of() -> dict[str, Citation]:
    return {
        f"{lay.citation.label}/{style}": lay.citation for lay in TRAINING.lay for style, _ in lay.texts
    } | {story.id: story.applicable[0] for story in TRAINING.stories}


@pytest.mark.corpus
@pytest.mark.xdist_group("gold")
def test_every_label_exists(provisions: pa.Table) -> None:
    questions = (
        *TRAINING.files["questions"],
        *TRAINING.files["forum_questions"],
        *TRAINING.short,
        *TRAINING.indian[HINDI],
        *TRAINING.indian[HINGLISH],
    )
    labels = {*label_of().values(), *(c for s in TRAINING.stories for c in s.applicable)}
    labels |= {c for q in questions for c in q.applicable}
    assert sorted(c.label for c in labels - set(ids_of(provisions))) == []


@pytest.mark.corpus
@pytest.mark.xdist_group("gold")
def test_texts_do_not_speak_in_the_words_of_the_law(provisions: pa.Table) -> None:
    law = {citation: " ".join(texts.values()) for citation, texts in ids_of(provisions).items()}
    shares = [
        sorted(overlap(text, law[label_of()[name]]) for name, text in TRAINING.texts[kind].items())
        for kind in KINDS
    ]
    assert all(median(sample) < 0.12 for sample in shares)
    assert all(sample[-1] <= MUCH for sample in shares)
    row = card_row("share of content words in the provision, median; largest")
    assert row == [f"{median(f):.3f}; {f[-1]:.2f}".replace("0.", ".") for f in shares]


@pytest.mark.corpus
def test_texts_of_other_acts_are_of_sections_that_are_there_and_speak_in_other_words(shared: Path) -> None:
    law: dict[Citation, str] = {}
    with gzip.open(shared / "gold" / "central_acts_sections.jsonl.gz", "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            number = row["section"].replace("-", "")
            if number.isalnum() and number[:1].isdigit():
                law[Citation(act=row["act"], section=number)] = row["text"]
    assert sorted(lay.citation.label for lay in TRAINING.others if lay.citation not in law) == []
    shares = [
        median(overlap(dict(lay.texts)[style], law[lay.citation]) for lay in TRAINING.others)
        for style in STYLES
    ]
    assert " ".join(f"{share:.3f}" for share in shares).replace("0.", ".") in CARD

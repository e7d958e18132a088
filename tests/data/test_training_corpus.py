"""The training texts against the Acts: labels that exist, words that are not the law's."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from statistics import median

import pyarrow as pa
import pytest

from citegrain.tasks.evaluation.benchmark import Citation, overlap
from citegrain.tasks.online.gloss import HINDI, HINGLISH
from citegrain.tasks.train import STYLES
from tests.data.law import ids_of
from tests.data.test_questions import FORUM, INDIAN, QUESTIONS, SHORT
from tests.data.training import CARD, KINDS, LAY, OTHERS, STORIES, TEXTS, card_row

LABELS: dict[str, Citation] = {
    f"{lay.citation.label}/{style}": lay.citation for lay in LAY for style, _ in lay.texts
} | {story.id: story.applicable[0] for story in STORIES}
MUCH = 0.36


@pytest.mark.corpus
@pytest.mark.xdist_group("gold")
def test_every_label_exists(provisions: pa.Table) -> None:
    questions = (*QUESTIONS, *FORUM, *SHORT, *INDIAN[HINDI], *INDIAN[HINGLISH])
    labels = {*LABELS.values(), *(c for s in STORIES for c in s.applicable)}
    labels |= {c for q in questions for c in q.applicable}
    assert sorted(c.label for c in labels - set(ids_of(provisions))) == []


@pytest.mark.corpus
@pytest.mark.xdist_group("gold")
def test_texts_do_not_speak_in_the_words_of_the_law(provisions: pa.Table) -> None:
    law = {citation: " ".join(texts.values()) for citation, texts in ids_of(provisions).items()}
    shares = [
        sorted(overlap(text, law[LABELS[name]]) for name, text in TEXTS[kind].items()) for kind in KINDS
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
    assert sorted(lay.citation.label for lay in OTHERS if lay.citation not in law) == []
    shares = [
        median(overlap(dict(lay.texts)[style], law[lay.citation]) for lay in OTHERS) for style in STYLES
    ]
    assert " ".join(f"{share:.3f}" for share in shares).replace("0.", ".") in CARD

"""The questions that need a second hop against the Acts: labels that are law, references that stand there."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest

from citegrain.tasks.evaluation.benchmark import SPLITS, overlap_by_register
from tests.data.hop import HOP, links
from tests.data.law import ids_of, unlawful

pytestmark = [pytest.mark.corpus, pytest.mark.xdist_group("gold")]


def test_every_label_exists_and_is_law_on_its_day(provisions: pa.Table) -> None:
    assert unlawful(HOP.every, provisions) == []


def meant(words: str) -> set[str]:
    """Numbers that the words of a reference name, those between the ends of a range too."""
    ranges = re.findall(r"(\d+) to (\d+)", words)
    within = {str(n) for first, last in ranges for n in range(int(first), int(last))}
    return within | set(re.findall(r"\d+[A-Z]*", words))


def test_the_reference_stands_in_the_text_of_the_one_and_names_the_other(provisions: pa.Table) -> None:
    texts = {c: " ".join(" ".join(t.values()).split()) for c, t in ids_of(provisions).items()}
    for record in HOP.every:
        for source, target, words in links(record.id):
            assert words in texts[source], f"{record.id}: {words}"
            assert target.section.rpartition("R")[2] in meant(words), f"{record.id}: {words}"


def test_words_shared_with_the_law_are_those_of_the_card(provisions: pa.Table) -> None:
    ids = ids_of(provisions)
    for at, split in enumerate(reversed(SPLITS)):
        overlaps = overlap_by_register(HOP.records[split], lambda citation: " ".join(ids[citation].values()))
        printed = " / ".join(f"{share:.3f}".lstrip("0") for share, _ in overlaps.values())
        assert HOP.card_row("share of a question's content words")[at] == printed

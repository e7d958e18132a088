"""The figures of the card of the training texts are those of its files."""

from __future__ import annotations

from collections import Counter
from statistics import median

import pytest

from citegrain.tasks.train import STYLES
from tests.data.test_training import CODES
from tests.data.training import ACTS, CARD, KINDS, LIMITS, TRAINING, card_row

COUNTS = Counter(ACTS[lay.act].domain for lay in TRAINING.lay)


def test_texts_and_their_lengths() -> None:
    assert card_row("texts") == [f"{n:,}" for n in (*[len(TRAINING.lay)] * 3, len(TRAINING.stories))]
    assert card_row("words, as asked for") == [f"{least} to {most}" for least, most in LIMITS.values()]
    lengths = [[len(text.split()) for text in TRAINING.texts[kind].values()] for kind in KINDS]
    assert card_row("words, median (range)") == [f"{median(n):g} ({min(n)} to {max(n)})" for n in lengths]


@pytest.mark.parametrize("domain", sorted(COUNTS))
def test_rows_by_domain(domain: str) -> None:
    acts = {lay.act for lay in TRAINING.lay if ACTS[lay.act].domain == domain}
    primaries = sum(ACTS[story.applicable[0].act].domain == domain for story in TRAINING.stories)
    assert card_row(domain) == [str(len(acts)), f"{COUNTS[domain]:,}", str(primaries)]


def test_sums_by_domain() -> None:
    assert card_row("in all") == [
        str(len({lay.act for lay in TRAINING.lay})),
        f"{len(TRAINING.lay):,}",
        str(len(TRAINING.stories)),
    ]


def test_the_labels() -> None:
    with_texts = {lay.citation for lay in TRAINING.lay}
    cited = {c for story in TRAINING.stories for c in story.applicable}
    sizes = Counter(len(story.applicable) for story in TRAINING.stories)
    without = cited - with_texts
    card = " ".join(CARD.split())
    assert f"{3 * len(TRAINING.lay) + len(TRAINING.stories):,} texts" in card
    assert f"{sizes[2]} stories call for two provisions, {sizes[3]} for three, {sizes[4]} for four" in card
    assert f"{len(cited)} provisions of {len({c.act for c in cited})} Acts" in card
    assert f"{len({story.applicable[0] for story in TRAINING.stories})} of them primary" in card
    assert f"{len(without)} of them have no lay texts" in card
    assert f"{sum(c.act in CODES for c in without)} are of the replaced codes" in card
    dated = sum(any(c.act in CODES for c in story.applicable) for story in TRAINING.stories)
    assert f"{dated} stories are labelled with them" in card


def test_other_acts() -> None:
    acts = {lay.act for lay in TRAINING.others}
    assert not acts & set(ACTS)
    assert f"{len(TRAINING.others):,} provisions of {len(acts)} central Acts" in CARD
    more = {lay.act for lay in TRAINING.more}
    assert f"{len(TRAINING.more):,} provisions of {len(more)} of these Acts" in CARD
    assert {lay.citation for lay in TRAINING.more} <= {lay.citation for lay in TRAINING.others}
    rest = {lay.citation for lay in TRAINING.rest}
    assert f"{len(rest)} further provisions of {len({one.act for one in rest})} of the 51 Acts" in CARD
    assert rest.isdisjoint(lay.citation for lay in TRAINING.lay) and {one.act for one in rest} <= set(ACTS)
    every = (*TRAINING.others, *TRAINING.more)
    lengths = [[len(dict(lay.texts)[style].split()) for lay in every] for style in STYLES]
    for style, (least, most), of_style in zip(STYLES, ((10, 35), (30, 75), (3, 25)), lengths, strict=True):
        assert f"{least} to {most}" in CARD and least <= min(of_style) and max(of_style) <= most, style

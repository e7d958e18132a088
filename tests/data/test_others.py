"""Questions about Acts outside the registry: what their card says of them."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.data.labelled import Labelled
from tests.data.training import TRAINING

OTHERS = Labelled("others")


def acts_of(split: str) -> set[str]:
    return {c.act for r in OTHERS.records[split] for c in r.applicable}


@pytest.mark.parametrize(("split", "texts", "acts"), [("dev", 382, 23), ("test", 369, 32)])
def test_the_card_counts_what_is_there(split: str, texts: int, acts: int) -> None:
    assert (len(OTHERS.records[split]), len(acts_of(split))) == (texts, acts)
    styles = Counter(r.id.rpartition("-")[2] for r in OTHERS.records[split])
    assert styles.keys() == {"plain", "scene", "message"} and min(styles.values()) > 110
    assert (
        f"({texts} texts, {acts} Acts)" in OTHERS.card
        or f"the {acts} Acts of `{split}` ({texts})" in OTHERS.card
    )


def test_splits_share_no_act_and_lay_texts_of_all_ship() -> None:
    assert not acts_of("dev") & acts_of("test")
    assert acts_of("dev") | acts_of("test") <= {lay.act for lay in TRAINING.others}


def test_no_text_stands_twice_or_names_a_section() -> None:
    texts = [r.text for r in OTHERS.every]
    assert len(set(texts)) == len(texts)
    assert not [t for t in texts if "section" in t.lower().split()]

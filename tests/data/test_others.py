"""Questions about Acts outside the registry: what their card says of them."""

from __future__ import annotations

from collections import Counter

import pytest

from citegrain.tasks.evaluation.benchmark import load_benchmark
from tests.conftest import ROOT
from tests.data.training import OTHERS

FOLDER = ROOT / "data" / "benchmarks" / "others"
RECORDS = {s: load_benchmark(FOLDER / f"{s}.jsonl", "others", s).records for s in ("dev", "test")}
ACTS = {split: {c.act for r in records for c in r.applicable} for split, records in RECORDS.items()}


@pytest.mark.parametrize(("split", "texts", "acts"), [("dev", 382, 23), ("test", 369, 32)])
def test_the_card_counts_what_is_there(split: str, texts: int, acts: int) -> None:
    assert (len(RECORDS[split]), len(ACTS[split])) == (texts, acts)
    styles = Counter(r.id.rpartition("-")[2] for r in RECORDS[split])
    assert styles.keys() == {"plain", "scene", "message"} and min(styles.values()) > 110
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert f"({texts} texts, {acts} Acts)" in card or f"the {acts} Acts of `{split}` ({texts})" in card


def test_splits_share_no_act_and_lay_texts_of_all_ship() -> None:
    assert not ACTS["dev"] & ACTS["test"]
    assert ACTS["dev"] | ACTS["test"] <= {lay.act for lay in OTHERS}


def test_no_text_stands_twice_or_names_a_section() -> None:
    texts = [r.text for records in RECORDS.values() for r in records]
    assert len(set(texts)) == len(texts)
    assert not [t for t in texts if "section" in t.lower().split()]

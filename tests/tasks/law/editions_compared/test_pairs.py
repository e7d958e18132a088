"""Pairs of editions made on purpose, typeset in three prints, against what was done. Needs the shared folder."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from citegrain.tasks.law.editions_compared import AMENDING, amendments
from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.structure import ActSpan, structure_document
from tests.tasks.law.editions_compared.acts import NEW, OLD
from tests.tasks.law.editions_compared.editions import LATER, PRINTS, acts, editions, make_pair, styles
from tests.tasks.law.editions_compared.edits import Pair
from tests.tasks.law.editions_compared.prints import Print, typeset

pytestmark = [pytest.mark.corpus, pytest.mark.xdist_group("amendments")]

Key = tuple[str, str]
LOOKED_AT = 8  # of the twenty pairs; the others have kinds of changes of their own
FIRST = (
    20  # twelve more pairs, with kinds of changes and prints of their own, were made when these were mended
)


def provisions(data: bytes, act_id: str, version: date) -> pa.Table:
    parsed = parse_document(data, "d" * 64, ParseConfig(ocr="off"))
    span = ActSpan(act_id, version, 1, 999)
    return structure_document(parsed["documents"], parsed["lines"], [span])["provisions"]


def pair_of(shared: Path, seed: int) -> Pair:
    by_id = acts(shared)
    ids = sorted(by_id)
    Random(50).shuffle(ids)  # noqa: S311
    return make_pair(by_id[ids[seed]], seed, seed >= LOOKED_AT, seed >= FIRST)


def compared(pair: Pair, prints: tuple[Print, Print]) -> set[Key]:
    act_id = "-".join(re.findall(r"\w+", pair.title.lower().removeprefix("the ")))
    old, new = (
        provisions(typeset(edition, style), act_id, day)
        for edition, style, day in zip(editions(pair), prints, (OLD, NEW), strict=True)
    )
    rows = [r for r in amendments(old, new).to_pylist() if r["kind"] in AMENDING]
    return {("schedule" if r["unit"] == "schedule" else r["number"], r["kind"]) for r in rows}


@pytest.mark.parametrize(
    "seeds",
    [
        (1, 6),
        pytest.param(range(20), marks=pytest.mark.slow),
        pytest.param(range(20, 32), marks=pytest.mark.slow),
    ],
    ids=["two pairs", "all twenty", "twelve more"],
)
def test_changes_of_the_law_are_found_and_those_of_print_are_none(shared: Path, seeds: range) -> None:
    have: set[tuple[int, Key]] = set()
    want: set[tuple[int, Key]] = set()
    for seed in seeds:
        pair = pair_of(shared, seed)
        assert len(pair.truth) == len(pair.printed) == 10
        have |= {(seed, key) for key in compared(pair, styles(seed, LATER if seed >= FIRST else PRINTS))}
        want |= {(seed, key) for key in pair.truth.items()}
    assert len(have & want) >= 0.95 * len(have), sorted(have - want)
    assert len(have & want) >= 0.99 * len(want), sorted(want - have)


def test_three_prints_of_a_pair_give_the_same_amendments(shared: Path) -> None:
    pair = pair_of(shared, 4)
    assert [compared(pair, (style, style)) for style in PRINTS] == [set(pair.truth.items())] * 3

"""The questions whose answer depends on the day: what the card says of them, and each nugget on its page."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pymupdf
import pytest

from citegrain.tasks.evaluation.benchmark import Record
from tests.data.complaints import ACTS
from tests.data.labelled import Labelled

IN_FORCE = Labelled("in_force")
OTHER_NAMES = {"indian_penal_code_1860__v2006-08-30": "indian_penal_code_1860__v2018-06-04_old_layout"}
"""By Act and edition the file whose name bears another day: that on which it was saved."""


def test_the_card_counts_what_is_there() -> None:
    def row(name: str, *numbers: int) -> str:
        return f"| {name} | {' | '.join(map(str, numbers))} |"

    splits = [IN_FORCE.records["dev"], IN_FORCE.records["test"]]
    assert row("questions", *map(len, splits)) in IN_FORCE.card
    for category in ("given", "implied", "absent", "across"):
        assert row(category, *(sum(r.category == category for r in s) for s in splits)) in IN_FORCE.card
    assert row("Acts", *(len({r.applicable[0].act for r in s}) for s in splits)) in IN_FORCE.card
    assert (
        row("with a pattern that must not match", *(sum(bool(r.must_not) for r in s) for s in splits))
        in IN_FORCE.card
    )
    assert (
        row("with a provision in its place on other days", *(sum(bool(r.instead) for r in s) for s in splits))
        in IN_FORCE.card
    )


def test_splits_share_no_act_and_no_text_stands_twice() -> None:
    dev, test = ({r.applicable[0].act for r in records} for records in IN_FORCE.records.values())
    assert not dev & test and dev | test <= ACTS.keys()
    assert max(Counter(IN_FORCE.texts.values()).values()) == 1


def test_each_has_one_provision_a_nugget_and_a_day_unless_it_is_absent() -> None:
    for record in IN_FORCE.every:
        assert len(record.applicable) == 1 and record.must and record.editions, record.id
        assert (record.incident_date is None) == (record.category == "absent"), record.id


def edition(shared: Path, act: str, day: str) -> Path:
    """The PDF of an edition; that which is no older one lies with the Acts."""
    name = f"{act.replace('-', '_')}__v{day}"
    older = sorted((shared / "corpus" / "versions").glob(f"{OTHER_NAMES.get(name, name)}*.pdf"))
    return older[0] if older else shared / "corpus" / "acts" / f"{act.replace('-', '_')}.pdf"


@cache
def pages(path: Path) -> list[str]:
    with pymupdf.open(path) as document:
        return [" ".join(re.sub(r"\d*\*?\[|\]", "", page.get_text()).split()) for page in document]


def on_its_page(record: Record, day: str, shared: Path) -> bool:
    """Whether the nugget stands on the page where the section begins, or on the next three."""
    citation = record.applicable[0]
    head = re.compile(rf"(?<![\d.(]){citation.section}\. ?\W{{0,3}}(?:1\) ?)?[A-Z]")
    texts = pages(edition(shared, citation.act, day))
    windows = (
        " ".join((text[place.start() :], *texts[number : number + 3]))
        for number, text in enumerate(texts, 1)
        for place in head.finditer(text)
    )
    return any(re.search(record.must, window, re.IGNORECASE) for window in windows)


@pytest.mark.corpus
def test_each_nugget_stands_on_its_page_of_each_edition(shared: Path) -> None:
    wrong = [
        f"{record.id} {day}"
        for record in IN_FORCE.every
        for day in map(str, record.editions)
        if not on_its_page(record, day, shared)
    ]
    assert wrong == []

"""An Act in the prints of ``situations``: its sections, their headings and their text are those of the Act."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.structure import ActSpan, structure_document
from tests.damages import chance_of
from tests.tasks.offline import editions
from tests.tasks.offline.situations import SITUATIONS, print_act
from tests.typeset import Act
from tools.small_acts import gold_acts

_AN_ACT = editions.constitution(24)
ACT = Act("THE LAMP BOARD ACT, 1950", "1 of 1950", _AN_ACT.chapters)


def plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def read(act: Act, name: str) -> tuple[dict[str, tuple[str, str]], dict[str, Any]]:
    """(heading, text) of each section by its number, and the report."""
    parsed = parse_document(print_act(act, SITUATIONS[name]), "d" * 64, ParseConfig(ocr="off"))
    tables = parsed["documents"], parsed["lines"]
    span = ActSpan("act", None, 1, 999)
    structured = structure_document(*tables, [span], pages=parsed["pages"])
    rows = [row for row in structured["provisions"].to_pylist() if row["kind"] == "section"]
    counted = sum(row["n_chars"] for row in structured["coverage"].to_pylist())
    left_out = sum(lost["n_chars"] for row in parsed["pages"].to_pylist() for lost in row["left_out"])
    assert counted == left_out + sum(row["n_chars"] for row in parsed["pages"].to_pylist())
    (report,) = structured["reports"].to_pylist()
    return {row["number"]: (plain(row["heading"]), plain(row["text"])) for row in rows}, report


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_act_is_read_as_it_was_written(name: str) -> None:
    sections, report = read(ACT, name)
    written = {s.number: (plain(s.heading), plain("".join(s.paragraphs))) for s in ACT.sections}
    assert sections == written
    assert report["verdict"] == "sound", report["reason"]


def usable(act: Act) -> bool:
    """An Act of some sections in order, none of which quotes or was repealed."""
    texts = [s.heading + "".join(s.paragraphs) for s in act.sections]
    odd = any(re.search(r"epealed|mitted|Untitled|AMENDMENT|Vide|Rep\.", text) for text in texts)
    return (
        16 <= len(texts) <= 45 and not odd and act.sections[0].number == "1" and sum(map(len, texts)) < 38_000
    )


@pytest.mark.corpus
@pytest.mark.slow
def test_real_acts_have_their_headings_in_every_print(shared: Path) -> None:
    acts = [act for _, act in sorted(gold_acts(shared).items()) if usable(act)]
    right = wanted = 0
    for name in SITUATIONS:
        act = chance_of(name).choice(acts)
        sections, _ = read(act, name)
        right += sum(sections.get(s.number, ("", ""))[0] == plain(s.heading) for s in act.sections)
        wanted += len(act.sections)
    assert right >= 0.97 * wanted, (right, wanted)

"""Damaged documents: law that is lost or changed is never read as if nothing were wrong."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from citegrain.tasks.core.stage import Tables
from citegrain.tasks.kinds.rules import READER
from citegrain.tasks.offline.corpus import Refusal, identify, load_registry
from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.structure import act_spans, structure_document
from tests import typeset
from tests.damages import ADDITIONS, FIRST, VISIBLE, Paper, chance_of
from tests.tasks.offline import editions

ROOT = Path(__file__).resolve().parents[4]


def read(data: bytes, name: str) -> tuple[str, str, Tables | None]:
    parsed = parse_document(data, "d" * 64, ParseConfig(ocr="off"))
    registry = load_registry(ROOT / "data" / "registry.yaml")
    acts = identify(parsed["documents"].to_pylist()[0], registry, name)
    if isinstance(acts, Refusal):
        return "refused", acts.reason, None
    tables = parsed["documents"], parsed["lines"]
    reader = READER if acts[0].kind == "rules" else None
    structured = structure_document(*tables, act_spans(acts), reader=reader, pages=parsed["pages"])
    reports = structured["reports"].to_pylist()
    order = ("sound", "doubtful", "failed")
    worst: Any = max(reports, key=lambda r: order.index(r["verdict"]), default={"verdict": "", "reason": ""})
    return worst["verdict"], worst["reason"], structured


def law_of(tables: Tables | None) -> list[int]:
    """Indices of the pages that bear law."""
    counts: Counter[int] = Counter()
    for row in tables["coverage"].to_pylist() if tables else ():
        counts[row["page"]] += row["n_chars"] * (row["place"] == "provision")
    return sorted(page - 1 for page, n in counts.items() if n >= 400)


def words_of(tables: Tables | None) -> Counter[str]:
    texts = tables["texts"].to_pylist() if tables else ()
    return Counter(word for row in texts for word in row["text"].split())


def provisions_of(tables: Tables | None) -> list[tuple[str, str]]:
    rows = tables["provisions"].to_pylist() if tables else ()
    return [(row["number"], row["text"]) for row in rows]


def sound_though_damaged(data: bytes, name: str, damage: str, seed: str, other: bytes) -> bool:
    """Whether a document is read as sound after a damage that took law away, or put something into it."""
    _, _, undamaged = read(data, name)
    with pymupdf.open(stream=data, filetype="pdf") as document:
        FIRST[damage](Paper(document, law_of(undamaged), other, chance_of(seed)))
        verdict, reason, tables = read(typeset.saved(document), name)
    assert verdict == "sound" or reason
    lost = (words_of(undamaged) - words_of(tables)).total() > 20
    if damage not in ADDITIONS:
        lost = provisions_of(undamaged) != provisions_of(tables)
    return lost and verdict == "sound"


@cache
def numbered_act() -> bytes:
    """An Act of 60 sections with contents and with page numbers."""
    act = editions.constitution(60)
    document = typeset.story(
        typeset._front(act) + typeset._opening(act) + typeset._body(act, bold=True, inline=True)
    )
    for number, page in enumerate(document, 1):
        page.insert_text((page.rect.width / 2, page.rect.height - 25), str(number), fontsize=10)
    return typeset.saved(document)


def test_the_act_that_is_damaged_here_is_sound() -> None:
    verdict, reason, _ = read(numbered_act(), "a.pdf")
    assert (verdict, reason) == ("sound", "")


@pytest.mark.parametrize("damage", FIRST)
def test_a_damaged_act_is_not_sound(damage: str) -> None:
    assert not sound_though_damaged(numbered_act(), "a.pdf", damage, "a", typeset.india_code())


def test_rows_whose_ends_are_lost_are_doubted() -> None:
    with pymupdf.open(stream=numbered_act(), filetype="pdf") as document:
        paper = Paper(document, law_of(read(numbered_act(), "a.pdf")[2]), b"", chance_of("a"))
        assert VISIBLE["corner_folded"](paper)
        assert "the ends of rows may be missing on page" in read(typeset.saved(document), "a.pdf")[1]


def test_feet_that_are_cut_off_are_missed_where_no_page_is_numbered() -> None:
    data = editions.edition()
    _, reason, undamaged = read(data, "a.pdf")
    assert "far above the foot" not in reason
    with pymupdf.open(stream=data, filetype="pdf") as document:
        FIRST["foot_cropped"](Paper(document, law_of(undamaged)[1:-1], b"", chance_of("b")))
        assert "far above the foot" in read(typeset.saved(document), "a.pdf")[1]


def test_two_acts_in_one_file_are_both_read_or_doubted() -> None:
    glued = typeset.join(numbered_act(), typeset.india_code())
    verdict, reason, tables = read(glued, "a.pdf")
    assert tables is not None
    acts = set(tables["provisions"].column("act_id").to_pylist())
    assert len(acts) == 2 or (verdict == "doubtful" and "another Act begins on page" in reason)


@pytest.mark.corpus
@pytest.mark.slow
@pytest.mark.parametrize("damage", FIRST)
def test_of_two_hundred_real_acts_that_are_damaged_hardly_any_is_sound(damage: str, shared: Path) -> None:
    files = [f for f in sorted((shared / "corpus" / "acts").glob("*.pdf")) if f.stat().st_size < 1_000_000]
    sound = []
    for file in chance_of(damage).sample(files, 11):
        other = chance_of(file.stem).choice(files).read_bytes()
        if sound_though_damaged(file.read_bytes(), file.name, damage, file.stem, other):
            sound.append(file.name)
    most = {"rows_lost": 2, "paragraph_doubled": 4, "dots_for_words": 2}  # rows of several parts stand twice
    assert len(sound) <= most.get(damage, 1), sound


@pytest.mark.corpus
@pytest.mark.slow
@pytest.mark.parametrize("damage", FIRST)
def test_real_rules_that_are_damaged_are_hardly_ever_sound(damage: str, shared: Path) -> None:
    """What stays unseen: marks within rules and forms, feet and sides of forms, rows lost from some of them."""
    items = ("numbers_erased", "numbers_misread", "sub_numbers_erased", "side_cut")
    files = sorted((shared / "corpus" / "rules").glob("*.pdf"))
    other = typeset.india_code()
    sound = [f.name for f in files if sound_though_damaged(f.read_bytes(), f.name, damage, f.stem, other)]
    most = 5 if damage in items else 3 if damage == "paragraph_doubled" else 2
    assert len(sound) <= most, sound

"""A damaged document is never sound, unless its law was read as it stands in the undamaged one."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from citegrain.tasks.core.stage import Tables
from citegrain.tasks.offline.corpus import Refusal, identify, load_registry
from citegrain.tasks.offline.parse import ParseConfig, parse_pdf
from citegrain.tasks.offline.structure import StructureConfig, act_spans, structure_document
from tests import typeset
from tests.tasks.offline import editions

ROOT = Path(__file__).resolve().parents[4]
NUMBER = re.compile(r"^\W{0,3}(?:\d{1,2}\[)?(\d{1,3}[A-Z]{0,2})\.")
Damage = Callable[[pymupdf.Document, random.Random, bytes], None]


def pages_missing(document: pymupdf.Document, chance: random.Random, other: bytes) -> None:
    n = len(document)
    count = chance.randint(1, max(1, n // 4))
    first = chance.randint(max(1, n // 5), max(1, n - 1 - count))
    document.delete_pages(first, min(n - 2, first + count - 1))


def end_missing(document: pymupdf.Document, chance: random.Random, other: bytes) -> None:
    document.delete_pages(max(1, int(len(document) * chance.uniform(0.3, 0.9))), len(document) - 1)


def beginning_missing(document: pymupdf.Document, chance: random.Random, other: bytes) -> None:
    document.delete_pages(0, max(1, int(len(document) * chance.uniform(0.1, 0.4))) - 1)


def shuffled(document: pymupdf.Document, chance: random.Random, other: bytes) -> None:
    order = list(range(len(document)))
    behind = order[len(order) // 4 :]
    chance.shuffle(behind)
    document.select(order[: len(order) // 4] + behind)


def foreign_pages(document: pymupdf.Document, chance: random.Random, other: bytes) -> None:
    with pymupdf.open(stream=other, filetype="pdf") as pages:
        count = min(len(pages), chance.randint(2, 6))
        first = chance.randint(len(pages) // 4, max(len(pages) // 4, len(pages) - count))
        at = chance.randint(len(document) // 3, 2 * len(document) // 3)
        document.insert_pdf(pages, from_page=first, to_page=first + count - 1, start_at=at)


def _some(document: pymupdf.Document, chance: random.Random) -> Iterator[pymupdf.Page]:
    count = max(1, len(document) // 5)
    first = chance.randint(len(document) // 3, max(len(document) // 3, len(document) - count))
    for number in range(first, min(len(document), first + count)):
        yield document[number]


def _numbers(page: pymupdf.Page) -> Iterator[tuple[pymupdf.Rect, str]]:
    for block in page.get_text("dict")["blocks"]:
        for line in block.get("lines", ()):
            match = NUMBER.match("".join(span["text"] for span in line["spans"]))
            boxes = page.search_for(match[0].strip(), clip=pymupdf.Rect(line["bbox"])) if match else []
            if match and boxes:
                yield boxes[0], match[1]


def numbers_erased(document: pymupdf.Document, chance: random.Random, other: bytes) -> None:
    for page in _some(document, chance):
        for box, _ in list(_numbers(page)):
            page.add_redact_annot(box)
        page.apply_redactions(images=0, graphics=0)


def numbers_misread(document: pymupdf.Document, chance: random.Random, other: bytes) -> None:
    for page in _some(document, chance):
        for box, number in list(_numbers(page)):
            page.add_redact_annot(box, text="".join(chance.choice("lOSBZ") for _ in number) + ".", fontsize=9)
        page.apply_redactions(images=0, graphics=0)


def pictures(document: pymupdf.Document, chance: random.Random, other: bytes) -> None:
    for number in [page.number for page in _some(document, chance)]:
        picture, box = document[number].get_pixmap(dpi=40), document[number].rect
        document.delete_page(number)
        document.new_page(number, width=box.width, height=box.height).insert_image(box, pixmap=picture)


def garbled(document: pymupdf.Document, chance: random.Random, other: bytes) -> None:
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    key = str.maketrans(letters, "".join(chance.sample(letters + "{}~^%$#@", len(letters))))
    for page in _some(document, chance):
        blocks = page.get_text("dict")["blocks"]
        spans = [s for b in blocks for line in b.get("lines", ()) for s in line["spans"]]
        page.add_redact_annot(page.rect)
        page.apply_redactions(images=0, graphics=0)
        for span in spans:
            page.insert_text(span["origin"], span["text"].translate(key), fontsize=span["size"] * 0.9)


DAMAGES: list[Damage] = [
    pages_missing, end_missing, beginning_missing, shuffled, foreign_pages, numbers_erased, numbers_misread,
    pictures, garbled,
]  # fmt: skip


def read(data: bytes, name: str) -> tuple[str, str, Tables | None]:
    """Verdict, reason and tables; refused where the document is."""
    parsed = parse_pdf(data, "d" * 64, ParseConfig(ocr="off"))
    registry = load_registry(ROOT / "data" / "registry.yaml")
    acts = identify(parsed["documents"].to_pylist()[0], registry, name)
    if isinstance(acts, Refusal):
        return "refused", acts.reason, None
    tables = parsed["documents"], parsed["lines"]
    structured = structure_document(*tables, act_spans(acts), StructureConfig(), pages=parsed["pages"])
    reports = structured["reports"].to_pylist()
    order = ("sound", "doubtful", "failed")
    worst: Any = max(reports, key=lambda r: order.index(r["verdict"]), default={"verdict": "", "reason": ""})
    return worst["verdict"], worst["reason"], structured


def chance_of(seed: str) -> random.Random:
    return random.Random(seed)  # noqa: S311 - damages, no secrets


def damaged(data: bytes, damage: Damage, seed: str, other: bytes) -> bytes:
    with pymupdf.open(stream=data, filetype="pdf") as document:
        damage(document, chance_of(seed), other)
        return typeset.saved(document)


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


@pytest.mark.parametrize("seed", ["a", "b"])
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_act_is_not_sound(damage: Damage, seed: str) -> None:
    verdict, reason, _ = read(damaged(numbered_act(), damage, seed, typeset.india_code()), "a.pdf")
    assert verdict in ("doubtful", "failed", "refused") and reason


def test_two_acts_in_one_file_are_both_read_or_doubted() -> None:
    glued = typeset.join(numbered_act(), typeset.india_code())
    verdict, reason, tables = read(glued, "a.pdf")
    assert tables is not None
    acts = set(tables["provisions"].column("act_id").to_pylist())
    assert len(acts) == 2 or (verdict == "doubtful" and "another Act begins on page" in reason)


@pytest.mark.corpus
@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_of_real_acts_that_are_damaged_hardly_any_is_sound(damage: Damage, shared: Path) -> None:
    files = [f for f in sorted((shared / "corpus" / "acts").glob("*.pdf")) if f.stat().st_size < 1_000_000]
    chosen = chance_of(damage.__name__).sample(files, 12)
    sound = []
    for file in chosen:
        other = chance_of(file.stem).choice(files).read_bytes()
        data = damaged(file.read_bytes(), damage, file.stem, other)
        verdict, _, _ = read(data, file.name)
        sound += [file.name] if verdict == "sound" else []
    assert len(sound) <= 1, sound

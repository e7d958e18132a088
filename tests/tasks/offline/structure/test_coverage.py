"""Conservation of text: every printed character of a document stands in one place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from citegrain.tasks.core.stage import Tables
from citegrain.tasks.offline.corpus import Refusal, identify, load_registry
from citegrain.tasks.offline.document import CorpusDocument, Setup, kind_named
from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.structure import (
    ActSpan,
    StructureConfig,
    account_in_words,
    doubt,
    structure_acts,
    structure_document,
)
from citegrain.tasks.offline.structure.coverage import behind_places, front_places, in_runs
from citegrain.tasks.offline.structure.notes import inserted_rows
from citegrain.tasks.offline.structure.rows import Row
from tests import typeset
from tests.tasks.offline import editions
from tests.tasks.offline.structure.test_structure import LAYOUTS

FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_MEDIABOX_CLIP
LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
WRITTEN = str.maketrans(
    LIGATURES | dict.fromkeys("\u00ad\u2010\u2011", "-") | dict.fromkeys("\u200b\u200c\u200d\ufeff", "")
)
"""The rule by which characters are counted: white space left out, ligatures taken apart, hyphens alike."""


def inked(text: str) -> Counter[str]:
    return Counter("".join(text.translate(WRITTEN).split()))


def read(data: bytes, unit: str = "section") -> tuple[Tables, Tables]:
    parsed = parse_document(data, "d" * 64, ParseConfig(ocr="off"))
    span = ActSpan("act", None, 1, 999, unit)
    tables = parsed["documents"], parsed["lines"]
    return parsed, structure_document(*tables, [span], pages=parsed["pages"])


def places(tables: Tables) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for row in tables["coverage"].to_pylist():
        counts[row["place"]] += row["n_chars"]
    return counts


def report(tables: Tables) -> dict[str, Any]:
    return dict(tables["reports"].to_pylist()[0])


def conserved(data: bytes, parsed: Tables, tables: Tables) -> None:
    """What MuPDF finds in the text layer of each page is what the lines hold and what was left out."""
    lines_of: dict[int, Counter[str]] = {}
    for line in parsed["lines"].to_pylist():
        label = "".join(mark["label"] for mark in line["marks"])
        lines_of.setdefault(line["page"], Counter()).update(inked(line["text"] + label))
    accounted: Counter[int] = Counter()
    for row in tables["coverage"].to_pylist():
        accounted[row["page"]] += row["n_chars"]
    pages = {row["page"]: row for row in parsed["pages"].to_pylist()}
    with pymupdf.open(stream=data, filetype="pdf") as document:
        for number, page in enumerate(document, 1):
            if page.rotation:
                page.remove_rotation()
            layer = page.get_text("text", flags=FLAGS)
            if any("\u0900" <= c <= "\u097f" for c in layer):
                continue  # Hindi is written as it is spoken, not as its glyphs stand
            row, printed = pages[number], inked(layer)
            left_out = sum(lost["n_chars"] for lost in row["left_out"])
            assert printed.total() == row["n_chars"] + left_out == accounted[number], number
            if row["status"] in ("text", "ocr") and not left_out:
                assert printed == lines_of.get(number, Counter()), number


def held_by_provisions(tables: Tables) -> int:
    """Characters in the union of the spans of provisions; of Parts and Chapters their titles."""
    texts = {row["act_id"]: row["text"] for row in tables["texts"].to_pylist()}
    total = 0
    for act, text in texts.items():
        spans = [
            (p["char_start"], p["text_start"] if p["kind"] in ("part", "chapter") else p["char_end"])
            for p in tables["provisions"].to_pylist()
            if p["act_id"] == act and p["kind"] != "opinion"
        ]
        at = 0
        for start, end in sorted(spans):
            total += inked(text[max(at, start) : max(at, end)]).total()
            at = max(at, end)
    return total


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_character_of_an_act_is_lost_or_counted_twice(layout: str) -> None:
    data = LAYOUTS[layout]()
    parsed, tables = read(data)
    conserved(data, parsed, tables)
    counts = places(tables)
    assert not counts["unclaimed"] and report(tables)["verdict"] == "sound"
    claimed = counts["provision"] + counts["annexed"] + counts["form"]
    joined = sum(line["text"].rstrip().endswith("-") for line in parsed["lines"].to_pylist())
    assert 0 <= claimed - held_by_provisions(tables) <= joined + claimed // 50  # titles between sections


def test_what_is_left_out_of_a_page_has_its_reason() -> None:
    document = pymupdf.open(stream=typeset.india_code(), filetype="pdf")
    page = document[0]
    page.insert_text((60, 30), "never painted", render_mode=3)
    page.insert_text((60, 600), "up the side of the page", rotate=90)
    data = typeset.saved(document)
    parsed, tables = read(data)
    conserved(data, parsed, tables)
    lost = {r["reason"]: r["n_chars"] for r in tables["coverage"].to_pylist() if r["place"] == "left_out"}
    assert lost["no reader sees them"] == len("neverpainted")
    assert lost["they do not run as the page is read"] == len("upthesideofthepage")


def test_a_page_that_is_not_read_is_left_out_whole() -> None:
    document = pymupdf.open(stream=editions.edition("two_lines"), filetype="pdf")
    words = "qz xw k j vb pl mn zx " * 60
    middle = len(document) // 2
    page = document.new_page(middle)
    page.insert_textbox(pymupdf.Rect(50, 50, 500, 700), words)
    data = typeset.saved(document)
    parsed, tables = read(data)
    conserved(data, parsed, tables)
    (row,) = [r for r in tables["coverage"].to_pylist() if r["page"] == middle + 1]
    assert (row["place"], row["n_chars"]) == ("left_out", len("".join(words.split())))
    assert f"page {middle + 1} could not be read" in report(tables)["reason"]


def row(text: str, **more: Any) -> Row:
    return Row(1, 72, 500, 0, 11, 0, False, text, **more)


def test_before_an_act_a_list_is_claimed_by_its_entries_and_prose_up_to_a_limit() -> None:
    law = row("a person who keeps a lantern shall in every case pay to the keeper of the coast the sum that")
    listed = [row("CONTENTS", centred=True), row("1. Short title."), row("2. Definitions of the words"), law]
    assert front_places(listed, 9000, 0) == ["contents"] * 4
    assert front_places([*listed, *[law] * 9], 9000, 0)[4:] == ["contents"] * 3 + ["unclaimed"] * 6
    claimed = front_places([law] * 20, 10_000)
    assert claimed[:10] == ["front_matter"] * 10 and claimed[11:] == ["unclaimed"] * 9
    objects = [row("STATEMENT OF OBJECTS AND REASONS", centred=True), *[law] * 40]
    assert front_places(objects, 10_000) == ["annexed"] * 41


def test_behind_an_act_only_what_has_a_heading_or_signs_is_claimed() -> None:
    law = row("and the owner shall be punished")
    signed = [row("A. Keeper,"), row("Secretary to the Government")]
    assert behind_places([*signed, law]) == ["annexed", "annexed", "unclaimed"]
    notes = row("NOTES ON CLAUSES", centred=True)
    another = [row("ACT NO. 4 OF 1999"), row("An Act to provide for lamps.")]
    assert behind_places([notes, law, *another]) == ["annexed"] * 2 + ["unclaimed"] * 2


def counted(*pages: tuple[int, int]) -> list[dict[str, Any]]:
    """Rows of an account: claimed and unclaimed characters of each page."""
    places = ("provision", "unclaimed")
    return [
        {"page": page, "place": place, "n_chars": n}
        for page, parts in enumerate(pages, 1)
        for place, n in zip(places, parts, strict=True)
    ]


@pytest.mark.parametrize(
    ("pages", "words"),
    [
        ([(1000, 0)] * 9, ""),
        ([(5000, 99)], ""),
        ([(5000, 150)], "150 characters (2.9% of the text) are in no provision"),
        ([(3000, 0)] * 99 + [(100, 900)], "900 characters (0.3% of the text)"),  # a page
        ([(3000, 0)] * 99 + [(0, 300)], ""),  # that bears hardly any text
        ([(100, 900), (100, 900), (9000, 1)], "pages 1-2"),
    ],
)
def test_a_page_or_a_fiftieth_of_the_text_that_nothing_claims_is_doubted(
    pages: Sequence[tuple[int, int]], words: str
) -> None:
    said = doubt(counted(*pages))
    assert words in said and bool(words) == bool(said)


def test_an_account_in_words() -> None:
    assert account_in_words(counted((1200, 34))) == "1,234 characters: 1,200 provision, 34 unclaimed"
    assert in_runs([3]) == "page 3" and in_runs([1, 2, 5, 8, 10]) == "pages 1-2, 5, 8, ..."


# the shared corpus -------------------------------------------------------------

FILES = [
    ("acts", 51),
    ("rules", 6),
    ("judgments", 30),
    ("office", 10),
    ("hindi", 3),
]


class _Parsed:
    """The artefact of a document that was parsed without a store."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def table(self, schema: Any, columns: Sequence[str] | None = None) -> Any:
        return self.tables[schema.name].select(columns) if columns else self.tables[schema.name]


@pytest.mark.corpus
@pytest.mark.slow
@pytest.mark.parametrize(("folder", "count"), FILES)
def test_no_character_of_the_shared_documents_is_lost(folder: str, count: int, shared: Path) -> None:
    registry = load_registry(Path(__file__).resolve().parents[4] / "data" / "registry.yaml")
    files = [f for f in sorted((shared / "corpus" / folder).iterdir()) if f.suffix != ".jsonl"]
    assert len(files) == count
    for file in files:
        document = CorpusDocument("d" * 64, file)
        data = file.read_bytes()
        parsed = parse_document(data, "d" * 64, ParseConfig(ocr="off"), document.form)
        acts = identify(parsed["documents"].to_pylist()[0], registry, file.name)
        if isinstance(acts, Refusal):
            continue
        document = CorpusDocument("d" * 64, file, tuple(acts))
        kind = kind_named(acts[0].kind)
        structure = (kind and kind.structure) or structure_acts
        setup = Setup(Path(), {"structure": StructureConfig()}, registry, None)  # type: ignore[arg-type]
        tables = structure(document, _Parsed(parsed), setup)  # type: ignore[arg-type]
        if document.form == "pdf":
            conserved(data, parsed, tables)
        n_pages: Counter[int] = Counter()
        for part in tables["coverage"].to_pylist():
            n_pages[part["page"]] += part["n_chars"]
        for page in parsed["pages"].to_pylist():
            left_out = sum(lost["n_chars"] for lost in page["left_out"])
            assert n_pages[page["page"]] == page["n_chars"] + left_out, (file.name, page["page"])


@pytest.mark.parametrize(
    ("note", "expected"), [("[Vide Goa Act 9 of 1988, s. 3.]", set()), ("It is law.", {1, 2, 3})]
)
def test_what_a_state_inserts_ends_at_its_note_though_no_sign_closes_it(
    note: str, expected: set[int]
) -> None:
    texts = (
        "the following section shall be inserted, namely:—",
        "“99A. Power.—It may order.",
        note,
        "a “lamp”",
    )
    assert inserted_rows([row(text) for text in texts]) == expected

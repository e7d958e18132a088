"""A page as it is shown: turned, in columns, painted twice or not at all; and each file of corpus/faults."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pymupdf
import pytest

from citegrain.tasks.offline.pages import Segment
from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.parse.painting import columns_of
from citegrain.tasks.offline.structure import ActSpan, structure_document
from tests import typeset

FAULTS = Path(os.environ.get("CITEGRAIN_SHARED", "../shared")) / "corpus" / "faults"
WORDS = """lamp keeper owner lantern wages month notice board shall person fine rupees which may extend under
this Act section every wick oil coast district appeal order within thirty days from the date of receipt""".split()


def numbers(seed: int) -> Random:
    return Random(seed)  # noqa: S311  (texts for a test)


def sentence(rng: Random, length: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(length)).capitalize() + "."


def sections(rng: Random, n: int) -> list[tuple[str, str, str]]:
    return [(str(i), f"Duty {i} of keepers", sentence(rng, rng.randrange(12, 60))) for i in range(1, n + 1)]


def wrapped(text: str, width: float, size: float) -> list[str]:
    lines, line = [], ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if pymupdf.get_text_length(longer, fontsize=size) > width and line:
            lines.append(line)
            longer = word
        line = longer
    return [*lines, line]


def painted(
    act: list[tuple[str, str, str]],
    sheet: tuple[float, float] = (595, 842),
    columns: int = 1,
    size: float = 11,
    times: int = 1,
    gutter: float = 30,
) -> pymupdf.Document:
    """An Act on one page: its sections downwards, in one column or two, each heading some times over."""
    document = pymupdf.open()
    page = document.new_page(width=sheet[0], height=sheet[1])
    page.insert_text((sheet[0] / 2 - 90, 60), "THE LAMP OIL ACT, 2012", fontsize=12)
    page.insert_text((sheet[0] / 2 - 75, 78), "(ACT NO. 21 OF 2012)", fontsize=12)
    width = (sheet[0] - 120 - (columns - 1) * gutter) / columns
    lines: list[tuple[str, bool]] = []
    for number, heading, text in act:
        lines += [
            (line, i == 0) for i, line in enumerate(wrapped(f"{number}. {heading}.-{text}", width, size))
        ]
        lines.append(("", False))
    each = -(-len(lines) // columns)
    for at, (line, head) in enumerate(lines):
        x, y = 60 + (at // each) * (width + gutter), 110 + (at % each) * size * 1.25
        for again in range(times if head else 1):
            page.insert_text((x + 0.25 * again, y), line, fontsize=size)
    return document


def read(data: bytes) -> tuple[dict[str, str], list[str]]:
    """(text of each section by its number, warnings)."""
    parsed = parse_document(data, "d" * 64, ParseConfig(ocr="off"))
    span = ActSpan("lamp-oil-act-2012", date(2020, 1, 2), 1, 99)
    tables = structure_document(parsed["documents"], parsed["lines"], [span])
    rows = [row for row in tables["provisions"].to_pylist() if row["kind"] == "section"]
    texts = {row["number"]: f"{row['heading']}|{''.join(row['text'].split())}" for row in rows}
    return texts, parsed["documents"].column("warnings").to_pylist()[0]


def same(texts: dict[str, str], act: list[tuple[str, str, str]]) -> None:
    assert list(texts) == [n for n, _, _ in act]
    for number, heading, text in act:
        got_heading, got = texts[number].split("|", 1)
        assert got_heading == heading and got.endswith("".join(text.split())), number


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("angle", [90, 180, 270])
def test_a_page_with_a_rotation_is_read_as_it_is_shown(angle: int, seed: int) -> None:
    act = sections(numbers(seed), 5)
    document = painted(act, sheet=(842, 595) if angle % 180 else (595, 842))
    page = document[0]
    page.set_rotation((360 - angle) % 360)
    page.remove_rotation()  # the contents are turned now, and /Rotate turns them back
    page.set_rotation(angle)
    same(read(typeset.saved(document))[0], act)
    page.set_rotation(0)  # nothing turns them back: the text runs sideways, or stands on its head
    same(read(typeset.saved(document))[0], act)


@pytest.mark.parametrize("seed", range(8))
def test_two_columns_are_read_one_after_the_other(seed: int) -> None:
    rng = numbers(seed)
    act = sections(rng, rng.randrange(5, 9))
    sheet = rng.choice([(595, 842), (612, 792), (842, 1191)])
    two = painted(act, sheet, columns=2, size=rng.choice([9, 10, 11]), gutter=rng.choice([14, 20, 40]))
    same(read(typeset.saved(two))[0], act)


def test_columns_of_short_paragraphs_are_read_below_a_head_with_a_page_number() -> None:
    words = "the keeper of a lamp trims its wick and"
    head = [Segment(60, 50, 400, 60, 58, 9, 0, False, "The Lamp Oil Act, of which the title is long")]
    head.append(Segment(540, 50, 550, 60, 58, 9, 0, False, "12"))
    tops = [100 + 12.0 * line + 3.5 * (line // 2) for line in range(30)]  # paragraphs of two lines
    sides = [[Segment(x, y, x + 240, y + 10, y + 8, 10, 0, False, words) for y in tops] for x in (60, 318)]
    assert columns_of([*head, *sides[0], *sides[1]], None) == [head, *sides]


def test_cells_that_stand_beside_each_other_stay_together() -> None:
    document = pymupdf.open()
    page = document.new_page()
    y, rng = 100.0, numbers(1)
    cells = []
    for _ in range(6):
        left, right_cell = sentence(rng, 14), sentence(rng, 18)
        cells.append((left, right_cell))
        sides = [wrapped(left, 220, 10), wrapped(right_cell, 220, 10)]
        for side, x in zip(sides, (60, 310), strict=True):
            for i, line in enumerate(side):
                page.insert_text((x, y + 12 * i), line, fontsize=10)
        y += 12 * max(map(len, sides)) + 14
    lines = parse_document(typeset.saved(document), "d" * 64, ParseConfig(ocr="off"))["lines"].to_pylist()
    words = " ".join(line["text"] for line in lines)
    for first, second in pairwise(cells):
        assert words.index(first[1].split(".")[0][:20]) < words.index(second[0][:20])


@pytest.mark.parametrize("times", [2, 3, 5])
def test_a_heading_that_is_painted_more_than_once_counts_once(times: int) -> None:
    act = sections(numbers(times), 6)
    same(read(typeset.saved(painted(act, times=times)))[0], act)


HIDDEN = "7. Hidden clause.-Whoever burns oil by day shall pay."


def hide(how: str, page: pymupdf.Page, y: float, words: str = HIDDEN) -> None:
    if how == "mode":
        page.insert_text((60, y), words, render_mode=3)
    elif how == "white":
        page.insert_text((60, y), words, color=(1, 1, 1))
    else:
        page.insert_text((60, y), words)
        page.draw_rect(pymupdf.Rect(50, y - 14, 540, y + 6), color=(1, 1, 1), fill=(1, 1, 1))


@pytest.mark.parametrize("how", ["mode", "white", "covered"])
def test_what_nobody_sees_is_no_law_and_a_warning_says_so(how: str) -> None:
    act = sections(numbers(2), 6)
    document = painted(act)
    hide(how, document[0], 800)
    texts, warnings = read(typeset.saved(document))
    same(texts, act)
    assert warnings == [f"{len(HIDDEN.replace(' ', ''))} characters that no reader sees are left out: page 1"]


def test_white_on_a_dark_ground_and_a_box_behind_the_text_are_seen() -> None:
    act = sections(numbers(3), 4)
    document = pymupdf.open()
    page = document.new_page()
    page.draw_rect(page.rect, color=(1, 1, 1), fill=(1, 1, 1))
    page.draw_rect(pymupdf.Rect(40, 780, 560, 820), fill=(0.1, 0.2, 0.5))
    page.show_pdf_page(page.rect, painted(act))
    page.insert_text((60, 800), "9. Bright clause.-Whoever reads this shall pay.", color=(1, 1, 1))
    texts, warnings = read(typeset.saved(document))
    assert list(texts) == ["1", "2", "3", "4", "9"] and not warnings


def test_a_hyphen_that_the_font_calls_soft_is_a_hyphen() -> None:
    file = FAULTS / "pdf_hyphens_extract_as_soft_hyphens.pdf"
    if not file.is_file():
        pytest.skip("the folder shared/corpus/faults is not here")
    texts, _ = read(file.read_bytes())
    control, _ = read((FAULTS / "pdf_hyphens_control.pdf").read_bytes())
    assert "aged6-14years" in texts["2"] and "2010-11" in texts["2"] and "Rs.500-1000" in texts["3"]
    assert "imprisonmentforaterm" in texts["3"] and "sub-section" in texts["3A"]
    headings = [text.split("|")[0] for text in texts.values()]
    assert headings == ["Short title", "Schools", "Penalty", "Records", "Appeals"]
    assert [t.split("|")[0] for t in control.values()] == headings


EXPECTED: dict[str, Callable[[dict[str, str], list[str]], bool]] = {
    "pdf_control": lambda texts, warnings: len(texts) == 6,
    "pdf_all_pages_Rotate": lambda texts, warnings: len(texts) == 6,
    "pdf_two_columns": lambda texts, warnings: len(texts) == 6 and "imprisonment" in texts["6"],
    "pdf_fake_bold_overprint": lambda texts, warnings: texts["4"].startswith("Measures|"),
    "pdf_hidden_text_Tr3_white_covered": lambda texts, warnings: (
        not {"7", "8", "9"} & set(texts) and "page 1" in warnings[0]
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_faults_that_users_reported(name: str) -> None:
    file = FAULTS / f"{name}.pdf"
    if not file.is_file():
        pytest.skip("the folder shared/corpus/faults is not here")
    texts, warnings = read(file.read_bytes())
    assert EXPECTED[name](texts, warnings), (texts, warnings)
    control: Any = read((FAULTS / "pdf_control.pdf").read_bytes())[0]
    assert [texts[n].split("|")[0] for n in "123456"] == [control[n].split("|")[0] for n in "123456"]


def scanned(data: bytes, degrees: float, *, level_words: bool) -> bytes:
    """Pages as a picture with a layer of OCR, turned; each line runs along it, or each word is set level."""
    old, new = pymupdf.open("pdf", data), pymupdf.open()
    picture = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 1, 1))
    for page in old:
        sheet = new.new_page(width=page.rect.width, height=page.rect.height)
        sheet.insert_image(sheet.rect, pixmap=picture, keep_proportion=False)
        middle = pymupdf.Point(page.rect.width / 2, page.rect.height / 2)
        turn = pymupdf.Matrix(1, 1).prerotate(degrees)
        for block in page.get_text("rawdict", flags=pymupdf.TEXT_PRESERVE_WHITESPACE)["blocks"]:
            for span in (span for line in block.get("lines", ()) for span in line["spans"]):
                style = {"fontname": "tibo" if span["flags"] & 16 else "tiro", "fontsize": span["size"]}
                words: list[list[dict[str, Any]]] = [[]]
                for char in span["chars"]:
                    words[-1].append(char)
                    if char["c"].isspace():
                        words.append([])
                for word in filter(None, words if level_words else [span["chars"]]):
                    start, text = pymupdf.Point(word[0]["origin"]), "".join(c["c"] for c in word)
                    half = (word[-1]["bbox"][2] - start.x) / 2 * level_words
                    point = middle + (start + pymupdf.Point(half, 0) - middle) * turn - pymupdf.Point(half, 0)
                    morph = None if level_words else (point, pymupdf.Matrix(1, 1).prerotate(-degrees))
                    sheet.insert_text(point, text, render_mode=3, morph=morph, **style)
    return typeset.saved(new)


@pytest.mark.parametrize("level_words", [False, True])
@pytest.mark.parametrize("degrees", [-3, 1, 2.5])
def test_a_page_that_is_scanned_at_an_angle_is_read_as_if_level(degrees: float, level_words: bool) -> None:
    rows, _ = read(scanned(typeset.gazette(), degrees, level_words=level_words))
    expected, _ = read(typeset.gazette())
    signs = str.maketrans("“”—", "···")  # which the font of the layer lacks
    assert rows == {number: text.translate(signs) for number, text in expected.items()}

"""Ways in which a document is damaged: each takes law away, changes it, or puts something beside it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence

import pymupdf

Damage = Callable[[pymupdf.Document, random.Random, bytes, Sequence[int]], None]
"""Damages a document in place. ``other``: another Act; ``law``: indices of its pages that bear law."""

NUMBER = re.compile(r"^\W{0,3}(?:\d{1,2}\[)?(\d{1,3}[A-Z]{0,2})\.")
PART = re.compile(r"^\W{0,3}\((?:\d{1,2}|[a-z]{1,2})\)")
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
FONT = pymupdf.Font("tiro")


def chance_of(seed: str) -> random.Random:
    return random.Random(seed)  # noqa: S311 - damages, no secrets


def _run(chance: random.Random, law: Sequence[int], least: int = 1, share: float = 0.2) -> list[int]:
    """Some pages of law that follow each other, the first left out where there are others."""
    pages = list(law[1:] or law)
    count = min(len(pages), chance.randint(least, max(least, int(share * len(pages)))))
    first = chance.randint(0, len(pages) - count)
    return pages[first : first + count]


# law is taken away ---------------------------------------------------------------------------


def cut_anywhere(document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]) -> None:
    """The end is missing, from some row of some page."""
    (at,) = _run(chance, law, share=0)
    page = document[at]
    rows = sorted({round(block[1]) for block in page.get_text("blocks") if block[4].strip()})
    top = chance.choice(rows[: max(1, len(rows) * 2 // 3)]) - 1
    page.add_redact_annot(pymupdf.Rect(0, top, page.rect.width, page.rect.height))
    page.apply_redactions(images=0, graphics=0)
    if at + 1 < len(document):
        document.delete_pages(at + 1, len(document) - 1)


def end_dropped(document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]) -> None:
    """The end is missing, from the beginning of some page."""
    document.delete_pages(_run(chance, law, share=0)[0], len(document) - 1)


def middle_dropped(
    document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]
) -> None:
    pages = _run(chance, law[:-1] if len(law) > 2 else law)
    document.delete_pages(pages[0], pages[-1])


def beginning_dropped(
    document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]
) -> None:
    document.delete_pages(0, law[chance.randint(0, len(law) // 3)] if len(law) > 1 else 0)


def pictures(document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]) -> None:
    for number in _run(chance, law):
        picture, box = document[number].get_pixmap(dpi=40), document[number].rect
        document.delete_page(number)
        document.new_page(number, width=box.width, height=box.height).insert_image(box, pixmap=picture)


def whited_out(document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]) -> None:
    """A white box over the middle of a page: a third of its text."""
    page = document[_run(chance, law, share=0)[0]]
    rows = [pymupdf.Rect(line["bbox"]) for line in _lines(page)]
    top, bottom = min(r.y0 for r in rows), max(r.y1 for r in rows)
    at = top + chance.uniform(0.2, 0.5) * (bottom - top)
    page.draw_rect(
        pymupdf.Rect(0, at, page.rect.width, at + (bottom - top) / 3), color=(1, 1, 1), fill=(1, 1, 1)
    )


def foot_cropped(document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]) -> None:
    """The lower fifth of some pages is not there."""
    for number in _run(chance, law, least=2):
        page = document[number]
        rows = [pymupdf.Rect(line["bbox"]) for line in _lines(page)]
        top, bottom = min(r.y0 for r in rows), max(r.y1 for r in rows)
        page.add_redact_annot(
            pymupdf.Rect(0, bottom - 0.2 * (bottom - top), page.rect.width, page.rect.height)
        )
        page.apply_redactions(images=0, graphics=0)


def numbers_erased(
    document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]
) -> None:
    for number in _run(chance, law, least=2):
        page = document[number]
        for box in list(_numbers(page)):
            page.add_redact_annot(box)
        page.apply_redactions(images=0, graphics=0)


def numbers_misread(
    document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]
) -> None:
    for number in _run(chance, law, least=2):
        page = document[number]
        for box in list(_numbers(page)):
            page.add_redact_annot(box, text="".join(chance.choice("lOSBZ") for _ in "12") + ".", fontsize=9)
        page.apply_redactions(images=0, graphics=0)


def sub_numbers_erased(
    document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]
) -> None:
    """The marks of sub-sections and clauses that open rows."""
    for number in _run(chance, law, least=2):
        page = document[number]
        for box in list(_numbers(page, PART)):
            page.add_redact_annot(box)
        page.apply_redactions(images=0, graphics=0)


def half_lost(document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]) -> None:
    """The upper or the lower half of a page is not there."""
    page = document[_run(chance, law, share=0)[0]]
    rows = [pymupdf.Rect(line["bbox"]) for line in _lines(page)]
    top, bottom = min(r.y0 for r in rows), max(r.y1 for r in rows)
    middle = (top + bottom) / 2
    upper = chance.random() < 0.5
    half = (0, 0, page.rect.width, middle) if upper else (0, middle, page.rect.width, page.rect.height)
    page.add_redact_annot(pymupdf.Rect(*half))
    page.apply_redactions(images=0, graphics=0)


def side_cut(document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]) -> None:
    """The ends of the rows of some pages are not there, as of a sheet that was laid on the glass askew."""
    for number in _run(chance, law):
        page = document[number]
        rows = [pymupdf.Rect(line["bbox"]) for line in _lines(page)]
        left, right = min(r.x0 for r in rows), max(r.x1 for r in rows)
        page.add_redact_annot(
            pymupdf.Rect(right - 0.2 * (right - left), 0, page.rect.width, page.rect.height)
        )
        page.apply_redactions(images=0, graphics=0)


def head_cropped(document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]) -> None:
    """The upper fifth of some pages is not there."""
    for number in _run(chance, law, least=2):
        page = document[number]
        rows = [pymupdf.Rect(line["bbox"]) for line in _lines(page)]
        top, bottom = min(r.y0 for r in rows), max(r.y1 for r in rows)
        page.add_redact_annot(pymupdf.Rect(0, 0, page.rect.width, top + 0.2 * (bottom - top)))
        page.apply_redactions(images=0, graphics=0)


def left_cut(document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]) -> None:
    """The beginnings of the rows of some pages are not there."""
    for number in _run(chance, law):
        page = document[number]
        rows = [pymupdf.Rect(line["bbox"]) for line in _lines(page)]
        left, right = min(r.x0 for r in rows), max(r.x1 for r in rows)
        page.add_redact_annot(pymupdf.Rect(0, 0, left + 0.2 * (right - left), page.rect.height))
        page.apply_redactions(images=0, graphics=0)


def one_side(document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]) -> None:
    """Of each sheet one side alone was scanned."""
    side = chance.randint(0, 1)
    document.select([page for page in range(len(document)) if page % 2 == side])


def rows_lost(document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]) -> None:
    """Some rows in the middle of some pages are not there, as under a stain."""
    for number in _run(chance, law, least=2):
        page = document[number]
        rows = sorted({round((line["bbox"][1] + line["bbox"][3]) / 2) for line in _lines(page)})
        if len(rows) < 12:
            continue
        count = chance.randint(3, 8)
        first = chance.randint(1, len(rows) - count - 2)
        stain = pymupdf.Rect(0, rows[first] - 2, page.rect.width, rows[first + count - 1] + 2)
        page.add_redact_annot(stain)
        page.apply_redactions(images=0, graphics=0)


def faint(document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]) -> None:
    """Of some pages every sixth word is not there."""
    for number in _run(chance, law):
        page = document[number]
        for word in page.get_text("words"):
            if chance.random() < 1 / 6:
                page.add_redact_annot(pymupdf.Rect(word[:4]))
        page.apply_redactions(images=0, graphics=0)


def page_replaced(
    document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]
) -> None:
    """In the place of a page of law stands a copy of another."""
    if len(law) > 1:
        source, place = chance.sample(list(law), 2)
        document.fullcopy_page(source, -1)
        document.move_page(len(document) - 1, place)
        document.delete_page(place + 1)


# law is changed ------------------------------------------------------------------------------


def letters_exchanged(
    document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]
) -> None:
    """A wrong table of the font: each letter stands for another."""
    key = str.maketrans(LETTERS, "".join(chance.sample(LETTERS, len(LETTERS))))
    _retyped(document, _run(chance, law), lambda text: text.translate(key))


def code_points_shifted(
    document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]
) -> None:
    by = chance.choice([-29, -3, -1, 1, 2, 5, 29])
    key = {code: chr(code + by) if code + by > 32 else "?" for code in range(33, 127)}
    _retyped(document, _run(chance, law), lambda text: text.translate(key))


def letters_swapped(
    document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]
) -> None:
    """Two neighbours change places in every third word, as in bad OCR."""

    def swapped(match: re.Match[str]) -> str:
        word = match[0]
        if chance.random() < 2 / 3:
            return word
        at = chance.randrange(len(word) - 1)
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]

    _retyped(document, _run(chance, law), lambda text: re.sub(r"[A-Za-z]{3,}", swapped, text))


def shuffled(document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]) -> None:
    order = list(range(len(document)))
    law = law if len(law) > 1 else order
    pages = list(law)
    while pages == list(law):
        chance.shuffle(pages)
    for at, page in zip(law, pages, strict=True):
        order[at] = page
    document.select(order)


def two_exchanged(
    document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]
) -> None:
    """Two pages that follow each other stand the wrong way round."""
    law = law if len(law) > 1 else range(len(document))
    at = chance.randrange(len(law) - 1)
    document.move_page(law[at + 1], law[at])


def doubled(document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]) -> None:
    """Some pages are scanned twice."""
    for number in reversed(_run(chance, law)):
        document.fullcopy_page(number, number)


def foreign_pages(
    document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]
) -> None:
    with pymupdf.open(stream=other, filetype="pdf") as pages:
        at = chance.randint(len(pages) // 4, len(pages) - 1)
        last = min(len(pages) - 1, at + chance.randint(0, 3))
        document.insert_pdf(pages, from_page=at, to_page=last, start_at=_run(chance, law, share=0)[0])


def words_glued(document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]) -> None:
    """A layer without blanks."""
    _retyped(document, _run(chance, law), lambda text: text.replace(" ", ""))


def signs_for_letters(
    document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]
) -> None:
    """A font without its table, whose letters come out as signs."""
    key = {code: (code - 3) % 95 + 32 for code in range(33, 127)}
    _retyped(document, _run(chance, law, share=0), lambda text: text.translate(key))


def fifth_rows_lost(
    document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]
) -> None:
    """Every fifth row of some pages is not there."""
    for number in _run(chance, law, least=2):
        page = document[number]
        for middle in sorted({round((line["bbox"][1] + line["bbox"][3]) / 2) for line in _lines(page)})[3::5]:
            page.add_redact_annot(pymupdf.Rect(0, middle - 1, page.rect.width, middle + 1))
        page.apply_redactions(images=0, graphics=0)


def paragraph_doubled(
    document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]
) -> None:
    """Six rows of a page stand again in the place of the six behind them."""
    (number,) = _run(chance, law, share=0)
    lines = [
        [text for span in line["spans"] if (text := span["text"]).strip()]
        for line in _lines(document[number])
    ]
    middle = len(lines) // 2
    texts: list[str] = []
    for at, spans in enumerate(lines):
        row = lines[at - 6] if middle <= at < middle + 6 else spans
        texts += row if len(row) == len(spans) else ["".join(row)] + [" "] * (len(spans) - 1)
    written = iter(texts)
    _retyped(document, [number], lambda _: next(written))


def letters_alike(
    document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]
) -> None:
    """OCR takes letters for others that look like them, in half of the words of some pages."""

    def misread(match: re.Match[str]) -> str:
        alike = match[0].replace("h", "b").replace("cl", "d").replace("rn", "m").replace("ce", "ee")
        return alike if chance.random() < 0.5 else match[0]

    _retyped(document, _run(chance, law), lambda text: re.sub(r"[A-Za-z]+", misread, text))


def letter_lost(document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]) -> None:
    """The font of some pages lacks a letter."""
    lost = chance.choice("eaoinst")
    _retyped(document, _run(chance, law), lambda text: text.replace(lost, ""))


def dots_for_words(
    document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]
) -> None:
    """A copyist put dots for every tenth word of a page."""
    words = re.compile(r"(?<=[a-z] )[a-z]{3,}(?= [a-z])")
    _retyped(
        document,
        _run(chance, law, share=0),
        lambda t: words.sub(lambda m: "...." if chance.random() < 0.1 else m[0], t),
    )


def section_lost(document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]) -> None:
    """A section is not there: from its number to the next on the page."""
    for number in chance.sample(list(law), len(law)):
        starts = sorted(box.y0 for box in _numbers(document[number]))
        if len(starts) > 1:
            gone = pymupdf.Rect(0, starts[0] - 1, document[number].rect.width, starts[1] - 1)
            document[number].add_redact_annot(gone)
            document[number].apply_redactions(images=0, graphics=0)
            return


# something is put beside it ------------------------------------------------------------------


def boxed(document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]) -> None:
    """A comment of the publisher in a box below the title, or at the head of a page of law."""
    head = chance.choice(["STATEMENT OF OBJECTS AND REASONS", "COMMENTS", "CASE LAW", "SYNOPSIS"])
    page = document[chance.choice([0, law[0], law[len(law) // 2]])]
    top = min(line["bbox"][1] for line in _lines(page))
    text = (
        f"{head}\n[This Act seeks to make better provision for those whom it is about, and to amend the law.]"
    )
    box = pymupdf.Rect(72, max(5, top - 62), page.rect.width - 72, max(60, top - 4))
    page.insert_textbox(box, text, fontname="tiro", fontsize=9)


def glued(document: pymupdf.Document, chance: random.Random, other: bytes, law: Sequence[int]) -> None:
    """Another Act stands in the same file."""
    with pymupdf.open(stream=other, filetype="pdf") as pages:
        document.insert_pdf(pages, start_at=chance.choice([0, -1]))


DAMAGES: list[Damage] = [
    cut_anywhere, end_dropped, middle_dropped, beginning_dropped, pictures, whited_out, foot_cropped,
    numbers_erased, numbers_misread, letters_exchanged, code_points_shifted, letters_swapped, shuffled,
    two_exchanged, doubled, foreign_pages, boxed, glued, sub_numbers_erased, half_lost, side_cut,
    head_cropped, left_cut, one_side, rows_lost, page_replaced, faint, words_glued, signs_for_letters,
    fifth_rows_lost, paragraph_doubled, letters_alike, letter_lost, dots_for_words, section_lost,
]  # fmt: skip
ADDITIONS: list[Damage] = [boxed, glued]
"""What takes no law away by itself: a reading that still has all of it may be sound."""


def _lines(page: pymupdf.Page) -> Iterator[dict]:  # type: ignore[type-arg]
    for block in page.get_text("dict")["blocks"]:
        yield from (line for line in block.get("lines", ()) if any(s["text"].strip() for s in line["spans"]))


def _numbers(page: pymupdf.Page, pattern: re.Pattern[str] = NUMBER) -> Iterator[pymupdf.Rect]:
    for line in _lines(page):
        match = pattern.match("".join(span["text"] for span in line["spans"]))
        if match and (boxes := page.search_for(match[0].strip(), clip=pymupdf.Rect(line["bbox"]))):
            yield boxes[0]


def _retyped(document: pymupdf.Document, pages: Sequence[int], change: Callable[[str], str]) -> None:
    """Set each span of some pages anew, in its place and width, with other letters."""
    for number in pages:
        page = document[number]
        spans = [span for line in _lines(page) for span in line["spans"] if span["text"].strip()]
        page.add_redact_annot(page.rect)
        page.apply_redactions(images=0, graphics=0)
        writer = pymupdf.TextWriter(page.rect)
        for span in spans:
            text = change(span["text"])
            width = FONT.text_length(text, 1) or 1
            size = min(span["size"], (span["bbox"][2] - span["bbox"][0]) / width)
            writer.append(span["origin"], text, font=FONT, fontsize=size)
        writer.write_text(page)

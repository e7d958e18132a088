"""Editions of a Constitution of our own, with running heads as printers set them: mirrored, at the foot, beside."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache

import pymupdf

from tests import typeset
from tests.typeset import Act, Section

PARTS = ["THE UNION AND ITS ISLANDS", "RIGHTS OF KEEPERS", "FINANCE AND OIL", "CO-OPERATIVE LAMP SOCIETIES"]
_NOUNS = "keeper owner harbour lamp lantern pilot tide vessel rope bell reef council fund island".split()
_VERBS = "appoint summon inspect repair supply remove examine register license light tow guard".split()
_ENDS = "by order in writing|within thirty days|with the consent of the council|at his own cost".split("|")


def constitution(articles: int = 60, *, changed: Sequence[int] = (), dropped: Sequence[int] = ()) -> Act:
    """An Act of Parts whose text no two Articles share; ``changed`` ones say something else."""
    chance = random.Random(7)  # noqa: S311 - words, no secrets
    parts: list[tuple[str, str, list[Section]]] = []
    for number in range(1, articles + 1):
        lines = [_sentence(chance) for _ in range(chance.randint(4, 12))]
        if number in changed:
            lines[-1] = f"No vessel shall be towed after sunset on day {number} of any month."
        at = (number - 1) * len(PARTS) // articles
        if at == len(parts):
            parts.append((typeset_roman(at + 1), PARTS[at], []))
        heading = f"{chance.choice(_NOUNS).capitalize()} and {chance.choice(_NOUNS)} of class {number}"
        if number not in dropped:
            parts[at][2].append(Section(str(number), heading, lines))
    return Act("THE CONSTITUTION OF LANTERNIA, 1950", "1 of 1950", parts)


def typeset_roman(number: int) -> str:
    return ["I", "II", "III", "IV"][number - 1]


def _sentence(chance: random.Random) -> str:
    nouns = chance.sample(_NOUNS, 4)
    return (
        f"The {nouns[0]} of every {nouns[1]} shall {chance.choice(_VERBS)} and {chance.choice(_VERBS)} each "
        f"{nouns[2]} that the {nouns[3]} names, {chance.choice(_ENDS)}, for {chance.randint(2, 90)} days."
    )


def _write(page: pymupdf.Page, x: float, y: float, text: str, size: float = 9, align: str = "left") -> None:
    width = pymupdf.get_text_length(text, fontname="tiro", fontsize=size)
    x -= {"left": 0, "centre": width / 2, "right": width}[align]
    page.insert_text((x, y), text, fontname="tiro", fontsize=size)


def two_lines(page: pymupdf.Page, number: int, part: str) -> None:
    """The title beside the page number, in the outer corner; the Part's name below."""
    outer = (72, "left") if number % 2 == 0 else (523, "right")
    _write(page, outer[0], 40, str(number), align=outer[1])
    _write(page, 297, 40, "THE CONSTITUTION OF LANTERNIA", align="centre")
    _write(page, 297, 53, f"({part})", align="centre")


def mirrored(page: pymupdf.Page, number: int, part: str) -> None:
    """Left pages have the title, right pages the Part's name, in one line with the number."""
    if number % 2 == 0:
        _write(page, 72, 44, f"{number}     THE CONSTITUTION OF LANTERNIA")
    else:
        _write(page, 523, 44, f"{part}     {number}", align="right")


def at_the_foot(page: pymupdf.Page, number: int, part: str) -> None:
    """As ``mirrored``, below the text."""
    if number % 2 == 0:
        _write(page, 72, 790, f"{number} | The Constitution of Lanternia")
    else:
        _write(page, 523, 790, f"{part} | {number}", align="right")


def in_the_margin(page: pymupdf.Page, number: int, part: str) -> None:
    """The Part's name and numbers of lines in the outer margin, the page number at the foot."""
    x = 20 if number % 2 == 0 else 530
    for k, words in enumerate(part.split(".")):
        _write(page, x, 200 + 10 * k, words[:14].strip(), size=7)
    for k in range(1, 8):
        _write(page, 575 if number % 2 else 8, 80 + 80 * k, str(5 * k), size=7)
    _write(page, 297, 800, f"- {number} -", align="centre")


def unnumbered(page: pymupdf.Page, number: int, part: str) -> None:
    """Title and Part without a page number, closer to the text than its lines to each other."""
    text = "Constitution of Lanternia" if number % 2 == 0 else part
    _write(
        page, 72 if number % 2 == 0 else 523, 57, text, size=8, align="left" if number % 2 == 0 else "right"
    )


EDITIONS: dict[str, Callable[[pymupdf.Page, int, str], None]] = {
    f.__name__: f for f in (two_lines, mirrored, at_the_foot, in_the_margin, unnumbered)
}


@cache
def _body(changed: tuple[int, ...], dropped: tuple[int, ...]) -> tuple[bytes, tuple[str, ...]]:
    """Pages without heads, and the Part that each belongs to; Parts open pages in the middle."""
    act = constitution(changed=changed, dropped=dropped)
    markup = typeset._opening(act) + typeset._body(act, bold=True, inline=True).replace("CHAPTER", "PART")
    document, places = typeset._lay_out(markup, pymupdf.Rect(72, 60, 523, 760))
    opens = {places[f"s{sections[0].number}"][0]: f"Part {n}.—{h.title()}" for n, h, sections in act.chapters}
    parts, part = [], "Part I"
    for page in range(document.page_count):
        part = opens.get(page, part)
        parts.append(part)
    return typeset.saved(document), tuple(parts)


def edition(
    heads: str = "", *, changed: Sequence[int] = (), dropped: Sequence[int] = (), first: int = 1
) -> bytes:
    """A PDF of the Constitution with the running heads of ``EDITIONS[heads]``, or without any."""
    data, parts = _body(tuple(changed), tuple(dropped))
    document = pymupdf.open("pdf", data)
    for index, page in enumerate(document):
        if heads and (index or heads == "in_the_margin"):  # the first page has no head
            EDITIONS[heads](page, index + first, parts[index])
    return typeset.saved(document)

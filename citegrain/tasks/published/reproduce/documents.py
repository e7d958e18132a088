"""Published figures, read from ``data/published/*.yaml``, and the sums their rows and statements name."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import NamedTuple

import yaml
from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass

_EVERY_KEY = ConfigDict(extra="forbid")


@dataclass(frozen=True, kw_only=True, config=_EVERY_KEY)
class Published:
    """One published figure.

    Attributes
    ----------
    id
        Its name in sums, unique in its document.
    row, column
        Where in its table it is printed; ``column`` only where a table has several.
    label
        What it is, in our words.
    printed, value, unit, n
        As printed, as a number, its unit, and of how many it is a part.
    section, line
        Where in the document, and in its text copy.
    rule
        How its status is derived; it is reproduced in these cases. ``measured``: our measurement of
        the same ``id`` is within ``tolerance`` of it. ``configured``: our configuration has ``value``, or
        ``equals``, at the key ``ours``. ``recomputed``: ``sum``, rounded as printed, is it, or comes within
        ``tolerance`` where the figures that go into it are rounded.
        ``interval``: the Wilson interval of ``value`` of ``n`` is, rounded as printed, ``low`` to ``high``.
        ``unpublished``: never, since the data behind it are not public.
    ours
        Configuration key, or metric that stands beside it.
    equals
        Value that the key must have, where it is not ``value``.
    tolerance
        Relative difference within which ours reproduces it.
    sum, terms
        Name of a sum, and the figures that go into it.
    why
        Why it differs, or cannot be reproduced.
    """

    id: str
    row: int
    label: str
    printed: str
    value: float
    unit: str
    section: str
    line: int
    rule: str
    column: str = ""
    n: int | None = None
    ours: str = ""
    equals: str = ""
    tolerance: float = 0.0
    sum: str = ""
    terms: list[str] = field(default_factory=list)
    low: float = 0.0
    high: float = 0.0
    why: str = ""

    @property
    def digits(self) -> int:
        """Decimals of the figure as printed."""
        first = re.search(r"\d[\d,]*\.?(\d*)", self.printed)
        return len(first[1]) if first else 0

    @property
    def share(self) -> float:
        """The share where it is a part of ``n`` pages or chunks, else the figure itself."""
        return self.value / self.n if self.n else self.value


@dataclass(frozen=True, kw_only=True, config=_EVERY_KEY)
class Statement:
    """What follows from published rows when they are put together.

    Attributes
    ----------
    rows
        Rows of the table that it concerns.
    sum, terms
        Name of a sum, and the ids and constants that go into it.
    our_terms
        The figures of ours for the same sum, where their names differ.
    ours, ours_unit
        One figure of ours that stands beside it, and its unit where it differs.
    digits
        Decimals to which it is given and compared with ``stated``.
    stated, line
        What the document says the result is, and where.
    says
        Words before it.
    note
        Our reading of it.
    """

    rows: list[int]
    label: str
    sum: str
    terms: list[str]
    unit: str
    our_terms: list[str] = field(default_factory=list)
    ours: str = ""
    ours_unit: str = ""
    digits: int = 0
    stated: float | None = None
    says: str = "the document has"
    line: int | None = None
    note: str = ""


@dataclass(frozen=True, kw_only=True, config=_EVERY_KEY)
class PublishedTable:
    """One table of a document: its number, its title, a note, its figures and what follows from them."""

    table: str
    title: str
    note: str
    rows: tuple[Published, ...]
    statements: tuple[Statement, ...]


@dataclass(frozen=True, kw_only=True, config=_EVERY_KEY)
class Document:
    """The figures of one document.

    Attributes
    ----------
    constants
        Values by the names that sums use, beside the figures.
    experiment
        Configuration that stands for its system here.
    part
        What its tables are called: ``Table``, or ``Section`` where figures stand in the text.
    """

    name: str
    constants: Mapping[str, float]
    tables: tuple[PublishedTable, ...]
    experiment: str = "thesis"
    part: str = "Table"

    @property
    def rows(self) -> list[Published]:
        """The figures of all tables."""
        return [row for table in self.tables for row in table.rows]

    @property
    def names(self) -> dict[str, float]:
        """Figures and constants by the names that sums use."""
        return {**self.constants, **{row.id: row.value for row in self.rows}}


def load_document(path: Path) -> Document:
    """Read the published figures of one document.

    Raises pydantic.ValidationError if a key is missing, unknown, or not of its type.
    """
    return TypeAdapter(Document).validate_python(yaml.safe_load(path.read_text(encoding="utf-8")))


class Sum(NamedTuple):
    """A value and how it came about: ``20,836 x 647 / 3,500``."""

    value: float
    text: str


def number(value: float, digits: int | None = None) -> str:
    """A number for people: ``20,836``, ``0.15``; with ``digits`` that many decimals; ``-`` for NaN."""
    if math.isnan(value):
        return "-"
    if digits is None:
        return f"{value:,.0f}" if value == int(value) else f"{value:,}"
    return f"{round(value, digits) + 0.0:,.{digits}f}"  # + 0.0: no minus before a zero


def calculate(name: str, figures: Mapping[str, float], terms: Sequence[str]) -> Sum:
    """The sum of that name over the figures named in ``terms``.

    Raises
    ------
    KeyError
        If there is no such sum, or no figure of such a name.
    ZeroDivisionError
        If a figure by which the sum divides is 0.
    """
    return SUMS[name](*(figures[figure] for figure in terms))


def _product(a: float, b: float, c: float) -> Sum:
    return Sum(a * b * c, f"{number(a)} x {number(b)} x {number(c)}")


def _total(*parts: float) -> Sum:
    return Sum(sum(parts), " + ".join(map(number, parts)))


def _mean(*parts: float) -> Sum:
    return Sum(sum(parts) / len(parts), f"({' + '.join(map(number, parts))}) / {len(parts)}")


def _ratio(part: float, total: float) -> Sum:
    return Sum(part / total, f"{number(part)} / {number(total)}")


def _difference(a: float, b: float) -> Sum:
    return Sum(a - b, f"{number(a)} - {number(b)}")


def _per_cent(part: float, total: float) -> Sum:
    return Sum(100 * part / total, f"100 x {number(part)} / {number(total)}")


def _per_cent_between(a: float, b: float, total: float) -> Sum:
    return Sum(100 * (a - b) / total, f"100 x ({number(a)} - {number(b)}) / {number(total)}")


def _tokens_a_page(chunks: float, tokens: float, pages: float) -> Sum:
    return Sum(chunks * tokens / pages, f"{number(chunks)} x {number(tokens)} / {number(pages)}")


def _tokens_a_page_without_overlap(chunks: float, tokens: float, overlap: float, pages: float) -> Sum:
    text = f"{number(chunks)} x ({number(tokens)} - {number(overlap)}) / {number(pages)}"
    return Sum(chunks * (tokens - overlap) / pages, text)


def _megabytes_of_vectors(vectors: float, dimension: float) -> Sum:
    return Sum(vectors * dimension * 4 / 10**6, f"{number(vectors)} x {number(dimension)} x 4 / 10^6")


def _vectors_of_megabytes(megabytes: float, dimension: float) -> Sum:
    return Sum(megabytes * 10**6 / (dimension * 4), f"{number(megabytes)} x 10^6 / ({number(dimension)} x 4)")


def _vectors_each(megabytes: float, dimension: float, vectors: float) -> Sum:
    text = f"{number(megabytes)} x 10^6 / ({number(dimension)} x 4) / {number(vectors)}"
    return Sum(megabytes * 10**6 / (dimension * 4) / vectors, text)


def _saturation(score_of_one: float, k1: float, times: float) -> Sum:
    """What a word that stands there so often adds to BM25, from what one of it adds."""
    text = f"{number(score_of_one)} x (1 + {number(k1)}) x {number(times)} / ({number(times)} + {number(k1)})"
    return Sum(score_of_one * (1 + k1) * times / (times + k1), text)


def _rank_terms(*figures: float) -> Sum:
    """Weights of methods that all have it at one rank; behind them the constant and the rank."""
    *weights, k, rank = figures
    text = f"({' + '.join(map(number, weights))}) / ({number(k)} + {number(rank)})"
    return Sum(sum(weights) / (k + rank), text)


def _price(tokens_in: float, price_in: float, tokens_out: float, price_out: float) -> Sum:
    parts = f"{number(tokens_in)} x {number(price_in)} + {number(tokens_out)} x {number(price_out)}"
    return Sum((tokens_in * price_in + tokens_out * price_out) / 1000, f"({parts}) / 1,000")


def _largest_bonus(weight: float, section: float, act: float) -> Sum:
    return Sum(weight * (section + act), f"{number(weight)} x ({number(section)} + {number(act)})")


def _mean_of_other_five(questions: float, mean: float) -> Sum:
    """What five questions score, from the mean of all and the scores that are given for the other five."""
    text = f"({number(questions)} x {number(mean)} - (2 x 1 + 0 + 2 x 0.5)) / 5"
    return Sum((questions * mean - (2 * 1 + 0 + 2 * 0.5)) / 5, text)


def _mean_in_scope(questions: float, mean: float, out_of_scope: float) -> Sum:
    """The mean over questions that have a source, if each of the others was scored 1."""
    n, m, out = number(questions), number(mean), number(out_of_scope)
    value = (questions * mean - out_of_scope) / (questions - out_of_scope)
    return Sum(value, f"({n} x {m} - {out}) / ({n} - {out})")


def _mean_of_six(first: float, four_alike: float, last: float) -> Sum:
    text = f"({number(first)} + 4 x {number(four_alike)} + {number(last)}) / 6"
    return Sum((first + 4 * four_alike + last) / 6, text)


def _mean_lead(a: float, b: float, other_a: float, other_b: float) -> Sum:
    text = f"({number(a)} + {number(b)} - {number(other_a)} - {number(other_b)}) / 2"
    return Sum((a + b - other_a - other_b) / 2, text)


def _mean_lead_without_failures(
    a: float, b: float, other_a: float, other_b: float, answers: float, failed: float
) -> Sum:
    """The lead if failed answers of the other model do not count; ``answers`` are of two rows of 100."""
    others = f"100 x ({number(other_a)} + {number(other_b)}) / ({number(answers)} - {number(failed)})"
    value = (a + b) / 2 - 100 * (other_a + other_b) / (answers - failed)
    return Sum(value, f"({number(a)} + {number(b)}) / 2 - {others}")


_FUNCTIONS = (
    _product, _total, _mean, _ratio, _difference, _per_cent, _per_cent_between, _tokens_a_page,
    _tokens_a_page_without_overlap, _megabytes_of_vectors, _vectors_of_megabytes, _vectors_each,
    _saturation, _rank_terms, _price, _largest_bonus,
    _mean_of_other_five, _mean_in_scope, _mean_of_six, _mean_lead, _mean_lead_without_failures,
)  # fmt: skip
SUMS: Mapping[str, Callable[..., Sum]] = {f.__name__.lstrip("_"): f for f in _FUNCTIONS}
"""By the name that rows use."""

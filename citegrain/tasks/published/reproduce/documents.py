"""Published figures, read from ``data/published/*.yaml``, and the sums their rows and statements name."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import NamedTuple

import yaml
from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass

_EVERY_KEY = ConfigDict(extra="forbid")


@dataclass(frozen=True, kw_only=True, config=_EVERY_KEY)
class PublishedFigure:
    """One published figure.

    Attributes
    ----------
    id
        Its name in sums, unique in its document.
    row, column
        Where in its table it is printed; ``column`` only where a table has several.
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
        ``studied``: the metric ``ours`` of a study of the document's system is within ``tolerance`` of it.
        ``unpublished``: never, since the data behind it are not public; ``ours`` stands beside it.
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
    rows: tuple[PublishedFigure, ...]
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
    headlines
        Ids of the figures that stand in the one table of all documents.
    benchmark, command
        On which benchmark its system is measured here, any where empty, and the command that does it.
    """

    name: str
    constants: Mapping[str, float]
    tables: tuple[PublishedTable, ...]
    experiment: str = "thesis"
    part: str = "Table"
    headlines: tuple[str, ...] = ()
    benchmark: str = ""
    command: str = "citegrain reproduce corpus=folder corpus.path=DIR"

    def command_of(self, row: PublishedFigure) -> str:
        """The command that gives our figure of a row; empty where there is none."""
        if row.rule in ("studied", "unpublished"):
            return self.command if row.ours else ""
        return Document.command

    @property
    def rows(self) -> list[PublishedFigure]:
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


SUMS: Mapping[str, str] = {
    "product": "{0} x {1} x {2}",
    "total": "{all}",
    "mean": "({all}) / {n}",
    "ratio": "{0} / {1}",
    "difference": "{0} - {1}",
    "per_cent": "100 x {0} / {1}",
    "per_cent_between": "100 x ({0} - {1}) / {2}",
    "tokens_a_page": "{0} x {1} / {2}",
    "tokens_a_page_without_overlap": "{0} x ({1} - {2}) / {3}",
    "megabytes_of_vectors": "{0} x {1} x 4 / 10^6",
    "vectors_of_megabytes": "{0} x 10^6 / ({1} x 4)",
    "vectors_each": "{0} x 10^6 / ({1} x 4) / {2}",
    # what a word that stands there so often adds to BM25, from what one of it adds
    "saturation": "{0} x (1 + {1}) x {2} / ({2} + {1})",
    # weights of methods that all have it at one rank; behind them the constant and the rank
    "rank_terms": "({but_two}) / ({last_but_one} + {last})",
    "price": "({0} x {1} + {2} x {3}) / 1,000",
    "largest_bonus": "{0} x ({1} + {2})",
    # what five questions score, from the mean of all and the scores that are given for the other five
    "mean_of_other_five": "({0} x {1} - (2 x 1 + 0 + 2 x 0.5)) / 5",
    # the mean over questions that have a source, if each of the others was scored 1
    "mean_in_scope": "({0} x {1} - {2}) / ({0} - {2})",
    # of five, three and two questions
    "mean_of_categories": "(5 x {0} + 3 x {1} + 2 x {2}) / 10",
    "mean_of_six": "({0} + 4 x {1} + {2}) / 6",
    "mean_lead": "({0} + {1} - {2} - {3}) / 2",
    # the lead if failed answers of the other model do not count, which are two rows of 100
    "mean_lead_without_failures": "({0} + {1}) / 2 - 100 x ({2} + {3}) / ({4} - {5})",
}
"""How each sum is printed, by the name that rows use; its figures are numbered."""


def calculate(name: str, figures: Mapping[str, float], terms: Sequence[str]) -> Sum:
    """The sum of that name over the figures named in ``terms``.

    Raises KeyError if there is no such sum, or no figure of such a name; ZeroDivisionError if a figure by
    which the sum divides is 0.
    """
    import pandas as pd  # type: ignore[import-untyped]  # takes half a second

    values = {f"v{at}": figures[figure] for at, figure in enumerate(terms)}
    expression = _written(SUMS[name], list(values)).replace(" x ", " * ").replace("^", "**").replace(",", "")
    value: float = pd.eval(expression, local_dict=values, engine="python")
    return Sum(value, _written(SUMS[name], [number(figure) for figure in values.values()]))


def _written(formula: str, figures: Sequence[str]) -> str:
    """A formula with its figures."""
    *rest, last = figures
    ends = {"last": last, "last_but_one": rest[-1] if rest else ""}
    sums = {"all": " + ".join(figures), "but_two": " + ".join(rest[:-1])}
    return formula.format(*figures, n=len(figures), **ends, **sums)

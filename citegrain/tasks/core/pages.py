"""Texts and tables on pages of ours.

Text of others is data, in HTML and in Markdown, and no reader is misled by it. Every renderer of a table
shows the same cells.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from jinja2 import Environment

_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # turn the text around them
_UNSEEN = frozenset({"Cc", "Cs"})  # control signs, halves of surrogate pairs
_MARKDOWN = re.compile(r"([\\`*_{}\[\]#|~@])")
_UNESCAPED_BAR = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)", re.IGNORECASE)


@cache  # else each page compiles its templates anew, a tenth of a second
def templates(package: str) -> Environment:
    """Templates of a package for HTML: what is no ``Markup`` is escaped, a missing name is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["clean"] = clean
    return environment


def encodable(page: str) -> str:
    """A page without halves of surrogate pairs, which JSON can hold and no file can."""
    return page.encode("utf-8", "replace").decode("utf-8")


def page_of(query_id: str) -> str:
    """Where the page of an answer stands in the folder of a report: ids of others are no names of files."""
    return f"pages/{hashlib.sha256(query_id.encode('utf-8', 'replace')).hexdigest()[:16]}.html"


def source_of(environment: Environment, name: str) -> Markup:
    """A file of ours beside the templates, as it is."""
    source = environment.loader.get_source(environment, name)[0] if environment.loader else ""
    return Markup(source)  # noqa: S704 - our own


def clean(text: str) -> str:
    """Text on one line, without what no reader sees: control signs and those that turn text around."""
    shown = (c for c in text if c in "\n\t" or not (unicodedata.category(c) in _UNSEEN or c in _BIDI))
    return " ".join("".join(shown).split())


def markdown_text(text: str) -> str:
    """Text in which Markdown finds no markup, no link and no HTML."""
    escaped = _MARKDOWN.sub(r"\\\1", clean(text))
    escaped = _LINK.sub(r"\\", escaped)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a table in Markdown, which the cells are too; the first column names its rows."""
    rule = ["---", *["---:"] * (len(heads) - 1)]
    return [
        "| " + " | ".join(_UNESCAPED_BAR.sub(r"\\|", cell.replace("\n", " ")) for cell in row) + " |"
        for row in (heads, rule, *rows)
    ]


@dataclass(frozen=True)
class TableCell:
    """What a cell says.

    ``small``: what stands smaller behind it, as its interval. ``n``: its n, where the head of the column does
    not give it. ``sort``: by what the column is sorted.
    """

    text: str
    small: str = ""
    n: str = ""
    sort: float | str | None = None
    strong: bool = False


@dataclass(frozen=True)
class Column:
    """A column: its heading, what stands smaller below it, the heading it shares with its neighbours."""

    heading: str
    small: str = ""
    group: str = ""
    is_text: bool = False


@dataclass(frozen=True)
class Table:
    """A table; the first cell of a row names it."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[TableCell]]
    row_heading: str = "Configuration"
    classes: str = ""

    @classmethod
    def of_texts(
        cls, caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]], texts: Collection[str] = ()
    ) -> Table:
        """A table of plain texts; ``texts`` names the columns, but the first, that are no figures."""
        columns = [Column(head, is_text=head in texts) for head in heads[1:]]
        return cls(caption, columns, [[TableCell(text) for text in row] for row in rows], heads[0])

    @property
    def groups(self) -> list[tuple[str, int]]:
        """(shared heading, number of its columns), from left to right; empty where no heading is shared."""
        runs = groupby(column.group for column in self.columns)
        groups = [(name, len(list(run))) for name, run in runs]
        return groups if any(name for name, _ in groups) else []

    def texts(self, join: Callable[..., str]) -> list[list[str]]:
        """The heads, then the rows, as plain text: ``join`` is given what a cell says, large and small."""
        heads = [self.row_heading, *(join(column.heading, column.small) for column in self.columns)]
        return [heads, *([join(cell.text, cell.small, cell.n) for cell in row] for row in self.rows)]

    def markdown(self) -> list[str]:
        """Lines of Markdown without the caption, in which names are names."""

        def join(text: str, *small: str) -> str:
            parts = (part if part.startswith("[") else f"({part})" for part in small if part)
            return markdown_text(" ".join([text, *parts]))

        heads, *rows = self.texts(join)
        return markdown_table(heads, rows)

    @property
    def wide(self) -> bool:
        """Whether names are so long that they need a wide column."""
        return any(len(row[0].text) > 22 for row in self.rows)

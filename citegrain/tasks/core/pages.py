"""Text of others on pages of ours: it is data, in HTML and in Markdown, and no reader is misled by it."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # turn the text around them
_UNSEEN = frozenset({"Cc", "Cs"})  # control signs, halves of surrogate pairs
_MARKDOWN = re.compile(r"([\\`*_{}\[\]#|~@])")
_UNESCAPED_BAR = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)", re.IGNORECASE)


def templates(package: str) -> Environment:
    """Templates of a package for HTML: what is no ``Markup`` is escaped, a missing name is an error."""
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["clean"] = clean
    return environment


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

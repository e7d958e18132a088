"""A page as its reader sees it: tables by caption, text, tags."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser


class Page(HTMLParser):
    """What a page holds.

    Attributes
    ----------
    tables
        Rows of texts by the caption of the table.
    tags, ids
        How often each stands there.
    raw
        Contents of style and script elements.
    """

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: dict[str, list[list[str]]] = {}
        self.tags: Counter[str] = Counter()
        self.ids: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.raw: list[str] = []
        self.text = ""
        self._inside: list[str] = []
        self._caption, self._rows = "", [[""]]
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.ids.update(value or "" for name, value in attrs if name == "id")
        if tag in ("script", "style", "figcaption", "td", "th"):
            self._inside.append(tag)
            self._caption = "" if tag == "figcaption" else self._caption
        if tag == "table":
            self._rows = []
            self.tables[self._caption] = self._rows
            self._caption = ""
        if tag == "tr":
            self._rows.append([])
        if tag in ("td", "th"):
            self._rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        where = self._inside[-1] if self._inside else ""
        if where in ("script", "style"):
            self.raw.append(data)
            return
        self.text += data
        if where == "figcaption":
            self._caption += data
        elif where in ("td", "th"):
            self._rows[-1][-1] += data

    def table(self, words: str) -> list[list[str]]:
        """The table whose caption begins with these words."""
        return next(rows for caption, rows in self.tables.items() if caption.startswith(words))

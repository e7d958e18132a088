"""A checked text as a table and as a page."""

from __future__ import annotations

from citegrain.tasks.core.pages import Table, templates
from citegrain.tasks.online.check.schema import CheckedCitation, CheckedText

HEADS = ("citation", "status", "of", "what is wrong", "times", "page")


def check_table(checked: CheckedText) -> Table:
    """A line a citation and status: those that are wrong first, then as the text has them."""
    rows: dict[tuple[str, ...], list[CheckedCitation]] = {}
    for citation in checked.citations:
        name = citation.words if citation.kind == "case" else f"{citation.kind} {citation.number}".strip()
        key = (name, citation.status.replace("_", " "), citation.title, citation.message)
        rows.setdefault(key, []).append(citation)
    lines = [
        (*key, str(len(same)), ", ".join(dict.fromkeys(str(c.page) for c in same if c.page)))
        for key, same in sorted(rows.items(), key=lambda item: not item[1][0].wrong)
    ]
    return Table.of_texts(f"{checked.file}: {len(checked.citations)} citations", HEADS, lines, HEADS[1:4])


def check_page(checked: CheckedText, section: str = "") -> str:
    """The table as one HTML page; everything in it that others wrote is escaped.

    ``section``: HTML that stands behind it.
    """
    page = templates("citegrain.tasks.online.check").get_template("check.html.j2")
    text = page.render(checked=checked, table=check_table(checked), section=section)
    return text.encode("utf-8", "replace").decode("utf-8")

"""The table of amendments for people: Markdown, and one HTML page that needs nothing beside it."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property, partial
from typing import Any

import pyarrow as pa
from markupsafe import Markup

from citegrain.tasks.core.pages import clean, markdown_table, markdown_text, source_of, templates
from citegrain.tasks.law.editions_compared.compare import AMENDING, KINDS, PRINTING

Row = Mapping[str, Any]
LABELS = {kind: kind for kind in AMENDING} | {PRINTING: "printed differently"}
"""How each kind is called."""
_LONGEST = 1500  # characters of a provision's changes in Markdown; the page has all


@dataclass(frozen=True)
class Comparison:
    """What was compared, as the report names it.

    ``titles``: short titles of Acts; one that is not here is called by its id. ``unchanged``: Acts that were
    compared and have no row. ``added``, ``dropped``: Acts that are only on the new and only on the old side.
    ``links``: address of the PDF of a document, for those that are at hand. ``pages``: address of the copy of
    a page, by document and number, where the PDF is not. ``left_out``: files that are not indexed or are
    doubtful, with the reason: what they lack may look omitted.
    """

    old: str
    new: str
    titles: Mapping[str, str] = field(default_factory=dict)
    unchanged: Sequence[str] = ()
    added: Sequence[str] = ()
    dropped: Sequence[str] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[tuple[str, int], str] = field(default_factory=dict)
    left_out: Sequence[str] = ()

    def address(self, row: Row, side: str) -> str:
        """Where a page of the ``old`` or ``new`` document opens; empty where its file is not at hand."""
        document = row[f"{side}_document"]
        link = self.links.get(document, "")
        if not link:
            return self.pages.get((document, row[f"{side}_page"]), "")
        return f"{link}#page={row[f'{side}_page']}" if link.lower().endswith(".pdf") else link

    def title(self, act_id: str) -> str:
        """How an Act is called."""
        return clean(self.titles.get(act_id, act_id))


@dataclass(frozen=True)
class _Act:
    """Rows of one Act."""

    act_id: str
    title: str
    rows: Sequence[Row]

    @cached_property
    def counts(self) -> Counter[str]:
        """Rows by kind."""
        return Counter(r["kind"] for r in self.rows)

    @property
    def amended(self) -> list[Row]:
        """Rows of amendments."""
        return [r for r in self.rows if r["kind"] in AMENDING]

    @property
    def printing(self) -> list[Row]:
        """Rows of what is printed differently, in the same law."""
        return [r for r in self.rows if r["kind"] not in AMENDING]

    @property
    def span(self) -> str:
        """The two versions: ``23 June 2016 to 1 December 2023``."""
        first = self.rows[0]
        return f"{_day_in_words(first['old_version'])} to {_day_in_words(first['new_version'])}"


def to_markdown(table: pa.Table, comparison: Comparison, verdict: Sequence[str] = ()) -> str:
    """The report as Markdown, no statute read as markup; ``verdict``, lines of it, stands above."""
    acts = _acts(table, comparison)
    lines = [
        "# What moved",
        "",
        f"From {markdown_text(comparison.old)} to {markdown_text(comparison.new)}.",
        "",
    ]
    heads = ["Act", *(label.capitalize() for label in LABELS.values())]
    rows = [[markdown_text(act.title), *(str(act.counts[kind]) for kind in KINDS)] for act in acts]
    lines += [*(markdown_table(heads, rows) if rows else ["No amendment was found."]), ""]
    for name, ids in _acts_apart(comparison):
        lines += [f"{name}: {'; '.join(markdown_text(comparison.title(i)) for i in ids)}.", ""]
    lines += [f"- {markdown_text(line)}" for line in comparison.left_out] + [""] * bool(comparison.left_out)
    lines += verdict
    for act in acts:
        lines += [f"## {markdown_text(act.title)}", "", f"{act.span}.", ""]
        lines += [_item(row, comparison) for row in act.amended]
        if act.printing:
            lines += ["", f"### Printed differently, in the same law ({len(act.printing)})", ""]
            lines += [_item(row, comparison) for row in act.printing]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def to_html(table: pa.Table, comparison: Comparison, verdict: Markup | None = None) -> str:
    """The report as one HTML page, all of it escaped; ``verdict``, HTML, stands above what moved."""
    environment = templates("citegrain.tasks.law.editions_compared")
    environment.filters |= {"label": LABELS.__getitem__, "numbered": numbered}
    acts = _acts(table, comparison)
    return environment.get_template("amendments.html.j2").render(
        acts=acts,
        kinds=LABELS,
        pages=partial(pages, comparison=comparison, linked=_html_link),
        total=sum((a.counts for a in acts), Counter[str]()),
        comparison=comparison,
        apart=_acts_apart(comparison),
        verdict=verdict,
        style=source_of(environment, "amendments.css"),
    )


def numbered(row: Row) -> str:
    """How a provision is called: ``Section 17``, ``Section 20 (was 19)``, ``First Schedule``."""
    number = clean(row["number"])
    name = number if row["unit"] == "schedule" else f"{row['unit'].capitalize()} {number}"
    if row["old_number"] not in (None, row["number"]):
        return f"{name} (was {clean(row['old_number'])})"
    return name


def pages(row: Row, comparison: Comparison, linked: Callable[[str, str], str]) -> str:
    """Where it is printed: ``Page 25, now 26``, each with a link to the PDF if that is at hand."""
    was, now = (_page(row, side, comparison, linked) for side in ("old", "new"))
    if not was:
        return Markup("Page {}").format(now)
    return Markup("Page {}, now {}").format(was, now or "nowhere")


def _page(row: Row, side: str, comparison: Comparison, linked: Callable[[str, str], str]) -> str:
    page, address = row[f"{side}_page"], comparison.address(row, side)
    if page is None:
        return ""
    return linked(str(page), address) if address else str(page)


def _html_link(text: str, address: str) -> str:
    return Markup('<a href="{}">{}</a>').format(address, text)


def _markdown_link(text: str, address: str) -> str:
    return Markup(f"[{text}](<{address}>)")  # noqa: S704 - a page, and an address that is percent-encoded


def _day_in_words(day: date | None) -> str:
    """A day as people write it."""
    return f"{day.day} {day:%B %Y}" if day else "no date"


def _acts(table: pa.Table, comparison: Comparison) -> list[_Act]:
    by_act: dict[str, list[Row]] = {}
    for row in table.to_pylist():
        by_act.setdefault(row["act_id"], []).append(row)
    return [_Act(act, comparison.title(act), rows) for act, rows in by_act.items()]


def _acts_apart(comparison: Comparison) -> list[tuple[str, Sequence[str]]]:
    """Acts without an amendment, under what is to be said of them."""
    titles = (
        ("Compared and unchanged", comparison.unchanged),
        ("New", comparison.added),
        ("No longer there", comparison.dropped),
    )
    return [(name, ids) for name, ids in titles if ids]


def _item(row: Row, comparison: Comparison) -> str:
    """A provision as one item of a list."""
    parts = [f"**{markdown_text(numbered(row))}** {LABELS[row['kind']]}", markdown_text(row["heading"])]
    if row["moved_from"]:
        parts.append(f"text of old {markdown_text(row['moved_from'])}")
    parts += [str(pages(row, comparison, _markdown_link)), markdown_text(row["evidence"])]
    return f"- {'; '.join(p for p in parts if p)}  \n  {_changes(row['changes'])}"


def _changes(changes: Sequence[Row]) -> str:
    """Words that went, struck out, and words that came, in bold."""
    out: list[str] = []
    length = 0
    for change in changes:
        length += len(change["old"]) + len(change["new"])
        shown = max(0, _LONGEST - (length - len(change["old"]) - len(change["new"])))
        texts = (clean(change[side]) for side in ("old", "new"))
        was, now = (markdown_text(t if len(t) <= shown else f"{t[:shown].rstrip()} …") for t in texts)
        if change["op"] == "keep":
            out.append(was)
        else:
            out += [f"~~{was}~~"] * bool(was) + [f"**{now}**"] * bool(now)
        if length > _LONGEST:
            break
    return " ".join(out)

"""An answer as text, and its explanation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.text import Text

from citegrain.flows.cli.terminal import line, out
from citegrain.tasks.law.counterparts import SUCCESSOR, TABLE

if TYPE_CHECKING:
    from citegrain.flows.shared.asking import Answered


def show_answer(answered: Answered) -> None:
    """Print an answer: the day, each charge with its citation, and what was not read."""
    answer, applied = answered.content, answered.applied
    line(applied.line())
    words = answer["words"]
    if words["encoded"] < words["asked"]:
        line(
            f"the encoder read the first {words['encoded']:,} of {words['asked']:,} words; names of Acts and "
            "sections, dates and single words were searched in all of them",
            style="yellow",
        )
    if not answer["charges"] and not answer["error"]:
        out.print(f"no provision in force on {applied.day} fits")
    by_id = {hit.provision_id: hit for hit in answered.hits}
    for number, charge in enumerate(answer["charges"], 1):
        line(f"{number}. {charge['law']}", style="bold")
        if charge["heading"] or charge["description"]:
            line(f"   {charge['heading'] or charge['description']}")
        if charge["evidence"]:
            line(f"   {charge['evidence']}", style="dim")
        hit = by_id.get(charge["provision_id"])
        if hit is not None:
            attributes = [f"{name}: {value}" for name, value in hit.attributes.items() if value]
            line("   " + "  ".join([str(charge["link"]), f"score {charge['score']:.4f}", *attributes]))
        other = counterpart_line(charge)
        if other:
            line(f"   {other}")
        if charge["verification"] != "verified":
            line(f"   not verified: {charge['verification'].replace('_', ' ')}", style="red")
    if answer["note"] and answer["charges"]:
        line(answer["note"])


def show_explanation(rows: Sequence[Mapping[str, Any]], seconds: Mapping[str, float]) -> None:
    """Print the rank and score of each provision by stage, why it fell out, and where the time went."""
    out.print("\nRank (score) by stage", style="bold")
    for number, row in enumerate(rows, 1):
        if not row["returned"] and (number == 1 or rows[number - 2]["returned"]):
            out.print("Not returned", style="bold")
        out.print(Text(f"{number}. {row['law']}" + (f": {row['heading']}" if row["heading"] else "")))
        places = ", ".join(
            f"{name} {at['rank']} ({at['score']:.3g})" for name, at in row["stages"].items() if at
        )
        _indented(places)
        if row["lay_text"]:
            _indented(f"lay text: {row['lay_text']}", "dim")
        if row["moved"]:
            _indented(
                "moved by: " + ", ".join(f"{name} {value:+.2f}" for name, value in row["moved"].items())
            )
        if row["why"]:
            _indented(f"why: {row['why']}", "yellow")
    line("  ".join(f"{name} {1000 * s:.0f} ms" for name, s in seconds.items()))


def _indented(text: str, style: str = "") -> None:
    out.print(Padding(Text(text, style=style), (0, 0, 0, 3)))


def counterpart_line(charge: Mapping[str, Any]) -> str:
    """The counterparts of a charge on one line; empty where its Act was not replaced and replaced none."""
    other = charge["replacement"]
    if other is None:
        return ""
    old, since = other["relation"] == SUCCESSOR, other["since"]
    lead = f"{'since' if old else 'before'} {since}" if since else f"{'replaced by' if old else 'replaced'}"
    rows = [c for c in charge["counterparts"] if c["act"] == other["act"]]
    if not rows:
        why = "no similar section found" if other["in_build"] else "not in this build"
        return f"{lead}: {other['title']}, {why}"
    numbers = ", ".join(c["section"] for c in rows)
    by_table = all(c["source"] == TABLE for c in rows)
    how = "by your table" if by_table else "matched by heading and text"
    return f"{lead}: {other['title']}, section{'s' if len(rows) > 1 else ''} {numbers} ({how})"

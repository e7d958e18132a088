"""The report as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from citegrain.tasks.evaluation.reproduce.report import Report, Section
from citegrain.tasks.evaluation.reproduce.studies import METRICS


def markdown(report: Report) -> str:
    """The report as a Markdown page, the same for the same report."""
    parts = ["# Published tables beside ours", "", *(f"- {_sentence(r)}" for r in report.remarks), ""]
    parts += [_sentence(report.summary), ""]
    for section in report.sections:
        parts += _section(section)
    if report.further:
        parts += ["## Measured besides", "", *_table(("quantity", "ours"), report.further), ""]
    if report.study:
        heads = ("configuration", *(m.replace("_", " ") for m in METRICS))
        parts += [f"## Ours: {report.study.line}", "", *_table(heads, report.study.rows()), ""]
    return "\n".join(parts).rstrip() + "\n"


def _section(section: Section) -> list[str]:
    rows = [
        (o.published.row, o.published.label, o.published.printed, o.ours, o.told) for o in section.outcomes
    ]
    out = [f"## {section.heading}", "", _sentence(section.note), ""]
    out += [*_table(("row", "quantity", "published", "ours", "status"), rows), ""]
    if section.reasons():
        out += [*(f"- {rows}: {_sentence(why)}" for rows, why in section.reasons()), ""]
    if section.statements:
        out += ["Arithmetic:", ""]
        out += [f"- {_sentence(s.line)} {s.statement.note}".rstrip() for s in section.statements]
        out += [""]
    return out


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    lines = [heads, ["---"] * len(heads), *rows]
    return ["| " + " | ".join(str(c).replace("|", "\\|") for c in line) + " |" for line in lines]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."

"""Why answers fail, counted by a rule that is written down (5.3 of the thesis, which judged by eye)."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow.compute as pc

from citegrain.tasks.core.pages import Column, Table, TableCell
from citegrain.tasks.evaluation.report.table import count_cell, name_cell
from citegrain.tasks.evaluation.report.wording import words
from citegrain.tasks.evaluation.studies import StudyFolder

MODES: Mapping[str, str] = {
    "section_metadata_missing": "a provision that applies and was lost has no chunk with a section number",
    "across_domains": "the complaint is marked as one of several domains",
    "informal": "the complaint is marked as informal and cites no statute",
    "other": "none of these holds",
}
"""The modes and when each holds. A failure counts once, under the first that holds: what is missing of the
very provision comes before what the complaint is about, and that before how it is worded."""


def _metric(primaries: bool) -> str:
    return "primary_accuracy" if primaries else "complete_accuracy"


def failure_modes(study: StudyFolder, configuration: str, primaries: bool) -> dict[str, list[str]]:
    """The modes that hold for each query that failed, in the order of ``MODES``, by its id.

    ``primaries``: failed is where the primary provision was not the first charge; else where the charges are
    not exactly the provisions that apply.
    """
    scores = study.tables["scores"]
    failing = pc.and_(
        pc.equal(scores.column("configuration"), configuration),
        pc.and_(pc.equal(scores.column("metric"), _metric(primaries)), pc.equal(scores.column("value"), 0.0)),
    )
    failed = scores.filter(failing).column("query_id").to_pylist()
    lost: dict[str, set[str]] = {}
    for row in study.rows("funnel"):
        charged = ("found",) if primaries else ("found", "wrong_order")
        concerned = row["configuration"] == configuration and (row["primary"] or not primaries)
        if concerned and row["lost_at"] not in charged:
            lost.setdefault(row["query_id"], set()).add(f"{row['act']}/{row['section']}")
    out = {}
    for query in failed:
        facts = study.facts["questions"].get(query, {})
        groups = {tuple(pair) for pair in facts.get("groups", ())}
        holds = {
            "section_metadata_missing": bool(lost.get(query, set()) & set(facts.get("untagged", ()))),
            "across_domains": ("cross_domain", "yes") in groups,
            "informal": {("register", "informal"), ("cites_statute", "no")} <= groups,
        }
        out[query] = [mode for mode, holding in holds.items() if holding] or ["other"]
    return out


def failures_table(study: StudyFolder, primaries: bool) -> Table:
    """Failures by their mode, a line a configuration; smaller, for how many the mode holds at all."""
    rows = []
    for name in study.scored:
        if (name, _metric(primaries)) not in study.cells:
            continue
        modes = failure_modes(study, name, primaries)
        cells = []
        for mode in MODES:
            counted = sum(first == mode for first, *_ in modes.values())
            holding = sum(mode in holds for holds in modes.values())
            cells.append(TableCell(str(counted), f"holds for {holding}" * (holding > counted), sort=counted))
        rows.append([name_cell(study, name), *cells, count_cell(len(modes))])
    what = "The primary provision is not first" if primaries else "The set is not exactly what applies"
    columns = [*(Column(words(mode)) for mode in MODES), Column("n")]
    return Table(f"{what}: failures by mode.", columns, rows, classes="sortable counts")

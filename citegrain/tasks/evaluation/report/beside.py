"""Runs on different benchmarks beside each other, such as real questions and written ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.evaluation.compare import breakdown
from citegrain.tasks.evaluation.report.cells import Column, Table, TableCell, measured_cell
from citegrain.tasks.evaluation.report.provenance import differing
from citegrain.tasks.evaluation.report.wording import heading
from citegrain.tasks.evaluation.score import KINDS
from citegrain.tasks.evaluation.studies import Row, StudyFolder
from citegrain.tasks.online.query import ASKED, asked

METRICS = ("primary_1", "hit_1", "primary_5", "primary_20")
_ALL, _NONE = "(all)", "(none of these)"


def beside_table(runs: Sequence[tuple[StudyFolder, str]]) -> Table:
    """Rankings of each run by what is asked, the benchmarks of a group below each other.

    Parameters
    ----------
    runs
        A study and one of its configurations each; that they measured the same is said, not asked for.
    """
    measured = [_by_group(*run) for run in runs]
    rows = [
        [
            TableCell(group),
            TableCell(str(study.facts["benchmark"]["name"]), f"{study.folder.name}/{configuration}"),
            TableCell(str(max(row["n"] for row in cells.values()))),
            *(measured_cell(cells.get(metric), metric, 1) for metric in METRICS),
        ]
        for group in (_ALL, *ASKED, _NONE)
        for (study, configuration), groups in zip(runs, measured, strict=True)
        if (cells := groups.get(group))
    ]
    columns = [Column("Benchmark", is_text=True), Column("n"), *(Column(heading(m)) for m in METRICS)]
    return Table(_caption(runs), columns, rows, "Asks for")


def _caption(runs: Sequence[tuple[StudyFolder, str]]) -> str:
    configs = {str(i): study.facts["configurations"][name]["config"] for i, (study, name) in enumerate(runs)}
    differ, _ = differing(configs)
    weights = {study.facts["configurations"][name]["weights"] for study, name in runs}
    differ += ["the encoder's weights"] * (len(weights) > 1)
    same = f"The configurations differ in {', '.join(differ)}" if differ else "One configuration"
    return f"{same}. By words of the complaint, with Wilson's 95% intervals; one may ask for several things."


def _by_group(study: StudyFolder, configuration: str) -> dict[str, dict[str, Row]]:
    """Rows of ``BREAKDOWN`` by group and metric."""
    scores = study.tables["scores"]
    wanted = pc.and_(
        pc.equal(scores.column("configuration"), configuration),
        pc.is_in(scores.column("metric"), pa.array(METRICS)),
    )
    scores = scores.filter(wanted)
    groups = [
        (query, "asks", group)
        for query in pc.unique(scores.column("query_id")).to_pylist()
        for group in _groups(study.facts["questions"].get(query, {}).get("text", ""))
    ]
    out: dict[str, dict[str, Row]] = {}
    for row in breakdown(scores, KINDS, groups, METRICS, 0).to_pylist():
        out.setdefault(row["group"], {})[row["metric"]] = row
    return out


def _groups(text: str) -> Iterator[str]:
    yield _ALL
    if text:  # it may not have been kept
        yield from asked(text) or [_NONE]

"""By kind of question: configurations, how published systems stand among themselves, what channels find."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from citegrain.tasks.core.pages import Column, Table, TableCell
from citegrain.tasks.evaluation.compare import paired
from citegrain.tasks.evaluation.report.cells import (
    DASH,
    decimal,
    heading,
    interval,
    lowered,
    measured_cell,
    number,
    p_value,
    text_cell,
    title,
    words,
)
from citegrain.tasks.evaluation.report.tables import MAIN, funnel_counts
from citegrain.tasks.evaluation.score import LOSSES, kinds_with
from citegrain.tasks.evaluation.studies import StudyFolder, first_seen


def kinds_table(studies: Sequence[StudyFolder]) -> Table:
    """Configurations on several benchmarks: the first declared metric, and where most was lost."""
    metrics: list[str] = [(study.facts["metrics"] or MAIN)[0] for study in studies]
    lost = [funnel_counts(study, primaries=True) for study in studies]
    names = dict.fromkeys(name for study in studies for name in study.scored)
    rows = [
        [
            text_cell(name),
            *(
                _with_loss(measured_cell(study.cells.get((name, metric)), metric, 0), counts.get(name, {}))
                for study, metric, counts in zip(studies, metrics, lost, strict=True)
            ),
        ]
        for name in names
    ]
    columns = [
        Column(str(study.facts["benchmark"]["name"]), heading(metric))
        for study, metric in zip(studies, metrics, strict=True)
    ]
    return Table("By kind of question, and where most primary provisions were lost.", columns, rows)


def _with_loss(cell: TableCell, counts: Mapping[str, int]) -> TableCell:
    """A cell, and the stage at which most was lost, with how many of how many."""
    losses = {loss: n for loss, n in counts.items() if loss != "found"}
    if not losses:
        return cell
    most = max(losses, key=lambda loss: losses[loss])
    return replace(cell, n=f"{words(most)} {losses[most]} of {sum(counts.values())}")


def standings(studies: Sequence[StudyFolder], made_for: Mapping[str, str]) -> list[str]:
    """Each published system among the others on the kind of question it was made for, in a sentence.

    Where another is before it: the paired difference, and where its own funnel lost the questions that only
    the other answers. ``made_for``: ``BENCHMARK METRIC`` by configuration.
    """
    by_benchmark = {str(study.facts["benchmark"]["name"]): study for study in studies}
    out = []
    for system, kind in made_for.items():
        benchmark, metric = kind.split()
        study = by_benchmark.get(benchmark)
        if study is not None and (system, metric) in study.cells:
            out.append(f"{system}, made for {benchmark}: {_standing(study, system, metric, list(made_for))}")
    return out


def _standing(study: StudyFolder, system: str, metric: str, systems: Sequence[str]) -> str:
    row = study.cells[system, metric]
    said = f"{lowered(title(metric))} {number(metric, row['value'])} {interval(metric, row['lo'], row['hi'])}"
    measured = [name for name in systems if (name, metric) in study.cells]
    before = [name for name in measured if study.value(name, metric) > study.value(system, metric)]
    said += f", n = {row['n']}, place {len(before) + 1} of {len(measured)} published systems"
    if not before:
        return said
    leader = max(before, key=lambda name: study.value(name, metric))
    of_leader, its_own = (study.values_of(name, metric) for name in (leader, system))
    pair = paired(
        of_leader, its_own, kinds_with(study.facts["own_metrics"])[metric], int(study.facts["seed"])
    )
    said += f". Against {leader} {number(metric, pair.difference, sign=True)} "
    said += f"{interval(metric, pair.lo, pair.hi, sign=True)}, p {p_value(pair.p)}"
    gives = [study.facts["configurations"][n]["config"].get("select", {}).get("k") for n in (leader, system)]
    said += f"; that one gives {gives[0]}, this one {gives[1]}" if gives[0] != gives[1] else ""
    only = [query for query, value in of_leader.items() if value > its_own.get(query, 0.0)]
    losses = _losses(study, system, only, metric.startswith("primary"))
    lost = ", ".join(f"{lowered(words(loss))} {n}" for loss, n in losses.most_common())
    return said + (f". Of {len(only)} questions that only {leader} has, its funnel lost: {lost}" * bool(lost))


def _losses(study: StudyFolder, system: str, queries: Sequence[str], primaries: bool) -> Counter[str]:
    """Where a system lost some queries: of several provisions of one, the one that went farthest counts."""
    order = list(LOSSES)
    farthest: dict[str, str] = {}
    for row in study.rows("funnel"):
        query, lost = row["query_id"], row["lost_at"]
        if row["configuration"] == system and query in queries and (row["primary"] or not primaries):
            farthest[query] = max(lost, farthest.get(query, lost), key=order.index)
    return Counter(farthest.values())


def shares_table(study: StudyFolder) -> Table:
    """What each channel adds to the first ten, a line a configuration and category."""
    rows = study.rows("shares")
    channels = first_seen(rows, "channel")
    lines: dict[tuple[str, str], dict[str, TableCell]] = {}
    for row in rows:
        cells = lines.setdefault((row["configuration"], f"{row['group']}, n = {row['n']}"), {})
        cells[row["channel"]] = TableCell(decimal(100 * row["share"], 1), sort=row["share"])
    columns = [Column("questions", is_text=True), *(Column(words(channel), "%") for channel in channels)]
    content = [
        [TableCell(name), TableCell(group), *(cells.get(c, TableCell(DASH)) for c in channels)]
        for (name, group), cells in lines.items()
    ]
    return Table("Share of the first ten by channel: of the fused score of each.", columns, content)

"""Why answers fail, counted by a rule (5.3 of the thesis judged by eye); the worst; kinds of questions."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from citegrain.tasks.core.pages import Column, Table, TableCell, page_of
from citegrain.tasks.evaluation.compare import paired
from citegrain.tasks.evaluation.report.cells import (
    DASH,
    count_cell,
    decimal,
    heading,
    interval,
    lowered,
    measured_cell,
    name_cell,
    number,
    p_value,
    text_cell,
    title,
    words,
)
from citegrain.tasks.evaluation.report.tables import MAIN, funnel_counts, is_measured, main_metrics
from citegrain.tasks.evaluation.score import LOSSES, kinds_with, predicted
from citegrain.tasks.evaluation.studies import Row, StudyFolder, StudyReadError, first_seen, rows_by

MODES: Mapping[str, str] = {
    "section_metadata_missing": "a provision that applies and was lost has no chunk with a section number",
    "across_domains": "the complaint is marked as one of several domains",
    "informal": "the complaint is marked as informal and cites no statute",
    "other": "none of these holds",
}
"""The modes and when each holds. A failure counts once, under the first that holds: what is missing of the
very provision comes before what the complaint is about, and that before how it is worded."""
_METRIC = {True: "primary_accuracy", False: "complete_accuracy"}  # by whether primaries are meant


def failure_modes(study: StudyFolder, configuration: str, primaries: bool) -> dict[str, list[str]]:
    """The modes that hold for each query that failed, in the order of ``MODES``, by its id.

    ``primaries``: failed is where the primary provision was not the first charge; else where the charges are
    not exactly the provisions that apply.
    """
    failed = [q for q, value in study.values_of(configuration, _METRIC[primaries]).items() if value == 0]
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
        if (name, _METRIC[primaries]) not in study.cells:
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


STAGES = ("retrieved", "fused", "reranked", "selected", "answered")


def worst_by(study: StudyFolder) -> str:
    """By which metric queries are the worst: nDCG@10, where gold is no provision the main one."""
    return "ndcg_10" if is_measured(study, "ndcg_10") else main_metrics(study)[0]


def worst_queries(study: StudyFolder, configuration: str, number: int) -> tuple[list[dict[str, Any]], int]:
    """The queries with the least of :func:`worst_by`, ties by id, none perfect; how many share the least.

    ``configuration``: whose answers are looked at.
    """
    values = study.values_of(configuration, worst_by(study))
    chosen = sorted((value, query) for query, value in values.items() if value < 1)
    answers = study.answers(configuration)
    funnel = rows_by([r for r in study.rows("funnel") if r["configuration"] == configuration], "query_id")
    failed = study.facts["configurations"][configuration]["queries_that_failed"]
    listed = []
    for value, query in chosen[:number]:
        losses, answer = funnel.get(query, []), answers.get(query)
        question = study.facts["questions"].get(query, {})
        try:
            content = json.loads(answer["answer"]) if answer and answer["answer"] else {}
            charges = _charges(content.get("charges", []), answer, {row["answered"] for row in losses})
        except (ValueError, KeyError) as error:
            raise StudyReadError(f"the answer of {configuration} to {query}: {error}") from error
        listed.append(
            {
                "query_id": query,
                "score": value,
                "text": question.get("text", ""),
                "rationale": question.get("rationale", ""),
                "applicable": [_applicable(row) for row in losses],
                "lost": next((row["lost_at"] for row in losses if row["primary"]), ""),
                "charges": charges,
                "note": content.get("prose") or content.get("note", ""),
                "problem": failed.get(query) or (answer["error"] if answer else ""),
                "page": page_of(query) if (study.folder / page_of(query)).is_file() else "",
            }
        )
    return listed, sum(value == chosen[0][0] for value, _ in chosen) if chosen else 0


def _applicable(row: Row) -> dict[str, Any]:
    """A provision that applies: its label, where it was lost, its ranks by ``STAGES``."""
    ranks = [DASH if row[stage] is None else str(row[stage]) for stage in STAGES]
    label = f"{row['act']}/{row['section']}"
    return {**row, "label": label, "meaning": LOSSES.get(row["lost_at"], ""), "ranks": ranks}


def _charges(
    charges: list[dict[str, Any]], answer: Row | None, right: set[int | None]
) -> list[dict[str, Any]]:
    """The provisions of an answer, and whether each applies. Places are counted as in the funnel, each once.

    ``right``: places of charges that apply.
    """
    places = {p: place for place, (p, _) in enumerate(predicted(answer).charges, 1)}
    out = []
    for i, charge in enumerate(charges):
        check = charge.get("verification", "")
        out.append(
            {
                "law": charge.get("law", ""),
                "heading": charge.get("heading") or charge.get("description", ""),
                "link": charge.get("link", ""),
                "score": f"{charge.get('score', 0.0):.3f}",
                "check": "" if check == "verified" else check.replace("_", " "),
                "applies": places.get(charge["provision_id"] or f"?{i}", 0) in right,
            }
        )
    return out


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

"""What a report says in sentences: what was found, what was declared, what a figure shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from citegrain.tasks.evaluation.compare import ALPHA
from citegrain.tasks.evaluation.report.tables import funnel_counts
from citegrain.tasks.evaluation.report.wording import (
    counted,
    interval,
    known,
    lowered,
    number,
    title,
    unit,
    words,
)
from citegrain.tasks.evaluation.studies import StudyFolder, first_seen

TIME_CAPTION = (
    "Primary accuracy with its 95% interval against the median time of a query asked by itself. "
    "Up and to the left is better."
)


@dataclass
class BuildUsed:
    """An index that configurations were measured on."""

    key: str
    content: str
    weights: str
    configurations: list[str] = field(default_factory=list)


def findings(study: StudyFolder) -> list[str]:
    """The results in a few sentences, each with its interval and n."""
    told = [_best(study, metric) for metric in ("primary_accuracy", "ndcg_10")]
    told += [_decided(study), _detectable(study), _lost(study), _abstained(study)]
    return [sentence for sentence in told if sentence]


def _best(study: StudyFolder, metric: str) -> str:
    held = {
        name: study.cells[name, metric]
        for name in study.scored
        if (name, metric) in study.cells and known(study.cells[name, metric]["value"])
    }
    if not held:
        return ""
    best = max(row["value"] for row in held.values())
    names = [name for name, row in held.items() if row["value"] == best]
    row = held[names[0]]
    value = f"{number(metric, best)}{unit(metric)} {interval(metric, row['lo'], row['hi'])}, n = {row['n']}"
    if len(held) == 1:
        return f"{title(metric)}: {value}."
    others = f" (and {counted(len(names) - 1, 'other')})" if len(names) > 1 else ""
    told = f"Highest {lowered(title(metric))}: {names[0]}{others}, {value}."
    return told + (
        f" It is the highest of {len(held)} cells: in part by luck." if study.facts["design"] else ""
    )


def _decided(study: StudyFolder) -> str:
    rows = study.rows("comparisons")
    if not rows:
        return ""
    decided = [r for r in rows if known(r["p_holm"]) and r["p_holm"] < ALPHA]
    told = f"Of {counted(len(rows), 'declared comparison')} with {rows[0]['baseline']}, "
    if not decided:
        return told + f"none has p < {ALPHA:g} after Holm's adjustment."
    names = ", ".join(
        f"{r['configuration']} by {lowered(title(r['metric']))} "
        f"({number(r['metric'], r['difference'], sign=True)})"
        for r in decided[:4]
    )
    more = f" and {len(decided) - 4} more" if len(decided) > 4 else ""
    verb = "has" if len(decided) == 1 else "have"
    return told + f"{len(decided)} {verb} p < {ALPHA:g} after Holm's adjustment: {names}{more}."


def _detectable(study: StudyFolder) -> str:
    """How great a difference would have had to be, by the first metric that was declared."""
    rows = study.rows("comparisons")
    own = [r for r in rows if r["metric"] == rows[0]["metric"] and known(r["mde"])] if rows else []
    if not own:
        return ""
    metric, least = own[0]["metric"], [r["mde"] for r in own]
    low, high = number(metric, min(least)), number(metric, max(least))
    points = " percentage points" if unit(metric) else ""
    told = low if low == high else f"{low} to {high}"
    return (
        f"With these n, a true difference in {lowered(title(metric))} of less than {told}{points} "
        "is detected less than four times in five."
    )


def _lost(study: StudyFolder) -> str:
    counts = funnel_counts(study, primaries=True).get(study.focus, {})
    missed = {loss: n for loss, n in counts.items() if loss != "found"}
    if not counts or not missed:
        return ""
    worst = max(missed, key=lambda loss: missed[loss])
    return (
        f"Of {counted(sum(counts.values()), 'primary provision')}, {study.focus} found "
        f"{counts.get('found', 0)}; its largest loss is “{words(worst).lower()}” ({missed[worst]})."
    )


def _abstained(study: StudyFolder) -> str:
    row = study.cells.get((study.focus, "abstained_out_of_scope"))
    if row is None or not known(row["value"]):
        return ""
    told = f"{round(row['value'] * row['n'])} of {counted(row['n'], 'complaint')}"
    return f"{study.focus} abstained on {told} to which nothing applies."


def family(study: StudyFolder) -> str:
    """What was declared to be compared, or why nothing is."""
    rows = study.rows("comparisons")
    if not rows:
        if len(study.configurations) < 2:
            return "The study has one configuration: there is nothing to compare it with."
        if study.baseline and study.baseline not in study.scored:
            return f"The baseline, {study.baseline}, has no scores: no declared comparison could be made."
        return "No comparison was declared."
    metrics = [title(m) for m in first_seen(rows, "metric")]
    others = first_seen(rows, "configuration")
    told = (
        f"The family, declared before the scores were seen: {_listed(others)} against the baseline, "
        f"{rows[0]['baseline']}, by {' and '.join(metrics)}: {counted(len(rows), 'comparison')}. "
        f"p is adjusted by Holm over exactly these; what is not declared is not compared."
    )
    failed = [c for c in study.configurations if c not in study.scored]
    return told + (f" Not in it, having no scores: {', '.join(failed)}." if failed else "")


def _listed(names: Sequence[str]) -> str:
    if len(names) > 4:
        return f"each of {len(names)} configurations"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def builds(study: StudyFolder) -> list[BuildUsed]:
    """The builds that configurations were measured on, with their hashes."""
    out: dict[str, BuildUsed] = {}
    for name, told in study.facts["configurations"].items():
        if key := told["build"]:
            made = BuildUsed(str(key), str(told["build_content"]), str(told["weights"]))
            out.setdefault(made.key, made).configurations.append(name)
    return list(out.values())


def broken_down(study: StudyFolder) -> list[str]:
    """Metrics of the breakdown, primary accuracy first."""
    held: list[str] = first_seen(study.rows("breakdown"), "metric")
    return sorted(held, key=lambda metric: metric != "primary_accuracy")


def most_telling(study: StudyFolder, metric: str, number: int) -> list[str]:
    """At most so many configurations, in the order of the study: the baseline, the focus, then the best."""

    def order(name: str) -> tuple[bool, float]:
        value = study.cells.get((name, metric), {}).get("value")
        return name not in (study.baseline, study.focus), -value if known(
            value
        ) and value is not None else 1.0

    chosen = sorted(study.scored, key=order)[:number]
    return [name for name in study.scored if name in chosen]


def forest_caption(study: StudyFolder, metric: str) -> str:
    """What a forest shows."""
    told = f"{title(metric)} of each configuration, with 95% intervals."
    if study.baseline in study.scored and len(study.scored) > 1:
        told += f" Hollow point and dotted line: the baseline, {study.baseline}."
    return told + " Intervals of one configuration each: whether two differ, the paired comparisons tell."


def funnel_caption(primaries: bool) -> str:
    """What a funnel shows."""
    what = "The primary provision of each complaint" if primaries else "All provisions that apply"
    return f"{what}, by the stage where it was lost; dark blue is what was found."


def breakdown_caption(study: StudyFolder, chosen: Sequence[str]) -> str:
    """What the panels show, and what is left out of them."""
    metric = broken_down(study)[0]
    told = f"{title(metric)} by groups of complaints, with 95% intervals; grey ticks: over all complaints."
    if len(chosen) < len(study.scored):
        told += (
            f" {len(chosen)} of {len(study.scored)} configurations: the baseline, {study.focus}, the best."
        )
    return told + " Groups are not compared by tests: they show where to look next."

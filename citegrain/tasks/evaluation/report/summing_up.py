"""What a report says in sentences: the results, and what was declared."""

from __future__ import annotations

from collections.abc import Sequence

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


def findings(study: StudyFolder) -> list[str]:
    """The results in a few sentences, each with its interval and n."""
    sentences = [_best(study, metric) for metric in ("primary_accuracy", "ndcg_10")]
    sentences += [_decided(study), _detectable(study), _lost(study), _sure(study), _abstained(study)]
    return [sentence for sentence in sentences if sentence]


def _best(study: StudyFolder, metric: str) -> str:
    by_name = {
        name: study.cells[name, metric]
        for name in study.scored
        if (name, metric) in study.cells and known(study.cells[name, metric]["value"])
    }
    if not by_name:
        return ""
    best = max(row["value"] for row in by_name.values())
    names = [name for name, row in by_name.items() if row["value"] == best]
    row = by_name[names[0]]
    value = f"{number(metric, best)}{unit(metric)} {interval(metric, row['lo'], row['hi'])}, n = {row['n']}"
    if len(by_name) == 1:
        return f"{title(metric)}: {value}."
    others = f" (and {counted(len(names) - 1, 'other')})" if len(names) > 1 else ""
    luck = f" It is the highest of {len(by_name)} cells: in part by luck." if study.facts["design"] else ""
    return f"Highest {lowered(title(metric))}: {names[0]}{others}, {value}.{luck}"


def _decided(study: StudyFolder) -> str:
    rows = study.rows("comparisons")
    if not rows:
        return ""
    decided = [r for r in rows if known(r["p_holm"]) and r["p_holm"] < ALPHA]
    begin = f"Of {counted(len(rows), 'declared comparison')} with {rows[0]['baseline']}, "
    if not decided:
        return begin + f"none has p < {ALPHA:g} after Holm's adjustment."
    names = ", ".join(
        f"{r['configuration']} by {lowered(title(r['metric']))} "
        f"({number(r['metric'], r['difference'], sign=True)})"
        for r in decided[:4]
    )
    more = f" and {len(decided) - 4} more" if len(decided) > 4 else ""
    verb = "has" if len(decided) == 1 else "have"
    return begin + f"{len(decided)} {verb} p < {ALPHA:g} after Holm's adjustment: {names}{more}."


def _detectable(study: StudyFolder) -> str:
    """How great a difference would have had to be, by the first metric that was declared."""
    rows = study.rows("comparisons")
    least = [r["mde"] for r in rows if r["metric"] == rows[0]["metric"] and known(r["mde"])]
    if not least:
        return ""
    metric = rows[0]["metric"]
    low, high = number(metric, min(least)), number(metric, max(least))
    points = " percentage points" if unit(metric) else ""
    size = low if low == high else f"{low} to {high}"
    return (
        f"With these n, a true difference in {lowered(title(metric))} of less than {size}{points} "
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


def _sure(study: StudyFolder) -> str:
    """What the most confident half of the answers is worth."""
    row = study.cells.get((study.focus, "selective_50"))
    if row is None or not known(row["value"]):
        return ""
    value = f"{number('selective_50', row['value'])}% {interval('selective_50', row['lo'], row['hi'])}"
    half = f"the half of {counted(row['n'], 'complaint')} of which {study.focus} is surest"
    return f"In {half}, the first charge is the primary provision in {value}."


def _abstained(study: StudyFolder) -> str:
    row = study.cells.get((study.focus, "abstained_out_of_scope"))
    if row is None or not known(row["value"]):
        return ""
    abstained = f"{round(row['value'] * row['n'])} of {counted(row['n'], 'complaint')}"
    return f"{study.focus} abstained on {abstained} to which nothing applies."


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
    text = (
        f"The family, declared before the scores were seen: {_listed(others)} against the baseline, "
        f"{rows[0]['baseline']}, by {' and '.join(metrics)}: {counted(len(rows), 'comparison')}. "
        f"p is adjusted by Holm over exactly these; what is not declared is not compared."
    )
    failed = [c for c in study.configurations if c not in study.scored]
    return text + (f" Not in it, because they have no scores: {', '.join(failed)}." if failed else "")


def _listed(names: Sequence[str]) -> str:
    if len(names) > 4:
        return f"each of {len(names)} configurations"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))

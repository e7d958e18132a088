"""Two builds on a frozen benchmark: scores and answers of each, the verdict, and changed answers as pages."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import pyarrow as pa

from citegrain.flows.shared.answering import today
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.progress import current_progress
from citegrain.flows.shared.settings import Settings
from citegrain.flows.study.study import measure_build
from citegrain.tasks.core.pages import page_of
from citegrain.tasks.evaluation.benchmark import Benchmark, Record
from citegrain.tasks.evaluation.promotion import Verdict, acts_of, changed_answers, judge, unmeasured
from citegrain.tasks.evaluation.promotion_page import PAGES, shown_first
from citegrain.tasks.evaluation.score import predicted
from citegrain.tasks.law.asof import REQUEST, AsOf
from citegrain.tasks.law.citations import TEXT_CORPUS
from citegrain.tasks.law.editions_compared import Comparison
from citegrain.tasks.online.answer import answer_sheet, make_answer
from citegrain.tasks.online.builds import BuildError
from citegrain.tasks.online.cascade import Cascade


@dataclass(frozen=True)
class MeasuredBuild:
    """A build on a benchmark.

    ``values``: by metric of the gate and query id. ``answers``: provisions given, best first; of a query that
    is declined none. ``labels``: ids of the provisions that the labels of a query mean in this build; of one
    to which nothing applies those that it was answered with. ``rows``: of table ``answers``.
    """

    values: Mapping[str, Mapping[str, float]]
    answers: Mapping[str, list[str]]
    labels: Mapping[str, set[str]]
    rows: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class GateResult:
    """The verdict, with the first changed answers as HTML by its place below the report, from both builds."""

    verdict: Verdict
    pages: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class BuildComparison:
    """The new build beside the current one.

    ``old``: None where it cannot be opened, and ``unreadable`` says why. ``lost``: what is missing in the new
    build without a reason, with what became of it. ``touched``: ids of the provisions that changed, under the
    old number and the new. ``pages``: of documents that are no longer in the corpus, as PDFs by their place
    below the report.
    """

    new: Build
    old: Build | None
    table: pa.Table
    comparison: Comparison
    lost: Mapping[str, str] = field(default_factory=dict)
    touched: Collection[str] = ()
    unreadable: str = ""
    pages: Mapping[str, bytes] = field(default_factory=dict)


def gate(settings: Settings, benchmark: Benchmark, compared: BuildComparison) -> GateResult:
    """Measure both builds and judge; queries with a label that was touched are left out.

    A benchmark whose labels name no Act of either build measures nothing: only what was lost is judged.

    Raises BuildError if the new build cannot be asked. Where the old one cannot, the verdict is a refusal.
    """
    config, old, new = settings.reindex, compared.old, compared.new
    amended, lost = compared.touched, compared.lost
    if old is None:
        return GateResult(unmeasured([f"the current build cannot be asked: {compared.unreadable}"]))
    acts = acts_of(old) | acts_of(new)
    labelled_acts = {citation.act for record in benchmark for citation in record.applicable}
    if labelled_acts and TEXT_CORPUS not in acts and labelled_acts.isdisjoint(acts):
        verdict = judge({}, {}, {}, [], lost, config.most_lost, settings.bench.seed, settings.benchmark.label)
        return GateResult(replace(verdict, fits=False))
    day = settings.benchmark.day or today()
    with current_progress().step("gate", 2) as done:
        after = measure(new, benchmark, settings, day)
        done(1)
        try:
            before = measure(old, benchmark, settings, day)
        except BuildError as error:
            return GateResult(unmeasured([f"the current build cannot be asked: {error}"]))
        done(1)
    labelled = {
        record.id: _meant(record, before.labels.get(record.id, set()), after.labels.get(record.id, set()))
        for record in benchmark.records
    }
    touched = {query: hit for query, labels in labelled.items() if (hit := labels.intersection(amended))}
    changed = changed_answers(before.answers, after.answers, amended)
    values, benchmark_name = (before.values, after.values), settings.benchmark.label
    verdict = judge(*values, touched, changed, lost, config.most_lost, settings.bench.seed, benchmark_name)
    records = {r.id: (r.text, AsOf(r.incident_date or day, REQUEST)) for r in benchmark.records}
    first = shown_first(verdict)[:PAGES]
    sides = {"before": (old, before), "after": (new, after)}
    return GateResult(
        verdict,
        {
            f"{side}-{page_of(c.query_id)}": answer_sheet(
                build, make_answer(build, *records[c.query_id], measured.rows[c.query_id])
            )
            for c in first
            for side, (build, measured) in sides.items()
            if c.query_id in measured.rows
        },
    )


def _meant(record: Record, before: set[str], after: set[str]) -> set[str]:
    """Provisions whose amendment may make a label wrong, by what both builds say of the query.

    A query to which nothing applies has no label. What it is newly answered with may apply if it is new.
    """
    return before | after if record.in_scope else after - before


def measure(build: Build, benchmark: Benchmark, settings: Settings, day: date) -> MeasuredBuild:
    """Measure a build as a study does, by the metrics of the gate where it has the labels."""
    # no language model is asked: what is judged is the build
    cascade = Cascade(build, settings.cascade.without_model(), settings.store_folder)
    member = measure_build(build, cascade, benchmark, settings, day)
    if member.scores is None:
        raise BuildError(member.failure)
    # a query whose labels are not in the corpus cannot be answered from either build
    gold = member.gold
    judged = {q.query_id for q in gold if not q.in_scope or any(item.provisions for item in q.items)}
    values: dict[str, dict[str, float]] = {metric: {} for metric in settings.reindex.metrics}
    for row in member.scores.to_pylist():
        if row["metric"] in values and row["query_id"] in judged:
            values[row["metric"]][row["query_id"]] = row["value"]
    rows = {row.pop("query_id"): row for row in member.read("answers").to_pylist()}
    charges = {q: [p for p, _ in predicted(row).charges if not row["abstained"]] for q, row in rows.items()}
    answers = {record.id: charges.get(record.id, []) for record in benchmark.records}
    labels = {
        q.query_id: {p for item in q.items for p in item.provisions}
        if q.in_scope
        else set(answers[q.query_id])
        for q in gold
    }
    return MeasuredBuild(values, answers, labels, rows)

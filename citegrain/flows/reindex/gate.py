"""Two builds on a frozen benchmark: scores and answers of each, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date

from citegrain.flows.shared.library import Build, today
from citegrain.flows.shared.settings import Settings
from citegrain.tasks.core.runs import rankings
from citegrain.tasks.core.schemas import RUNS
from citegrain.tasks.evaluation.benchmark import Benchmark, resolve
from citegrain.tasks.evaluation.promotion import Verdict, changed_answers, judge, unmeasured
from citegrain.tasks.evaluation.score import make_gold, score
from citegrain.tasks.online.builds import BuildError
from citegrain.tasks.online.cascade import Cascade
from citegrain.tasks.online.generate import GenerateConfig
from citegrain.tasks.online.steps import run_steps


@dataclass(frozen=True)
class Measured:
    """A build on a benchmark.

    Attributes
    ----------
    values
        Value of the metric of the gate by query id.
    answers
        Provisions selected by query id, best first.
    labels
        Ids of the provisions that the labels of each query mean in this build.
    """

    values: Mapping[str, float]
    answers: Mapping[str, list[str]]
    labels: Mapping[str, set[str]]


def gate(
    old: Build,
    new: Build,
    settings: Settings,
    benchmark: Benchmark,
    amended: Collection[str],
    lost: Mapping[str, str],
    done: Callable[[int], None],
) -> Verdict:
    """Measure both builds and judge; queries with a label among the ``amended`` are left out.

    Parameters
    ----------
    amended
        Ids of the provisions that changed, under the old number and the new.
    lost
        Documents that were read before and are not now, with what became of them.
    done
        Called with the number of builds measured.

    Raises
    ------
    BuildError
        If the new build cannot be asked. Where the old one cannot, the verdict is a refusal.
    """
    config = settings.reindex
    day = settings.benchmark.day or today()
    after = measure(new, benchmark, settings, day)
    done(1)
    try:
        before = measure(old, benchmark, settings, day)
    except BuildError as error:
        return unmeasured([f"the current build cannot be asked: {error}"])
    done(1)
    labelled = {
        query: before.labels.get(query, set()) | after.labels.get(query, set())
        for query in before.labels.keys() | after.labels.keys()
    }
    touched = {query: hit for query, labels in labelled.items() if (hit := labels.intersection(amended))}
    changed = changed_answers(before.answers, after.answers, amended)
    measured = f"{config.metric} on {settings.benchmark.label}"
    values = before.values, after.values
    return judge(*values, touched, changed, lost, config.most_lost, settings.bench.seed, measured)


def measure(build: Build, benchmark: Benchmark, settings: Settings, day: date) -> Measured:
    """Ask a build every query of a benchmark, and compute the metric of the gate where it has the labels."""
    texts = {r.id: r.text for r in benchmark.records}
    as_of = {r.id: r.incident_date or day for r in benchmark.records}
    # no language model is asked: what is judged is the build
    plain = replace(settings.cascade, generate=GenerateConfig())
    cascade = Cascade(build, plain, settings.store_folder)
    steps = cascade.steps(texts, dict(as_of))
    tables = run_steps(steps)
    runs = {step.name: tables[step.name] for step in steps if step.schema is RUNS}
    acts = {act_id for act_id, _, _ in build.names()}
    resolution = resolve(benchmark, build.labelled, acts)
    gold = make_gold(benchmark, resolution.provisions, build, dict(as_of))
    scores = score(build, gold, runs, tables["answers"])["scores"].to_pylist()
    # a query whose labels are not in the corpus cannot be answered from either build
    answerable = {q.query_id for q in gold if any(item.provisions for item in q.items)}
    chosen = rankings(runs["selected"])
    return Measured(
        {
            r["query_id"]: r["value"]
            for r in scores
            if r["metric"] == settings.reindex.metric and r["query_id"] in answerable
        },
        {q: [str(build.citations[c]) for c, _ in chosen.get(q, [])] for q in texts},
        {q.query_id: {p for item in q.items for p in item.provisions} for q in gold},
    )

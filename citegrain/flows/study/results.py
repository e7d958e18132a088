"""The results of a study: its tables with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.flows.study.study import Study
from citegrain.tasks.core.schemas import EFFECTS, FUNNEL, MODEL, SCORES, TIMINGS, TRACES, per_configuration
from citegrain.tasks.evaluation.benchmark import groups
from citegrain.tasks.evaluation.compare import PROPORTION, breakdown, compare, effects, model, summarise
from citegrain.tasks.evaluation.score import KINDS


@dataclass
class Results:
    """Tables of a study, by the names of their files."""

    scores: pa.Table
    funnel: pa.Table
    summary: pa.Table
    comparisons: pa.Table
    breakdown: pa.Table
    timings: pa.Table
    effects: pa.Table = field(default_factory=EFFECTS.empty)
    model: pa.Table = field(default_factory=MODEL.empty)
    traces: pa.Table = field(default_factory=per_configuration(TRACES).empty)

    def tables(self) -> dict[str, pa.Table]:
        """Every table by name."""
        return dict(vars(self))


def collect(study: Study) -> Results:
    """Join the scores of all configurations and judge them."""
    scored = [m for m in study.members if m.scores is not None and m.funnel is not None]
    seed = study.settings.bench.seed
    scores = _joined([(m.name, m.scores) for m in scored], per_configuration(SCORES).arrow)
    labels = [(r.id, dimension, group) for r in study.benchmark.records for dimension, group in groups(r)]
    names, family = [m.name for m in scored], []
    if study.baseline in names:
        others = [n for n in names if n != study.baseline]
        family = [(study.baseline, n, metric) for metric in study.metrics for n in others]
    judged, dimensions = scores, study.settings.bench.breakdown
    if study.design is not None:  # effects by group take the place of cells by group
        judged, dimensions = _of_cells(scores, study.design.metrics), []
    results = Results(
        scores,
        _joined([(m.name, m.funnel) for m in scored], per_configuration(FUNNEL).arrow),
        summarise(judged, KINDS, seed),
        compare(judged, KINDS, family, seed),
        breakdown(judged, KINDS, labels, dimensions, seed),
        TIMINGS.rows(
            [
                {"configuration": m.name, "step": step, "ms": value}
                for m in scored
                for step, value in m.timings().items()
            ]
        ),
    )
    traced = [(m.name, m.read("traces")) for m in scored if "traces" in m.nodes]
    results.traces = _joined(traced, per_configuration(TRACES).arrow)
    if study.design is not None:
        config = study.design
        dividing = [label for label in labels if label[1] in _divided(labels, config.groups)]
        factorial = judged, KINDS, config.design, config.family(), config.metrics
        results.effects, results.model = effects(*factorial, seed, dividing), model(*factorial)
    return results


def _divided(labels: Sequence[tuple[str, str, str]], dimensions: Sequence[str]) -> list[str]:
    """The dimensions with two groups or more: a single group is the whole benchmark."""
    groups = {d: {group for _, dimension, group in labels if dimension == d} for d in dimensions}
    return [d for d, names in groups.items() if len(names) > 1]


def _of_cells(scores: pa.Table, metrics: Sequence[str]) -> pa.Table:
    """The rows of the metrics that cells are summarised by: the study's own, and the proportions.

    A bootstrap of each mean of each of 64 cells would take longer than all other work on them.
    """
    shown = [name for name, kind in KINDS.items() if kind == PROPORTION or name in metrics]
    return scores.filter(pc.is_in(scores.column("metric"), pa.array(shown)))


def _joined(parts: list[tuple[str, pa.Table | None]], schema: pa.Schema) -> pa.Table:
    tables = [
        table.add_column(0, schema.field(0), pa.array([name] * table.num_rows, pa.string())).cast(schema)
        for name, table in parts
        if table is not None
    ]
    return pa.concat_tables(tables) if tables else schema.empty_table()

"""What is measured, and how: benches, gates, sweeps, the factors of a calibration, factorial studies."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from itertools import product
from typing import Any

from citegrain.tasks.evaluation.design import Contrast, Design, DesignError, fraction, full
from citegrain.tasks.evaluation.score import KINDS, kinds_with, own_metrics
from citegrain.tasks.offline.index import check_name

_LONGEST = 64  # characters of a name
_NOT_NAMED = re.compile(r"[\[\]\s'\",:{}]+")  # of lists, and of import paths
_BREAKDOWN = (
    "primary_accuracy",
    "complete_accuracy",
    "ndcg_10",
    "abstained_out_of_scope",
    "elsewhere_accuracy",
    "similarity",
)


@dataclass(frozen=True)
class BenchConfig:
    """What is done with scores; nothing here shapes an answer.

    Attributes
    ----------
    name
        Of the study; empty: the names of the sweep or configuration, the corpus and the benchmark.
    seed
        Of bootstrap and permutation.
    latency
        Queries that are asked one by one to time a configuration.
    time_models
        Whether a configuration that asks a language model is timed too, which asks it for them once more.
    metrics
        Metrics of your own beyond ours, by import path: ``module:function``.
    breakdown
        Metrics that are broken down by groups of queries.
    csv
        A file of results in the form of the paper-QA system, to which the rows of each configuration are
        added; beside it one with ``.detailed`` in its name. Empty: only the files in the study's folder.
    overwrite
        Whether these two files are begun anew.
    cited_only
        Whether source and page in these files are measured over what an answer cites, and not over all
        that was retrieved.
    report, mlflow
        Whether the HTML page is written, and whether the study is logged.
    """

    name: str = ""
    seed: int = 1
    latency: int = 10
    time_models: bool = False
    metrics: list[str] = field(default_factory=list)
    breakdown: list[str] = field(default_factory=lambda: [*_BREAKDOWN])
    csv: str = ""
    overwrite: bool = False
    cited_only: bool = False
    report: bool = True
    mlflow: bool = True

    def __post_init__(self) -> None:
        if self.name:
            check_name(self.name, "bench.name")
        _check_metrics("bench.metrics", self.metrics)
        _check_metrics("bench.breakdown", self.breakdown)
        if self.latency < 0 or self.seed < 0:
            raise ValueError("bench.latency and bench.seed must not be negative")


@dataclass(frozen=True)
class ReindexConfig:
    """What a new build must show before it takes the place of the old one.

    ``metrics``: shares of queries on the frozen benchmark. ``most_lost``: greatest loss by any of them that
    is put up with, as a share. ``wait``: seconds to wait for another re-index of the same corpus.
    """

    metrics: list[str] = field(
        default_factory=lambda: ["primary_accuracy", "abstained_in_scope", "abstained_out_of_scope"]
    )
    most_lost: float = 0.02
    wait: float = 0.0

    def __post_init__(self) -> None:
        if wrong := [metric for metric in self.metrics if KINDS.get(metric) != "proportion"]:
            raise ValueError(f"reindex.metrics: {', '.join(wrong)}: must be metrics of values 0 and 1")
        if not 0 <= self.most_lost <= 1 or self.wait < 0:
            raise ValueError("reindex: most_lost is a share, and wait must not be negative")


@dataclass(frozen=True)
class SweepConfig:
    """Configurations that are measured together.

    Attributes
    ----------
    configurations
        Overrides by name of configuration.
    grid
        Values by key: every combination of them is a configuration too.
    baseline
        The configuration that the others are compared with; empty: the first.
    metrics
        By which they are compared: with the baseline the declared family.
    substitute
        Whether models that are not at hand give way, each with a line that says so, as ``reproduce`` does.
    benchmarks
        Options of ``conf/benchmark`` on each of which they are measured, unless the command names one.
    claims
        What a document says of a configuration against ``baseline``: ``METRIC higher`` or ``METRIC lower``.
    made_for
        ``BENCHMARK METRIC`` by configuration: the kind of question on which it is placed among the others
        that are named here.
    """

    name: str = ""
    configurations: dict[str, list[str]] = field(default_factory=dict)
    grid: dict[str, list[Any]] = field(default_factory=dict)
    baseline: str = ""
    substitute: bool = False
    benchmarks: list[str] = field(default_factory=list)
    claims: dict[str, str] = field(default_factory=dict)
    made_for: dict[str, str] = field(default_factory=dict)
    metrics: list[str] = field(default_factory=lambda: ["primary_accuracy", "ndcg_10"])

    def __post_init__(self) -> None:
        _check_metrics("sweep.metrics", self.metrics)
        _check_metrics("sweep.made_for", list({kind.split()[-1] for kind in self.made_for.values()}), False)
        for name, claim in self.claims.items():
            metric, _, direction = claim.partition(" ")
            if metric not in self.metrics or direction not in ("higher", "lower"):
                raise ValueError(f"sweep.claims.{name}={claim}: one of sweep.metrics, then higher or lower")
        members = self.members()
        if not members:
            raise ValueError("sweep: neither configurations nor a grid")
        for name in members:
            check_name(name, "sweep.configurations" if name in self.configurations else "sweep.grid")
        if self.baseline and self.baseline not in members:
            raise ValueError(f"sweep.baseline={self.baseline}: one of {', '.join(members)}")

    def members(self, fixed: Collection[str] = ()) -> dict[str, list[str]]:
        """Overrides of every configuration; the grid's are named by their values, but for ``fixed`` keys."""
        members = {name: list(overrides) for name, overrides in self.configurations.items()}
        choices = [
            [(key, _formatted(v)) for v in values] for key, values in self.grid.items() if key not in fixed
        ]
        for cell in product(*choices) if choices else ():
            name = "-".join(
                f"{key.rsplit('.', 1)[-1]}_{_NOT_NAMED.sub('_', value).strip('_')}" for key, value in cell
            )
            if len(name) > _LONGEST or name in members:
                name = f"{name[: _LONGEST - 4]}-{len(members) + 1}"
            members[name] = [f"{key}={value}" for key, value in cell]
        return members


@dataclass(frozen=True)
class StudyConfig:
    """A factorial study: factors that are varied independently, and the effects that are tested.

    Attributes
    ----------
    benchmark
        Option of ``conf/benchmark`` that it is run on, unless another is named.
    base
        Overrides of all cells.
    factors
        Overrides by factor and level.
    cells
        ``all`` combinations of the levels, or a ``fraction`` of them.
    resolution
        Of a fraction.
    contrasts, metrics
        The confirmatory family, declared before anything runs: each contrast by each metric.
    groups
        Groups of queries by which effects are shown too.
    timed
        Number of queries on which each kind of step is timed, one by one.
    """

    name: str = ""
    benchmark: str = ""
    base: list[str] = field(default_factory=list)
    factors: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    cells: str = "all"
    resolution: int = 4
    contrasts: list[Contrast] = field(default_factory=list)
    metrics: list[str] = field(default_factory=lambda: ["primary_accuracy", "ndcg_10"])
    groups: list[str] = field(default_factory=lambda: ["register", "cross_domain", "cites_statute"])
    timed: int = 5

    def __post_init__(self) -> None:
        _check_metrics("study.metrics", self.metrics, pooled=False)
        if self.cells not in ("all", "fraction"):
            raise ValueError(f"study.cells={self.cells}: all or fraction")
        if self.timed < 0 or self.resolution < 3:
            raise ValueError("study: timed must not be negative, resolution at least 3")
        for c in self.contrasts:
            levels = self.factors.get(c.factor, {})
            if c.level not in levels or c.against not in levels or c.level == c.against:
                raise ValueError(f"study.contrasts: {c.label}: must be two levels of one factor")
        declared = [(c.factor, frozenset((c.level, c.against))) for c in self.contrasts]
        if len(set(declared)) < len(declared):
            raise ValueError("study.contrasts: a contrast is declared twice, or once in each direction")
        try:
            design = self.design
        except DesignError as error:
            raise ValueError(f"study: {error}") from error
        for name in design.cells:
            check_name(name, "study.factors")

    @cached_property
    def design(self) -> Design:
        """The cells."""
        levels = {name: list(by_level) for name, by_level in self.factors.items()}
        return full(levels) if self.cells == "all" else fraction(levels, self.resolution)

    def overrides(self, levels: Mapping[str, str]) -> list[str]:
        """Overrides of a cell."""
        return [*self.base, *(o for factor, level in levels.items() for o in self.factors[factor][level])]


@dataclass(frozen=True)
class FactorConfig:
    """One choice that calibration makes, by a metric.

    ``rule``: ``supported`` leaves the plain value only for one that is better by more than chance, ``best``
    takes the greatest mean. ``values``: overrides of each value, the plain one first.
    """

    name: str = ""
    metric: str = "ndcg_10"
    rule: str = "supported"
    values: list[list[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.metric not in KINDS:
            raise ValueError(f"calibrate: metric: no metric is named {self.metric}")
        _check_metrics("calibrate: metric", [self.metric], pooled=False)
        if self.rule not in ("supported", "best"):
            raise ValueError(f"calibrate: rule {self.rule}: supported or best")
        if len(self.values) < 2:
            raise ValueError(f"calibrate: factor {self.name} has fewer than two values")


@dataclass(frozen=True)
class CalibrateConfig:
    """The choices of a calibration, in their order."""

    factors: list[FactorConfig] = field(default_factory=list)


def _formatted(value: Any) -> str:
    """A value as an override writes it."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _check_metrics(key: str, metrics: Sequence[str], pooled: bool = True) -> None:
    """Refuse names that no metric has; and where each query must have a value, metrics of many together."""
    kinds = kinds_with(own_metrics(metrics, key))
    if unknown := sorted(set(metrics) - set(kinds)):
        near = get_close_matches(unknown[0], kinds, 1) or ["module:function, one of yours"]
        raise ValueError(f"{key}: no metric is named {', '.join(unknown)}; did you mean {near[0]}?")
    if several := [m for m in metrics if kinds[m] == "pooled" and not pooled]:
        raise ValueError(f"{key}: {', '.join(several)}: a query by itself has no value of it")
    if len(set(metrics)) < len(metrics):
        raise ValueError(f"{key}: a metric is named twice")

"""Calibration: choices made on a development split, one factor after the other, with their evidence.

By the rule ``supported`` the plain value gives way only to one that is better on the same queries by more
than chance: the 95% interval of the paired difference lies above 0, and its p, adjusted by Holm over the
values of the factor, is below .05. By the rule ``best`` the greatest mean wins. Among equals the first stays.
"""

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf

from citegrain.flows.shared.choices import FactorConfig
from citegrain.flows.shared.composing import group_of
from citegrain.flows.shared.progress import Progress
from citegrain.flows.shared.settings import Settings, load_settings, shaping
from citegrain.flows.study.run import run_study
from citegrain.flows.study.study import StudyError
from citegrain.tasks.evaluation.compare import ALPHA, holm, paired
from citegrain.tasks.evaluation.score import KINDS, LOWER

# all that a choice needs
_SCORES = ("bench.latency=0", "bench.breakdown=[primary_accuracy]", "bench.report=false")


@dataclass(frozen=True)
class Tried:
    """One value of a factor: its mean, and how it compares with the plain value, query by query."""

    overrides: list[str]
    value: float
    difference: float
    lo: float
    hi: float
    n: int
    p: float


@dataclass
class Choice:
    """What was chosen of a factor, and why."""

    factor: str
    metric: str
    chosen: list[str]
    reason: str
    tried: list[Tried] = field(default_factory=list)


def calibrate(
    overrides: list[str], settings: Settings, progress: Progress, command: list[str], name: str = "calibrated"
) -> tuple[list[Choice], Path]:
    """Choose each factor in turn; write choices and evidence as an experiment. Raises StudyError."""
    split = settings.benchmark.split
    if split != "dev":
        raise StudyError(
            f"benchmark {settings.benchmark.label} is a {split} split: choices are made on a development "
            "split only"
        )
    chosen: list[str] = []
    choices = []
    for factor in settings.calibrate.factors:
        choice = _choose(factor, overrides, chosen, settings, progress, command)
        chosen += choice.chosen
        choices.append(choice)
        progress.say(f"{factor.name}: {' '.join(choice.chosen)} ({choice.reason})")
    return choices, _write(choices, settings, overrides, command, name)


def _choose(
    factor: FactorConfig,
    overrides: list[str],
    before: Sequence[str],
    settings: Settings,
    progress: Progress,
    command: list[str],
) -> Choice:
    members = {}
    for value in factor.values:
        differing = [*before, *value]
        members[_name(value)] = (differing, load_settings([*overrides, *_SCORES, *differing]))
    title = f"{_folder(settings)}/{factor.name}"  # inside: it is no study of its own
    plain, (_, first) = next(iter(members.items()))
    study = run_study(title, members, first, progress, command, plain, (factor.metric,))
    values = {
        m.name: {r["query_id"]: r["value"] for r in m.scores.to_pylist() if r["metric"] == factor.metric}
        for m in study.members
        if m.scores is not None
    }
    return choose(factor, values, settings.bench.seed)


def choose(factor: FactorConfig, values: dict[str, dict[str, float]], seed: int) -> Choice:
    """Choose the value of a factor that the queries support; ``values``: metric by query id, by name."""
    plain = values[_name(factor.values[0])]
    tried = []
    for overrides in factor.values:
        by_query = values.get(_name(overrides))
        if by_query is None:
            continue
        pair = paired(plain, by_query, KINDS[factor.metric], seed)
        mean = sum(by_query.values()) / max(1, len(by_query))
        tried.append(Tried(overrides, mean, pair.difference, pair.lo, pair.hi, pair.n, pair.p))
    adjusted = holm([t.p for t in tried[1:]])
    sign = -1 if factor.metric in LOWER else 1
    if factor.rule == "best":
        open_to = tried[1:]
    else:
        least = [min(sign * t.lo, sign * t.hi) for t in tried[1:]]
        open_to = [t for t, lo, p in zip(tried[1:], least, adjusted, strict=True) if lo > 0 and p < ALPHA]
    best = max([tried[0], *open_to], key=lambda t: sign * t.value)
    reason = "none has a better mean" if factor.rule == "best" else "none is better by more than chance"
    if best is not tried[0]:
        reason = (
            f"{factor.metric} {best.value:.3f}, {best.difference:+.3f} [{best.lo:+.3f}, {best.hi:+.3f}] "
            f"against {_name(factor.values[0])}, n = {best.n}"
        )
    return Choice(factor.name, factor.metric, best.overrides, reason, tried)


def _name(overrides: Sequence[str]) -> str:
    """Name of a configuration that differs by these overrides."""
    return "-".join(o.replace("=", "_") for o in overrides)


def _folder(settings: Settings) -> str:
    return f"calibration-{settings.corpus.name}-{settings.benchmark.label}"


def _write(
    choices: Sequence[Choice],
    settings: Settings,
    overrides: Sequence[str],
    command: Sequence[str],
    called: str,
) -> Path:
    """The evidence as JSON, the choices as an experiment that can be copied to ``conf/experiment``.

    What the run was given beside them stands there too: an experiment from which it started, options, values.
    """
    folder = settings.reports_folder / _folder(settings)
    folder.mkdir(parents=True, exist_ok=True)
    evidence: list[dict[str, Any]] = [asdict(choice) for choice in choices]
    (folder / "calibration.json").write_text(json.dumps(evidence, indent=1) + "\n", encoding="utf-8")
    read = {"experiment", *shaping()}
    reasons = {o: "as it was calibrated with" for o in overrides if group_of(o) in read}
    reasons |= {o: choice.reason for choice in choices for o in choice.chosen}
    last = {override.partition("=")[0]: override for override in reasons}
    name = f"experiment={called} corpus.name={settings.corpus.name}"
    lines = [
        "# @package _global_",
        f'# citegrain ask "..." {name}; index with the same: citegrain index {name} ...',
        f"# made by: citegrain {' '.join(command)}",
        *(f"# {override}: {reasons[override]}" for override in last.values()),
    ]
    parsed = OverridesParser.create().parse_overrides([*last.values()])
    chosen = {override.key_or_group: override.value() for override in parsed}
    config = OmegaConf.create({"defaults": [start] if (start := chosen.pop("experiment", "")) else []})
    for key, value in chosen.items():
        if "." in key:
            OmegaConf.update(config, key, value, force_add=True)
        else:
            config.defaults.append({f"override /{key}": value})
    file = folder / "calibrated.yaml"
    file.write_text("\n".join([*lines, OmegaConf.to_yaml(config)]), encoding="utf-8")
    return file


def install(file: Path, name: str) -> Path:
    """Copy the choices to ``conf/experiment/<name>.yaml`` below the working directory."""
    target = Path.cwd() / "conf" / "experiment" / f"{name}.yaml"
    target.parent.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copyfile(file, target))

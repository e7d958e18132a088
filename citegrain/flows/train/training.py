"""A training from its settings to weights that can be shipped: plan, work, publishing."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citegrain.flows.shared.library import Build
from citegrain.flows.shared.prefect_tasks import Local, as_flow, drawn, run_task, show_table
from citegrain.flows.shared.progress import Progress, current_progress
from citegrain.flows.shared.settings import Settings
from citegrain.tasks.core.pages import Table
from citegrain.tasks.core.paths import located
from citegrain.tasks.core.schemas import LEARNED
from citegrain.tasks.core.stage import Key
from citegrain.tasks.core.store import Artefact, Store
from citegrain.tasks.core.store.artefacts import replaced_folder
from citegrain.tasks.evaluation.compare import MEAN, Interval, bca, paired
from citegrain.tasks.offline.models import ADAPTER, DESCRIPTION
from citegrain.tasks.train import (
    ANSWERED,
    CATALOGUE,
    CLASSIFIER,
    ESTIMATED,
    RANKED_BY,
    RANKER,
    READER,
    RERANKER,
    SIDES,
    STYLES,
    VECTORS,
    Gain,
    TrainConfig,
    TrainingInputs,
    model_card,
    read_inputs,
    run_training,
    train_key,
)

DEPTHS = {READER: {"first": 1, "in_20": 20}, RERANKER: {"first": 1, "in_5": 5}}
DEPTHS[RANKER] = DEPTHS[READER] | DEPTHS[RERANKER] | {"any": 1}
"""Measures of what was kept back: the primary provision first, and among the first; ``any`` that applies."""


@dataclass(frozen=True)
class TrainingPlan:
    """What a training reads, and what it is called; ``present``: what it would make, if it is there."""

    settings: Settings
    inputs: TrainingInputs[TrainConfig]
    key: Key
    present: Artefact | None

    @property
    def config(self) -> TrainConfig:
        """Parameters of the training."""
        return self.inputs.config

    @property
    def steps(self) -> int:
        """Steps at most."""
        return self.config.steps(self.inputs.counts)

    @property
    def line(self) -> str:
        """What is there and what is to be made."""
        absent = [path for path in (*self.config.asked, *self.config.once) if not located(path).is_file()]
        without = f"; not there, and not learned from: {', '.join(absent)}" if absent else ""
        state = "already present" if self.present else f"to make, about {self.steps} steps"
        kind, start, texts = self.config.kind, self.inputs.start.name, sum(self.inputs.counts.values())
        return f"1 training of a {kind}, {texts:,} texts, from {start}: {state}{without}"


@dataclass(frozen=True)
class TrainingResult:
    """What a training made."""

    plan: TrainingPlan
    artefact: Artefact
    started_flow: bool


def plan_training(settings: Settings, folder: Path) -> TrainingPlan:
    """Read what a training needs, of the build in ``folder`` too; nothing is made. Raises Expected."""
    store = Store(settings.store_folder)
    inputs = read_inputs(Build.open(folder, settings.models_folder), settings.train)
    key = train_key(inputs)
    return TrainingPlan(settings, inputs, key, store.find(key))


def run_train(plan: TrainingPlan, progress: Progress) -> TrainingResult:
    """Train where it has not been done; what is there starts no flow."""
    progress.say(plan.line)
    if plan.present:
        return TrainingResult(plan, plan.present, False)
    with drawn(plan.settings.artifacts_folder, progress):
        flow = as_flow(_train, "train", "train {name}")
        result: TrainingResult = flow(plan.config.name, plan.line, Local(plan)).value
        return result


def _train(name: str, plan: str, training: Local[TrainingPlan]) -> Local[TrainingResult]:
    """Train, and show what was learned. All parameters but ``training`` are for Prefect's page."""
    state = run_task(learn, f"train {name}", training.value, says="{0.artefact.path.name}".format)
    result: TrainingResult = state.result().value
    learned = gains_table(result)
    heads, *rows = learned.texts(lambda text, *_: text)
    show_table("learned", [dict(zip(heads, row, strict=True)) for row in rows], learned.caption)
    return Local(result)


def learn(plan: TrainingPlan) -> TrainingResult:
    """The work itself; a run that was killed goes on from its last checkpoint."""
    with current_progress().step("train", plan.steps) as done:
        artefact = run_training(plan.inputs, Store(plan.settings.store_folder), plan.key, done)
    return TrainingResult(plan, artefact, True)


def gains(result: TrainingResult) -> list[Gain]:
    """What was kept back, before and after: shares and paired differences, their intervals by BCa.

    What is drawn are provisions and stories: the texts of a provision are answered alike, and taken as
    independent they would make the intervals narrower than they are.
    """
    rows = result.artefact.table(LEARNED).to_pylist()
    seed = result.plan.config.seed
    out = []
    measured = result.plan.inputs.measured
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["kind"] if row["kind"] in measured else "", row["split"]), []).append(row)
    for (benchmark, split), of_split in sorted(groups.items(), key=lambda group: group[0][0]):
        for metric, depth in DEPTHS[result.plan.config.kind].items():
            rank = "best" if metric == "any" else "rank"
            before, after = (_by_unit(of_split, f"{rank}_{side}", depth) for side in ("before", "after"))
            gained = paired(before, after, MEAN, seed)
            shares = _share(before, seed), _share(after, seed)
            out.append(Gain(split, metric, len(of_split), *shares, gained, benchmark))
    return out


def gains_table(result: TrainingResult) -> Table:
    """What was kept back, before and after, a line a figure."""
    config = result.plan.config
    caption = f"{config.name}: primary provision of what was kept back, %, 95% intervals"
    heads = ("kept back", "texts", "provisions", *SIDES[config.kind], "difference")
    rows = [(g.label, str(g.n), str(g.gained.n), *g.cells) for g in gains(result)]
    return Table.of_texts(caption, heads, rows)


def _share(by_unit: dict[str, float], seed: int) -> Interval:
    return bca([by_unit[unit] for unit in sorted(by_unit)], seed)


def _by_unit(rows: Sequence[dict[str, Any]], rank: str, depth: int) -> dict[str, float]:
    """Share of the texts of each provision, and of each story, whose rank is at most ``depth``."""
    ranked: dict[str, list[int]] = {}
    for row in rows:
        unit = row["id"].rpartition("/")[0] if row["kind"] in STYLES else row["id"]
        ranked.setdefault(unit, []).append(row[rank] <= depth)
    return {unit: sum(hits) / len(hits) for unit, hits in ranked.items()}


def ship(result: TrainingResult, folder: Path) -> Path:
    """Copy what was learned to a folder of its name in that of all models, with a card."""
    target = folder / result.plan.config.name
    with replaced_folder(target) as part:
        for name in (DESCRIPTION, *digests(result)):
            if name in result.artefact.files:
                shutil.copyfile(result.artefact.path / name, part / name)
        card = model_card(
            result.plan.config,
            result.plan.inputs.base,
            digests(result),
            sum((part / name).stat().st_size for name in digests(result)),
            result.artefact.facts["texts"],
            gains(result),
        )
        (part / "README.md").write_text(card, encoding="utf-8")
        facts: dict[str, Any] = {
            "base": result.plan.inputs.base.name,
            "base_sha256": result.plan.inputs.base.sha256,
            "sha256": digests(result),
            "key": result.plan.key.parts,
            "texts": result.artefact.facts,
        }
        text = json.dumps(facts, indent=1, sort_keys=True, default=str)
        (part / "training.json").write_text(f"{text}\n", encoding="utf-8")
    return target


def digests(result: TrainingResult) -> dict[str, str]:
    """SHA-256 of each file that ships and that a configuration names."""
    files = result.artefact.files
    shipped = (ADAPTER, VECTORS, RANKED_BY, ANSWERED, CLASSIFIER, ESTIMATED, CATALOGUE)
    return {name: files[name] for name in shipped if name in files}

"""A training from its settings to weights that can be shipped: plan, work, publishing."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.settings import ROOT, Settings
from tasks.build import Build, BuildError
from tasks.compare import PROPORTION, paired, wilson
from tasks.models import ADAPTER, ModelFiles, find_model
from tasks.schemas import LEARNED
from tasks.stage import Key
from tasks.store import Artefact, Store
from tasks.train import (
    STYLES,
    Gain,
    LayQueries,
    Story,
    TrainConfig,
    model_card,
    read_lay_queries,
    read_stories,
    run_training,
    train_key,
)

DEPTHS = {"first": 1, "in_20": 20}
"""Measures of what was kept back: the primary provision first, and among the first twenty."""


@dataclass(frozen=True)
class TrainingPlan:
    """What a training reads, and what it is called.

    Attributes
    ----------
    present
        What it would make, if it is there.
    """

    settings: Settings
    build: Build
    base: ModelFiles
    lay: tuple[LayQueries, ...]
    stories: tuple[Story, ...]
    key: Key
    present: Artefact | None

    @property
    def config(self) -> TrainConfig:
        """Parameters of the training."""
        return self.settings.train

    @property
    def steps(self) -> int:
        """Steps at most: texts that are kept back are counted too."""
        texts = len(STYLES) * len(self.lay) * (1 + self.config.joined) + len(self.stories)
        return math.ceil(texts / self.config.batch) * self.config.epochs

    @property
    def line(self) -> str:
        """What is there and what is to be made."""
        texts = len(STYLES) * len(self.lay) + len(self.stories)
        state = "already present" if self.present else f"to make, about {self.steps} steps"
        return f"1 training, {texts:,} texts, towards {self.base.name}: {state}"


@dataclass(frozen=True)
class TrainingResult:
    """What a training made."""

    plan: TrainingPlan
    artefact: Artefact
    started_flow: bool


def plan_training(settings: Settings, folder: Path) -> TrainingPlan:
    """Read what a training needs; nothing is made.

    Parameters
    ----------
    folder
        Of the build whose vectors are trained towards.

    Raises
    ------
    BenchmarkError, BuildError, ModelError
        If something is not as it should be.
    """
    config = settings.train
    build = Build.open(folder, settings.models_folder)
    base = find_model(build.embed_config.model, settings.models_folder, str(build.manifest["weights"]))
    if build.embed_config.query_model:
        raise BuildError(
            f"{folder}: its queries have a reader already; train towards a build of embed=minilm"
        )
    lay, stories = read_lay_queries(ROOT / config.texts), read_stories(ROOT / config.stories)
    key = train_key(config, base, str(build.manifest["space"]), str(build.manifest["content"]), lay, stories)
    return TrainingPlan(settings, build, base, lay, stories, key, Store(settings.store_folder).find(key))


def learn(plan: TrainingPlan, progress: Callable[[int], None]) -> TrainingResult:
    """The work itself."""
    artefact = run_training(
        plan.build,
        plan.base,
        plan.build.embed_config.settings(),
        plan.lay,
        plan.stories,
        plan.config,
        Store(plan.settings.store_folder),
        plan.key,
        progress,
    )
    return TrainingResult(plan, artefact, True)


def gains(result: TrainingResult) -> list[Gain]:
    """What was kept back, before and after: shares with Wilson's interval, paired differences."""
    rows = result.artefact.table(LEARNED).to_pylist()
    out = []
    for split in dict.fromkeys(row["split"] for row in rows):
        own = [row for row in rows if row["split"] == split]
        for metric, depth in DEPTHS.items():
            before = {r["id"]: float(r["rank_before"] <= depth) for r in own}
            after = {r["id"]: float(r["rank_after"] <= depth) for r in own}
            n = len(own)
            out.append(
                Gain(
                    split,
                    metric,
                    n,
                    wilson(int(sum(before.values())), n),
                    wilson(int(sum(after.values())), n),
                    paired(before, after, PROPORTION, result.plan.config.seed),
                )
            )
    return out


def ship(result: TrainingResult, folder: Path) -> Path:
    """Copy what was learned to a folder of models, with a card that tells what it is.

    Parameters
    ----------
    folder
        Of all models; the own one is named as the training is.
    """
    target = folder / result.plan.config.name
    part = target.with_name(f".{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for name in (ADAPTER, "adapter.json"):
        shutil.copyfile(result.artefact.path / name, part / name)
    told = model_card(
        result.plan.config,
        result.plan.base,
        result.artefact.files[ADAPTER],
        (part / ADAPTER).stat().st_size,
        result.artefact.facts["texts"],
        gains(result),
    )
    (part / "README.md").write_text(told, encoding="utf-8")
    (part / "training.json").write_text(_facts(result), encoding="utf-8")
    shutil.rmtree(target, ignore_errors=True)
    part.rename(target)
    return target


def _facts(result: TrainingResult) -> str:
    """What made the weights, as data."""
    plan = result.plan
    told: dict[str, Any] = {
        "base": plan.base.name,
        "base_sha256": plan.base.sha256,
        "sha256": result.artefact.files[ADAPTER],
        "key": plan.key.parts,
        "texts": result.artefact.facts,
    }
    return json.dumps(told, indent=1, sort_keys=True, default=str) + "\n"

"""The thesis' pipeline on a corpus: what is missing of it is made, under a name of its own."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from citegrain.flows.index.run import run_index
from citegrain.flows.shared.progress import Progress
from citegrain.flows.shared.settings import Settings, load_settings
from citegrain.flows.study.run import run_study
from citegrain.tasks.offline.corpus import CorpusError
from citegrain.tasks.offline.models import ModelError, find_model, is_packaged

EXPERIMENT = "experiment=thesis"
SHIPPED = "citegrain/reranker-statutes"


@dataclass(frozen=True)
class Reproduction:
    """What is made: its overrides and settings, and what takes the place of parts that are not at hand."""

    overrides: list[str]
    settings: Settings
    remarks: list[str]


def plan_reproduction(given: Sequence[str]) -> Reproduction:
    """The thesis' configuration, on the corpus and the benchmark that are given or else on the embedded ones.

    Raises SettingsError if an override is wrong.
    """
    groups = dict(o.split("=", 1) for o in given if "=" in o)
    embedded = groups.get("corpus", "demo") == "demo"
    chosen = {
        "corpus": "demo",
        "corpus.name": f"thesis-{'demo' if embedded else _stem(groups.get('corpus.path', 'acts'))}",
        "benchmark": "constitution" if embedded else "complaints",
    }
    base = [EXPERIMENT, *(f"{key}={value}" for key, value in chosen.items() if key not in groups)]
    missing = list(substitutes(load_settings([*base, *given])))
    overrides = [*base, *(override for override, _ in missing), *given]
    return Reproduction(overrides, load_settings(overrides), [remark for _, remark in missing])


def _stem(path: str) -> str:
    """A folder's name as part of a build's."""
    return re.sub(r"[^\w.-]+|\.{2,}", "-", Path(path.strip("'\"")).name)[:50] or "acts"


def substitutes(settings: Settings) -> Iterator[tuple[str, str]]:
    """Override and remark for each part of a published system that is not at hand."""
    embed, rerank = settings.embed, settings.cascade.rerank
    if not _installed(embed.model, embed.sha256, settings):
        yield "embed=minilm", f"{embed.model} is not installed (make mpnet): all-MiniLM-L6-v2 takes its place"
    if rerank.scorer == "cross_encoder" and not _installed(rerank.model, rerank.sha256, settings):
        if rerank.scale == "logistic":  # what selects reads scores on this scale
            yield f"rerank.model={SHIPPED}", f"{rerank.model} is not at hand: {SHIPPED} takes its place"
        else:
            yield "rerank=plain", f"{rerank.model} is not at hand: nothing is reranked"
    if settings.cascade.generate.asks and not os.environ.get("CITEGRAIN_LLM_BASE_URL"):
        yield (
            "generate=extractive",
            "CITEGRAIN_LLM_BASE_URL names no language model: answers are extractive",
        )


def _installed(model: str, sha256: str, settings: Settings) -> bool:
    if is_packaged(model):  # nothing is unpacked to print or to plan
        return True
    try:
        find_model(model, settings.models_folder, sha256)
    except ModelError:
        return False
    return True


def make_reproduction(
    planned: Reproduction, progress: Progress, command: list[str]
) -> tuple[Path, str, Sequence[str]]:
    """Index and measure whatever is missing.

    Raises BenchmarkError, CorpusError, ModelError, RegistryError, StoreError, StudyError if it cannot be
    made. Returns the folder of the builds' name, the name of the study, and what the benchmark cites and the
    build lacks.
    """
    settings = planned.settings
    build = run_index(settings, progress).build
    if build is None:
        raise CorpusError("nothing was published")
    title = settings.bench.name or f"{settings.corpus.name}-{settings.benchmark.label}"
    members = {"thesis_parts" if planned.remarks else "thesis": (planned.overrides, settings)}
    done = run_study(title, members, settings, progress, command)
    assert done is not None  # noqa: S101 - None only of a dry run
    return build.parent, title, done[0].warnings

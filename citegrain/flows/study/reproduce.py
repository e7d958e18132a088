"""The thesis' pipeline on a corpus: what is missing of it is made, under a name of its own."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from citegrain.flows.index.run import run_index
from citegrain.flows.shared.progress import Progress
from citegrain.flows.shared.settings import Settings, load_settings
from citegrain.flows.study.run import run_study
from citegrain.flows.study.study import Study
from citegrain.tasks.core.endpoint import LIVE
from citegrain.tasks.offline.corpus import CorpusError
from citegrain.tasks.offline.models import ModelError, find_model, is_packaged

EXPERIMENT = "experiment=thesis"


@dataclass(frozen=True)
class Reproduction:
    """What is made: its overrides and settings, and what takes the place of parts that are not at hand."""

    overrides: list[str]
    settings: Settings
    remarks: list[str]


def plan_reproduction(given: Sequence[str]) -> Reproduction:
    """The thesis' configuration, on what is given or else embedded. Raises SettingsError."""
    groups = dict(o.split("=", 1) for o in given if "=" in o)
    embedded = groups.get("corpus", "demo") == "demo"
    folder = Path(groups.get("corpus.path", "acts").strip("'\"")).name
    stem = "demo" if embedded else re.sub(r"[^\w.-]+|\.{2,}", "-", folder)[:50] or "acts"
    chosen = {
        "corpus": "demo",
        "corpus.name": f"thesis-{stem}",
        "benchmark": "constitution" if embedded else "complaints",
    }
    base = [EXPERIMENT, *(f"{key}={value}" for key, value in chosen.items() if key not in groups)]
    missing = list(substitutes(load_settings([*base, *given])))
    overrides = [*base, *(override for override, _ in missing), *given]
    return Reproduction(overrides, load_settings(overrides), [remark for _, remark in missing])


def substitutes(settings: Settings) -> Iterator[tuple[str, str]]:
    """Override and remark for each part of a published system that is not at hand."""
    embed, rerank = settings.embed, settings.cascade.rerank
    if not _installed(embed.model, embed.sha256, settings):
        yield "embed=minilm", f"{embed.model} is not installed (make mpnet): all-MiniLM-L6-v2 takes its place"
    if rerank.scorer == "cross_encoder" and not _installed(rerank.model, rerank.sha256, settings):
        yield "rerank=plain", f"{rerank.model} is not at hand: nothing is reranked"
    if settings.index.dense == "qdrant" and not find_spec("qdrant_client"):
        yield "index.dense=flat", "qdrant-client is not installed: vectors are searched exactly without it"
    live = settings.endpoint.mode == LIVE
    if settings.cascade.generate.asks and live and not os.environ.get("CITEGRAIN_LLM_BASE_URL"):
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


def make_reproduction(planned: Reproduction, progress: Progress, command: list[str]) -> tuple[Path, Study]:
    """Index and measure what is missing: the folder of the builds, the study. Raises Expected, StudyError."""
    settings = planned.settings
    build = run_index(settings, progress).build
    if build is None:
        raise CorpusError("nothing was published")
    title = settings.bench.name or f"{settings.corpus.name}-{settings.benchmark.label}"
    members = {"thesis_parts" if planned.remarks else "thesis": (planned.overrides, settings)}
    return build.parent, run_study(title, members, settings, progress, command)


PAPERS = (
    "experiment=paper_qa", "corpus=papers", "benchmark=papers", "sweep=paper_qa", "generate.seed=0",
    "endpoint=recorded", "endpoint.model=claude", "endpoint.replies=data:replies/papers.jsonl",
    "bench.report=false", "bench.mlflow=false",
)  # fmt: skip
"""The grid of the paper-QA system, as far as replies to its prompts were recorded."""
PAPERS_STUDY = "paper_qa-papers"


def measure_papers(given: Sequence[str], progress: Progress) -> Study:
    """The grid of the paper-QA system on the papers that ship, by recorded replies."""
    words = [*PAPERS, *(word for word in given if word.startswith("artifacts="))]
    words += [override for override, _ in substitutes(load_settings(words))]
    settings = load_settings(words)
    grid = settings.sweep.members([word.partition("=")[0] for word in words])
    members = {name: (changes, load_settings([*words, *changes])) for name, changes in grid.items()}
    return run_study(PAPERS_STUDY, members, settings, progress, ["sweep", *PAPERS])

"""A small factorial study over two Acts of our own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

from citegrain.flows.shared.choices import StudyConfig
from citegrain.flows.shared.prefect_tasks import run_task
from citegrain.flows.shared.settings import load_settings
from citegrain.flows.study.ablate import ablate
from citegrain.flows.study.study import Study
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.evaluation.design import Contrast
from tests.flows.conftest import Quiet, common, copy_artifacts, finished, write_corpus
from tests.flows.study.test_bench import benched, write_stories

TINY = StudyConfig(
    name="tiny",
    base=["retrieve=thesis", "rerank.scale=min_max", "retrieve.k=6"],
    factors={
        "retrieval": {
            "sparse": ["retrieve.channels=[sparse]", "fuse=single"],
            "rrf": ["retrieve.channels=[dense,sparse]", "fuse=rrf"],
        },
        "reranker": {"off": ["rerank=none"], "on": ["rerank=late_interaction"]},
        "provenance": {"off": ["rerank.provenance=0.0"], "on": ["rerank.provenance=0.15"]},
        "diversity": {"topk": ["select=top"], "mmr": ["select=mmr"]},
    },
    contrasts=[Contrast("retrieval", "rrf", "sparse"), Contrast("reranker", "on", "off")],
    groups=["register", "domain"],
    timed=1,
)


@dataclass(frozen=True)
class Ablated:
    """TINY, run once. To be read or copied, not to be changed."""

    study: Study
    results: Tables
    folder: Path
    artifacts: Path
    drawn: list[str]


def ablate_tiny(folder: Path, indexed: Path, lantern: bytes, model: Path) -> Ablated:
    """Run TINY in ``folder`` on a copy of the artefacts that hold the two Acts."""
    write_corpus(folder, lantern)
    copy_artifacts(indexed, folder / "artifacts")
    overrides = [*common(folder, model), *(o for o in benched(write_stories(folder)) if o != "rerank=none")]
    drawn: list[str] = []

    def counted(function: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        drawn.append(name)
        return run_task(function, name, *args, **kwargs)

    with mock.patch("citegrain.flows.study.run.run_task", counted):
        done = ablate(overrides, replace(load_settings(overrides), study=TINY), Quiet(), ["ablate"])
    return Ablated(*finished(done), folder / "artifacts", drawn)

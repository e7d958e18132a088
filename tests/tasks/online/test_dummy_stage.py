"""A new stage of the online chain is a package and a line of ``ONLINE_STAGES``, and a configuration switches it on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from citegrain.flows.shared.library import Build
from citegrain.tasks.core.runs import rankings
from citegrain.tasks.online import configuration
from citegrain.tasks.online.cascade import Cascade, CascadeConfig
from citegrain.tasks.online.configuration import OnlineStage
from citegrain.tasks.online.retrieve import RetrieveConfig
from tests.golden_outputs import golden_build

pytestmark = [pytest.mark.model, pytest.mark.xdist_group("golden")]
PACKAGE = '''
from functools import partial

from citegrain.tasks.core.runs import make_run, rankings
from citegrain.tasks.core.schemas import RUNS
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.online.steps import Step

STAGE = Stage("backwards", 1, (RUNS,))


def steps(chain):
    first = chain.config.group("backwards").first
    work = partial(backwards, chain.ranked, first)
    step = Step("backwards", STAGE, {"first": first}, (chain.ranked,), {}, work)
    return chain.then(step, ranked="backwards")


def backwards(ranked, first, tables, progress):
    """The first candidates in the order from worst to best."""
    lists = {query: run[:first][::-1] for query, run in rankings(tables[ranked]).items()}
    scored = {q: [(c, 1.0 / (i + 1)) for i, (c, _) in enumerate(run)] for q, run in lists.items()}
    return make_run(scored, "backwards")
'''


@dataclass(frozen=True)
class BackwardsConfig:
    """Parameters of the dummy stage."""

    on: bool = True
    first: int = 7


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OnlineStage:
    (tmp_path / "dummy_stage.py").write_text(PACKAGE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    line = OnlineStage("backwards", "dummy_stage", "dummy_stage", ("backwards.on",))
    stages = list(configuration.ONLINE_STAGES)
    behind = next(i for i, r in enumerate(stages) if r.group == "rerank")
    monkeypatch.setattr(configuration, "ONLINE_STAGES", (*stages[:behind], line, *stages[behind:]))
    return line


@pytest.fixture(scope="module")
def build() -> Build:
    return golden_build()


def test_a_new_stage_is_a_package_a_line_and_a_configuration(build: Build, stage: OnlineStage) -> None:
    plain = CascadeConfig(retrieve=RetrieveConfig(["dense", "sparse", "provision"]))
    texts = {"a": "My wages were not paid for three months"}
    without = Cascade(build, plain).run(texts)
    off = Cascade(build, plain.with_group(stage.group, BackwardsConfig(on=False)))
    days = {"a": None}
    described = [
        [(step.name, step.params, step.reads, step.sources) for step in cascade.steps(texts, days)]
        for cascade in (off, Cascade(build, plain))
    ]
    assert described[0] == described[1], "what is off leaves no trace"
    assert "backwards" not in without.runs
    done = Cascade(build, plain.with_group(stage.group, BackwardsConfig(first=5))).run(texts)
    best = [chunk for chunk, _ in rankings(without.runs["fused"])["a"]][:5]
    assert [chunk for chunk, _ in rankings(done.runs["backwards"])["a"]] == best[::-1]
    assert {row["chunk_id"] for row in done.tables["reranked"].to_pylist()} == set(best), (
        "the next stage reads it"
    )

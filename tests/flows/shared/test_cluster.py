"""The same bytes from a Dask cluster, what a worker must be, and what becomes of a job that kills its process."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from citegrain.flows.index.run import run_index
from citegrain.flows.shared import cluster as module
from citegrain.flows.shared.cluster import Cluster, ClusterError, open_cluster
from citegrain.flows.shared.configs import RunnerConfig
from citegrain.flows.shared.pool import Failed
from citegrain.flows.shared.settings import Settings, SettingsError, load_settings
from citegrain.flows.study.nodes import StageResult
from citegrain.tasks.core.schemas import QUERIES
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.core.store import Artefact
from tests.flows.conftest import Quiet
from tests.flows.study.test_bench import THREE, benched, measure, write_stories


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A scheduler and one worker, which is a thread of this process."""
    distributed = pytest.importorskip("distributed", reason="no Dask: pip install 'citegrain[dask]'")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as local:
        yield local.scheduler_address


def contents(store: Path) -> dict[str, bytes]:
    """Every table of a store but when each was written."""
    return {str(path.relative_to(store)): path.read_bytes() for path in store.rglob("*.parquet")}


@pytest.mark.slow
@pytest.mark.prefect
@pytest.mark.xdist_group("prefect")
def test_index_and_study_give_the_bytes_of_a_local_run(
    settings: Callable[..., Settings],
    tmp_path: Path,
    once_indexed: Path,
    address: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start, given = Cluster.start, set()

    def noted(self: Cluster, stage: str, *args: Any) -> Any:
        given.add(stage)
        return start(self, stage, *args)

    monkeypatch.setattr(Cluster, "start", noted)
    dask = ["runner=dask", f"runner.address='{address}'"]
    result = run_index(settings(*dask), Quiet())
    assert result.build is not None and result.lost_workers == []
    assert given == {"parse", "structure", "chunk", "tag", "embed"}
    assert contents(result.build.parents[2] / "store") == contents(once_indexed / "store")
    studied: list[dict[str, bytes]] = []
    for runner in ([], dask):
        make = lambda *more, base=runner: settings(*benched(write_stories(tmp_path)), *base, *more)  # noqa: E731
        study, _, _ = measure(make, THREE)
        assert study.computed["score"] == 3
        tables = contents(study.settings.store_folder)
        studied.append({name: data for name, data in tables.items() if not name.startswith("embed/")})
        for stage in study.computed:
            for path in (study.settings.store_folder / stage).rglob("manifest.json"):
                path.unlink()
    assert studied[0] == studied[1]
    assert given >= {"query", "retrieve", "fuse", "select", "score"}


@pytest.mark.slow
def test_jobs_run_apart_and_resources_are_asked_for(address: str) -> None:
    quiet = Quiet()
    asks = RunnerConfig("dask", address, resources={"embed": {"gpu": 1}})
    with open_cluster(asks, quiet) as cluster:
        dead = cluster.run("parse", os.abort, {"x": ()})["x"]
        assert isinstance(dead, Failed) and "brought down" in dead.reason
        assert cluster.run("parse", pow, {str(n): (n, 2) for n in range(5)})["3"] == 9
        assert cluster.split("parse") == "; on 0: 6" and cluster.lost == []
        with pytest.raises(ClusterError, match="no worker offers gpu=1"):
            cluster.start("embed", pow, {"x": (1, 2)})
        future = cluster.start("structure", pow, {"x": ("two", 2)})["x"]
        with pytest.raises(TypeError):  # trusted work fails as it does here
            cluster.result(future)
    assert address in quiet.lines[0]


def test_a_worker_that_would_give_other_bytes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    here = module._identity()
    module._check("0", 1, here, isolates=True)
    for threads, expected, isolates, message in (
        (1, {**here, "source": "other"}, False, "worker 0 has another source"),
        (2, here, False, "--nthreads 1"),
    ):
        with pytest.raises(ClusterError, match=message):
            module._check("0", threads, expected, isolates)
    monkeypatch.setitem(module.multiprocessing.current_process()._config, "daemon", True)  # type: ignore[attr-defined]
    module._check("0", 1, here, isolates=False)
    with pytest.raises(ClusterError, match="DAEMON=false"):
        module._check("0", 1, here, isolates=True)


class FakeClient:
    """What a cluster asks of Dask's client before it works."""

    def scheduler_info(self) -> dict[str, Any]:
        return {"workers": {"tcp://a": {"name": "first", "resources": {}}}}

    def subscribe_topic(self, topic: str, handler: Callable[[tuple[float, Any]], None]) -> None:
        self.handler = handler


def test_workers_that_leave_without_a_word_are_lost() -> None:
    client = FakeClient()
    cluster = Cluster(client, RunnerConfig("dask"))
    for action, expected, worker in (
        ("add-worker", None, "tcp://b"),
        ("remove-worker", True, "tcp://b"),
        ("remove-worker", False, "tcp://a"),
    ):
        client.handler((0.0, {"action": action, "expected": expected, "worker": worker}))
    assert cluster.lost == ["first"]


def test_without_dask_the_way_to_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dask", None)
    with (
        pytest.raises(ClusterError, match=r"pip install 'citegrain\[dask\]'"),
        open_cluster(RunnerConfig("dask"), Quiet()),
    ):
        pass


@pytest.mark.parametrize(
    ("overrides", "message"),
    [(["runner.kind=spark"], "local or dask"), (["runner.address=tcp://a:1"], "add runner=dask")],
)
def test_a_wrong_runner_is_refused(overrides: list[str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        load_settings(overrides)


def test_an_outcome_leaves_behind_what_the_store_has(tmp_path: Path) -> None:
    stage, table = Stage("query", 1, (QUERIES,)), QUERIES.empty()
    stored = StageResult(stage, Artefact(tmp_path, {}, "c"), {"queries": table})
    assert pickle.loads(pickle.dumps(stored.portable)).tables == {}  # noqa: S301
    assert StageResult(stage, None, {"queries": table}).portable.tables == {"queries": table}

"""Work on a Dask cluster: the stage runs of a run on this machine, by workers that share its store.

Little goes over the wire: a stage run as its function and the names of what it reads, its result as the name
of an artefact. Documents, tables and vectors go through the store. The scheduler runs again what a lost
worker was at; what that worker had finished is in the store.
"""

import logging
import multiprocessing
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from typing import Any
from uuid import uuid4

from citegrain.flows.shared.configs import RunnerConfig
from citegrain.flows.shared.pool import Failed, WorkerPool, start_pool, worker_pool
from citegrain.flows.shared.progress import Progress
from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.store.files import environment

_SETTINGS = {
    "distributed.worker.daemon": False,  # it starts a process for what may crash
    # Dask's watching of itself took 8% of a core of two workers that slept, and 2% like this
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.tick.interval": "1s",
    # Dask's own value has MALLOC_TRIM_THRESHOLD_ too: every tensor was a mapping of its own, and a third of
    # a worker's time went to the kernel
    "distributed.nanny.pre-spawn-environ": dict.fromkeys(
        ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"], 1
    ),
}
_PATIENCE = 30  # seconds until a scheduler or a first worker must be there
Jobs = Mapping[str, tuple[Any, ...]]
"""Arguments of a function by the key of the job."""


class ClusterError(RuntimeError, Expected):
    """A cluster cannot be used; the message says why."""


class Cluster:
    """Runs jobs on the workers of a Dask cluster. ``shares``: jobs done, by stage and name of worker."""

    def __init__(self, client: Any, config: RunnerConfig) -> None:
        self._client = client
        self._config = config
        self._names = {at: str(one["name"]) for at, one in client.scheduler_info()["workers"].items()}
        self._lost: list[str] = []
        self.shares: dict[str, Counter[str]] = {}
        client.subscribe_topic("all", self._note)

    def _note(self, event: tuple[float, Any]) -> None:
        """Take notice of a worker that left without a word."""
        message = event[1]
        if message.get("action") == "remove-worker" and not message.get("expected"):
            self._lost.append(message["worker"])

    @property
    def lost(self) -> list[str]:
        """Names of the workers that were lost."""
        return [self._names.get(address, address) for address in self._lost]

    def split(self, stage: str) -> str:
        """How many jobs of a stage each worker did: ``; on 0: 6, 1: 4``."""
        shares = self.shares.get(stage, Counter())
        return "; on " + ", ".join(f"{name}: {n}" for name, n in sorted(shares.items())) if shares else ""

    def run(
        self,
        stage: str,
        function: Callable[..., Any],
        jobs: Jobs,
        progress: Callable[[str], None] = lambda key: None,
    ) -> dict[str, Any]:
        """As :meth:`WorkerPool.run`: each worker has a process for jobs that may hang or crash."""
        limits = self._config.timeout, self._config.memory_gib
        results = {}
        for key, result in self.finished(self.start(stage, function, jobs, limits)):
            results[key] = result
            progress(key)
        return results

    def start(
        self, stage: str, function: Callable[..., Any], jobs: Jobs, limits: tuple[int, float] | None = None
    ) -> dict[str, Any]:
        """Give jobs to the workers, the first one first; without limits they run in the worker itself.

        Raises ClusterError if no worker offers what the stage needs. Returns a future of Dask's by key, for
        :meth:`result` or :meth:`finished`.
        """
        resources = self._config.resources.get(stage) or {}
        offers = [worker["resources"] for worker in self._client.scheduler_info()["workers"].values()]
        if not any(all(offer.get(r, 0) >= n for r, n in resources.items()) for offer in offers or [{}]):
            needed = " ".join(f"{name}={amount:g}" for name, amount in resources.items())
            raise ClusterError(
                f"runner.resources.{stage}: no worker offers {needed}: start one with --resources '{needed}'"
            )
        here = _identity()
        return {
            key: self._client.submit(
                run_job,
                *(stage, here, function, arguments, limits),
                key=f"{stage}-{uuid4().hex}",  # the part before the dash is the job's name on Dask's page
                pure=False,
                resources=resources,
            )
            for key, arguments in jobs.items()
        }

    def finished(self, futures: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Key and result of each job as it ends."""
        from distributed import as_completed

        keys = {future: key for key, future in futures.items()}
        for future in as_completed(list(keys)):
            yield keys[future], self.result(future)

    def result(self, future: Any) -> Any:
        """What a job brought, or :class:`Failed`. Raises ClusterError if the cluster was lost."""
        from distributed import CancelledError, KilledWorker
        from distributed.comm import CommClosedError

        try:
            stage, name, address, value = future.result()
        except KilledWorker as error:
            return Failed(f"{error.allowed_failures + 1} workers were lost at it, one after another")
        except (CancelledError, CommClosedError) as error:
            raise ClusterError(
                "the Dask scheduler was lost; what was finished is in the store: start one and run again"
            ) from error
        self._names[address] = name
        self.shares.setdefault(stage, Counter())[name] += 1
        return value


def run_job(
    stage: str,
    expected: Mapping[str, Any],
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    limits: tuple[int, float] | None,
) -> tuple[str, str, str, Any]:
    """One job, on a worker: stage, its name and address, result. Raises ClusterError if it is not fit."""
    from distributed import get_worker

    worker = get_worker()
    name = str(worker.name)
    _check(name, worker.state.nthreads, expected, isolates=limits is not None)
    if limits is None:
        value = function(*arguments)
    else:
        value = WorkerPool(_process(limits[1]), limits[0]).run(stage, function, {name: arguments})[name]
    logging.getLogger("distributed.worker").info("worker %s: %s is done", name, stage)
    return stage, name, worker.address, value


def _check(name: str, threads: int, expected: Mapping[str, Any], isolates: bool) -> None:
    """Refuse a worker whose results would not be those of the machine that asks."""
    here = _identity()
    if other := [part for part in expected if expected[part] != here[part]]:
        raise ClusterError(f"worker {name} has another {other[0]}: install the same citegrain and libraries")
    if threads != 1:
        raise ClusterError(f"worker {name} has {threads} threads: start it with --nthreads 1")
    if isolates and multiprocessing.current_process().daemon:
        raise ClusterError(
            f"worker {name} may start no process: start it with DASK_DISTRIBUTED__WORKER__DAEMON=false"
        )


@cache
def _process(memory_gib: float) -> Any:
    """The process of this worker for what may hang or crash; it ends with the worker."""
    return start_pool(1, memory_gib)


def _identity() -> dict[str, Any]:
    """What decides whether two machines give the same bytes."""
    facts = environment()
    return {name: facts[name] for name in ("python", "libraries", "source")}


@contextmanager
def open_cluster(config: RunnerConfig, progress: Progress) -> Iterator[Cluster]:
    """The cluster at ``config.address``, or one on loopback that ends with the run. Raises ClusterError."""
    try:
        import dask
        import distributed
    except ImportError as error:
        raise ClusterError("runner=dask needs Dask: pip install 'citegrain[dask]'") from error
    with dask.config.set(_SETTINGS), _client(config, distributed) as client:
        cluster = Cluster(client, config)
        workers = len(client.scheduler_info()["workers"])
        where = client.scheduler.address
        progress.say(f"Dask: {workers} workers at {where}, to be watched at {client.dashboard_link}")
        try:
            yield cluster
        finally:
            client.unsubscribe_topic("all")  # the scheduler would report our own leaving to us
        if lost := cluster.lost:
            were = "1 worker was" if len(lost) == 1 else f"{len(lost)} workers were"
            progress.say(f"{were} lost on the way ({', '.join(lost)}); what they were at was run again")


@contextmanager
def _client(config: RunnerConfig, distributed: Any) -> Iterator[Any]:
    """A client of a cluster that has at least one worker."""
    for name in ("distributed", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    workers = config.workers or os.cpu_count() or 1
    here = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with ExitStack() as opened:
        try:
            address = config.address or opened.enter_context(
                distributed.LocalCluster(n_workers=workers, threads_per_worker=1, **here)
            )
            client = opened.enter_context(distributed.Client(address, timeout=_PATIENCE))
            client.wait_for_workers(1, timeout=_PATIENCE)
        except (TimeoutError, OSError, ValueError) as error:
            where = f"runner.address={config.address}"
            raise ClusterError(f"{where}: no scheduler with a worker: {error}") from error
        yield client


def open_workers(
    config: RunnerConfig, progress: Progress
) -> AbstractContextManager[WorkerPool] | AbstractContextManager[Cluster]:
    """Whoever does the work of documents: processes of this machine, or a cluster."""
    return open_cluster(config, progress) if config.kind == "dask" else worker_pool(config)

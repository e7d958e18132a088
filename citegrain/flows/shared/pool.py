"""Worker processes that survive what they work on.

A document that hangs or brings down its process costs that process and no
other document; the process is replaced.
"""

from __future__ import annotations

import gc
import os
import resource
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import TimeoutError as JobTimeout
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker, spawn
from multiprocessing.context import SpawnContext, SpawnProcess
from threading import Lock, Thread, get_ident
from typing import TYPE_CHECKING, Any

from pebble import ProcessExpired, ProcessPool

from citegrain.tasks.core.errors import TOO_DEEP

if TYPE_CHECKING:  # every worker loads this module: what it does not need would cost each its start
    from citegrain.flows.shared.configs import RunnerConfig


@dataclass(frozen=True)
class Failed:
    """A job that brought no result, and why, in one line.

    ``fatal``: the store itself failed. ``late``: its time was up. ``broken``: a bug.
    """

    reason: str
    fatal: bool = False
    late: bool = False
    broken: bool = False


class WorkerPool:
    """Runs jobs in processes started afresh (not forked), results by key."""

    def __init__(self, pool: ProcessPool, timeout: int) -> None:
        self._pool = pool
        self._timeout = timeout
        self._ended = False

    def run(
        self,
        stage: str,
        function: Callable[..., Any],
        jobs: Mapping[str, tuple[Any, ...]],
        progress: Callable[[str], None] = lambda key: None,
    ) -> dict[str, Any]:
        """Result of ``function(*arguments)`` by key, or :class:`Failed`.

        ``stage``: whose work it is; a cluster (``flows.shared.cluster``) grants resources by it.
        """
        futures = {
            key: self._pool.schedule(function, args=list(arguments), timeout=self._timeout)
            for key, arguments in jobs.items()
        }
        results: dict[str, Any] = {}
        for key, future in futures.items():
            results[key] = self._result(future)
            progress(key)
        return results

    def end(self, at_once: bool = False) -> None:
        """Let the processes go, with ``at_once`` in the midst of a job: idle, each keeps its memory."""
        if self._ended:
            return
        self._ended = True
        if at_once:
            self._pool.stop()
        else:
            self._pool.close()
        self._pool.join()

    def _result(self, future: Any) -> Any:
        from citegrain.tasks.core.store import StoreError

        try:
            return future.result()
        except JobTimeout:
            return Failed(f"took longer than runner.timeout={self._timeout} s and was stopped", late=True)
        except ProcessExpired as error:
            return Failed(f"brought down the process that read it (exit code {error.exitcode})")
        except MemoryError:
            return Failed("needs more memory than runner.memory_gib allows")
        except RecursionError:
            return Failed(TOO_DEEP)
        except StoreError as error:
            return Failed(str(error), fatal=True)
        except Exception as error:  # a bug in a stage: the file is reported, the others go on
            line = (str(error).splitlines() or [""])[0]
            return Failed(f"internal error, please report: {type(error).__name__}: {line}", broken=True)


def _start(memory_gib: float, threshold: tuple[int, int, int]) -> None:
    """Limit the memory of a worker process; garbage it collects as seldom as its parent."""
    limit = int(memory_gib * 2**30)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    gc.set_threshold(*threshold)


_STARTING = Lock()


class _Worker(SpawnProcess):
    """A process that does not run the caller's script: a plain one would index again, in each worker."""

    @staticmethod
    def _Popen(process_obj: Any) -> Any:
        with _STARTING:
            thread, prepare = get_ident(), spawn.get_preparation_data

            def without_script(name: str) -> dict[str, Any]:
                others = get_ident() != thread  # what they start meanwhile is as they want it
                data = prepare(name).items()
                return {key: value for key, value in data if others or not key.startswith("init_main")}

            spawn.get_preparation_data = without_script
            try:
                return SpawnProcess._Popen(process_obj)
            finally:
                spawn.get_preparation_data = prepare


class _Context(SpawnContext):
    Process = _Worker


@contextmanager
def worker_pool(config: RunnerConfig) -> Iterator[WorkerPool]:
    """A pool of ``config.workers`` processes (one a core if 0)."""
    pool = start_pool(config.workers or os.cpu_count() or 1, config.memory_gib)
    workers = WorkerPool(pool, config.timeout)
    try:
        yield workers
        workers.end()
    except BaseException:
        workers.end(at_once=True)
        raise


def start_pool(workers: int, memory_gib: float) -> ProcessPool:
    """Processes with a limit of memory each."""
    # it unblocks SIGINT in the thread that starts it, and the workers would inherit that
    tracker = Thread(target=resource_tracker.ensure_running)
    tracker.start()
    tracker.join()
    begun = [memory_gib, gc.get_threshold()]
    return ProcessPool(max_workers=workers, context=_Context(), initializer=_start, initargs=begun)

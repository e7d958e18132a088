"""Fixtures: Acts of our own as PDFs, a tiny encoder made on the spot, the shared corpus if it is there."""

from __future__ import annotations

import gc
import os

# before NumPy and torch are loaded: threads of several processes on few cores wait for each other by spinning
os.environ.setdefault("OMP_NUM_THREADS", "1")

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
from filelock import FileLock

from citegrain.tasks.core.paths import PACKAGE
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.offline.corpus import Refusal, identify, load_registry
from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.structure import act_spans, structure_document
from tests import typeset

if TYPE_CHECKING:
    from citegrain.flows.shared.configs import RunnerConfig
    from citegrain.flows.shared.pool import WorkerPool
    from tests.flows.tiny_study import Ablated

hypothesis.settings.register_profile("tests", deadline=None)  # by the clock a busy machine would fail
hypothesis.settings.load_profile("tests")
gc.disable()  # until every module is loaded, and stays
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
# read when Prefect is loaded, which test modules do before a flow sets it
os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "120")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
# what no test looks at, and a sixth of the processor time of a flow in Prefect's server
for service in ("SERVICES_TRIGGERS_ENABLED", "SERVICES_EVENT_PERSISTER_ENABLED"):
    os.environ.setdefault(f"PREFECT_SERVER_{service}", "false")

Once = Callable[[str, Callable[[Path], object]], Path]
ROOT = Path(__file__).resolve().parent.parent


def shared_folder() -> Path | None:
    """The folder of Acts and gold sections, if this machine has it."""
    folder = Path(os.environ.get("CITEGRAIN_SHARED", ROOT.parent / "shared"))
    return folder if (folder / "corpus" / "acts").is_dir() else None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Let the tests of a file run in one process, with one copy of the fixtures and libraries of the file."""
    if not item.get_closest_marker("xdist_group"):
        item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


@pytest.fixture(autouse=True, scope="module")
def few_objects_to_collect() -> None:
    """Spare the collector what is loaded for good.

    statsmodels and Hypothesis collect all garbage at every call. With the libraries of all tests loaded, that
    takes half a second each time.
    """
    gc.enable()
    gc.collect()
    gc.freeze()


class InProcess:
    """A pool of one worker process that is this process: to start one takes seconds of a processor."""

    def schedule(self, function: Callable[..., Any], args: Sequence[Any], timeout: float) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(function(*args))
        except Exception as error:  # noqa: BLE001 - the pool gives it back
            done.set_exception(error)
        return done

    def close(self) -> None: ...

    def stop(self) -> None: ...

    def join(self) -> None: ...


@pytest.fixture(autouse=True, scope="session")
def one_worker_is_this_process() -> Iterator[None]:
    """``runner.workers=1`` starts no process; tests that are about processes have two."""

    # they load FAISS; where that is there before PyMuPDF, its vectors take the types of the other
    from citegrain.flows.shared import cluster
    from citegrain.flows.shared.pool import WorkerPool, worker_pool

    def workers(config: RunnerConfig) -> AbstractContextManager[WorkerPool]:
        return nullcontext(WorkerPool(InProcess(), 0)) if config.workers == 1 else worker_pool(config)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster, "worker_pool", workers)
        yield


@pytest.fixture(autouse=True, scope="session")
def shipped_texts_are_read_once() -> Iterator[None]:
    """An index run reads 8,000 lines of lay texts and masks its stories: a third of one over two Acts."""
    from citegrain.flows.index import inputs

    def once(read: Callable[..., Any]) -> Callable[..., Any]:
        cached = cache(read)
        return lambda path, *more: (cached if path.is_relative_to(PACKAGE) else read)(path, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inputs, "read_lay_queries", once(inputs.read_lay_queries))
        patch.setattr(inputs, "load_benchmark", once(inputs.load_benchmark))
        yield


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    keep_groups(items)
    longest_first(items)
    if shared_folder() is None:
        skip = pytest.mark.skip(
            reason="no folder of Acts: set CITEGRAIN_SHARED to one with corpus/ and gold/"
        )
        for item in items:
            if "corpus" in item.keywords:
                item.add_marker(skip)


def keep_groups(items: list[pytest.Item]) -> None:
    """Let the tests of an xdist group run in one process, with one copy of what they share.

    pytest-xdist 3.8 writes the group into ``_nodeid``, which pytest 9.2 no longer reads: without a
    word every group is spread over all processes (pytest-xdist issue 1386). Not needed, and
    without effect, with pytest before 9.2 or an xdist that has mended it.
    """
    for item in items:
        grouped = getattr(item, "_nodeid", "")
        if grouped and item.nodeid != grouped and hasattr(item, "_id"):
            item._id = type(item._id).parse(grouped)


def longest_first(items: list[pytest.Item]) -> None:
    """Begin with groups that have a name, then files of flows: no process is to be left alone with a long one.

    pytest-xdist would begin with those of most tests, were it not for ``--no-loadscope-reorder``.
    """
    groups = {item: item.get_closest_marker("xdist_group").args[0] for item in items}  # type: ignore[union-attr]
    size = Counter(groups.values())

    def place(item: pytest.Item) -> tuple[bool, bool, int]:
        group = groups[item]
        return group.endswith(".py"), not group.startswith("tests/flows/"), -size[group]

    items.sort(key=place)


def pytest_sessionfinish() -> None:
    """Spare the process what pytest and Python collect at the end: it takes seconds, and nothing needs it."""
    gc.freeze()


@pytest.fixture(scope="session")
def shared() -> Path:
    folder = shared_folder()
    assert folder is not None
    return folder


@cache
def read_act(path: Path) -> Tables:
    """Parse and structure a PDF without the store."""
    parsed = parse_document(path.read_bytes(), path.stem, ParseConfig(ocr="off"))
    registry = load_registry(ROOT / "data" / "registry.yaml")
    acts = identify(parsed["documents"].to_pylist()[0], registry, path.name)
    assert not isinstance(acts, Refusal), f"{path.name}: {acts.reason}"
    spans = act_spans(acts)
    return structure_document(parsed["documents"], parsed["lines"], spans)


@pytest.fixture(scope="session")
def real_acts(shared: Path) -> dict[str, Tables]:
    """Tables of ``structure`` of every Act of the shared corpus, by the id its file name gives.

    Takes most of a minute: tests that use it share the xdist group ``gold``, hence one process.
    """
    files = sorted((shared / "corpus" / "acts").glob("*.pdf"))
    return {file.stem.replace("_", "-"): read_act(file) for file in files}


@pytest.fixture(scope="session")
def lantern_pdf() -> bytes:
    return typeset.india_code()


@pytest.fixture(scope="session")
def filled_once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Gives a folder that all processes share: one of them fills it, the others wait."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def filled(name: str, fill: Callable[[Path], object]) -> Path:
        folder, done = shared / name, shared / f"{name}.done"
        with FileLock(shared / f"{name}.lock"):
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)  # of a process that failed
                folder.mkdir()
                fill(folder)
                done.touch()
        return folder

    return filled


@pytest.fixture(scope="session")
def tiny_model(filled_once: Once) -> Path:
    """A sentence encoder with random weights, in the layout of the hub."""
    from tests.tiny_model import write_tiny_model

    return filled_once("model", lambda folder: write_tiny_model(folder / "tiny")) / "tiny"


@pytest.fixture(scope="session")
def once_indexed(filled_once: Once, lantern_pdf: bytes, tiny_model: Path) -> Path:
    """Artefacts of the two Acts, indexed once. To be read or copied, not to be changed."""
    from citegrain.flows.index.run import run_index
    from citegrain.flows.shared.settings import load_settings
    from tests.flows.conftest import Quiet, common, write_corpus

    def index(folder: Path) -> None:
        write_corpus(folder, lantern_pdf)
        run_index(load_settings(common(folder, tiny_model)), Quiet())

    return filled_once("indexed", index) / "artifacts"


@pytest.fixture(scope="session")
def ablated(
    tmp_path_factory: pytest.TempPathFactory, once_indexed: Path, lantern_pdf: bytes, tiny_model: Path
) -> Ablated:
    """A small factorial study, run once: tests that use it share the xdist group ``studies``."""
    from tests.flows.tiny_study import ablate_tiny

    return ablate_tiny(tmp_path_factory.mktemp("ablated"), once_indexed, lantern_pdf, tiny_model)

"""kill -9 of a re-index: the old build answers, the next run completes, and what is left can be cleared."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from citegrain.flows.reindex.run import run_reindex
from citegrain.flows.reindex.steps import NO_CHANGE, REPORT
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.settings import Settings, load_settings
from citegrain.tasks.core.store.files import REINDEX_LOCK
from citegrain.tasks.core.store.gc import collect_garbage
from citegrain.tasks.evaluation.promotion import PROMOTED
from citegrain.tasks.offline.index import read_pointer
from tests import typeset
from tests.conftest import ROOT
from tests.flows.conftest import Quiet, common
from tests.flows.study.test_bench import benched, write_stories

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("studies")]
STORY = "The keeper was not paid his wages"


@pytest.fixture
def overrides(indexed: Path, corpus: Path, tmp_path: Path, tiny_model: Path) -> list[str]:
    return [*common(tmp_path, tiny_model), *benched(write_stories(tmp_path))]


def with_rule(number: int) -> bytes:
    """The lantern Act with a section that names a number."""
    chapter, heading, sections = typeset.LANTERN.chapters[1]
    text = f"The Central Government may make rule number {number} of lanterns."
    added = typeset.Section("4B", "Rules", [text])
    chapters = [typeset.LANTERN.chapters[0], (chapter, heading, [*sections, added])]
    return typeset.india_code(replace(typeset.LANTERN, chapters=chapters))


class Reader:
    """Who asks the published build while it is being replaced."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.folder = settings.builds_folder / "mine"
        self.pointer = self.folder / "current"
        self.answers: dict[str, list[str]] = {}
        self.count = 0

    def ask(self) -> str:
        """Ask; a build answers as it did the first time it was asked. The name of the build that is current."""
        name = read_pointer(self.pointer)
        build = Build.open(self.folder / name, self.settings.models_folder)
        hits = [hit.chunk_id for hit in build.search(STORY, k=3)]
        assert hits
        assert self.answers.setdefault(name, hits) == hits
        self.count += 1
        return name


def reindex_until(overrides: list[str], reader: Reader, seconds: float) -> bool:
    """Re-index in a process of its own and kill it after ``seconds``, asking all the while; whether it was at work."""
    process = subprocess.Popen(
        [sys.executable, "-m", "citegrain", "reindex", *overrides],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        reader.ask()
        time.sleep(min(0.25, max(0.0, end - time.monotonic())))
    at_work = process.poll() is None
    if at_work:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    reader.ask()
    assert at_work or process.returncode == 0
    return at_work


def completes(settings: Settings, reader: Reader, before: str) -> None:
    """The next run makes what the killed ones did not, and what is current then is new."""
    outcome = run_reindex(settings, Quiet())
    assert outcome.state in (PROMOTED, NO_CHANGE)
    assert reader.ask() == outcome.build.name != before


DIES = """
import os, signal, sys
from citegrain.flows.reindex import run, steps
from citegrain.flows.shared.progress import Silent
from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.offline.index import publishing
calls = []
def dies(*given, **named):
    calls.append(given)
    if len(calls) < {call}:
        return was(*given, **named)
    os.kill(os.getpid(), signal.SIGKILL)
was, {place} = {place}, dies
run.run_reindex(load_settings(sys.argv[1:]), Silent())
"""


@pytest.mark.parametrize(
    ("place", "call"),
    [
        pytest.param("run.gate", 1, marks=pytest.mark.slow),  # the new build is there
        pytest.param("steps.write_table", 1, marks=pytest.mark.slow),
        pytest.param("steps.write_record", 1, marks=pytest.mark.slow),  # the report is there
        pytest.param("steps.index.publish", 1, marks=pytest.mark.slow),  # it is recorded
        pytest.param(
            "publishing.write_atomically", 2, marks=pytest.mark.slow
        ),  # previous is written, current is not
    ],
)
def test_killed_where_it_matters_the_old_build_stays_and_the_next_run_completes(
    overrides: list[str], corpus: Path, place: str, call: int
) -> None:
    settings = load_settings(overrides)
    reader = Reader(settings)
    before = reader.ask()
    (corpus / "lantern.pdf").write_bytes(with_rule(0))
    process = subprocess.Popen(
        [sys.executable, "-c", DIES.format(place=place, call=call), *overrides],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.wait(300) == -signal.SIGKILL
    os.killpg(process.pid, signal.SIGKILL)  # Prefect's server, which outlives it
    assert reader.ask() == before
    completes(settings, reader, before)


@pytest.mark.slow
def test_thirty_kills(overrides: list[str], corpus: Path, tmp_path: Path, tiny_model: Path) -> None:
    settings = load_settings(overrides)
    reader = Reader(settings)
    # how long one takes that nobody disturbs
    (corpus / "lantern.pdf").write_bytes(with_rule(0))
    began = time.monotonic()
    assert not reindex_until(overrides, reader, 600.0)
    seconds = time.monotonic() - began

    rng = random.Random(0)  # noqa: S311
    killed: list[float] = []
    versions = 0
    while len(killed) < 30:
        before = reader.ask()
        versions += 1
        (corpus / "lantern.pdf").write_bytes(with_rule(versions))
        for _ in range(3):
            moment = rng.uniform(0.0, seconds)
            if not reindex_until(overrides, reader, moment) or reader.ask() != before:
                break
            killed.append(moment)
        completes(settings, reader, before)
    print(f"undisturbed {seconds:.1f} s; {reader.count} answers; killed after", *sorted(killed))  # noqa: T201

    clean = load_settings([*overrides, f"artifacts='{tmp_path / 'clean'}'"])
    for version in (versions - 1, versions):
        (corpus / "lantern.pdf").write_bytes(with_rule(version))
        run_reindex(clean, Quiet())
    for side in (settings, clean):
        collect_garbage(side.artifacts_folder, time.time() + 10 * 86_400)
    assert contents(settings) == contents(clean)
    assert reader.ask() == read_pointer(clean.builds_folder / "mine" / "current")


def contents(settings: Settings) -> set[str]:
    """Everything in the store and the builds, but the reports beside builds that are not current.

    Rows count by their keys: which segment they are in is a matter of the order they were made in.
    """
    artifacts = settings.artifacts_folder
    files = {
        str(path.relative_to(artifacts))
        for folder in (settings.store_folder, settings.builds_folder)
        for path in folder.rglob("*")
        if path.is_file() and "rows" not in path.parts and path.name != REINDEX_LOCK
    }
    rows = {
        f"{segment.parent.relative_to(artifacts)}/{key}"
        for segment in settings.store_folder.glob("*/rows/*/*.parquet")
        for key in pq.read_table(segment).column(0).to_pylist()
    }
    current = read_pointer(settings.builds_folder / "mine" / "current")
    others = {name for name in files if REPORT in name and current not in name}
    return files - others | rows | {path.name for path in settings.reports_folder.glob(".*")}

"""A corpus folder of our own Acts and settings that keep everything in a temporary folder."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from citegrain.flows.cli import terminal
from citegrain.flows.cli.main import app
from citegrain.flows.shared.settings import Settings, load_settings
from citegrain.flows.study.study import Study
from citegrain.tasks.core.stage import Tables
from tests import typeset

BELL = typeset.renamed(typeset.LANTERN, "THE BELL RINGERS (WELFARE) ACT, 2013", "4 of 2013")


class Quiet:
    """Progress that is kept instead of shown."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.steps: list[str] = []
        self.totals: dict[str, int] = {}
        self.counted: Counter[str] = Counter()

    @contextmanager
    def step(self, name: str, total: int) -> Iterator[Callable[[int], None]]:
        self.steps.append(name)
        self.totals[name] = total
        yield lambda n: self.counted.update({name: n})

    def say(self, line: str) -> None:
        self.lines.append(line)


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """``citegrain`` in this process: a process of its own takes seconds to load the same modules.

    An exception that no command caught, which the user would see as a traceback, is raised.
    """

    def run(*arguments: str, width: int = 200, typed: str | bytes = "") -> Done:
        for console in (terminal.out, terminal.err):
            monkeypatch.setattr(console, "_width", width)
        result = CliRunner().invoke(app, list(arguments), input=typed)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Done(result.exit_code, result.stdout, result.stderr)

    return run


def write_corpus(folder: Path, lantern: bytes) -> Path:
    """Two Acts in ``folder/pdfs``."""
    pdfs = folder / "pdfs"
    pdfs.mkdir()
    (pdfs / "lantern.pdf").write_bytes(lantern)
    (pdfs / "bell.pdf").write_bytes(typeset.india_code(BELL))
    return pdfs


def common(folder: Path, model: Path) -> list[str]:
    """Overrides: the corpus of ``folder``, its artefacts beside it, one worker since each costs its start."""
    return [
        "corpus=folder",
        f"corpus.path='{folder / 'pdfs'}'",
        "corpus.name=mine",
        "embed=hub",
        f"embed.model='{model}'",
        f"artifacts='{folder / 'artifacts'}'",
        "parse.ocr=off",
        "runner.workers=1",
    ]


@pytest.fixture
def corpus(tmp_path: Path, lantern_pdf: bytes) -> Path:
    return write_corpus(tmp_path, lantern_pdf)


@pytest.fixture
def settings(tmp_path: Path, corpus: Path, tiny_model: Path) -> Callable[..., Settings]:
    def make(*overrides: str) -> Settings:
        return load_settings([*common(tmp_path, tiny_model), *overrides])

    return make


def finished(study: Study) -> tuple[Study, Tables, Path]:
    """A study with its tables as they were written, and its folder."""
    tables = {path.stem: pq.read_table(path) for path in study.folder.glob("*.parquet")}
    return study, tables, study.folder


def copy_artifacts(source: Path, target: Path) -> None:
    """Artefacts for a test of its own; the folder of the Prefect server, which is at work, stays."""
    shutil.copytree(source, target, ignore=lambda folder, names: ["prefect"] if folder == str(source) else [])


@pytest.fixture
def indexed(once_indexed: Path, tmp_path: Path) -> Path:
    """The test's own artefacts hold the two Acts already."""
    copy_artifacts(once_indexed, tmp_path / "artifacts")
    return tmp_path / "artifacts"

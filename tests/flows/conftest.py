"""A corpus folder of our own Acts and settings that keep everything in a temporary folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from flows.settings import Settings, load_settings
from tests import typeset

BELL = typeset.renamed(typeset.LANTERN, "THE BELL RINGERS (WELFARE) ACT, 2013", "4 of 2013")


class Quiet:
    """Progress that is kept instead of shown."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.steps: list[str] = []

    @contextmanager
    def step(self, name: str, total: int) -> Iterator[Callable[[int], None]]:
        self.steps.append(name)
        yield lambda n: None

    def say(self, line: str) -> None:
        self.lines.append(line)


@pytest.fixture
def corpus(tmp_path: Path, lantern_pdf: bytes) -> Path:
    folder = tmp_path / "pdfs"
    folder.mkdir()
    (folder / "lantern.pdf").write_bytes(lantern_pdf)
    (folder / "bell.pdf").write_bytes(typeset.india_code(BELL))
    return folder


@pytest.fixture
def settings(tmp_path: Path, corpus: Path, tiny_model: Path) -> Callable[..., Settings]:
    def make(*overrides: str) -> Settings:
        return load_settings(
            [
                "corpus=folder",
                f"corpus.path='{corpus}'",
                "corpus.name=mine",
                "embed=hub",
                f"embed.model='{tiny_model}'",
                f"artifacts='{tmp_path / 'artifacts'}'",
                "parse.ocr=off",
                "runner.workers=2",
                *overrides,
            ]
        )

    return make

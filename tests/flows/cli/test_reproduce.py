"""``citegrain reproduce`` as a user meets it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from citegrain.flows.index.run import run_index
from citegrain.flows.shared.settings import Settings
from tests.conftest import ROOT
from tests.flows.conftest import Done, Quiet

Run = Callable[..., Done]


@pytest.fixture
def reproduce(call: Run, tmp_path: Path) -> Run:
    return lambda *words: call("reproduce", *words, f"artifacts='{tmp_path / 'artifacts'}'", width=100)


def test_without_a_build_the_rest_is_shown(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "citegrain", "reproduce", f"artifacts='{tmp_path / 'artifacts'}'"],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False, env=os.environ | {"COLUMNS": "100"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "no build is published yet" in done.stdout and "not measured" in done.stdout
    assert "[89.8%, 96.5%]" in done.stdout and "contradicts" in done.stdout
    page = (tmp_path / "artifacts" / "reports" / "reproduce.md").read_text(encoding="utf-8")
    assert "| 1 | primary: interval | [89.8%, 96.5%] | [89.8%, 96.5%] | reproduced (arithmetic) |" in page


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["corpus.name=none"], 1, "no build in it"),
        (["--study", "none"], 1, "none: there is no study of this name"),
        (["chunk.colour=red"], 2, "colour"),
    ],
)
def test_what_cannot_be_done_is_one_line(reproduce: Run, arguments: list[str], code: int, words: str) -> None:
    done = reproduce(*arguments)
    assert done.returncode == code and words in done.stderr and "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.prefect
@pytest.mark.usefixtures("indexed")
@pytest.mark.xdist_group("prefect")
def test_a_build_beside_the_published_rows(
    settings: Callable[..., Settings], reproduce: Run, tmp_path: Path
) -> None:
    report = json.loads(reproduce("corpus.name=mine", "--json").stdout)
    assert "chunk=thesis" in report["remarks"][1] and "corpus.path=DIR" in report["remarks"][1]
    rows = {o["published"]["id"]: o for s in report["sections"] for o in s["outcomes"]}
    assert rows["documents"]["ours"] == "2" and rows["documents"]["status"] == "differs"
    assert rows["size"]["status"] == "reproduced" and rows["width"]["ours"] == "all-mpnet-base-v2"
    assert {o["status"] for o in rows.values()} == {"reproduced", "differs", "not reproducible"}

    run_index(settings("chunk=thesis"), Quiet())
    target = tmp_path / "elsewhere" / "page.md"
    done = reproduce("--to", str(target))
    assert "strategy statutory, size 700, overlap 85, header none" in " ".join(done.stdout.split())
    assert "citegrain index" not in done.stdout and target.is_file()
    assert not [x for x in done.stdout.splitlines()[:-1] if len(x) > 100]

"""What every command line has: its version, its configuration, a dry run, the time left, help in groups."""

from __future__ import annotations

import errno
import importlib.metadata
import io
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
import yaml
from rich.console import Console
from typer.main import get_command

from citegrain.flows.cli import index, terminal
from citegrain.flows.cli.index import computed_units
from citegrain.flows.cli.main import app, main
from citegrain.flows.cli.session import Session
from citegrain.flows.reindex.steps import ReindexOutcome
from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.core.store import files
from citegrain.tasks.evaluation.promotion import Verdict
from tests.conftest import ROOT
from tests.flows.conftest import Done, common

Call = Callable[..., Done]
COMMANDS = get_command(app).commands  # type: ignore[attr-defined]
ALONE = sorted(set(COMMANDS) - {"ask", "check", "compare", "documents", "graph", "replies", "store"})


def test_the_version_is_that_of_the_package(call: Call) -> None:
    done = call("--version")
    assert done.returncode == 0 and done.stdout == f"citegrain {importlib.metadata.version('citegrain')}\n"


@pytest.mark.parametrize(
    "command",
    [
        *([name] for name in ALONE),
        *(["ask", "wages"], ["compare", "a"], ["graph", "IPC 302"], ["store", "gc"]),
        *(["check", "a.txt"], ["documents", "mine"]),
        *(["replies", "export", "a.jsonl"], ["replies", "import", "a.jsonl"]),
    ],
    ids=" ".join,
)
def test_every_command_prints_its_configuration_and_does_nothing(
    call: Call, command: list[str], tmp_path: Path
) -> None:
    done = call(*command, "--cfg", "fuse.depth=7", f"artifacts='{tmp_path / 'a'}'")
    assert done.returncode == 0, done.stderr
    printed = yaml.safe_load(done.stdout)
    assert printed["fuse"]["depth"] == 7 and printed["chunk"]["strategy"] == "statutory"
    assert {"parse", "corpus", "embed", "artifacts", "schedule"} <= set(printed)
    assert not (tmp_path / "a").exists()


def test_a_configuration_is_printed_as_it_is_read(call: Call) -> None:
    given = ["experiment=naive_rag", "corpus.name=mine"]
    printed = yaml.safe_load(call("bench", *given, "--cfg").stdout)
    again = load_settings(["corpus=published", *given])
    assert printed["retrieve"]["channels"] == list(again.cascade.retrieve.channels)
    assert printed["chunk"] == vars(again.documents["chunk"]) and printed["corpus"]["kind"] == "published"


def test_commands_that_take_long_have_a_dry_run() -> None:
    options = {name: {o for p in command.params for o in p.opts} for name, command in COMMANDS.items()}
    planned = {name for name, listed in options.items() if "--dry-run" in listed}
    assert {"index", "reindex", "bench", "sweep", "ablate", "calibrate", "train"} <= planned
    assert not any("--plan" in listed for listed in options.values())


def test_dry_runs_do_nothing(call: Call, tmp_path: Path, corpus: Path) -> None:
    where = ["corpus=folder", f"corpus.path='{corpus}'", "corpus.name=mine", f"artifacts='{tmp_path / 'a'}'"]
    for command in ("index", "reindex"):
        done = call(command, "--dry-run", *where)
        assert done.returncode == 0 and "0 already present" in done.stdout, done.stderr
    done = call("calibrate", "--dry-run", *where, "benchmark=constitution_dev")
    assert "lambda: 4 values by ndcg_10, rule supported" in done.stdout
    assert not list((tmp_path / "a").glob("builds/*")) and not (tmp_path / "a" / "reports").exists()


def test_a_bar_shows_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(terminal, "err", Console(file=screen, force_terminal=True, width=100, no_color=True))
    with terminal.Terminal().step("embed", 4) as done:
        done(1)
    shown = re.sub(r"\x1b\[[\d;]*m", "", screen.getvalue())
    assert re.search(r"1/4 0:00:0\d left \S", shown)


def test_completion_can_be_installed(call: Call) -> None:
    assert "--install-completion" in call("--help").stdout


MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_make_help_is_in_groups() -> None:
    done = subprocess.run(["make", "-C", ROOT, "-s", "help"], capture_output=True, text=True, check=True)
    groups = [block.splitlines() for block in done.stdout.strip("\n").split("\n\n")]
    heads = [lines[0] for lines in groups[1:]]
    assert heads == ["Start here", "Measure", "Keep up to date", "Train and add models", "Develop"]
    rows = [line for lines in groups for line in lines if line.startswith("  ")]
    listed = {row.split()[0] for row in rows if not row.startswith(" " * 3)}  # else an example
    assert all(len(row) <= 80 or row.lstrip().startswith("make ") for row in rows)
    phony = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert phony is not None and listed == set(phony[1].split())


def test_the_demo_says_what_it_does_and_what_next() -> None:
    numbers = ["one", "two", "three", "four", "five", "six", "seven"]
    measured = numbers[len(load_settings(["sweep=baselines"]).sweep.members()) - 1]
    recipe = MAKEFILE.partition("\ndemo:")[2].partition("\n\n")[0]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = next(line for line in readme.splitlines() if line.startswith("make demo"))
    for text in (recipe.splitlines()[0], shown):
        assert f"ask three questions, measure {measured} configurations" in text
    head, *targets = recipe.splitlines()[-4:]
    assert "What next:" in head
    for target, line in zip(("ask", "ui", "index"), targets, strict=True):
        assert f"echo '  make {target}" in line


def test_help_says_of_every_command_what_it_does(call: Call) -> None:
    for group in ((), ("store",), ("replies",)):
        listed = call(*group, "--help", width=80).stdout.partition("Commands:")[2]
        assert listed.count("\n") > 1 and "..." not in listed


def test_no_bar_and_no_empty_line_where_no_terminal_is(capsys: pytest.CaptureFixture[str]) -> None:
    with terminal.Terminal().step("parse", 2) as done:
        done(2)
    assert capsys.readouterr() == ("", "")


def test_a_log_says_now_and_then_how_far_a_stage_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0, 30, 61, 100, 130, 200, 810, 2000, 8000])
    monkeypatch.setattr(terminal, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    with terminal.Terminal().step("embed", 14_000) as done:
        # under a minute; the first; too soon; 10% more; under 10%; ten minutes; a texts beyond the total
        for n in (100, 600, 700, 700, 100, 100, 10_000, 1_700):
            done(n)
    assert capsys.readouterr().err.splitlines() == [
        "embed: 700 of 14,000 (5%) in 61 s, about 19 min left",
        "embed: 2,100 of 14,000 (15%) in 2 min, about 12 min left",
        "embed: 2,300 of 14,000 (16%) in 14 min, about 1 h 09 min left",
        "embed: 12,300 of 14,000 (88%) in 33 min, about 5 min left",
        "embed: 14,000 of 14,000 (100%) in 2 h 13 min, about 0 s left",
    ]


def test_signs_that_a_terminal_does_not_know_end_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    for name in ("stdout", "stderr"):
        monkeypatch.setattr("sys." + name, io.TextIOWrapper(written, encoding="ascii", write_through=True))
    where = ["corpus=folder", "corpus.path='/none – é'", "corpus.name=x"]
    monkeypatch.setattr("sys.argv", ["citegrain", "index", *where])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2 and written.getvalue() == b"citegrain: /none ? ?: no such folder\n"
    assert terminal.json_text({"a": "–"}) == '{"a": "\\u2013"}'


def test_a_full_or_read_only_folder_is_one_line_before_prefect_starts(
    call: Call, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiny_model: Path
) -> None:
    artifacts = tmp_path / "artifacts"
    where = common(tmp_path, tiny_model)
    for number, words in (
        (errno.ENOSPC, f"no space left on the device that holds {artifacts / 'prefect'}: free some"),
        (errno.EROFS, f"{artifacts / 'prefect'} cannot be written: Read-only file system"),
    ):
        error = OSError(number, os.strerror(number), "probe")
        monkeypatch.setattr(files.os, "fsync", Mock(side_effect=error))
        done = call("index", *where)
        assert done.returncode == 1 and done.stderr.splitlines()[1].startswith(f"citegrain: {words}")
        assert len(done.stderr.splitlines()) == 2 and not list((artifacts / "prefect").iterdir())


def test_a_write_cut_short_and_a_file_in_the_place_of_a_folder(tmp_path: Path) -> None:
    files.check_writable(tmp_path / "a/b", 1 << 20)
    assert not list((tmp_path / "a/b").iterdir())
    (tmp_path / "file").touch()
    with pytest.raises(files.StoreError, match="file/prefect: Not a directory"):
        files.check_writable(tmp_path / "file" / "prefect", 1)


def test_what_was_made_is_counted_in_words() -> None:
    assert computed_units({"parse": 1, "chunk": 2, "embed": 37, "index": 1}, 9) == [
        "1 document parsed", "2 chunked", "37 texts embedded (9 longer than the encoder reads at once)", "1 build"
    ]  # fmt: skip
    assert computed_units({"embed": 1}, 0) == ["1 text embedded"]


def test_full_counts_as_the_answer_does(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    charges = [{"law": f"Act, section {n}", "chunk_id": f"c{n}", "provision_id": f"p{n}"} for n in (1, 3)]
    answered = SimpleNamespace(content={"charges": charges, "error": ""})
    text = "{0[chunk_id]} {0[provision_id]}".format
    monkeypatch.setattr("citegrain.tasks.online.answer.full_text", lambda build, charge: text(charge))
    session = Session(SimpleNamespace(build=None), "")  # type: ignore[arg-type]
    session._last = answered  # type: ignore[assignment]
    session._full("2")
    assert capsys.readouterr().out == "Act, section 3\nc3 p3\n"
    session._full("3")
    assert ":full N, N from 1 to 2" in capsys.readouterr().err


@pytest.mark.parametrize("excluded", [[], ["c1"]])
def test_a_reindex_without_a_benchmark_counts_no_answers(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, excluded: list[str]
) -> None:
    verdict = Verdict({}, {query: ["x/1"] for query in excluded}, [], {}, [])
    index._show_outcome(ReindexOutcome("promoted", tmp_path, verdict=verdict, report=tmp_path))
    shown = capsys.readouterr().out
    assert "nothing could be compared" in shown and ("answers changed" in shown) == bool(excluded)

"""``citegrain agreement``: what it prints of passes, splits, gaps and differences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner, Result

from citegrain.flows.cli.main import app
from citegrain.flows.shared.library import Build
from citegrain.tasks.online.builds import BuildError
from tests.tasks.evaluation.benchmark.samples import IPC, NIA, guide_record, write_lines

Cited = list[tuple[str, str]]
CHEQUE, CHEATING = (NIA, "138"), (IPC, "420")


def labels(cited: Cited) -> dict[str, Any]:
    applicable = [{"act": act, "section": section} for act, section in cited]
    return {"primary": applicable[0] if applicable else None, "applicable": applicable}


def record(name: str, *cited: tuple[str, str]) -> dict[str, Any]:
    return guide_record(id=name, **labels(list(cited)))


def pass_line(name: str, *cited: tuple[str, str], **more: Any) -> dict[str, Any]:
    return {"id": name, "reason": f"why {name}"} | labels(list(cited)) | more


def run(path: Path, *words: str, name: str = "mine") -> Result:
    words = ("benchmark=file", f"benchmark.path='{path}'", f"benchmark.name={name}", *words)
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, ["agreement", *words])


@pytest.fixture
def test_split(tmp_path: Path) -> Path:
    """Three complaints of test and one of dev; two passes that differ on one of each."""
    write_lines(tmp_path / "dev.jsonl", record("d1", CHEATING))
    complaints = record("t1", CHEQUE), record("t2", CHEATING, CHEQUE), record("t3")
    path = write_lines(tmp_path / "test.jsonl", *complaints)
    write_lines(
        tmp_path / "pass-1.jsonl",
        pass_line("t1", CHEQUE), pass_line("t2", CHEQUE, CHEATING), pass_line("t3"), pass_line("d1", CHEATING),
    )  # fmt: skip
    write_lines(
        tmp_path / "pass-2.jsonl",
        pass_line("t1", CHEQUE), pass_line("t2", CHEATING, CHEQUE), pass_line("t3"), pass_line("d1", CHEQUE), pass_line("x9"),
    )  # fmt: skip
    settled = pass_line("t2", CHEATING, CHEQUE, follows="pass-2", reason="he deceived")
    write_lines(tmp_path / "settled.jsonl", settled)
    return path


def test_passes_are_compared_with_each_other_and_with_the_records(test_split: Path) -> None:
    done = run(test_split, "benchmark.split=test")
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    titles = [line.strip() for line in lines if "intervals" in line]
    pairs = ("pass-1 and pass-2", "pass-1 and records", "pass-2 and records")
    assert titles == [f"{pair}, mine: 95% intervals" for pair in pairs]
    assert lines[1].split() == ["test", "dev", "+", "test"]
    assert lines[2].split() == ["n", "=", "3", "n", "=", "4"]
    first = next(line for line in lines if line.startswith("same primary"))
    assert "0.667 [" in first and "0.500 [" in first
    assert "same date" not in done.output, "no pass has dates"
    kappa = next(line for line in lines if line.startswith("kappa"))
    assert "0.500 [" in kappa, "cheque cheque none, cheque cheating none: (2/3 - 1/3) / (1 - 1/3)"


def test_differences_and_how_they_were_settled(test_split: Path) -> None:
    done = run(test_split)
    settled = "passes differ on 1 of 3, 1 of them in the primary\n  settled: 1 for pass-2\n"
    assert f"\ntest: {settled}" in done.output
    assert "dev + test: passes differ on 2 of 4, 2 of them in the primary" in done.output
    assert "  not settled: d1\n" in done.output
    assert "he deceived" not in done.output
    listed = run(test_split, "--list").output
    assert listed.endswith(
        "t2\n"
        f"  pass-1: {NIA}/138, {IPC}/420\n"
        f"  pass-2: {IPC}/420, {NIA}/138\n"
        f"  settled, pass-2: {IPC}/420, {NIA}/138\n"
        "    he deceived\n"
    )


def test_what_is_not_settled_is_listed_with_the_reasons_of_the_passes(test_split: Path) -> None:
    listed = run(test_split.with_name("dev.jsonl"), "--list").output
    assert listed.endswith(f"d1\n  pass-1: {IPC}/420\n    why d1\n  pass-2: {NIA}/138\n    why d1\n")


def test_a_pass_alone_is_compared_with_the_records(test_split: Path) -> None:
    for name in ("pass-2.jsonl", "settled.jsonl"):
        test_split.with_name(name).unlink()
    done = run(test_split)
    assert done.exit_code == 0
    assert done.output.startswith("records and pass-1, mine: 95% intervals")
    assert done.output.count("intervals") == 1


def test_gaps_are_listed_and_other_names_than_splits_are_alone(test_split: Path) -> None:
    path = write_lines(test_split.with_name("my.jsonl"), record("t1", CHEQUE), record("t9", CHEQUE))
    done = run(path)
    assert done.exit_code == 0
    assert "pass-1 lacks 1 of 2 complaints: t9\n" in done.output
    assert "n = 1" in done.output and " + " not in done.output


def test_a_contradicted_record_is_listed(test_split: Path) -> None:
    write_lines(test_split, record("t1", CHEATING), record("t2", CHEQUE), record("t3"))
    contradicting = "records that contradict what was settled or what the passes agree on: t1, t2\n"
    assert contradicting in run(test_split).output


def test_names_are_not_markup(test_split: Path) -> None:
    test_split.with_name("pass-1.jsonl").rename(test_split.with_name("pass-[red].jsonl"))
    assert "pass-2 and pass-[red], mine" in run(test_split).output


@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        ("pass-1.jsonl", pass_line("t1", CHEQUE, reason=None), ":1: reason: must be a string, not null"),
        ("settled.jsonl", pass_line("t1", CHEQUE, follows="me"), ":1: follows: must be one of neither"),
        ("test.jsonl", {"id": "t1"}, ":1: text: is missing"),
        ("pass-1.jsonl", b"", ": contains no labels"),
    ],
)
def test_faults(test_split: Path, file: str, line: Any, message: str) -> None:
    write_lines(test_split.with_name(file), line)
    done = run(test_split)
    assert done.exit_code == 2 and f"{file}{message}" in done.output and "Traceback" not in done.output


def test_an_id_in_both_splits(test_split: Path) -> None:
    write_lines(test_split.with_name("dev.jsonl"), record("t1", CHEQUE))
    done = run(test_split)
    assert done.exit_code == 2 and "an id appears twice" in done.output


def test_no_pass_at_all(tmp_path: Path) -> None:
    done = run(write_lines(tmp_path / "my.jsonl", record("a", CHEQUE)))
    assert done.exit_code == 1
    assert "contains no labelling pass" in done.output and done.output.count("\n") == 1


class Stub:
    """What the command reads of a build: one provision, in the words of the complaint but for two."""

    def table(self, schema: Any) -> pa.Table:
        return pa.table({"provision_id": ["n/138"], "text": ["Where a cheque has bounced"]})

    def labelled(self, act: str, section: str) -> list[str]:
        return ["n/138"] if (act, section) == CHEQUE else []


def test_the_overlap_is_printed_where_a_build_is(test_split: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Build, "open", lambda path, models: Stub())
    # "My cheque bounced and he laughs at me": cheque and bounce of cheque, bounce, laugh
    overlap = "content words of a complaint in its primary provision, median: informal 0.667 (n = 1)"
    assert overlap in run(test_split, "corpus.name=mine").output
    assert "content words" not in run(test_split).output


def test_a_build_that_is_not_there_takes_one_line(test_split: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(path: Path, models: Path) -> Build:
        raise BuildError("no build in it")

    monkeypatch.setattr(Build, "open", missing)
    done = run(test_split, "corpus.name=mine")
    assert done.exit_code == 1 and done.output.endswith("citegrain: no build in it\n")

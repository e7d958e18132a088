"""What docs/benchmarks.md shows is so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from citegrain.tasks.evaluation.benchmark import read_passes, read_settled
from citegrain.tasks.evaluation.benchmark.jsonl import FIELDS
from citegrain.tasks.evaluation.benchmark.records import Domain
from tests.tasks.evaluation.benchmark.samples import IPC, guide_record, load, refusal, write_lines

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "benchmarks.md").read_text(encoding="utf-8")


def test_the_example_loads(tmp_path: Path) -> None:
    example = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert example
    path = tmp_path / "my.jsonl"
    path.write_text(example[1], encoding="utf-8")
    assert [r.in_scope for r in load(path)] == [True, False]


def test_the_pass_and_the_settled_line_load(tmp_path: Path) -> None:
    _, labels, settled, _ = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "pass-2.jsonl").write_text(labels, encoding="utf-8")
    (tmp_path / "settled.jsonl").write_text(settled, encoding="utf-8")
    passes = read_passes(tmp_path)
    assert passes[0].dates and list(passes[0].labels) == ["cheque-1"]
    assert read_settled(tmp_path, passes)["cheque-1"].follows == "pass-2"


def test_the_text_to_which_nothing_applies_loads(tmp_path: Path) -> None:
    path = tmp_path / "beyond.jsonl"
    path.write_text(re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)[-1], encoding="utf-8")
    assert load(path, form="out_of_scope").records[0].elsewhere == "The Indian Easements Act, 1882"


def test_every_field_and_domain_is_named() -> None:
    assert all(f"`{name}`" in PAGE for name in (*FIELDS, *get_args(Domain)))


def test_the_errors_shown_are_those_given(tmp_path: Path) -> None:
    section, part, number = ({"act": IPC, "section": s} for s in ("302", "302(1)", 303))
    first, third, ninth = (
        guide_record(id="cheque-1"),
        guide_record(id="a", primary=part),
        guide_record(id="b", primary=section, applicable=[section, number]),
    )
    last = b'{"id": "cheque-2", "text": "He paid me a lot" "'
    path = write_lines(
        tmp_path / "my.jsonl", first, b"", third, *[b""] * 3, first, b"", ninth, b"", b"", last
    )
    assert refusal(load, path).replace(str(path), "my.jsonl") in PAGE

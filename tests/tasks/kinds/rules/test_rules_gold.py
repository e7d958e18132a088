"""The rules of real gazettes against their gold. Needs the shared folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citegrain.tasks.kinds.rules import READER
from tests.tasks.kinds.readings import structured

pytestmark = [pytest.mark.corpus, pytest.mark.xdist_group("gold")]


def test_numbers_and_headings_of_rules(shared: Path) -> None:
    folder = shared / "corpus" / "rules"
    gold: dict[str, dict[str, str]] = {}
    for row in map(json.loads, (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines()):
        gold.setdefault(row["file"], {})[row["rule"]] = row["heading"]
    both = read = headed = 0
    for file, expected in gold.items():
        _, tables = structured((folder / file).read_bytes(), name=file, reader=READER)
        assert {row["verdict"] for row in tables["reports"].to_pylist()} == {"sound"}, file
        rules = [row for row in tables["provisions"].to_pylist() if row["kind"] == "rule"]
        headings = {rule["number"]: rule["heading"] for rule in rules}
        both += len(headings.keys() & expected.keys())
        read += len(headings)
        headed += sum(headings.get(n, "").lower() == h.strip(" .").lower() for n, h in expected.items())
    total = sum(map(len, gold.values()))
    assert both >= 0.97 * read and both >= 0.97 * total
    assert headed >= 0.95 * total

"""Replies of a model: exported with a card, without texts where asked for, and taken over by their digest."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from citegrain.tasks.core.endpoint import Endpoint, ask_model, read_replies, reply_rows
from tests.bad_server import misbehaving
from tests.tasks.core.endpoint.test_batch import CONFIG, PROMPTS, Number

Call = Callable[..., Any]


def keep_replies(store: Path) -> None:
    with misbehaving("good", script=lambda data: json.dumps({"n": 7})) as server:
        live = Endpoint(server.url, "m")
        ask_model(PROMPTS, live, CONFIG, Number, reply_rows(store, "judge", live, CONFIG))


def test_replies_are_exported_and_taken_over(call: Call, tmp_path: Path) -> None:
    first, second = (f"artifacts='{tmp_path / name}'" for name in ("a", "b"))
    keep_replies(tmp_path / "a" / "store")
    file = tmp_path / "out" / "m.jsonl"
    done = call("replies", "export", str(file), first, "--day", "2026-11-28")
    assert done.returncode == 0 and done.stdout.startswith("3 replies of m: "), done.stderr
    card = json.loads((tmp_path / "out" / "m.jsonl.card.json").read_text())
    assert (card["models"], card["day"], card["replies"], card["texts"]) == (["m"], "2026-11-28", 3, True)
    again = file.read_bytes()
    assert call("replies", "export", str(file), first).returncode == 0 and file.read_bytes() == again
    for _ in range(2):  # what is there already is not added once more
        assert call("replies", "import", str(file), second).returncode == 0
    assert len(read_replies(tmp_path / "b" / "batch" / "replies.jsonl")) == 3
    assert (tmp_path / "b" / "batch" / "replies.jsonl").read_bytes() == again
    none = call("replies", "export", str(file), first, "--model", "x")
    assert none.returncode == 1 and "no reply of x is kept" in none.stderr


def test_only_what_its_card_describes_is_taken_over(call: Call, tmp_path: Path) -> None:
    keep_replies(tmp_path / "a" / "store")
    file, where = tmp_path / "m.jsonl", f"artifacts='{tmp_path / 'a'}'"
    call("replies", "export", str(file), where, "--numbers")
    with file.open("a") as out:
        out.write("\n")
    done = call("replies", "import", str(file), where)
    assert done.returncode == 1 and "its digest is not that of its card" in done.stderr
    (tmp_path / "m.jsonl.card.json").unlink()
    assert "is missing" in call("replies", "import", str(file), where).stderr
    assert call("replies", "import", str(tmp_path / "x"), where).returncode == 2
    assert not (tmp_path / "a" / "batch").exists()

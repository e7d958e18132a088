"""Checking the citations of a file: what is printed, and the exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.flows.conftest import Done

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("commands")]


def test_the_exit_code_says_what_was_found(call: Callable[..., Done], indexed: Path, tmp_path: Path) -> None:
    def check(text: str, *words: str) -> Done:
        (tmp_path / "n.txt").write_text(text)
        return call("check", str(tmp_path / "n.txt"), "corpus.name=mine", f"artifacts='{indexed}'", *words)

    page = tmp_path / "n.html"
    words = "--json", "--to", str(page)
    right = check("Wages are due by section 3 of the Lantern Keepers (Welfare) Act, 2011.", *words)
    assert page.read_text(encoding="utf-8").count("data:image/png;base64,") == 1  # where it stands
    (cited,) = json.loads(right.stdout)["citations"]
    assert right.returncode == 0 and (cited["status"], cited["number"]) == ("in_force", "3")
    wrong = check(
        "Wages are due by section 99 of the Lantern Keepers (Welfare) Act, 2011.", "--to", str(page)
    )
    assert wrong.returncode == 1 and "1 no such provision" in wrong.stdout
    assert "no such provision" in page.read_text(encoding="utf-8")
    nothing = check("Nothing of law stands here.")
    assert nothing.returncode == 6 and "no citations found" in nothing.stderr
    assert call("check", str(tmp_path / "none.txt"), f"artifacts='{indexed}'").returncode == 2
    assert check("x", "--as-of", "yesterday").returncode == 2
    no_build = call("check", str(tmp_path / "text.txt"), "corpus.name=nosuch", f"artifacts='{indexed}'")
    assert no_build.returncode == 2 and "nosuch" in no_build.stderr
    claim = "A planet of ice melts slowly by section 3 of the Lantern Keepers (Welfare) Act, 2011."
    judged = check(claim, "--claims", "--json")
    assert judged.returncode == 1 and json.loads(judged.stdout)["claims"][0]["verdict"] == "not"
    shown = check(claim, "--claims", "--to", str(page))
    assert "1 sentences against what they cite" in shown.stdout
    assert "A planet of ice melts slowly" in page.read_text(encoding="utf-8")

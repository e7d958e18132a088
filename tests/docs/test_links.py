"""Every relative link of the pages leads to a tracked file."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```", re.DOTALL)


def _tracked(pattern: str) -> set[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", pattern],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return {ROOT / name for name in listed.stdout.split("\n") if name}


PAGES = sorted(path for path in _tracked("*.md") if "templates" not in path.parts)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page: Path) -> None:
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    links = [link.partition("#")[0] for link in LINK.findall(text) if "://" not in link]
    missing = [link for link in links if link and not (page.parent / link).exists()]
    assert not missing


def test_the_index_lists_every_page_of_docs() -> None:
    text = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    listed = {link.partition("#")[0] for link in LINK.findall(text)}
    assert {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"} <= listed

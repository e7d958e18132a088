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


def test_the_readme_lists_every_page_of_docs() -> None:
    listed = {
        link.partition("#")[0] for link in LINK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    }
    assert {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")} <= listed


def test_docs_can_be_read() -> None:
    pages = list((ROOT / "docs").glob("*.md"))
    assert len(pages) <= 12
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in pages) <= 20_000


def test_an_anchor_is_a_heading_of_its_page() -> None:
    for page in PAGES:
        for link in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
            name, _, anchor = link.partition("#")
            target = (page.parent / name) if name else page
            if anchor and "://" not in link and target.suffix == ".md":
                assert anchor in _anchors(target), f"{page.name}: {link}"


def _anchors(page: Path) -> set[str]:
    """Anchors of a page's headings, as they are made for Markdown: lower case, hyphens, no punctuation."""
    lines = CODE.sub("", page.read_text(encoding="utf-8")).splitlines()
    heads = [line.lstrip("#").strip().lower() for line in lines if line.startswith("#")]
    return {re.sub(r"[^\w\- ]", "", head).replace(" ", "-") for head in heads}

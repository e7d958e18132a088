"""Citations in 20 pages of judgments against labels by hand, made before ``check`` read them.

``judgments.jsonl`` has of each page where it stands in the text of its file and its citations: place, kind, id of
the Act (empty: not among the 51) and number. ``also``: Acts named without a year, a second report of one case,
cases called by name alone, and a judgment's own: right if found, not missed if not.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from citegrain.flows.shared.library import Build
from citegrain.tasks.law.numbers import normal
from citegrain.tasks.online.check import CheckedCitation, check_text, read_file

pytestmark = [pytest.mark.slow, pytest.mark.corpus]
_UNKNOWN = ("not_indexed", "act_not_named")


def resolved(citation: CheckedCitation, kind: str, act: str, number: str) -> bool:
    """Whether a citation was taken for what it is."""
    if not act:
        return citation.status in _UNKNOWN and (kind == "case") == (citation.kind == "case")
    return citation.act == act and (not number or normal(citation.number) == number)


def test_citations_on_pages_of_judgments(shared: Path) -> None:
    build_folder = Path(os.environ.get("CITEGRAIN_ARTIFACTS", "artifacts")) / "builds" / "acts"
    if not (build_folder / "current").is_file():
        pytest.skip("needs a build of the 51 Acts, CITEGRAIN_ARTIFACTS/builds/acts")
    build = Build.open(build_folder)
    labels = hits = right = extra = 0
    for line in Path(__file__).with_name("judgments.jsonl").read_text(encoding="utf-8").splitlines():
        page = json.loads(line)
        file = shared / "corpus" / "judgments" / f"{page['file']}.pdf"
        checked = check_text(build, read_file(file), file.name, "", "2026-11-29").citations
        on_page = [c for c in checked if page["start"] <= c.start < page["end"]]
        labels += len(page["labels"])
        for start, end, kind, act, number in page["labels"]:
            hit = next((c for c in on_page if c.start < end and start < c.end), None)
            if hit:
                on_page.remove(hit)
                hits += 1
                right += resolved(hit, kind, act, number)
        extra += sum(not any(c.start < b and a < c.end for a, b in page["also"]) for c in on_page)
    assert hits / labels >= 0.97, (hits, labels)  # 111 of 114
    assert hits / (hits + extra) >= 0.97, extra
    assert right / hits >= 0.97, (right, hits)

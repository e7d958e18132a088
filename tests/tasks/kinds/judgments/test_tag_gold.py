"""Real judgments against their gold. Needs the shared folder."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from citegrain.tasks.kinds.judgments.tag import tag
from citegrain.tasks.law.instruments import slug
from citegrain.tasks.offline.corpus.identity import load_registry
from tests.tasks.kinds.readings import of_judgment, parsed

pytestmark = [pytest.mark.corpus, pytest.mark.xdist_group("gold")]
REGISTRY = load_registry(Path("citegrain/data/registry.yaml"))
_TARGET = re.compile(r"(.+)/[a-z]+_([^_]+)")


def surnames(judges: Iterable[str]) -> list[str]:
    """Initials are written out in one place and not in another."""
    return sorted(slug(name).split("-")[-1] for name in judges)


def read(path: Path) -> tuple[dict[str, Any], set[tuple[str, str]]]:
    """What a judgment is, and the (act, section) that it cites, to the section."""
    tables = parsed(path.read_bytes())
    provisions = of_judgment(tables, REGISTRY, path.name)["provisions"]
    references, _ = tag(provisions.to_pylist(), REGISTRY)
    targets = [_TARGET.match(r["target_id"]) for r in references if r["target_id"]]
    return tables["judgments"].to_pylist()[0], {(m[1], m[2].lower()) for m in targets if m}


def test_front_and_cited_sections_of_judgments(shared: Path) -> None:
    folder = shared / "corpus" / "judgments"
    gold = list(map(json.loads, (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines()))
    cited = n_right = 0
    right = dict.fromkeys(("case_name", "court", "date", "judges", "citations"), 0)
    for expected in gold:
        judgment, sections = read(folder / expected["file"])
        right["case_name"] += slug(judgment["case_name"]) == slug(expected["case_name"])
        right["court"] += judgment["court"] == expected["court"]
        right["date"] += judgment["date"].isoformat() == expected["date"]
        right["judges"] += surnames(judgment["bench"]) == surnames(expected["judges"])
        right["citations"] += sorted(judgment["citations"]) == sorted(expected["citations"])
        # the gold names the main ones, so that only what is missed can be counted
        wanted = {
            (slug(statute["act"]), section.partition("(")[0].lower())
            for statute in expected["statutes_cited"]
            for section in statute["sections"]
        }
        cited += len(wanted)
        n_right += len(wanted & sections)
    assert min(right.values()) >= 0.9 * len(gold), right
    assert n_right >= 0.95 * cited, f"{n_right} of {cited}"

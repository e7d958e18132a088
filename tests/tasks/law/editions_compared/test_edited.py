"""Acts that were edited on purpose: one version set as the Gazette prints, the other as India Code.

The texts are those of the gold sections, of Acts that have no pair in ``test_versions``. No footnote
tells of the edits. Needs the shared folder.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from citegrain.tasks.law.editions_compared import AMENDING, amendments
from tests import typeset
from tests.tasks.law.editions_compared.acts import NEW, read
from tests.tasks.law.editions_compared.test_versions import PAIRS

pytestmark = [pytest.mark.corpus, pytest.mark.xdist_group("amendments")]

NUMBERS = {"one": "two", "two": "three", "three": "six", "five": "seven", "six": "nine", "ten": "fifteen", "thirty": "sixty"}  # fmt: skip
SMALL, LARGE = 15, 70  # sections of an Act
NOTHING_LEFT = re.compile(r"Rep\.|Omitted|Repealed")


def gold_acts(shared: Path) -> dict[str, list[typeset.Section]]:
    acts: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in (shared / "gold" / "sections.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        acts[row["act"]].append(row)
    paired = {stem.partition("__v")[0].replace("_", "-") for stem in PAIRS.values()}
    return {
        act: sections
        for act, rows in sorted(acts.items())
        if act not in paired and SMALL <= len(rows) <= LARGE and len(sections := written(rows)) >= SMALL
    }


def written(rows: list[dict[str, Any]]) -> list[typeset.Section]:
    out = []
    for row in rows:
        text = " ".join(re.sub(r"[\[\]*^<>]", "", row["text"]).split())
        gone = NOTHING_LEFT.search(text[:80] + row["heading"])
        if text and not gone and re.fullmatch(r"\d+[A-Z]*", row["section"]):
            out.append(typeset.Section(row["section"], row["heading"].strip(" ."), paragraphs(text)))
    return out


def paragraphs(text: str) -> list[str]:
    return [p for p in re.split(r" (?=\((?:\d+|[a-z])\) )", text) if p]


def edited(text: str, rng: Random) -> str:
    """The text with a number, a negation, a conjunction or a word changed, or words added or gone."""
    words = text.split(" ")
    for way in rng.sample(["number", "not", "joining", "word", "more", "less"], 6):
        places = {
            "number": [i for i, w in enumerate(words) if w in NUMBERS],
            "joining": [i for i, w in enumerate(words) if w in ("and", "or")],
            "word": [i for i, w in enumerate(words) if w.isalpha() and len(w) > 6],
        }.get(way, [])
        at = rng.choice(places) if places else -1
        if way == "not" and " shall " in text and " shall not " not in text:
            return text.replace(" shall ", " shall not ", 1)
        if way == "less" and len(words) > 25:
            first = rng.randrange(5, len(words) - 15)
            return " ".join(words[:first] + words[first + 8 :])
        if at >= 0:
            other = {"joining": "or" if words[at] == "and" else "and", "word": "Tribunal"}
            words[at] = other.get(way) or NUMBERS[words[at]]
            return " ".join(words)
    return text.rstrip(" .") + ", subject to such conditions as may be prescribed."


def amended(sections: list[typeset.Section], rng: Random) -> tuple[list[typeset.Section], dict[str, str]]:
    """A later version of an Act, and what was done; its first and last section stay."""
    out = [sections[0]]
    done: dict[str, str] = {}
    numbers = {s.number for s in sections}
    for section in sections[1:-1]:
        chance = rng.random()
        if chance < 0.06:
            done[section.number] = "omitted"
        elif chance < 0.16:
            text = edited(" ".join(section.paragraphs), rng)
            out.append(replace(section, paragraphs=paragraphs(text)))
            done[section.number] = "substituted"
        else:
            out.append(section)
        if chance > 0.94 and section.number.isdigit() and f"{section.number}A" not in numbers:
            text = (
                "An inspector may, at all reasonable times, examine any record that is kept under this Act."
            )
            out.append(typeset.Section(f"{section.number}A", "Power to call for records", [text]))
            done[f"{section.number}A"] = "inserted"
    return [*out, sections[-1]], done


LAYOUTS = {
    "from the Gazette": (typeset.gazette, typeset.india_code),
    "to the Gazette": (typeset.india_code, typeset.gazette),
}


@pytest.mark.parametrize("way", ["from the Gazette", pytest.param("to the Gazette", marks=pytest.mark.slow)])
def test_edits_are_found_and_nothing_else(shared: Path, way: str) -> None:
    first, second = LAYOUTS[way]
    rng = Random(8)  # noqa: S311
    have: set[tuple[str, str, str]] = set()
    want: set[tuple[str, str, str]] = set()
    for act, sections in gold_acts(shared).items():
        later, done = amended(sections, rng)
        was, now = (replace(typeset.LANTERN, chapters=[("I", "PRELIMINARY", s)]) for s in (sections, later))
        rows = amendments(read(first(was)), read(second(now), NEW)).to_pylist()
        have |= {(act, r["number"], r["kind"]) for r in rows if r["kind"] in AMENDING}
        want |= {(act, number, kind) for number, kind in done.items()}
    assert len(want) > 60
    assert len(have & want) >= 0.97 * len(have), sorted(have - want)
    assert len(have & want) >= 0.97 * len(want), sorted(want - have)

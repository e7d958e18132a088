"""Whether the verdict on a reading is right: real Acts, typeset from their gold sections, whole and damaged.

``python -m tools.small_acts SALT`` draws Acts by the hash of SALT and their id, half of them with fewer than
15 sections, sets each in one of six layouts, and counts: whole ones that are called doubtful, and damaged
ones with fewer than nine of ten sections that are called sound. Needs the shared folder. An Act once looked
at is not unseen any more: draw with another salt.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from citegrain.tasks.law.instruments import slug
from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.structure import ActSpan, structure_document
from citegrain.tasks.offline.structure.soundness import last_sections
from tests import typeset
from tests.conftest import shared_folder
from tests.typeset import Act, Section

_SMALL = 15
_NUMBER = re.compile(r"(\d+)[A-Z]{0,3}")
_MARKS = re.compile(r"\^\d+|[*†]+")
_OMITTED = re.compile(r"^\W*(?:\^\d+)?\*(?:\s*\*){2,}\W*$")
_NEXT = re.compile(r"\((?:\d{1,3}[A-Z]?|[a-z]{1,4})\)|Provided|Explanation|Illustration|\* \*")
_REPEALED = "Rep. by the Repealing and Amending Act, 1938 (1 of 1938), s. 2 and Sch."


def gold_acts(shared: Path) -> dict[str, Act]:
    """Acts by id, as their sections stand in the gold; what it leaves out is printed as repealed."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with gzip.open(shared / "gold" / "central_acts_sections.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            rows[row["act"]].append(row)
    return {act: _act(of_act) for act, of_act in rows.items()}


def _act(rows: Sequence[dict[str, Any]]) -> Act:
    sections: list[Section] = []
    for row in rows:
        number = row["section"].replace("-", "").replace(" ", "")
        match = _NUMBER.fullmatch(number)
        if match is None or any(s.number == number for s in sections):
            continue
        last = int(_NUMBER.match(sections[-1].number)[1]) if sections else 0  # type: ignore[index]
        for gone in range(last + 1, min(int(match[1]), last + 40)):
            sections.append(Section(str(gone), "[Repealed.]", [_REPEALED]))
        heading = _MARKS.sub("", row["heading"]).strip(" .")
        sections.append(Section(number, heading or "Untitled", _paragraphs(row["text"])))
    first = rows[0]
    return Act(
        first["title"].upper(), f"{first['number']} of {first['year']}", [("I", "PRELIMINARY", sections)]
    )


def _paragraphs(text: str) -> list[str]:
    """The lines of a section joined to paragraphs."""
    out: list[str] = []
    for part in text.split("\n"):
        line = "* * * * *" if _OMITTED.match(part) else " ".join(_MARKS.sub("", part).split())
        if not line:
            continue
        if out and not (_NEXT.match(line) or out[-1].endswith((".", ":", ";", "—", "*"))):
            out[-1] = f"{out[-1]} {line}"
        else:
            out.append(line)
    return out or ["* * * * *"]


def _plain(act: Act, *, contents: bool, bold: bool) -> bytes:
    """As small Acts are printed: no Chapters."""
    front = typeset._front(act) if contents else ""
    body = "".join(typeset._paragraph(s, bold=bold, inline=True) for s in act.sections)
    return typeset.saved(typeset.story(front + typeset._opening(act) + body))


Layout = Callable[[Act], bytes]
LAYOUTS: dict[str, Layout] = {
    "india code": typeset.india_code,
    "as on": lambda act: typeset.india_code(act, as_on="1st May, 2024"),
    "gazette": typeset.gazette,
    "plain, contents": lambda act: _plain(act, contents=True, bold=False),
    "plain": lambda act: _plain(act, contents=False, bold=False),
    "bold": lambda act: _plain(act, contents=False, bold=True),
}


def noise(heading: str, number: str, chance: random.Random) -> Section:
    """A number and a heading as OCR may leave them: dots and dashes gone, letters for digits, marks before."""
    kind = chance.randrange(5)
    words = "".join(chance.choice("ceo~") if c in "aeo" and chance.random() < 0.3 else c for c in heading)
    if kind == 0:
        return Section("", words, [])  # the number is lost
    if kind == 1:
        return Section("", f"{chance.choice('~;|')} {chance.choice(['S', 'j', '%', 'ii', 'T'])} {words}", [])
    if kind == 2:
        return Section("", f"{number} {words.lower()} ", [])  # neither dot nor capital
    if kind == 3:
        return Section("", f"{number[:-1]}{chance.choice('&%?')} {words}", [])
    return Section("", words.replace(" ", ""), [])


def damaged(act: Act, chance: random.Random) -> tuple[Act, Act, str]:
    """An Act as it is listed and as it is printed, and what was done to it."""
    share, sections = chance.uniform(0.15, 0.6), act.sections
    n = max(1, round(share * len(sections)))
    hit = set(chance.sample(range(len(sections)), n))
    if chance.random() < 0.5:
        remaining = [s for i, s in enumerate(sections) if i not in hit]
        return act, replace(act, chapters=[("I", "PRELIMINARY", remaining)]), f"{n} dropped"
    printed = [
        replace(noise(s.heading, s.number, chance), paragraphs=s.paragraphs) if i in hit else s
        for i, s in enumerate(sections)
    ]
    return act, replace(act, chapters=[("I", "PRELIMINARY", printed)]), f"{n} by noise"


def _printed(listed: Act, printed: Act, layout: str, chance: random.Random) -> bytes:
    """Pages of an Act whose contents list what is not printed so."""
    front = typeset._front(listed) if layout in ("india code", "as on", "plain, contents") else ""
    bold = layout in ("india code", "as on", "bold", "gazette")
    body = "".join(_noisy(s, bold=bold) for s in printed.sections)
    return typeset.saved(typeset.story(front + typeset._opening(listed) + body))


def _noisy(section: Section, *, bold: bool) -> str:
    if section.number:
        return typeset._paragraph(section, bold=bold, inline=True)
    first, *rest = section.paragraphs
    return "".join(f"<p>{html.escape(text)}</p>" for text in (f"{section.heading} {first}", *rest))


@dataclass(frozen=True)
class Judged:
    """A typeset Act: what share of its sections was read, and what the verdict is."""

    act: str
    layout: str
    damage: str
    recall: float
    verdict: str
    reason: str

    @property
    def is_complete(self) -> bool:
        """Whether nine of ten of its sections were read."""
        return self.recall >= 0.9

    @property
    def sound(self) -> bool:
        """Whether nothing is doubted: a Schedule that is cited and absent is no fault of the reading."""
        return self.verdict in ("sound", "incomplete")


def judged(act_id: str, act: Act, layout: str, damage: str, pdf: bytes) -> Judged:
    parsed = parse_document(pdf, "d" * 64, ParseConfig(ocr="off"))
    span = ActSpan("act", None, 1, 10**6, last_section=last_sections().get(slug(act.title), 0))
    tables = structure_document(parsed["documents"], parsed["lines"], [span])
    read = {p["number"] for p in tables["provisions"].to_pylist() if p["kind"] == "section"}
    numbers = [s.number for s in act.sections]
    report = (tables["reports"].to_pylist() or [{"verdict": "failed", "reason": "nothing"}])[0]
    recall = sum(n in read for n in numbers) / len(numbers)
    return Judged(act_id, layout, damage, recall, report["verdict"], report["reason"])


def draw(acts: dict[str, Act], salt: str, n: int) -> list[str]:
    """Ids of ``n`` Acts by hash, half of them small."""
    order = sorted(acts, key=lambda act: hashlib.sha256(f"{salt}{act}".encode()).hexdigest())
    small = [act for act in order if len(acts[act].sections) < _SMALL]
    large = [act for act in order if _SMALL <= len(acts[act].sections) <= 150]
    return [*small[: n // 2], *large[: n - n // 2]]


def run(acts: dict[str, Act], salt: str, n: int) -> Iterator[Judged]:
    """``n`` whole Acts and as many damaged ones, each in one of the layouts."""
    names, drawn = list(LAYOUTS), draw(acts, salt, 2 * n)
    for i, act_id in enumerate(drawn):
        act, chance = acts[act_id], random.Random(f"{salt}{act_id}")
        layout = names[i // 2 % len(names)]
        if i % 2 == 0:
            yield judged(act_id, act, layout, "", LAYOUTS[layout](act))
        else:
            listed, printed, what = damaged(act, chance)
            yield judged(act_id, act, layout, what, _printed(listed, printed, layout, chance))


def main(salt: str, n: int = 60) -> None:
    """Draw, judge and print what is wrong, and the counts."""
    shared = shared_folder()
    if shared is None:
        sys.exit("no folder of Acts: set CITEGRAIN_SHARED to one with corpus/ and gold/")
    corpus = {path.stem.replace("_", "-") for path in (shared / "corpus" / "acts").glob("*.pdf")}
    acts = {act_id: act for act_id, act in gold_acts(shared).items() if act_id not in corpus and act.sections}
    results = list(run(acts, salt, n))
    for r in results:
        if r.sound != (r.is_complete and not r.damage) and not (r.damage and r.is_complete):
            print(f"{r.act} ({r.layout}; {r.damage or 'whole'}): {r.recall:.2f} {r.verdict}: {r.reason}")
    undamaged = [r for r in results if not r.damage and r.is_complete]
    below = [r for r in results if r.damage and not r.is_complete]
    print(f"whole: {sum(not r.sound for r in undamaged)} of {len(undamaged)} doubted")
    print(f"whole, but read below .9: {sum(not r.damage and not r.is_complete for r in results)}")
    print(f"damaged, below .9: {sum(not r.sound for r in below)} of {len(below)} doubted")
    above = [r for r in results if r.damage and r.is_complete]
    print(f"damaged, yet not below .9: {sum(not r.sound for r in above)} of {len(above)} doubted")


if __name__ == "__main__":
    main(sys.argv[1], *(int(a) for a in sys.argv[2:]))

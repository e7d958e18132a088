"""How often the law of the right day is applied and its date read, on a published build: ``make as-of NAME=acts``.

Complaints are those of ``complaints_dev`` that tell a date; the test split is left alone. With the shared
folder at hand, the matched counterparts are held against its table of old and new sections too.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

from rich.console import Console

from citegrain.flows.shared.asking import open_build
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.evaluation.benchmark import Record, load_benchmark
from citegrain.tasks.evaluation.compare import wilson
from citegrain.tasks.law.asof import find_incident
from citegrain.tasks.law.correspondence import Correspondence
from citegrain.tasks.law.counterparts import MATCHED, Counterpart, changes_of
from citegrain.tasks.online.cascade import Cascade
from tests.conftest import ROOT, shared_folder

TODAY = date(2026, 11, 22)  # as_of of conf/benchmark/complaints.yaml
TABLE = Path("gold") / "old_to_new_codes.jsonl"
TABLES_ERRORS = {
    # the heading and text of the section that the table names belong to another; the one that is named has the old one's
    "CrPC": "24 42 51 79 90 95 105L 109 110 112 113 129 130 140 141 146 147 156 171 179 188 189 204 207 208 210 "
    "251 253 254 265A 265L 298 299 326 375 377 378 380 381 383 390 430 431 439 440 441A 462 465 483",
    "IPC": "124A",
}
"""Rows of the table that tell of another section than the texts do, by Act; all were read."""
TABLES_INVENTIONS = {
    "IPC": {
        "264": "false weights (264 to 267) left the penal law; 269 is failure to appear after bail",
        "265": "as 264",
        "266": "as 264",
        "267": "as 264",
        "377": "no section took its place; 71 punishes repeated offenders of rape",
        "497": "struck down in 2018 and not enacted again; 83 is a marriage ceremony gone through fraudulently",
    },
    "CrPC": {
        "8": "metropolitan areas were abolished; 7 is territorial divisions",
        "27": "jurisdiction over juveniles was left out; 21 is which Court tries what",
        "153": "inspection of weights was left out; 172 is conforming to directions of police",
        "355": "a Metropolitan Magistrate's judgment: there are none any more; 393 is every judgment",
        "404": "a Metropolitan Magistrate's statement: there are none any more; 444 is hearing of parties",
    },
}
"""Sections that the table gives a successor though none took their place, with the reason."""


def share(right: int, n: int) -> str:
    """A share with its interval."""
    interval = wilson(right, n)
    return f"{right}/{n} = {interval.value:.3f} [{interval.lo:.3f}, {interval.hi:.3f}]"


def dated() -> list[Record]:
    """Complaints of dev that tell a date."""
    path = ROOT / "data" / "benchmarks" / "complaints" / "dev.jsonl"
    return [r for r in load_benchmark(path, "complaints", "dev") if r.incident_date]


def sides(build: Build) -> dict[str, str]:
    """Of each Act that replaced another of the build or was replaced: its other."""
    act_ids = {a["act_id"] for a in build.acts}
    pairs = [(a["act_id"], a["replaced_by"]) for a in build.acts if a["replaced_by"] in act_ids]
    return dict(pairs) | {new: old for old, new in pairs}


def right_code(build: Build) -> Counter[str]:
    """Of dated complaints with the date given: ``lawful``, ``of_code``, ``answered``, ``right_side``, ``right``.

    Lawful is a complaint of which nothing returned is of a code that was no law on its day; of a code one with a
    label of one; answered if a code was returned for it, and of the right side if the first one returned
    is no other of a label's. Right is what is lawful and, where a code was returned for a code, of the right side.
    """
    cascade, other = Cascade(build, load_settings([]).cascade), sides(build)
    count: Counter[str] = Counter()
    for record in dated():
        day = record.incident_date
        hits = cascade.run({"q": record.text}, day).hits["q"]
        lawful = all(build.in_force(h.provision_id, day) for h in hits if h.act in other)
        labels = {c.act for c in record.applicable if c.act in other}
        first = next((h.act for h in hits if h.act in other), None)
        side = first is None or not labels or first in labels or other[first] not in labels
        count["lawful"] += lawful
        count["of_code"] += bool(labels)
        count["answered"] += bool(labels) and first is not None
        count["right_side"] += bool(labels) and first is not None and side
        count["right"] += lawful and side
    return count


def agreement(
    counterparts: Callable[[str], Sequence[Counterpart]],
    table: Correspondence,
    old: tuple[str, str],
    new: str,
) -> Counter[str]:
    """How matched successors agree with the table, section by section of the old Act (id, name); counts by kind."""
    count: Counter[str] = Counter()
    inventions = TABLES_INVENTIONS.get(old[1], {})
    errors = set(TABLES_ERRORS.get(old[1], "").split())
    for number, tabulated in table.between([old[1]], [new]).items():
        sections = [c.section for c in counterparts(f"{old[0]}/sec_{number}") if c.source == MATCHED]
        agrees = bool(sections) and sections[0] in tabulated
        count["tabulated"] += 1
        count["named"] += bool(sections)
        count["agrees"] += agrees
        count["right"] += agrees or (number in errors) or (number in inventions and not sections)
    return count


CODES = {
    "IPC": ("indian-penal-code-1860", "BNS"),
    "CrPC": ("code-of-criminal-procedure-1973", "BNSS"),
    "IEA": ("indian-evidence-act-1872", "BSA"),
}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="a published build")
    parser.add_argument("overrides", nargs="*")
    arguments = parser.parse_args()
    settings = load_settings(arguments.overrides)
    build = open_build(settings.builds_folder / arguments.name, settings)
    out = Console(width=120, highlight=False)
    records = dated()
    changes = changes_of(build.acts)
    given = {r.id: r.incident_date for r in records if r.incident_date}
    right_codes = right_code(build)
    out.print(
        f"dated complaints of dev, the date given, right code: {share(right_codes['right'], len(records))}"
    )
    out.print(f"  nothing of a code that was no law on the day: {share(right_codes['lawful'], len(records))}")
    out.print(
        f"  labels of a code: {right_codes['of_code']}; a code was returned for {right_codes['answered']} of them, "
        f"the first of the right side: {share(right_codes['right_side'], right_codes['answered'])}"
    )
    read = {r.id: find_incident(r.text, TODAY, changes).day for r in records}
    out.print(f"--as-of auto, the day read: {share(sum(read[r] == given[r] for r in given), len(given))}")
    shared = shared_folder()
    if shared is None:
        return
    table = Correspondence.load(shared / TABLE)
    for name, (old, new_name) in CODES.items():
        count = agreement(build.counterparts, table, (old, name), new_name)
        out.print(
            f"{name} to {new_name}: named {share(count['named'], count['tabulated'])}, as the table "
            f"{share(count['agrees'], count['tabulated'])}, right where its errors are put right "
            f"{share(count['right'], count['tabulated'])}"
        )


if __name__ == "__main__":
    main()

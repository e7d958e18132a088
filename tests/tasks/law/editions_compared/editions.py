"""Pairs of editions made on purpose: ten changes of the law and ten of print alone, each in its own section."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.tasks.law.editions_compared.edits import (
    PRINT,
    PRINT_LATER,
    PRINT_UNSEEN,
    REAL,
    REAL_LATER,
    REAL_UNSEEN,
    Edit,
    Pair,
    with_text,
)
from tests.tasks.law.editions_compared.prints import A4, BOOK, LARGE, LETTER, OFFSET, POCKET, Edition, Print
from tests.typeset import Section


@cache
def acts(shared: Path) -> dict[str, tuple[str, list[Section]]]:
    """Title and sections of Acts with 26 to 60 of them, by id."""
    by_id: dict[str, list[dict[str, Any]]] = {}
    with gzip.open(shared / "gold" / "central_acts_sections.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            by_id.setdefault(row["act"], []).append(row)
    out = {}
    for act, rows in by_id.items():
        sections = [s for row in rows if (s := section_of(row))]
        if any("AMENDMENT" in p or "Vide" in p for s in sections for p in s.paragraphs):
            continue
        if 26 <= len(sections) <= 60 and sum(len(" ".join(s.paragraphs)) for s in sections) < 45_000:
            out[act] = rows[0]["title"], sections
    return out


def section_of(row: dict[str, Any]) -> Section | None:
    text = " ".join(re.sub(r"\^\w*|[\[\]*<>]", " ", row["text"]).split())
    gone = re.search(r"Rep\.|Omitted|Repealed", text + row["heading"])
    if not text or gone or not re.fullmatch(r"\d+", row["section"]):
        return None
    paragraphs = [p for p in re.split(r" (?=\((?:\d+|[a-z])\) )", text) if p]
    return Section(row["section"], row["heading"].strip(" ."), paragraphs)


def make_pair(act: tuple[str, list[Section]], seed: int, unseen: bool, later: bool = False) -> Pair:
    """A pair of editions of an Act; ``unseen``, ``later``: with kinds of changes that only such pairs have."""
    rng = Random(seed)  # noqa: S311
    title, sections = act
    by_number = {s.number: s for s in sections}
    noted = (1.0, 0.5, 0.0)[seed % 3]
    pair = Pair(title.upper(), dict(by_number), dict(by_number), rng, noted, list(by_number)[1:-1])
    amounts = (
        "two hundred",
        "five hundred",
        "one thousand",
        "three thousand",
        "seven hundred",
        "nine thousand",
    )
    schedule = [
        f"{k}. Fee for an application under section {k + 3}, {a} rupees." for k, a in enumerate(amounts, 1)
    ]
    pair.old_schedule, pair.new_schedule = list(schedule), list(schedule)
    if noted:
        older_notes(pair)
    real = [*REAL_UNSEEN.items(), *rng.sample([*REAL.items()], len(REAL))] if unseen else rng.sample([*REAL.items()], len(REAL))  # fmt: skip
    alone = [*PRINT_UNSEEN.items(), *rng.sample([*PRINT.items()], len(PRINT))] if unseen else rng.sample([*PRINT.items()], len(PRINT))  # fmt: skip
    real_first = rng.sample(real[:7], 5) + real[7:] if unseen else real
    alone_first = rng.sample(alone[:9], 6) + alone[9:] if unseen else alone
    if later:
        real_first = [*REAL_LATER.items(), *rng.sample(real, 6)]
        alone_first = [*PRINT_LATER.items(), *rng.sample(alone, 6)]
    done(pair, real_first, pair.truth)
    done(pair, alone_first, pair.printed)
    return pair


def done(pair: Pair, edits: Sequence[tuple[str, Edit]], into: dict[str, str]) -> None:
    """Do ten edits, those that suit a section, again from the first where they are not enough."""
    count = 0
    for name, edit in [*edits, *edits]:
        if count == 10:
            return
        for number in pair.plan():
            before = set(into)
            if edit(pair, number):
                count += 1
                if name != "entry":
                    pair.free.remove(number)
                if into is pair.printed:
                    into[number] = name
                elif set(into) == before:
                    into[number] = "substituted"
                pair.log.append(f"{name}: {number}")
                break
            if name == "entry":
                break


def older_notes(pair: Pair) -> None:
    """Amendments that both editions print and note."""
    for number in pair.rng.sample(pair.free, 6):
        text = pair.old[number].paragraphs[0]
        parts = text.split()
        if len(parts) < 12:
            continue
        key = f"o{number}"
        shown = f"\x01{key}\x02[{' '.join(parts[3:6])}]"
        section = with_text(
            pair.old[number], [" ".join([*parts[:3], shown, *parts[6:]]), *pair.old[number].paragraphs[1:]]
        )
        pair.old[number] = pair.new[number] = section
        note = pair.rng.choice(["Subs. by Act 31 of 1984, s. {}, for “those of the local authority” (w.e.f. 1-1-1985).", "Ins. by Act 20 of 1978, s. {}."])  # fmt: skip
        pair.old_notes[key] = pair.new_notes[key] = note.format(number)
        pair.free.remove(number)


def editions(pair: Pair) -> tuple[Edition, Edition]:
    """The pair as what can be typeset."""
    old = Edition(pair.title, "14 of 1958", list(pair.old.values()), pair.old_schedule, pair.old_notes, misread=pair.misread[0])  # fmt: skip
    new = Edition(pair.title, "14 of 1958", list(pair.new.values()), pair.new_schedule, pair.new_notes, pair.codes, misread=pair.misread[1])  # fmt: skip
    return old, new


PRINTS: tuple[Print, ...] = (A4, LETTER, BOOK)
LATER: tuple[Print, ...] = (POCKET, LARGE, OFFSET)


def styles(seed: int, prints: tuple[Print, ...] = PRINTS) -> tuple[Print, Print]:
    """Prints of the old and the new edition of a pair."""
    return prints[seed % 3], prints[(seed // 3) % 3]

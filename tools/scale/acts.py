"""Central Acts typeset as the India Code prints them: ``python -m tools.scale.acts FOLDER [--acts 200]``.

Their sections are the gold of the shared folder; ``gold.jsonl`` beside the PDFs has what was printed. A copy
(``--copies``) is an Act of another title, of which every tenth word of the text is another word of the Act:
as long and of the same words, and not the same passages. Nothing of it is shipped.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.conftest import shared_folder
from tests.typeset import Act, india_code
from tools.small_acts import gold_acts

_CHANGED = 0.1


def perturbed(act: Act, copy: int) -> Act:
    """The ``copy``-th copy of an Act, the same on every run; copy 0 is the Act."""
    if not copy:
        return act
    chance = random.Random(f"{act.title} {copy}")
    words = [w for s in act.sections for p in s.paragraphs for w in p.split() if w.isalpha()] or ["law"]

    def changed(text: str) -> str:
        return " ".join(
            chance.choice(words) if w.isalpha() and chance.random() < _CHANGED else w for w in text.split()
        )

    sections = [replace(s, paragraphs=[changed(p) for p in s.paragraphs]) for s in act.sections]
    name, comma, year = act.title.rpartition(",")
    return replace(
        act, title=f"{name} (SERIES {copy}){comma}{year}", chapters=[("I", "PRELIMINARY", sections)]
    )


def typeset(folder: Path, task: tuple[str, Act]) -> list[dict[str, str]]:
    """Write an Act's PDF, and give a row for each section that is printed."""
    name, act = task
    (folder / f"{name}.pdf").write_bytes(india_code(act))
    return [{"act": name, "section": s.number, "heading": s.heading} for s in act.sections]


def tasks(acts: dict[str, Act], copies: int) -> Iterator[tuple[str, Act]]:
    """Name and Act of every file, all of a copy before those of the next."""
    for copy in range(copies):
        for name, act in acts.items():
            yield f"{name}{f'-{copy}' if copy else ''}", perturbed(act, copy)


def typeset_acts(folder: Path, count: int | None = None, copies: int = 1) -> None:
    """Typeset the first ``count`` Acts, in an order by chance that is always the same, on all cores."""
    shared = shared_folder()
    if shared is None:
        sys.exit("CITEGRAIN_SHARED names no folder")
    acts = gold_acts(shared)
    chosen = {name: acts[name] for name in random.Random(1).sample(sorted(acts), len(acts))[:count]}
    folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor() as pool:
        written = list(pool.map(partial(typeset, folder), tasks(chosen, copies), chunksize=4))
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for rows in written for row in rows))


def main() -> None:
    """Typeset what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--acts", type=int, default=None)
    parser.add_argument("--copies", type=int, default=1)
    given = parser.parse_args()
    typeset_acts(given.folder, given.acts, given.copies)


if __name__ == "__main__":
    main()

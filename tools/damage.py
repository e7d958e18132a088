"""How often a damaged document is called sound: Acts damaged in ways that the reader was not fitted to.

``python -m tools.damage write open FOLDER`` damages Acts of the shared folder and Acts typeset from its gold, and
``python -m tools.damage judge FOLDER`` reads them and counts those that are sound although something else was
read. Kinds and documents are halved by their hash: what is looked at and mended is ``open``; ``shut`` is opened
once, when the mending is done, and then ``later``: further kinds and typeset Acts. Each damage touches a page, a section or a fiftieth of the text.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from citegrain.tasks.core.mupdf import pymupdf
from citegrain.tasks.evaluation.compare import wilson
from citegrain.tasks.offline.corpus import Refusal, identify, load_registry
from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.structure import act_spans, structure_document
from tests.conftest import ROOT, shared_folder
from tests.damages import INVISIBLE, LATER, VISIBLE, Paper, chance_of
from tests.typeset import saved
from tools.small_acts import LAYOUTS, gold_acts

SALT = "citegrain damage 2026-12-01"
_EACH = 8  # documents a kind
_PAGES = 3, 64  # of a real Act
_SECTIONS = 12, 90  # of one that is typeset
_TITLES = ("part", "chapter")  # what they hold stands in other provisions


def is_shut(name: str) -> bool:
    """Whether a kind or a document belongs to the half that stays shut."""
    return bool(hashlib.sha256(f"{SALT}{name}".encode()).digest()[0] & 1)


@dataclass(frozen=True)
class Source:
    """A whole document."""

    name: str
    data: bytes


def sources(half: str) -> Iterator[Source]:
    """The whole documents of a half, real and typeset in turn, in the order of their hashes."""
    shared = shared_folder()
    if shared is None:
        sys.exit("no folder of Acts: set CITEGRAIN_SHARED to one with corpus/ and gold/")
    files = [f for f in (shared / "corpus" / "acts").glob("*.pdf") if is_shut(f.stem) == (half != "open")]
    files = [f for f in sorted(files) if _PAGES[0] <= len(pymupdf.open(f)) <= _PAGES[1]]
    real = [Source(f.name, f.read_bytes()) for f in files]
    present = {f.stem.replace("_", "-") for f in (shared / "corpus" / "acts").glob("*.pdf")}
    acts = {name: act for name, act in gold_acts(shared).items() if name not in present}
    names = [n for n, a in acts.items() if _SECTIONS[0] <= len(a.sections) <= _SECTIONS[1]]
    names = [n for n in names if is_shut(n) == (half != "open")]
    names.sort(key=lambda n: hashlib.sha256(f"{SALT} draw {n}".encode()).digest())
    layouts = list(LAYOUTS)
    names = names[3 * len(real) :] if half == "later" else names
    for i, name in enumerate(names[: 3 * len(real)]):
        if i < len(real):
            yield real[i]
        layout = layouts[i % len(layouts)]
        yield Source(f"{name} ({layout}).pdf", LAYOUTS[layout](acts[name]))


@dataclass(frozen=True)
class Read:
    """What was read of a document, and the verdict."""

    verdict: str
    reason: str
    law: tuple[int, ...]
    provisions: tuple[tuple[str, str, str], ...]
    notes: int

    @property
    def is_sound(self) -> bool:
        return self.verdict == "sound"


def parsed_tables(data: bytes) -> dict[str, Any]:
    return dict(parse_document(data, "d" * 64, ParseConfig(ocr="off")))


def read(parsed: dict[str, Any], name: str) -> Read:
    """Read a document from what ``parse`` made of it."""
    acts = identify(parsed["documents"].to_pylist()[0], load_registry(ROOT / "data" / "registry.yaml"), name)
    if isinstance(acts, Refusal):
        return Read("refused", acts.reason, (), (), 0)
    tables = structure_document(parsed["documents"], parsed["lines"], act_spans(acts), pages=parsed["pages"])
    reports = tables["reports"].to_pylist() or [{"verdict": "failed", "reason": "nothing was read"}]
    worst = next((r for r in reports if r["verdict"] != "sound"), reports[0])
    counts: Counter[int] = Counter()
    notes = 0
    for row in tables["coverage"].to_pylist():
        counts[row["page"]] += row["n_chars"] * (row["place"] == "provision")
        notes += row["n_chars"] * (row["place"] == "footnote")
    provisions = tuple(
        (
            p["kind"],
            p["number"],
            " ".join(f"{p['heading']} {'' if p['kind'] in _TITLES else p['text']}".split()),
        )
        for p in tables["provisions"].to_pylist()
    )
    law = tuple(sorted(page - 1 for page, n in counts.items() if n >= 400))
    return Read(worst["verdict"], worst["reason"], law, provisions, notes)


def changed(before: Read, after: Read) -> bool:
    """Whether other law was read, or a footnote less."""
    return before.provisions != after.provisions or before.notes - after.notes > 200


def write(half: str, folder: Path) -> None:
    """Damaged documents of a half, what ``parse`` made of them, and which would be another reading."""
    folder.mkdir(parents=True, exist_ok=True)
    sound_ones: list[tuple[Source, Read]] = []
    rows: list[dict[str, Any]] = []
    for number, source in enumerate(sources(half)):
        parsed = parsed_tables(source.data)
        _keep(folder / f"w{number}", parsed)
        reading = read(parsed, source.name)
        rows.append({"file": f"w{number}", "name": source.name, "kind": "", "verdict": reading.verdict})
        if reading.is_sound and len(reading.law) > 2:
            sound_ones.append((source, reading))
    halved = {
        name: kind for name, kind in {**VISIBLE, **INVISIBLE}.items() if is_shut(name) == (half == "shut")
    }
    kinds = LATER if half == "later" else halved
    for name, damage in kinds.items():
        chance = chance_of(f"{SALT}{name}")
        done = 0
        for source, before in chance.sample(sound_ones, len(sound_ones)):
            other = chance.choice([s.data for s, _ in sound_ones if s is not source])
            with pymupdf.open(stream=source.data, filetype="pdf") as document:
                if damage(Paper(document, before.law, other, chance)) is False:
                    continue
                data = saved(document)
            parsed = parsed_tables(data)
            if not changed(before, read(parsed, source.name)):
                continue
            file = f"{name}-{done}"
            _keep(folder / file, parsed)
            (folder / f"{file}.pdf").write_bytes(data)
            rows.append({"file": file, "name": source.name, "kind": name})
            done += 1
            if done == _EACH:
                break
        print(f"{name}: {done}", flush=True)
    (folder / "rows.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")


def _keep(path: Path, parsed: dict[str, Any]) -> None:
    for name in ("documents", "pages", "lines"):
        pq.write_table(parsed[name], f"{path}.{name}.parquet")


def _stored(path: Path) -> dict[str, Any]:
    return {name: pq.read_table(f"{path}.{name}.parquet") for name in ("documents", "pages", "lines")}


def judge(folder: Path, chosen: Sequence[str] = (), *, anew: bool = False) -> None:
    """Read damaged documents and print which are sound, and the counts; ``anew``: parse them, too."""
    sound, n, doubted = Counter[str](), Counter[str](), []
    for row in json.loads((folder / "rows.json").read_text(encoding="utf-8")):
        kind = row["kind"]
        if chosen and kind not in chosen:
            continue
        path = folder / row["file"]
        fresh = anew and path.with_suffix(".pdf").exists()
        parsed = parsed_tables(path.with_suffix(".pdf").read_bytes()) if fresh else _stored(path)
        reading = read(parsed, row["name"])
        if not kind:
            doubted += [] if reading.is_sound else [f"{row['name']}: {reading.verdict}: {reading.reason}"]
            n[""] += 1
            continue
        n[kind] += 1
        sound[kind] += reading.is_sound
        print(
            "SOUND" if reading.is_sound else "     ", row["file"], row["name"][:50], "|", reading.reason[:150]
        )
    for kind in filter(None, n):
        print(f"{kind}: {sound[kind]} of {n[kind]} sound")
    print(*doubted, f"whole ones not sound: {len(doubted)} of {n.pop('', 0)}", sep="\n")
    for what, kinds in (("visible", {**VISIBLE, **LATER}), ("invisible", INVISIBLE)):
        of_these = [kind for kind in n if kind in kinds]
        done = wilson(sum(sound[kind] for kind in of_these), sum(n[kind] for kind in of_these))
        print(f"{what}: {done.value:.1%} [{done.lo:.1%}, {done.hi:.1%}] sound, n {done.n}")


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2], Path(sys.argv[3]))
    else:
        judge(Path(sys.argv[2]), [a for a in sys.argv[3:] if a != "anew"], anew="anew" in sys.argv)

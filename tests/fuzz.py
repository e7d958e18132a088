"""Files of each format, changed at random and indexed beside a good one: ``make fuzz``.

No change may bring a traceback or a hang, and the good file must be indexed. The same seed gives the same files.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from tests import office, typeset
from tests.conftest import ROOT
from tests.flows.conftest import common
from tests.tiny_model import write_tiny_model

SEED = 21
_GOOD = "good.pdf"
_TIMEOUT = 60  # seconds for a file; all are small
_HOSTILE = (
    b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>',
    b"<a>" * 400,
    b"\x00\xff\xfe" * 20,
    b"&undefined;&#0;&#xFFFFFFFF;",
    b"<table><tr><td>" * 60,
    b"1" * 5_000,
    "ﷺ\u202eधारा".encode(),
)
_NUMBERS = (b"-1", b"0", b"99999999999999999999", b"NaN", b"1e400", b"", b"\xd9\xa3")
_WRONG = re.compile("internal error|took longer|brought down|memory")
_IN_QUOTES = re.compile(rb'"[^"<>]{0,60}"')


def changed(data: bytes, chance: random.Random) -> bytes:
    """Some bytes of a file changed, cut out, doubled or put in."""
    for _ in range(chance.choice((1, 1, 2, 5, 20))):
        if not data:
            break
        a = chance.randrange(len(data))
        b = min(len(data), a + int(chance.expovariate(1 / 60)) + 1)
        kind = chance.randrange(7)
        if kind == 0:
            data = data[:a] + bytes(chance.randrange(256) for _ in range(b - a)) + data[b:]
        elif kind == 1:
            data = data[:a] + data[b:]
        elif kind == 2:
            data = data[:b] + data[a:b] * chance.choice((1, 2, 50)) + data[b:]
        elif kind == 3:
            data = data[:a]
        elif kind == 4:
            data = data[:a] + chance.choice(_HOSTILE) + data[a:]
        elif kind == 5:
            data = data[:a] + bytes(b - a) + data[b:]
        else:
            quoted = list(_IN_QUOTES.finditer(data, a, min(len(data), a + 5_000)))
            if quoted:
                match = chance.choice(quoted)
                data = data[: match.start()] + b'"' + chance.choice(_NUMBERS) + b'"' + data[match.end() :]
    return data


def changed_part(data: bytes, chance: random.Random) -> bytes:
    """An archive of which one part is changed, dropped or renamed."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        names = old.namelist()
        chosen = chance.choice([n for n in names if n.endswith((".xml", ".rels"))])
        fate = chance.randrange(10)
        for name in names:
            part = old.read(name)
            if name != chosen:
                new.writestr(name, part)
            elif fate < 8:
                new.writestr(name, changed(part, chance))
            elif fate == 8:
                new.writestr(f"x{name}", part)
    return out.getvalue()


def bases() -> dict[str, list[bytes]]:
    """Good files of each ending."""
    small, large = office.lantern(), (lambda act: (act[0], act[1][:40]))(office.constitution())
    writers: dict[str, Callable[..., bytes]] = {
        ".docx": office.as_word,
        ".pptx": office.as_slides,
        ".xlsx": office.as_workbook,
        ".html": office.as_web_page,
        ".txt": office.as_text,
    }
    out = {ending: [write(*small), write(*large)] for ending, write in writers.items()}
    return out | {".pdf": [typeset.india_code(), typeset.gazette()]}


def write_files(folder: Path, ending: str, count: int) -> None:
    """Files of one ending, and the good one beside them."""
    chance = random.Random(f"{SEED}{ending}")
    files = bases()[ending]
    for number in range(count):
        data = chance.choice(files)
        zipped = data.startswith(b"PK") and chance.random() < 0.7
        data = changed_part(data, chance) if zipped else changed(data, chance)
        (folder / f"{number:04}{ending}").write_bytes(data)
    good = typeset.renamed(typeset.LANTERN, "THE GOOD LAMPS (WELFARE) ACT, 2012", "18 of 2012")
    (folder / _GOOD).write_bytes(typeset.india_code(good))


def index(folder: Path) -> tuple[Counter[str], list[str]]:
    """Index the files of a folder; how many were indexed or refused, and what went wrong."""
    settings = [*common(folder, folder.parent / "tiny"), f"runner.timeout={_TIMEOUT}", "runner.workers=2"]
    command = [sys.executable, "-m", "citegrain", "index", "--json", *settings]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    wrong = [line for line in done.stderr.splitlines() if "Traceback" in line or "Error:" in line]
    if done.returncode:
        return Counter(), [*wrong, f"exit code {done.returncode}: {done.stderr[-500:]}"]
    report = json.loads(done.stdout)
    indexed = {row["file"] for row in report["indexed"]}
    wrong += [] if _GOOD in indexed else [f"{_GOOD} was not indexed"]
    counts = Counter({"indexed": len(indexed), "refused": len(report["refused"])})
    for row in report["refused"]:
        counts[f"  {_kind(row['reason'])}"] += 1
        if _WRONG.search(row["reason"]) or "\n" in row["reason"]:
            wrong.append(f"{row['file']}: {row['reason']}")
    lost = len(list((folder / "pdfs").iterdir())) - len(indexed | {row["file"] for row in report["refused"]})
    return counts, wrong + ([f"{lost} files are not in the report"] if lost else [])


def _kind(reason: str) -> str:
    """A reason without what differs from file to file."""
    return re.sub(r"\d+", "N", reason.partition(":")[0].partition("(")[0])[:70].strip()


def main(count: int, endings: list[str]) -> int:
    """Change, index and report each format; 1 if anything went wrong."""
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        write_tiny_model(Path(temporary) / "tiny")
        for ending in endings:
            folder = Path(temporary) / ending.removeprefix(".")
            (folder / "pdfs").mkdir(parents=True)
            write_files(folder / "pdfs", ending, count)
            began = time.monotonic()
            counts, wrong = index(folder)
            print(
                f"{ending}: {count} changed files, {time.monotonic() - began:.0f} s, {len(wrong)} went wrong"
            )
            print("".join(f"  {n:5} {what}\n" for what, n in counts.most_common()), end="")
            print("".join(f"  WRONG {line}\n" for line in wrong), end="", flush=True)
            failed |= bool(wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000, sys.argv[2:] or sorted(bases())))

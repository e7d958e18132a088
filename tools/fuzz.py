"""Files of each format, changed at random and indexed beside those they were changed from: ``make fuzz``.

No change may bring a traceback or a hang, and what is not changed must be indexed: a changed copy may stand for it
only if as many sections were read in it. The same seed gives the same files.
"""

from __future__ import annotations

import html
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from io import BytesIO
from pathlib import Path

from citegrain.tasks.core.mupdf import pymupdf
from tests import office, typeset
from tests.conftest import ROOT
from tests.flows.conftest import common
from tests.tiny_model import write_tiny_model

SEED = 21
_GOOD = "good.pdf"
_INTACT = "z-intact-"  # the last by name: it is kept for what is in it
_ACTS = 100  # of one Act and version the first file is indexed, the others are refused once parsed
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
_RUN = """
import json, sys
from citegrain.flows.index.run import run_index
from citegrain.flows.shared.settings import load_settings
from tests.flows.conftest import Quiet
print(json.dumps(run_index(load_settings(sys.argv[1:]), Quiet()).report(), default=str))
"""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_NUMBERS = (b"-1", b"0", b"99999999999999999999", b"NaN", b"1e400", b"", b"\xd9\xa3")
_WRONG = re.compile("internal error|took longer|brought down|memory")
_ARTICLES = office.constitution()[1][:12]
_ELEMENT = re.compile(rb"<([\w:]+)(?: [^<>]*)?>(?:[^<>]*|(?:<[^<>]*/>)+)</\1>")
_IN_QUOTES = re.compile(rb'(?<==)"(?!http|1\.0|UTF|yes)[^"<>]{0,60}"')


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
            data = altered(data, chance)
    return data


def altered(data: bytes, chance: random.Random) -> bytes:
    """Markup that stays well-formed: some values of attributes changed, some elements cut out or doubled."""
    for _ in range(chance.choice((1, 3, 10, 40))):
        quoted, elements = list(_IN_QUOTES.finditer(data)), list(_ELEMENT.finditer(data))
        if quoted and (chance.random() < 0.7 or not elements):
            match = chance.choice(quoted)
            data = data[: match.start()] + b'"' + chance.choice(_NUMBERS) + b'"' + data[match.end() :]
        elif elements:
            match = chance.choice(elements)
            data = data[: match.start()] + match[0] * chance.choice((0, 0, 2, 30)) + data[match.end() :]
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
                new.writestr(name, (changed if fate < 4 else altered)(part, chance))
            elif fate == 8:
                new.writestr(f"x{name}", part)
    return out.getvalue()


def changed_pdf(data: bytes, chance: random.Random) -> bytes:
    """A PDF that stays well-formed: some of its streams changed, some numbers in its objects."""
    document = pymupdf.open("pdf", data)
    for _ in range(chance.choice((1, 2, 5))):
        at = chance.randrange(1, document.xref_length())
        with suppress(Exception):  # MuPDF refuses to write some
            if document.xref_is_stream(at) and chance.random() < 0.7:
                document.update_stream(at, changed(document.xref_stream(at) or b"", chance))
            else:
                numbers = list(_NUMBER.finditer(text := document.xref_object(at)))
                number = chance.choice(numbers or [None])
                if number:
                    new = chance.choice(_NUMBERS[:4]).decode()
                    document.update_object(at, text[: number.start()] + new + text[number.end() :])
    with suppress(Exception):
        data = bytes(document.tobytes())
    return data


def encoded_otherwise(data: bytes, chance: random.Random) -> bytes:
    """A text in another encoding, whether or not it says so."""
    text = data.decode()
    return text.encode(
        chance.choice(("utf-16", "utf-16-be", "utf-8-sig", "cp1252", "utf-7", "gb18030")), "replace"
    )


def _web_page_of_pdf(title: str, units: Sequence[office.Unit]) -> bytes:
    """A page as pdf2htmlEX writes them."""
    lines = [title, *(f"{u.number}. {u.heading}.—{' '.join(u.paragraphs)}" for u in units)]
    placed = "".join(f'<div class="t x0 y{at:x} fs0">{html.escape(t)}</div>' for at, t in enumerate(lines))
    rules = "".join(f".y{at:x}{{bottom:{900 - 15 * at}px}}" for at in range(len(lines)))
    style = f".w0{{width:793px}}.h0{{height:1122px}}.x0{{left:96px}}.fs0{{font-size:14px}}{rules}"
    head = f'<meta charset="utf-8"><meta name="generator" content="pdf2htmlEX"><style>{style}</style>'
    page = f'<html><head>{head}</head><body><div class="pf w0 h0">{placed}</div></body></html>'
    return page.encode()


_WRITERS: dict[str, Sequence[Callable[..., bytes]]] = {
    ".docx": (office.as_word,),
    ".pptx": (office.as_slides,),
    ".xlsx": (office.as_workbook,),
    ".html": (office.as_web_page, _web_page_of_pdf),
    ".txt": (office.as_text,),
    ".pdf": (),
}


@cache
def good_file(ending: str, name: str, which: int = 0) -> bytes:
    """A good file of an ending; ``which``: 0 to 3, of which Act and by which writer."""
    title = f"THE LAMPS OF {name} ACT, 2012"
    if ending == ".pdf":
        act = typeset.renamed(typeset.LANTERN, title, "18 of 2012")
        return (typeset.india_code, typeset.gazette)[which % 2](act)
    writers = _WRITERS[ending]
    return writers[which // 2 % len(writers)](title, (office.lantern()[1], _ARTICLES)[which % 2])


def write_files(folder: Path, ending: str, count: int) -> None:
    """Changed files of one ending, and beside them the files that they were changed from, and a good one."""
    chance = random.Random(f"{SEED}{ending}")
    for number in range(count):
        name = "".join(chr(65 + int(digit)) for digit in f"{number % _ACTS:04}")
        data = good_file(ending, name, sum(map(ord, name)) % 4)
        (folder / f"{_INTACT}{name}{ending}").write_bytes(data)
        zipped = data.startswith(b"PK") and chance.random() < 0.7
        if ending == ".pdf" and chance.random() < 0.6:
            data = changed_pdf(data, chance)
        elif ending in (".txt", ".html") and chance.random() < 0.3:
            data = (
                changed(encoded_otherwise(data, chance), chance)
                if chance.random() < 0.5
                else encoded_otherwise(data, chance)
            )
        else:
            data = changed_part(data, chance) if zipped else changed(data, chance)
        (folder / f"{number:04}{ending}").write_bytes(data)
    (folder / _GOOD).write_bytes(good_file(".pdf", "GOOD"))


def index(folder: Path) -> tuple[Counter[str], list[str]]:
    """Index the files of a folder; how many were indexed or refused, and what went wrong."""
    settings = [*common(folder, folder.parent / "tiny"), f"runner.timeout={_TIMEOUT}", "runner.workers=2"]
    command = [sys.executable, "-c", _RUN, *settings]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    wrong = [line for line in done.stderr.splitlines() if "Traceback" in line or "Error:" in line]
    if done.returncode:
        return Counter(), [*wrong, f"exit code {done.returncode}: {done.stderr[-500:]}"]
    report = json.loads(done.stdout.splitlines()[-1])
    # a change may change nothing: files with the same bytes are one document
    indexed = {file for row in report["indexed"] for file in (row["file"], *row["same_bytes"])}
    wrong += [] if _GOOD in indexed else [f"{_GOOD} was not indexed"]
    counts = Counter({"indexed": len(indexed), "refused": len(report["refused"])})
    sections = {row["file"]: row["sections"] for row in report["indexed"]}
    intact = {_which(file): n for file, n in sections.items() if file.startswith(_INTACT)}
    for row in (row for row in report["refused"] if row["file"].startswith(_INTACT)):
        holder = re.search(r"the same Act and version.* as (\S+): ", row["reason"])
        counts["intact, but a copy with as many sections stands for it"] += 1
        if not holder or sections[holder[1]] < intact.get(_which(row["file"]), 0):
            wrong.append(f"{row['file']}: displaced: {row['reason']}")
    for row in report["refused"]:
        counts[f"  {_kind(row['reason'])}"] += 1
        if _WRONG.search(row["reason"]) or "\n" in row["reason"]:
            wrong.append(f"{row['file']}: {row['reason']}")
    lost = len(list((folder / "pdfs").iterdir())) - len(indexed | {row["file"] for row in report["refused"]})
    return counts, wrong + ([f"{lost} files are not in the report"] if lost else [])


def _which(file: str) -> int:
    """Which of the good files an intact one is."""
    return sum(map(ord, file.removeprefix(_INTACT).partition(".")[0])) % 4


def _kind(reason: str) -> str:
    """A reason without what differs from file to file."""
    return re.sub(rf"\d+|{_INTACT}\w+", "N", reason.partition(":")[0].partition("(")[0])[:70].strip()


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
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000, sys.argv[2:] or sorted(_WRITERS)))

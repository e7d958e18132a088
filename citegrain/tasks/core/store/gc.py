"""Clear what no kept build needs.

Kept are the builds that ``current`` and ``previous`` name, the artefacts and rows
those were made from, and whatever is younger than a day: another process may be
at work on it.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import astuple, dataclass
from operator import add
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from citegrain.tasks.core.schemas import CHUNKS
from citegrain.tasks.core.store.artefacts import MANIFEST, OLD, restore
from citegrain.tasks.core.store.files import REINDEX_LOCK, ReindexBusy, read_pointer, reindexing
from citegrain.tasks.core.store.rows import RowStore

_DAY = 86_400.0


@dataclass(frozen=True)
class Collected:
    """What was cleared: numbers of builds, artefacts, row segments and leftovers; bytes."""

    builds: int = 0
    artefacts: int = 0
    segments: int = 0
    leftovers: int = 0
    bytes: int = 0

    def __add__(self, other: Collected) -> Collected:
        return Collected(*map(add, astuple(self), astuple(other)))


def collect_garbage(artifacts: Path, now: float, keep_seconds: float = _DAY) -> Collected:
    """Clear ``artifacts/`` of what is neither needed nor younger than ``keep_seconds``."""
    store, before = artifacts / "store", now - keep_seconds
    kept_builds, builds = _clear_builds(artifacts / "builds", before)
    used, texts = _needs(kept_builds)
    artefacts = _clear_artefacts(store, before, used)
    return builds + artefacts + _clear_rows(store, before, texts) + _clear_leftovers(artifacts, before)


def _clear_builds(builds: Path, before: float) -> tuple[list[Path], Collected]:
    """The builds that are kept, and what was cleared."""
    kept_builds: list[Path] = []
    cleared, freed = 0, 0
    for name in sorted(builds.glob("*/")):
        try:
            with reindexing(name, 0.0):
                pointed = {read_pointer(name / pointer) for pointer in ("current", "previous")}
                young = [b for b in _builds(name) if b.name in pointed or _newest(b) > before]
                old = [b for b in _builds(name) if b not in young]
                freed += sum(_remove(build) for build in old)
                freed += _clear_siblings(name, before)
        except ReindexBusy:  # the build that it judges may be an old one
            young, old = _builds(name), []
        kept_builds += young
        cleared += len(old)
    return kept_builds, Collected(builds=cleared, bytes=freed)


def _clear_siblings(name: Path, before: float) -> int:
    """What stands beside a build, such as the report of a re-index, goes with it; bytes set free."""
    alone = [p for p in sorted(name.glob("*.*/")) if not (name / p.name.partition(".")[0]).is_dir()]
    return sum(_remove(path) for path in alone if _newest(path) <= before)


def _clear_artefacts(store: Path, before: float, used: set[str]) -> Collected:
    folders = [p for p in sorted(store.glob("*/*/")) if p.parent.name != "tmp" and p.name != "rows"]
    old = [p for p in folders if f"{p.parent.name}/{p.name}" not in used and _newest(p) <= before]
    return Collected(artefacts=len(old), bytes=sum(_remove(folder) for folder in old))


def _clear_rows(store: Path, before: float, texts: set[str]) -> Collected:
    """Rows of texts that no build holds go, and what texts name, which is found again in seconds.

    Pair scores and replies are made once, ever.
    """
    segments = leftovers = freed = 0
    for segment in sorted(store.glob("graph/rows/*/*.parquet")):
        if segment.stat().st_mtime <= before:
            freed += _remove(segment)
            segments += 1
    for space in sorted(store.glob("embed/rows/*/")):
        old = [p for p in sorted(space.glob("*.parquet")) if p.stat().st_mtime <= before]
        undamaged = [p for p in old if RowStore.is_intact(p)]
        damaged = set(old) - set(undamaged)  # passed over by all who read
        freed += sum(_remove(segment) for segment in damaged)
        leftovers += len(damaged)
        if undamaged:
            schema: pa.Schema = pq.read_schema(undamaged[0]).remove_metadata()
            rows = RowStore(store, space.parent.parent.name, space.name, schema, schema.names[0])
            freed += rows.compact(texts, undamaged)
            segments += len(undamaged)
    return Collected(segments=segments, leftovers=leftovers, bytes=freed)


def _clear_leftovers(artifacts: Path, before: float) -> Collected:
    """What killed processes left half written. A folder that lost its name in a swap gets it back."""
    patterns = ("store/tmp/*", "builds/*/.*", "reports/.*", "reports/*/.*", "models/.*")
    for path in (p for pattern in patterns for p in artifacts.glob(f"{pattern}{OLD}")):
        restore(path.with_name(path.name.removeprefix(".").removesuffix(OLD)))
    hidden = sorted(p for pattern in patterns for p in artifacts.glob(pattern))
    # a lock that is held would be lost with its file: the next process would lock another one
    old = [p for p in hidden if p.name != REINDEX_LOCK and _newest(p) <= before]
    return Collected(leftovers=len(old), bytes=sum(_remove(path) for path in old))


def _builds(name: Path) -> list[Path]:
    """Builds of a name; a dot is in the name of what stands beside one."""
    return sorted(p for p in name.glob("*/") if "." not in p.name)


def _newest(path: Path) -> float:
    """Time of the last change within a folder, or of a file."""
    try:
        inside = [p.stat().st_mtime for p in path.rglob("*")] if path.is_dir() else []
        return max([path.stat().st_mtime, *inside])
    except FileNotFoundError:
        return float("inf")


def _remove(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    size = sum(p.stat().st_size for p in files if p.is_file())
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
    return size


def _needs(builds: list[Path]) -> tuple[set[str], set[str]]:
    """Artefacts (``stage/key``) and text hashes that the kept builds rest on."""
    used: set[str] = set()
    texts: set[str] = set()
    for build in builds:
        try:
            manifest = json.loads((build / MANIFEST).read_text(encoding="utf-8"))
            used.update(manifest["uses"])
            column = pq.read_table(build / CHUNKS.file, columns=["text_hash"]).column(0)
            texts.update(column.to_pylist())
        except (OSError, ValueError, KeyError):
            continue
    return used, texts

"""Clear what no kept build needs.

Kept are the builds that ``current`` and ``previous`` name, the artefacts and rows
those were made from, and whatever is younger than a day: another process may be
at work on it.
"""

from __future__ import annotations

import json
import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from citegrain.tasks.core.schemas import CHUNKS
from citegrain.tasks.core.store.artefacts import MANIFEST
from citegrain.tasks.core.store.locks import REINDEX_LOCK, ReindexBusy, reindexing
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


def collect_garbage(artifacts: Path, now: float, keep_seconds: float = _DAY) -> Collected:
    """Clear ``artifacts/`` of what is neither kept nor young.

    Parameters
    ----------
    artifacts
        The folder that holds ``store``, ``builds`` and ``reports``.
    now
        The time, seconds since the epoch.
    keep_seconds
        Age below which nothing is touched.
    """
    store, builds = artifacts / "store", artifacts / "builds"
    before = now - keep_seconds
    freed = 0
    dropped_builds = 0
    kept: list[Path] = []
    with ExitStack() as held:
        for name in sorted(builds.glob("*/")):
            try:
                held.enter_context(reindexing(name, 0.0))
            except ReindexBusy:  # the build that it judges may be an old one
                kept += _builds(name)
                continue
            named = {_line(name / pointer) for pointer in ("current", "previous")}
            for build in _builds(name):
                if build.name in named or _newest(build) > before:
                    kept.append(build)
                else:
                    freed += _remove(build)
                    dropped_builds += 1
            # what stands beside a build, such as the report of a re-index, goes with it
            for beside in sorted(name.glob("*.*/")):
                if not (name / beside.name.partition(".")[0]).is_dir() and _newest(beside) <= before:
                    freed += _remove(beside)
    used, texts = _needs(kept)
    dropped = 0
    for folder in sorted(store.glob("*/*/")):
        if folder.parent.name == "tmp" or folder.name == "rows":
            continue
        if f"{folder.parent.name}/{folder.name}" not in used and _newest(folder) <= before:
            freed += _remove(folder)
            dropped += 1
    segments = leftovers = 0
    # pair scores and replies are made once, ever: only the rows of texts that builds hold are cut down
    for space in sorted(store.glob("embed/rows/*/")):
        old = []
        for segment in (p for p in sorted(space.glob("*.parquet")) if p.stat().st_mtime <= before):
            if RowStore.whole(segment):
                old.append(segment)
            else:  # passed over by all who read
                freed += _remove(segment)
                leftovers += 1
        if old:
            schema: pa.Schema = pq.read_schema(old[0]).remove_metadata()
            rows = RowStore(store, space.parent.parent.name, space.name, schema, schema.names[0])
            freed += rows.compact(texts, old)
            segments += len(old)
    parts = ("store/tmp/*", "builds/*/.*", "reports/.*", "reports/*/.*", "models/.*")
    for part in sorted(p for pattern in parts for p in artifacts.glob(pattern)):
        # a lock that is held would be lost with its file: the next process would lock another one
        if part.name != REINDEX_LOCK and _newest(part) <= before:
            freed += _remove(part)
            leftovers += 1
    return Collected(dropped_builds, dropped, segments, leftovers, freed)


def _builds(name: Path) -> list[Path]:
    """Builds of a name; a dot is in the name of what stands beside one."""
    return sorted(p for p in name.glob("*/") if "." not in p.name)


def _line(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _newest(path: Path) -> float:
    """Time of the last change within a folder, or of a file."""
    try:
        inside = [p.stat().st_mtime for p in path.rglob("*")] if path.is_dir() else []
        return max([path.stat().st_mtime, *inside])
    except FileNotFoundError:
        return float("inf")


def _remove(path: Path) -> int:
    size = (
        sum(p.stat().st_size for p in path.rglob("*") if p.is_file())
        if path.is_dir()
        else path.stat().st_size
    )
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

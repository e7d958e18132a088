"""The builds that are published."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from citegrain.tasks.core.schemas import ACTS
from citegrain.tasks.core.store.artefacts import MANIFEST
from citegrain.tasks.core.tables import read_table
from citegrain.tasks.offline.index.publishing import read_pointer

POINTERS = ("current", "previous")


@dataclass(frozen=True)
class ListedBuild:
    """A build that is current or previous.

    Attributes
    ----------
    state, since
        ``current`` or ``previous``, and since when, in seconds since 1970.
    acts, versions
        Number of Acts, and of versions of them.
    doubtful
        Documents whose sections may not have been read; 0 in a build of before that was judged.
    size
        Bytes of its files.
    """

    name: str
    key: str
    state: str
    since: float
    documents: int
    acts: int
    versions: int
    doubtful: int
    size: int


def published_names(builds: Path) -> list[str]:
    """Names under which a build is published, the one published last first."""
    pointers = sorted(builds.glob("*/current"), key=lambda p: -p.stat().st_mtime)
    return [pointer.parent.name for pointer in pointers]


def list_builds(builds: Path) -> list[ListedBuild]:
    """The current and the previous build of each name, the name published last first."""
    rows = []
    for name in published_names(builds):
        for state in POINTERS:
            key = read_pointer(builds / name / state)
            if (builds / name / key / MANIFEST).is_file() and key:
                rows.append(_listed(builds / name, state, key))
    return rows


def _listed(folder: Path, state: str, key: str) -> ListedBuild:
    manifest = json.loads((folder / key / MANIFEST).read_text(encoding="utf-8"))
    acts = read_table(folder / key / ACTS.file, ACTS).column("act_id").to_pylist()
    verdicts = manifest.get("verdicts", {})
    doubtful = verdicts.get("doubtful", 0) + verdicts.get("failed", 0)
    size = sum(file["bytes"] for file in manifest["files"].values())
    since, documents = (folder / state).stat().st_mtime, manifest["counts"]["documents"]
    return ListedBuild(folder.name, key, state, since, documents, len(set(acts)), len(acts), doubtful, size)

"""Provisions of two builds that were amended, and Acts that only one of them contains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from citegrain.tasks.core.schemas import PROVISIONS
from citegrain.tasks.law.amend import AMENDING, Comparison
from citegrain.tasks.law.citations import stands_alone

if TYPE_CHECKING:
    from citegrain.tasks.online.builds import PublishedBuild

# sections gone without a note, and their share of all: below either the file is taken to be whole
_FEW, _SHARE = 5, 0.1


def touched_ids(table: pa.Table, old: PublishedBuild, new: PublishedBuild) -> set[str]:
    """Ids of the provisions that were amended, and of those of Acts that only one build contains.

    Parts of an amended provision count too: a sub-section, an entry of a Schedule.

    Parameters
    ----------
    table
        ``AMENDMENTS`` from the old build to the new.
    """
    rows = [row for row in table.select(["kind", "old_id", "new_id"]).to_pylist() if row["kind"] in AMENDING]
    amended = {row[side] for row in rows for side in ("old_id", "new_id") if row[side]}
    in_one_build = acts_of(old) ^ acts_of(new)
    ids = {p for build in (old, new) for p in build.table(PROVISIONS).column("provision_id").to_pylist()}
    return amended | {p for p in ids if p.split("/")[0] in in_one_build or not amended.isdisjoint(_above(p))}


def unexplained_omissions(table: pa.Table, old: PublishedBuild) -> dict[str, str]:
    """Acts that lost many sections without a note, by title: a PDF with missing pages looks like that.

    Their labels count as amended and are left out of the comparison, which then misses the loss.
    """
    rows = table.select(["act_id", "kind", "evidence"]).to_pylist()
    gone = Counter(r["act_id"] for r in rows if r["kind"] == "omitted" and not r["evidence"])
    provisions = old.table(PROVISIONS).select(["act_id", "kind", "number", "version_date"]).to_pylist()
    titles = {act_id: title for act_id, title, _ in old.names()}
    out: dict[str, str] = {}
    for act_id, n in gone.items():
        sections = [r for r in provisions if r["act_id"] == act_id and stands_alone(r["kind"], r["number"])]
        versions = Counter(r["version_date"] for r in sections)
        total = max(versions.values(), default=0)
        if n >= _FEW and n > _SHARE * total:
            out[titles[act_id]] = f"{n} of {total} sections are gone, and no note says that they were omitted"
    return out


def comparison(table: pa.Table, old: PublishedBuild, new: PublishedBuild) -> Comparison:
    """The builds and Acts compared, for the report."""
    before, now = acts_of(old), acts_of(new)
    moved = set(table.column("act_id").to_pylist())
    return Comparison(
        f"build {old.folder.name[:8]}",
        f"build {new.folder.name[:8]}",
        {act_id: title for build in (old, new) for act_id, title, _ in build.names()},
        sorted((before & now) - moved),
        sorted(now - before),
        sorted(before - now),
    )


def acts_of(build: PublishedBuild) -> set[str]:
    """Ids of the Acts of a build."""
    return {act_id for act_id, _, _ in build.names()}


def _above(provision_id: str) -> Iterator[str]:
    """The provision and all that contain it."""
    while provision_id:
        yield provision_id
        provision_id = provision_id.rpartition("__")[0]

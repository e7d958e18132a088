"""What of two builds an amendment touched, and what stands in one of them alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from tasks.amend import AMENDING, Comparison
from tasks.schemas import PROVISIONS

if TYPE_CHECKING:
    from tasks.builds import Build


def touched_ids(table: pa.Table, old: Build, new: Build) -> set[str]:
    """Ids of the provisions that an amendment touched, and of those of Acts that only one build holds.

    What stands in a provision that was amended counts with it: a sub-section, an entry of a Schedule.

    Parameters
    ----------
    table
        ``AMENDMENTS`` from the one to the other.
    """
    rows = [row for row in table.select(["kind", "old_id", "new_id"]).to_pylist() if row["kind"] in AMENDING]
    amended = {row[side] for row in rows for side in ("old_id", "new_id") if row[side]}
    apart = acts_of(old) ^ acts_of(new)
    held = {p for build in (old, new) for p in build.table(PROVISIONS).column("provision_id").to_pylist()}
    return amended | {p for p in held if p.split("/")[0] in apart or not amended.isdisjoint(_above(p))}


def comparison(table: pa.Table, old: Build, new: Build) -> Comparison:
    """What the report says that was compared."""
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


def acts_of(build: Build) -> set[str]:
    """Ids of the Acts of a build."""
    return {act_id for act_id, _, _ in build.names()}


def _above(provision_id: str) -> Iterator[str]:
    """The provision and all that it stands in."""
    while provision_id:
        yield provision_id
        provision_id = provision_id.rpartition("__")[0]

"""Which chunks of a provision may be returned."""

from __future__ import annotations

from collections.abc import Sequence

from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import PublishedBuild


def lawful(
    build: PublishedBuild, provision_id: str, rows: Sequence[int], counterparts: bool, eligible: Mask
) -> list[int]:
    """Those of a provision's rows that are eligible; if none is, with ``counterparts`` its counterpart's."""
    allowed = [row for row in rows if eligible[row]]
    if not allowed and counterparts:
        return list(build.counterpart(provision_id, eligible))
    return allowed

"""Which chunks of a provision may be returned."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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


def standing(
    build: PublishedBuild, counterparts: bool, eligible: Mask
) -> Callable[[tuple[str, str]], Sequence[int]]:
    """The chunks by which what a label means stands: of each provision the first that is law.

    Returns
    -------
    Callable
        Looks a label up once a build and law: counterparts of all labels cost half a second.
    """
    law = ("standing", eligible.tobytes(), counterparts)
    known: dict[tuple[str, str], Sequence[int]] = build.shared(law, dict)

    def of(label: tuple[str, str]) -> Sequence[int]:
        if label not in known:
            rows = (
                lawful(build, p, build.rows_of(p), counterparts, eligible) for p in build.labelled(*label)
            )
            known[label] = [found[0] for found in rows if found]
        return known[label]

    return of

"""The decision on a new build: from the paired difference, and from what can no longer be read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citegrain.tasks.evaluation.compare import PROPORTION, Paired, paired


@dataclass(frozen=True)
class Changed:
    """A query whose answer moved.

    Attributes
    ----------
    before, after
        Provision ids, best first.
    causes
        Those of them that the amendment touched; none where the move has another cause, such as a term that
        became rarer.
    """

    query_id: str
    before: Sequence[str]
    after: Sequence[str]
    causes: Sequence[str]

    @property
    def came(self) -> list[str]:
        """Provisions of the new answer alone."""
        return [p for p in self.after if p not in self.before]

    @property
    def went(self) -> list[str]:
        """Provisions of the old answer alone."""
        return [p for p in self.before if p not in self.after]


@dataclass(frozen=True)
class Verdict:
    """What was decided.

    Attributes
    ----------
    compared
        Old build against new one, on the queries whose labels the amendment leaves alone; None where
        nothing was measured.
    excluded
        By id of each query whose labels it touches, the provisions of the labels that were amended.
    changed
        Queries whose answer moved.
    lost
        Documents that were read before and are not now, with what became of them.
    reasons
        Why it is refused; empty if it is not.
    measured
        The proportion and what it was measured on, for people.
    """

    compared: Paired | None
    excluded: Mapping[str, Sequence[str]]
    changed: Sequence[Changed]
    lost: Mapping[str, str]
    reasons: Sequence[str]
    measured: str = ""

    @property
    def promoted(self) -> bool:
        """Whether nothing speaks against the new build."""
        return not self.reasons


def judge(
    before: Mapping[str, float],
    after: Mapping[str, float],
    touched: Mapping[str, Collection[str]],
    changed: Sequence[Changed],
    lost: Mapping[str, str],
    most: float,
    seed: int,
    measured: str = "",
) -> Verdict:
    """Decide by the paired difference of a proportion, and by what can no longer be read.

    Refused is a build whose difference lies below 0 with its whole 95% interval, one that loses more
    than ``most``, and one for which a document that parsed before does not now.

    Parameters
    ----------
    before, after
        Value of the proportion by query id, under the old build and under the new.
    touched
        By query, its labels that were amended: they may be wrong now, and it is left out.
    most
        Greatest loss that is put up with, as a share.
    measured
        What the proportion is, and on what.
    """
    held = [q for q in before if q in after and q not in touched]
    found = paired({q: before[q] for q in held}, {q: after[q] for q in held}, PROPORTION, seed)
    reasons = [f"{name}: {why}" for name, why in lost.items()]
    if found.n and found.hi < 0:
        told = f"{_points(found.difference)} [{_points(found.lo)}, {_points(found.hi)}]"
        reasons.append(f"worse beyond chance: {told}, n = {found.n}")
    elif found.n and -found.difference > most:
        reasons.append(
            f"worse by {_points(-found.difference)}, at most {_points(most)} is put up with, n = {found.n}"
        )
    excluded = {q: sorted(touched[q]) for q in sorted(touched)}
    return Verdict(found if found.n else None, excluded, changed, dict(lost), reasons, measured)


def unasked(reasons: Sequence[str]) -> Verdict:
    """Refused without a measurement, and why."""
    return Verdict(None, {}, [], {}, list(reasons))


def moved(
    before: Mapping[str, Sequence[str]], after: Mapping[str, Sequence[str]], amended: Collection[str]
) -> list[Changed]:
    """Queries whose answer is another list of provisions, with those of both that were amended.

    Parameters
    ----------
    before, after
        Provision ids, best first, by query id.
    amended
        Ids of the provisions that were inserted, substituted, renumbered or omitted.
    """
    out = []
    for query in sorted(before.keys() & after.keys()):
        old, new = list(before[query]), list(after[query])
        if old != new:
            causes = [p for p in dict.fromkeys([*old, *new]) if p in amended]
            out.append(Changed(query, old, new, causes))
    return out


def plain(verdict: Verdict) -> dict[str, Any]:
    """The verdict as data, for the record beside the build."""
    compared = verdict.compared
    told = (
        {
            name: round(getattr(compared, name), 6)
            for name in ("difference", "lo", "hi", "n", "p", "wins", "losses")
        }
        if compared
        else None
    )
    return {
        "promoted": verdict.promoted,
        "reasons": list(verdict.reasons),
        "measured": verdict.measured,
        "compared": told,
        "excluded": {query: list(labels) for query, labels in verdict.excluded.items()},
        "lost": dict(verdict.lost),
        "changed": [
            {
                "query_id": c.query_id,
                "before": list(c.before),
                "after": list(c.after),
                "causes": list(c.causes),
            }
            for c in verdict.changed
        ],
    }


def _points(share: float) -> str:
    return f"{100 * share:+.1f} points" if share < 0 else f"{100 * share:.1f} points"

"""The decision on a new build: from the paired difference, and from documents that can no longer be read."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from citegrain.tasks.evaluation.compare import PROPORTION, Paired, paired

_NUMBERS = ("difference", "lo", "hi", "n", "p", "wins", "losses")


@dataclass(frozen=True)
class ChangedAnswer:
    """A query whose answer changed.

    Attributes
    ----------
    before, after
        Provision ids, best first.
    causes
        Those of them that were amended; none where ranks moved by new neighbours: another provision came
        close, or a term became rarer.
    """

    query_id: str
    before: Sequence[str]
    after: Sequence[str]
    causes: Sequence[str]

    @property
    def added(self) -> list[str]:
        """Provisions of the new answer only."""
        return [p for p in self.after if p not in self.before]

    @property
    def removed(self) -> list[str]:
        """Provisions of the old answer only."""
        return [p for p in self.before if p not in self.after]


@dataclass(frozen=True)
class Verdict:
    """What was decided.

    Attributes
    ----------
    compared
        New build against old one, on the queries whose labels were not amended; None where nothing was
        measured.
    excluded
        By id of each query with an amended label, the provisions of its labels that were amended.
    changed
        Queries whose answer changed.
    lost
        Documents that were read before and are not now, with the reason.
    reasons
        Why the new build is refused; empty if it is promoted.
    measured
        The proportion and the benchmark, for people.
    """

    compared: Paired | None
    excluded: Mapping[str, Sequence[str]]
    changed: Sequence[ChangedAnswer]
    lost: Mapping[str, str]
    reasons: Sequence[str]
    measured: str = ""

    @property
    def blind(self) -> str:
        """Up to which loss the benchmark sees nothing, in words; empty where nothing was compared."""
        if self.compared is None:
            return ""
        if math.isnan(self.compared.mde):
            return f"{self.compared.n} complaints are too few to see any loss beyond chance"
        return f"{self.compared.n} complaints could not have seen a loss below {_points(self.compared.mde)}"

    @property
    def promoted(self) -> bool:
        """Whether nothing speaks against the new build."""
        return not self.reasons

    def as_dict(self) -> dict[str, Any]:
        """The verdict as data, for the record beside the build."""
        compared = self.compared
        return {
            "promoted": self.promoted,
            "reasons": list(self.reasons),
            "measured": self.measured,
            "compared": {name: round(getattr(compared, name), 6) for name in _NUMBERS} if compared else None,
            "excluded": {query: list(labels) for query, labels in self.excluded.items()},
            "lost": dict(self.lost),
            "blind": self.blind,
            "changed": [asdict(answer) for answer in self.changed],
        }


def judge(
    before: Mapping[str, float],
    after: Mapping[str, float],
    touched: Mapping[str, Collection[str]],
    changed: Sequence[ChangedAnswer],
    lost: Mapping[str, str],
    most_lost: float,
    seed: int,
    measured: str = "",
) -> Verdict:
    """Decide by the paired difference of a proportion, and by what can no longer be read.

    A build is refused if the whole 95% interval of its difference lies below 0, if it loses more
    than ``most_lost``, or if a document that was read before is not read now.

    Parameters
    ----------
    before, after
        Value of the proportion by query id, under the old build and under the new.
    touched
        By query, its labels that were amended. They may be wrong now: the query is left out.
    most_lost
        Greatest loss that is allowed, as a share.
    measured
        Name of the proportion and of the benchmark.
    """
    shared = [q for q in before if q in after and q not in touched]
    compared = paired({q: before[q] for q in shared}, {q: after[q] for q in shared}, PROPORTION, seed)
    reasons = [f"{name}: {why}" for name, why in lost.items()]
    if compared.n and compared.hi < 0:
        interval = f"[{_points(compared.lo)}, {_points(compared.hi)}]"
        reasons.append(f"worse beyond chance: {_points(compared.difference)} {interval}, n = {compared.n}")
    elif compared.n and -compared.difference > most_lost:
        loss = _points(-compared.difference)
        reasons.append(f"worse by {loss}: more than the {_points(most_lost)} allowed, n = {compared.n}")
    excluded = {q: sorted(touched[q]) for q in sorted(touched)}
    return Verdict(compared if compared.n else None, excluded, changed, dict(lost), reasons, measured)


def unmeasured(reasons: Sequence[str]) -> Verdict:
    """The verdict on a build that is refused without a measurement."""
    return Verdict(None, {}, [], {}, list(reasons))


def changed_answers(
    before: Mapping[str, Sequence[str]], after: Mapping[str, Sequence[str]], amended: Collection[str]
) -> list[ChangedAnswer]:
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
            out.append(ChangedAnswer(query, old, new, causes))
    return out


def _points(share: float) -> str:
    return f"{100 * share:+.1f} points" if share < 0 else f"{100 * share:.1f} points"

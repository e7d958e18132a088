"""How far two labelling passes of a benchmark agree on what both label, and where they differ."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from citegrain.tasks.evaluation.benchmark import Labels, Pass
from citegrain.tasks.evaluation.compare import Interval, bca, kappa, wilson


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two passes agree; every figure is a share or a coefficient, with its 95% interval.

    Attributes
    ----------
    kappa
        Cohen's kappa on the primary; out of scope is one category. BCa bootstrap over complaints.
    primary
        Share of complaints with the same primary. Wilson.
    jaccard
        Mean over complaints of the Jaccard index of the two sets; 1 where both are empty. BCa.
    equal
        Share of complaints with equal sets. Wilson.
    dated
        Share of complaints with the same day of the acts, none included; of no complaint where a pass
        has no days. Wilson.
    """

    first: str
    second: str
    kappa: Interval
    primary: Interval
    jaccard: Interval
    equal: Interval
    dated: Interval

    @property
    def n(self) -> int:
        """Number of complaints compared."""
        return self.equal.n


def agree(first: Pass, second: Pass, ids: Collection[str], seed: int) -> Agreement:
    """Compare two passes on those of ``ids`` that both label.

    Sources: Cohen 1960; Jaccard 1912. Complaints are taken by id, so that their order changes no number.
    """
    both = [(first.labels[i], second.labels[i]) for i in sorted({*ids} & {*first.labels} & {*second.labels})]
    n = len(both)
    dates = first.dates and second.dates
    return Agreement(
        first.name,
        second.name,
        kappa([a.primary for a, _ in both], [b.primary for _, b in both], seed),
        wilson(sum(a.primary == b.primary for a, b in both), n),
        bca([_jaccard(a, b) for a, b in both], seed),
        wilson(sum(set(a.applicable) == set(b.applicable) for a, b in both), n),
        wilson(sum(a.incident_date == b.incident_date for a, b in both), n if dates else 0),
    )


def _jaccard(a: Labels, b: Labels) -> float:
    """Share of the provisions of either that are in both; 1 where neither has any."""
    either = {*a.applicable, *b.applicable}
    return len({*a.applicable} & {*b.applicable}) / len(either) if either else 1.0


def differing(passes: Sequence[Pass], ids: Collection[str]) -> list[str]:
    """Those of ``ids`` on which passes differ in primary or set, in order."""
    out = []
    for query in sorted(ids):
        labels = [labelled.labels[query] for labelled in passes if query in labelled.labels]
        if any(not labels[0].same(other) for other in labels[1:]):
            out.append(query)
    return out


def unlabelled(labelled: Pass, ids: Collection[str]) -> list[str]:
    """Those of ``ids`` that a pass does not label, in order."""
    return sorted({*ids} - {*labelled.labels})


def contradicted(passes: Sequence[Pass], settled: Mapping[str, Labels], records: Pass) -> list[str]:
    """Complaints whose record contradicts what was settled or, where nothing was, what all passes agree on.

    One pass alone settles nothing.
    """
    out = []
    for query, recorded in records.labels.items():
        labels = [labelled.labels[query] for labelled in passes if query in labelled.labels]
        right = settled.get(query)
        if right is None and len(labels) > 1 and all(labels[0].same(other) for other in labels[1:]):
            right = labels[0]
        if right is not None and not right.same(recorded):
            out.append(query)
    return sorted(out)

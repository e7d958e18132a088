"""The decision on a new build, from paired differences, amended provisions and lost documents; its record."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.schemas import PROVISIONS, REPORTS
from citegrain.tasks.core.store import StoreError
from citegrain.tasks.core.store.files import explain, read_pointer
from citegrain.tasks.evaluation.compare import PROPORTION, Paired, paired
from citegrain.tasks.evaluation.score import LOWER
from citegrain.tasks.law.citations import stands_alone
from citegrain.tasks.law.editions_compared import AMENDING, Comparison

if TYPE_CHECKING:
    from citegrain.tasks.online.builds import PublishedBuild

# sections gone without a note, their share of all, and that of those that differ: below, the file is whole
_FEW, _SHARE, _MOST = 5, 0.1, 0.5
_BLOCK, _LEFT = 60, 0.1  # words gone at one place that may be lost rows, and what at most takes their place
_TAKEN = re.compile(r"\b(?:subs|omitted|om|rep|repealed)\b", re.IGNORECASE)
_NUMBERS = ("difference", "lo", "hi", "n", "p", "wins", "losses")
RECORD = "promotions.jsonl"
FIRST, PROMOTED, REFUSED, ROLLED_BACK = "first build", "promoted", "refused", "rolled back"


def touched_ids(table: pa.Table, old: PublishedBuild, new: PublishedBuild) -> set[str]:
    """Ids of the provisions that were amended, and of those of Acts that only one build contains.

    Parts of an amended provision count too: a sub-section, an entry of a Schedule.

    ``table``: ``AMENDMENTS`` from the old build to the new.
    """
    rows = [row for row in table.select(["kind", "old_id", "new_id"]).to_pylist() if row["kind"] in AMENDING]
    amended = {row[side] for row in rows for side in ("old_id", "new_id") if row[side]}
    in_one_build = acts_of(old) ^ acts_of(new)
    ids = {p for build in (old, new) for p in build.table(PROVISIONS).column("provision_id").to_pylist()}
    return amended | {p for p in ids if p.split("/")[0] in in_one_build or not amended.isdisjoint(_above(p))}


def misread_editions(table: pa.Table, old: PublishedBuild, new: PublishedBuild) -> dict[str, str]:
    """Acts whose new edition looks misread, by title: much is gone or reads otherwise, and no note says why.

    Lost pages look like that, and noise. Their labels count as amended: the comparison misses the loss.
    """
    all_rows = table.select(["act_id", "kind", "number", "evidence", "changes"]).to_pylist()
    blocks = [row for row in all_rows if row["kind"] == "substituted" and _lost_block(row)]
    rows = [row for row in all_rows if not row["evidence"]]
    provisions = old.table(PROVISIONS).select(["act_id", "kind", "number", "version_date"]).to_pylist()
    titles, out = {act_id: title for act_id, title, _ in old.names()}, dict[str, str]()
    for act_id in dict.fromkeys(r["act_id"] for r in [*rows, *blocks]):
        sections = [r for r in provisions if r["act_id"] == act_id and stands_alone(r["kind"], r["number"])]
        total = max(Counter(r["version_date"] for r in sections).values(), default=0)
        gone = [r["number"] for r in rows if (r["act_id"], r["kind"]) == (act_id, "omitted")]
        differing = sum((r["act_id"], r["kind"]) == (act_id, "substituted") for r in rows)
        if len(gone) >= _FEW and len(gone) > _SHARE * total:
            why = f"{len(gone)} of {total} sections are gone, and no note says that they were omitted"
        elif gone and (more := _unread(act_id, new) - _unread(act_id, old)):
            n = max(more.values())
            why = f"{', '.join(gone)}: gone without a note, and {n} more than before listed or skipped"
        elif numbers := [r["number"] for r in blocks if r["act_id"] == act_id]:
            why = f"{', '.join(numbers)}: {_BLOCK} words or more are gone at one place, and no note says why"
        elif differing >= _FEW and differing > _MOST * total:
            why = f"{differing} of {total} sections read otherwise, and no note says why"
        else:
            continue
        out[titles[act_id]] = why
    return out


def _lost_block(row: Mapping[str, Any]) -> bool:
    """Whether much of a provision is gone at one place, and no note tells of words that were taken out."""
    sizes = [(len(c["old"].split()), len(c["new"].split())) for c in row["changes"] if c["op"] != "keep"]
    return not _TAKEN.search(row["evidence"]) and any(a >= _BLOCK and b <= _LEFT * a for a, b in sizes)


def _unread(act_id: str, build: PublishedBuild) -> Counter[str]:
    """How many numbers the latest edition of an Act lists, and how many it skips, that were not read."""
    editions = (act for act in build.acts if act["act_id"] == act_id)
    _, document = max((str(act["version_date"] or ""), act["document_id"]) for act in editions)
    edition = (pc.field("document_id") == document) & (pc.field("act_id") == act_id)
    rows = build.table(REPORTS).filter(edition).select(["n_unread", "n_gaps"]).to_pylist()
    return Counter(rows[0] if rows else {})


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


@dataclass(frozen=True)
class ChangedAnswer:
    """A query whose answer changed.

    ``before`` and ``after``: provision ids, best first. ``causes``: those of them that were amended; none
    where ranks moved by new neighbours: another provision came close, or a term became rarer.
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
        New build against old one by each metric, on the queries whose labels were not amended; a metric
        without such a query is left out.
    excluded
        By id of each query with an amended label, the provisions of its labels that were amended.
    lost
        Documents that were read before and are not now, with the reason.
    reasons
        Why the new build is refused; empty if it is promoted.
    fits
        Whether the benchmark names an Act of either build; if not, nothing is measured.
    """

    compared: Mapping[str, Paired]
    excluded: Mapping[str, Sequence[str]]
    changed: Sequence[ChangedAnswer]
    lost: Mapping[str, str]
    reasons: Sequence[str]
    benchmark: str = ""
    fits: bool = True

    @property
    def nothing(self) -> str:
        """What is said where nothing is compared."""
        if self.fits:
            return "nothing could be compared"
        return f"{self.benchmark} names no Act of this corpus, and nothing is compared by it"

    @property
    def sentences(self) -> list[str]:
        """By each metric the difference, and up to which loss the benchmark sees nothing, in words."""
        return [self._sentence(metric, compared) for metric, compared in self.compared.items()]

    def _sentence(self, metric: str, compared: Paired) -> str:
        name = f"{metric} on {self.benchmark}" if self.benchmark else metric
        better = _gain(metric, compared)
        return f"{name}: {_change(compared)}; {better.wins} better, {better.losses} worse; {_blind(compared)}"

    @property
    def promoted(self) -> bool:
        """Whether nothing speaks against the new build."""
        return not self.reasons

    def as_dict(self) -> dict[str, Any]:
        """The verdict as data, for the record beside the build."""
        return {
            "promoted": self.promoted,
            "reasons": list(self.reasons),
            "benchmark": self.benchmark,
            "benchmark_fits": self.fits,
            "compared": {
                metric: {name: round(getattr(pair, name), 6) for name in _NUMBERS} | {"blind": _blind(pair)}
                for metric, pair in self.compared.items()
            },
            "excluded": {query: list(labels) for query, labels in self.excluded.items()},
            "lost": dict(self.lost),
            "changed": [asdict(answer) for answer in self.changed],
        }


def judge(
    before: Mapping[str, Mapping[str, float]],
    after: Mapping[str, Mapping[str, float]],
    touched: Mapping[str, Collection[str]],
    changed: Sequence[ChangedAnswer],
    lost: Mapping[str, str],
    most_lost: float,
    seed: int,
    benchmark: str = "",
) -> Verdict:
    """Decide by the paired differences of proportions, and by what can no longer be read.

    A build is refused if by any of them the whole 95% interval of its difference lies on the worse side of
    0, if it loses more than ``most_lost``, a share, or if a document that was read before is not read now.

    ``before``, ``after``: value by metric and query id, under the old build and under the new. ``touched``:
    by query its labels that were amended. They may be wrong now: the query is left out.
    """
    reasons = [f"{name}: {why}" for name, why in lost.items()]
    compared: dict[str, Paired] = {}
    for metric, values in before.items():
        untouched = {q: value for q, value in values.items() if q not in touched}
        pair = paired(untouched, after.get(metric, {}), PROPORTION, seed)
        if pair.n:
            compared[metric] = pair
            reasons += _worse(metric, pair, most_lost)
    excluded = {q: sorted(touched[q]) for q in sorted(touched)}
    return Verdict(compared, excluded, changed, dict(lost), reasons, benchmark)


def _worse(metric: str, compared: Paired, most_lost: float) -> list[str]:
    """Why a metric speaks against the new build; nothing if it does not."""
    gain = _gain(metric, compared)
    if gain.hi < 0:
        return [f"{metric}: worse beyond chance: {_change(compared)}"]
    if -gain.difference > most_lost:
        loss = f"worse by {_points(-gain.difference)}: more than the {_points(most_lost)} allowed"
        return [f"{metric}: {loss}, n = {compared.n}"]
    return []


def _gain(metric: str, compared: Paired) -> Paired:
    """The comparison with better above 0, whichever way the metric goes."""
    if metric not in LOWER:
        return compared
    return replace(
        compared,
        difference=-compared.difference,
        lo=-compared.hi,
        hi=-compared.lo,
        wins=compared.losses,
        losses=compared.wins,
    )


def _change(compared: Paired) -> str:
    interval = f"[{100 * compared.lo:+.1f}, {100 * compared.hi:+.1f}]"
    return f"{100 * compared.difference:+.1f} points {interval}, n = {compared.n}"


def _blind(compared: Paired) -> str:
    """Up to which loss the benchmark sees nothing."""
    if math.isnan(compared.mde):
        return f"{compared.n} complaints are too few to see any loss beyond chance"
    return f"{compared.n} complaints could not have seen a loss below {_points(compared.mde)}"


def unmeasured(reasons: Sequence[str]) -> Verdict:
    """The verdict on a build that is refused without a measurement."""
    return Verdict({}, {}, [], {}, list(reasons))


def changed_answers(
    before: Mapping[str, Sequence[str]], after: Mapping[str, Sequence[str]], amended: Collection[str]
) -> list[ChangedAnswer]:
    """Queries whose answer is another list of provisions, with those of both that were amended.

    ``before`` and ``after``: provision ids, best first, by query id. ``amended``: ids of the provisions that
    were inserted, substituted, renumbered or omitted.
    """
    out = []
    for query in sorted(before.keys() & after.keys()):
        old, new = list(before[query]), list(after[query])
        if old != new:
            causes = [p for p in dict.fromkeys([*old, *new]) if p in amended]
            out.append(ChangedAnswer(query, old, new, causes))
    return out


def _points(share: float) -> str:
    return f"{100 * share:.1f} points"


def write_record(
    folder: Path,
    at: str,
    state: str,
    build: str,
    before: str,
    reasons: Sequence[str] = (),
    forced: bool = False,
    judged_by: str = "",
) -> None:
    """Add a decision: ``first build``, ``promoted``, ``refused`` or ``rolled back``.

    ``build``: decided on, or current after a rollback. ``before``: the build that was current. ``judged_by``:
    digest of the benchmark and of the settings of the gate. Raises StoreError if the file cannot be written.
    """
    decision: Mapping[str, Any] = {
        "at": at,
        "build": build,
        "before": before,
        "state": state,
        "forced": forced,
        "judged_by": judged_by,
        "reasons": list(reasons),
    }
    try:
        with (folder / RECORD).open("a", encoding="utf-8") as file:
            file.write(json.dumps(decision, ensure_ascii=False) + "\n")
    except OSError as error:
        raise StoreError(explain(error, folder)) from error


def earlier_refusal(folder: Path, build: str, current: str, judged_by: str) -> list[str]:
    """Why an earlier decision keeps a build from becoming current; empty where none does.

    A build that was refused beside the same current one by the same benchmark stays refused, and one that
    was rolled back is not promoted again by a schedule.
    """
    decisions = _decisions(folder)
    for last in decisions[-1:]:
        if _is(last, REFUSED, build, current) and last.get("judged_by") == judged_by:
            return [str(reason) for reason in last.get("reasons", ())]
    for moved in _moves(decisions)[-1:]:
        if _is(moved, ROLLED_BACK, current, build):
            return [f"rolled back at {moved.get('at')}: --force promotes it again"]
    return []


def in_order(before: Path, current: Path) -> tuple[Path, Path, str]:
    """Two builds, the earlier first, and when that was made current again, where it was rolled back to."""
    moves, came = _moves(_decisions(current.parent)), list[Any]()
    for move in moves:
        build, other = move.get("build"), move.get("before")
        if other not in came:
            came.append(other)
        if move.get("state") != ROLLED_BACK:
            came = [*(key for key in came if key != build), build]  # what is promoted again comes anew
        elif build not in came:
            came.insert(came.index(other), build)
    ends = [key for key in came if key in (before.name, current.name)]
    if moves and _is(moves[-1], ROLLED_BACK, current.name) and ends == [current.name, before.name]:
        return current, before, str(moves[-1].get("at"))
    return before, current, ""


def one_before(build: Path) -> str:
    """Key of the build that was current before another, which may be current no more; empty if unknown."""
    if build.name == read_pointer(build.with_name("current")):
        return read_pointer(build.with_name("previous"))
    moves = [move for move in _moves(_decisions(build.parent)) if move.get("build") == build.name]
    return str(moves[-1].get("before", "")) if moves else ""


def _is(decision: Mapping[str, Any], state: str, build: str, before: str = "") -> bool:
    at = decision.get("state"), decision.get("build")
    return at == (state, build) and before in ("", decision.get("before"))


def _moves(decisions: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The decisions after which another build was current."""
    return [decision for decision in decisions if decision.get("state") != REFUSED]


def _decisions(folder: Path) -> list[Mapping[str, Any]]:
    """The record, the oldest first, without what cannot be read of it."""
    try:
        lines = (folder / RECORD).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return []
    read = []
    for line in lines:
        with suppress(ValueError):
            read.append(json.loads(line))
    return [decision for decision in read if isinstance(decision, dict)]

"""Which provision of the old version is which of the new."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Indel

from citegrain.tasks.law.amend.differences import similarity
from citegrain.tasks.law.amend.units import Unit, Version

_MOVED = 0.85  # similarity of texts from which one was renumbered into the other
_MOVED_SAME_HEADING = 0.75  # where the headings are the same
_SHIFTED = 0.9  # similarity of texts where a number stands in both versions
_UNLIKE = 0.5  # below it, two texts under one number may be two provisions
_FEWEST_WORDS = 8


@dataclass(frozen=True)
class Match:
    """A provision of the old version and what it is in the new one; either may be missing.

    Attributes
    ----------
    source
        Another provision of the old version, whose text the new one has nearly word for word.
    """

    old: Unit | None
    new: Unit | None
    source: Unit | None = None

    @property
    def renumbered(self) -> bool:
        """Whether it has another number now."""
        return self.old is not None and self.new is not None and self.old.id != self.new.id


def match(old: Version, new: Version) -> list[Match]:
    """Pair the living provisions of two versions: by number, and by text where a number went.

    In the order of the new version; what is gone stands behind what it stood behind in the old.
    """
    was, now = _living(old), _living(new)
    gone = [u for k, u in was.items() if k not in now]
    came = [u for k, u in now.items() if k not in was]
    renumbered = _nearest(gone, came, _MOVED, _MOVED_SAME_HEADING)
    unlike = {k for k in was.keys() & now.keys() if not _alike(was[k], now[k])}
    # a text that stands under another number while its number was given to a new one
    left = [u for u in gone if u.id not in renumbered] + [was[k] for k in unlike]
    arrived = [u for u in came if u.id not in renumbered.values()] + [now[k] for k in unlike]
    sources = {b: was[a] for a, b in _nearest(left, arrived, _SHIFTED, _SHIFTED).items() if a != b}
    pairs = [Match(was[a], now[b]) for a, b in renumbered.items()]
    pairs += [Match(u, now[k], sources.get(k)) for k, u in was.items() if k in now]
    pairs += [Match(u, None) for u in gone if u.id not in renumbered]
    pairs += [Match(None, u, sources.get(u.id)) for u in came if u.id not in renumbered.values()]
    return _in_order(pairs, old)


def _living(version: Version) -> dict[str, Unit]:
    return {k: u for k, u in version.units.items() if u.living}


def _nearest(
    sources: Sequence[Unit], targets: Sequence[Unit], least: float, same_heading: float
) -> dict[str, str]:
    """Id among the targets by id among the sources, nearest texts first, each once."""
    scored: list[tuple[float, list[str], str, str]] = []
    for a in sources:
        for b in targets:
            headed = bool(a.heading.keys) and a.heading.keys == b.heading.keys
            score = _score(a, b, same_heading if headed else least)
            if score:
                scored.append((-score, sorted((a.id, b.id)), a.id, b.id))
    out: dict[str, str] = {}
    for _, _, old_id, new_id in sorted(scored):
        if old_id not in out and new_id not in out.values():
            out[old_id] = new_id
    return out


def _score(a: Unit, b: Unit, least: float) -> float:
    """Similarity of two texts; 0 below ``least``, of very short ones and of other kinds."""
    if a.row["kind"] != b.row["kind"] or min(len(a.text.keys), len(b.text.keys)) < _FEWEST_WORDS:
        return 0.0
    return float(Indel.normalized_similarity(a.text.keys, b.text.keys, score_cutoff=least))


def _alike(a: Unit, b: Unit) -> bool:
    if a.text.keys == b.text.keys:
        return True
    return max(similarity(a.text, b.text), similarity(a.whole, b.whole)) >= _UNLIKE


def _in_order(pairs: Iterable[Match], old: Version) -> list[Match]:
    """Matches as the new version has them, what is gone behind what it stood behind."""
    by_old = {m.old.id: m for m in pairs if m.old}
    place: dict[str, int] = {}
    last = -1
    for unit_id in old.units:
        pair = by_old.get(unit_id)
        if pair and pair.new:
            last = pair.new.row["ordinal"]
        place[unit_id] = last

    def key(m: Match) -> tuple[int, int, int]:
        if m.new:
            return m.new.row["ordinal"], 0, 0
        return (place[m.old.id], 1, m.old.row["ordinal"]) if m.old else (0, 0, 0)

    return sorted(pairs, key=key)


def best_words(a: Unit, b: Unit) -> Sequence[tuple[bool, bool]]:
    """Whether to compare with headings, old and new, in the order to be tried.

    A heading that one edition sets in the margin, another in the text and a third leaves out is
    compared only where both are read; else what comes nearest counts.
    """
    if a.heading.keys and b.heading.keys:
        return [(True, True)]
    return [(False, False), (True, False), (False, True)]

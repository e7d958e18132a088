"""What moved between two versions of an Act: its provisions matched, and their texts compared."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from itertools import chain
from typing import Any

import pyarrow as pa
from rapidfuzz.distance import Indel

from citegrain.tasks.core.schemas import AMENDMENTS
from citegrain.tasks.law.citations import stands_alone
from citegrain.tasks.law.editions_compared import differences, units
from citegrain.tasks.law.editions_compared.differences import Change, Region, real_regions, regions
from citegrain.tasks.law.editions_compared.furniture import Surroundings, by_first_word
from citegrain.tasks.law.editions_compared.units import Note, Unit, Version, Words

_MOVED = 0.85  # similarity of texts from which one was renumbered into the other
_MOVED_SAME_HEADING = 0.75  # where the headings are the same
_SHIFTED = 0.9  # similarity of texts where a number stands in both versions
_UNLIKE = 0.5  # below it, two texts under one number may be two provisions
_FEWEST_WORDS = 8
_UNNOTED = 0.1  # share of amendments without a note up to which an edition is taken to note all
_BEFORE_NOTE, _AFTER_NOTE = 3, 12  # words from the mark of a note to those of which it speaks
_CARELESS = 0.1  # share of provisions with a misprint from which what is noted nowhere is taken for one more
BRACKETS = "printed in brackets"
_YEAR = re.compile(r"(?:-act)?-\d{4}$")
# how an amending Act names what it amends, and what it inserts
_AMENDED = re.compile(r"[Ss]ections? (\d+[A-Z]*) of the (?:principal|said) Act|[“\"‘'](\d+[A-Z]+)\.")

AMENDING = ("inserted", "substituted", "renumbered", "omitted")
PRINTING = "printing"
KINDS = (*AMENDING, PRINTING)
_NOTES_SHOWN = 2
_LONGEST_NOTE = 200
_COLUMNS = [
    "provision_id", "version_date", "act_id", "kind", "number", "heading", "text", "status", "parent_id",
    "ordinal", "char_start", "text_start", "page_start", "document_id", "validity_evidence", "notes",
]  # fmt: skip


@dataclass(frozen=True)
class Match:
    """A provision of the old version and what it is in the new one; either may be missing.

    ``source``: another provision of the old version, whose text the new one has nearly word for word.
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
    return max(differences.similarity(a.text, b.text), differences.similarity(a.full, b.full)) >= _UNLIKE


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


def amendments(old: pa.Table, new: pa.Table) -> pa.Table:
    """What moved between two tables of provisions, by Act.

    An Act is compared that stands in both; of several versions of it in a table the latest. Compared
    are the words of sections, Articles, rules and Schedules, each with all that stands in it.
    Punctuation, case, brackets, footnotes and layout do not count. One whose number is gone and
    whose text stands under another is renumbered; one with the same law, printed differently, is of
    kind ``printing``.

    ``old`` and ``new``: tables ``provisions`` of documents or builds. Returns ``AMENDMENTS``, Acts by id,
    provisions in the order of the new version.
    """
    was, now = _latest(old), _latest(new)
    # most Acts are as they were, and reading the words of all takes as long as indexing one
    differing = [act for act in sorted(was.keys() & now.keys()) if was[act] != now[act]]
    amending = _amending({act: rows for act, rows in now.items() if act not in was})
    moved = (_of_act(act, was[act], now[act], amending.get(_YEAR.sub("", act), {})) for act in differing)
    return AMENDMENTS.rows(list(chain.from_iterable(moved)))


def _latest(provisions: pa.Table) -> dict[str, list[dict[str, Any]]]:
    """Rows of the latest version of each Act; one without a date is the earliest."""
    by_act: dict[str, dict[date, list[dict[str, Any]]]] = {}
    for row in provisions.select(_COLUMNS).to_pylist():
        versions = by_act.setdefault(row["act_id"], {})
        versions.setdefault(row["version_date"] or date.min, []).append(row)
    return {act: versions[max(versions)] for act, versions in by_act.items()}


def _of_act(
    act_id: str,
    was: Sequence[Mapping[str, Any]],
    now: Sequence[Mapping[str, Any]],
    amending: Mapping[str, str],
) -> list[dict[str, Any]]:
    old, new = units.read_version(was), units.read_version(now)
    old, new = units.with_swallowed(old, new), units.with_swallowed(new, old)
    titles = by_first_word([*old.titles, *new.titles])
    around = Surroundings(old.vocabulary, new.vocabulary, titles)
    pairs = match(old, new)
    moved = [(row, graded) for pair in pairs for row, graded in [_amendment(pair, old, new, around)] if row]
    for row, _ in moved:
        row["evidence"] = row["evidence"] or amending.get(row["number"], "")
    certain = [row for row, graded in moved if row["kind"] != "substituted" or differences.LAW in graded]
    unnoted = sum(not row["evidence"] for row in certain)
    careless = sum(differences.SLIP in graded for _, graded in moved) > _CARELESS * len(pairs)
    trusted = new.annotated and (careless or unnoted <= max(1, _UNNOTED * len(certain)))
    for row, graded in moved:
        if row["kind"] == "substituted" and not differences.amends(
            graded, *(one and row["number"] not in amending for one in (new.annotated, trusted))
        ):
            row["kind"] = PRINTING
    head = {"act_id": act_id, "old_version": old.date, "new_version": new.date}
    return [head | row for row, _ in moved]


def _amending(acts: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, dict[str, str]]:
    """What amending Acts say they amend: by the name of the Act amended, where each number is named."""
    out: dict[str, dict[str, str]] = {}
    for act_id, rows in acts.items():
        name, amends_it, _ = act_id.partition("-amendment")
        for row in rows if amends_it else ():
            if stands_alone(row["kind"], row["number"]):
                cited = f"{row['kind']} {row['number']} of {act_id}, page {row['page_start']}"
                for number in filter(None, chain.from_iterable(_AMENDED.findall(row["text"]))):
                    out.setdefault(name, {}).setdefault(number, f"amending Act: {cited}")
    return out


def _amendment(
    pair: Match, old: Version, new: Version, around: Surroundings
) -> tuple[dict[str, Any] | None, Sequence[int]]:
    """Row of a provision that moved, and the grades of its differences; None of one that did not."""
    if pair.old and pair.new:
        return _both(pair, pair.old, pair.new, old, new, around)
    if pair.new:
        words = pair.new.full
        evidence = _evidence(pair.new, old, new) or _cited(new.recent(pair.new.shared, old))
        return _row("inserted", pair, [Change("insert", "", words.text)], 0.0, evidence) | {
            "new_hash": words.digest
        }, ()
    assert pair.old is not None  # noqa: S101
    words = pair.old.full
    stub = new.units.get(pair.old.id)
    left = stub if stub and not stub.living else None
    row = _row("omitted", pair, [Change("delete", words.text, "")], 0.0, _epitaph(pair.old, left, old, new))
    row |= {"old_hash": words.digest}
    return row | (_placed("new", left) if left else {}), ()


def _both(
    pair: Match, a: Unit, b: Unit, old: Version, new: Version, around: Surroundings
) -> tuple[dict[str, Any] | None, Sequence[int]]:
    was, now = _compared(a, b)
    differing = real_regions(was, now, regions(was, now)) if was.keys != now.keys else []
    if a.row["kind"] == "schedule" and Counter(was.keys) == Counter(now.keys):
        differing = []  # a table that is read in another order
    if not differing and not pair.renumbered:
        return None, ()
    evidence = _evidence(b, old, new)
    kind = "renumbered" if pair.renumbered else "substituted"
    if pair.renumbered and not evidence and units.misread(a, b, old, new):
        kind = "substituted"
    around = replace(around, table=a.row["kind"] == "schedule")
    graded = [
        differences.LAW if one > differences.PRINT and _noted(b, now, region, old, new) else one
        for one, region in zip(differences.grades(was, now, differing, around), differing, strict=True)
    ]
    # a heading stands where the press puts it: alone it changed by an amendment only where a note says so
    if not evidence and a.text.keys == b.text.keys:
        graded = []
    if not evidence and any(
        k == differences.LAW and differences.in_brackets(was, now, r)
        for k, r in zip(graded, differing, strict=False)
    ):
        evidence = BRACKETS
    row = _row(
        kind,
        pair,
        differences.changes(was, now, differences.readable(differing)),
        differences.similarity(was, now),
        evidence,
    )
    return row | {"old_hash": was.digest, "new_hash": now.digest}, graded


def _noted(unit: Unit, words: Words, region: Region, old: Version, new: Version) -> bool:
    """Whether a note names a later amendment of the words that differ, or of the provision.

    A note on the provision says nothing of a word of it where it is not known how old the other edition is.
    """
    if old.date is not None and new.recent(unit.above, old):
        return True
    ahead = len(words.keys) - len(unit.text.keys)
    for note in new.recent(unit.notes, old):
        at = note["offset"] - unit.row["text_start"]
        if at <= 0:
            if old.date is not None:
                return True
            continue
        first = ahead + len(units.read_words(unit.row["text"][:at]).keys)
        last = max((b for a, b in words.bracketed if abs(a - first) <= 1), default=first + _AFTER_NOTE)
        if first - _BEFORE_NOTE <= region.new_first <= last + _BEFORE_NOTE:
            return True
    return False


def _compared(a: Unit, b: Unit) -> tuple[Words, Words]:
    """What is compared of two provisions: heading and text, where both headings are read.

    One edition sets a heading in the margin, another in the text, and a third leaves it out: else what comes
    nearest counts.
    """
    if a.heading.keys and b.heading.keys:
        return a.full, b.full
    pairs = [(a.text, b.text), (a.full, b.text), (a.text, b.full)]
    return max(pairs, key=lambda pair: differences.similarity(*pair))


def _row(kind: str, pair: Match, changed: Sequence[Change], alike: float, evidence: str) -> dict[str, Any]:
    unit = pair.new or pair.old
    assert unit is not None  # noqa: S101
    old = _placed("old", pair.old) | {"old_number": pair.old.row["number"]} if pair.old else {}
    return (
        old
        | (_placed("new", pair.new) if pair.new else {})
        | {
            "kind": kind,
            "unit": unit.row["kind"],
            "number": unit.row["number"],
            "heading": unit.row["heading"],
            "changes": [asdict(change) for change in changed],
            "similarity": alike,
            "evidence": evidence,
            "moved_from": pair.source.row["number"] if pair.source else None,
        }
    )


def _placed(side: str, unit: Unit) -> dict[str, Any]:
    row = unit.row
    return {f"{side}_id": unit.id, f"{side}_document": row["document_id"], f"{side}_page": row["page_start"]}


def _evidence(unit: Unit, old: Version, new: Version) -> str:
    """What the new version prints of the amendment of a provision."""
    return _cited(new.recent(unit.notes, old)) or _cited_above(unit, old, new)


def _cited_above(unit: Unit, old: Version, new: Version) -> str:
    above = new.recent(unit.above, old)
    return f"at the title above it: {_cited(above)}" if above else ""


def _epitaph(gone: Unit, stub: Unit | None, old: Version, new: Version) -> str:
    """What the new version prints of a provision that is gone."""
    if stub is not None:
        if notes := new.recent(stub.notes, old):
            return _cited(notes)
        dated: str = stub.row["validity_evidence"]
        if dated.startswith("footnote"):
            return dated
        return f"text: {_short(stub.row['text'])}" if stub.row["text"].strip() else "printed as omitted"
    place = gone.row["parent_id"]
    sibling = next((u for u in new.units.values() if u.row["parent_id"] == place and place), None)
    return _cited_above(sibling, old, new) if sibling else ""


def _cited(notes: Sequence[Note]) -> str:
    cited = [f"footnote {n['label']}, page {n['page']}: {_short(n['text'])}" for n in notes[:_NOTES_SHOWN]]
    more = len(notes) - _NOTES_SHOWN
    return "; ".join(cited) + (f"; and {more} more" if more > 0 else "")


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _LONGEST_NOTE else plain[: _LONGEST_NOTE - 1] + "…"

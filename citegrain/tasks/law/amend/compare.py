"""What moved between two versions of an Act."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from itertools import product
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.schemas import AMENDMENTS
from citegrain.tasks.law.amend.differences import Change, changes, readable, regions, similarity
from citegrain.tasks.law.amend.matching import Match, best_words, match
from citegrain.tasks.law.amend.slips import Circumstances, all_slips, real_regions
from citegrain.tasks.law.amend.units import Note, Unit, Version, read_version
from citegrain.tasks.law.amend.words import Words

AMENDING = ("inserted", "substituted", "renumbered", "omitted")
KINDS = (*AMENDING, "printing")
_NOTES_SHOWN = 2
_LONGEST_NOTE = 200
_COLUMNS = [
    "provision_id", "version_date", "act_id", "kind", "number", "heading", "text", "status", "parent_id",
    "ordinal", "char_start", "page_start", "document_id", "validity_evidence", "notes",
]  # fmt: skip


def amendments(old: pa.Table, new: pa.Table) -> pa.Table:
    """What moved between two tables of provisions, by Act.

    An Act is compared that stands in both; of several versions of it in a table the latest. Compared
    are the words of sections, Articles, rules and Schedules, each with all that stands in it.
    Punctuation, case, brackets, footnotes and layout do not count. One whose number is gone and
    whose text stands under another is renumbered; one that differs by slips of the press alone is
    of kind ``printing``.

    Parameters
    ----------
    old, new
        Tables ``provisions`` of documents or builds.

    Returns
    -------
    pa.Table
        ``AMENDMENTS``, Acts by id, provisions in the order of the new version.
    """
    was, now = _latest(old), _latest(new)
    # most Acts are as they were, and reading the words of all takes as long as indexing one
    apart = [act for act in sorted(was.keys() & now.keys()) if was[act] != now[act]]
    return AMENDMENTS.rows([row for act in apart for row in _of_act(act, was[act], now[act])])


def _latest(provisions: pa.Table) -> dict[str, list[dict[str, Any]]]:
    """Rows of the latest version of each Act; one without a date is the earliest."""
    by_act: dict[str, dict[date, list[dict[str, Any]]]] = {}
    for row in provisions.select(_COLUMNS).to_pylist():
        versions = by_act.setdefault(row["act_id"], {})
        versions.setdefault(row["version_date"] or date.min, []).append(row)
    return {act: versions[max(versions)] for act, versions in by_act.items()}


def _of_act(
    act_id: str, was: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    old, new = read_version(was), read_version(now)
    out = []
    for pair in match(old, new):
        row = _amendment(pair, old, new)
        if row:
            out.append({"act_id": act_id, "old_version": old.date, "new_version": new.date} | row)
    return out


def _amendment(pair: Match, old: Version, new: Version) -> dict[str, Any] | None:
    """Row of a provision that moved; None of one that did not."""
    if pair.old and pair.new:
        return _both(pair, pair.old, pair.new, old, new)
    if pair.new:
        words = pair.new.whole
        evidence = _evidence(pair.new, old, new) or _cited(new.recent(pair.new.shared, old))
        return _row("inserted", pair, [Change("insert", "", words.text)], 0.0, evidence) | {
            "new_hash": words.digest
        }
    assert pair.old is not None  # noqa: S101
    words = pair.old.whole
    stub = new.units.get(pair.old.id)
    left = stub if stub and not stub.living else None
    row = _row("omitted", pair, [Change("delete", words.text, "")], 0.0, _epitaph(pair.old, left, old, new))
    row |= {"old_hash": words.digest}
    return row | (_placed("new", left) if left else {})


def _both(pair: Match, a: Unit, b: Unit, old: Version, new: Version) -> dict[str, Any] | None:
    was, now = _compared(a, b)
    differing = real_regions(was, now, regions(was, now)) if was.keys != now.keys else []
    if a.row["kind"] == "schedule" and Counter(was.keys) == Counter(now.keys):
        differing = []  # a table that is read in another order
    if not differing and not pair.renumbered:
        return None
    notes = new.recent([*b.notes, *b.above], old)
    known = Circumstances(old.vocabulary, new.vocabulary, bool(notes), new.annotated)
    kind = "renumbered" if pair.renumbered else "substituted"
    # a heading stands where the press puts it: alone it changed by an amendment only where a note says so
    headed = not notes and a.text.keys == b.text.keys
    if differing and kind == "substituted" and (headed or all_slips(was, now, differing, known)):
        kind = "printing"
    row = _row(
        kind, pair, changes(was, now, readable(differing)), similarity(was, now), _evidence(b, old, new)
    )
    return row | {"old_hash": was.digest, "new_hash": now.digest}


def _compared(a: Unit, b: Unit) -> tuple[Words, Words]:
    """What is compared of two provisions: heading and text, where both headings are read."""
    best: tuple[float, Words, Words] | None = None
    for with_old, with_new in best_words(a, b):
        was, now = a.whole if with_old else a.text, b.whole if with_new else b.text
        score = similarity(was, now)
        if best is None or score > best[0]:
            best = score, was, now
    assert best is not None  # noqa: S101
    return best[1], best[2]


def _row(kind: str, pair: Match, changed: Sequence[Change], alike: float, evidence: str) -> dict[str, Any]:
    unit = pair.new or pair.old
    assert unit is not None  # noqa: S101
    row: dict[str, Any] = dict.fromkeys(
        f"{side}_{name}"
        for side, name in product(("old", "new"), ("number", "id", "document", "page", "hash"))
    )
    del row["new_number"]
    if pair.old:
        row |= _placed("old", pair.old) | {"old_number": pair.old.row["number"]}
    if pair.new:
        row |= _placed("new", pair.new)
    return row | {
        "kind": kind,
        "unit": unit.row["kind"],
        "number": unit.row["number"],
        "heading": unit.row["heading"],
        "changes": [asdict(change) for change in changed],
        "similarity": alike,
        "evidence": evidence,
        "moved_from": pair.source.row["number"] if pair.source else None,
    }


def _placed(side: str, unit: Unit) -> dict[str, Any]:
    return {
        f"{side}_id": unit.id,
        f"{side}_document": unit.row["document_id"],
        f"{side}_page": unit.row["page_start"],
    }


def _evidence(unit: Unit, old: Version, new: Version) -> str:
    """What the new version prints of the amendment of a provision."""
    notes = new.recent(unit.notes, old)
    if notes:
        return _cited(notes)
    above = new.recent(unit.above, old)
    if above:
        return f"at the title above it: {_cited(above)}"
    return ""


def _epitaph(gone: Unit, stub: Unit | None, old: Version, new: Version) -> str:
    """What the new version prints of a provision that is gone."""
    if stub is not None:
        notes = new.recent(stub.notes, old)
        if notes:
            return _cited(notes)
        dated: str = stub.row["validity_evidence"]
        if dated.startswith("footnote"):
            return dated
        return f"text: {_short(stub.row['text'])}" if stub.row["text"].strip() else "printed as omitted"
    place = gone.row["parent_id"]
    beside = next((u for u in new.units.values() if u.row["parent_id"] == place and place), None)
    above = new.recent(beside.above, old) if beside else []
    return f"at the title above it: {_cited(above)}" if above else ""


def _cited(notes: Sequence[Note]) -> str:
    cited = [f"footnote {n['label']}, page {n['page']}: {_short(n['text'])}" for n in notes[:_NOTES_SHOWN]]
    more = len(notes) - _NOTES_SHOWN
    return "; ".join(cited) + (f"; and {more} more" if more > 0 else "")


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _LONGEST_NOTE else plain[: _LONGEST_NOTE - 1] + "…"

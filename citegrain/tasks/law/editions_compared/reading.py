"""Slips of a reading: a section read as part of the one before, a number misread."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rapidfuzz.distance import Indel, Opcodes

from citegrain.tasks.law.editions_compared.units import Unit, Version, read_words
from citegrain.tasks.law.numbers import order_of

_SAME = 0.75  # similarity of a stretch of text with the provision it is taken for
_SAME_SHORT = 0.9  # of one of few words
_SHORT = 12  # words
_FEWEST_WORDS = 8
_NUMBER = re.compile(r"\W*[\dlIO]{1,3}[A-Z]{0,2}\s*[.:]\W*")


def with_swallowed(version: Version, other: Version) -> Version:
    """``version`` with those provisions on their own that it reads as the end of the one before.

    Looked for are the provisions of ``other`` that ``version`` lacks, in what it has under the number before.
    """
    units = dict(version.units)
    for host, missing in _runs(other, version):
        units = _split(units, other.units[host], [other.units[m] for m in missing])
    return replace(version, units=units)


def _runs(other: Version, version: Version) -> Iterator[tuple[str, list[str]]]:
    """A provision that both have, and those behind it that only ``other`` has."""
    runs: dict[str, list[str]] = {}
    host = ""
    for key, unit in other.units.items():
        if unit.living and key in version.units:
            host = key
        elif unit.living and host:
            runs.setdefault(host, []).append(key)
    yield from runs.items()


def _split(units: Mapping[str, Unit], host: Unit, missing: Sequence[Unit]) -> dict[str, Unit]:
    swallowing = units[host.id]
    words, was = swallowing.text, host.text
    if len(words.keys) < len(was.keys) + min(len(u.text.keys) for u in missing) // 2:
        return dict(units)
    # where each of the missing begins, by an alignment with all of them behind one another
    keys, begins = list(was.keys), list[int]()
    for unit in missing:
        begins.append(len(keys))
        keys += unit.full.keys
    opcodes = Indel.opcodes(keys, list(words.keys))
    spans = [*words.spans, (len(words.text), len(words.text))]
    # the number stands before the heading, and is taken for the end of the provision before
    cuts = [_with_number(words.text, spans[_place(begin, opcodes)][0]) for begin in begins] + [
        len(words.text)
    ]
    parts: dict[str, Unit] = {}
    for unit, begin, end in zip(missing, cuts, cuts[1:], strict=False):
        text = words.text[begin:end]
        if _like(read_words(text).keys, unit):
            parts[unit.id] = _part(swallowing, unit, text, begin)
    if not parts:
        return dict(units)
    left = words.text
    for part in parts.values():
        left = left.replace(part.row["text"], " ", 1)
    out: dict[str, Unit] = {}
    for key, value in units.items():
        out[key] = value
        if key == host.id:
            notes = [n for n in value.notes if not any(n in p.notes for p in parts.values())]
            out[key] = replace(value, row={**value.row, "text": left, "notes": notes})
            out |= {
                k: replace(p, row={**p.row, "text": _NUMBER.sub("", p.row["text"], count=1)})
                for k, p in parts.items()
            }
    return out


def _place(begin: int, opcodes: Opcodes) -> int:
    """Where a word of the first sequence stands in the second."""
    for op in opcodes:
        if op.tag == "equal" and op.src_start <= begin < op.src_end:
            return int(op.dest_start + begin - op.src_start)
        if op.src_start >= begin and op.tag == "equal":
            return int(op.dest_start)
    return int(opcodes.dest_len)


def _with_number(text: str, begin: int) -> int:
    match = re.search(r"(?:^|\s)[(\[]?[\dlIO]{1,3}[A-Z]{0,2}\s*[.:]\W*$", text[:begin])
    return match.start() if match else begin


def _like(keys: Sequence[str], unit: Unit) -> bool:
    if len(unit.full.keys) < _FEWEST_WORDS:
        return False
    least = _SAME_SHORT if len(unit.text.keys) < _SHORT else _SAME
    return any(
        Indel.normalized_similarity(keys, w.keys, score_cutoff=least) > 0
        for w in (unit.full, unit.text)
        if w.keys
    )


def _part(host: Unit, unit: Unit, text: str, begin: int) -> Unit:
    share = begin / max(1, len(host.text.text))
    raw = host.row["text_start"] + share * len(host.row["text"])
    notes = [n for n in host.notes if n["offset"] >= raw - 1]
    row = {**host.row, "provision_id": unit.id, "number": unit.row["number"], "kind": unit.row["kind"]}
    return replace(host, row=row | {"heading": "", "text": text, "notes": notes})


def misread(old: Unit, new: Unit, before: Version, after: Version) -> bool:
    """Whether one text has two numbers as one of the editions prints or reads one wrongly.

    A number is wrong that does not fit between its neighbours where the other edition's does.
    """
    was, now = str(old.row["number"]), str(new.row["number"])
    in_old, in_new = _neighbours(old, before, after), _neighbours(new, after, before)
    return (_fits(was, in_new) and not _fits(now, in_new)) or (_fits(now, in_old) and not _fits(was, in_old))


def _neighbours(unit: Unit, version: Version, other: Version) -> tuple[str, str]:
    """Numbers of the provisions before and behind one, of those that both versions have."""
    ids = list(version.units)
    at = ids.index(unit.id)
    kind = unit.row["kind"]

    def first(keys: Sequence[str]) -> str:
        both = (version.units[key].row for key in keys if key in other.units)
        return next((str(row["number"]) for row in both if row["kind"] == kind), "")

    return first(ids[:at][::-1]), first(ids[at + 1 :])


def _fits(number: str, neighbours: tuple[str, str]) -> bool:
    try:
        at = order_of(number)
        before, behind = (order_of(n) if n else None for n in neighbours)
    except ValueError:
        return False
    return (before is None or before < at) and (behind is None or at < behind)

"""Footnotes as amendment notes: what was done, by which Act, from when; and what an amending Act quotes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from citegrain.tasks.law.numbers import first_date
from citegrain.tasks.offline.structure.rows import Row, RunningText

STATE_AMENDMENT = re.compile(r"^\W*STATE\s+AMEND\w*\W*$", re.IGNORECASE)
"""The head of what States changed, in prints that have it."""
_LABEL = re.compile(r"^\W*?(\d{1,3}|[*†‡§#]{1,3}|[\ue000-\uf8ff])\s*[.)]?\s*(?=\S)")
_ACT = re.compile(
    r"\b(?:Act|Ord(?:inance)?\.?|Regulation|Reg\.)\s*(?:No\.?\s*)?(\d{1,3})\s+of\s+(\d{4})", re.IGNORECASE
)
_ADAPTATION = re.compile(r"\bA\.\s?L?\.?\s?O\.[,]?\s*(\d{4})", re.IGNORECASE)
_CONSTITUTION = re.compile(r"the (Constitution \([^)]+\) Act, \d{4})", re.IGNORECASE)
_EFFECT = re.compile(r"(?:w\.?\s?e\.?\s?f\.?|with effect from)(.{0,60})", re.IGNORECASE)
_QUOTES = frozenset("\"'“”‘’")
_NAMELY = re.compile(r"\b(?:inserted|substituted|added)\b[^.;]{0,90}\bnamely\s*[:;.,]*\s*[—–―-]*\s*$")
_CLOSED = re.compile(r"(?<=\S)[”\"’']\s*[.;,]*\s*(?:and|or)?\s*$")
_AMENDS = re.compile(
    r"\W*\d{1,3}\.\W.*\b(?:principal|said)\s+(?:Act|Code)\b|\W*\d{1,3}\.\s*(?:In|For|After)\b"
)
_VIDE = re.compile(r"^\W*Vide\b", re.IGNORECASE)
_LONGEST = 400  # rows of a quotation
_ACTIONS = (
    ("substituted", re.compile(r"\b(?:Subs\b|substituted)", re.IGNORECASE)),
    ("inserted", re.compile(r"\b(?:Ins\b|inserted|Added\b)", re.IGNORECASE)),
    ("repealed", re.compile(r"\b(?:Rep\b|repealed)", re.IGNORECASE)),
    ("omitted", re.compile(r"\b(?:Om\b|omitted)", re.IGNORECASE)),
    ("renumbered", re.compile(r"\bre-?(?:numbered|lettered)", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote. ``action`` is empty when it records none; ``by_act`` reads ``13 of 2013``."""

    page: int
    label: str
    text: str
    action: str
    by_act: str
    effective: date | None


def read_notes(rows: Sequence[Row]) -> dict[tuple[int, str], Note]:
    """Footnotes by page and label.

    ``ibid`` and an ``s. 5`` without an Act refer to the note before.
    """
    printed: list[tuple[int, str, list[str]]] = []
    for row in rows:
        label, rest = _label(row)
        if label and (not printed or row.page != printed[-1][0] or _follows(printed[-1][1], label)):
            printed.append((row.page, label, [rest]))
        elif printed:
            printed[-1][2].append(row.text)
    notes: dict[tuple[int, str], Note] = {}
    last_act = ""
    for page, label, parts in printed:
        text = re.sub(r"\s+", " ", " ".join(parts)).strip()
        act = _by_act(text)
        if not act and re.search(r"\bibid\b", text, re.IGNORECASE):
            act = last_act
        last_act = act or last_act
        actions = [(m.start(), name) for name, pattern in _ACTIONS if (m := pattern.search(text[:220]))]
        effect = _EFFECT.search(text)
        effective = first_date(effect[1]) if effect else None
        action = min(actions, default=(0, ""))[1]
        notes.setdefault((page, label), Note(page, label, text, action, act, effective))
    return notes


def _label(row: Row) -> tuple[str, str]:
    for offset, label in row.marks:
        if offset == 0:
            return label, row.text.lstrip(". ")
    match = _LABEL.match(row.text)
    return (match[1], row.text[match.end() :]) if match else ("", row.text)


def marks_of(
    rows: Sequence[Row], running: RunningText, notes: Mapping[tuple[int, str], Note]
) -> list[tuple[int, Note]]:
    """Each footnote that is marked in a running text, with the offset of its mark."""
    return [
        (running.starts[i] + min(offset, len(row.text)), notes[row.page, label])
        for i, row in enumerate(rows)
        for offset, label in row.marks
        if (row.page, label) in notes
    ]


def _follows(last: str, label: str) -> bool:
    """Whether ``label`` can begin the next note: one more, or a sign rather than a number."""
    if not label.isdigit() or not last.isdigit():
        return True
    return int(label) == int(last) + 1


def _by_act(text: str) -> str:
    if match := _ACT.search(text):
        return f"{match[1]} of {match[2]}"
    if match := _CONSTITUTION.search(text):
        return match[1]
    match = _ADAPTATION.search(text)
    return f"A.O. {match[1]}" if match else ""


def inserted_rows(rows: Sequence[Row]) -> set[int]:
    """Rows of what an amending Act quotes: from a sign of quotation behind ``namely`` to where it closes.

    None of an Act that is printed with State amendments, each with its note, ``[Vide ...]``: their
    quotations often have no end.
    """
    inside: set[int] = set()
    if any(STATE_AMENDMENT.match(row.text) or _VIDE.match(row.text) for row in rows):
        return inside
    for at in range(1, len(rows)):
        if at in inside or rows[at].text[:1] not in _QUOTES:
            continue
        if not _NAMELY.search(" ".join(row.text for row in rows[max(0, at - 3) : at])):
            continue
        for end in range(at, min(at + _LONGEST, len(rows))):
            if end > at and _AMENDS.match(rows[end].text):  # the sign that closes is missing
                break
            if _CLOSED.search(rows[end].text):
                inside.update(range(at, end + 1))
                break
    return inside

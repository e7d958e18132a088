"""The day whose law applies to a question.

The day decides the version of each Act and, between two codes, which of them: theft in May 2024 is section
379 of the Penal Code, in August 2024 section 303 of the Nyaya Sanhita.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from citegrain.tasks.law.asof.incident import find_incident

AUTO = "auto"
ASKED, WORDS, TODAY = "asked", "words", "today"


@dataclass(frozen=True, slots=True)
class AsOf:
    """The day whose law applies.

    Attributes
    ----------
    source
        ``asked`` if the day was given, ``words`` if the complaint tells it, ``today`` if neither.
    evidence
        The words of the complaint that tell of a time; empty if it was not read, or tells none.
    precision
        Of the evidence: ``day``, ``week``, ``month`` or ``year``.
    why
        How the day was chosen.
    uncertain
        Whether the law changed within the time that the words tell (then today's applies), or between it and
        another that is told of much the same (then that of the one chosen; ``why`` has both days).
    """

    day: date
    source: str
    evidence: str = ""
    precision: str = ""
    why: str = ""
    uncertain: bool = False

    def told(self) -> dict[str, Any]:
        """As JSON tells it."""
        return asdict(self) | {"day": self.day.isoformat()}

    def line(self) -> str:
        """As a person is told it."""
        if self.source == ASKED:
            return f"law of {self.day}, as asked"
        if self.source == WORDS:
            return f"law of {self.day}, read from “{self.evidence}”: {self.why}"
        heard = f" (“{self.evidence}”)" if self.evidence else ""
        return f"law of today, {self.day}" + (f": {self.why}{heard}" if self.why else "")


def resolve(told: str, text: str, today: date, changes: Sequence[date] = ()) -> AsOf:
    """The day whose law applies to a complaint.

    Parameters
    ----------
    told
        ``YYYY-MM-DD``, ``auto`` to read it from the complaint, or nothing for today.
    today
        The day of asking.
    changes
        First days of new law, as of ``law.counterparts.changes_of``.

    Raises
    ------
    ValueError
        If ``told`` is neither.
    """
    if not told:
        return AsOf(today, TODAY)
    if told != AUTO:
        return AsOf(date.fromisoformat(told), ASKED)
    found = find_incident(text, today, changes)
    if found.day is None:
        return AsOf(today, TODAY, found.words, found.precision, found.why, found.uncertain)
    return AsOf(found.day, WORDS, found.words, found.precision, found.why, found.uncertain)

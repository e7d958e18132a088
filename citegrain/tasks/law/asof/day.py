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
        ``asked`` if the day was given, ``words`` if it was read from the complaint, ``today`` if neither.
    evidence
        The words of the complaint that name a time. Empty if it was not read, or names none.
    precision
        Of the evidence: ``day``, ``week``, ``month`` or ``year``.
    why
        How the day was chosen.
    uncertain
        Whether the law changed within the time that the words name (then today's applies), or between it and
        another that is as likely the day of the incident (``why`` names both then).
    """

    day: date
    source: str
    evidence: str = ""
    precision: str = ""
    why: str = ""
    uncertain: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON: the day as ``YYYY-MM-DD``."""
        return asdict(self) | {"day": self.day.isoformat()}

    def line(self) -> str:
        """One line for people."""
        if self.source == ASKED:
            return f"law of {self.day}, as asked"
        if self.source == WORDS:
            return f"law of {self.day}, read from “{self.evidence}”: {self.why}"
        quoted = f" (“{self.evidence}”)" if self.evidence else ""
        return f"law of today, {self.day}" + (f": {self.why}{quoted}" if self.why else "")


def resolve(as_of: str, text: str, today: date, changes: Sequence[date] = ()) -> AsOf:
    """The day whose law applies to a complaint.

    Parameters
    ----------
    as_of
        ``YYYY-MM-DD``, ``auto`` to read it from the complaint, or empty for today.
    today
        The day of asking.
    changes
        First days of new law, from ``law.counterparts.changes_of``.

    Raises
    ------
    ValueError
        If ``as_of`` is none of them.
    """
    if not as_of:
        return AsOf(today, TODAY)
    if as_of != AUTO:
        return AsOf(date.fromisoformat(as_of), ASKED)
    incident = find_incident(text, today, changes)
    if incident.day is None:
        return AsOf(today, TODAY, incident.words, incident.precision, incident.why, incident.uncertain)
    return AsOf(incident.day, WORDS, incident.words, incident.precision, incident.why, incident.uncertain)

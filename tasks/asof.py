"""The day whose law applies to a question, where it is told, and what else was law before or after.

The day decides the version of each Act and, between two codes, which of them: theft in May 2024 is section
379 of the Penal Code, in August 2024 section 303 of the Nyaya Sanhita.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from tasks.counterparts import PREDECESSOR, SUCCESSOR, TABLE
from tasks.incident import find_incident

if TYPE_CHECKING:
    from tasks.build import Build

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
        Whether the law changed within the time that the words tell: then today's applies.
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
        First days of new law, as of :func:`changes_of`.

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
    return AsOf(found.day, WORDS, found.words, found.precision, found.why)


def changes_of(acts: Iterable[Mapping[str, Any]]) -> list[date]:
    """First days of the Acts that replaced others, from rows of ``acts``, in order."""
    days = (_first_day(act) for act in acts if act["replaced_by"])
    return sorted({day for day in days if day is not None})


def replacement(acts: Sequence[Mapping[str, Any]], act_id: str) -> dict[str, Any] | None:
    """Which Act replaced one, or was replaced by it, and since when; None for most Acts.

    Returns
    -------
    dict or None
        ``relation`` of the other to this one, ``act`` and ``title`` of the other, ``since`` as ISO day,
        ``held`` whether the build has it.
    """
    titles = {act["act_id"]: act["title"] for act in acts}
    for act in acts:
        if not act["replaced_by"] or act_id not in (act["act_id"], act["replaced_by"]):
            continue
        old = act_id == act["act_id"]
        other = act["replaced_by"] if old else act["act_id"]
        since = _first_day(act)
        return {
            "relation": SUCCESSOR if old else PREDECESSOR,
            "act": other,
            "title": titles.get(other, other),
            "since": since.isoformat() if since else "",
            "held": other in titles,
        }
    return None


def with_counterparts(build: Build, charge: Mapping[str, Any]) -> dict[str, Any]:
    """A charge with what replaced its Act, or was replaced by it, and with its counterparts there.

    Returns
    -------
    dict
        The charge, and ``replacement`` as :func:`replacement` gives it, and ``counterparts``: a list of
        {act, section, heading, provision_id, relation, source}, the nearest first.
    """
    act = str(charge["provision_id"]).partition("/")[0]
    named = ("section", "heading", "provision_id", "relation", "source")
    found = build.counterparts(str(charge["provision_id"]))
    told = [{"act": c.act_id} | {name: getattr(c, name) for name in named} for c in found]
    return dict(charge) | {"replacement": replacement(build.acts, act), "counterparts": told}


def counterpart_line(charge: Mapping[str, Any]) -> str:
    """What a person is told of the counterparts of a charge; nothing where its Act has no other."""
    other = charge["replacement"]
    if other is None:
        return ""
    old, since = other["relation"] == SUCCESSOR, other["since"]
    lead = f"{'since' if old else 'before'} {since}" if since else f"{'replaced by' if old else 'replaced'}"
    found = charge["counterparts"]
    if not found:
        return f"{lead}: {other['title']}, {'no like section found' if other['held'] else 'not held here'}"
    numbers = ", ".join(c["section"] for c in found)
    tables = {c["source"] == TABLE for c in found}
    how = "by your table" if tables == {True} else "matched by heading and text"
    return f"{lead}: {other['title']}, section{'s' if len(found) > 1 else ''} {numbers} ({how})"


def _first_day(replaced: Mapping[str, Any]) -> date | None:
    """First day of the law that replaced an Act."""
    last: date | None = replaced["in_force_to"]
    return last + timedelta(days=1) if last is not None else None

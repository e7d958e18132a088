"""The day whose law applies to a question.

The day decides the version of each Act and, between two codes, which of them: theft in May 2024 is section
379 of the Penal Code, in August 2024 section 303 of the Nyaya Sanhita. It is that of the act for what is
punished or owed, of the step for procedure. A proceeding that was pending when one code replaced another goes
on by the old one (section 531 of the Nagarik Suraksha Sanhita, 358 of the Nyaya Sanhita, 170 of the Sakshya
Adhiniyam).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from types import MappingProxyType
from typing import Any

from citegrain.tasks.law.asof.clauses import Kind, kind_of
from citegrain.tasks.law.asof.moments import find_moments, impossible_dates
from citegrain.tasks.law.asof.readers import PRECISIONS, Moment

SUBSTANCE, PROCEDURE, LIMITATION, SAVED = "substance", "procedure", "limitation", "saved proceedings"

RULES = {
    SUBSTANCE: "",
    PROCEDURE: "procedure goes by the day of the step",
    LIMITATION: "limitation goes by the day of the cause",
    SAVED: "what was pending at the change of law goes on by the old law",
}
"""What is said of each rule; nothing of the usual one."""

_PROCEDURAL = re.compile(r"\b(?:Procedure|Nagarik Suraksha|Evidence|Sakshya)\b", re.IGNORECASE)
_QUESTION = re.compile(r"[^.?!;]*\?")
_PROCEDURE = re.compile(
    r"\b(?:bail|fir|investigat\w+|charge ?sheet\w*|cognizance|discharged?|committal|trial|tried|remand(?:ed)?"
    r"|custody|search\w*|seiz\w+|summons|warrants?|certificates?|evidence|admissib\w+|witness\w*|heard"
    r"|arrest(?:ed)?(?!\s+for\b)|record(?:ed|ing)?|quash\w*|appl(?:y|ication)|procedure|revision|statements?|lodged?|registered)\b",
    re.IGNORECASE,
)
_PUNISHED = re.compile(
    r"\b(?:punish\w*|penal\w*|fine[ds]?|imprison\w*|prison|sentence|offence|guilty|liab\w+|term)\b",
    re.IGNORECASE,
)
_LIMITATION = re.compile(r"\b(?:limitation|time.barred|barred by time|too late)\b", re.IGNORECASE)
_PENDING = re.compile(
    r"\b(?:(?:was|were|is|still|already|been) (?:still )?(?:pending|going on|under ?way)"
    r"|had (?:already )?(?:begun|started)|pending (?:on|since|before))\b",
    re.IGNORECASE,
)
_BORDER = re.compile(
    r"\b(?:before|until|prior to|pending on|up to|came (?:in|into force)?\s*(?:on)?)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_OF_CRIME = r"(?:criminal|penal|evidence|criminal\s+procedure)"
_NEW_LAW = re.compile(
    rf"(?P<before>\b(?:before|until|prior\s+to)\s+(?:the\s+)?)?(?:\bthree\s+)?\bnew\s+(?P<of>{_OF_CRIME}\s+)?(?:laws?|codes?)\b",
    re.IGNORECASE,
)
_OLD_LAW = re.compile(rf"\b(?:old|former)\s+(?P<of>{_OF_CRIME}\s+)?(?:laws?|codes?)\b", re.IGNORECASE)


def rule_of(text: str) -> str:
    """The rule by which the day of a text is chosen, from what it asks; else the usual one."""
    question = " ".join(_QUESTION.findall(text))
    if _LIMITATION.search(question):
        return LIMITATION
    if not _PROCEDURE.search(question) or _PUNISHED.search(question):
        return SUBSTANCE
    return SAVED if _PENDING.search(text) else PROCEDURE


def is_procedural(title: str) -> bool:
    """Whether an Act is one of procedure or evidence, by its title: the day of the step counts for it."""
    return _PROCEDURAL.search(title) is not None


def saved_line(day: date, step: date, changes: Iterable[date]) -> str:
    """What is said where the law changed between an act and a step; empty where it did not."""
    change = next((change for change in sorted(changes) if day < change <= step), None)
    if change is None:
        return ""
    given = f"{day}/{change - timedelta(days=1)}"
    return f"What was pending on {change}, when the law changed, goes on by the old: give {given}."


def is_border(text: str, start: int) -> bool:
    """Whether a time is named as a border: ``before 1 July 2024``, ``pending on 1 July 2024``."""
    return _BORDER.search(text, max(0, start - 40), start) is not None


def of_old_law(text: str, changes: Mapping[date, str]) -> tuple[date, str] | None:
    """First day of the law before which a text asks, ``before the new criminal laws``, and its words.

    None where it asks of both laws, or the law changed more than once and it does not say which.
    """
    new = list(_NEW_LAW.finditer(text))
    said = next(iter(new), None) or _OLD_LAW.search(text)
    if said is None or not all(match["before"] for match in new):
        return None
    days = [
        day for day, gone in changes.items() if not said["of"] or re.search(_OF_CRIME, gone, re.IGNORECASE)
    ]
    return (days[0], said[0]) if len(days) == 1 else None


# by kind, the order of a day, week or month, and of a year: too wide to go before the day of an act
_ORDER = {
    Kind.ACT: (0, 3),
    Kind.DONE: (1, 7),
    Kind.PLAIN: (2, 7),
    Kind.OURS: (2, 7),
    Kind.BOUGHT: (4, 7),
    Kind.OFFICE: (5, 8),
    Kind.PAPER: (6, 8),
    Kind.GROUND: (9, 10),
}
# kinds that a human reader could not tell apart with certainty; each other only from itself
_ALIKE = {Kind.DONE, Kind.PLAIN, Kind.OURS}, {Kind.OFFICE, Kind.PAPER}
# a question of law that speaks of a birth, and a day that is one
_LONE_QUESTION = re.compile(r"[^.?!;]*\?\s*")
_BORN = re.compile(r"\b(?:born|birth|d\.?o\.?b)\b.{0,15}$", re.IGNORECASE)
_OPEN_YEARS = {Kind.ACT: 7}
_LAST = 11
NONE: Mapping[date, str] = MappingProxyType({})

AUTO = "auto"
REQUEST, WORDS, TODAY = "asked", "words", "today"


@dataclass(frozen=True, slots=True)
class Incident:
    """The day of an incident; None where a text names none, or leaves open on which side of a change it lies.

    ``precision``: ``day``, ``week``, ``month`` or ``year``. ``why``: how it was chosen, and the best time on
    the other side of a change of law. ``uncertain``: whether the law changed within the time named (then
    ``day`` is None), or between it and another of the same kind. ``rule``: of ``RULES``.
    """

    day: date | None
    precision: str = ""
    words: str = ""
    why: str = "the text names no date"
    uncertain: bool = False
    rule: str = ""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A time and how well it stands for the day of the incident; less is better."""

    moment: Moment
    rank: tuple[int, int, bool, bool]
    kind: Kind


def find_incident(text: str, today: date, changes: Mapping[date, str] = NONE) -> Incident:
    """The day of the incident in ``text``.

    Of several times the best is taken, by this order:

    1. By kind: an act, then what is of no known kind, then a purchase, then a paper or a consequence (an FIR,
       an arrest, a letter, a death, a deadline), then how things stood before (a marriage, a loan, an
       employment). A year alone comes after the days; that of an act comes before a paper's, if the law did
       not change within it.
    2. A day before a week, a month or a year.
    3. A year that is named before one that is inferred.
    4. Of equals the last: the last act complained of decides which law applies.

    Where the text asks for procedure the last step counts; where the proceeding was pending when the law
    changed, the last day before. Days of birth and days to come do not count. What is longer
    than a day stands for its first day, unless the law changed within it.

    ``today``: the day of asking, from which ``last May`` and ``two years ago`` are counted. ``changes``:
    first days of new law, with the titles of what it replaced.
    """
    candidates = _candidates(text, today, changes)
    rule = rule_of(text)
    if not candidates:
        old = of_old_law(text, changes)
        return _day_before(old[0], "day", old[1], "", rule) if old else Incident(None)
    borders = [c for c in candidates if c.moment.day in changes and is_border(text, c.moment.start)]
    old_law = rule == SAVED or len(borders) == len(candidates)
    if old_law and (incident := _before_the_change(candidates, borders, changes, rule)):
        return incident
    candidates = [c for c in candidates if c not in borders] or candidates
    if rule == PROCEDURE:
        candidates = [c for c in candidates if c.kind is not Kind.GROUND] or candidates
        last = max(candidates, key=lambda c: c.moment.day).moment
        return Incident(last.day, last.precision, last.words, RULES[rule], rule=rule)
    best = min(candidates, key=_quality)
    moment = best.moment
    change = _between(moment.first, moment.last, changes)
    if change is not None:
        why = f"the law changed on {change}, within the time named"
        return Incident(None, moment.precision, moment.words, why, uncertain=True, rule=rule)
    beyond = [t for t in candidates if _between(moment.day, t.moment.day, changes)]
    uncertain = any({t.kind, best.kind} <= alike for t in beyond for alike in (*_ALIKE, {best.kind}))
    why = _why(best, candidates) + _of_the_other(best, beyond, changes)
    why = "; ".join(filter(None, (RULES[rule], why)))
    return Incident(moment.day, moment.precision, moment.words, why, uncertain, rule)


def _day_before(change: date, precision: str, words: str, by: str, rule: str) -> Incident:
    """The day before a change of law; ``by``: what is said of the rule."""
    why = "; ".join(filter(None, (by, f"the day before the law changed, on {change}")))
    return Incident(change - timedelta(days=1), precision, words, why, rule=rule)


def _before_the_change(
    candidates: Sequence[_Candidate], borders: Sequence[_Candidate], changes: Mapping[date, str], rule: str
) -> Incident | None:
    """The last time before a change of law that a text names, else the day before the change itself."""
    times = sorted((c.moment for c in candidates if c not in borders), key=lambda m: m.day)
    change_days = [c.moment.day for c in borders] or [d for d in sorted(changes) if times[0].day < d]
    earlier = [m for m in times if change_days and m.day < change_days[0]]
    if earlier:
        last = earlier[-1]
        return Incident(last.day, last.precision, last.words, RULES[rule], rule=rule)
    if not borders:
        return None
    change = borders[-1].moment
    return _day_before(change.day, change.precision, change.words, RULES[rule], rule)


def _candidates(text: str, today: date, changes: Mapping[date, str]) -> list[_Candidate]:
    """The times of a text with their rank, without births."""
    moments = find_moments(text, today)
    spans = [(m.start, m.end) for m in moments]
    # the day of asking, written in full or as "today", is most often that of the complaint itself
    kinds = [
        Kind.PAPER
        if m.words.lower() == "today" or m.day == m.first == m.last == today
        else kind_of(text, (m.start, m.end), spans)
        for m in moments
    ]
    if _LONE_QUESTION.fullmatch(text) and set(kinds) == {Kind.BIRTH}:
        kinds = [Kind.BIRTH if _BORN.search(text[: m.start]) else Kind.PLAIN for m in moments]
    return [
        _Candidate(moment, _rank(moment, kind, changes), kind)
        for moment, kind in zip(moments, kinds, strict=True)
        if kind is not Kind.BIRTH
    ]


def _rank(moment: Moment, kind: Kind, changes: Mapping[date, str]) -> tuple[int, int, bool, bool]:
    """Less is better. A year within which the law changed is too vague to come before a paper's day."""
    year = moment.precision == "year"
    order = _ORDER[kind][year]
    if year and _between(moment.first, moment.last, changes):
        order = _OPEN_YEARS.get(kind, _LAST)
    return order, PRECISIONS.index(moment.precision), not moment.has_year, kind is Kind.OURS


def _quality(candidate: _Candidate) -> tuple[tuple[int, int, bool, bool], int]:
    """Sort key: the best comes first, of equals the last day."""
    return candidate.rank, -candidate.moment.day.toordinal()


def _between(one: date, other: date, changes: Mapping[date, str]) -> date | None:
    """The first change of law after the earlier of two days, up to the later one."""
    first, last = min(one, other), max(one, other)
    return next((day for day in sorted(changes) if first < day <= last), None)


def _why(best: _Candidate, candidates: Sequence[_Candidate]) -> str:
    moment, days = best.moment, {c.moment.day for c in candidates}
    alike = {c.moment.day for c in candidates if c.rank == best.rank}
    if len(days) == 1:
        why = "the only date in the text"
    elif len(alike) > 1:
        why = f"the last of {len(alike)} dates of equal rank"
    else:
        why = f"of {len(days)} dates the closest to an act"
    if moment.precision in ("month", "year") and moment.day == moment.first:
        why += f"; the {moment.precision} stands for its first day"
    return why if moment.has_year else why + "; the year is inferred"


def _of_the_other(best: _Candidate, beyond: Sequence[_Candidate], changes: Mapping[date, str]) -> str:
    """The best of the times that lie on the other side of a change of law."""
    if not beyond:
        return ""
    other = min(beyond, key=_quality).moment
    change = _between(best.moment.day, other.day, changes)
    return f"; {other.day} is named too, and the law changed between them, on {change}"


@dataclass(frozen=True, slots=True)
class AsOf:
    """The day whose law applies.

    ``source``: ``asked`` if it was given, ``words`` if it was read from the complaint, ``today`` if neither.
    ``evidence``: the words it was read from; what is said of them is as of an :class:`Incident`.
    ``step``: day whose law of procedure and evidence applies, where it is another's.
    """

    day: date
    source: str
    evidence: str = ""
    precision: str = ""
    why: str = ""
    uncertain: bool = False
    rule: str = ""
    step: date | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON: days as ``YYYY-MM-DD``."""
        step = self.step.isoformat() if self.step else ""
        return asdict(self) | {"day": self.day.isoformat(), "step": step}

    def line(self) -> str:
        """One line for people."""
        both = f"; procedure of {self.step}" if self.step else ""
        if self.source == REQUEST:
            return f"law of {self.day}, as asked{both}"
        if self.source == WORDS:
            return f"law of {self.day}, read from “{self.evidence}”: {self.why}{both}"
        quoted = f" (“{self.evidence}”)" if self.evidence else ""
        return f"law of today, {self.day}" + (f": {self.why}{quoted}" if self.why else "") + both


def resolve(as_of: str, text: str, today: date, changes: Mapping[date, str] = NONE) -> AsOf:
    """The day whose law applies to a complaint.

    Raises ValueError if ``as_of`` is of another form.

    ``as_of``: ``YYYY-MM-DD``, ``auto`` to read it from the complaint, or empty for today; behind a ``/`` the
    day of the step, whose law of procedure applies. ``changes``: what
    :func:`~citegrain.tasks.law.counterparts.changes_of` gives.
    """
    as_of, _, of_step = as_of.partition("/")
    step = date.fromisoformat(of_step) if of_step else None
    if not as_of:
        return AsOf(today, TODAY, step=step)
    if as_of != AUTO:
        return AsOf(date.fromisoformat(as_of), REQUEST, step=step)
    incident = find_incident(text, today, changes)
    day, source = (today, TODAY) if incident.day is None else (incident.day, WORDS)
    why = [incident.why, *(f"“{words}” is no date, and was not read" for words in impossible_dates(text))]
    read = incident.words, incident.precision, "; ".join(why), incident.uncertain, incident.rule
    return AsOf(day, source, *read, step)

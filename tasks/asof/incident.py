"""The day of an incident, read from a complaint's own words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from tasks.asof.moments import PRECISIONS, Moment, find_moments

_BIRTH = re.compile(r"\bborn\b|\bbirth|\bd\.?o\.?b\b", re.IGNORECASE)
# what is written, filed or decided afterwards, what follows from the act, and what is still to be done
_BESIDE = re.compile(
    r"\bf\.?i\.?r\b|\bcomplain(?:t|ed)\b|\bnotices?\b|\bletters?\b|\brepl(?:y|ied|ies)\b|\bagreements?\b|\bdeeds?\b|"
    r"\baffidavits?\b|\bpetitions?\b|\bapplication\b|\bcharge\s?-?sheet|\bjudge?ment\b|\bdecree\b|\bsummons\b|"
    r"\breport(?:ed)?\b|\blodged\b|\bfiled\b|\bregistered\b|\breceipt\b|\binvoice\b|\bdated\b|\bhearing\b|\bbail\b|"
    r"\bdied\b|\bdischarged\b|\bpost-?mortem\b|\bcame to know\b|\bfound out\b|\bdue (?:on|by)\b|"
    r"\b(?:by|until|till|before|upto|up to)\s*(?:the\s*)?$",
    re.IGNORECASE,
)
_BREAK = re.compile(r"[.!?;,\n]\s|\s(?:and|but|then|so|while)\s|$")
_OPENING = re.compile(r"\s*(?:(?:and|but|then|on|in|the|that|it was|since|from)\s*)*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Incident:
    """The day of an incident as far as the words tell it.

    Attributes
    ----------
    day
        None where the words tell none, or leave open on which side of a change of law it lies.
    precision
        ``day``, ``week``, ``month`` or ``year``; empty where nothing is told.
    words
        Those on which it rests; empty where there are none.
    why
        How it was chosen.
    uncertain
        Whether the law changed within the time told.
    """

    day: date | None
    precision: str = ""
    words: str = ""
    why: str = "the words tell no date"
    uncertain: bool = False


def find_incident(text: str, asked: date, changes: Sequence[date] = ()) -> Incident:
    """The day of the incident that ``text`` tells of.

    Of several times that of an act comes before that of a paper or a consequence (an FIR, a letter, an
    agreement, a death, a deadline), a day before a week, month or year, a year that is told before one
    that is inferred, and of equals the last: the last act complained of decides which law applies. Days
    of birth and days to come do not count. What is longer than a day stands for its first day, unless the
    law changed within it.

    Parameters
    ----------
    asked
        The day of asking, from which ``last May`` and ``two years ago`` are counted.
    changes
        First days of new law.
    """
    told = [m for m in find_moments(text, asked) if not _beside(text, m, _BIRTH)]
    if not told:
        return Incident(None)
    best = min(told, key=lambda m: (_rank(text, m), -m.day.toordinal()))
    change = next((day for day in sorted(changes) if best.first < day <= best.last), None)
    if change is not None:
        why = f"the law changed on {change}, within the time told"
        return Incident(None, best.precision, best.words, why, uncertain=True)
    return Incident(best.day, best.precision, best.words, _why(text, best, told))


def _rank(text: str, moment: Moment) -> tuple[bool, int, bool]:
    """Less is better. A year alone is too vague to come before the day of a paper."""
    beside = _beside(text, moment, _BESIDE) or moment.words.lower() == "today"
    vague = moment.precision == "year"
    return beside or vague, PRECISIONS.index(moment.precision), not moment.whole


def _why(text: str, best: Moment, told: Sequence[Moment]) -> str:
    alike = {m.day for m in told if _rank(text, m) == _rank(text, best)}
    if len({m.day for m in told}) == 1:
        why = "the only date told"
    elif len(alike) > 1:
        why = f"the last of {len(alike)} dates told alike"
    else:
        why = f"of {len({m.day for m in told})} dates told the closest to an act"
    if best.precision in ("month", "year") and best.day == best.first:
        why += f"; the {best.precision} stands for its first day"
    return why if best.whole else why + "; the year is inferred"


def _beside(text: str, moment: Moment, cue: re.Pattern[str]) -> bool:
    """Whether the clause in which a time stands speaks of something else than an act."""
    before = text[: moment.start]
    starts = [m.end() for m in _BREAK.finditer(before) if m.end() < len(before)]
    before = before[starts[-1] if starts else 0 :]
    after = text[moment.end :]
    breaks = list(_BREAK.finditer(after))
    at = breaks[0]
    # "On 14 May 2024, I lodged ...": what the clause tells stands behind the comma
    if _OPENING.fullmatch(before) and at.start() <= 1 and at[0][:1] == "," and len(breaks) > 1:
        at = breaks[1]
    return bool(cue.search(before) or cue.search(after[: at.start()]))

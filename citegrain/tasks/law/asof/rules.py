"""Which day counts: of the act for what is punished or owed, of the step for procedure.

A proceeding that was pending when one code replaced another goes on by the old one (section 531 of the
Nagarik Suraksha Sanhita, 358 of the Nyaya Sanhita, 170 of the Sakshya Adhiniyam).
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta

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

"""Rules, regulations and bye-laws as the notification that makes them names them."""

import re
from collections.abc import Sequence
from datetime import date

from citegrain.tasks.law.instruments import CENTRAL, state_in, title_called
from citegrain.tasks.law.numbers import first_date
from citegrain.tasks.offline.kinds import Recognition
from citegrain.tasks.offline.pages import DocumentText, TextRow, TitledAct
from citegrain.tasks.offline.parse import act_starts, masthead_date

_MAKES = re.compile(
    r"(?P<who>central\s+government|government\s+of\s+[a-z& ]+|governor|administrator|"
    r"state\s+government|[a-z& ]{0,60}authority|board|commission|council)\b[^.;]{0,200}?"
    r"\b(?:makes?|issues?|frames?)\b",
    re.IGNORECASE,
)
_GAZETTE_NUMBER = re.compile(
    r"\b(?:G\.?\s?S\.?\s?R\.?|S\.?\s?O\.?)\s*(?:No\.?\s*)?(\d{1,5})\s*(\(\s*E\s*\))?"
)
_NOTIFICATION = re.compile(
    r"\b(?:Notification\s+)?No\s?[.:]\s*:?\s*([A-Z][\w./()&-]*(?:[ /-][\w./()&-]+){0,5})"
)
_IN_FORCE = re.compile(
    r"\b(?:shall|be\s+deemed\s+to\s+have)\s+c[oa]me\s+into\s+force\s+(?:(?:on\s+and\s+)?from|on|with\s+effect\s+from)\s+(?P<when>[^.;]{4,120})",
    re.IGNORECASE,
)
_DATELINE = re.compile(r"\b(?:dated?|the)\b", re.IGNORECASE)
_DATE = 32  # characters of a date in words
_ABOVE = 60  # rows above the title that may bear number and date


def recognise(text: DocumentText) -> Recognition | None:
    """The rules in a document, in order."""
    starts = act_starts(text.rows)
    before = text.rows[: starts[0][0]] if starts else text.rows
    titles = find_notifications(before, masthead_date(text.rows))
    return Recognition(titles) if titles else None


def find_notifications(rows: Sequence[TextRow], masthead: date | None = None) -> list[TitledAct]:
    """Every set of rules that begins among ``rows``, each title once; ``masthead``: day of the Gazette.

    Each begins on the page that names it, the first on page 1.
    """
    out: list[TitledAct] = []
    after = 0
    for at, row in enumerate(rows):
        title, text = title_called(rows, at)
        if not title or any(rules.title == title for rules in out):
            continue
        above = [other.text for other in rows[max(after, at - _ABOVE) : at]]
        published, after = _published(above) or masthead, at
        rules = TitledAct(
            title,
            "",
            "rules",
            row.page if out else 1,
            published=published,
            jurisdiction=_jurisdiction(title, " ".join(above)),
            gazette_number=_number(above),
            effective_date=_effective(text, published),
        )
        out.append(rules)
    return out


def _number(above: Sequence[str]) -> str:
    """Number in the Gazette, the nearest above; else that of the notification."""
    for text in reversed(above):
        if match := _GAZETTE_NUMBER.search(text):
            kind = "S.O." if match[0].lstrip().upper().startswith("S") else "G.S.R."
            return f"{kind} {match[1]}{'(E)' if match[2] else ''}"
    for text in reversed(above):
        if (match := _NOTIFICATION.search(text)) and re.search(r"\d", match[1]):
            return match[1].strip(" .,-")
    return ""


def _published(above: Sequence[str]) -> date | None:
    """Date of the notification: the nearest above, as ``Panaji, the 4th May, 2012``."""
    for text in reversed(above):
        if len(text) < 100:
            for match in _DATELINE.finditer(text):
                if day := first_date(text[match.end() : match.end() + _DATE]):
                    return day
    return None


def _effective(text: str, published: date | None) -> date | None:
    """First day in force as the rules say; the day of publication where they say that."""
    match = _IN_FORCE.search(re.sub(r"\s+", " ", text))
    if match is None:
        return None
    return published if "publi" in match["when"].lower() else first_date(match["when"])


def _jurisdiction(title: str, above: str) -> str:
    """The State in the title, else that of the maker, else of the masthead."""
    if state := state_in(title):
        return state
    makers = [match["who"].lower() for match in _MAKES.finditer(above)]
    if makers:
        return CENTRAL if makers[-1].startswith("central") else state_in(makers[-1]) or state_in(above)
    return state_in(above) or (CENTRAL if "GAZETTE OF INDIA" in above.upper() else "")

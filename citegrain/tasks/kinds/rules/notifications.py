"""Rules, regulations and bye-laws as their notification names them, and their numbers and headings.

States print the numbers in several ways, and scans misread them. A heading ends behind a dash, at the end of
its row, or on the row below its number.
"""

import re
from collections.abc import Sequence
from datetime import date

from citegrain.tasks.law.instruments import CENTRAL, state_in, title_called
from citegrain.tasks.law.numbers import first_date, normal
from citegrain.tasks.offline.document import Recognition
from citegrain.tasks.offline.pages import DocumentText, TextRow, TitledAct
from citegrain.tasks.offline.parse import act_starts, masthead_date
from citegrain.tasks.offline.structure import (
    HeadingSplit,
    Line,
    NumberMatch,
    clean_heading,
    looks_like_heading,
    match_number,
    split_heading,
)

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


_OPENED = r"\.[\s~=_*«]{1,4}(?=\(\s?1\s?\)\s?[A-Z“\"])"  # the dash is lost or misread, or never was
OPENED = re.compile(_OPENED)
_END = re.compile(
    rf"{_OPENED}|"
    r"[.:;,]\s{0,2}[-–—―⎯─]{1,3}|[—–―⎯─]{1,3}(?=\s*[(A-Z“\"])|(?<=[a-z)])\s?-{1,2}(?=\s*\(\s?[1a]\s?\))|\.\s-\s"
)
_MARK = re.compile(r"^\W{0,2}\(\s?(?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})\s?\)")
_ONE = re.compile(r"^\W*\(\s?1\s?\)\W*$")
_GOES_ON = re.compile(r"(?:[,(&]|\b(?:of|the|and|or|to|for|in|by))$")
_LONGEST = 260
_ROWS = 5

_RULE_WORD = re.compile(
    r"^\W{0,3}(?:Ru[l1I|][ecoa]|Regu[l1I|]ation|Bye-?\s?law)[\s–-]*(?:No\.?\s*)?(?P<num>\d{1,3}\s?[A-Z]{0,2})(?![A-Za-z(])\s*"
    r"(?:[.:]?\s?[-–—]{0,2}|$)\s*",
    re.IGNORECASE,
)
_HYPHENED = re.compile(
    r"^\W{0,3}(?P<num>\d{1,3}[A-Z]?)\s?[-–—]{1,2}\s{0,2}(?=\(\s?1\s?\)|$|(?![A-Z]{1,2}\s?[.\])])[A-Z“\"‘])"
)
_MISREAD = re.compile(
    r"^\W{0,2}(?P<num>[0-9IlOoSsBZzGgqTt|!\]\[iJ]{1,3})\s?[.,:;'’*-]{1,2}\s{0,3}(?=[A-Z(“\"])|^\W{0,2}(?P<bare>\d{1,2})\s+(?=[A-Z])"
)
_READ_AS = str.maketrans("IlOoSsBZzGgqTt|!][iJ", "11005582269977" + "111111")


def split_rule_heading(lines: Sequence[Line], *, listed: str, margin: str) -> HeadingSplit:
    """Heading of a rule and where its text begins.

    ``lines``: its first rows; the first is cut to begin behind the number. ``listed``, ``margin``: heading in
    the table of contents, and beside or above the rule; or empty.
    """
    lines = lines[:_ROWS]
    window = "\n".join(line.text for line in lines)
    heading, offset = split_heading(window, bold=0, listed=listed, margin=margin, inline=False)
    if margin or (heading and offset and not listed):
        return HeadingSplit(heading, _absolute(lines, offset))
    split = _below_number(lines) or _before_dash(lines) or _in_bold(lines) or _on_rows(lines)
    return split or HeadingSplit(clean_heading(listed), lines[0].start)


def _absolute(lines: Sequence[Line], offset: int) -> int:
    """Offset in the running text of an offset in the rows joined by line breaks."""
    for line in lines:
        if offset <= len(line.text):
            return line.start + offset
        offset -= len(line.text) + 1
    return lines[-1].end


def _below_number(lines: Sequence[Line]) -> HeadingSplit | None:
    """The number, perhaps with ``(1)``, stands alone: the heading is the row below it."""
    opened = bool(_ONE.match(lines[0].text))
    if len(lines) < 2 or (lines[0].text.strip(" .-–—") and not opened):
        return None
    rest = lines[1:]
    split = _before_dash(rest) or _on_rows(rest)
    if split is None and looks_like_heading(rest[0].text):
        split = HeadingSplit(clean_heading(rest[0].text), _after(rest, 1))
    return HeadingSplit(split.heading, split.text_start, opened) if split else None


def _before_dash(lines: Sequence[Line]) -> HeadingSplit | None:
    """``Title.—`` or one of its kin, perhaps rows below the number."""
    window = "\n".join(line.text for line in lines)
    for match in _END.finditer(window):
        heading = window[: match.start() + 1] if match[0][0].isalnum() else window[: match.start()]
        if _MARK.search(heading) or len(heading) > _LONGEST:
            return None
        if looks_like_heading(heading):
            return HeadingSplit(clean_heading(heading), _absolute(lines, match.end()))
        return None
    return None


def _on_rows(lines: Sequence[Line]) -> HeadingSplit | None:
    """Rows that end before ``(1)`` or with a short row, as ``Title:`` or ``Title`` set alone."""
    for count in range(1, min(len(lines), _ROWS - 1)):
        heading = " ".join(line.text.strip() for line in lines[:count])
        if not looks_like_heading(heading) or _MARK.match(lines[0].text):
            return None
        following = lines[count].text
        if _MARK.match(following):
            return HeadingSplit(clean_heading(heading), _after(lines, count))
        goes_on = following[:1].islower() or _GOES_ON.search(heading)
        alone = lines[count - 1].short or lines[count - 1].all_bold or heading[-1] in ":.-–—"
        if alone and not goes_on and not (lines[count - 1].all_bold and lines[count].all_bold):
            return HeadingSplit(clean_heading(heading), _after(lines, count))
    return None


def _in_bold(lines: Sequence[Line]) -> HeadingSplit | None:
    """A bold beginning of the first row."""
    first = lines[0]
    if 2 < first.bold < len(first.text) - 1 and looks_like_heading(first.text[: first.bold]):
        return HeadingSplit(clean_heading(first.text[: first.bold]), first.start + first.bold)
    return None


def _after(lines: Sequence[Line], count: int) -> int:
    return lines[count].start if count < len(lines) else lines[-1].end


def match_rule(text: str, bold: int = 0) -> NumberMatch | None:
    """The number at the start of a row that may open a rule: ``3.``, ``Rule 3.``, ``3-(1)`` or ``3-``."""
    for pattern in (_RULE_WORD, _HYPHENED):
        match = pattern.match(text)
        if match and int(re.sub(r"\D", "", match["num"])):
            return NumberMatch(normal(match["num"].upper()), match.start("num"), match.end(), "", False)
    return match_number(text, bold)


def style_of(text: str) -> str:
    """How a row sets its number: ``named``, ``hyphened`` or ``plain``."""
    return "named" if _RULE_WORD.match(text) else "hyphened" if _HYPHENED.match(text) else "plain"


def misread_number(text: str) -> NumberMatch | None:
    """A number in which a scan took letters and strokes for digits: ``l.``, ``S.``, ``1O.``."""
    match = _MISREAD.match(text)
    if match is None:
        return None
    read = match["bare"] or match["num"].translate(_READ_AS)
    return NumberMatch(str(int(read)), match.start(), match.end(), "", False) if read.isdigit() else None

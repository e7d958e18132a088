"""The numbers of rules as States print them and scans misread them, and where the heading of a rule ends.

A heading ends behind a dash, at the end of its row, or on the row below its number.
"""

import re
from collections.abc import Sequence

from citegrain.tasks.law.numbers import normal
from citegrain.tasks.offline.structure import (
    HeadingSplit,
    Line,
    NumberMatch,
    clean_heading,
    looks_like_heading,
    match_number,
    split_heading,
)

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

"""Where the heading of a rule ends: behind a dash, at the end of its row, on the row below its number."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citegrain.tasks.offline.structure import HeadingSplit, Line, clean_heading, split_heading

_OPENED = r"\.[\s~=_*«]{1,4}(?=\(\s?1\s?\)\s?[A-Z“\"])"  # the dash is lost or misread, or never was
OPENED = re.compile(_OPENED)
_END = re.compile(
    rf"{_OPENED}|"
    r"[.:;,]\s{0,2}[-–—―⎯─]{1,3}|[—–―⎯─]{1,3}(?=\s*[(A-Z“\"])|(?<=[a-z)])\s?-{1,2}(?=\s*\(\s?[1a]\s?\))|\.\s-\s"
)
_MARK = re.compile(r"^\W{0,2}\(\s?(?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})\s?\)")
_ONE = re.compile(r"^\W*\(\s?1\s?\)\W*$")
_SENTENCE = re.compile(
    r"\b(?:shall|may|means|includes|hereby|must|will|namely|following|requires|provided|whereas)\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"\b(?:which|that|who|whom|where|when)\b.*", re.IGNORECASE | re.DOTALL)
_GOES_ON = re.compile(r"(?:[,(&]|\b(?:of|the|and|or|to|for|in|by))$")
_LONGEST = 260
_ROWS = 5


def split_rule_heading(lines: Sequence[Line], *, listed: str, beside: str) -> HeadingSplit:
    """Heading of a rule and where its text begins.

    Parameters
    ----------
    lines
        Its first rows; the first is cut to begin behind the number.
    listed, beside
        Heading in the table of contents, and beside or above the rule; or empty.
    """
    lines = lines[:_ROWS]
    window = "\n".join(line.text for line in lines)
    heading, offset = split_heading(window, bold=0, listed=listed, margin=beside, inline=False)
    if beside or (heading and offset and not listed):
        return HeadingSplit(heading, _absolute(lines, offset))
    split = _below_number(lines) or _before_dash(lines) or _in_bold(lines) or _on_rows(lines)
    return split or HeadingSplit(clean_heading(listed), lines[0].start)


def looks_like_heading(text: str) -> bool:
    """Whether a row may be the heading of a rule: short, a capital first, no sentence."""
    bare = text.strip(" .:—–-")
    sentence = _SENTENCE.search(_RELATIVE.sub("", bare), 1)  # its first word is no verb: Means of service
    return 3 <= len(bare) <= _LONGEST and not bare[0].islower() and not sentence


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

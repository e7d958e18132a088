"""Where the heading of a section ends and its text begins."""

from __future__ import annotations

import re

from rapidfuzz import fuzz

from citegrain.tasks.core.script import LETTERS, is_devanagari
from citegrain.tasks.offline.structure.candidates import HEADING_END

_BRACKETED = re.compile(
    r"^\W*\[(?P<heading>[^\[\]]{2,400})\]?[\].\s]*(?=\W{0,3}(?:Rep|Om|Repealed|Omitted|Subs)\b)", re.DOTALL
)
_GONE_WORDS = re.compile(r"^\W*(?:Repealed|Omitted|Rep|Om)\b", re.IGNORECASE)
_SUBSECTION = re.compile(rf"^\W*\(\s*(?:[0-9a-zA-Z/]{{1,4}}|[{LETTERS}]{{1,2}})\s*\)")
_TRIM = " .:;,—–―⎯─-[]*†\n"
_LONGEST = 420


def split_heading(
    text: str,
    *,
    bold: int,
    listed: str,
    margin: str,
    inline: bool,
    titled: bool = False,
    named: str = "",
) -> tuple[str, int]:
    """Split what follows a section's number into heading and text.

    Parameters
    ----------
    text
        The section from behind its number.
    bold
        Leading characters of ``text`` that are bold; 0 if none.
    listed
        Heading in the table of contents, or empty.
    margin
        Marginal note beside the section, or empty.
    inline
        Whether sections of this document carry their heading in the text.
    titled
        Whether the heading is the whole of the first paragraph.
    named
        Heading that a model read at the beginning of the text, or empty.

    Returns
    -------
    tuple[str, int]
        The heading and the offset in ``text`` at which the text proper begins.
    """
    window = text[:_LONGEST]
    lead = len(window) - len(window.lstrip())
    bracketed = _BRACKETED.match(window)
    if bracketed:  # [Heading.] Rep. by ...: all of it is what the Act now says
        return clean_heading(bracketed["heading"]), lead
    if _GONE_WORDS.match(window) or window.lstrip().startswith("*"):
        return clean_heading(listed or margin), lead
    if named and (stands := _words(named).match(window)):
        return clean_heading(stands["words"]), stands.end()
    listed = listed or named
    if titled:
        heading, _, _ = text.partition("\n")
        return clean_heading(heading), len(heading)
    if margin:
        return clean_heading(margin), lead
    if not inline or _SUBSECTION.match(window):
        return clean_heading(listed), lead
    at = _heading_end(window, bold, listed)
    if at is None:
        return clean_heading(listed), lead
    start, end = at
    return clean_heading(window[:start]), end + len(window[end:]) - len(window[end:].lstrip())


def _heading_end(window: str, bold: int, listed: str) -> tuple[int, int] | None:
    """(end of heading, start of text) in ``window``; None where no heading is set off."""
    ends = [
        (m.start() + (m[0][0].isalnum() or is_devanagari(m[0][0])), m.end())
        for m in HEADING_END.finditer(window)
    ]
    if listed and len(listed) > 3:
        wanted = listed.lower()
        scored = [(fuzz.ratio(wanted, clean_heading(window[:a]).lower()), -a, (a, b)) for a, b in ends[:6]]
        if scored:
            best = max(scored)
            if best[0] >= 75:
                return best[2]
    if listed and len(listed) > 3:
        stop = re.match(r"[^.]{2,300}?\.", window)
        if stop and fuzz.ratio(listed.lower(), clean_heading(stop[0]).lower()) >= 85:
            return stop.end(), stop.end()
    if bold > 4:
        near = [e for e in ends if e[0] - 4 <= bold <= e[1] + 2]
        if near:
            return near[0]
    if ends:
        heading = window[: ends[0][0]]
        if len(heading) <= 260 and not re.search(r"\n\n", heading):
            return ends[0]
    if 6 < bold < len(window) - 1:
        return bold, bold
    return None


def _words(heading: str) -> re.Pattern[str]:
    """A heading at the beginning of a text, and what parts it from what follows."""
    words = r"\s+".join(map(re.escape, heading.split()))
    return re.compile(rf"\W*(?P<words>{words})[\s.:;—–―-]*", re.IGNORECASE)


def clean_heading(heading: str) -> str:
    """A heading on one line, without brackets and the marks at its ends."""
    return re.sub(r"\s+", " ", re.sub(r"[\[\]]", "", heading)).strip(_TRIM)

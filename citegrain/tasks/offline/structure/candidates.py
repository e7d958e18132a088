"""Rows that may begin a section, how much speaks for each, and where the heading of a section ends.

A row that starts with a number may begin a section, an entry of the table of
contents, an item of a list, a footnote or a section of another law that is
quoted. No single sign decides; each sign here adds to or takes from a score,
and ``offline.structure.sequence`` then chooses the best ascending series.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import NamedTuple

from rapidfuzz import fuzz

from citegrain.tasks.core.tables import grouped
from citegrain.tasks.core.words import LETTERS, is_devanagari
from citegrain.tasks.law.numbers import HYPHENS, Order, normal, order_of
from citegrain.tasks.offline.structure import hindi
from citegrain.tasks.offline.structure.notes import inserted_rows
from citegrain.tasks.offline.structure.rows import MarginLine, Row

_START = re.compile(
    r"""^(?P<pre>(?:\d{1,3}\s?(?:\[|\*+\s?\[?)\s*){0,3}[\s\[("'“”‘’*†‡#.\-–—|]*(?:(?:UNIT_WORDS)\s+)?)
    (?P<num>\d{1,3})(?!\d)
    (?P<let>[A-Z]{1,4}(?![A-Za-z])(?:\s?[-HYPHENS]\s?[A-Z](?=\s?[.\])]))?
        |\s?[-HYPHENS]\s?[A-Z]{1,2}(?=\s?[.\])])|\s[A-Z]{1,2}(?=\s?\.)|[क-ह]{1,2}(?=\s?[.\])]))?
    (?P<close>\s?[)\]])?
    (?P<dot>\s?[.:,]|(?=\s?[—–―⎯─]))?
    (?P<space>\s*)""".replace("UNIT_WORDS", hindi.UNIT_WORDS).replace("HYPHENS", HYPHENS),
    re.VERBOSE,
)
_RANGE = re.compile(
    rf"^\s*(?:to|and|&|,|[-{HYPHENS}—])\s*(?P<last>\d{{1,4}}[A-Z]{{0,3}})"
    r"(?P<more>(?:\s*(?:and|,)\s*\d{1,4}[A-Z]{0,3})*)\s*\.(?!\d)"
)
DASH = r"(?:[—–―⎯─]+|--+)"
HEADING_END = re.compile(
    rf"[.:?!;\]”\"’'):,]\s*{DASH}|\.\s?-(?=\s*[(A-Z“\"\[])|\w{DASH}(?=\s*[(A-Z“\"\[])"
    rf"|[{LETTERS}]\s?{DASH}(?=\s*[({LETTERS}“\"\[])"
)
GONE = re.compile(
    r"^\W*(?:\[.{0,260}?\]\W*)?.{0,160}?\b(?:Repealed|Omitted|Rep\.|Om\.|Omit)\b|^\W*\*(?:\s*\*){2,}"
    rf"|^\W*{hindi.GONE}",
    re.DOTALL,
)
_REFERENCE_END = re.compile(
    r"(?:\b(?:sections?|articles?|clauses?|rules?|sub-sections?|ss?\.|orders?|schedule|act|no\.?|nos\.?|of|to|"
    r"and|or|in|under|by|with|the|form|entry|item|than|exceeding|least|Rs\.?|rupees|"
    rf"धारा|उपधारा|अनुच्छेद|अध्याय|नियम|और|या)|[,(]|(?<![.:])[{HYPHENS}-])\s*$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.:;?।!\])”\"’—–*_-]\s*$")
_QUOTES = frozenset("\"'“”‘’")
_WINDOW = 300
_SMALL, _INDENT = 0.88, 0.5  # of the size of running text; of the size of type
_STUB = 2.5  # a bare number that only announces the section below it
_MARKED, _LONG_TITLE = 0.2, 240  # share of the numbers; characters
_LISTED = 4  # a table of contents of fewer entries is not trusted

_BRACKETED = re.compile(
    r"^\W*\[(?P<heading>[^\[\]]{2,400})\]?[\].\s]*(?=\W{0,3}(?:Rep|Om|Repealed|Omitted|Subs)\b)", re.DOTALL
)
_GONE_WORDS = re.compile(r"^\W*(?:Repealed|Omitted|Rep|Om)\b", re.IGNORECASE)
_SUBSECTION = re.compile(rf"^\W*\(\s*(?:[0-9a-zA-Z/]{{1,4}}|[{LETTERS}]{{1,2}})\s*\)")
_SENTENCE = re.compile(
    r"\b(?:shall|may|means|includes|hereby|must|will|namely|following|requires|provided|whereas)\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"\b(?:which|that|who|whom|where|when)\b.*", re.IGNORECASE | re.DOTALL)
_TRIM = " .:;,—–―⎯─-[]*†\n"
_LONGEST = 420


@dataclass(slots=True)
class Candidate:
    """A row that may begin provision ``number``; ``rest`` is the offset behind the number."""

    row: int
    number: str
    order: Order
    rest: int
    bold: bool
    quoted: bool
    has_dash: bool
    gone: bool
    last: str = ""
    score: float = 0.0


def find_candidates(rows: Sequence[Row], match: Matcher | None = None) -> list[Candidate]:
    """Every row that could begin a numbered provision, unscored; ``match`` reads its number."""
    match = match or match_number
    inside = inserted_rows(rows)
    out = []
    for index, row in enumerate(rows):
        text = row.text
        if not text or len(text) > 5000 or index in inside:
            continue
        matched = match(text, row.bold)
        if matched is None:
            continue
        window = text[matched.rest :] + " " + " ".join(r.text for r in rows[index + 1 : index + 4])
        out.append(
            Candidate(
                index,
                matched.number,
                order_of(matched.number),
                matched.rest,
                row.bold > matched.start,
                matched.quoted,
                bool(HEADING_END.search(window[:_WINDOW])),
                bool(GONE.match(window[:_WINDOW])),
                matched.last,
            )
        )
    return out


class NumberMatch(NamedTuple):
    """The number at the start of a row: ``start`` is its offset, ``rest`` the offset behind it."""

    number: str
    start: int
    rest: int
    last: str
    quoted: bool


Matcher = Callable[[str, int], NumberMatch | None]
"""From the text of a row, and how many of its leading characters are bold, to its number."""


def match_number(text: str, bold: int = 0) -> NumberMatch | None:
    """The number at the start of a row; ``last`` is the end of a range such as ``161 to 165A``."""
    match = _START.match(text)
    if not match:
        return None
    prefix = match["pre"]
    following = text[match.end() : match.end() + 1]
    if match["dot"] in (".", ":", ",") and following.isdigit() and not match["space"]:
        return None  # 1.5 lakh, 12.30, 1.4.2005
    number = normal(match["num"] + (match["let"] or ""))
    offset = match.end("let") if match["let"] else match.end("num")
    ranged = _RANGE.match(text[offset:])
    start = match.start("num")
    quoted = any(c in _QUOTES for c in prefix)
    if ranged:
        return NumberMatch(number, start, offset + ranged.end(), ranged["last"], quoted)
    bracketed = bool(match["close"]) and match["close"].strip() == ")"
    if bracketed and not (match["dot"] == "." and bold > start and "(" in prefix):
        return None  # (1), 2)
    if match["dot"] == ",":
        return None
    if match["dot"] is None and not (bold > start or match["close"]):
        return None
    if text[match.end() : match.end() + 3] == "of " or int(match["num"]) == 0:
        return None
    return NumberMatch(number, start, match.end(), "", quoted)


@dataclass(slots=True)
class Surroundings:
    """What is known of the document when its candidates are scored; ``headed``: rows below a heading."""

    contents: Mapping[str, str]
    margins: Sequence[MarginLine]
    body_size: float
    state_rows: Set[int]
    schedule_row: int
    restarts: bool = False  # whether the numbering begins again behind schedule_row
    headed: Set[int] = frozenset()


def score_candidates(
    candidates: list[Candidate], rows: Sequence[Row], around: Surroundings
) -> list[Candidate]:
    """Score candidates in place and return those worth considering."""
    margins = grouped((line.page, line.y0) for line in around.margins if line.text[:1].isupper())
    likely = [c for c in candidates if c.has_dash and (not around.contents or c.number in around.contents)]
    bold_style = sum(c.bold for c in likely) > 0.5 * len(likely)  # numbers of sections are set in bold
    scored = []
    for candidate, following in zip_longest(candidates, candidates[1:]):
        row = rows[candidate.row]
        candidate.score = _score(candidate, row, rows, around, margins, bold_style)
        if following and following.number == candidate.number and following.row - candidate.row < 7:
            candidate.score -= _STUB * (not row.text[candidate.rest :].strip())
        if candidate.score > 0.0:
            scored.append(candidate)
    return scored


def _score(
    c: Candidate,
    row: Row,
    rows: Sequence[Row],
    around: Surroundings,
    margins: Mapping[int, list[float]],
    bold_style: bool,
) -> float:
    rest = row.text[c.rest :]
    score = 0.0
    if c.bold:
        score += 2.0
    elif bold_style:
        score -= 1.5
    if c.has_dash or c.gone:
        score += 1.5
    if any(abs(y - row.y0) < 0.9 * row.size for y in margins.get(row.page, ())):
        score += 2.0
    score += _contents_score(c, rest, rows, around.contents)
    first = rest[:1]
    if first.isalpha() and first.islower():
        score -= 2.0
    elif first.isupper() or is_devanagari(first) or first in "“\"‘'([":
        score += 0.5
    if c.quoted:
        score -= 3.0
    if c.row in around.state_rows:
        score -= 5.0 if len(around.contents) >= _LISTED else 2.5
    if row.size < _SMALL * around.body_size and not c.bold:
        score -= 1.5
    if row.indent > _INDENT * row.size:
        score += 0.3
    previous = rows[c.row - 1] if c.row else None
    if c.row in around.headed:
        score += 2.0
    elif previous is not None and not previous.centred:
        if _REFERENCE_END.search(previous.text) and not c.bold:
            score -= 3.0
        elif not (_SENTENCE_END.search(previous.text) or c.bold or looks_like_heading(previous.text)):
            score -= 0.7
    if row.tabular and len(row.cells) > 2:
        score -= 1.0
    if c.row >= around.schedule_row:
        score -= 10.0 if around.restarts else 4.0
    return score


def _contents_score(c: Candidate, rest: str, rows: Sequence[Row], contents: Mapping[str, str]) -> float:
    """Agreement with the table of contents: number known, heading alike."""
    if len(contents) < _LISTED:
        return 0.0
    heading = contents.get(c.number)
    if heading is None:
        return -1.0
    if len(heading) < 4:
        return 1.0
    text = rest
    if len(text) < len(heading) + 10 and c.row + 1 < len(rows):
        text = f"{text} {rows[c.row + 1].text}"
    likeness = fuzz.partial_ratio(heading.lower(), text[: len(heading) + 12].lower()) / 100
    return 1.0 + 3.0 * max(0.0, likeness - 0.5) / 0.5


def plain_titles(rows: Sequence[Row], candidates: Sequence[Candidate]) -> set[int]:
    """Rows that are nothing but number and heading, where neither type nor dash marks a heading."""
    marked = sum(c.bold or bool(HEADING_END.search(rows[c.row].text)) for c in candidates)
    if marked > _MARKED * len(candidates):
        return set()
    return {c.row for c in candidates if _is_title(rows, c)}


def _is_title(rows: Sequence[Row], c: Candidate) -> bool:
    """Whether a row, or it with one or two below it, can be a heading behind which a paragraph begins."""
    text = rows[c.row].text[c.rest :].strip()
    if not text[:1].isupper():
        return False
    for row, below in pairwise(rows[c.row : c.row + 4]):
        text = text if row is rows[c.row] else f"{text} {row.text}"
        if not below.text[:1].islower():
            return len(text) < _LONG_TITLE and text[-1] not in ",;:-–—"
    return False


def split_heading(
    text: str,
    *,
    bold: int,
    listed: str,
    margin: str,
    inline: bool,
    title: int = 0,
    model_heading: str = "",
) -> tuple[str, int]:
    """Split what follows a section's number into heading and text.

    Returns the heading and the offset in ``text`` at which the text proper begins.

    ``bold``: leading characters of ``text`` that are bold. ``inline``: whether sections of this document
    carry their heading in the text. ``title``: characters of a heading that is set off by its rows or its
    type; 0: none is. Headings of the contents (``listed``), the margin or a model may be empty.
    """
    window = text[:_LONGEST]
    lead = len(window) - len(window.lstrip())
    if bracketed := _BRACKETED.match(window):  # [Heading.] Rep. by ...: all of it is what the Act now says
        return clean_heading(bracketed["heading"]), lead
    if _GONE_WORDS.match(window) or window.lstrip().startswith("*"):
        return clean_heading(listed or margin), lead
    if model_heading and (stands := _words(model_heading).match(window)):
        return clean_heading(stands["words"]), stands.end()
    listed = listed or model_heading
    if title:
        return clean_heading(text[:title]), title
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
        in_contents = listed.lower()
        alike = (
            (fuzz.ratio(in_contents, clean_heading(window[:a]).lower()), -a, (a, b)) for a, b in ends[:6]
        )
        likeness, _, end = max(alike, default=(0.0, 0, (0, 0)))
        if likeness >= 75:
            return end
        stop = re.match(r"[^.]{2,300}?\.", window)
        if stop and fuzz.ratio(listed.lower(), clean_heading(stop[0]).lower()) >= 85:
            return stop.end(), stop.end()
    if bold > 4 and (near := [e for e in ends if e[0] - 4 <= bold <= e[1] + 2]):
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


def looks_like_heading(text: str) -> bool:
    """Whether a row may be the heading of a provision: short, a capital first, no sentence."""
    bare = text.strip(" .:—–-")
    sentence = _SENTENCE.search(_RELATIVE.sub("", bare), 1)  # its first word is no verb: Means of service
    return 3 <= len(bare) <= _LONG_TITLE and not bare[0].islower() and not sentence


def clean_heading(heading: str) -> str:
    """A heading on one line, without brackets and the marks at its ends."""
    return re.sub(r"\s+", " ", re.sub(r"[\[\]]", "", heading)).strip(_TRIM)

"""Rules and regulations: where they begin and end in a document, and how they number their rules.

Rules are printed without the formulas of an Act. What they share is their first rule, which gives their
name: "These rules may be called ...". It tells where the text begins, behind a version in another language
and a table of contents, and how this print sets numbers. Forms and annexures behind them count anew from 1.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rapidfuzz import fuzz

from citegrain.tasks.kinds.rules.notifications import OPENED, match_rule, misread_number, style_of
from citegrain.tasks.law.instruments import slug, title_called
from citegrain.tasks.law.numbers import HYPHENS, order_of
from citegrain.tasks.offline.structure import (
    HEADING_END,
    Body,
    Candidate,
    Frame,
    FrontMatter,
    NumberMatch,
    PageText,
    Row,
    Surroundings,
    best_series,
    container_at,
    end_matter,
    find_candidates,
    find_containers,
    heading_like,
    heads_above,
    is_capitals,
    looks_like_heading,
    mend_gaps,
    score_candidates,
)

_FORM = re.compile(
    r"^\W*(?P<word>FORM|ANNEXURE|ANNEX|APPENDIX|(?:THE\s+)?(?:[A-Z]+\s+)?SCHEDULE)\b[\s\W]*(?:NO\b\W*)?"
    rf"(?P<num>[A-Z0-9]{{0,5}}(?:\s?[-{HYPHENS}]?\s?[A-Z0-9]{{1,3}})?)\W*(?:[\[(].{{3,70}})?$",
    re.IGNORECASE,
)
_SEE = re.compile(
    r"^\W{0,2}[\[({]\s*(?:see|under|vide|refer|in\s+terms\s+of)\b.{0,60}\b(?:rule|regulation|section|clause|bye)s?\b",
    re.IGNORECASE,
)
_SEEN = re.compile(r"^\W{0,2}[\[({|]\s*(?P<see>\w{2,4})\s+(?:sub\W?\s?)?(?P<what>\w{3,11})\b")
_SIGNED = re.compile(r"^\W*(?:By\s+[Oo]rder\b|BY\s+ORDER\b|\[?\s*F(?:ile|\.)?\s*\.?\s*No\b|\[\s*No\b|Sd/)")
_TITLE = re.compile(r"\W*(?:short\s+)?tit[l1I]e\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.:;?!\])”\"’—–-]\s*$")
_CITED_FORM = re.compile(
    r"\bForm\s?(?:No\.?\s?)?[-–]?\s?[‘'“\"(]?\s?([A-Z]|[IVX]{1,5}|\d{1,2})(?!\w)(?!\W{0,3}(?:of|under|to)\b)"
)
_ABOVE = 9  # rows above the name in which rule 1 opens
_SHORT = 90


def read_rules_body(page_text: PageText, front: FrontMatter, act_id: str) -> tuple[FrontMatter, Body] | None:
    """Rows of rules and the series of their numbers; None where nothing names itself rules.

    ``front``: what was read of a table of contents before them. ``act_id``: their id: it tells sets of rules
    in one document apart.
    """
    at = _named_at(page_text.rows, act_id)
    if at is None:
        return None
    opening, one = _first_rule(page_text.rows, at)
    begin, rows = opening, page_text.rows
    while (
        begin
        and opening - begin < 5
        and (  # a Chapter, its title, or a heading above a number
            container_at(rows, begin - 1, set())
            or heading_like(rows[begin - 1])
            or _head_row(rows, begin - 1)
        )
    ):
        begin -= 1
    rows = rows[begin:]
    rows = rows[: _next_set(rows, at - begin + 1)]
    rows = rows[: end_matter(rows, at - begin)]
    candidates = _candidates(rows, opening - begin, one)
    contents = front.contents if front.body_row <= begin else {}
    stop = len(rows)
    series: list[Candidate] = []
    anew = _restarts(candidates)
    for stop in sorted({*_stops(rows, at - begin), *anew, len(rows)}):
        series = _series(candidates, rows, page_text, contents, stop)
        goes_on = _is_list if stop in anew else _goes_on
        if not goes_on(series, candidates, rows, stop):
            break
    series = mend_gaps(series, rows, contents, frozenset(), stop)
    body = Body(rows, series, find_containers(rows, {c.row for c in series}, stop), stop, set())
    body.heads = heads_above(rows, series)
    return FrontMatter(begin, contents, front.contents_row if contents else -1), body


def _named_at(rows: Sequence[Row], act_id: str) -> int | None:
    """Row in which the rules of this id name themselves, else any; else that of "1. Short title"."""
    first = None
    for i in range(len(rows)):
        title, _ = title_called(rows, i)
        if title and slug(title) == act_id:
            return i
        if title and first is None:
            first = i
    if first is None:
        first = next((i for i in range(len(rows) - 1, -1, -1) if _short_title(rows[i])), None)
    return first


def _short_title(row: Row) -> bool:
    """Whether a row opens rule 1 by its usual heading; a table of contents has it, too, but before."""
    number = match_rule(row.text, row.bold) or misread_number(row.text)
    return bool(number and number.number == "1" and _TITLE.match(row.text[number.rest :]))


def _next_set(rows: Sequence[Row], after: int) -> int:
    """First row behind these rules that belongs to the next set in the same document."""
    for i in range(after, len(rows)):
        if title_called(rows, i)[0]:
            begin, _ = _first_rule(rows, i)
            return max(begin, after)
    return len(rows)


def _first_rule(rows: Sequence[Row], at: int) -> tuple[int, NumberMatch]:
    """Row on which rule 1 opens, above the row that names the rules, and its number."""
    for i in range(at, max(-1, at - _ABOVE), -1):
        match = match_rule(rows[i].text, rows[i].bold)
        if match and order_of(match.number) == (1, ""):
            return i, match
    for i in range(at, max(-1, at - _ABOVE), -1):  # its number is not legible
        misread = misread_number(rows[i].text)
        if misread and misread.number == "1":
            return i, misread
    titled = (i for i in range(at, max(-1, at - 4), -1) if _TITLE.match(rows[i].text))
    return next(titled, at), NumberMatch("1", 0, 0, "", False)


def _candidates(rows: Sequence[Row], at: int, one: NumberMatch) -> list[Candidate]:
    """Rows that may open a rule in the style of rule 1, which is the first of them, on row ``at``."""
    hits = [c for c in find_candidates(rows, match_rule) if c.row > at]
    style = style_of(rows[at].text)
    alike = [c for c in hits if style_of(rows[c.row].text) == style]
    window = rows[at].text[one.rest :] + " " + " ".join(r.text for r in rows[at + 1 : at + 3])
    dash = bool(HEADING_END.search(window[:300]) or OPENED.search(window[:300]))
    return [Candidate(at, "1", (1, ""), one.rest, rows[at].bold > one.start, False, dash, False), *alike]


def _series(
    candidates: Sequence[Candidate],
    rows: Sequence[Row],
    page_text: PageText,
    contents: dict[str, str],
    stop: int,
) -> list[Candidate]:
    """The best series of rules up to row ``stop``; it begins with rule 1 and has at most two digits.

    A year is no rule. Beyond 99 numbers count only where the series reaches 99.
    """
    around = Surroundings(contents, page_text.margins, page_text.body_size, frozenset(), stop)
    inside = [replace(c) for c in candidates if c.row < stop]
    scored = score_candidates(inside, rows, around)
    if not inside:
        return []
    for c in scored:
        c.score += _likeness(c, inside[0], rows)
    inside[0].score = max(inside[0].score, 5.0)
    rest = [c for c in scored if c is not inside[0] and c.order > (1, "")]
    short = best_series([inside[0], *(c for c in rest if c.order[0] <= 99)], list(contents))
    if short and short[-1].order[0] == 99:
        return best_series([inside[0], *rest], list(contents))
    return short


def _likeness(c: Candidate, one: Candidate, rows: Sequence[Row]) -> float:
    """What speaks for a rule: a heading follows, it stands where rule 1 does, and is as bold."""
    row, first = rows[c.row], rows[one.row]
    rest = row.text[c.rest :].strip()
    following = rows[c.row + 1].text if c.row + 1 < len(rows) else ""
    headed = looks_like_heading(rest) and (following.lstrip().startswith("(1)") or rest.endswith((":", ".")))
    place = abs(row.indent - first.indent)
    return 0.8 * headed + (0.4 if place < 12 else -0.4 * (place > 40)) - 1.0 * (one.bold and not c.bold)


def _stops(rows: Sequence[Row], after: int) -> list[int]:
    """Rows where rules may end: a signature, a form, an annexure or a Schedule."""
    out: list[int] = []
    for i in range(after + 1, len(rows)):
        row = rows[i]
        if len(row.text) > _SHORT:
            continue
        ended = bool(_SENTENCE_END.search(rows[i - 1].text)) or heading_like(rows[i - 1])
        if _sees(row.text) or form_title(row) or (ended and _SIGNED.match(row.text)):
            out.append(_heading_above(rows, i, out[-1] if out else after))
    return list(dict.fromkeys(out))


def _sees(text: str) -> bool:
    """Whether a row is ``[See rule 3]``, which stands below the title of a form; of scans, too."""
    if _SEE.match(text):
        return True
    match = _SEEN.match(text.lower()) if len(text) < 45 else None
    if match is None or fuzz.ratio(match["see"], "see") < 60:
        return False
    return max(fuzz.ratio(match["what"], what) for what in ("rule", "rules", "regulation")) >= 70


def form_title(row: Row) -> re.Match[str] | None:
    """The title of a form, annexure or Schedule that stands alone on a row."""
    match = _FORM.match(row.text) if len(row.text) < 60 else None
    if match is None or not (row.centred or is_capitals(row.text) or row.bold >= len(row.text.strip()) - 2):
        return None
    return match if match["word"][0].isupper() else None


def _heading_above(rows: Sequence[Row], at: int, after: int) -> int:
    """First of the rows that head what begins at row ``at``."""
    if _SIGNED.match(rows[at].text):
        return at
    first = at
    while (
        first - 1 > after
        and at - first < 4
        and (heading_like(rows[first - 1]) or form_title(rows[first - 1]))
    ):
        first -= 1
    return first


def _restarts(candidates: Sequence[Candidate]) -> list[int]:
    """Rows on which numbers begin anew at 1, followed by 2 and 3."""
    rows = []
    for k, c in enumerate(candidates):
        if k and c.order == (1, "") and not c.quoted and _run(candidates[k:])[-1].order[0] >= 3:
            rows.append(c.row)
    return rows


def _run(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that count on from the first, one by one."""
    run = [candidates[0]]
    for c in candidates[1:]:
        if c.order == (1, ""):
            break
        if run[-1].order[0] < c.order[0] <= run[-1].order[0] + 3:
            run.append(c)
    return run


def _is_list(
    series: Sequence[Candidate], candidates: Sequence[Candidate], rows: Sequence[Row], stop: int
) -> bool:
    """Whether what counts anew at ``stop`` is a list within a rule: the next rule follows behind it."""
    behind = [c for c in candidates if c.row >= stop and not c.quoted]
    if not series or not behind:
        return bool(behind)
    number, one = series[-1].order[0], candidates[0]
    unlike = (behind[0].has_dash, behind[0].bold) != (one.has_dash, one.bold)
    after = _run(behind)[-1].row if _run(behind)[-1].order[0] > number else stop
    for c in behind[1:]:
        if c.order == (1, ""):
            return False
        if c.order[0] != number + 1:
            continue
        if unlike and (c.has_dash, c.bold) == (one.has_dash, one.bold):
            return True
        if c.row > after:
            return c.has_dash if one.has_dash else looks_like_heading(rows[c.row].text[c.rest :])
    return False


def _goes_on(
    series: Sequence[Candidate], candidates: Sequence[Candidate], rows: Sequence[Row], stop: int
) -> bool:
    """Whether the next number follows behind ``stop``, with a heading and before anything counts anew."""
    if not series:
        return True
    number = series[-1].order[0]
    for c in candidates:
        if c.row < stop or c.quoted or c.order[0] > number + 1:
            continue
        if c.order[0] <= number:
            return False
        return c.has_dash or c.bold or looks_like_heading(rows[c.row].text[c.rest :])
    return False


def _head_row(rows: Sequence[Row], at: int) -> bool:
    """Whether a row may be a heading above a number: it is short, and the row above it is ended."""
    row = rows[at]
    ended = at == 0 or bool(_SENTENCE_END.search(rows[at - 1].text)) or heading_like(rows[at - 1])
    set_apart = row.bold >= len(row.text.strip()) - 2 or row.italic or row.text.rstrip().endswith(".")
    short = len(row.text) < _SHORT and not container_at(rows, at, set()) and not match_rule(row.text)
    return ended and set_apart and short and looks_like_heading(row.text)


def form_frames(body: Body) -> list[Frame]:
    """Forms, annexures and Schedules behind the rules."""
    frames: list[Frame] = []
    for i in range(body.schedule_row, len(body.rows)):
        if frames and i <= frames[-1].last:
            continue
        title = form_title(body.rows[i])
        if title or (i == body.schedule_row and _sees(body.rows[i].text)):
            frames.append(_form(body.rows, i, title))
    firsts: dict[tuple[str, str], Frame] = {}
    for frame in frames:  # one that repeats the title of one before heads its next page
        firsts.setdefault((frame.kind, frame.number), frame)
    return list(firsts.values())


def lost_ends(body: Body, frames: Sequence[Frame]) -> Iterator[str]:
    """What speaks against the end of rules being there, in words: forms that they cite, a signature."""
    if body.schedule_row == len(body.rows):
        yield "nothing stands behind its last rule, neither a signature nor a form: its end may be missing"
    numbers = {frame.number for frame in frames if frame.kind == "form"}
    text = " ".join(row.text for row in body.rows[body.series[0].row : body.schedule_row])
    absent = sorted({match[1] for match in _CITED_FORM.finditer(text)} - numbers)
    if numbers:  # a scan reads letters as digits
        absent = [n for n in absent if n.isdecimal() in map(str.isdecimal, numbers)]
    if absent and "" not in numbers:
        yield f"its rules cite Form {absent[0]}, which is not there"


def _form(rows: Sequence[Row], at: int, title: re.Match[str] | None) -> Frame:
    word = title["word"].lower().split()[-1] if title else "form"
    kind = {"annex": "annexure"}.get(word, word)
    number = re.sub(r"\W", "", title["num"]).upper() if title else ""
    parts: list[str] = []
    last = at
    for i in range(at + 1, min(len(rows), at + 5)):
        if form_title(rows[i]) or not (_sees(rows[i].text) or heading_like(rows[i])):
            break
        if not _sees(rows[i].text):
            parts.append(rows[i].text.strip())
        last = i
    return Frame(kind, number, " ".join(parts), at, last)

"""Which Acts a document contains, from its pages: title, number, kind, date.

An Act begins where a line such as ``ACT NO. 45 OF 1860`` stands over a long
title, a preamble or an enacting formula; the capitals above it are its title.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from citegrain.tasks.law.numbers import first_date
from citegrain.tasks.offline.pages import DocumentText, TextRow, TitledAct

_NUMBER = re.compile(
    r"^\W*(?:ACT|ORDINANCE|REGULATION)?\s*(?:N[O0]\s*[.,]?)?\s*([IVXLC]{1,7}|\d{1,3})\s*OF\s*(\d{4})\b",
    re.IGNORECASE,
)
_ENACTING = re.compile(
    r"^\W*(?:an act\b|an ordinance\b|be it enacted|preamble\b|whereas\b|we,? the people|"
    r"it is (?:hereby )?enacted)",
    re.IGNORECASE,
)
_NOUN = r"(?:ACT|CODE|SANHITA|ADHINIYAM|CONSTITUTION|ORDINANCE|REGULATIONS?|BILL|ORDER|RULES)"
_EXTRACT = re.compile(r"\b(?:EXTRACTS?|APPENDIX|ANNEXURE|SCHEDULE)\b")
_TITLE = re.compile(rf"\b{_NOUN}\b")
_TITLE_END = re.compile(rf"\b{_NOUN}\b[^,]{{0,60}}?(?:,?\s*(?:1[6-9]|20)\d\d)?\W*$")
_YEAR_ALONE = re.compile(r"^\W*(?:1[6-9]|20)\d\d\W*$")
_CONTENTS = re.compile(r"^\W*(?:ARR?[AE]N?GE?MENT\s+OF|CONTENTS|TABLE OF CONTENTS)\b", re.IGNORECASE)
_CLAUSES = re.compile(r"^\W*ARR?[AE]N?GE?MENT\s+OF\s+CLAUSES", re.IGNORECASE)
_BILL = re.compile(r"^\W*(?:A\s+BILL\b|(?:AS\s+(?:PASSED|INTRODUCED)\b.*)|Bill\s+No\.?\s*\d+)", re.IGNORECASE)
_AS_ON = re.compile(
    r"(?:\bas\s+(?:modified|amended|corrected)?\s*(?:up\s*to|on|till|upto)|last\s+updated?(?:\s+on)?)\b(.{3,40})",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"\b(?:may|shall)\s+be\s+(?:called|cited\s+as)\s+(?:the\s+)?(.{5,160}?,\s*(?:1[6-9]|20)\d\d)"
)
_WEEKDAY = re.compile(r"(?:MON|TUES|WEDNES|THURS|FRI|SATUR|SUN)DAY\b", re.IGNORECASE)
_LOOK_AHEAD = 14
_FRONT_PAGES = 30


def _capitals(text: str) -> bool:
    letters = [c for c in text if c.isalpha()]
    return len(letters) >= 3 and sum(c.isupper() for c in letters) > 0.7 * len(letters)


def _clean(title: str) -> str:
    title = re.sub(r"\s+", " ", title.translate(str.maketrans("", "", "*†‡_[]"))).strip(" .,:;-–—")
    title = re.sub(r"\s+,", ",", title).replace("- ", "-")
    return re.sub(r"(?<=[A-Za-z)]),?\s*((?:1[6-9]|20)\d\d)$", r", \1", title)


def _title_above(rows: Sequence[TextRow], at: int) -> str:
    """The rows of capitals that end just above row ``at``, read as one title."""
    parts: list[str] = []
    for row in reversed(rows[max(0, at - 5) : at]):
        text = row.text.strip()
        if not text.strip("_-–—. "):
            if parts:
                break
            continue
        year_alone = not parts and _YEAR_ALONE.match(text)
        if not (_capitals(text) or year_alone) or _CONTENTS.match(text) or len(text) > 120:
            break
        if parts and not _YEAR_ALONE.match(parts[0]) and _is_whole(text, below=" ".join(parts)):
            break
        parts.insert(0, text)
        if text.upper().startswith("THE "):
            break
    title = _clean(" ".join(parts))
    titled = _TITLE.search(title.upper()) and not _EXTRACT.search(title.upper())
    return title if titled else ""


def _is_whole(text: str, *, below: str) -> bool:
    """Whether a row is a whole title, not the beginning of one that goes on in ``below``."""
    if re.search(r"(?:1[6-9]|20)\d\d\W*$", text):
        return True
    goes_on = below.startswith(("(", "ACT")) or below.count(")") > below.count("(")
    return not goes_on and bool(_TITLE_END.search(re.sub(r"\([^()]*\)?|^[^()]*\)", "", text)))


def act_starts(rows: Sequence[TextRow]) -> list[tuple[int, str, str]]:
    """Row index, title and number of every Act that begins among ``rows``."""
    out = []
    for i, row in enumerate(rows):
        if len(row.text) > 60:
            continue
        match = _NUMBER.match(row.text)
        if not match or not any(_ENACTING.match(r.text) for r in rows[i + 1 : i + 1 + _LOOK_AHEAD]):
            continue
        if title := _title_above(rows, i):
            out.append((i, title, f"{match[1]} of {match[2]}"))
    return out


def _first_title(rows: Sequence[TextRow]) -> tuple[int, str] | None:
    """First row, on the front pages, that reads as the title of an Act."""
    for i, row in enumerate(rows):
        if row.page > _FRONT_PAGES:
            break
        text = _clean(row.text)
        titled = _capitals(text) or text.startswith("The ")
        if titled and len(text) < 100 and _TITLE_END.search(text.upper()):
            below = rows[i + 1].text if i + 1 < len(rows) else ""
            if _capitals(text) and (not text.upper().startswith("THE ") or _YEAR_ALONE.match(below)):
                text = _title_above(rows, i + (2 if _YEAR_ALONE.match(below) else 1)) or text
            return i, text
    return None


def _proper_case(title: str, rows: Sequence[TextRow]) -> str:
    """The title as section 1 spells it, if section 1 names it; else in title case."""
    text = " ".join(r.text for r in rows[:900])
    key = re.sub(r"[^a-z0-9]", "", re.sub(r"^the ", "", title.lower()))
    for match in _CALLED.finditer(text):
        called = _clean(match[1])
        same = re.sub(r"[^a-z0-9]", "", called.lower()) == key
        if same and len(called.split()) + title.upper().startswith("THE ") == len(title.split()):
            return f"The {called}"
    if not _capitals(title):
        return title
    small = {"of", "and", "the", "for", "in", "to", "from", "on", "at", "by", "with", "or", "a", "an"}
    words = [
        w.lower() if w.lower() in small and i else re.sub(r"[A-Za-z]+", lambda m: m[0].capitalize(), w)
        for i, w in enumerate(title.split())
    ]
    return " ".join(words)


def _with_year(title: str, number: str) -> str:
    if re.search(r"\b(?:1[6-9]|20)\d\d\b", title) or "constitution of india" in title.lower():
        return title
    year = number.rpartition(" ")[2]
    return f"{title}, {year}" if year.isdigit() else title


def masthead_date(rows: Sequence[TextRow]) -> date | None:
    """Date of the Gazette, from its masthead on the first page."""
    if not any("GAZETTE OF INDIA" in r.text.upper() or "EXTRAORDINARY" in r.text for r in rows[:60]):
        return None
    dates = (first_date(row.text) for row in rows[:60] if _WEEKDAY.search(row.text))
    return next(filter(None, dates), None)


def recognise_acts(text: DocumentText) -> list[TitledAct]:
    """The Acts in a document in English, in order; empty if its pages name none."""
    rows = text.rows
    front = [r for r in rows if r.page <= 6]
    dates = (first_date(match[1]) for row in front if (match := _AS_ON.search(row.text)))
    as_on, published = next(filter(None, dates), None), masthead_date(rows)
    starts = act_starts(rows)
    acts: list[TitledAct] = []
    for order, (at, title, number) in enumerate(starts):
        until = starts[order + 1][0] if order + 1 < len(starts) else len(rows)
        name = _with_year(_proper_case(title, rows[at:until]), number)
        kind = "ordinance" if "ORDINANCE" in title.upper() else "act"
        if acts and acts[-1].title == name:
            continue
        page = 1 if not acts else _front_page(rows, at, rows[starts[order - 1][0]].page)
        acts.append(TitledAct(name, number, kind, page))
    if not acts:
        first = _first_title(rows)
        if first is None:
            return []
        name = _with_year(_proper_case(first[1], rows[first[0] :]), _number_near(rows, first[0]))
        acts = [TitledAct(name, _number_near(rows, first[0]), "act", 1)]
    if _is_bill(rows):
        acts = [replace(act, kind="bill") for act in acts]
    return [replace(acts[0], as_on=as_on, published=published), *acts[1:]]


def _number_near(rows: Sequence[TextRow], at: int) -> str:
    matches = (_NUMBER.match(row.text) for row in rows[at + 1 : at + 4])
    return next((f"{match[1]} of {match[2]}" for match in matches if match), "")


def _front_page(rows: Sequence[TextRow], at: int, after: int) -> int:
    """Page where the front matter of the Act begun at row ``at`` starts, later than page ``after``."""
    page = rows[at].page
    for row in reversed(rows[:at]):
        if row.page <= after or row.page < page - 25:
            break
        if _CONTENTS.match(row.text):
            return row.page
    return page


def _is_bill(rows: Sequence[TextRow]) -> bool:
    front = [r for r in rows if r.page <= _FRONT_PAGES]
    if any(_CLAUSES.match(r.text) for r in front):
        return True
    titled = any(re.search(r"\bBILL,?\s*(?:19|20)\d\d\W*$", r.text) for r in front[:60])
    return titled and any(_BILL.match(r.text) for r in front)

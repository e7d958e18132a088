"""What the first and last pages of a judgment say of it: parties, court, bench, date, citations.

Indian judgments come in few prints, and each names its parts by position or by label:

- ``court``: the copy that the court signs. Heading of the court, cause title, ``JUDGMENT``, the judge;
  signatures and date at the end, or bench and date above (``CORAM``, ``DATE OF DECISION``) in High Courts.
- ``judis``: the Supreme Court's older database. Labels ``PETITIONER:``, ``BENCH:``, ``CITATION:``.
- ``report``: a law report (SCR, SCC, AIR). Names, date and bench in one block, then the headnote.
- ``publisher``: a title ``A vs B on 7 April, 2022`` over any of these, with ``Bench:`` and
  ``Equivalent citations:``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from itertools import chain, groupby, islice, takewhile

from citegrain.tasks.kinds.judgments.names import DOCKET, case_name, cause_title, party, signed_names
from citegrain.tasks.kinds.judgments.reported import (
    AUTHOR,
    read_bench,
    read_citations,
    read_report,
    report_row,
    reports_supreme_court,
    unlettered,
)
from citegrain.tasks.law.citations import find_citations
from citegrain.tasks.law.numbers import LONG_DATE, find_dates, first_date
from citegrain.tasks.offline.document import Recognition
from citegrain.tasks.offline.pages import DocumentText, Segment, TitledAct

FRONT_ROWS = 220
_LONG_TITLE = 4  # rows
_LONGEST_ROW = 2_000  # characters: the cause title, the bench and the date stand on short rows
_SUPREME = "Supreme Court of India"
_PUBLISHED = re.compile(
    rf"^(?P<name>.{{3,200}}?\s+(?:vs?\.?|versus)\s+.{{2,200}}?)\s+on\s+(?P<date>{LONG_DATE.pattern})\W*$",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"\b(?:IN\s+)?(?:THE\s+)?(?:HON['’]?BLE\s+)?(?P<court>SUPREME\s+COURT\s+OF\s+INDIA|"
    r"HIGH\s+COURT\s+OF\s+JUDICATURE\s+(?:AT|OF|FOR)\s+[A-Z]+|HIGH\s+COURT\s+(?:OF|AT|FOR)\s+[A-Z &,]+|"
    r"[A-Z]+\s+HIGH\s+COURT)\b"
)
_LABEL = re.compile(
    r"^\W*(?P<label>PETITIONERS?|APPELLANTS?|RESPONDENTS?|DATE\s+OF\s+JUDGE?MENT|BENCH|CITATION|CITATOR\s+INFO|"
    r"ACT|HEADNOTE|JUDGE?MENT|EQUIVALENT\s+CITATIONS?|AUTHOR)(?:/S|\(S\))?\s*:?(?=\s*[:-]|\s*\d|\s*$)[\s:-]*"
    r"(?P<rest>.*)$",
    re.IGNORECASE,
)
_UNNAMED = re.compile(
    r"^\W*(?:BY\s+ADVS?|COUNSEL|AGED|THIS\b|THE\s+COURT|[DSW]/O|REP(?:RESENTED|\.)?\s+BY|CASE\b|HON)",
    re.IGNORECASE,
)
OPENING = re.compile(
    r"^\W*(?:J\s?U\s?D\s?G\s?E?\s?M\s?E\s?N\s?T|(?:O\s?R\s?A\s?L\s+)?O\s?R\s?D\s?E\s?R|"
    r"C\s?O\s?M\s?M\s?O\s?N\s+J\s?U\s?D\s?G\s?E?\s?M\s?E\s?N\s?T)"
    r"(?:\s*:?\s*\((?:ORAL|PER)[^)]*\))?\s*:?\W*$",
    re.IGNORECASE,
)
"""The heading ``JUDGMENT`` or ``ORDER``, letters spaced or not."""
_DATED = re.compile(
    r"(?:DATE\s+OF\s+(?:DECISION|JUDGE?MENT|ORDER|PRONOUNCEMENT)|(?:JUDGE?MENT\s+)?(?:PRONOUNCED|DELIVERED)\s+ON|"
    r"DECIDED\s+ON|ORDER\s+DATE|^\W*DATED?\b|DATED\s+THIS\s+THE|\bD/-|"
    r"^\W*(?:MON|TUES|WEDNES|THURS|FRI|SATUR|SUN)DAY,?)[\s:-]*(?P<rest>.{4,60})",
    re.IGNORECASE,
)
_SIGN = re.compile(
    r"^\W*(?:versus|vs?|v/s)\W*$|^\W*RESPONDENTS?(?:/S|\(S\))?\s*:|"
    r"SUPREME\s+COURT\s+(?:REPORTS|CASES)\b|\s(?:vs?|versus)\.?\s.*(?:\bon\s+\d|\bRespondents?\b)",
    re.IGNORECASE,
)
# the letters by which a neutral citation names a High Court
_HIGH_COURTS = {
    "AHC": "Allahabad", "APHC": "Andhra Pradesh", "BHC": "Bombay", "CHC": "Calcutta", "CGHC": "Chhattisgarh",
    "DHC": "Delhi", "GAU": "Gauhati", "GUJHC": "Gujarat", "HHC": "Himachal Pradesh", "JHHC": "Jharkhand",
    "JKLHC": "Jammu and Kashmir and Ladakh", "KER": "Kerala", "KHC": "Karnataka", "MHC": "Madras",
    "MPHC": "Madhya Pradesh", "OHC": "Orissa", "PATHC": "Patna", "PHHC": "Punjab and Haryana",
    "RJ": "Rajasthan", "TSHC": "Telangana", "UHC": "Uttarakhand",
}  # fmt: skip

_PRINTS = {
    "court": "the court's copy",
    "judis": "labelled, as JUDIS has it",
    "report": "a law report",
    "publisher": "a publisher's",
}


@dataclass(frozen=True)
class Front:
    """What the pages of a judgment say of it: the columns of ``JUDGMENTS``."""

    case_name: str
    court: str
    print: str
    bench: tuple[str, ...] = ()
    date: date | None = None
    citations: tuple[str, ...] = ()
    also_reported: tuple[str, ...] = ()
    docket: str = ""


def read_front(rows: Sequence[str], tail: Sequence[str], signatures: str = "") -> Front | None:
    """Front of a judgment; None where the pages are not printed as one.

    ``rows``: text of the first rows, top to bottom (``FRONT_ROWS`` are read). ``tail``: text of the rows of
    the last two pages. ``signatures``: text in which names under signatures are looked for: the end of each
    opinion, or the whole.
    """
    rows, tail = (
        [" ".join(row.replace("\ufffd", " ").split())[:_LONGEST_ROW] for row in some]
        for some in (rows[:FRONT_ROWS], tail)
    )
    published, labels, report = _published(rows), _labels(rows), report_row(rows)
    heading, opens = _court(rows), _first_opening(rows)
    title = cause_title(rows) if report is None else ""
    block = read_report(rows[report:]) if report is not None else ("", None, [])
    labelled = _labelled_name(labels)
    top = [unlettered(r) if report is not None else r for r in rows[: opens if opens is not None else 60]]
    citations, others = read_citations(top, labels, published is not None, report)
    court = heading or _named_by(citations)
    form = _form(published is not None, labels, block, court, title or labelled, opens is not None)
    name = title or block[0] or labelled or (case_name(published["name"]) if published else "")
    if form is None or not name:
        return None
    dated = first_date(published["date"]) if published else None
    dated = dated or first_date(" ".join(labels.get("DATE OF JUDGMENT", []))) or block[1]
    supreme = form in ("judis", "report") or "DATE OF JUDGMENT" in labels or reports_supreme_court(citations)
    signed = [*signed_names(signatures), *signed_names(" ".join(tail))]
    return Front(
        case_name=name,
        court=court or (_SUPREME if supreme else ""),
        print=form,
        bench=read_bench(top if opens is None else rows[: opens + 3], labels, block[2], signed),
        date=dated or _dated(top) or _last_date(tail),
        citations=citations,
        also_reported=others,
        docket=next((r.strip(" ()[]") for r in top if DOCKET.search(r) and len(r) < 120), ""),
    )


def _form(
    published: bool,
    labels: Mapping[str, object],
    block: tuple[str, object, object],
    court: str,
    title: str,
    opened: bool,
) -> str | None:
    """The print; None where too little speaks for a judgment."""
    labelled = "RESPONDENT" in labels and ("BENCH" in labels or "DATE OF JUDGMENT" in labels)
    if published and (court or title or labelled or opened):
        return "publisher"
    if labelled:
        return "judis"
    if block[0] and (block[1] or block[2]):
        return "report"
    return "court" if court and title and (opened or "RESPONDENT" in labels) else None


def _named_by(citations: Sequence[str]) -> str:
    """The High Court that a neutral citation names; empty for none."""
    for text in citations:
        for hit in find_citations(text):
            letters = re.findall(r"[A-Z]+", hit.text)[0] if hit.family == "neutral" else ""
            if letters in _HIGH_COURTS:
                return f"High Court of {_HIGH_COURTS[letters]}"
    return ""


def _published(rows: Sequence[str]) -> re.Match[str] | None:
    """The publisher's title, which may run over some rows."""
    for first in range(min(3, len(rows))):
        for last in range(first + 1, min(first + _LONG_TITLE, len(rows)) + 1):
            match = _PUBLISHED.match(" ".join(rows[first:last]))
            if match and not re.search(r"\bon\s+\d", match["name"]):
                return match
    return None


def _labels(rows: Sequence[str]) -> dict[str, list[str]]:
    """Rows under each label of a front that labels its parts; the last of two labels counts."""
    out: dict[str, list[str]] = {}
    current: list[str] | None = None
    for row in rows:
        match = _LABEL.match(row)
        if match:
            label = re.sub(r"\s+", " ", match["label"].upper()).replace("JUDGEMENT", "JUDGMENT")
            label = re.sub(r"^(?:PETITION|APPELL)\w+", "PETITIONER", label)
            label = label.removesuffix("S") if label.startswith(("RESPONDENT", "EQUIVALENT")) else label
            if label in ("JUDGMENT", "HEADNOTE", "ACT") and "RESPONDENT" not in out:
                current = None
                continue
            current = out[label] = [match["rest"]] if match["rest"] else []
            if label in ("JUDGMENT", "HEADNOTE"):
                break
        elif current is not None:
            current.append(row)
    return out


def _labelled_name(labels: dict[str, list[str]]) -> str:
    """Name of a case from ``PETITIONER:`` and ``RESPONDENT:``."""
    sides = []
    for label in ("PETITIONER", "RESPONDENT"):
        rows = [
            r for r in labels.get(label, []) if not re.fullmatch(r"\W*(?:Vs?|versus)\W*", r, re.IGNORECASE)
        ]
        # without what follows of age, address and counsel
        sides.append(party([r for r in takewhile(lambda row: not _UNNAMED.match(row), rows) if r]))
    return case_name(f"{sides[0]} v. {sides[1]}") if all(sides) else ""


def _court(rows: Sequence[str]) -> str:
    for row in rows[:80]:
        if re.sub(r"\W", "", row).upper().endswith("SUPREMECOURTOFINDIA") and len(row) < 60:
            return _SUPREME
        match = _HEADING.search(row) if len(row) < 110 else None
        if match:
            words = re.sub(r"\s+", " ", match["court"].upper().split(",")[0]).strip().split()
            if "AT" in words[3:] and "JUDICATURE" not in words:  # where it sits
                words = words[: 3 + words[3:].index("AT")]
            return " ".join(w.lower() if w in ("OF", "AT", "FOR") else w.capitalize() for w in words)
    return ""


def _first_opening(rows: Sequence[str]) -> int | None:
    """Row at which the opinion of the court begins."""
    for i, row in enumerate(rows):
        if OPENING.match(row) or (AUTHOR.match(row) and i > 2) or re.match(r"^\W*JUDGE?MENT\s*:", row):
            return i
    return None


def _dated(top: Sequence[str]) -> date | None:
    matches = filter(None, map(_DATED.search, top))
    return next((day for match in matches if (day := first_date(match["rest"]))), None)


def _last_date(tail: Sequence[str]) -> date | None:
    """The date under the signatures: on a short row, the last that has one."""
    for text in reversed(tail):
        dates = find_dates(text[-40:])
        if dates and (len(text) < 45 or re.search(r"[.…]\s*C?J[I.]*\s*[\[(]", text)):
            return dates[-1]
    return None


def recognise(text: DocumentText) -> Recognition | None:
    """A judgment, by its print."""
    first = list(islice(chain.from_iterable(map(_rows, text.pages)), FRONT_ROWS))
    # none of an Act sets one party against another
    if not any(len(row) < 160 and _SIGN.search(row) for row in first):
        return None
    pages = list(map(_rows, text.pages))
    front = read_front(first, [*chain(*pages[-2:])], " ".join(chain(*pages)))
    if front is None:
        return None
    title = TitledAct(front.case_name, "", "judgment", 1, published=front.date)
    warning = f"a judgment, by its print ({_PRINTS[front.print]})"
    return Recognition([title], warning=warning, judgment=asdict(front))


def _rows(page: Sequence[Segment]) -> list[str]:
    """Text of each visual row of a page."""
    rows = groupby((s for s in page if s.role != "rule"), key=lambda s: s.row)
    return [" ".join(s.text for s in row) for _, row in rows]

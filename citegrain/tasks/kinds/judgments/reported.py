"""How a judgment is reported: the block with which a law report opens it, and its own citations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date

from citegrain.tasks.kinds.judgments.benches import bracketed
from citegrain.tasks.law.cases import DOCKET, FAMILIES, case_name, cause_title, find_citations
from citegrain.tasks.law.dates import LONG_DATE, US_DATE, first_date

_HEAD = re.compile(r"SUPREME\s+COURT\s+(?:REPORTS|CASES)\b|\bALL\s+INDIA\s+REPORTER\b", re.IGNORECASE)
_REPORTS = ("SCC", "SCR", "AIR")
_BARE = re.compile(
    r"[\s:;,|=*()\[\]-]+|REPORTABLE|NON|SUPREME COURT REPORTS|SUPREME COURT CASES|"
    r"NEUTRAL CITATION(?: NO\.?)?|\b\d{1,4}\b",
    re.IGNORECASE,
)
_ROLES = re.compile(r",?\s*(?:Petitioners?|Appellants?|Respondents?|Applicants?|Plaintiffs?|Defendants?)\b")
_DECIDED = re.compile(r"decided\s+on|\bD/-", re.IGNORECASE)
_VOLUME = re.compile(
    r"[\[(](?:19|20)\d\d[\])][^\d]{0,8}\d{0,2}\s*(?:Supp\w*\.?)?\s*S\.?C\.?R\.?(?!\s*\d)|"
    r"[\[(](?:19|20)\d\d[\])]\s*\d{1,2}\s+Supreme\s+Court\s+Cases(?!\s*\d)"
)


def report_row(rows: Sequence[str]) -> int | None:
    """The row at the head of a law report: its name, or nothing but a citation of one."""
    for i, row in enumerate(rows[:12]):
        hits = find_citations(_plain(row)) if i < 3 else []
        alone = hits and all(hit.family in (*_REPORTS, "INSC") for hit in hits) and _is_bare(row)
        if (_HEAD.search(row) and len(row) < 120) or (alone and any(h.family in _REPORTS for h in hits)):
            return i
    return None


def _plain(row: str) -> str:
    """A row with the name of a series as its letters."""
    row = re.sub(r"Supreme\s+Court\s+Cases", "SCC", row, flags=re.IGNORECASE)
    return re.sub(r"Supreme\s+Court\s+Reports(?=\s*\d)", "SCR", row, flags=re.IGNORECASE)


def read_report(rows: Sequence[str]) -> tuple[str, date | None, list[str]]:
    """Name, date and bench of the block with which a law report opens a case; its first row is the head."""
    rows = [unlettered(row) for row in rows[:40]]
    at, names = bracketed(rows[1:])
    head = rows[1 : at + 1] if at else rows[1:20]
    name = cause_title(rows[1:]) or case_name(" ".join(_parties(head))) or _inline(rows)
    days = [row for row in rows[1:30] if _is_day(row) or _DECIDED.search(row)]
    return name, next((day for row in days if (day := first_date(row))), None), names


def _parties(head: Sequence[str]) -> list[str]:
    """Rows with the parties: those above the number of the case and the date."""
    parties: list[str] = []
    for row in head:
        if row.startswith("(") or _is_day(row) or DOCKET.search(row) or find_citations(row):
            if parties:
                break
            continue
        if len(row) > 1:
            parties.append(row)
    return parties


def _inline(rows: Sequence[str]) -> str:
    """The name on a row with both parties and what they are: ``A, Petitioner v. B, Respondents.``"""
    row = next((r for r in rows if _ROLES.search(r) and re.search(r"\sv(?:s|ersus)?\.?\s", r)), "")
    return case_name(_ROLES.sub("", row).rstrip(" ."))


def _is_day(row: str) -> bool:
    """Whether a row is nothing but a date."""
    words = row.strip(" .,;()")
    return bool(LONG_DATE.fullmatch(words) or US_DATE.fullmatch(words))


def unlettered(row: str) -> str:
    """A row without the letter of the margin, by which a place on a page of a report is cited."""
    return re.sub(r"^[A-H] (?=[\[(A-Z])|(?<=.) [A-H]$", "", row) if len(row) > 1 else ""


def read_citations(
    top: Sequence[str], labels: Mapping[str, Sequence[str]], published: bool, report: int | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Citations of the judgment itself, on rows that hold nothing else or behind a label; and other reports.

    Parameters
    ----------
    published
        Whether a publisher lists equivalent citations, of which not all are known ones.
    report
        Row of the head of a law report.
    """
    pieces = [*labels.get("CITATION", ()), " ".join(labels.get("EQUIVALENT CITATION", ()))]
    if report is not None:
        pieces.append(_volume(top[report]))
    for i, row in enumerate(top):
        if find_citations(row) and _is_bare(row):
            pieces.append(row)
        elif re.match(r"^\W*Equivalent\s+citations?", row, re.IGNORECASE):
            pieces.append(" ".join(_equivalent(top[i:])))
    first: dict[str, str] = {}
    others: list[str] = []
    for piece in pieces:
        for hit in find_citations(piece):
            if hit.family in FAMILIES:
                first.setdefault(hit.key, hit.text)
        if published:
            listed = re.split(r",\s+(?=[\[(]?\d|AIR|JT|[A-Z]{3})", piece.partition(":")[2])
            others += [p.strip(" ,") for p in listed if p and not _of_family(p)]
    return tuple(first.values()), tuple(dict.fromkeys(others))


def _is_bare(row: str) -> bool:
    """Whether a row holds nothing but citations."""
    row = _plain(row)
    for hit in reversed(find_citations(row)):
        row = row[: hit.start] + " " + row[hit.end :]
    return len(_BARE.sub("", row)) < 3


def reports_supreme_court(citations: Sequence[str]) -> bool:
    """Whether a citation is of a series that reports the Supreme Court alone."""
    return any(hit.family in ("INSC", "SCR") for text in citations for hit in find_citations(text))


def _volume(row: str) -> str:
    """``[2020] 2 S.C.R. 246`` from the head of a report that prints volume and page apart; else the row."""
    row = _plain(row)
    volume, page = _VOLUME.search(row), re.search(r"(?:^|\s)(\d{1,4})(?:\s|$)", row)
    return f"{volume[0]} {page[1]}" if volume and page and not find_citations(row) else row


def _of_family(text: str) -> bool:
    return any(hit.family in FAMILIES for hit in find_citations(text))


def _equivalent(rows: Sequence[str]) -> list[str]:
    """The row ``Equivalent citations: ...`` and those on which it goes on."""
    out = [rows[0]]
    for row in rows[1:8]:
        if re.match(r"^\W*(?:Author|Bench|PETITIONER|IN THE)\b", row):
            break
        out.append(row)
    return out

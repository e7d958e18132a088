"""How a judgment is reported: its bench, its own citations, and the block that opens it in a law report."""

import re
from collections.abc import Mapping, Sequence
from datetime import date

from citegrain.tasks.kinds.judgments.names import (
    DOCKET,
    case_name,
    cause_title,
    merged,
    read_name,
    split_names,
)
from citegrain.tasks.law.citations import FAMILIES, find_citations
from citegrain.tasks.law.numbers import LONG_DATE, US_DATE, first_date

_LABEL = re.compile(
    r"^\W*(?P<label>BENCH|CORAM|PRESENT|AUTHOR|BEFORE)(?:\s*:?\s*[-–—:]\s*|\s*$)(?P<names>.*)$", re.IGNORECASE
)
_JUSTICE = re.compile(r"^\W*(?:(?:THE\s+)?HON['’]?(?:OURA)?BLE\s+)(?P<name>.{5,80})$", re.IGNORECASE)
_OFFICE = re.compile(r"\b(?:JJ?|CJI?|C\.\s?J)\b\.?\W*$")
_BRACKETED = re.compile(
    r"^\W*[\[(](?:BEFORE\s+)?(?P<names>[^\[\]]{5,400}?\b(?:JJ|J|CJI|C\.J\.I?|C\.\s?J)\b\.?)[\])]\W*$",
    re.DOTALL,
)
_LISTED = re.compile(r"^(?P<names>[A-Z][A-Z.,'’ ]{4,160}?\b(?:JJ|J)\.?)\W*$")
AUTHOR = re.compile(
    r"^\W*(?P<name>(?:(?:Dr|Mr|Mrs|Ms)\.?\s+)?[A-Z][A-Za-z.'’\s-]{2,60}?)\s*(?:,\s*|\s+(?=C\.?J))"
    r"(?:(?:Actg?\.?\s*)?C\.?\s?J\.?\s?I?\.?|CJI|JJ?)\s?[.:*]?(?:\s*[-–—:]+|\s*\([^)]{3,60}\)\s*:?)?\s*$"
)
"""A row that names the judge whose opinion begins: ``RAJESH BINDAL, J.``"""
_FULL_ROW = 55  # characters of a row of names that goes on below

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


def read_bench(
    top: Sequence[str], labels: Mapping[str, Sequence[str]], block: Sequence[str], signed: Sequence[str]
) -> tuple[str, ...]:
    """Judges by what the print says of them: labels, brackets, signatures; else who wrote the opinion.

    ``top``: rows above the opinion. ``labels``: rows under each label, of a print that has labels. ``block``,
    ``signed``: names that a law report has under the parties, and those under signatures.
    """
    names: list[str] = list(block)
    if "RESPONDENT" in labels:
        for row in labels.get("BENCH", ()):  # a judge, perhaps the surname first, or a list of judges
            name = read_name(row)
            names += filter(None, split_names(row) if "," in name else [name])
    for i, row in enumerate(top):
        match = _LABEL.match(row)
        label = match["label"].upper() if match else ""
        if match and label == "BENCH" and match["names"]:
            names += split_names(" ".join(_goes_on(match["names"], top[i + 1 :])))
        elif match and label in ("CORAM", "PRESENT", "BEFORE"):
            names += _coram([match["names"], *top[i + 1 : i + 8]])
    names += signed
    if not names:
        names = _coram([row for row in top if _JUSTICE.match(row)]) or [n for n in [read_author(top)] if n]
    return tuple(merged(names))


def _goes_on(first: str, rows: Sequence[str]) -> list[str]:
    """A list of names and the rows on which it goes on: until a row that is no list of names."""
    out = [first]
    for row in rows[:6]:
        listed = "," in row or out[-1].endswith(",") or len(out[-1]) > _FULL_ROW
        if not listed or not re.fullmatch(r"[A-Z][A-Za-z.,'’\s-]+", row) or row.isupper():
            break
        out.append(row)
    return out


def _coram(rows: Sequence[str]) -> list[str]:
    """Names of the rows below ``CORAM``, each of one judge, or lists that end with ``JJ.``"""
    names: list[str] = []
    listed: list[str] = []
    for row in rows:
        match = _JUSTICE.match(row)
        if match:
            names += split_names(match["name"])
        elif re.search(r"\b(?:AND|&)\s*$|,\s*$", row, re.IGNORECASE) or (row and _OFFICE.search(row)):
            listed.append(row)
            if _OFFICE.search(row):
                names += split_names(" ".join(listed))
                listed = []
        elif row and names:
            break
    return names


def bracketed(rows: Sequence[str]) -> tuple[int | None, list[str]]:
    """The row with which the bench of a law report begins, and its judges."""
    for i in range(min(30, len(rows))):
        for last in range(i + 1, min(i + 6, len(rows)) + 1):
            match = _BRACKETED.match(" ".join(rows[i:last]))
            if match:
                return i, split_names(match["names"])
        listed = _LISTED.match(rows[i])
        if listed and "," in rows[i]:
            return i, split_names(re.sub(r",?\s*C\.?\s?J\.?(?=,|\s)", "", listed["names"]))
    return None, []


def read_author(rows: Sequence[str]) -> str:
    """The judge who wrote the opinion; empty if no row names one."""
    for row in rows:
        match = _LABEL.match(row)
        if match and match["label"].upper() == "AUTHOR":
            return read_name(match["names"])
        author = AUTHOR.match(row)
        if author:
            return read_name(author["name"])
    return ""


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

    ``published``: whether a publisher lists equivalent citations, of which not all are known ones.
    ``report``: row of the head of a law report.
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
            foreign = (
                p for p in listed if p and all(hit.family not in FAMILIES for hit in find_citations(p))
            )
            others += [part.strip(" ,") for part in foreign]
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


def _equivalent(rows: Sequence[str]) -> list[str]:
    """The row ``Equivalent citations: ...`` and those on which it goes on."""
    out = [rows[0]]
    for row in rows[1:8]:
        if re.match(r"^\W*(?:Author|Bench|PETITIONER|IN THE)\b", row):
            break
        out.append(row)
    return out

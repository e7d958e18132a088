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
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from citegrain.tasks.law.cases.judges import merged, read_name, signed_names, split_names
from citegrain.tasks.law.cases.parties import case_name, cause_title
from citegrain.tasks.law.cases.reporters import FAMILIES, find_citations
from citegrain.tasks.law.dates import LONG_DATE, US_DATE, find_dates, first_date

FRONT_ROWS = 220
_LONG_TITLE = 4  # rows
_FULL_ROW = 55  # characters of a row of names that goes on below

_PUBLISHED = re.compile(
    rf"^(?P<name>.{{3,200}}?\s+(?:vs?\.?|versus)\s+.{{2,200}}?)\s+on\s+(?P<date>{LONG_DATE.pattern})\W*$",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"\b(?:IN\s+)?(?:THE\s+)?(?:HON['’]?BLE\s+)?(?P<court>SUPREME\s+COURT\s+OF\s+INDIA|"
    r"HIGH\s+COURT\s+(?:OF|AT|FOR)\s+[A-Z &,]+|[A-Z]+\s+HIGH\s+COURT|"
    r"HIGH\s+COURT\s+OF\s+JUDICATURE\s+(?:AT|OF|FOR)\s+[A-Z]+)\b"
)
_SUPREME = "Supreme Court of India"
_REPORT = re.compile(r"SUPREME\s+COURT\s+(?:REPORTS|CASES)\b|\b(?:ALL\s+INDIA\s+REPORTER)\b")
_LABEL = re.compile(
    r"^\W*(?P<label>PETITIONERS?|APPELLANTS?|RESPONDENTS?|DATE\s+OF\s+JUDGE?MENT|BENCH|CITATION|"
    r"CITATOR\s+INFO|ACT|HEADNOTE|JUDGE?MENT|EQUIVALENT\s+CITATIONS?|AUTHOR)\s*:?(?=\s*:|\s*\d|\s*$)\s*:?\s*(?P<rest>.*)$",
    re.IGNORECASE,
)
_BENCH = re.compile(
    r"^\W*(?P<label>BENCH|CORAM|AUTHOR|(?:HON['’]?BLE\s+)?JUDGES?|BEFORE)\s*:?\s*[-–—:]\s*(?P<names>.*)$",
    re.IGNORECASE,
)
_BRACKETED = re.compile(
    r"^\W*[\[(](?:BEFORE\s+)?(?P<names>[^\[\]]{5,400}?\b(?:JJ|J|CJI|C\.J\.I?|C\.\s?J)\b\.?)[\])]\W*$",
    re.DOTALL,
)
_JUSTICE = re.compile(r"^\W*(?:(?:THE\s+)?HON['’]?(?:OURA)?BLE\s+)(?P<name>.{5,80})$", re.IGNORECASE)
AUTHOR = re.compile(
    r"^\W*(?P<name>(?:(?:Dr|Mr|Mrs|Ms)\.?\s+)?[A-Z][A-Za-z.'’\s-]{2,60}?)\s*(?:,\s*|\s+(?=C\.?J))"
    r"(?:(?:Actg?\.?\s*)?C\.?\s?J\.?\s?I?\.?|CJI|JJ?)\s?[.:*]?(?:\s*[-–—:]+|\s*\([^)]{3,60}\)\s*:?)?\s*$"
)
"""A row that names the judge whose opinion begins: ``RAJESH BINDAL, J.``"""
OPENING = re.compile(
    r"^\W*(?:J\s?U\s?D\s?G\s?E?\s?M\s?E\s?N\s?T|(?:O\s?R\s?A\s?L\s+)?O\s?R\s?D\s?E\s?R|"
    r"C\s?O\s?M\s?M\s?O\s?N\s+J\s?U\s?D\s?G\s?E?\s?M\s?E\s?N\s?T)(?:\s*\((?:ORAL|PER)[^)]*\))?\s*:?\W*$",
    re.IGNORECASE,
)
"""The heading ``JUDGMENT`` or ``ORDER``, letters spaced or not."""
_DATED = re.compile(
    r"(?:DATE\s+OF\s+(?:DECISION|JUDGE?MENT|ORDER|PRONOUNCEMENT)|"
    r"(?:JUDGE?MENT\s+)?(?:PRONOUNCED|DELIVERED)\s+ON|DECIDED\s+ON|^\W*DATED?\b|DATED\s+THIS\s+THE|\bD/-)\s*:?\s*(?P<rest>.{4,60})$",
    re.IGNORECASE,
)
_DOCKET = re.compile(
    r"\b(?:APPEALS?|PETITIONS?|W\.?\s?P\.?|S\.?L\.?P\.?|C\.?A\.?|CRL?\.?\s?A\.?|SUITS?|"
    r"REVISIONS?|REFERENCES?|CASES?|APPLICATIONS?)\b"
    r".{0,40}?\bN[O0]S?\b\.?.{0,40}?\d",
    re.IGNORECASE,
)


_SIGN = re.compile(
    r"^\W*(?:versus|vs?|v/s)\W*$|^\W*RESPONDENTS?\s*:|"
    r"SUPREME\s+COURT\s+(?:REPORTS|CASES)\b|\svs?\.?\s.*\bon\s+\d",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Front:
    """What the pages of a judgment say of it.

    Attributes
    ----------
    print
        ``court``, ``judis``, ``report`` or ``publisher``.
    citations
        By which it is cited before courts: AIR, SCC, SCR, INSC, a High Court's neutral one; as printed.
    also_reported
        By which other reports print it.
    docket
        The case number, as ``CIVIL APPEAL NO. 2317 OF 2011``; empty if none was read.
    """

    case_name: str
    court: str
    print: str
    bench: tuple[str, ...] = ()
    date: date | None = None
    citations: tuple[str, ...] = ()
    also_reported: tuple[str, ...] = ()
    docket: str = ""


def may_be_judgment(rows: Sequence[str]) -> bool:
    """Whether a row of the first pages sets one party against another, which none of an Act does."""
    return any(len(row) < 160 and _SIGN.search(row) for row in rows[:FRONT_ROWS])


def read_front(rows: Sequence[str], tail: Sequence[str], signatures: str = "") -> Front | None:
    """Front of a judgment; None where the pages are not printed as one.

    Parameters
    ----------
    rows
        Text of the first rows, top to bottom (``FRONT_ROWS`` are read).
    tail
        Text of the rows of the last two pages.
    signatures
        Text in which names under signatures are looked for: the end of each opinion, or the whole.
    """
    rows = [re.sub(r"\s+", " ", r.replace("\ufffd", " ")).strip() for r in rows[:FRONT_ROWS]]
    published = _published(rows)
    labels = _labels(rows)
    report = next((i for i, r in enumerate(rows[:12]) if _REPORT.search(r)), None)
    heading = _court(rows)
    title = cause_title(rows) if report is None else None
    opens = _first_opening(rows)
    form = _form(published, labels, report, heading, title, opens)
    if form is None:
        return None
    name, dated = "", None
    if published:
        name, dated = case_name(published["name"]), first_date(published["date"])
    if "BENCH" in labels or "RESPONDENT" in labels:
        name = _labelled_name(labels) or name
        dated = dated or first_date(" ".join(labels.get("DATE OF JUDGMENT", [])))
    block: tuple[str, date | None, list[str]] = ("", None, [])
    if report is not None:
        block = _reported(rows[report:])
        name, dated = block[0] or name, dated or block[1]
    if title:
        name = title
    if not name:
        return None
    top = rows[: opens if opens is not None else 60]
    if report is not None:
        top = [_unlettered(r) for r in top]
    citations, others = _citations(top, labels, published is not None, report)
    bench = _bench(top, rows, labels, block[2], [*signed_names(signatures), *signed_names(" ".join(tail))])
    return Front(
        case_name=name,
        court=heading
        or (_SUPREME if "RESPONDENT" in labels or report is not None or _supreme(citations) else ""),
        print=form,
        bench=tuple(bench),
        date=dated or _dated(top) or _last_date(tail),
        citations=citations,
        also_reported=others,
        docket=next((r.strip(" ()[]") for r in top if _DOCKET.search(r) and len(r) < 120), ""),
    )


def _form(
    published: object, labels: object, report: object, heading: str, title: object, opens: object
) -> str | None:
    """The print; None where too little speaks for a judgment."""
    named = (
        isinstance(labels, dict)
        and "RESPONDENT" in labels
        and ("BENCH" in labels or "DATE OF JUDGMENT" in labels)
    )
    if published and (heading or title or named or opens is not None):
        return "publisher"
    if named:
        return "judis"
    if report is not None:
        return "report"
    return "court" if heading and title and opens is not None else None


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
            label = {"PETITIONERS": "PETITIONER", "APPELLANT": "PETITIONER", "APPELLANTS": "PETITIONER"}.get(
                label, label
            )
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
        sides.append(" ".join(r for r in rows if r))
    return case_name(f"{sides[0]} v. {sides[1]}") if all(sides) else ""


def _court(rows: Sequence[str]) -> str:
    for row in rows[:80]:
        match = _HEADING.search(row) if len(row) < 110 else None
        if match:
            words = re.sub(r"\s+", " ", match["court"].upper().split(",")[0]).strip().split()
            if "AT" in words[3:]:
                words = words[: 3 + words[3:].index("AT")]
            return " ".join(w.lower() if w in ("OF", "AT", "FOR") else w.capitalize() for w in words)
    return ""


def _first_opening(rows: Sequence[str]) -> int | None:
    """Row at which the opinion of the court begins."""
    for i, row in enumerate(rows):
        if OPENING.match(row) or (AUTHOR.match(row) and i > 2) or re.match(r"^\W*JUDGE?MENT\s*:", row):
            return i
    return None


def _reported(rows: Sequence[str]) -> tuple[str, date | None, list[str]]:
    """Name, date and bench of the block with which a law report opens a case."""
    bench_at, names = None, []
    for i in range(1, min(30, len(rows))):
        for last in range(i + 1, min(i + 6, len(rows)) + 1):
            match = _BRACKETED.match(" ".join(_unlettered(r) for r in rows[i:last]))
            if match:
                bench_at, names = i, split_names(match["names"])
                break
        if names:
            break
    head = [_unlettered(r) for r in rows[1 : bench_at if bench_at else 20]]
    dated = next(
        (
            first_date(r)
            for r in rows[1:30]
            if _is_day(_unlettered(r)) or re.search(r"decided\s+on", r, re.IGNORECASE)
        ),
        None,
    )
    parties: list[str] = []
    for row in head:
        if row.startswith("(") or _is_day(row) or _DOCKET.search(row) or find_citations(row):
            if parties:
                break
            continue
        if len(row) > 1:
            parties.append(row)
    return case_name(" ".join(parties)), dated, names


def _is_day(row: str) -> bool:
    """Whether a row is nothing but a date."""
    words = row.strip(" .,;()")
    return bool(LONG_DATE.fullmatch(words) or US_DATE.fullmatch(words))


def _unlettered(row: str) -> str:
    """A row without the letter of the margin, by which a place on a page of a report is cited."""
    return re.sub(r"^[A-H] (?=[\[(A-Z])|(?<=.) [A-H]$", "", row) if len(row) > 1 else ""


def _citations(
    top: Sequence[str], labels: dict[str, list[str]], published: bool, report: int | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Citations of the judgment itself: on rows that hold nothing else, or behind a label."""
    pieces = [*labels.get("CITATION", []), " ".join(labels.get("EQUIVALENT CITATION", []))]
    if report is not None:
        pieces.append(_volume(top[report]))
    for i, row in enumerate(top):
        hits = find_citations(row)
        rest = re.sub(
            r"[\s:;,|=*()\[\]-]+|REPORTABLE|NON|SUPREME COURT REPORTS|SUPREME COURT CASES|\b\d{1,4}\b",
            "",
            _without(row, hits),
            flags=re.IGNORECASE,
        )
        if hits and len(rest) < 3:
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
            others += [
                p
                for p in re.split(r",\s+(?=[\[(]?\d|AIR|JT|[A-Z]{3})", piece.partition(":")[2])
                if p and not _of_family(p)
            ]
    return tuple(first.values()), tuple(dict.fromkeys(o.strip(" ,") for o in others))


def _supreme(citations: Sequence[str]) -> bool:
    """Whether a citation is of a series that reports the Supreme Court alone."""
    return any(hit.family in ("INSC", "SCR") for text in citations for hit in find_citations(text))


def _volume(row: str) -> str:
    """``[2020] 2 S.C.R. 246`` from the head of a report that prints volume and page apart; else the row."""
    volume = re.search(
        r"[\[(](?:19|20)\d\d[\])][^\d]{0,8}\d{0,2}\s*(?:Supp\w*\.?)?\s*S\.?C\.?R\.?(?!\s*\d)", row
    )
    page = re.search(r"(?:^|\s)(\d{1,4})(?:\s|$)", row)
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


def _without(row: str, hits: Sequence[object]) -> str:
    for hit in reversed(hits):
        row = row[: hit.start] + " " + row[hit.end :]  # type: ignore[attr-defined]
    return row


def _bench(
    top: Sequence[str],
    rows: Sequence[str],
    labels: dict[str, list[str]],
    block: Sequence[str],
    signed: Sequence[str],
) -> list[str]:
    """Judges by what the print says of them: a label, a bracket, signatures; else who wrote the opinion."""
    names: list[str] = list(block)
    if "BENCH" in labels and "RESPONDENT" in labels:
        names += [n for row in labels["BENCH"] if (n := read_name(row))]
    for i, row in enumerate(top):
        match = _BENCH.match(row)
        if match and match["label"].upper() == "BENCH" and match["names"]:
            names += split_names(" ".join(_goes_on(match["names"], top[i + 1 :])))
        elif match and match["label"].upper() == "CORAM":
            names += _coram([match["names"], *top[i + 1 : i + 8]])
    names += signed
    if not names:
        author = _author(rows, labels)
        names = [author] if author else []
    return merged(names)


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
    names = []
    for row in rows:
        match = _JUSTICE.match(row)
        if match:
            names += split_names(match["name"])
        elif row and names:
            break
    return names


def _author(rows: Sequence[str], labels: dict[str, list[str]]) -> str:
    for row in rows:
        match = _BENCH.match(row)
        if match and match["label"].upper() == "AUTHOR":
            return read_name(match["names"])
        named = AUTHOR.match(row)
        if named:
            return read_name(named["name"])
    return ""


def _dated(top: Sequence[str]) -> date | None:
    for row in top:
        match = _DATED.search(row)
        value = first_date(match["rest"]) if match else None
        if value:
            return value
    return None


def _last_date(tail: Sequence[str]) -> date | None:
    """The date under the signatures: on a short row, the last that has one."""
    for row in reversed(tail):
        text = re.sub(r"\s+", " ", row)
        dates = find_dates(text[-40:])
        if dates and (len(text) < 45 or re.search(r"[.…]\s*C?J[I.]*\s*[\[(]", text)):
            return dates[-1]
    return None

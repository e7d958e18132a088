"""Whether the sections of an Act were read: what speaks for it and against it, and a verdict in words.

The thresholds are fitted on half of 51 Acts, whole and damaged on purpose, and measured on the other half
(``docs/documents.md``).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from statistics import median

import pyarrow as pa
import pyarrow.compute as pc
from rapidfuzz import fuzz

from citegrain.tasks.core.paths import located
from citegrain.tasks.core.schemas import VERDICTS
from citegrain.tasks.law.numbers import ORDINALS, Order, order_of
from citegrain.tasks.offline.structure.candidates import HEADING_END, clean_heading, looks_like_heading
from citegrain.tasks.offline.structure.tree import Node

SOUND, INCOMPLETE, DOUBTFUL, FAILED = VERDICTS[1:]
_LAST_SECTIONS = "data:last_sections.csv"
OF_RULES = ("rule", "regulation")
_REFERRED = r" (\d{1,3}[a-z]{0,2})\b(?!,? (?:and|or|to|of|thereof)\b|[,(/])"
_REFERENCE = re.compile(r"\b(?:section|article|rule)" + _REFERRED)
_RULES = re.compile(r"\b(?:rule|regulation)" + _REFERRED)
_CITED = re.compile(
    rf"\b(?:in|to|by|under|of) ((?:the|this)(?: (?P<nth>{'|'.join(map(str.title, ORDINALS))}))? Schedule)\b"
    r"(?! (?:to|of|annexed|appended)\b)"
)
_HEADED = re.compile(r"^\W{0,4}(?![A-Za-z]{4})[\w|!]{1,5}\s?[.,:;]?\s{0,2}[\[(“\"']?[A-Z][a-z]")
_NUMBERED = re.compile(r"^\W{0,3}(\d{1,3})\.\s*[\[(“\"']?[A-Z][a-z]")
_LABELS = re.compile(r"^\W*(?:Explanation|Exception|Provi|Illustration|Note|Statement)", re.IGNORECASE)
_CASES = re.compile(
    r"\blearned (?:senior|solicitor|attorney|counsel|judge|single|advocate|amicus|additional)\b"
    r"|\bSCC\b|\bSCR\b|\bAIR (?:19|20)\d\d\b|\(supra\)|\bthe apex court\b|\blearned \w+ for the\b",
    re.IGNORECASE,
)
_CASES_FEWEST, _CASES_SHARE = 5, 1.5e-4  # times, of the characters
_COMPLETE = 0.91  # share of the sections that are expected below which a reading is not whole
_OF_CONTENTS = 0.9
_COMPLETE_UNLISTED = 0.92  # where no contents say which numbers with letters there are
_HALF = 0.5
_LONGEST = 0.35  # of the text, in one of many sections
_MANY = 8  # sections
_TITLE = 8  # characters, of a heading that says which section it is
_LIKE = 50  # similarity of a heading to the same in the contents, in percent
_AROUND, _OF_SOME = 60, 0.25  # characters around a heading; share of the sections that have lost theirs
_SMALL = 15  # sections: below, a long one is no sign, but the last, which may hold those behind it
_OF_FEW = 6000  # characters: the last of few sections is often most of a short Act
_LAST = 0.15  # of the text, in the last section ...
_LAST_TIMES = 5  # ... and as many times as long as the usual one
_BARE = 0.5  # share of the sections without a heading: no print is known that has none
_A_PAGE = 0.2  # sections
_PAGES = 8
_ABSENT = 3  # sections referred to that are not there ...
_ABSENT_BEYOND = 0.25  # ... share of those referred to, beyond the last
_FAR = 2.5  # times the highest number: sections beyond are of another law
_ABSENT_WITHIN = 0.3
_ELSEWHERE = 0.6  # an Act of ...
_OF_ANOTHER = 20  # ... sections and more that refers so often to what it has not amends another
_UNCLAIMED = 0.1
_UNCLAIMED_LISTED = 0.5  # ... where all are there that the contents list
_OUTSIDE = 0.3
_PREAMBLE = 2000  # characters that may stand in no section of a short Act


@dataclass(frozen=True)
class Report:
    """How an Act was read: what ``REPORTS`` has of it."""

    verdict: str
    reason: str
    n_sections: int = 0
    n_listed: int = 0
    n_unread: int = 0
    n_gaps: int = 0
    n_headings: int = 0
    n_referred: int = 0
    n_absent: int = 0
    n_beyond: int = 0
    a_page: float = 0.0
    longest: float = 0.0
    last: float = 0.0
    outside: float = 0.0
    n_by_model: int = 0
    model_note: str = ""

    def doubted(self, *reasons: str) -> Report:
        """This report with more reasons for doubt; those that are empty are none."""
        if not any(reasons):
            return self
        reason = "; ".join(filter(None, (self.reason, *reasons)))
        return replace(self, verdict=FAILED if self.verdict == FAILED else DOUBTFUL, reason=reason)

    def is_better(self, other: Report | None) -> bool:
        """Whether this reading of an Act is to be preferred; ``other`` None: nothing was recognised in it."""
        if other is None:
            return self.verdict != FAILED
        ours, theirs = ((VERDICTS.index(r.verdict), r.reason.count(";")) for r in (self, other))
        return ours < theirs or (ours == theirs and self.n_sections > other.n_sections)


@cache
def last_sections() -> Mapping[str, int]:
    """The number of the last section of central Acts, by the slug of their title (``data/README.md``)."""
    with located(_LAST_SECTIONS).open(encoding="utf-8", newline="") as file:
        return {row["act"]: int(row["last_section"]) for row in csv.DictReader(file)}


def judge(
    nodes: Sequence[Node],
    unit: str,
    listed: Mapping[str, str],
    text: str,
    n_pages: int,
    before: int = 0,
    last: int = 0,
) -> Report:
    """The report on an Act.

    ``before``: characters before it that are no contents. ``last``: the number of its last section where that
    is known; 0: unknown. Counts only without contents, which tell more of this edition.
    """
    sections = [n for n in nodes if n.kind == unit]
    numbers, contents = {order_of(n.number) for n in sections}, {order_of(n) for n in listed}
    highest = max((o[0] for o in numbers | contents), default=0)
    if not listed:
        highest = max(highest, last)
    read = {o[0] for o in numbers}
    referred = {order for order in _referred(text, sections, unit) if order[0] <= _FAR * highest}
    lengths = [n.end - n.start for n in sections if n.end > n.start]
    usual = median(lengths) if lengths else 0
    swallowing = lengths[-1:] if len(lengths) < _SMALL else lengths
    total = max(1, len(text))
    report = Report(
        verdict=SOUND,
        reason="",
        n_sections=len(numbers),
        n_listed=len(contents),
        n_unread=len(contents - numbers),
        n_gaps=sum(number not in read for number in range(1, highest + 1)),
        n_headings=sum(_unclaimed(n, text) for n in sections),
        n_referred=len(referred),
        n_absent=len(referred - numbers),
        n_beyond=sum(order[0] > highest for order in referred),
        a_page=len(numbers) / max(1, n_pages),
        longest=max(swallowing, default=0) / total,
        last=lengths[-1] / total if len(lengths) >= _MANY and lengths[-1] > _LAST_TIMES * usual else 0.0,
        outside=1 - _covered(nodes, unit) / (total + before),
    )
    reasons = list(_doubts(report, unit, highest, n_pages, total + before))
    lawful = [n for n in sections if n.status == "in_force"]
    bare = sum(not n.heading for n in lawful)
    if len(lawful) >= _MANY and bare > _BARE * len(lawful):
        reasons.append(f"{bare} of {len(lawful)} {unit}s have no heading")
    if not any("of its contents were read" in reason for reason in reasons):
        reasons += _unlisted(contents, sections, unit, 0 if contents else last)
    reasons += _hidden(sections, listed, text, unit)
    failed = _share(report) < _HALF or report.outside > _HALF
    gap = _cited(text, nodes, unit)
    verdict = FAILED if failed else DOUBTFUL if reasons else INCOMPLETE if gap else SOUND
    return replace(report, verdict=verdict, reason="; ".join(filter(None, (*reasons, gap))))


def _hidden(sections: Sequence[Node], listed: Mapping[str, str], text: str, unit: str) -> Iterator[str]:
    """Sections that are not read though they seem to be there, in words."""
    numbers = {order_of(n.number) for n in sections}
    lawful = [n for n in sections if n.status == "in_force"]
    other = [n.number for n in lawful if _is_another(n.heading, listed.get(n.number, ""))]
    if len(other) > 1:
        yield f"the headings of {unit}s {other[0]} and {other[1]} are not those of its contents"
    unprinted = [n.number for n in lawful if _lacks(n, text, listed.get(n.number, ""))]
    if 1 < len(unprinted) < _OF_SOME * len(lawful):  # else they stand in the margin
        yield f"the headings of {unit}s {unprinted[0]} and {unprinted[1]} stand in its contents alone"
    absent = [n for n in listed if order_of(n) not in numbers and len(listed[n]) > _TITLE]
    words = " ".join(text.lower().split()) if absent else ""
    if there := [n for n in absent if " ".join(listed[n].lower().split()) in words]:
        yield f"the heading of {unit} {there[0]} is in the text, but not read as one"
    if not any(number == 1 for number, _ in numbers):
        yield f"its {unit} 1 is not there"
    continuing = (n.number for n in sections if order_of(n.number)[1])
    if alone := next((n for n in continuing if (order_of(n)[0], "") not in numbers), ""):
        yield f"{unit} {alone} is there, but not {unit} {order_of(alone)[0]}"
    headed = sum(bool(n.heading) for n in lawful) > _BARE * len(lawful)
    if bare := next((n for n in lawful if _is_bare(n, text, headed=headed)), None):
        yield f"{unit} {bare.number} has no text"
    for section in sections:
        if (n := _unclaimed(section, text)) >= _ABSENT:
            yield f"{n} rows inside {unit} {section.number} look like headings of others"
            break
    for before, after in pairwise(sections):
        missing = range(order_of(before.number)[0] + 1, order_of(after.number)[0])
        if missing and (_unclaimed(before, text) or _opens(before, text, missing)):
            yield f"{unit} {before.number} may hold the next: a row in it looks like a heading"
            return


def _cited(text: str, nodes: Sequence[Node], unit: str) -> str:
    """The Schedule that a section cites and that is not there, in words; another Act's may be cited."""
    there = {n.eid.removeprefix("sched_") for n in nodes if n.kind == "schedule"}
    if unit in OF_RULES or not all(map(str.isdecimal, there)) or "rincipal Act" in text:
        return ""
    for section in (n for n in nodes if n.kind == unit):
        for cited in _CITED.finditer(text, section.text_start, section.end):
            ordinal = (cited["nth"] or "").lower()
            if not there or (ordinal and str(ORDINALS.index(ordinal) + 1) not in there):
                return f"{unit} {section.number} cites {cited[1]}, which is not in this document"
    return ""


def _is_another(heading: str, listed: str) -> bool:
    """Whether a heading says something else than the contents do, which may say more."""
    short, long = ("".join(filter(str.isalpha, text.lower())) for text in (heading, listed))
    if min(len(short), len(long)) <= _TITLE or long.startswith(short):
        return False
    return fuzz.token_set_ratio(heading.lower(), listed.lower()) < _LIKE


def _lacks(section: Node, text: str, listed: str) -> bool:
    """Whether neither a section nor a line set apart above it begins with the heading in the contents."""
    heading = "".join(filter(str.isalpha, listed.lower()))
    before = text[max(0, section.start - len(listed) - _AROUND) : section.start].rstrip()
    _, blank_row, above = before.rpartition("\n\n")
    section_text = text[section.start : min(section.end, section.start + 2 * len(listed) + _AROUND)]
    begins = "".join(filter(str.isalpha, ((above if blank_row else "") + section_text).lower()))
    return len(heading) > _TITLE and fuzz.partial_ratio(heading, begins) < _LIKE


def _is_bare(section: Node, text: str, *, headed: bool) -> bool:
    """Whether a section has no text, or, where most are ``headed``, nothing but a heading."""
    body = text[section.text_start : section.end].strip()
    if not body or not headed:
        return not body
    alone = not section.heading or clean_heading(body).lower() == section.heading.lower()
    return alone and looks_like_heading(body)


def _unlisted(contents: Set[Order], sections: Sequence[Node], unit: str, last: int) -> Iterator[str]:
    """Sections that the contents list, or up to the ``last`` known, and that are not there, in words."""
    numbers = {order_of(n.number) for n in sections}
    read = contents or {(number, "") for number in range(1, max(last, *(n for n, _ in numbers), 0) + 1)}
    there = numbers if contents else {(number, "") for number, _ in numbers}
    if absent := sorted(read - there):
        which = ", ".join("".join(map(str, order)) for order in absent[:3])
        which, are = (f"{unit} {which}", "is") if len(absent) == 1 else (f"{unit}s {which}", "are")
        yield f"{which}{' of its contents' if contents else ''} {are} not there"


def cites_cases(text: str) -> str:
    """What speaks for a judgment, or a commentary, where an Act is read, in words; empty if nothing."""
    if sum(map(text.count, ("earned ", "SCC", "SCR", "AIR ", "upra)", "pex "))) < _CASES_FEWEST:
        return ""  # most Acts have none, and need no closer look
    count = sum(1 for _ in _CASES.finditer(text))
    if count < _CASES_FEWEST or count < _CASES_SHARE * len(text):
        return ""
    return f"it cites cases and counsel {count} times, as a judgment or a commentary does and no Act"


def count_heads(lines: pa.Table, first_page: int, last_page: int) -> dict[str, int]:
    """Rows that were left out as running, and rows of the text that say what one of them says."""
    page, role = lines.column("page"), lines.column("role")
    inside = pc.and_(pc.greater_equal(page, first_page), pc.less_equal(page, last_page))
    words = pc.replace_substring_regex(pc.utf8_lower(lines.column("text")), r"\d+", "#")
    running = pc.and_(inside, pc.is_in(role, pa.array(["header", "footer"])))
    shapes = pc.value_counts(words.filter(running).combine_chunks())
    usual = [s["values"] for s in shapes.to_pylist() if s["counts"] > 2 and s["values"].count(" ") > 0]
    left = pc.and_(pc.and_(inside, pc.equal(role, "body")), pc.is_in(words, pa.array(usual, pa.string())))
    rows = {"heads": lines.filter(running), "heads_left": lines.filter(left)}
    return {name: int(on.group_by(["page", "row"]).aggregate([]).num_rows) for name, on in rows.items()}


def _referred(text: str, sections: Sequence[Node], unit: str) -> set[Order]:
    """Numbers to which a text refers; rules refer to sections of their Act, and forms to anything."""
    if unit not in OF_RULES:
        return {order_of(m[1].upper()) for m in _REFERENCE.finditer(text.lower())}
    within = " ".join(text[n.start : n.end] for n in sections)
    return {order_of(m[1].upper()) for m in _RULES.finditer(within.lower())}


def _share(report: Report) -> float:
    """Share of the sections that must be there that were read."""
    absent = max(report.n_unread, report.n_gaps)
    return report.n_sections / max(1, report.n_sections + absent)


def _doubts(report: Report, unit: str, highest: int, n_pages: int, length: int) -> Iterator[str]:
    """What speaks against a reading, in words."""
    read, many = report.n_sections, report.n_sections >= _MANY
    if report.n_listed and report.n_listed - report.n_unread < _OF_CONTENTS * report.n_listed:
        yield f"{report.n_listed - report.n_unread} of {report.n_listed} {unit}s of its contents were read"
    elif _share(report) < (_COMPLETE if report.n_listed else _COMPLETE_UNLISTED):
        yield f"{report.n_gaps} of the numbers from 1 to {highest} are missing among its {unit}s"
    complete = report.n_listed > 0 and report.n_unread == report.n_gaps == 0
    if report.n_headings >= max(_ABSENT, (_UNCLAIMED_LISTED if complete else _UNCLAIMED) * read):
        yield f"{report.n_headings} rows inside {unit}s look like headings of others"
    swallows = report.longest > 2 * _LONGEST and report.longest * length > _OF_FEW
    long = (many and report.longest > _LONGEST) or swallows or report.last > _LAST
    if long and not complete:
        yield f"one {unit} has {max(report.longest, report.last):.0%} of the text"
    # other laws have sections too: where contents say which there are, references count for nothing
    beyond = report.n_beyond >= max(_ABSENT, _ABSENT_BEYOND * report.n_referred)
    within = report.n_absent >= max(_ABSENT, _ABSENT_WITHIN * report.n_referred)
    amends = read >= _OF_ANOTHER and report.n_absent > _ELSEWHERE * report.n_referred
    if (beyond or within) and report.n_listed < _MANY and not amends:
        yield f"{report.n_absent} of {report.n_referred} {unit}s that the text refers to are not there"
    if n_pages >= _PAGES and report.a_page < _A_PAGE:
        yield f"{read} {unit}s on {n_pages} pages are few"
    if report.outside > _OUTSIDE and report.outside * length > _PREAMBLE:
        yield f"{report.outside:.0%} of the text is in no provision"


def _opens(section: Node, text: str, numbers: Sequence[int]) -> bool:
    """Whether a row inside a section begins with one of some numbers, as a section does."""
    rows = text[section.text_start : section.end].split("\n")[1:]
    return any((m := _NUMBERED.match(row)) and int(m[1]) in numbers for row in rows)


def _unclaimed(section: Node, text: str) -> int:
    """Rows inside a section that look like the numbered heading of another."""
    rows = text[section.text_start : section.end].split("\n")[1:]
    return sum(
        bool(HEADING_END.search(row[:200]) and _HEADED.match(row) and not _LABELS.match(row)) for row in rows
    )


def _covered(nodes: Sequence[Node], unit: str) -> int:
    """Characters that stand in a provision."""
    covered = at = 0
    for start, end in sorted((n.start, n.end) for n in nodes if n.parent is None or n.kind == unit):
        covered += max(0, end - max(at, start))
        at = max(at, end)
    return covered

"""Tables of documents joined into those of a build: references resolved, validity filled in."""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.schemas import (
    ACTS,
    BACKGROUND,
    DOCUMENTS,
    PRECEDENTS,
    PROVISIONS,
    REFERENCES,
    SOURCES,
    VERDICTS,
    TableSchema,
)
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.core.tables import grouped
from citegrain.tasks.law.citations import find_citations, name_key, stands_alone
from citegrain.tasks.law.in_force import STRUCK, UNDATED, stages, struck_note
from citegrain.tasks.law.numbers import Order, find_dates, order_of
from citegrain.tasks.offline import index

_LETTERED = re.compile(r"\d+[A-Z]+", re.IGNORECASE)
_NUMBERS = r"\d+[A-Z]*(?:(?:\s*,\s*|\s+)(?:and\s+|to\s+)?\d+[A-Z]*)*"
_FOR = re.compile(rf"\bfor\s+(?:the\s+)?(?:original\s+)?(?:sections?|articles?|ss?\.)\s*({_NUMBERS})\b")
_SECTIONS = re.compile(rf"\b(?:[Ss]ections?|[Ss]s?\.)\s*({_NUMBERS})\b")
_NOT_PLAIN = re.compile(
    r"\b(?:except|clauses?|cla?s?\.|sub-\s?section|extent|respect|regard|Part|Chapter)", re.IGNORECASE
)
Row = Mapping[str, Any]

_READ = [
    "provision_id", "act_id", "version_date", "ordinal", "kind", "number", "parent_id", "text", "char_start",
    "valid_from", "valid_to", "validity_evidence", "status", "notes",
]  # fmt: skip


def beginnings(rows: Sequence[Row]) -> dict[int, tuple[date, str]]:
    """First day and its evidence, by row number, for rows without ``valid_from``.

    Sections 354A to 354D, inserted by one Act, stand in one bracket with one footnote, at the first; so do
    66 to 67C, "Subs. for sections 66 and 67". A sub-section is no older than its section, a section than a
    Chapter inserted with it. Where a note tells an Act and no day, it is the last of its year. Where one at
    section 1 tells plainly which sections came into force on which day, theirs is that day.
    """
    begins: dict[int, tuple[date, str]] = {}
    by_version = grouped(((row["act_id"], row["version_date"]), i) for i, row in enumerate(rows))
    for version in by_version.values():
        ordered = sorted(version, key=lambda i: rows[i]["ordinal"])
        units = [i for i in ordered if stands_alone(rows[i]["kind"], rows[i]["number"])]
        begins |= dict(_in_stages(rows, units))
        begins |= dict(_within_brackets(rows, units)) | dict(_undated(rows, ordered))
        at = {rows[i]["provision_id"]: i for i in ordered}
        for i in ordered:  # what encloses comes first
            above = at.get(rows[i]["parent_id"] or "")
            if above is None or above == i or rows[i]["valid_from"] is not None or i in begins:
                continue
            since: date | None = rows[above]["valid_from"]
            if since is not None:
                begins[i] = since, f"of what it stands in: {rows[above]['validity_evidence']}"
            elif above in begins:
                begins[i] = begins[above]
    return begins


def _opening(row: Row) -> Row | None:
    """The note at the number of a provision, of what was done to the whole of it; None if there is none."""
    notes = (n for n in row["notes"] if n["offset"] <= row["char_start"] + 1)
    return next((n for n in notes if n["action"] in ("inserted", "substituted")), None)


def _in_stages(rows: Sequence[Row], units: Sequence[int]) -> Iterator[tuple[int, tuple[date, str]]]:
    """Sections that a note at section 1 names with the day on which they came into force."""
    first = next((i for i in units if rows[i]["number"] == "1"), None)
    for note in rows[first]["notes"] if first is not None else ():
        left = [i for i in units if rows[i]["valid_from"] is None]
        for day, spans in _stages(note["text"]):
            here = [i for i in left if any(a <= _order(rows[i]["number"]) <= b for a, b in spans)]
            left = [i for i in left if i not in here]
            yield from ((i, (day, f"note on commencement at section 1: {note['text']}"[:200])) for i in here)


def _stages(note: str) -> Iterator[tuple[date, list[tuple[Order, Order]]]]:
    """Each day of a note on commencement with the sections that it names, where it names them plainly."""
    days = dict(stages(note))
    for (start, day), end in zip(days.items(), [*days, len(note)][1:], strict=True):
        stage = note[start:end].partition("see Gazette")[0]
        spans = [span for m in _SECTIONS.finditer(stage) for span in _spans(m[1])]
        if spans and not _NOT_PLAIN.search(stage):
            yield day, spans


def _undated(rows: Sequence[Row], ordered: Sequence[int]) -> Iterator[tuple[int, tuple[date, str]]]:
    """What an Act inserted of which the print tells the year alone."""
    for i in ordered:
        note = _opening(rows[i]) if rows[i]["valid_from"] is None else None
        year = re.search(r"\d{4}$", note["by_act"]) if note and note["action"] == "inserted" else None
        if note and year and not note["effective"] and "retrospective" not in note["text"]:
            yield i, (date(int(year[0]), 12, 31), f"{note['text'][:160]}{UNDATED}")


def _within_brackets(rows: Sequence[Row], units: Sequence[int]) -> Iterator[tuple[int, tuple[date, str]]]:
    """Provisions between the note that inserts or replaces the first of them and the end of its bracket.

    Those that the note names as replaced stood there before; lettered ones that it does not name are new.
    """
    for start, first in enumerate(units):
        row, note = rows[first], _opening(rows[first])
        replaced = _replaced(note["text"]) if note and note["action"] == "substituted" else []
        if note is None or row["valid_from"] is None or not (replaced or note["action"] == "inserted"):
            continue
        together = f"in one bracket with {row['number']}: {row['validity_evidence']}"
        new, run = f"{'Inserted ' if replaced else ''}{together}", list[int]()
        depth, last = 1 + _opened(row), max((b for _, b in replaced), default=(0, ""))
        for i in units[start + 1 :]:
            here, order = rows[i], _order(rows[i]["number"])
            is_replaced = any(a <= order <= b for a, b in replaced)
            # a bracket whose end was not read must not reach sections that were always there
            if not is_replaced and (depth <= 0 or not _LETTERED.fullmatch(here["number"])) and order >= last:
                break
            if is_replaced and here["valid_from"] is None:
                yield i, (row["valid_from"], together)
            elif here["valid_from"] is None and not (
                _opening(here) if replaced else any(n["action"] for n in here["notes"])
            ):
                run.append(i)
            elif not replaced:
                break
            depth += _opened(here) + any(n["offset"] <= here["char_start"] + 1 for n in here["notes"])
            if depth <= 0:
                yield from ((j, (row["valid_from"], new)) for j in run)
                run = []


def _opened(row: Row) -> int:
    """Brackets that open in a text and do not close there; of its own the sign stands before its number."""
    text: str = row["text"]
    return text.count("[") - text.count("]")


def _order(number: str) -> Order:
    return order_of(number) if number[:1].isdigit() else (0, "")


def _replaced(note: str) -> list[tuple[Order, Order]]:
    """First and last of each range of sections that a note says were replaced: "for sections 15 to 18"."""
    numbers = _FOR.search(note)
    return _spans(numbers[1]) if numbers else []


def _spans(numbers: str) -> list[tuple[Order, Order]]:
    ends = [re.split(r"\s+to\s+", part) for part in re.split(r",|\band\b", numbers)]
    return [(_order(part[0].strip()), _order(part[-1].strip())) for part in ends if part[0].strip()]


MERGED = tuple(schema for schema in index.STAGE.outputs if schema not in (ACTS, SOURCES, BACKGROUND))
"""Tables of documents that are those of a build once they are joined."""


def merge_tables(
    published: Tables,
    acts: Sequence[Mapping[str, Any]],
    sources: Sequence[Mapping[str, Any]],
    stories: Sequence[str] = (),
) -> Tables:
    """The tables of a build, from those of its documents.

    ``published``: the tables ``MERGED``, each of all documents in the order of the build. ``acts``: rows of
    ``acts``, with ``staged`` beside its columns.
    """
    tables = {schema.name: published[schema.name] for schema in MERGED}
    tables["documents"] = fill_verdicts(tables["documents"], tables["reports"])
    tables["provisions"] = fill_validity(tables["provisions"], acts)
    tables["references"] = resolve_references(tables["references"], tables["provisions"])
    tables["precedents"] = resolve_precedents(tables["precedents"], tables["judgments"], acts)
    rows = [{**ACTS.added, **act} for act in acts]
    tables["acts"] = ACTS.rows([{k: v for k, v in row.items() if k in ACTS.arrow.names} for row in rows])
    tables["sources"] = SOURCES.rows([dict(s) for s in sources])
    tables["background"] = BACKGROUND.rows([{"text": text} for text in stories])
    return tables


def _filled(table: pa.Table, schema: TableSchema, columns: Mapping[str, Sequence[Any]]) -> pa.Table:
    """A table with other values in some columns."""
    for name, values in columns.items():
        at = table.column_names.index(name)
        table = table.set_column(at, name, pa.array(values, table.schema.field(at).type))
    return schema.conform(table)


def resolve_references(references: pa.Table, provisions: pa.Table) -> pa.Table:
    """Say of each reference whether its target stands in the build.

    ``resolved`` becomes ``provision``, ``act`` (the Act is there, the provision is not) or ``no``.
    """
    targets = references.column("target_id")
    acts = references.column("target_act")
    there = pc.is_in(targets, value_set=pc.unique(provisions.column("provision_id")))
    act_there = pc.is_in(acts, value_set=pc.unique(provisions.column("act_id")))
    resolved = pc.if_else(there, "provision", pc.if_else(act_there, "act", "no"))
    return _filled(references, REFERENCES, {"resolved": resolved.to_pylist()})


def resolve_precedents(precedents: pa.Table, judgments: pa.Table, acts: Sequence[Row]) -> pa.Table:
    """Name the judgment that each row cites, where it is in the build: by a citation, else by its name."""
    ids = {act["document_id"]: act["act_id"] for act in acts}
    by_citation: dict[str, str] = {}
    by_name: dict[str, set[str]] = {}
    for row in judgments.to_pylist():
        act_id = ids.get(row["document_id"], "")
        by_name.setdefault(name_key(row["case_name"]), set()).add(act_id)
        by_citation |= {hit.key: act_id for text in row["citations"] for hit in find_citations(text)}
    targets = []
    for row in precedents.select(["act_id", "name", "citations"]).to_pylist():
        keys = [hit.key for text in row["citations"] for hit in find_citations(text)]
        same_name = by_name.get(name_key(row["name"]), set()) - {row["act_id"]} if row["name"] else set()
        cited = (by_citation[key] for key in keys if key in by_citation)
        target = next((act_id for act_id in cited if act_id != row["act_id"]), None)
        targets.append(target or (min(same_name) if len(same_name) == 1 else None))
    return _filled(precedents, PRECEDENTS, {"target_act": targets})


def fill_verdicts(documents: pa.Table, reports: pa.Table) -> pa.Table:
    """Enter into ``documents`` the verdict on their reading: of several Acts in one the worst."""
    rows = reports.select(["document_id", "verdict", "reason"]).to_pylist()[::-1]  # of equals the first
    worst = {row["document_id"]: row for row in sorted(rows, key=lambda row: VERDICTS.index(row["verdict"]))}
    verdicts = [worst.get(key, {}) for key in documents.column("document_id").to_pylist()]
    columns = {"verdict": "verdict", "verdict_reason": "reason"}
    values = {name: [row.get(read, "") for row in verdicts] for name, read in columns.items()}
    return _filled(documents, DOCUMENTS, values)


def fill_validity(provisions: pa.Table, acts: Sequence[Row]) -> pa.Table:
    """Complete ``valid_from`` and ``valid_to`` from the Acts and from other versions in the build.

    The footnotes of a provision come first, then :func:`beginnings`, then the commencement of the Act. The
    commencement of an Act that came into force in stages is its first day: before it no provision was law.
    A provision ends with its Act, or on the day before a court struck it down. A version of it ends where a
    later version in the build reads differently: the day before the amendment, if the notes of the later one
    tell its day, and there that one begins.
    """
    by_key = {(a["act_id"], a["version_date"]): a for a in acts}
    rows = provisions.select(_READ).to_pylist()
    languages = [by_key.get((row["act_id"], row["version_date"]), {}).get("language", "en") for row in rows]
    begins = beginnings(rows)
    ends, amended = _superseded(rows, languages)
    struck = _struck(rows)
    validity = [
        _validity(
            row | amended.get(i, {}),
            by_key.get((row["act_id"], row["version_date"]), {}),
            begins.get(i),
            ends.get(i),
            struck.get(row["provision_id"].partition("__")[0]) or struck.get(row["provision_id"]),
        )
        for i, row in enumerate(rows)
    ]
    names = ("valid_from", "valid_to", "validity_evidence")
    columns = dict(zip(names, zip(*validity, strict=True), strict=bool(rows)))
    return _filled(provisions, PROVISIONS, columns)


def _struck(rows: Sequence[Row]) -> dict[str, tuple[date, str]]:
    """Of what a court struck down on a day that a note tells, by id: the day before, and the note."""
    notes = ((row["provision_id"], struck_note(row)) for row in rows)
    with_days = (
        (at, note, find_dates(note[m.start() :])) for at, note in notes if (m := STRUCK.search(note))
    )
    return {at: (days[0] - timedelta(days=1), note) for at, note, days in with_days if days}


def _validity(
    row: Row,
    act: Row,
    begins: tuple[date, str] | None,
    superseded: date | None,
    struck: tuple[date, str] | None,
) -> tuple[date | None, date | None, str]:
    """First day, last day and evidence of one provision."""
    first, last = row["valid_from"], row["valid_to"]
    reasons = [row["validity_evidence"]] if row["validity_evidence"] else []
    in_force = row["status"] == "in_force"
    if first is None and in_force and begins:
        first, reason = begins
        reasons.append(reason)
    if first is None and in_force and act.get("in_force_from"):
        first = act["in_force_from"]
        stage = ", which came into force in stages" if act.get("staged") else ""
        reasons.append(f"registry: commencement of the Act{stage}")
    if act.get("in_force_to") and (last is None or last > act["in_force_to"]):
        last = act["in_force_to"]
        reasons.append("registry: the Act's last day in force")
    if struck and (last is None or last > struck[0]):
        last = struck[0]
        reasons.append(f"note: {struck[1]}"[:200])
    if superseded and (last is None or superseded < last):
        last = superseded
        reasons.append("a later version in the build reads otherwise")
    return first, last, "; ".join(reasons)


def _superseded(
    rows: Sequence[Row], languages: Sequence[str]
) -> tuple[dict[int, date], dict[int, dict[str, Any]]]:
    """Last day of each row whose provision reads differently in the next version in its language.

    And the first day of that next version with its evidence, where its notes tell it.
    """
    versions = grouped(
        ((row["provision_id"], languages[i]), (row["version_date"], i))
        for i, row in enumerate(rows)
        if row["version_date"] is not None
    )
    ends: dict[int, date] = {}
    amended: dict[int, dict[str, Any]] = {}
    for dated in versions.values():
        for (day, i), (later, j) in itertools.pairwise(sorted(dated)):
            if rows[i]["text"].split() != rows[j]["text"].split():
                begins = _amended(rows[j], day)
                ends[i] = (begins or later) - timedelta(days=1)
                if begins and rows[j]["status"] == "in_force" and begins != rows[j]["valid_from"]:
                    evidence = f"notes on what was amended since the edition of {day}"
                    amended[j] = {"valid_from": begins, "validity_evidence": evidence}
    return ends, amended


def _amended(row: Row, edition: date) -> date | None:
    """The day since which a provision reads as it does, where its notes tell of amendments after an edition.

    Of several the day of most notes, of equals the first.
    """
    gone = row["valid_to"] + timedelta(days=1) if row["status"] != "in_force" and row["valid_to"] else None
    days = sorted(d for d in (gone, row["valid_from"], *(n["effective"] for n in row["notes"])) if d)
    return next(iter(Counter(d for d in days if d > edition).most_common(1)), (None, 0))[0]

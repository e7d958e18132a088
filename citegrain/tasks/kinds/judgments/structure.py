"""A judgment, from its lines to its paragraphs: front, headnote, opinions, and in them what is cited."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.schemas import (
    CLASSIFICATION,
    DOCUMENTS,
    JUDGMENTS,
    LINES,
    PARAGRAPHS,
    PROVISIONS,
    REPORTS,
    TEXTS,
)
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.core.store import Artefact
from citegrain.tasks.kinds.judgments.opinions import Part, Start, numbered_starts, plain_starts, read_parts
from citegrain.tasks.law.citations import PARAGRAPH
from citegrain.tasks.offline.document import CorpusDocument, Setup
from citegrain.tasks.offline.structure import (
    ActSpan,
    PageText,
    Row,
    RunningText,
    act_spans,
    join_rows,
    read_rows,
)

_STAMP = re.compile(
    r"^\W*(?:Signature Not Verified|Digitally signed by.*|Date:\s*\d{4}\.\d\d\.\d\d|\d\d:\d\d:\d\d\s+IST|"
    r"Reason:|Indian Kanoon - http\S*+|SCC Online Web Edition.*|MANU/\S++|Page \d+(?: of \d+)?|"
    r"\d{1,4}(?: ?\| ?P ?a ?g ?e)?)\W*$|"
    r"^(?=[^\^\ufffd]*[\^\ufffd])\W*$",
    re.IGNORECASE,
)
_RUN_IN = re.compile(r"^Signature Not Verified(?=\s*\S)\s*")
_FOOT = re.compile(r"\s*\b\d{1,4} ?\| ?P ?a ?g ?e\b\s*")  # of the court's page, in a reprint's text
_SIGNED = re.compile(r"Signature Not Verified|Digitally signed by", re.IGNORECASE)
_SIGNED_END = re.compile(r"^\W*Reason:", re.IGNORECASE)
_SIGNER = re.compile(r"[A-Z][A-Za-z. ]{2,40}")
_SMALL, _TINY, _STAMPED = 0.9, 0.55, 1.8  # of the size of running text
_LABEL = re.compile(r"^\W*\d{1,3}(?=\D)")
_HEAD_ROWS, _REPEATED = 1, 4  # the first rows of a page; pages on which they say the same
Line = Mapping[str, Any]

_NUMBER = re.compile(r"^\W*\d{1,3}[.)]?\s*")


def without_furniture(lines: pa.Table, body_size: float, *, footnotes: bool) -> pa.Table:
    """Lines of a judgment with only its text as ``body``, and its footnotes as ``footnote``.

    Parameters
    ----------
    footnotes
        Whether small type at the foot of a page is a footnote: a publisher's print has none there.
    """
    rows = [_unstamped(row, body_size) for row in lines.to_pylist()]
    stamps = _repeated_stamps(rows, body_size)
    roles: list[str] = []
    for _, group in groupby(rows, key=lambda r: r["page"]):
        roles += _page_roles(list(group), body_size, stamps, footnotes=footnotes)
    return pa.Table.from_pylist(
        [{**r, "role": role} for r, role in zip(rows, roles, strict=True)], lines.schema
    )


def _unstamped(row: Line, body_size: float) -> Line:
    """A line without the stamp of the digital signature, or the foot of a page, that runs into it."""
    text = _RUN_IN.sub("", row["text"])
    if text != row["text"]:
        return {**row, "text": text, "size": body_size}
    rest = _FOOT.sub(" ", text).strip()  # of a row that is a foot alone nothing: that is a stamp
    return {**row, "text": rest} if rest not in ("", text) and not row["marks"] else row


def _repeated_stamps(rows: Sequence[Line], body_size: float) -> set[str]:
    """Words printed large across many pages, as a stamp below the text is, and at the head of many pages."""
    large = Counter(r["text"] for r in rows if r["size"] > _STAMPED * body_size)
    heads = Counter(
        r["text"] for r in rows if r["page"] > 1 and r["row"] <= _HEAD_ROWS and len(r["text"]) > 3
    )
    return {text for counts in (large, heads) for text, n in counts.items() if n >= _REPEATED}


def _page_roles(page: Sequence[Line], body_size: float, stamps: set[str], *, footnotes: bool) -> list[str]:
    body = [r for r in page if r["role"] in ("body", "footnote", "margin_note") and len(r["text"]) > 30]
    left = min((r["x0"] for r in body), default=0.0)
    right = max((r["x1"] for r in body), default=1e9)
    notes = _footnote_rows(page, body_size) if footnotes else set()
    words_at: dict[int, float] = {}  # by row, where the last of its words begins, points
    for line in page:
        if len(line["text"]) > 3:
            words_at[line["row"]] = max(line["x0"], words_at.get(line["row"], 0.0))
    roles, signing = [], False
    for line in page:
        role, text = line["role"], line["text"]
        signing = bool(_SIGNED.search(text)) or (signing and not _SIGNED_END.match(text))
        lettered = re.fullmatch(r"[A-H]", text) and (line["x1"] < left or line["x0"] > right)
        numbers = words_at.get(line["row"], 0.0) > line["x0"]  # a bare number that opens a row of text
        stamped = text in stamps or (_STAMP.match(text) and not line["marks"] and not numbers)
        signer = signing and line["size"] <= body_size and _SIGNER.fullmatch(text) and len(text) < 30
        if role in ("header", "footer", "page_number", "rule"):
            roles.append(role)
        elif lettered or stamped or signer or line["size"] < _TINY * body_size:
            roles.append("rule")
        else:
            roles.append("footnote" if line["row"] in notes else "body")
    return roles


def _footnote_rows(page: Sequence[Line], body_size: float) -> set[int]:
    """Rows in small type at the foot of a page, from the first that opens with a label."""
    rows = [list(g) for _, g in groupby(page, key=lambda r: r["row"])]
    rows = [r for r in rows if any(s["role"] in ("body", "footnote") for s in r)]
    small: list[int] = []
    labelled: set[int] = set()
    for row in reversed(rows):
        texts = [s for s in row if not re.fullmatch(r"[A-H]|\d{1,4}", s["text"])]
        if not texts:
            continue
        biggest = max(texts, key=lambda s: len(s["text"]))
        if biggest["size"] > _SMALL * body_size:
            break
        small.append(row[0]["row"])
        first = texts[0]
        if any(m["offset"] == 0 for m in first["marks"]) or _LABEL.match(first["text"]):
            labelled.add(row[0]["row"])
    if not labelled:
        return set()
    return {number for number in small if number >= min(labelled)}


def footnote_texts(footnotes: Sequence[Any]) -> Iterator[tuple[int, str, str]]:
    """(page, label, text) of each footnote, from rows in order; rows without a label go on the last."""
    current: list[Any] = []
    for row in footnotes:
        label = next((m for o, m in row.marks if o == 0), "")
        text = row.text
        if not label and (match := re.match(r"^\W*(\d{1,3})[.)]?\s+(?=\D)", text)):
            label, text = match[1], text[match.end() :]
        if label:
            if current:
                yield current[0], current[1], " ".join(current[2])
            current = [row.page, label, [text]]
        elif current:
            current[2].append(text)
    if current:
        yield current[0], current[1], " ".join(current[2])


def structure(document: CorpusDocument, parsed: Artefact, setup: Setup) -> Tables:
    """The tables of a document that is a judgment."""
    tables = parsed.table(DOCUMENTS), parsed.table(LINES), parsed.table(JUDGMENTS)
    return structure_judgment(*tables, act_spans(document.acts)[0])


def structure_judgment(documents: pa.Table, lines: pa.Table, judgments: pa.Table, act: ActSpan) -> Tables:
    """Read a judgment into ``texts`` and ``provisions``.

    Its paragraphs are cited by their numbers; where they bear none they are counted, and the count stands in
    brackets: ``[7]``. Headnote, cause title and appearances are kept apart and not cited.

    Parameters
    ----------
    documents, lines, judgments
        Tables of the document, as ``parse`` wrote them; ``judgments`` is empty where only the registry says
        that it is one.
    act
        Its id, date and pages.
    """
    document = documents.to_pylist()[0]
    front = next(iter(judgments.to_pylist()), {"bench": [], "print": "court"})
    cleaned = without_furniture(lines, document["body_size"], footnotes=front["print"] != "publisher")
    paragraphs = document["layout"] in PARAGRAPHS
    page_text = read_rows(cleaned, document["body_size"], act.page_start, act.page_end, paragraphs)
    reader = _Reader(page_text, read_parts(page_text.rows, front["bench"]), act, document["document_id"])
    rows = reader.provisions()
    running = {
        "document_id": document["document_id"],
        "act_id": act.act_id,
        "text": reader.running.text,
        "page_spans": [{"page": p, "char_start": c} for p, c in reader.running.pages],
    }
    cited = any(row["kind"] == PARAGRAPH for row in rows)
    return {
        TEXTS.name: TEXTS.rows([running] if cited else []),
        PROVISIONS.name: PROVISIONS.rows(rows if cited else []),
        CLASSIFICATION.name: CLASSIFICATION.empty(),
        REPORTS.name: REPORTS.empty(),
    }


class _Reader:
    """The parts of one judgment and their running text."""

    def __init__(self, page_text: PageText, parts: Sequence[Part], act: ActSpan, document_id: str) -> None:
        self.rows: list[Row] = page_text.rows
        self.parts = parts
        self.act = act
        self.document_id = document_id
        self.several = sum(p.kind == "opinion" for p in parts) > 1
        self.starts = [
            self._starts(part, page_text.right) if part.kind == "opinion" else ([], False) for part in parts
        ]
        breaks = {p.first for p in parts} | {
            s.row for starts, _ in self.starts for s in starts if not s.offset
        }
        self.running: RunningText = join_rows(self.rows, breaks, page_text.right, page_text.paragraphs)
        self.marks = self._marks(page_text.footnotes)
        self.out: list[dict[str, Any]] = []

    def _starts(self, part: Part, right: float) -> tuple[list[Start], bool]:
        """Starts of the paragraphs of an opinion, and whether they are numbered in print."""
        numbered = numbered_starts(self.rows, part.first, part.last)
        return (
            (numbered, True) if numbered else (plain_starts(self.rows, part.first, part.last, right), False)
        )

    def provisions(self) -> list[dict[str, Any]]:
        """Rows of ``provisions``, in reading order, parents before children."""
        opinions = headnotes = 0
        for part, (starts, printed) in zip(self.parts, self.starts, strict=True):
            span = self.running.starts[part.first], self.running.ends[part.last - 1]
            if part.kind != "opinion":
                headnotes += part.kind == "headnote"
                eid = (
                    f"{part.kind}_{len(self.out) + 1}" if part.kind != "headnote" else f"headnote_{headnotes}"
                )
                self._add(part.kind, part.kind.capitalize(), eid, "", span, None)
                continue
            opinions += 1
            parent = None
            if self.several:
                parent = self._add(
                    "opinion", f"Opinion {opinions}", f"opinion_{opinions}", part.author, span, None
                )
            prefix = "" if opinions == 1 else f"opinion_{opinions}__"
            self._paragraphs(part, starts, printed, prefix, parent)
        return self.out

    def _paragraphs(
        self, part: Part, starts: Sequence[Start], printed: bool, prefix: str, parent: str | None
    ) -> None:
        offsets = [self.running.starts[s.row] + s.offset for s in starts]
        ends = [*offsets[1:], self.running.ends[part.last - 1]]
        for start, offset, end in zip(starts, offsets, ends, strict=True):
            number = str(start.number) if printed else f"[{start.number}]"
            if self.several and part.author:
                number += f" ({part.author}, J.)"
            eid = f"{prefix}para_{start.number}"
            self._add(PARAGRAPH, number, eid, part.author, (offset, end), parent, skip=printed)

    def _add(
        self,
        kind: str,
        number: str,
        eid: str,
        heading: str,
        span: tuple[int, int],
        parent: str | None,
        *,
        skip: bool = False,
    ) -> str:
        """Add a row; ``skip``: its text begins behind its number."""
        text = self.running.text
        start, end = span
        end = start + len(text[start:end].rstrip())
        lead = _NUMBER.match(text[start:end]) if skip else None
        text_start = start + (lead.end() if lead else 0)
        provision_id = f"{self.act.act_id}/{eid}"
        row = {
            "provision_id": provision_id,
            "version_date": self.act.version_date,
            "act_id": self.act.act_id,
            "kind": kind,
            "number": number,
            "heading": heading,
            "text": text[text_start:end],
            "status": "in_force",
            "parent_id": parent,
            "depth": 2 if parent else 1,
            "ordinal": len(self.out),
            "char_start": start,
            "text_start": text_start,
            "char_end": end,
            "page_start": self.running.page_at(start),
            "page_end": self.running.page_at(max(start, end - 1)),
            "document_id": self.document_id,
            "valid_from": None,
            "valid_to": None,
            "validity_evidence": "",
            "notes": self._notes(start, end),
        }
        self.out.append(row)
        return provision_id

    def _notes(self, start: int, end: int) -> list[dict[str, Any]]:
        """Footnotes whose marks stand in a stretch of the text."""
        empty = {"action": "", "by_act": "", "effective": None}
        return [
            {"offset": offset, "label": label, "page": page, "text": text} | empty
            for offset, page, label, text in self.marks
            if start <= offset <= end
        ]

    def _marks(self, footnotes: Sequence[Row]) -> list[tuple[int, int, str, str]]:
        """(offset, page, label, text) of each footnote that is marked in the text."""
        notes = {(page, label): text for page, label, text in footnote_texts(footnotes)}
        return [
            (self.running.starts[i] + min(offset, len(row.text)), row.page, label, notes[row.page, label])
            for i, row in enumerate(self.rows)
            for offset, label in row.marks
            if (row.page, label) in notes
        ]

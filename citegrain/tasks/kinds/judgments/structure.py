"""A judgment, from its lines to its paragraphs: front, headnote, opinions; and what of it is missing."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from statistics import median
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.schemas import DOCUMENTS, JUDGMENTS, LINES, PAGES, PARAGRAPHS, UNCLAIMED
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.core.store import Artefact
from citegrain.tasks.kinds.judgments.opinions import Part, Start, numbered_starts, plain_starts, read_parts
from citegrain.tasks.law.citations import PARAGRAPH
from citegrain.tasks.law.numbers import MONTH_NAMES
from citegrain.tasks.offline.document import CorpusDocument, Setup
from citegrain.tasks.offline.structure import (
    ActSpan,
    ActTree,
    Node,
    Note,
    PageText,
    Row,
    RunningText,
    account,
    act_spans,
    breaks_off,
    ends_open,
    front_places,
    join_rows,
    marks_of,
    missing_pages,
    page_doubts,
    printed_total,
    read_rows,
    tree_places,
    unjudged,
    unread_pages,
)

_LEFT_OUT, _SHARE = 2, 0.05  # numbers left out in a row, or of all: a single one may be misread or misprinted
_MANY, _TIMES, _PART = 8, 10, 0.2  # paragraphs; times the usual length; of the opinion
_LAST_ROWS = 8
_LAST = 10**6  # page
_END = re.compile(
    r"\b(?:appeals?|petitions?|applications?|matters?|SLPs?|reference|suits?|cases?)\b[^.;]{0,60}"
    r"\b(?:allowed|dismissed|disposed|answered|granted)\b|\bas to costs\b|\baccordingly\.\W*$|"
    r"[.…_]{4,}[\s,]*(?:C\.?\s?J|J)\b|\b(?:Judge|Registrar|Court Master)\b|\bJJ?\.\W*$|^(?:[A-Z]\.\s?){2,4}$|"
    rf"(?-i:^\W*(?:[A-Z][\w.]*\W+){{0,4}}(?:\d{{1,2}}\w{{0,2}}\W+)?)(?:{MONTH_NAMES})\W+(?:\d{{1,2}}\w{{0,2}}\W+)?(?:19|20)\d\d\W*$",
    re.IGNORECASE,
)
Paragraphs = Sequence[tuple[Part, Sequence[Start], bool]]
"""Opinions with the starts of their paragraphs, and whether these are numbered in print."""


def judgment_doubts(
    lines: pa.Table,
    pages: pa.Table | None,
    page_text: PageText,
    opinions: Paragraphs,
    within: tuple[int, int],
    *,
    is_formal: bool,
    is_even: bool,
) -> Iterator[str]:
    """What speaks against a judgment, in words; empty strings mean nothing.

    ``within``: pages on which its first paragraph begins and its last ends.
    ``is_formal``: prints of its kind always have an order, a signature or a date at the end. ``is_even``: its
    rows are set at even distances.
    """
    rows = page_text.rows
    yield missing_pages(lines)
    yield unread_pages(pages, within[0], _LAST, within[1])
    yield from page_doubts(lines, pages, page_text, *within, is_statute=False, is_even=is_even)
    for part, starts, printed in opinions:
        if printed and starts:
            yield left_out([s.number for s in starts], part.author)
            yield _swallows(rows, [*(s.row for s in starts), part.last], starts[-1].number)
    if not printed_total(lines)[0]:
        yield _unended(rows, page_text.right, is_formal=is_formal)


def left_out(numbers: Sequence[int], author: str) -> str:
    """Paragraphs of an opinion that are not there."""
    whose = f" of {author}, J." if author else ""
    if numbers[0] > 1:
        return f"its paragraphs{whose} begin with {numbers[0]}"
    gaps = [(before, after) for before, after in pairwise(numbers) if after > before + 1]
    missing = sum(after - before - 1 for before, after in gaps)
    before, after = max(gaps, key=lambda gap: gap[1] - gap[0], default=(0, 0))
    if after - before <= _LEFT_OUT and missing <= _SHARE * numbers[-1]:
        return ""
    return f"paragraph {after} follows {before}{whose}: {missing} of {numbers[-1]} are not there"


def _swallows(rows: Sequence[Row], bounds: Sequence[int], number: int) -> str:
    """Whether the last paragraph, which is a short one, holds others; ``bounds``: first rows, and the end."""
    lengths = [sum(len(row.text) for row in rows[first:last]) for first, last in pairwise(bounds)]
    long = max(_TIMES * median(lengths), _PART * sum(lengths))
    if len(lengths) < _MANY or lengths[-1] <= long:
        return ""
    return f"its last paragraph, {number}, has {lengths[-1]} characters, and may hold others"


def _unended(rows: Sequence[Row], right: float, *, is_formal: bool) -> str:
    """Whether nothing says at its end that it ends: no order, no signature, no date.

    ``is_formal``: such prints always say it; of others the last sentence must be whole.
    """
    last = rows[-_LAST_ROWS:]
    if any(_END.search(row.text) for row in last):
        return ""
    if not is_formal and not breaks_off(last[-1]) and not ends_open(last[-1], right):
        return ""
    return f"it has no order, signature or date at its end: {last[-1].text[-40:]!r}"


_STAMP = re.compile(
    r"^\W*(?:Signature Not Verified|Digitally signed by.*|Date:\s*\d{4}\.\d\d\.\d\d|\d\d:\d\d:\d\d\s+IST|"
    r"Reason:|Indian Kanoon - http\S*+|SCC Online Web Edition.*|MANU/\S++|Page \d+(?: of \d+)?|"
    r"(?!\d{4}[.,;])\d{1,4}(?: ?\| ?P ?a ?g ?e)?)\W*$|"  # 2011. may end a sentence
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
_SIGNED_COPIES = 2000  # year
_HEAD_ROWS, _REPEATED = 1, 4  # the first rows of a page; pages on which they say the same
Line = Mapping[str, Any]

_NUMBER = re.compile(r"^\W*\d{1,3}[.)]?\s*")


def without_furniture(lines: pa.Table, body_size: float, *, footnotes: bool) -> pa.Table:
    """Lines of a judgment with only its text as ``body``, and its footnotes as ``footnote``.

    ``footnotes``: whether small type at the foot of a page is a footnote: a publisher's print has none there.
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
    notes: list[tuple[int, str, list[str]]] = []
    for row in footnotes:
        label = next((m for o, m in row.marks if o == 0), "")
        text = row.text
        if not label and (match := re.match(r"^\W*(\d{1,3})[.)]?\s+(?=\D)", text)):
            label, text = match[1], text[match.end() :]
        if label:
            notes.append((row.page, label, [text]))
        elif notes:
            notes[-1][2].append(text)
    yield from ((page, label, " ".join(texts)) for page, label, texts in notes)


def structure(document: CorpusDocument, parsed: Artefact, setup: Setup) -> Tables:
    """The tables of a document that is a judgment."""
    tables = parsed.table(DOCUMENTS), parsed.table(LINES), parsed.table(JUDGMENTS)
    return structure_judgment(*tables, act_spans(document.acts)[0], parsed.table(PAGES))


def structure_judgment(
    documents: pa.Table,
    lines: pa.Table,
    judgments: pa.Table,
    act: ActSpan,
    pages: pa.Table | None = None,
) -> Tables:
    """Read a judgment into ``texts`` and ``provisions``.

    Its paragraphs are cited by their numbers; where they bear none they are counted, and the count stands in
    brackets: ``[7]``. Headnote, cause title and appearances are kept apart and not cited.

    ``documents``, ``lines``, ``judgments``: tables of the document, as ``parse`` wrote them; ``judgments`` is
    empty where only the registry says that it is one; ``pages``: for the account of what was left out.
    """
    document = documents.to_pylist()[0]
    front: Mapping[str, Any] = next(iter(judgments.to_pylist()), {"bench": [], "print": "court"})
    cleaned = without_furniture(lines, document["body_size"], footnotes=front["print"] != "publisher")
    paragraphs = document["layout"] in PARAGRAPHS
    page_text = read_rows(cleaned, document["body_size"], act.page_start, act.page_end, paragraphs)
    reader = _Reader(page_text, read_parts(page_text.rows, front["bench"]))
    nodes = reader.nodes()
    cited = any(node.kind == PARAGRAPH for node in nodes)
    tree = ActTree(reader.running, nodes, reader.marks(page_text.footnotes))
    places = tree_places(reader.rows, reader.running, nodes, reader.others())
    roles = cleaned.column("role").to_pylist()
    coverage = account(document["document_id"], lines, places, pages, roles)
    doubts: Iterator[str] = iter(())
    if cited and not paragraphs:
        opinions = [(part, *starts) for part, starts in zip(reader.parts, reader.starts, strict=True)]
        within = tree.pages_of(PARAGRAPH)
        even, day = front["print"] != "publisher", front.get("date")
        # later prints copy the court's, which always has an order, a signature or a date at its end
        formal = front["print"] in ("court", "report") or bool(day and day.year >= _SIGNED_COPIES)
        doubts = judgment_doubts(lines, pages, page_text, opinions, within, is_formal=formal, is_even=even)
    return unjudged(tree if cited else None, act, document["document_id"], coverage, doubts)


class _Reader:
    """The parts of one judgment and their running text."""

    def __init__(self, page_text: PageText, parts: Sequence[Part]) -> None:
        self.rows: list[Row] = page_text.rows
        self.parts = parts
        self.several = sum(p.kind == "opinion" for p in parts) > 1
        self.starts = [self._starts(part, page_text.right) for part in parts]
        breaks = {p.first for p in parts}
        breaks |= {s.row for starts, _ in self.starts for s in starts if not s.offset}
        self.running: RunningText = join_rows(self.rows, breaks, page_text.right, page_text.paragraphs)
        self.out: list[Node] = []

    def _starts(self, part: Part, right: float) -> tuple[list[Start], bool]:
        """Starts of the paragraphs of an opinion, and whether they are numbered in print."""
        if part.kind != "opinion":
            return [], False
        if numbered := numbered_starts(self.rows, part.first, part.last):
            return numbered, True
        return plain_starts(self.rows, part.first, part.last, right), False

    def nodes(self) -> list[Node]:
        """Its provisions, in reading order, parents before children."""
        opinions = headnotes = 0
        for part, (starts, printed) in zip(self.parts, self.starts, strict=True):
            span = self.running.starts[part.first], self.running.ends[part.last - 1]
            if part.kind != "opinion":
                headnotes += part.kind == "headnote"
                number = headnotes if part.kind == "headnote" else len(self.out) + 1
                self._add(part.kind, part.kind.capitalize(), f"{part.kind}_{number}", "", span, None)
                continue
            opinions += 1
            parent = None
            if self.several:
                name = f"opinion_{opinions}"
                parent = self._add("opinion", f"Opinion {opinions}", name, part.author, span, None)
            prefix = "" if opinions == 1 else f"opinion_{opinions}__"
            self._paragraphs(part, starts, printed, prefix, parent)
        return self.out

    def _paragraphs(
        self, part: Part, starts: Sequence[Start], printed: bool, prefix: str, parent: Node | None
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
        parent: Node | None,
        *,
        skip: bool = False,
    ) -> Node:
        """Add a provision; ``skip``: its text begins behind its number."""
        text = self.running.text
        start, end = span
        end = start + len(text[start:end].rstrip())
        lead = _NUMBER.match(text[start:end]) if skip else None
        text_start = start + (lead.end() if lead else 0)
        node = Node(kind, number, eid, heading, start, text_start, end, parent, depth=2 if parent else 1)
        self.out.append(node)
        return node

    def others(self) -> list[str]:
        """Of each row its place where no paragraph holds it: in a table of contents before the first."""
        places = [UNCLAIMED] * len(self.rows)
        for part, (starts, _) in zip(self.parts, self.starts, strict=True):
            first = starts[0].row if starts else part.first
            places[part.first : first] = front_places(self.rows[part.first : first], 0)
        return places

    def marks(self, footnotes: Sequence[Row]) -> list[tuple[int, Note]]:
        """Each footnote that is marked in the text, with the offset of its mark."""
        notes = {
            (page, label): Note(page, label, text, "", "", None)
            for page, label, text in footnote_texts(footnotes)
        }
        return marks_of(self.rows, self.running, notes)

"""A contract, or other terms of private parties: recitals, articles, sections and clauses of its text.

Where the file is a plain text its running text is that of the file, character by character: gold that points
into the file points into the running text.
"""

import hashlib
import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from statistics import median

from citegrain.tasks.core.schemas import DOCUMENTS, LINES, PAGES, PARAGRAPHS, UNCLAIMED
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.core.store import Artefact
from citegrain.tasks.kinds.office import verbatim
from citegrain.tasks.law.citations import PARAGRAPH
from citegrain.tasks.offline.document import CorpusDocument, DocumentKind, Recognition, Setup
from citegrain.tasks.offline.pages import DocumentText, Segment
from citegrain.tasks.offline.structure import (
    PROVISION,
    ActTree,
    Node,
    RunningText,
    account,
    act_spans,
    join_rows,
    paragraph_spans,
    read_rows,
    tree_places,
    unjudged,
)

_PRIVATE = re.compile(
    r"\bthis (?:[\w’'-]+ ){0,4}(?:agreement|contract|lease|policy|undertaking|deed|terms|letter)\b"
    r"|\b(?:each|either|both|neither|other|disclosing|receiving|undersigned|third) part(?:y|ies)\b"
    r"|\b(?:here(?:to|under|inafter)|by and between|party of the)\b"
    r"|\b(?:we|our|ours|us|you|your)\b",
    re.IGNORECASE,
)
_PUBLIC = re.compile(
    r"\b(?:this|the|said) (?:act|ordinance|section|sub-section|chapter|code|schedule|rule|regulation|order)\b"
    r"|\bthese (?:rules|regulations|bye-laws)\b|\bsub-(?:section|rule)\b|\b(?:central|state) government\b"
    r"|\b(?:court|petitioner|respondent|appellant|plaintiff|defendant|accused|tribunal)s?\b",
    re.IGNORECASE,
)
_CALLED = re.compile(r"\b(?:agreement|contract|lease|policy|undertaking|deed|terms)\b", re.IGNORECASE)
_FEWEST = 5
_TIMES = 3  # as often as the words of law
_PER_WORDS = 300  # at least one private word in so many

_QUOTED = r"[\"“”‘’'\[(]?"
_ARTICLE = re.compile(r"(?i:article)\s+(?P<n>[IVXLC]+|[ivxlc]+|\d{1,2})\b[.:)—–-]*\s*")
_SCHEDULE = re.compile(
    r"(?P<n>(?i:exhibit|schedule|annex(?:ure)?|appendix|attachment|addendum)(?:\s+[A-Z0-9][\w.-]{0,5})?)\b"
    r"[^.,;]{0,50}$"
)
_UNIT_WORD = r"(?:(?i:section|clause|paragraph|§)\s*)?"
_NESTED = re.compile(rf"{_UNIT_WORD}(?P<n>\d{{1,2}}(?:\.\d{{1,2}})+)[.:)]?\s+(?=\S)")
_SECTION = re.compile(rf"{_UNIT_WORD}(?P<n>\d{{1,2}})(?:[.:)](?!\d)\s*|\s+(?={_QUOTED}[A-Z]))(?=\S)")
_CLAUSE = re.compile(r"\(?(?P<n>[a-z]{1,2}|[ivx]{1,5}|[A-Z])[.)]\s+(?=\S)")
_SIGNED = re.compile(
    r"(?P<n>)(?:in witness whereof|accepted and agreed|signed (?:by|for) and)\b", re.IGNORECASE
)
_RECITALS = re.compile(r"(?:recitals?|background|preamble|witnesseth|whereas)\b", re.IGNORECASE)
_HEADING = re.compile(r"(?P<title>[A-Z“\"][^.:;\n]{1,80}?)(?:[.:](?=\s|$)|\s*[—–]|\n|$)")
_ROMAN = re.compile(r"[ivx]+")
_SHORT = {"article": "art", "schedule": "sched", "section": "sec", "subsection": "subsec"}
_FURTHEST = 5  # numbers that may be missing between two sections
_LISTED = 120  # characters of a section that a table of contents lists


def is_contract(pages: Sequence[Sequence[Segment]]) -> bool:
    """Whether the words of private parties (``this Agreement``, ``the parties``, ``you``) prevail in a text.

    Acts and rules speak of themselves and of courts and governments. A text that has neither agreement, nor
    policy, nor terms on its first page is none.
    """
    texts = [" ".join(s.text for s in page if s.role == "body") for page in pages]
    text = " ".join(texts)
    private = len(_PRIVATE.findall(text))
    called = _CALLED.search(next(filter(None, texts), "")[:3000])
    often = private >= _FEWEST and private * _PER_WORDS >= text.count(" ")
    return bool(called and often and private >= _TIMES * len(_PUBLIC.findall(text)))


def recognise(text: DocumentText) -> Recognition | None:
    """A contract, in any language; its file names it."""
    return Recognition(kind="contract") if is_contract(text.pages) else None


@dataclass(frozen=True)
class Mark:
    """The beginning of a part: its kind, its number, where it begins and where its number ends."""

    kind: str
    number: str
    start: int
    rest: int


def structure(document: CorpusDocument, parsed: Artefact, setup: Setup) -> Tables:
    """Read a contract into ``texts`` and ``provisions``; its numbers are judged by nobody.

    The running text of a plain text is that of the file, and on one page.
    """
    row, act = parsed.table(DOCUMENTS).to_pylist()[0], act_spans(document.acts)[0]
    lines, paragraphs = parsed.table(LINES), row["layout"] in PARAGRAPHS
    rows = read_rows(lines, row["body_size"], act.page_start, act.page_end, paragraphs)
    running = join_rows(rows.rows, set(), rows.right, paragraphs)
    if document.form == "plain":
        tree = read_contract(verbatim(document.path.read_bytes()))
    else:
        tree = read_contract(running.text, running.pages)
    # the text of a file is cut without a gap, so each of its rows stands in a provision
    nodes, other = (tree.nodes, UNCLAIMED) if tree and document.form != "plain" else ([], PROVISION)
    places = tree_places(rows.rows, running, nodes, [other] * len(rows.rows))
    coverage = account(row["document_id"], lines, places, parsed.table(PAGES))
    return unjudged(tree, act, row["document_id"], coverage)


def read_contract(text: str, pages: Sequence[tuple[int, int]] = ((1, 0),)) -> ActTree | None:
    """The parts of a contract over its text; None if it has no words.

    What stands in no article, section or schedule is cut into paragraphs: parties and recitals before the
    first, signatures behind the last; of a contract without numbers everything.

    ``pages``: where each page begins in the text.
    """
    patterns = {"article": _ARTICLE, "schedule": _SCHEDULE, "nested": _NESTED, "section": _SECTION}
    marks = list(_counted(marked_lines(text, {"signatures": _SIGNED} | patterns | {"clause": _CLAUSE})))
    marks = without_contents(marks, ("article", "nested", "section"))
    nodes: list[Node] = []
    open_: dict[str, Node] = {}
    ends = [*(mark.start for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=False):
        if mark.kind != "signatures":
            nodes.append(_node(mark, text, mark.start + len(text[mark.start : end].rstrip()), open_))
    enclose(nodes)
    return tree_of(text, pages, nodes, [(n.start, n.end) for n in nodes if n.parent is None])


def enclose(nodes: Sequence[Node]) -> None:
    """Let what encloses others end with the last of them."""
    for node in nodes:
        above = node.parent
        while above is not None:
            above.end, above = max(above.end, node.end), above.parent


def tree_of(
    text: str, pages: Sequence[tuple[int, int]], nodes: list[Node], covered: Sequence[tuple[int, int]]
) -> ActTree | None:
    """Parts over a text, and paragraphs of what they do not cover; None if there are none."""
    nodes = [*nodes, *paragraphs_between(text, covered)]
    return ActTree(RunningText(text, [], [], list(pages)), finished(text, nodes), []) if nodes else None


def marked_lines(text: str, patterns: Mapping[str, re.Pattern[str]]) -> Iterator[Mark]:
    """Every line that looks like the beginning of a part, by the first pattern that fits."""
    start = 0
    for line in text.splitlines(keepends=True):
        bare, at = line.strip(), start + len(line) - len(line.lstrip())
        start += len(line)
        matches = ((kind, match) for kind, pattern in patterns.items() if (match := pattern.match(bare)))
        for kind, match in islice(matches, 1):
            yield Mark(kind, match["n"], at, at + match.end())


def _counted(marks: Iterator[Mark]) -> Iterator[Mark]:
    """The marks whose numbers count on; a number that falls back stands in a list and is a clause."""
    last, inside = 0, False
    for mark in marks:
        if mark.kind in ("article", "schedule", "signatures"):
            last, inside = (last, False) if mark.kind == "signatures" else (0, False)
            yield mark
        elif mark.kind == "section" and last < int(mark.number) <= last + _FURTHEST:
            last, inside = int(mark.number), True
            yield mark
        elif mark.kind == "nested":
            inside = True
            yield mark
        elif inside:  # else a clause of nothing: recitals and parties are lettered too
            yield replace(mark, kind="clause")


def without_contents(marks: list[Mark], kinds: Collection[str]) -> list[Mark]:
    """The marks without a table of contents: short parts of some kinds whose numbers all come again."""
    top = [i for i, m in enumerate(marks) if m.kind in kinds]
    names = [(marks[i].kind, marks[i].number.lower()) for i in top]
    first = next((i for i, name in enumerate(names) if name == names[0] and i), 0)
    if first < 3:
        return marks
    starts, behind = [marks[i].start for i in top[: first + 1]], set(names[first:])
    again = sum(name in behind for name in names[:first])
    listed = median(b - a for a, b in itertools.pairwise(starts)) <= _LISTED and 2 * again >= first
    return marks[top[first] :] if listed else marks


def _node(mark: Mark, text: str, end: int, open_: dict[str, Node]) -> Node:
    """The part that begins at a mark, below those that are open."""
    kind, number, above = mark.kind, mark.number, None
    if kind in ("article", "schedule"):
        open_.clear()
    else:
        above = open_.get("article") or open_.get("schedule")
    if kind == "nested":
        section = open_.get("section")
        inner = section is not None and number.partition(".")[0] == section.number
        kind, above = ("subsection", section) if inner else ("section", above)
    elif kind == "clause":
        kind, above = _clause(text[mark.start : mark.rest], number, open_)
        number = f"{above.number}({number})"
    order, outer = list(open_), ("article", "schedule", "section")
    closed = order[order.index(kind) :] if kind in open_ else []
    if kind in ("section", "subsection"):  # what was open in the one before is not open in this one
        closed += [k for k in order if k not in (*outer, *closed)]
    for ended in closed:
        del open_[ended]
    short = _SHORT.get(kind, "clause")
    heading, text_start = heading_of(text, mark.rest, end) if kind in _SHORT else ("", mark.rest)
    eid = f"{above.eid}__{short}_{slug_of(mark.number)}" if above else f"{short}_{slug_of(mark.number)}"
    shown, depth = kind if kind in _SHORT else "clause", above.depth + 1 if above else 1
    node = Node(shown, number, eid, heading, mark.start, text_start, end, above, depth=depth)
    open_[kind] = node
    return node


def _clause(label: str, number: str, open_: Mapping[str, Node]) -> tuple[str, Node]:
    """The manner in which a clause is lettered, and what it stands in: the manner tells its level."""
    roman = bool(_ROMAN.fullmatch(number))
    before = {style: node.number[-2:-1] for style, node in open_.items() if style.startswith("(")}
    letters = "(a" if label.startswith("(") else "(a."
    if roman and len(number) == 1 and ord(before.get(letters, "\0")) + 1 == ord(number):
        roman = False  # i behind h
    kind = "1" if number.isdigit() else "i" if roman else "A" if number.isupper() else "a"
    style = f"({kind}" if label.startswith("(") else f"({kind}."
    outer = list(open_)[: list(open_).index(style)] if style in open_ else list(open_)
    return style, open_[outer[-1]]


def heading_of(text: str, start: int, end: int) -> tuple[str, int]:
    """The title that opens a part, and where the text behind it begins; empty where a sentence opens it."""
    start += len(text[start:end]) - len(text[start:end].lstrip())
    match = _HEADING.match(text, start, end)
    title = match["title"].strip(' “”"') if match else ""
    words = [w for w in re.findall(r"[A-Za-z][\w’'-]*", title) if len(w) > 3]
    capital = sum(w[0].isupper() for w in words)
    alone = match is not None and match.end() >= end  # a short sentence may be all there is
    if match is None or not title or len(title.split()) > 10 or 2 * capital < len(words) + alone:
        return "", start
    return title, start if alone else match.end()


def paragraphs_between(text: str, covered: Iterable[tuple[int, int]]) -> Iterator[Node]:
    """Paragraphs of what no part covers; the parts by where each begins and ends."""
    gaps, at = [], 0
    for begin, end in sorted(covered):
        gaps.append((at, begin))
        at = max(at, end)
    number = 0
    for gap_start, gap_end in [*gaps, (at, len(text))]:
        recitals = False
        gap = RunningText(text[gap_start:gap_end], [], [], [])
        for start, end in ((gap_start + a, gap_start + b) for a, b in paragraph_spans(gap)):
            number += 1
            words = " ".join(text[start:end].lower().split())
            recitals = recitals or bool(_RECITALS.match(words))
            heading, text_start = heading_of(text, start, end)
            title = "Recitals" if recitals else heading if text_start > start else ""
            name = f"par_{hashlib.sha256(words.encode()).hexdigest()[:8]}"
            yield Node(PARAGRAPH, str(number), name, title, start, start, end)


def finished(text: str, nodes: Sequence[Node]) -> list[Node]:
    """Nodes in reading order, parents before children, ids made unique."""
    seen: dict[str, int] = {}
    for node in nodes:
        body = text[node.text_start : node.end]
        node.text_start += len(body) - len(body.lstrip())
        node.start += len(text[node.start : node.end]) - len(text[node.start : node.end].lstrip())
    ordered = sorted(nodes, key=lambda n: (n.start, -n.end, n.depth))
    for node in ordered:
        seen[node.eid] = seen.get(node.eid, 0) + 1
        if seen[node.eid] > 1:
            node.eid = f"{node.eid}~{seen[node.eid]}"
    return ordered


def slug_of(number: str) -> str:
    """A number as a part of an id."""
    return re.sub(r"[^a-z0-9]+", "_", number.lower()).strip("_")


KIND = DocumentKind("contract", 20, recognise, structure)

"""What the parts of provisions say against their being all there: their marks, and the last of them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from citegrain.tasks.offline.structure.coverage import in_runs
from citegrain.tasks.offline.structure.rows import RunningText
from citegrain.tasks.offline.structure.tree import Node

_BRACKET = re.compile(r"^\W{0,3}\[(?!\s*[Ss]ee\b)")
_ENTRY_NUMBER = re.compile(r"\d+(?=[A-Z]*$)")
_MANY_ENTRIES, _LONG_ENTRY, _TIMES_LONGER = 20, 3000, 40  # of a Schedule; characters of one; the usual one
_FEWEST_LOST = 2  # clauses that lack in a row: a single one may be omitted without a sign
_OF_RULES = ("rule", "regulation")
_MARK = re.compile(r"(?:^|\n)(\((?:[2-9]|1\d)\)) [A-Z]")
_FIRST_MARK = re.compile(r"\(\s?[1lI|]\s?\)")  # a scan reads a letter
_ANY_MARK = re.compile(r"(?:^|\n)\W{0,2}\((?:\d{1,2}|[a-z]{1,3})\)")
_CLAUSE = re.compile(
    r"(?:;(?: (?:or|and))?|:—|:-|,—|—)\n+(?!(?:and|or|but|shall|provided|then|as|whichever|whether|in|such|"
    r"he|she|it|they|may|is|who|which|if|for|with|including|includes?)\b)[a-z]{2,} [a-z]"
)
_SENTENCE = re.compile(r"[.:]\n+[A-Z][a-z]* [a-z]")
_NO_PART = re.compile(r"\W{0,4}(?:Provided|Explanation|Exception|Illustration|Note|\*)")
_UNFINISHED = re.compile(
    r"[a-z,] (?:the|of|to|in|by|an?|shall|which|such|any|with|under|for|that|is|be|from|on|at|as|may|not|"
    r"this|his|its|has|been|every|where|when|if)$"
)
_ENDLESS = re.compile(r"[a-z]{2}$(?<!\band)(?<!\bor)(?<!\bbut)")
_SHORT_END = 40  # characters
_FEW_ENDLESS, _ENDLESS_OF = 4, 200  # parts of an Act that may end without a sign, and one more of so many
_ILLEGIBLE = re.compile(r"[a-z,] ?([^\w\s*])(?: ?\1){2,} ?[a-z]")
_MANY_CLAUSES, _MANY_SENTENCES, _USUAL_MARKS = 4, 2, 5  # on a page


def lost_parts(running: RunningText, nodes: Sequence[Node], unit: str) -> Iterator[str]:
    """What the parts of provisions, and the last provision, say against their being whole, in words."""
    text = running.text
    final = max(nodes, key=lambda n: (n.end, n.start))
    rows = text[final.start : final.end].split("\n")
    opened = [row for row in rows if _BRACKET.match(row)]
    if opened and sum(row.count("[") - row.count("]") for row in rows) > 0:
        yield f"its last provision opens a bracket that nothing closes: {opened[-1][:40]!r}"
    if unit in _OF_RULES:  # of Acts, whose marks are amended away, it says nothing
        yield from _marks_alone(text, nodes, unit)
    yield from _first_alone(text, nodes, unit)
    yield from _unfinished(text, nodes, unit)
    yield from _unmarked(running, nodes, unit)
    by_parent: dict[tuple[int, str], list[Node]] = {}
    for node in nodes:
        by_parent.setdefault((id(node.parent), node.kind), []).append(node)
    entries = [group for (_, kind), group in by_parent.items() if kind == "entry"]
    for group in entries:
        yield from _lost_entries(group)
    for (_, kind), group in by_parent.items():
        if kind not in ("subsection", "clause"):
            continue
        for before, after in pairwise(group):
            fewest = _FEWEST_LOST if unit not in _OF_RULES else 1  # which are seldom amended
            if _missing_between(before.number, after.number) >= fewest:
                where = before.eid.split("__")[0].replace("_", " ")
                yield f"{kind} ({after.number}) follows ({before.number}) in {where}"
                return


def _marks_alone(text: str, nodes: Sequence[Node], unit: str) -> Iterator[str]:
    """Provisions in which a paragraph is marked (2) or (3), and none (1), in words."""
    starts = {node.start for node in nodes}
    for node in nodes:
        if node.kind == unit and node.status == "in_force":
            within = _MARK.finditer(text[node.text_start : node.end])
            marks = [m for m in within if node.text_start + m.start(1) not in starts]
            if marks and not _FIRST_MARK.search(text[node.start : node.end]):
                yield f"{unit} {node.number} has a paragraph {marks[0][1]}, and no (1)"
                return


def _first_alone(text: str, nodes: Sequence[Node], unit: str) -> Iterator[str]:
    """A provision that is marked (1), and has a paragraph behind it that bears no mark, in words."""
    parts: dict[int, list[Node]] = {}
    for node in nodes:
        if node.kind == "subsection":
            parts.setdefault(id(node.parent), []).append(node)
    for node in nodes:
        marked = parts.get(id(node), ())
        if (
            node.kind == unit
            and node.status == "in_force"
            and len(marked) == 1
            and marked[0].number.endswith("(1)")
        ):
            behind = text[marked[0].text_start : marked[0].end].split("\n")[1:]
            if any(row[:1].isupper() and not _NO_PART.match(row) for row in behind):
                yield f"{unit} {node.number} has a (1), and behind it a paragraph without a mark"
                return


def _unfinished(text: str, nodes: Sequence[Node], unit: str) -> Iterator[str]:
    """Provisions that end within a sentence, or in which dots stand for words, in words."""
    lawful = [n for n in nodes if n.status == "in_force" and n.end > n.text_start and not n.annexed]
    lawful = [n for n in lawful if n.kind in (unit, "subsection", "clause")]
    ends = [(node, text[max(node.text_start, node.end - _SHORT_END) : node.end].rstrip()) for node in lawful]
    endless = [node for node, end in ends if _ENDLESS.search(end)]
    if unfinished := [node for node, end in ends if _UNFINISHED.search(end)]:
        yield f"{unit} {unfinished[0].number} ends within a sentence"
    elif len(endless) > _FEW_ENDLESS + len(lawful) / _ENDLESS_OF:
        yield f"{len(endless)} {unit}s and their parts end within a sentence, first {endless[0].number}"
    sections = (node for node in lawful if node.kind == unit)
    if bad := [node for node in sections if len(_ILLEGIBLE.findall(text[node.text_start : node.end])) > 1]:
        yield f"signs stand for words in {unit} {bad[0].number}"


def _unmarked(running: RunningText, nodes: Sequence[Node], unit: str) -> Iterator[str]:
    """Pages on which clauses, or paragraphs of rules, go on without their marks, in words."""
    clauses, marks, sentences = Counter[int](), Counter[int](), Counter[int]()
    for node in nodes:
        if node.kind == unit and node.status == "in_force":
            within = running.text[node.text_start : node.end]
            for pattern, counts in ((_CLAUSE, clauses), (_ANY_MARK, marks), (_SENTENCE, sentences)):
                counts.update(running.page_at(node.text_start + m.end()) for m in pattern.finditer(within))
    bare = [p for p, n in clauses.items() if n >= _MANY_CLAUSES and n > marks[p]]
    if unit in _OF_RULES and marks.total() >= _USUAL_MARKS * len(marks | sentences):
        bare += [p for p, n in sentences.items() if n >= _MANY_SENTENCES and marks[p] <= 1]
    if bare:
        yield f"clauses or paragraphs have no marks on {in_runs(sorted({*bare}))}"


def _lost_entries(entries: Sequence[Node]) -> Iterator[str]:
    """What the entries of one Schedule say against their being all there, in words."""
    numbers = {int(match[0]) for n in entries if (match := _ENTRY_NUMBER.search(n.number))}
    if len(numbers) < _MANY_ENTRIES:
        return
    gap = next((n for n in range(1, max(numbers)) if not numbers & {n, n + 1}), 0)
    if gap:
        yield f"entries {gap} and {gap + 1} of a Schedule are not there"
    lengths = [n.end - n.start for n in entries]
    if lengths[-1] > max(_LONG_ENTRY, _TIMES_LONGER * median(lengths)):
        yield f"the last entry of a Schedule has {lengths[-1]} characters, and may hold others"


def _missing_between(before: str, after: str) -> int:
    """How many letters or numbers are left out between two; 0 where they are neither."""
    if before.isdecimal() and after.isdecimal():
        return int(after) - int(before) - 1
    letters = re.fullmatch("[a-z][a-z]", before + after)
    return ord(after) - ord(before) - 1 if letters and len(before) == 1 else 0

"""Amendments: those that footnotes print, and those that editors note in the text (``[Vide ...]``)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citegrain.tasks.law.citations import CITABLE, PARAGRAPH
from citegrain.tasks.law.citing import NOT_INDEXED, NOUN, Citing
from citegrain.tasks.law.instruments import slug

LONGEST = 160
"""Characters of the words that are kept of a note."""
_VIDE = re.compile(
    rf"\[?\s*Vide\s+(?P<name>[A-Z][\w.&\s-]*?{NOUN}|{NOUN})\s*(?:No\.?\s*)?(?P<number>[IVXLC]+|\d{{1,3}})\s+of\s+"
    r"(?P<year>\d{4})(?P<rest>[^\]\n]{0,60})"
)
_ITS_SECTIONS = re.compile(r"\b(?:ss?|secs?)\.?\s*(?P<list>[\dA-Z]+(?:\s*(?:,|&|and)\s*[\dA-Z]+)*)")
Row = Mapping[str, Any]
Edge = dict[str, Any]


def edge_of(source: str, target: str | None, kind: str, words: str, row: Row, **more: Any) -> Edge:
    """A row of ``edges``; ``row`` gives the document."""
    base = {"named": "", "reason": "", "page": 0, "offset": -1, "document_id": row["document_id"]}
    return base | {"source_id": source, "target_id": target, "kind": kind, "words": words} | more


def noted(citing: Citing, rows: Sequence[Row]) -> Iterator[Edge]:
    """Amendments: those that footnotes print, and those that editors note in the text (``[Vide ...]``)."""
    numbers = {act["number"]: act_id for act_id, act in citing.acts.rows.items() if act["number"]}
    for row in rows:
        seen = set()
        for note in row["notes"]:
            if note["by_act"] and row["kind"] != PARAGRAPH and note["by_act"] not in seen:
                seen.add(note["by_act"])
                act = numbers.get(note["by_act"]) or slug(_titled(note["by_act"]))
                words, reason = note["text"][:LONGEST], "" if act in citing.acts.rows else NOT_INDEXED
                where = {"page": note["page"], "offset": note["offset"]}
                yield edge_of(
                    row["provision_id"], act, "amended_by", words, row, named=act, reason=reason, **where
                )
        for offset, words, title, section in amending(row["text"]) if row["kind"] in CITABLE else ():
            act = slug(title)
            named = f"{act}/sec_{section}" if section else act
            where = {"offset": row["text_start"] + offset, "reason": NOT_INDEXED}
            yield edge_of(row["provision_id"], act, "amended_by", words, row, named=named, **where)


def _titled(by_act: str) -> str:
    """``3 of 2016`` as ``Act 3 of 2016``; a title as it is."""
    return f"Act {by_act}" if by_act[:1].isdigit() else by_act


def amending(text: str) -> Iterator[tuple[int, str, str, str]]:
    """(offset, words, title, section) of what editors note: ``[Vide Assam Act 7 of 1989, s. 2]``."""
    for match in _VIDE.finditer(text):
        title = re.sub(r"\s+", " ", f"{match['name']} {match['number']} of {match['year']}")
        words = re.sub(r"\s+", " ", match[0]).strip(" [")
        its = _ITS_SECTIONS.search(match["rest"])
        for section in re.findall(r"\d+[A-Z]*", its["list"]) if its else [""]:
            yield match.start("name"), words, title, section

"""Paragraphs of a document in which no numbered provision is recognised."""

from __future__ import annotations

import hashlib
import re

from citegrain.tasks.law.citations import PARAGRAPH
from citegrain.tasks.offline.structure.act import ActTree
from citegrain.tasks.offline.structure.rows import PageText
from citegrain.tasks.offline.structure.text import RunningText, join_rows
from citegrain.tasks.offline.structure.tree import Node, Tree

_SHORTEST = 100  # characters: a shorter paragraph, such as a heading, stands with the next
_LONG = 1000  # characters: from here on a paragraph is cut at the end of a sentence
_BREAK = re.compile(r"\n+")
_SENTENCE = re.compile(r"(?<=[.?!]) +(?=[A-Z(“\"])")


def read_paragraphs(page_text: PageText) -> ActTree | None:
    """The paragraphs of a document, numbered as they follow; None if it has no text.

    The id of a paragraph is a digest of its words: one that is inserted renames no other.
    """
    running = join_rows(page_text.rows, set(), page_text.right, page_text.paragraphs)
    tree = Tree(page_text.rows, running, "section")
    for number, (start, end) in enumerate(paragraph_spans(running), 1):
        words = " ".join(running.text[start:end].lower().split())
        name = f"par_{hashlib.sha256(words.encode()).hexdigest()[:8]}"
        tree.add(Node(PARAGRAPH, str(number), name, "", start, start, end))
    return ActTree(running, tree.finished(), []) if tree.nodes else None


def paragraph_spans(running: RunningText) -> list[tuple[int, int]]:
    """Start and end of each paragraph; short ones are joined to the next, the last to the one before."""
    text, spans, start = running.text, [], 0
    for end, following in _edges(running):
        if end - start >= _SHORTEST or (following == len(text) and text[start:end].strip()):
            spans.append((start, end))
            start = following
    if len(spans) > 1 and spans[-1][1] - spans[-1][0] < _SHORTEST:
        (first, _), (_, last) = spans[-2:]
        spans[-2:] = [(first, last)]
    return spans


def _edges(running: RunningText) -> list[tuple[int, int]]:
    """Where a paragraph may end and the next begin: line breaks; pages and long texts at a sentence's end."""
    text = running.text
    breaks = {m.start(): m.end() for m in _BREAK.finditer(text)} | {len(text): len(text)}
    for _, page in running.pages:
        end = page
        while end and text[end - 1].isspace():
            end -= 1
        if end and text[end - 1] in ".:;?!":
            breaks.setdefault(end, page)
    edges, start = [], 0
    for end, following in sorted(breaks.items()):
        for match in _SENTENCE.finditer(text, start, end):
            if match.start() - start >= _LONG:
                edges.append(match.span())
                start = match.end()
        edges.append((end, following))
        start = following
    return edges

"""The numbers that Word sets before paragraphs of a list, which are not part of their text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from citegrain.tasks.law.numbers import to_roman

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LEVEL = re.compile(r"%([1-9])")
_MOST_LETTERS = 26 * 5
_MOST_ROMAN = 4000


@dataclass(frozen=True)
class _Level:
    """How a level of a list counts: first number, format (``lowerLetter``), pattern (``(%1)``)."""

    start: int
    form: str
    pattern: str
    style: str


def _value(parent: Any, name: str, default: str = "") -> str:
    child = parent.find(W + name) if parent is not None else None
    return str(child.get(W + "val", default)) if child is not None else default


def _whole(text: str, default: int) -> int:
    return int(text) if text.isdecimal() and len(text) < 7 else default


def _letters(n: int) -> str:
    """Word goes on after z with aa, bb, cc."""
    return chr(97 + (n - 1) % 26) * ((n - 1) // 26 + 1) if 0 < n <= _MOST_LETTERS else str(n)


def _roman(n: int) -> str:
    return to_roman(n) if 0 < n < _MOST_ROMAN else str(n)


_FORMS: Mapping[str, Callable[[int], str]] = {
    "lowerLetter": _letters,
    "upperLetter": lambda n: _letters(n).upper(),
    "lowerRoman": lambda n: _roman(n).lower(),
    "upperRoman": _roman,
    "decimalZero": lambda n: f"{n:02}",
}


class Numbering:
    """Counts the lists of a document.

    Parameters
    ----------
    root
        Root of ``numbering.xml``; None if the document has no lists.
    """

    def __init__(self, root: Any) -> None:
        nodes = [] if root is None else list(root.iter(W + "abstractNum"))
        self._abstract = {node.get(W + "abstractNumId"): self._levels(node) for node in nodes}
        self._lists: dict[str, tuple[str, dict[int, _Level]]] = {}
        for node in [] if root is None else root.iter(W + "num"):
            abstract = _value(node, "abstractNumId")
            levels = dict(self._abstract.get(abstract, {}))
            starts = {}
            for change in node.iter(W + "lvlOverride"):
                at = _whole(change.get(W + "ilvl", ""), 0)
                levels |= self._levels(change)
                if at in levels and (start := _value(change, "startOverride")):
                    starts[at] = start
                    level = levels[at]
                    levels[at] = _Level(_whole(start, 1), level.form, level.pattern, level.style)
            # lists of one abstract list count on, unless they begin anew
            counted = f"{abstract}/{node.get(W + 'numId')}" if starts else abstract
            self._lists[str(node.get(W + "numId"))] = counted, levels
        self._counts: dict[str, dict[int, int]] = {}

    @staticmethod
    def _levels(node: Any) -> dict[int, _Level]:
        return {
            _whole(level.get(W + "ilvl", ""), 0): _Level(
                _whole(_value(level, "start"), 1),
                _value(level, "numFmt", "decimal"),
                _value(level, "lvlText"),
                _value(level, "pStyle"),
            )
            for level in node.iter(W + "lvl")
        }

    def level_of(self, number: str, style: str) -> int:
        """The level of a list that belongs to a paragraph style."""
        _, levels = self._lists.get(number, ("", {}))
        return next((at for at, level in levels.items() if style and level.style == style), 0)

    def next(self, number: str, at: int) -> str:
        """What stands before the next paragraph of list ``number`` on level ``at``; empty for a bullet."""
        counted, levels = self._lists.get(number, ("", {}))
        if at not in levels:
            return ""
        counts = self._counts.setdefault(counted, {})
        counts[at] = counts.get(at, levels[at].start - 1) + 1
        for deeper in [level for level in counts if level > at]:
            del counts[deeper]
        if levels[at].form in ("bullet", "none"):
            return ""

        def count(match: re.Match[str]) -> str:
            level = levels.get(int(match[1]) - 1)
            if level is None:
                return ""
            return _FORMS.get(level.form, str)(counts.get(int(match[1]) - 1, level.start))

        return _LEVEL.sub(count, levels[at].pattern).strip()

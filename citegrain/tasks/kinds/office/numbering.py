"""How lists count: the numbers that Word and HTML show before a paragraph."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from citegrain.tasks.law.numbers import ORDINALS, to_roman

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LEVEL = re.compile(r"%([1-9])")
_MOST_LETTERS = 26 * 5
_MOST_ROMAN = 4000
_DEEPEST = 9  # of the levels of a list
_OFF = ("0", "false", "off", "none")


def value(parent: Any, *path: str) -> str | None:
    """Value of a property; None where it is not there."""
    for name in path:
        parent = parent.find(W + name) if parent is not None else None
    return None if parent is None else str(parent.get(W + "val", ""))


def switch(value: str | None) -> bool | None:
    """Whether a property is on; None where it is not there."""
    return None if value is None else value not in _OFF


def integer(text: str | None, default: int) -> int:
    """A short number of digits alone, else the default."""
    return int(text) if text and text.isdecimal() and len(text) < 7 else default


def _letters(n: int) -> str:
    """Word goes on after z with aa, bb, cc."""
    return chr(97 + (n - 1) % 26) * ((n - 1) // 26 + 1) if 0 < n <= _MOST_LETTERS else str(n)


def _alphabetic(n: int) -> str:
    """HTML goes on after z with aa, ab, ac."""
    return _alphabetic((n - 1) // 26) + chr(97 + (n - 1) % 26) if n > 0 else ""


def _roman(n: int) -> str:
    return to_roman(n) if 0 < n < _MOST_ROMAN else str(n)


FORMS: Mapping[str, Callable[[int], str]] = {
    "lowerLetter": _letters,
    "upperLetter": lambda n: _letters(n).upper(),
    "lowerRoman": lambda n: _roman(n).lower(),
    "upperRoman": _roman,
    "lower-alpha": _alphabetic,
    "upper-alpha": lambda n: _alphabetic(n).upper(),
    "decimalZero": lambda n: f"{n:02}",
    "ordinalText": lambda n: ORDINALS[n - 1].capitalize() if 0 < n <= len(ORDINALS) else f"{n}th",
}


@dataclass(frozen=True)
class _Level:
    """How a level of a list counts: first number, format (``lowerLetter``), pattern (``(%1)``)."""

    start: int
    form: str
    pattern: str
    style: str
    restart: int  # the deepest level after which it begins anew, the highest being 1; 0: it runs on
    legal: bool  # all numbers of the pattern are decimal


class Numbering:
    """Counts the lists of a document, from the root of ``numbering.xml``; None: it has no lists."""

    def __init__(self, root: Any) -> None:
        nodes = [] if root is None else list(root.iter(W + "abstractNum"))
        styled = {value(node, "styleLink"): self._levels(node) for node in nodes}
        self._abstract = {
            node.get(W + "abstractNumId"): self._levels(node)
            or styled.get(value(node, "numStyleLink") or "", {})
            for node in nodes
        }
        self._lists: dict[str, tuple[str, dict[int, _Level]]] = {}
        for node in [] if root is None else root.iter(W + "num"):
            abstract = value(node, "abstractNumId") or ""
            levels = dict(self._abstract.get(abstract, {}))
            starts = {}
            for change in node.iter(W + "lvlOverride"):
                at = integer(change.get(W + "ilvl"), 0)
                levels |= self._levels(change)
                if at in levels and (start := value(change, "startOverride")):
                    starts[at] = start
                    levels[at] = replace(levels[at], start=integer(start, 1))
            # lists of one abstract list count on, unless they begin anew
            counted = f"{abstract}/{node.get(W + 'numId')}" if starts else abstract
            self._lists[str(node.get(W + "numId"))] = counted, levels
        self._counts: dict[str, dict[int, int]] = {}

    @staticmethod
    def _levels(node: Any) -> dict[int, _Level]:
        return {
            integer(level.get(W + "ilvl"), 0): _Level(
                integer(value(level, "start"), 1),
                value(level, "numFmt") or "decimal",
                value(level, "lvlText") or "",
                value(level, "pStyle") or "",
                integer(value(level, "lvlRestart"), _DEEPEST),
                bool(switch(value(level, "isLgl"))),
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
            if deeper not in levels or at < levels[deeper].restart:
                del counts[deeper]
        if levels[at].form in ("bullet", "none"):
            return ""

        def count(match: re.Match[str]) -> str:
            level = levels.get(int(match[1]) - 1)
            if level is None:
                return ""
            form = "decimal" if levels[at].legal and level.form != "decimalZero" else level.form
            return FORMS.get(form, str)(counts.get(int(match[1]) - 1, level.start))

        return _LEVEL.sub(count, levels[at].pattern).strip()

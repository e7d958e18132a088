"""What the style sheets of a web page say of tags and classes; other selectors are left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_SELECTOR = re.compile(r"(?:[a-z][a-z0-9]*)?(?:[.#][A-Za-z_][\w-]*)?$")
_COMMENT_END = "*/"
_MOST_RULES = 100_000

Properties = dict[str, str]


def declarations(text: str) -> Properties:
    """Properties of a ``style`` attribute or of the braces of a rule, in small letters."""
    pairs = (part.partition(":") for part in text.split(";"))
    return {name.strip().lower(): value.strip().lower() for name, colon, value in pairs if colon}


def _without_comments(text: str) -> str:
    first, *rest = text.split("/*")
    return first + "".join(part.partition(_COMMENT_END)[2] for part in rest)


def read_rules(sheets: Iterable[str]) -> Mapping[str, Properties]:
    """Properties by selector: ``p``, ``.heading``, ``#title`` or ``p.heading``."""
    rules: dict[str, Properties] = {}
    for sheet in sheets:
        for rule in _without_comments(sheet).split("}")[:_MOST_RULES]:
            head, brace, body = rule.rpartition("{")
            if not brace or "@media print" in head:
                continue
            found = declarations(body)
            for selector in head.rpartition("{")[2].split(","):
                name = selector.strip()
                if len(name) < 80 and name and _SELECTOR.fullmatch(name):
                    rules.setdefault(name, {}).update(found)
    return rules


def length(value: str) -> float:
    """A length as points; one of other units than px and pt as 0."""
    match = re.match(r"(-?\d{1,7}(?:\.\d{0,6})?)(px|pt)?", value)
    return float(match[1]) if match else 0.0

"""What the style sheets of a web page say of tags and classes; other selectors are left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_SELECTOR = re.compile(r"(?:[a-z][a-z0-9]*)?(?:[.#][A-Za-z_][\w-]*)?$")
_COMMENT_END = "*/"
_MOST_RULES = 100_000
_NAMES = """
bottom break-before display font-size font-style font-weight height left list-style list-style-type
page-break-before text-align transform vertical-align visibility white-space width
"""
_READ = frozenset(_NAMES.split())
"""The properties that a reader asks for: each selector keeps no more, whatever a sheet sets."""

Properties = dict[str, str]


def declarations(text: str) -> Properties:
    """Properties of a ``style`` attribute or of the braces of a rule that are read, in small letters."""
    pairs = (part.partition(":") for part in text.lower().split(";"))
    return {name: value.strip() for key, colon, value in pairs if colon and (name := key.strip()) in _READ}


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
            properties = declarations(body)
            for selector in head.rpartition("{")[2].split(","):
                name = selector.strip()
                if len(name) < 80 and name and _SELECTOR.fullmatch(name):
                    rules.setdefault(name, {}).update(properties)
    return rules


def length(value: str) -> float:
    """A length as points; one of other units than px and pt as 0."""
    match = re.match(r"(-?\d{1,7}(?:\.\d{0,6})?)(px|pt)?", value)
    return float(match[1]) if match else 0.0

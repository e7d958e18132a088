"""Errors that are shown in one line, without a traceback: their message says what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import ValidationError

_LONGEST_SHOWN = 60
_EXPECTED = {
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "tuple_type": "must be a list",
    "date_type": "must be a date (YYYY-MM-DD)",
    "model_type": "must be an object",
    "dataclass_type": "must be an object",
    "dict_type": "must be an object",
}

TOO_DEEP = "nested too deeply to be read"
"""Why what is sent is not read in which things stand within things, deeper than a parser may follow."""


class Expected(Exception):
    """Something is not as it should be in what a user gave or a machine has; the message says what to do."""

    exit_code = 1
    """Of the command that it ends."""


class UsageFault(Expected):
    """The user's way of asking is wrong, whatever is asked."""

    exit_code = 2


def printable(name: object) -> str:
    """A name as part of a one-line message: what does not print, but for joiners of letters, is escaped."""
    text = str(name)
    return text if text.replace("\u200c", "").replace("\u200d", "").isprintable() else ascii(text)


def shown(value: Any) -> str:
    """A value as part of a one-line message; of lists and objects, which may be deep, only the kind."""
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return cut(repr(value))


def cut(text: str) -> str:
    """A text as part of a one-line message, not too long."""
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def faults(error: ValidationError) -> Iterator[tuple[str, str]]:
    """(field, what is wrong) of each fault that Pydantic found."""
    for fault in error.errors(include_url=False):
        yield printable(".".join(map(str, fault["loc"]))), _wrong(fault["type"], fault["msg"], fault)


def _wrong(kind: str, message: str, fault: Any) -> str:
    if kind == "missing":
        return "is missing"
    if kind == "unexpected_keyword_argument":
        return "unknown field"
    if kind == "literal_error":
        expected = fault["ctx"]["expected"].replace("'", "").replace(" or ", ", ")
        return f"must be one of {expected}, not {shown(fault['input'])}"
    if kind == "json_invalid":
        return f"not JSON: {fault['ctx']['error'].replace(' at line 1 column ', ' at character ')}"
    if kind in _EXPECTED:
        return f"{_EXPECTED[kind]}, not {shown(fault['input'])}"
    return printable(message.removeprefix("Value error, ").replace("Input should be", "must be"))

"""Overrides as people type them: where Hydra cannot read one, a line in plain words says what to type."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citegrain.tasks.core.errors import UsageFault, printable

if TYPE_CHECKING:
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.core.override_parser.types import Override
    from omegaconf import DictConfig, ListConfig, StringNode

_QUOTES = "'\"“”‘’"
_PLAIN = re.compile(r"[\w/\-\\+.$%*@?|: \t]", re.ASCII)
"""What a value may contain without quotes (grammar of Hydra 1.3)."""

_KEY = re.compile(r"[+~]{0,2}[\w.:/@-]+")
_LITERAL = re.compile(r"[\"$`!]|\\\\")
"""What double quotes leave its meaning to in a shell."""

_KINDS = {
    "converted to Integer": "must be a whole number",
    "converted to Float": "must be a number",
    "is not a valid bool": "must be true or false",
    "is not Optional": "needs a value",
}


class SettingsError(ValueError, UsageFault):
    """An override or a configuration file is wrong; the message names the key."""


def group_of(override: str) -> str:
    """The group, or the key at the top, that an override names."""
    return re.split(r"[.=@]", override.lstrip("+~"), maxsplit=1)[0]


def parsed(override: str, schema: DictConfig) -> Override:
    """An override as Hydra reads it; a number or ``true`` where a text belongs is the text that was typed.

    ``schema``: keys and types of the groups. Raises SettingsError if it cannot be read.
    """
    from hydra.errors import HydraException
    from omegaconf import ListConfig, StringNode

    key, equals, value = override.partition("=")
    if equals and key != key.strip() and _KEY.fullmatch(key.strip()):
        raise SettingsError(f"{override}: without blanks around the =; type {key.strip()}={value.strip()}")
    if not _KEY.fullmatch(key) or (not equals and not key.startswith("~")):
        raise SettingsError(
            f"{printable(override)}: a setting is typed KEY=VALUE, without blanks around the ="
        )
    try:
        read = _parser().parse_override(override)
    except (HydraException, ValueError) as error:
        meant = _as_list(value) if _takes(schema, key, ListConfig) else quoted(_meant(value))
        sign = next((sign for sign in value if not _PLAIN.match(sign)), "")
        why = f"a value with {printable(sign)} in it stands in quotes" if sign else "cannot be read"
        raise SettingsError(f"{printable(override)}: {why}{_to_type(key, meant)}") from error
    if _takes(schema, key, StringNode) and isinstance(read.value(), bool | int | float):
        return _parser().parse_override(f"{key}={quoted(value.strip())}")
    return read


def single(override: str, schema: DictConfig) -> str:
    """An override with one value, for Hydra. Raises SettingsError, with what to type."""
    from omegaconf import ListConfig, StringNode

    read = parsed(override, schema)
    if not read.is_sweep_override():
        return str(read.input_line)
    key, _, value = override.partition("=")
    if _takes(schema, key, ListConfig):
        raise SettingsError(f"{override}: a list stands in brackets{_to_type(key, _as_list(value))}")
    if _takes(schema, key, StringNode):
        raise SettingsError(f"{override}: a comma parts several values{_to_type(key, quoted(value))}")
    raise SettingsError(f"{override}: one value at a time here; citegrain bench and sweep take several")


@cache
def _parser() -> OverridesParser:
    from hydra.core.override_parser.overrides_parser import OverridesParser

    return OverridesParser.create()


def _to_type(key: str, value: str) -> str:
    """What to type in a shell, as the end of a message; nothing where it would not be one line."""
    override = f"{key}={value}"
    if not override.isprintable():
        return ""
    if not _LITERAL.search(override):
        return f'; type "{override}"'
    return f"; type {shlex.quote(override)}"


def quoted(text: str) -> str:
    """A text in quotes, for Hydra; in double ones where the shell needs the single ones."""
    from hydra.core.override_parser.types import Quote, QuotedString

    quote = Quote.double if _LITERAL.search(text) and "'" not in text else Quote.single
    return str(QuotedString(text.replace("${", "\\${"), quote).with_quotes())


def written(key: str, value: Any) -> str:
    """An override that gives a key a value: of texts, numbers, lists and mappings."""
    return f"{'++' * isinstance(value, dict)}{key}={_hydra_text(value)}"


def _hydra_text(value: Any) -> str:
    match value:
        case str():
            return quoted(value)
        case list() | tuple():
            return f"[{','.join(map(_hydra_text, value))}]"
        case dict():
            return f"{{{','.join(f'{key}:{_hydra_text(item)}' for key, item in value.items())}}}"
    return "null" if value is None else str(value).lower()


def _as_list(value: str) -> str:
    return f"[{value.strip('[]() ')}]"


def _meant(value: str) -> str:
    """A value without the quotes in which somebody set it, and with the home folder in the place of ``~``."""
    if value[:1] not in _QUOTES:
        return str(Path(value).expanduser()) if value.startswith("~/") else value
    return value[1:-1] if len(value) > 1 and value[-1] in _QUOTES else value.lstrip(_QUOTES)


def _takes(schema: DictConfig, key: str, kind: type[StringNode] | type[ListConfig]) -> bool:
    """Whether a key takes a text, or a list; it may be neither, or of a group of several kinds."""
    from omegaconf import DictConfig, StringNode

    node: Any = schema
    for part in key.lstrip("+").split("."):
        node = node._get_node(part) if isinstance(node, DictConfig) and part in node.keys() else None  # noqa: SIM118 - what is missing is a key
    return isinstance(node, kind) or (kind is StringNode and key == "artifacts")


def plain_words(error: BaseException, overrides: Sequence[str]) -> str:
    """What an error of Hydra's or OmegaConf's says of a key, on one line."""
    text = f"{error}\n{error.__cause__ or ''}".split("\nConfig search path:")[0]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if (missing := re.search(r"Could not find '(.+)/(.+?)'", text)) and "Available options" in text:
        at = next(n for n, line in enumerate(lines, 1) if line.startswith("Available options"))
        group, option, names = missing[1], missing[2], lines[at:]
        near = [n for n in names if n.startswith(option)] or get_close_matches(option, names, 1, 0.5)
        meant = f"; did you mean {near[0]}?" if near else ""
        return f"{group}={option}: must be one of {', '.join(names)}{meant}"
    if merged := re.search(r"Error merging override (.*)", text):
        key = merged[1].partition("=")[0]
        if "is not a ListConfig" in text:
            return f'{merged[1]}: must be a list; type "{key}=[...]"'
        if wrong := next((words for said, words in _KINDS.items() if said in text), ""):
            return f"{merged[1]}: {wrong}"
    if unknown := re.search(r"Could not override '(.*?)'.*?Key '.*?' is not in struct", text, re.S):
        return f"{unknown[1]}: there is no such group or key"
    if "nterpolation" in text and (culprit := next((o for o in overrides if "${" in o), "")):
        key, _, value = culprit.partition("=")
        means = "${...} means the value of another key"
        return f"{printable(culprit)}: {means}{_to_type(key, quoted(_meant(value)))}"
    noise = ("full_key", "object_type", "reference_type", "To append", "set env", "provider=")
    telling = [line for line in dict.fromkeys(lines) if not line.startswith(noise)]
    return " ".join(telling[:2]) or type(error).__name__

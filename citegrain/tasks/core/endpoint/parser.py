"""The four-pass parser of a model's reply (3.2.7 of the thesis)."""

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from citegrain.tasks.core.endpoint.config import PlainText, ReplySchema

_FENCE = re.compile(r"```[A-Za-z]*\s*\n?(.*?)```", re.DOTALL)


class Unparsable(ValueError):
    """No pass could read the reply; the message says why."""


def parse_reply(reply: str, schema: ReplySchema) -> tuple[dict[str, Any], int]:
    """(reply, number of the pass that read it).

    1. the whole reply is JSON; 2. a fenced block is; 3. the text from a brace to the brace that
    closes it is, the longest first; 4. as 1 to 3, where a key that stands twice in an object keeps its
    first value. What is read must fit the schema, else the next pass tries. A reply in words is read as
    it is.

    Raises Unparsable if no pass yields what fits.
    """
    if isinstance(schema, PlainText):
        try:
            return schema.conform(reply), 1
        except ValueError as error:
            raise Unparsable(str(error)) from error
    reasons: list[str] = []
    fenced = map(str.strip, _FENCE.findall(reply))
    candidates = [(1, reply), *((2, text) for text in fenced), *((3, text) for text in _braced(reply))]
    passes = [(number, text, _unique) for number, text in candidates]
    for number, text, pairs in [*passes, *((4, text, _first_of) for _, text in candidates)]:
        try:
            return schema.conform(json.loads(text, object_pairs_hook=pairs)), number
        except (ValueError, RecursionError) as error:
            reasons += _reason(error)
    reason = reasons[0] if reasons else "it holds no JSON object"
    raise Unparsable(f"the reply does not fit the schema: {reason}")


def _braced(reply: str) -> Iterator[str]:
    """Texts from a brace to the brace that balances it, longest first; braces in strings do not count."""
    spans: list[tuple[int, int]] = []
    stack: list[int] = []
    quoted = escaped = False
    for at, sign in enumerate(reply):
        if quoted:
            quoted = escaped or sign != '"'
            escaped = not escaped and sign == "\\"
        elif sign == '"' and stack:
            quoted, escaped = True, False
        elif sign == "{":
            stack.append(at)
        elif sign == "}" and stack:
            spans.append((stack.pop(), at + 1))
    for start, end in sorted(spans, key=lambda s: s[0] - s[1])[:20]:
        yield reply[start:end]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("a key stands twice in an object")
    return out


def _first_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return dict(reversed(pairs))


def _reason(error: Exception) -> list[str]:
    """What is wrong with a text that is JSON; nothing for one that is none."""
    if not isinstance(error, ValidationError):
        return []
    first = error.errors(include_input=False, include_url=False)[0]
    return [f"{'.'.join(map(str, first['loc']))}: {first['msg']}"]

"""The four-pass parser of a model's reply (3.2.7 of the thesis), and what recorded replies are about."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from citegrain.tasks.core.endpoint.config import PlainText, ReplySchema
from citegrain.tasks.core.store import RowStore

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


# The last bits of vectors depend on the processor, and texts on the parser. So a list of candidates may end
# otherwise on another machine or after another version, and with it the prompt that names a recorded reply.
_ALIKE = 0.75
_LISTS = pa.schema([("name", pa.string()), ("form", pa.string()), ("items", pa.list_(pa.string()))])


@dataclass(frozen=True)
class Shown:
    """What a prompt shows.

    ``items``: ids of the provisions, in their order. ``form``: digest of all else: the task, the question,
    how they are shown.
    """

    items: tuple[str, ...]
    form: str


def keep_lists(store: Path, lists: Mapping[str, Shown]) -> None:
    """Keep what prompts showed, by the names of their replies."""
    stored = _rows(store)
    present = stored.keys()
    new = [{"name": name} | asdict(one) for name, one in lists.items() if name not in present]
    stored.append(pa.Table.from_pylist(new, schema=_LISTS))


def write_lists(store: Path, replies: Path) -> None:
    """Write the lists that are kept beside a file of replies."""
    rows = _rows(store)
    _write(rows.read(sorted(rows.keys())), replies)


def add_lists(given: Path, replies: Path) -> None:
    """Add the lists beside one file of replies to those beside another."""
    files = [file for file in (_lists_file(replies), _lists_file(given)) if file.is_file()]
    rows = {row["name"]: row for file in files for row in pq.read_table(file, schema=_LISTS).to_pylist()}
    _write(pa.Table.from_pylist([rows[name] for name in sorted(rows)], schema=_LISTS), replies)


def alike(replies: Path, shown: Shown) -> list[tuple[str, Shown]]:
    """Recorded lists with three quarters of what is shown, and their replies' names; the most alike first."""
    file = _lists_file(replies)
    lists = _read(file, file.stat().st_mtime_ns).get(shown.form, []) if file.is_file() else []

    def likeness(one: tuple[str, Shown]) -> tuple[int, int]:
        items = one[1].items
        return len({*items} & {*shown.items}), sum(map(str.__eq__, items, shown.items))

    most = len({*shown.items})
    near = [one for one in lists if likeness(one)[0] >= _ALIKE * max(len({*one[1].items}), most) > 0]
    return sorted(near, key=likeness, reverse=True)


def _rows(store: Path) -> RowStore:
    return RowStore(store, "recorded", "lists", _LISTS, "name")


def _write(lists: pa.Table, replies: Path) -> None:
    if lists.num_rows:
        pq.write_table(lists, _lists_file(replies), compression="zstd")


@lru_cache(maxsize=4)
def _read(file: Path, changed: int) -> dict[str, list[tuple[str, Shown]]]:
    out: dict[str, list[tuple[str, Shown]]] = {}
    for row in pq.read_table(file, schema=_LISTS).to_pylist():
        out.setdefault(row["form"], []).append((row["name"], Shown(tuple(row["items"]), row["form"])))
    return out


def _lists_file(replies: Path) -> Path:
    return replies.with_name(f"{replies.stem}.lists.parquet")

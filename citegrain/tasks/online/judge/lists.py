"""The lists that a judge read, kept beside its replies: by them a recorded verdict is found again.

The last bits of vectors depend on the processor. So the list of a question may end otherwise on another
machine, and with it the prompt that a recorded reply is found by.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from citegrain.tasks.core.stage import digest
from citegrain.tasks.core.store import RowStore

_ALIKE = 0.75
"""Share of the candidates that a recorded list and today's must have in common."""
_LISTS = pa.schema([("key", pa.string()), ("question", pa.string()), ("chunks", pa.list_(pa.string()))])


def list_rows(store: Path) -> RowStore:
    """Where the lists are kept."""
    return RowStore(store, "judge", "lists", _LISTS, "key")


def keep_lists(store: Path, lists: Iterable[tuple[str, Sequence[str]]]) -> None:
    """Keep what was read of questions: their text, of which the hash is kept, and the chunks in order."""
    stored, new = list_rows(store), dict[str, dict[str, Any]]()
    for question, chunks in lists:
        row: dict[str, Any] = {"question": _hash(question), "chunks": list(chunks)}
        row["key"] = digest(row)
        new[row["key"]] = row
    present = stored.keys()
    rows = [row for key, row in new.items() if key not in present]
    stored.append(pa.Table.from_pylist(rows, schema=_LISTS))


def write_lists(store: Path, replies: Path) -> None:
    """Write the lists that are kept beside a file of replies."""
    rows = list_rows(store)
    _write(rows.read(sorted(rows.keys())), replies)


def add_lists(given: Path, replies: Path) -> None:
    """Add the lists beside one file of replies to those beside another."""
    files = [file for file in (_lists_file(replies), _lists_file(given)) if file.is_file()]
    tables = [pq.read_table(file, schema=_LISTS) for file in files]
    rows = {row["key"]: row for table in tables for row in table.to_pylist()}
    _write(pa.Table.from_pylist([rows[key] for key in sorted(rows)], schema=_LISTS), replies)


def _write(lists: pa.Table, replies: Path) -> None:
    if lists.num_rows:
        pq.write_table(lists, _lists_file(replies), compression="zstd")


def recorded_lists(replies: Path, question: str, chunks: Sequence[str]) -> list[list[str]]:
    """The recorded lists of a question that have most of some chunks, the most alike first."""
    file = _lists_file(replies)
    lists = _read(file, file.stat().st_mtime_ns).get(_hash(question), []) if file.is_file() else []

    def likeness(one: Sequence[str]) -> tuple[int, int]:
        return len({*one} & {*chunks}), sum(a == b for a, b in zip(one, chunks, strict=False))

    alike = [one for one in lists if likeness(one)[0] >= _ALIKE * max(len(one), len(chunks))]
    return sorted(alike, key=likeness, reverse=True)


@lru_cache(maxsize=4)
def _read(file: Path, changed: int) -> dict[str, list[list[str]]]:
    out: dict[str, list[list[str]]] = {}
    for row in pq.read_table(file, schema=_LISTS).to_pylist():
        out.setdefault(row["question"], []).append(row["chunks"])
    return out


def _lists_file(replies: Path) -> Path:
    return replies.with_name(f"{replies.stem}.lists.parquet")


def _hash(question: str) -> str:
    return hashlib.sha256(question.encode()).hexdigest()[:32]

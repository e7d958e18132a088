"""What recorded replies are about: by the provisions that a model read its reply is found again elsewhere.

The last bits of vectors depend on the processor, and texts on the parser. So a list of candidates may end
otherwise on another machine or after another version, and with it the prompt that names a recorded reply.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from citegrain.tasks.core.store import RowStore

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

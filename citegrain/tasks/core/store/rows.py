"""Rows that are shared across runs: append-only Parquet segments.

Vectors by text, and later pair scores and model replies, are looked up by a
key a row. A segment's file name is the hash of its bytes: a damaged segment no
longer fits its name, is passed over, and its rows are made again.
"""

import hashlib
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache, partial
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from citegrain.tasks.core.store.files import StoreError, explain, hash_file, temporary_name
from citegrain.tasks.core.store.remote import Remote, remote_of

_PREFIX = "rows-"
# a run reads a segment many times: its digest by path, size and the nanosecond of its last change
_hashed = lru_cache(maxsize=4096)(lambda segment, size, changed: hash_file(segment))


class RowStore:
    """Rows by ``key`` in ``store/<stage>/rows/<space>/``; ``space``: what they depend on beside it."""

    def __init__(self, root: Path | str, stage: str, space: str, schema: pa.Schema, key: str) -> None:
        self.root = Path(root)
        self.name = f"{stage}/rows/{space}"
        self.folder = self.root / self.name
        self.temporary = self.root / "tmp"
        self.schema = schema
        self.key = key

    def segments(self) -> list[Path]:
        """Whole segments, in a fixed order; damaged ones are left out."""
        return [p for p in self._files() if self.is_intact(p)]

    @staticmethod
    def is_intact(segment: Path) -> bool:
        """Whether the bytes of a segment fit the hash in its name."""
        status = segment.stat()
        return segment.stem == _PREFIX + _hashed(segment, status.st_size, status.st_mtime_ns)[:32]

    @cached_property
    def _remote(self) -> Remote | None:
        """What the store is connected to; what others put there is fetched, once."""
        remote = remote_of(self.root)
        for name in remote.names(self.name) if remote else []:
            if remote and not (self.folder / name).exists():
                self._write(self.folder / name, partial(remote.get_file, f"{self.name}/{name}"))
        return remote

    def _files(self) -> list[Path]:
        _ = self._remote
        return sorted(self.folder.glob(f"{_PREFIX}*.parquet"))

    def keys(self) -> set[str]:
        """The keys of all rows."""
        keys: set[str] = set()
        for segment in self.segments():
            file = pq.ParquetFile(segment, memory_map=True)
            keys.update(file.read(columns=[self.key]).column(0).to_pylist())
        return keys

    def read(self, keys: list[str]) -> pa.Table:
        """Rows of ``keys`` that are there, in the order of ``keys``, one a key."""
        parts = list(self._tables(keys, self.segments()))
        if not parts:
            return self.schema.empty_table()
        rows = pa.concat_tables(parts)
        at: dict[str, int] = {}
        for index, key in enumerate(rows.column(self.key).to_pylist()):
            at.setdefault(key, index)
        return rows.take(pa.array([at[key] for key in keys if key in at], pa.int64()))

    def _tables(self, keys: list[str], segments: list[Path]) -> Iterator[pa.Table]:
        wanted = pa.array(keys, pa.string())
        for file in (pq.ParquetFile(segment, memory_map=True) for segment in segments):
            hits = pc.is_in(file.read(columns=[self.key]).column(0), value_set=wanted)
            if pc.any(hits).as_py():  # else its vectors need not be unpacked
                yield file.read().cast(self.schema).filter(hits)

    def append(self, table: pa.Table) -> Path | None:
        """Add rows as one segment and return it; None for no rows."""
        if not table.num_rows:
            return None
        sink = pa.BufferOutputStream()
        pq.write_table(table.cast(self.schema), sink, compression="zstd")
        data = sink.getvalue()
        segment = self.folder / f"{_PREFIX}{hashlib.sha256(data).hexdigest()[:32]}.parquet"
        self._write(segment, lambda part: part.write_bytes(data))
        if self._remote:
            self._remote.put_file(f"{self.name}/{segment.name}", segment)
        return segment

    def _write(self, segment: Path, write: Callable[[Path], object]) -> None:
        part = self.temporary / temporary_name("rows-")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.temporary.mkdir(parents=True, exist_ok=True)
            write(part)
            part.replace(segment)
        except OSError as error:
            raise StoreError(explain(error, self.folder)) from error
        finally:
            part.unlink(missing_ok=True)

    def compact(self, keep: set[str], segments: list[Path]) -> int:
        """Replace ``segments`` by one that holds only the rows of ``keep``; bytes set free."""
        complete = set(self.segments())
        before = sum(p.stat().st_size for p in segments)
        remaining = list(self._tables(sorted(keep), [p for p in segments if p in complete]))
        written = self.append(pa.concat_tables(remaining)) if remaining else None
        for segment in segments:
            if segment != written:
                segment.unlink(missing_ok=True)
        return before - (written.stat().st_size if written else 0)

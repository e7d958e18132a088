"""Parquet files of the tables in ``core.schemas``, checked both ways."""

import sys
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from citegrain.tasks.core.schemas import SchemaError, TableSchema

_VERSION = b"citegrain.schema_version"
PART_ROWS = 25_000
"""Rows of a part: the tables of 51 Acts have one, the largest of 775 Acts several."""
K = TypeVar("K")
V = TypeVar("V")


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """The values of each key, all in their order."""
    out: dict[K, list[V]] = {}
    for key, value in pairs:
        out.setdefault(key, []).append(value)
    return out


def write_table(path: Path, table: pa.Table, schema: TableSchema) -> None:
    """Write ``table`` to ``path`` as Parquet, byte for byte the same for the same rows."""
    metadata = {_VERSION: str(schema.version).encode()}
    table = schema.conform(table).replace_schema_metadata(metadata)
    pq.write_table(table, path, compression="zstd", compression_level=3)


def write_parts(folder: Path, table: pa.Table, schema: TableSchema) -> None:
    """Write ``table`` as ``folder``, a Parquet file for each ``PART_ROWS`` rows, one at least."""
    folder.mkdir()
    for number, start in enumerate(range(0, max(1, table.num_rows), PART_ROWS)):
        write_table(folder / f"part-{number:05}.parquet", table.slice(start, PART_ROWS), schema)


def read_table(path: Path, schema: TableSchema, columns: list[str] | None = None) -> pa.Table:
    """The table of a file or a folder of parts, or some columns. Raises SchemaError if it is newer."""
    if path.is_dir():
        return pa.concat_tables([read_table(part, schema, columns) for part in sorted(path.iterdir())])
    file = pq.ParquetFile(path, memory_map=True)
    version = _version(file.schema_arrow)
    if version > schema.version:
        raise SchemaError(
            f"{path}: table {schema.name} has schema version {version}; "
            f"this citegrain reads up to {schema.version}: upgrade it or rebuild the index"
        )
    older = version < schema.version
    if columns is None:
        return schema.conform(schema.completed(file.read()) if older else file.read())
    missing = set(columns) - set(file.schema_arrow.names)
    if missing - (schema.added.keys() if older else set()):
        raise SchemaError(f"{path}: table {schema.name} lacks {sorted(missing)}")
    table = file.read(columns=[name for name in columns if name not in missing])
    return schema.completed(table).select(columns) if missing else table


def dates_in(column: pa.ChunkedArray) -> list[date | None]:
    """A column of days as ``to_pylist`` gives it, in a twentieth of the time."""
    return list(column.to_numpy(zero_copy_only=False).astype(object))


class _WithoutPandas:
    """Finds every module but pandas where it always was (of ``sys.meta_path``)."""

    @staticmethod
    def find_spec(name: str, path: object, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


def leave_out_pandas() -> None:
    """Let pyarrow look for pandas now, in vain: else the first list that it converts would import it.

    Where pandas is asked for by name, as by ``to_pandas``, pyarrow looks for it again.
    """
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, _WithoutPandas)
        try:
            pa.array([])
        finally:
            sys.meta_path.remove(_WithoutPandas)


def read_tables(paths: Sequence[Path], schema: TableSchema) -> pa.Table:
    """Read the tables at ``paths`` and join them, in this order."""
    import pyarrow.dataset as ds  # brings pandas

    if not paths:
        return schema.empty()
    files = ds.dataset([str(path) for path in paths], schema=schema.arrow, format="parquet")
    written = (fragment.physical_schema for fragment in files.get_fragments())
    if all(_version(one) == schema.version and one.equals(schema.arrow) for one in written):
        return schema.conform(files.to_table())
    return pa.concat_tables([read_table(path, schema) for path in paths])


def _version(written: pa.Schema) -> int:
    return int((written.metadata or {}).get(_VERSION, b"0"))

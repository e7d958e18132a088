"""What a table schema is."""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as attribute
from typing import Any

import pyarrow as pa


class SchemaError(ValueError):
    """A table does not have the columns its schema promises."""


@dataclass(frozen=True, slots=True)
class TableSchema:
    """Name, version and columns of one table.

    ``added``: columns that files of older versions lack, and the value that stands for each there.
    """

    name: str
    version: int
    arrow: pa.Schema
    added: Mapping[str, Any] = attribute(default_factory=dict, hash=False)

    @property
    def file(self) -> str:
        """Name of the table's file inside an artefact, and of the folder of its parts inside a build."""
        return f"{self.name}.parquet"

    def conform(self, table: pa.Table) -> pa.Table:
        """``table`` with the columns of this schema, in order. Raises SchemaError where it has others."""
        have, want = set(table.column_names), set(self.arrow.names)
        if have != want:
            raise SchemaError(
                f"table {self.name}: missing {sorted(want - have)}, unknown {sorted(have - want)}"
            )
        table = table.select(self.arrow.names)
        try:
            table = table.cast(self.arrow)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as error:
            raise SchemaError(f"table {self.name}: {error}") from error
        for field in self.arrow:
            if not field.nullable and table.column(field.name).null_count:
                raise SchemaError(f"table {self.name}: null in column {field.name}")
        return table

    def completed(self, table: pa.Table) -> pa.Table:
        """``table`` of an older version, with the columns that were added since."""
        for name in self.added.keys() - set(table.column_names):
            values = pa.array([self.added[name]] * table.num_rows, self.arrow.field(name).type)
            table = table.append_column(name, values)
        return table

    def empty(self) -> pa.Table:
        """A table of this schema without rows."""
        return self.arrow.empty_table()

    def rows(self, rows: list[dict[str, object]]) -> pa.Table:
        """A table of this schema from a list of mappings, one a row."""
        return pa.Table.from_pylist(rows, schema=self.arrow)


def column(name: str, kind: pa.DataType, text: str, unit: str = "", *, null: bool = False) -> pa.Field:
    """A column with its description and unit in the field's metadata."""
    metadata = {"description": text} | ({"unit": unit} if unit else {})
    return pa.field(name, kind, nullable=null, metadata=metadata)


def table(name: str, version: int, *columns: pa.Field, added: Mapping[str, Any] | None = None) -> TableSchema:
    """A table of some columns; ``added`` as of :class:`TableSchema`."""
    return TableSchema(name, version, pa.schema(columns), added or {})

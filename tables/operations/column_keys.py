"""Keys of cells in previews, stored operations and changes: names of columns in place of their ids."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tables.column_types import ColumnSpec, name_key

Json = dict[str, Any]
# Members of an operation on rows that are objects keyed by column, and a list of columns.
CELLS = ("data", "changes", "before", "expected", "old", "new")
EMPTIED = "left_empty"
# Members of any operation whose entries name a column.
ENTRIES = ("notes", "casts", "faults")


class ColumnNames:
    """Names of columns by id, each name once. `unknown` are the ids without a name that were looked up."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names: dict[str, str] = {}
        self.unknown: set[str] = set()
        self._keys: set[str] = set()
        self.add(names)

    @classmethod
    def of(cls, columns: Iterable[ColumnSpec]) -> ColumnNames:
        """Return the names of existing columns."""
        return cls({column.id: column.name for column in columns})

    def __call__(self, column_id: str) -> str:
        """Return the name of a column, its id if there is none."""
        name = self.names.get(column_id)
        if name is None:
            self.unknown.add(column_id)
        return name or column_id

    def add(self, names: Mapping[str, str]) -> None:
        """Add names, such as the last ones of deleted columns. Those that another column has are not used."""
        for column_id, name in names.items():
            key = name_key(name)
            if column_id not in self.names and key not in self._keys:
                self.names[column_id] = name
                self._keys.add(key)


def names_in(form: Json) -> dict[str, str]:
    """Return the names in a preview by column id: of the columns as they would be, and of removed ones."""
    changed = [each["column"] for each in form["operations"] if isinstance(each.get("column"), dict)]
    columns = {column["id"]: column["name"] for column in form.get("columns", [])}
    return {**{column["id"]: column["name"] for column in changed if "id" in column}, **columns}


def keyed_by_name(form: Json, names: ColumnNames) -> Json:
    """Return a preview, or `{"operations": […]}`, with the names of columns in place of ids."""
    keyed = {**form, "operations": [_operation(each, names) for each in form["operations"]]}
    if "cells_by_column" in form:
        keyed["cells_by_column"] = cells_by_name(form["cells_by_column"], names)
    if "sample_rows" in form:
        keyed["sample_rows"] = [cells_by_name(row, names) for row in form["sample_rows"]]
    return keyed


def cells_by_name(cells: Json, names: ColumnNames) -> Json:
    """Return an object keyed by column id with the names as keys."""
    return {names(column_id): value for column_id, value in cells.items()}


def _operation(operation: Json, names: ColumnNames) -> Json:
    keyed = dict(operation)
    # Operations on columns have the fields of columns there.
    if "column" not in operation and "column_id" not in operation:
        for member in CELLS:
            if member in operation:
                keyed[member] = cells_by_name(operation[member], names)
        if EMPTIED in operation:
            keyed[EMPTIED] = [names(column_id) for column_id in operation[EMPTIED]]
    for member in ENTRIES:
        if member in operation:
            keyed[member] = _entries(operation[member], names)
    return keyed


def _entries(entries: Iterable[Json], names: ColumnNames) -> list[Json]:
    return [{**each, "column": names(each["column"])} if "column" in each else each for each in entries]

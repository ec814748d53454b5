"""Paths of rows and cells in requests about results, which faults have in place of those of operations."""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self

from tables.exceptions import Conflict, TablesError
from tables.operations import TableShape
from tables.operations.changes.undo_paths import cell_path

Json = dict[str, Any]
_OPERATION = re.compile(r"operations\[(\d+)\](?:\.(?:changes|expected)(?:\.(.*))?|\..*)?", re.DOTALL)


def paths_of_rows(row_ids: Sequence[int], *, name: str = "rows") -> dict[str, int]:
    """Return the rows of a list in a request by their paths, such as `rows[3]`."""
    return {f"{name}[{index}]": row_id for index, row_id in enumerate(row_ids)}


def paths_of_edits(row_ids: Iterable[int]) -> dict[str, int]:
    """Return the rows of edits by their paths, such as `edits.12`."""
    return {f"edits.{row_id}": row_id for row_id in row_ids}


def names_sent(edit: Json, *, shape: TableShape) -> dict[str, str]:
    """Return the names of columns in an edit as they were sent, by name and id."""
    columns = {ref: shape.column(ref) for ref in edit}
    return {key: ref for ref, found in columns.items() for key in ([found.id, found.name] if found else [ref])}


@dataclass(frozen=True)
class RequestPaths:
    """The paths of a request whose results are operations of a data proposal, in the order of `row_ids`.

    `names` are columns by id, `edited` the cells that a row's edit has, by name and id of the column as they were sent.
    """

    row_ids: Sequence[int]
    names: Mapping[str, str]
    edited: Mapping[int, Mapping[str, str]]

    @classmethod
    def of(cls, row_ids: Sequence[int], *, edits: Mapping[int, Json], shape: TableShape) -> Self:
        """Return the paths of a request with these edits."""
        names = {column.id: column.name for column in shape.columns}
        return cls(row_ids, names, {row_id: names_sent(edit, shape=shape) for row_id, edit in edits.items()})

    @contextmanager
    def in_faults(self) -> Iterator[None]:
        """Give the faults of errors the paths of the request.

        `edits.12.Domain` for the value of an edit, else `rows[12].data.Domain` or `rows[12]`, with the id of the
        row.
        """
        try:
            yield
        except TablesError as error:
            is_about_edits = not isinstance(error, Conflict)
            paths = [self._path(fault.path, is_about_edits=is_about_edits) for fault in error.faults]
            error.faults = tuple(replace(fault, path=path) for fault, path in zip(error.faults, paths, strict=True))
            raise

    def _path(self, path: str, *, is_about_edits: bool) -> str:
        found = _OPERATION.fullmatch(path)
        if found is None:
            return path
        row_id, key = self.row_ids[int(found[1])], found[2]
        if not key:
            return f"rows[{row_id}]"
        edited = self.edited.get(row_id, {})
        if is_about_edits and key in edited:
            return f"edits.{row_id}.{edited[key]}"
        return cell_path(row_id, self.names.get(key, key))

"""The stored form of the cells of rows: JSON and the text for searching."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

from django.db import connection

from tables.column_types import ColumnSpec
from tables.column_types.row_digest import RowDigest
from tables.operations.cells import RowsByColumn

Json = dict[str, Any]
# Of one row: data as JSON text, search text.
Texts = tuple[str, str]
ROWS_PER_PART = 250


def texts_of(contents: Iterable[Json], *, columns: Sequence[ColumnSpec]) -> list[Texts]:
    """Return the stored form of the cells of rows.

    Needs no database, so it can run before the table is locked.
    """
    if isinstance(contents, RowsByColumn):
        return RowDigest(columns).of_columns(contents.columns, count=len(contents), written=contents.written)
    rows = list(contents)
    by_column = {column.id: [data.get(column.id) for data in rows] for column in columns}
    return RowDigest(columns).of_columns(by_column, count=len(rows))


def texts_of_new_rows(contents: Sequence[Json], *, columns: Sequence[ColumnSpec]) -> Sequence[Texts]:
    """Return the stored form of rows to add.

    On PostgreSQL, the texts are computed while it writes the rows before them. SQLite has one lock for all tables.
    """
    if connection.vendor == "postgresql" and isinstance(contents, RowsByColumn):
        return _TextsInParts(contents, columns=columns)
    return texts_of(contents, columns=columns)


def texts_of_changed_rows(
    ids: Sequence[int], contents: RowsByColumn, *, columns: Sequence[ColumnSpec]
) -> Mapping[int, Texts]:
    """Return the stored form of changed rows by id, in this order. On PostgreSQL as `texts_of_new_rows`."""
    if connection.vendor == "postgresql":
        return _TextsById(ids, _TextsInParts(contents, columns=columns))
    return dict(zip(ids, texts_of(contents, columns=columns), strict=True))


class _TextsInParts(Sequence[Texts]):
    """What `texts_of` returns, computed in parts when it is first read."""

    def __init__(self, rows: RowsByColumn, *, columns: Sequence[ColumnSpec]) -> None:
        self._rows, self._digest = rows, RowDigest(columns)
        self._known: list[Texts] = []

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Texts: ...
    @overload
    def __getitem__(self, index: slice) -> list[Texts]: ...
    def __getitem__(self, index: int | slice) -> Texts | list[Texts]:
        if isinstance(index, slice):
            return list(self)[index]
        while len(self._known) <= index:
            self._compute_next()
        return self._known[index]

    def __iter__(self) -> Iterator[Texts]:
        for start in range(0, len(self), ROWS_PER_PART):
            if len(self._known) <= start:
                self._compute_next()
            yield from self._known[start : start + ROWS_PER_PART]

    def _compute_next(self) -> None:
        start = len(self._known)
        self._known += self._part(start, min(start + ROWS_PER_PART, len(self)))

    def _part(self, start: int, end: int) -> list[Texts]:
        columns = {key: values[start:end] for key, values in self._rows.columns.items()}
        written = {key: values[start:end] for key, values in self._rows.written.items()}
        return self._digest.of_columns(columns, count=end - start, written=written)


class _TextsById(Mapping[int, Texts]):
    """Texts in parts, by the id of their row."""

    def __init__(self, ids: Sequence[int], texts: _TextsInParts) -> None:
        self._index, self._texts = {pk: index for index, pk in enumerate(ids)}, texts

    def __getitem__(self, key: int) -> Texts:
        return self._texts[self._index[key]]

    def __contains__(self, key: object) -> bool:
        return key in self._index

    def __iter__(self) -> Iterator[int]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

"""SQL that reads stored changes: definitions, and entries `[row id, cells before, cells after]`.

The databases select single entries of a piece, so that a page costs the same however large the change is.
"""
from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from django.db import connection

from tables.operations.changes.delta import restore_numbers

Json = dict[str, Any]
Action = Literal["add", "update", "move", "delete"]

# Larger entries are returned without their cells.
MAX_ENTRY_LENGTH = 100_000
MAX_PREVIEW_ENTRY_LENGTH = 20_000
MAX_DEFINITIONS_LENGTH = 500_000
PREVIEW_ROWS = 3
# Limits of the search for the former name of a column: changes of columns, and later changes of any kind.
MAX_LATER_DEFINITIONS = 300
MAX_LATER_CHANGES = 10_000
# Maximum number of pieces read for a page. A page may be shorter than requested if each piece has few entries.
MAX_PAGE_PIECES = 20


@dataclass(frozen=True)
class Cursor:
    """The entry of a change at which a page starts: the number of its piece, and its number in that piece."""

    piece: int = 0
    entry: int = 0

    def __str__(self) -> str:
        return f"{self.piece}.{self.entry}"

    @classmethod
    def read(cls, text: str) -> Cursor | None:
        """Return the cursor of a text written by `str`; None for any other text."""
        numbers = text.split(".")
        if len(numbers) != 2 or not all(each.isascii() and each.isdigit() and len(each) < 10 for each in numbers):
            return None
        return cls(*map(int, numbers))


@dataclass(frozen=True)
class Entry:
    """The effect of a change on one row. `steps` is the stored entry, None if it is too large."""

    change_id: int
    piece: int
    number: int
    row_id: int
    action: Action
    steps: list[Any] | None

    @property
    def cursor(self) -> Cursor:
        return Cursor(self.piece, self.number)


@dataclass
class Definitions:
    """The effect of a change on columns and the table. `too_large`: columns were omitted because of their size."""

    table: Json | None = None
    columns: list[list[Any]] = field(default_factory=list)
    moved: bool = False
    too_large: bool = False


def read_definitions(table_id: int, change_ids: Sequence[int]) -> dict[int, Definitions]:
    """Return the effects of changes on columns and the table itself, by change id, in one query."""
    # Definitions are in the first piece, without any rows.
    part = "piece.steps -> '{0}'" if connection.vendor == "sqlite" else "(piece.steps -> '{0}')::text"
    columns = part.format("columns")
    among, params = _among("piece.change_id", change_ids)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT piece.change_id, {part.format('table')}, {part.format('order')},"
            f" CASE WHEN length({columns}) <= %s THEN {columns} END, length({columns}) > %s"
            f' FROM tables_changepiece AS piece WHERE piece.table_id = %s AND {among} AND piece."index" = 0',
            [MAX_DEFINITIONS_LENGTH, MAX_DEFINITIONS_LENGTH, table_id, *params],
        )
        found = cursor.fetchall()
    return {
        change_id: Definitions(
            table=_loaded(table), columns=_loaded(columns) or [], moved=bool(_loaded(order)), too_large=bool(too_large)
        )
        for change_id, table, order, columns, too_large in found
    }


def read_later_definitions(table_id: int, *, after: int) -> list[tuple[int, list[Any]]]:
    """Return changes of columns after a version: `(version, [id, before, after])`, oldest first.

    In one query, of a limited number of changes.
    """
    columns, length = "(piece.steps -> 'columns')::text", "jsonb_array_length(piece.steps -> 'columns')"
    if connection.vendor == "sqlite":
        columns, length = "piece.steps -> 'columns'", "json_array_length(piece.steps, '$.columns')"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT change.version, {columns} FROM tables_change AS change"
            ' JOIN tables_changepiece AS piece ON piece.table_id = change.table_id AND piece.change_id = change.id'
            ' AND piece."index" = 0'
            f" WHERE change.table_id = %s AND change.version > %s AND change.version <= %s AND {length} > 0"
            f" ORDER BY change.version LIMIT {MAX_LATER_DEFINITIONS}",
            [table_id, after, after + MAX_LATER_CHANGES],
        )
        found = cursor.fetchall()
    return [(version, column) for version, columns in found for column in _loaded(columns)]


def read_removed_columns(table_id: int) -> list[list[Any]]:
    """Return `[id, definition, None]` of each removal of a column, newest first.

    In one query, of a limited number of changes of columns.
    """
    columns, length = "(piece.steps -> 'columns')::text", "jsonb_array_length(piece.steps -> 'columns')"
    if connection.vendor == "sqlite":
        columns, length = "piece.steps -> 'columns'", "json_array_length(piece.steps, '$.columns')"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {columns} FROM tables_change AS change"
            ' JOIN tables_changepiece AS piece ON piece.table_id = change.table_id AND piece.change_id = change.id'
            ' AND piece."index" = 0'
            f" WHERE change.table_id = %s AND {length} > 0"
            f" ORDER BY change.version DESC LIMIT {MAX_LATER_DEFINITIONS}",
            [table_id],
        )
        found = cursor.fetchall()
    return [column for (columns,) in found for column in _loaded(columns) if column[2] is None]


def read_page(table_id: int, change_id: int, *, cursor: Cursor, limit: int) -> tuple[list[Entry], Cursor | None]:
    """Return at most `limit` entries of a change, and the cursor of the next page, in two queries."""
    last, following = _page_end(table_id, change_id, cursor=cursor, limit=limit)
    entries = _read(
        table_id,
        _all_entries(),
        where='piece.change_id = %s AND piece."index" BETWEEN %s AND %s AND (piece."index" > %s OR {number} >= %s)'
        " AND {number} <= %s",
        params=[change_id, cursor.piece, last, cursor.piece, cursor.entry, cursor.entry + limit],
        max_length=MAX_ENTRY_LENGTH,
        limit=limit + 1,
    )
    return entries[:limit], entries[limit].cursor if len(entries) > limit else following


def read_first(table_id: int, change_ids: Sequence[int]) -> dict[int, list[Entry]]:
    """Return the first entries of each change, one more than a preview shows, in one query."""
    among, params = _among("piece.change_id", change_ids)
    found: dict[int, list[Entry]] = {}
    # The first piece may have only definitions; every other piece has at least one entry.
    where = f'{among} AND piece."index" <= {PREVIEW_ROWS + 1}'
    length = MAX_PREVIEW_ENTRY_LENGTH
    for entry in _read(table_id, _first_entries(), where=where, params=params, max_length=length):
        found.setdefault(entry.change_id, []).append(entry)
    return {change_id: entries[: PREVIEW_ROWS + 1] for change_id, entries in found.items()}


def changes_with_row(table_id: int, row_id: int, *, piece_ids: Sequence[int]) -> set[int]:
    """Return the changes with an entry of this row in these pieces, in one query.

    SQLite compares text, which is ten times as fast as reading entries, and may find the row's id in a cell instead.
    """
    among, params = _among("piece.id", piece_ids)
    prefilter, wanted = _prefilter(row_id)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT piece.change_id FROM tables_changepiece AS piece"
            f" WHERE piece.table_id = %s AND {among} AND {prefilter}",
            [table_id, *params, wanted],
        )
        return {change_id for (change_id,) in cursor.fetchall()}


def read_row(table_id: int, row_id: int, *, piece_ids: Sequence[int]) -> list[Entry]:
    """Return the entries of one row in these pieces, in one query."""
    among, params = _among("piece.id", piece_ids)
    prefilter, wanted = _prefilter(row_id)
    of_row = "(entry.value ->> 0)::bigint = %s"
    if connection.vendor == "sqlite":
        of_row = "json_extract(entry.value, '$[0]') = %s"
    where = f"{among} AND {prefilter} AND {of_row}"
    params = [*params, wanted, row_id]
    return _read(table_id, _all_entries(), where=where, params=params, max_length=MAX_ENTRY_LENGTH)


def _prefilter(row_id: int) -> tuple[str, str]:
    """Return SQL that excludes most pieces without an entry of this row, with its parameter."""
    if connection.vendor == "sqlite":
        return "instr(piece.steps, %s) > 0", f"[{row_id},"
    return "piece.steps @> %s::jsonb", json.dumps({"rows": [[row_id]]})


def _page_end(table_id: int, change_id: int, *, cursor: Cursor, limit: int) -> tuple[int, Cursor | None]:
    """Return the last piece of the page at the cursor, and the cursor of the next piece, if any."""
    length = "json_array_length(steps, '$.rows')"
    if connection.vendor != "sqlite":
        length = "jsonb_array_length(steps -> 'rows')"
    with connection.cursor() as sql:
        sql.execute(
            f'SELECT "index", COALESCE({length}, 0) FROM tables_changepiece'
            f' WHERE table_id = %s AND change_id = %s AND "index" >= %s ORDER BY "index" LIMIT {MAX_PAGE_PIECES + 1}',
            [table_id, change_id, cursor.piece],
        )
        lengths = sql.fetchall()
    count = -cursor.entry
    for index, (piece, entries) in enumerate(lengths[:MAX_PAGE_PIECES]):
        count += entries
        if count > limit or index + 1 == min(len(lengths), MAX_PAGE_PIECES):
            return piece, Cursor(lengths[index + 1][0]) if index + 1 < len(lengths) else None
    return cursor.piece, None


@dataclass(frozen=True)
class _Source:
    """SQL fragments for reading entries: the join, and the expressions for number and JSON of an entry."""

    join: str
    number: str = "entry.number - 1"
    value: str = "entry.value"


def _all_entries() -> _Source:
    """Return the SQL for all entries of a piece."""
    if connection.vendor == "sqlite":
        return _Source("json_each(piece.steps, '$.rows') AS entry", number="entry.key")
    return _Source("LATERAL jsonb_array_elements(piece.steps -> 'rows') WITH ORDINALITY AS entry(value, number)")


def _first_entries() -> _Source:
    """Return the SQL for the first few entries of a piece."""
    if connection.vendor == "sqlite":
        numbers = ", ".join(f"({number})" for number in range(1, PREVIEW_ROWS + 2))
        value = "(piece.steps -> ('$.rows[' || (entry.column1 - 1) || ']'))"
        return _Source(f"(VALUES {numbers}) AS entry", number="entry.column1 - 1", value=value)
    first = f"jsonb_path_query_array(piece.steps, '$.rows[0 to {PREVIEW_ROWS}]')"
    return _Source(f"LATERAL jsonb_array_elements({first}) WITH ORDINALITY AS entry(value, number)")


def _read(
    table_id: int, source: _Source, *, where: str, params: Sequence[Any], max_length: int, limit: int | None = None
) -> list[Entry]:
    """Read the entries of the pieces that match `where`, in which `{number}` is that of the entry."""
    row_id, text, kind = "({0} ->> 0)::bigint", "{0}::text", "jsonb_typeof({0} -> {1})"
    if connection.vendor == "sqlite":
        row_id, text, kind = "json_extract({0}, '$[0]')", "{0}", "json_type({0}, '$[{1}]')"
    value, text = source.value, text.format(source.value)
    limited = "" if limit is None else f" LIMIT {limit}"
    with connection.cursor() as cursor:
        cursor.execute(
            f'SELECT piece.change_id, piece."index", {source.number}, {row_id.format(value)},'
            f" {kind.format(value, 1)} = 'null', {kind.format(value, 2)} = 'null',"
            f" CASE WHEN length({text}) <= %s THEN {text} END"
            f" FROM tables_changepiece AS piece CROSS JOIN {source.join}"
            f" WHERE piece.table_id = %s AND {value} IS NOT NULL AND {where.format(number=source.number)}"
            f' ORDER BY piece.change_id, piece."index", {source.number}{limited}',
            [max_length, table_id, *params],
        )
        found = cursor.fetchall()
    return [
        Entry(
            change_id=change_id,
            piece=piece,
            number=number,
            row_id=row,
            action="add" if added else "delete" if deleted else "update",
            steps=_loaded(steps),
        )
        for change_id, piece, number, row, added, deleted, steps in found
    ]


def _among(column: str, ids: Iterable[int]) -> tuple[str, list[Any]]:
    if connection.vendor == "sqlite":
        return f"{column} IN (SELECT value FROM json_each(%s))", [json.dumps(list(ids))]
    return f"{column} = ANY(%s::bigint[])", [list(ids)]


def _loaded(text: str | None) -> Any:
    return restore_numbers(json.loads(text)) if text else None

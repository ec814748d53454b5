"""Reads rows: filtered, sorted, searched, in pages; cells come out the same whichever database keeps them."""
from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Q, QuerySet

from tables.column_types import TableShape, get_column_type
from tables.column_types.column_type import ColumnType
from tables.exceptions import NotFound
from tables.models import Row, Table
from tables.operations.cells import UNKNOWN_ROW
from tables.operations.filters import Filter, SortKey
from tables.operations.keyset_positions import KeysetPosition
from tables.selectors.conditions import among_ids, containing, matching, ordering, truth, words_of
from tables.selectors.costs import refuse_costly
from tables.selectors.dialects import Sql, row_among, row_column
from tables.selectors.keyset import regions_after
from tables.selectors.tables import table_shape

MAX_ID = 2**63 - 1
# So that a statement, and what it gives, stays of a size.
IDS_AT_ONCE = 10_000
ROWS = Row._meta.db_table
# From here on it is worth choosing the rows of a page before they are read.
FAR = 1_000
# What every order ends in.
UNSORTED = ("position", "id")


class RowView(NamedTuple):
    """A row as it is read; `data` maps column ids, in the order of the columns, to values; no key for empty cells."""

    id: int
    position: int
    version: int
    data: dict[str, Any]


def live_rows(
    table: Table,
    *,
    filter: Filter | None = None,  # noqa: A002  the word of every door
    search: str = "",
    ids: Sequence[int] | None = None,
) -> QuerySet[Row]:
    """The rows that pass, in no order; with `ids` only those of them."""
    rows = Row.objects.filter(table_id=table.pk, deleted_at__isnull=True)
    if ids is not None:
        rows = rows.filter(pk__in=ids)
    for condition in narrowing(filter, search=search, table=table):
        rows = rows.filter(truth(condition))
    return rows


def read_rows(
    table: Table,
    *,
    shape: TableShape | None = None,
    filter: Filter | None = None,  # noqa: A002  the word of every door
    sort: Sequence[SortKey] = (),
    search: str = "",
    offset: int = 0,
    limit: int = 100,
    after: KeysetPosition | None = None,
    ids: Sequence[int] | None = None,
) -> list[RowView]:
    """At most `limit` rows from `offset` on; empty cells sort last, ties by position, then id.

    With `ids` only those of them; `after` is a place in this very order to go on behind, instead of an offset. Raises
    Malformed.
    """
    shape = shape or table_shape(table)
    table_id, deleted_at = row_column("table_id"), row_column("deleted_at")
    live = Sql(f"{table_id.text} = %s AND {deleted_at.text} IS NULL", (table.pk,))
    rows = [live, *narrowing(filter, search=search, table=table)]
    if ids is not None:
        places = ", ".join(["%s"] * len(ids)) or "NULL"
        rows.append(Sql(f"{row_column('id').text} IN ({places})", tuple(ids)))
    order = ordering(sort, shape=shape)
    if after is None:
        return _page(rows, order=order, shape=shape, offset=offset, limit=limit)
    found: list[RowView] = []
    for region in regions_after(after, sort=sort, table=table, shape=shape):
        if len(found) < limit:
            found += _page([*rows, region], order=order, shape=shape, offset=0, limit=limit - len(found))
    return found


def every_row_of(table: Table, *, shape: TableShape) -> Iterator[RowView]:
    """All rows in order, read a part at a time: a table may have more than one wants to hold."""
    rows = live_rows(table).order_by("position", "pk").values_list("id", "position", "version", "data")
    cells = cell_reader(shape)
    for pk, position, version, data in rows.iterator(chunk_size=2_000):
        yield RowView(pk, position, version, cells(data))


def count_rows(
    table: Table,
    *,
    shape: TableShape | None = None,
    filter: Filter | None = None,  # noqa: A002  the word of every door
    search: str = "",
) -> int:
    """How many rows pass; of the whole table it is known with each version, however many they are."""
    if not filter and not search.strip() and table.known_rows is not None:
        return table.known_rows
    return live_rows(table, filter=filter, search=search).count()


def counted_by_page(found: int, *, offset: int, limit: int) -> int | None:
    """How many rows pass in all where a page shows it: one that is not full, and has rows or is the first.

    `found` is how many rows `read_rows` gave from `offset` on for this `limit`. Else None.
    """
    return offset + found if found < limit and (found or not offset) else None


def rows_by_id(
    table: Table,
    ids: Iterable[int],
    *,
    shape: TableShape | None = None,
    filter: Filter | None = None,  # noqa: A002  the word of every door
    search: str = "",
) -> dict[int, RowView]:
    """The rows with these ids that there are and that pass, by id, in the order asked for."""
    shape = shape or table_shape(table)
    wanted = list(dict.fromkeys(i for i in ids if isinstance(i, int) and 0 < i <= MAX_ID))
    found: dict[int, RowView] = {}
    for start in range(0, len(wanted), IDS_AT_ONCE):
        rows = live_rows(table, filter=filter, search=search).filter(among_ids(wanted[start : start + IDS_AT_ONCE]))
        found |= {row.id: row for row in _views(rows, shape=shape)}
    return {i: found[i] for i in wanted if i in found}


def numbers_of_rows(table: Table, ids: Iterable[int]) -> dict[int, int]:
    """At which place of the table, as nobody has sorted it, each of a few rows stands, from 1; none for who is gone."""
    rows = live_rows(table)
    places = rows.filter(pk__in=list(ids)).values_list("pk", "position")
    before = {pk: Q(position__lt=position) | Q(position=position, pk__lt=pk) for pk, position in places}
    return {pk: rows.filter(those).count() + 1 for pk, those in before.items()}


def places_of_rows(
    table: Table,
    *,
    shape: TableShape,
    filter: Filter | None = None,  # noqa: A002  the word of every door
    sort: Sequence[SortKey] = (),
    search: str = "",
    find: str = "",
    ids: Sequence[int] | None = None,
    limit: int = 1_000,
) -> list[tuple[int, int]]:
    """Index and id of rows in a view, in its order: of those with every word of `find`, or with these ids.

    One statement, whose cost grows with the rows of the view. Raises Malformed, and Invalid when it costs too much.
    """
    wanted = containing(find) if ids is None else row_among(ids)
    if wanted is None:
        return []
    if ids is None:
        refuse_costly(table, [filter] if filter else [], words=len(words_of(f"{search} {find}")))
    live = Sql(f"{row_column('table_id').text} = %s AND {row_column('deleted_at').text} IS NULL", (table.pk,))
    where = Sql.joined([live, *narrowing(filter, search=search, table=table)], between=" AND ", around="({})")
    by = Sql.joined(ordering(sort, shape=shape), between=", ")
    inner = (
        f"SELECT {row_column('id').text} AS pk, row_number() OVER (ORDER BY {by.text}) - 1 AS place,"
        f" CASE WHEN {wanted.text} THEN 1 ELSE 0 END AS wanted FROM {ROWS} WHERE {where.text}"
    )
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT place, pk FROM ({inner}) AS placed WHERE wanted = 1 ORDER BY place LIMIT %s",
            [*by.params, *wanted.params, *where.params, limit],
        )
        return list(cursor.fetchall())


def get_row(table: Table, row_id: int, *, shape: TableShape | None = None) -> RowView:
    """The row with this id. Raises NotFound."""
    row = rows_by_id(table, [row_id], shape=shape).get(row_id)
    if row is None:
        raise NotFound(UNKNOWN_ROW())
    return row


def cell_reader(shape: TableShape) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Brings cells as read from a database into their one form, in the order of the columns, empty ones left out."""
    types = [(column.id, get_column_type(column.type)) for column in shape.columns]
    # Most types have nothing to bring into form: not asking them is half of the work.
    forms = [
        (column_id, None if type(kind).normalise is ColumnType.normalise else kind.normalise)
        for column_id, kind in types
    ]

    def read(data: dict[str, Any]) -> dict[str, Any]:
        return {
            column_id: data[column_id] if normalise is None else normalise(data[column_id])
            for column_id, normalise in forms
            if data.get(column_id) is not None
        }

    return read


def narrowing(filter: Filter | None, *, search: str, table: Table) -> list[Sql]:  # noqa: A002  the word of every door
    """The conditions of a view of a table. Raises Malformed, and Invalid for a view that costs too much."""
    words = containing(search)
    if filter or words is not None:
        refuse_costly(table, [filter] if filter else [], words=len(words_of(search)))
    return [*([matching(filter)] if filter else []), *([] if words is None else [words])]


def _page(
    conditions: Sequence[Sql], *, order: Sequence[Sql], shape: TableShape, offset: int, limit: int
) -> list[RowView]:
    """Reads with one statement that is put together here: building it of expressions takes as long as running it."""
    columns = ", ".join(row_column(name).text for name in ("id", "position", "version", "data"))
    where = Sql.joined(conditions, between=" AND ", around="({})")
    by = Sql.joined(order, between=", ")
    params = [*where.params, *by.params, limit, offset]
    is_sorted, lite = len(order) > len(UNSORTED), connection.vendor == "sqlite"
    # Left to itself, SQLite takes rows to be sorted in the order of their hashes, from all over the file, and carries
    # the cells of all rows before the page through the sorting. A CROSS JOIN is carried out as it is written.
    along = "INDEXED BY rows_in_order " if is_sorted and lite else ""
    text = f"FROM {ROWS} {along}WHERE {where.text} ORDER BY {by.text} LIMIT %s OFFSET %s"
    # PostgreSQL counts past the rows before the page in the index alone, unless something is asked of their cells.
    if is_sorted if lite else offset >= FAR and not is_sorted and len(conditions) == 1:
        join, same = "CROSS JOIN" if lite else "JOIN", f"{row_column('id').text} = chosen"
        text = f"FROM (SELECT id AS chosen {text}) AS page {join} {ROWS} ON {same} ORDER BY {by.text}"
        params += by.params
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns} {text}", params)
        read = cursor.fetchall()
    cells = cell_reader(shape)
    return [RowView(pk, position, version, cells(json.loads(data))) for pk, position, version, data in read]


def _views(rows: QuerySet[Row], *, shape: TableShape) -> list[RowView]:
    read, cells = rows.values_list("id", "position", "version", "data"), cell_reader(shape)
    return [RowView(pk, position, version, cells(data)) for pk, position, version, data in read]

"""The rows of a table or view: filtered, sorted, searched, and in pages."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

from shared import strictjson
from shared.db.statements import large_parameter_cursor
from tables.column_types import ColumnSpec, TableShape, get_column_type
from tables.column_types.column_type import ColumnType
from tables.exceptions import NotFound
from tables.models import Row, Table
from tables.operations.cells import NO_SUCH_ROW, RowsByColumn, StoredRows
from tables.operations.queries.filters import Filter
from tables.operations.queries.sorts import KeysetPosition, SortKey
from tables.selectors.rows.costs import refuse_costly
from tables.selectors.rows.keyset import regions_after
from tables.selectors.rows.known_offsets import KnownRow, nearest_known_row, remember_rows
from tables.selectors.rows.searched_pages import first_page
from tables.selectors.sql.cell_indexes import IndexedSqlite, live_rows_of, reading_dialect
from tables.selectors.sql.computed import computed_annotations, computed_cells
from tables.selectors.sql.conditions import among_ids, as_condition, containing, matching, ordering, words_of
from tables.selectors.sql.dialects import Dialect
from tables.selectors.sql.expressions import Sql, row_among, row_column, row_is_live
from tables.selectors.sql.search_indexes import Narrowing, narrowing
from tables.selectors.tables import MAX_ID, table_shape

# Limits the size of a query and of its result.
IDS_PER_QUERY = 10_000
ROWS = Row._meta.db_table
# From this offset on, it is faster to select the ids of a page before its cells.
MIN_DEFERRED_OFFSET = 1_000
# The last terms of every order.
UNSORTED = ("position", "id")


class RowView(NamedTuple):
    """A row as it was read. `data` maps column ids, in column order, to values; empty cells have no key."""

    id: int
    position: int
    version: int
    data: dict[str, Any]


def live_rows(
    table: Table,
    *,
    filter: Filter | None = None,  # noqa: A002
    search: str = "",
    ids: Sequence[int] | None = None,
) -> QuerySet[Row]:
    """Return the rows that match, in no order; with `ids`, only those of them."""
    rows = Row.objects.filter(table_id=table.pk, deleted_at__isnull=True)
    if ids is not None:
        rows = rows.filter(pk__in=ids)
    read = reading_dialect(table) if filter else None
    narrowed = narrowing(table, filter, search=search) if ids is None else Narrowing()
    if narrowed.condition:
        rows = Row.objects.all()
        for condition in narrowed.of(table):
            rows = rows.filter(as_condition(condition))
    elif isinstance(read, IndexedSqlite):
        rows = rows.filter(as_condition(live_rows_of(table, read=read)))
    for condition in view_conditions(filter, search=search, table=table, read=read):
        rows = rows.filter(as_condition(condition))
    return rows


def read_rows(
    table: Table,
    *,
    shape: TableShape | None = None,
    filter: Filter | None = None,  # noqa: A002
    sort: Sequence[SortKey] = (),
    search: str = "",
    offset: int = 0,
    limit: int = 100,
    after: KeysetPosition | None = None,
    ids: Sequence[int] | None = None,
) -> list[RowView]:
    """Return at most `limit` rows from `offset` on; empty cells sort last, ties by position, then id.

    `ids`: only rows with these ids. `after`: a position in this order to continue from, instead of an offset. Raises
    Malformed.
    """
    shape = shape or table_shape(table)
    read = reading_dialect(table)
    conditions = view_conditions(filter, search=search, table=table, read=read)
    is_plain = ids is None and not (filter or sort or offset or after or shape.computed)
    starts_search = is_plain and bool(search.strip()) and connection.vendor == "postgresql"
    if starts_search:
        searched = first_page(table, search=search, limit=limit)
        if searched is not None:
            return _views(searched, shape=shape)
    narrowed = Narrowing() if starts_search or ids is not None else narrowing(table, filter, search=search)
    rows = [*narrowed.of(table, live=live_rows_of(table, read=read)), *conditions]
    if ids is not None:
        placeholders = ", ".join(["%s"] * len(ids)) or "NULL"
        rows.append(Sql(f"{row_column('id').text} IN ({placeholders})", tuple(ids)))
    order = ordering(sort, shape=shape, read=read)
    by_cells = ids is None and (narrowed.many or not search.strip())
    is_indexed = bool(narrowed.condition) or (by_cells and _is_indexed(filter, sort=sort, shape=shape, read=read))
    page = partial(_page, order=order, shape=shape, is_indexed=is_indexed)
    if after is None and offset >= MIN_DEFERRED_OFFSET and not sort and len(rows) == 1:
        return _distant_page(table, rows[0], offset=offset, limit=limit, read=page)
    if after is None:
        return page(rows, offset=offset, limit=limit)
    found: list[RowView] = []
    for region in regions_after(after, sort=sort, table=table, shape=shape, read=read):
        if len(found) < limit:
            found += page([*rows, region], offset=0, limit=limit - len(found))
    return found


def iterate_rows(table: Table, *, shape: TableShape) -> Iterator[RowView]:
    """Yield all rows in order, read in batches, because a table may not fit into memory."""
    read = computed_annotations(shape.columns)
    rows = live_rows(table).order_by("position", "pk")
    listed = rows.annotate(**read).values_list("id", "position", "version", "data", *read)
    cells = cell_reader(shape)
    for pk, position, version, data, *computed in listed.iterator(chunk_size=2_000):
        yield RowView(pk, position, version, cells(data, computed))


def count_rows(
    table: Table,
    *,
    shape: TableShape | None = None,
    filter: Filter | None = None,  # noqa: A002
    search: str = "",
) -> int:
    """Return the number of matching rows. For a whole table, the stored count is used if there is one."""
    if not filter and not search.strip() and table.known_rows is not None:
        return table.known_rows
    return live_rows(table, filter=filter, search=search).count()


def count_from_page(found: int, *, offset: int, limit: int) -> int | None:
    """Return the total number of matching rows if it follows from a page, else None.

    This is the case if the page is not full, and has rows or is the first one. `found` is the number of rows that
    `read_rows` returned from `offset` on with this `limit`.
    """
    return offset + found if found < limit and (found or not offset) else None


def rows_by_id(
    table: Table,
    ids: Iterable[int],
    *,
    shape: TableShape | None = None,
    filter: Filter | None = None,  # noqa: A002
    search: str = "",
    with_computed: bool = True,
) -> dict[int, RowView]:
    """Return the matching rows with these ids, by id, in the order of the ids.

    Plans of changes read them without computed values, which are no cells.
    """
    shape = shape or table_shape(table)
    if not with_computed:
        shape = replace(shape, columns=tuple(column for column in shape.columns if not column.is_computed))
    wanted = list(dict.fromkeys(i for i in ids if isinstance(i, int) and 0 < i <= MAX_ID))
    found: dict[int, RowView] = {}
    for start in range(0, len(wanted), IDS_PER_QUERY):
        rows = live_rows(table, filter=filter, search=search).filter(among_ids(wanted[start : start + IDS_PER_QUERY]))
        computed = computed_annotations(shape.columns)
        # Not the field itself, because Django would parse the cells of each row.
        texts = rows.annotate(**computed).values_list(
            "id", "position", "version", Cast("data", TextField()), *computed
        )
        found |= {row.id: row for row in _views(texts, shape=shape)}
    return {i: found[i] for i in wanted if i in found}


def rows_by_column(table: Table, ids: Sequence[int], *, shape: TableShape) -> StoredRows | None:
    """Return the rows with these ids by column, in this order; None if one does not exist.

    As `rows_by_id` without computed values, in half of the time. The ids are valid and different.
    """
    found: list[tuple[int, int, str]] = []
    names = Sql.joined([row_column(name) for name in ("id", "version", "data")], between=", ")
    with large_parameter_cursor() as cursor:
        for start in range(0, len(ids), IDS_PER_QUERY):
            conditions = [row_is_live(table), row_among(ids[start : start + IDS_PER_QUERY])]
            where = Sql.joined(conditions, between=" AND ")
            cursor.execute(f"SELECT {names.text} FROM {ROWS} WHERE {where.text}", where.params)
            found += cursor.fetchall()
    if len(found) < len(ids) or not ids:
        return None
    keys, versions, texts = zip(*found, strict=True)
    if keys != tuple(ids):
        rows = {key: (version, text) for key, version, text in found}
        versions, texts = zip(*[rows[key] for key in ids], strict=True)
    data = strictjson.loads_stored(texts)
    columns: dict[str, list[Any]] = {}
    for column_id, normalise in _stored_forms(column for column in shape.columns if not column.is_computed):
        values = [cells.get(column_id) for cells in data]
        columns[column_id] = values if normalise is None else [None if v is None else normalise(v) for v in values]
    return StoredRows(ids, versions, RowsByColumn(columns, count=len(ids)))


def row_numbers(table: Table, ids: Iterable[int]) -> dict[int, int]:
    """Return the numbers, from 1, of a few rows in the unsorted table; deleted rows have none."""
    rows = live_rows(table)
    positions = rows.filter(pk__in=list(ids)).values_list("pk", "position")
    before = {pk: Q(position__lt=position) | Q(position=position, pk__lt=pk) for pk, position in positions}
    return {pk: rows.filter(condition).count() + 1 for pk, condition in before.items()}


def find_rows_in_view(
    table: Table,
    *,
    shape: TableShape,
    filter: Filter | None = None,  # noqa: A002
    sort: Sequence[SortKey] = (),
    search: str = "",
    find: str = "",
    ids: Sequence[int] | None = None,
    limit: int = 1_000,
) -> list[tuple[int, int]]:
    """Return index and id of rows in a view: of those with every word of `find`, or with these ids.

    One query, whose cost grows with the rows of the view. Raises Malformed, and Invalid when it costs too much.
    """
    wanted = containing(find) if ids is None else row_among(ids)
    if wanted is None:
        return []
    if ids is None:
        refuse_costly(table, [filter] if filter else [], words=len(words_of(f"{search} {find}")))
    conditions = [row_is_live(table), *view_conditions(filter, search=search, table=table)]
    where = Sql.joined(conditions, between=" AND ", around="({})")
    by = Sql.joined(ordering(sort, shape=shape), between=", ")
    inner = (
        f"SELECT {row_column('id').text} AS pk, row_number() OVER (ORDER BY {by.text}) - 1 AS row_index,"
        f" CASE WHEN {wanted.text} THEN 1 ELSE 0 END AS wanted FROM {ROWS} WHERE {where.text}"
    )
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT row_index, pk FROM ({inner}) AS view WHERE wanted = 1 ORDER BY row_index LIMIT %s",
            [*by.params, *wanted.params, *where.params, limit],
        )
        return list(cursor.fetchall())


def get_row(table: Table, row_id: int, *, shape: TableShape | None = None) -> RowView:
    """Return the row with this id. Raises NotFound."""
    row = rows_by_id(table, [row_id], shape=shape).get(row_id)
    if row is None:
        raise NotFound(NO_SUCH_ROW())
    return row


def cell_reader(shape: TableShape) -> Callable[..., dict[str, Any]]:
    """Return a function that normalizes the cells of a row: in column order, without empty ones.

    It takes the stored cells, and the values of all computed columns in their order; without these, they are left out.
    """
    forms = _stored_forms(shape.columns)

    def read(data: dict[str, Any], computed: Sequence[Any] = ()) -> dict[str, Any]:
        return {
            column_id: value if normalise is None else normalise(value)
            for column_id, normalise in forms
            if (value := data.get(column_id)) is not None
        }

    ids = [column.id for column in shape.computed]

    def read_computed(data: dict[str, Any], computed: Sequence[Any] = ()) -> dict[str, Any]:
        # Cells that a column had before it became a computed one are no values of it.
        return read(data | dict.fromkeys(ids) | dict(zip(ids, computed, strict=False)))

    return read_computed if ids else read


def _stored_forms(columns: Iterable[ColumnSpec]) -> list[tuple[str, Callable[[Any], Any] | None]]:
    """Return the ids of these columns with the function that normalizes their values, if there is one."""
    types = [(column.id, get_column_type(column.type)) for column in columns]
    # Most types need no normalization. Not calling them takes half of the time.
    return [
        (column_id, None if type(kind).normalise is ColumnType.normalise else kind.normalise)
        for column_id, kind in types
    ]


def view_conditions(
    filter: Filter | None,  # noqa: A002
    *,
    search: str,
    table: Table,
    read: Dialect | None = None,
) -> list[Sql]:
    """Return the conditions of a view. Raises Malformed, and Invalid for a view that costs too much."""
    words = containing(search)
    if filter or words is not None:
        refuse_costly(table, [filter] if filter else [], words=len(words_of(search)))
    return [*([matching(filter, read=read)] if filter else []), *([] if words is None else [words])]


def _is_indexed(
    filter: Filter | None,  # noqa: A002
    *,
    sort: Sequence[SortKey],
    shape: TableShape,
    read: Dialect,
) -> bool:
    """Return whether indexes on cells serve the view, so that SQLite's planner should choose among them.

    In the order of an index, rows are read from all over the file. This is slow if few of them match, so each column
    of the filter must have an index, whose statistics the planner compares.
    """
    if not isinstance(read, IndexedSqlite):
        return False
    if filter and not read.tests_are_indexed(filter):
        return False
    return read.order_is_indexed(sort, shape=shape) or bool(filter and read.is_selective(filter))


def _distant_page(
    table: Table, live: Sql, *, offset: int, limit: int, read: Callable[..., list[RowView]]
) -> list[RowView]:
    """Read rows of the whole table in its order, from the nearest row whose offset is known from an earlier page.

    `live` is the condition for its rows, `read` calls `_page` in its order.
    """
    start = nearest_known_row(table, offset=offset)
    onwards = [] if start is None else [start.onwards()]
    first = 0 if start is None else start.offset
    found = read([live, *onwards], offset=offset - first, limit=limit, is_whole_table=True)
    if found:
        ends = {offset: found[0], offset + len(found) - 1: found[-1]}
        remember_rows(table, [KnownRow(number, row.position, row.id) for number, row in ends.items()])
    return found


def _page(
    conditions: Sequence[Sql],
    *,
    order: Sequence[Sql],
    shape: TableShape,
    offset: int,
    limit: int,
    is_indexed: bool,
    is_whole_table: bool = False,
) -> list[RowView]:
    """Read a page with hand-written SQL, because compiling Django expressions takes as long as running the query.

    `is_whole_table`: the conditions, of which the first is that for live rows, need no cells.
    """
    names = ("id", "position", "version", "data")
    columns = Sql.joined([*map(row_column, names), *computed_cells(shape.columns)], between=", ")
    where = Sql.joined(conditions, between=" AND ", around="({})")
    by = Sql.joined(order, between=", ")
    params = [*where.params, *by.params, limit, offset]
    is_sorted, is_sqlite = len(order) > len(UNSORTED), connection.vendor == "sqlite"
    # Where no index on cells serves the view, SQLite would by default sort rows in the order of their hashes, from all
    # over the file. It would carry the cells of all rows before the page through the sorting, but a CROSS JOIN is
    # executed in the order written.
    index_hint = "INDEXED BY rows_in_order " if is_sorted and is_sqlite and not is_indexed else ""
    text = f"FROM {ROWS} {index_hint}WHERE {where.text} ORDER BY {by.text} LIMIT %s OFFSET %s"
    if is_sqlite and is_sorted:
        same = f"{row_column('id').text} = chosen"
        text = f"FROM (SELECT id AS chosen {text}) AS page CROSS JOIN {ROWS} ON {same} ORDER BY {by.text}"
        params += by.params
    elif is_whole_table and offset >= MIN_DEFERRED_OFFSET and not is_sqlite:
        # The rows before the page are skipped in the index alone. An array, because PostgreSQL may read all rows for a
        # join with the ids.
        live, ids = conditions[0], f"{row_column('id').text} = ANY(ARRAY(SELECT id {text}))"
        text = f"FROM {ROWS} WHERE {live.text} AND {ids} ORDER BY {by.text}"
        params = [*live.params, *params, *by.params]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns.text} {text}", [*columns.params, *params])
        read = cursor.fetchall()
    return _views(read, shape=shape)


def _views(rows: Iterable[tuple[Any, ...]], *, shape: TableShape) -> list[RowView]:
    """Return rows that were read as id, position, version, the JSON text of their cells, and the computed values."""
    read, cells = list(rows), cell_reader(shape)
    data = strictjson.loads_stored([row[3] for row in read])
    return [
        RowView(pk, position, version, cells(each, computed))
        for (pk, position, version, _, *computed), each in zip(read, data, strict=True)
    ]

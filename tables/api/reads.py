"""The reading half of the tables API: who asks, for what, one selector, one answer."""
from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from shared import strictjson
from shared.rest.schemas import a
from shared.user_messages import declare
from tables import selectors, tasks
from tables.api import query_parameters as described
from tables.api import schemas
from tables.api.cursors import read_cursor, refuse_if_outdated, write_cursor
from tables.api.parameters import Parameters
from tables.api.serializers import ColumnsSerializer, TableSerializer, TablesSerializer
from tables.column_types import ColumnSpec, TableShape
from tables.exceptions import Invalid, Malformed
from tables.operations.cells import StoredRow
from tables.operations.queries.filters import Filter, parse_filter
from tables.operations.queries.sorts import KeysetPosition, SortKey, parse_columns, parse_sort
from tables.selectors import Table

MAX_IDS = 200
MAX_FOUND_OPTIONS = 1_000
CURSOR_AND_OFFSET = declare("cursor_and_offset", "Rows are paged by “cursor” or by “offset”, not by both.")
NOT_IDS = declare("not_ids", "This is a list of at most {count} ids with commas between them.")


class Tables(APIView):
    """/api/tables/"""

    @extend_schema(parameters=described.TABLE_LIST, responses=TablesSerializer)
    def get(self, request: Request) -> Response:
        """List your tables, and those shared with you."""
        asked = Parameters(request, described.TABLE_LIST)
        ordering, (limit, offset) = asked.choice("ordering"), page_of(asked)
        tables = selectors.tables_for(request.user, search=asked.text("search"), trashed=asked.flag("trashed"))
        count = tables.count()
        page = selectors.sort_tables(tables, by=ordering)[offset : offset + limit]
        listed = [table_json(table, rows=table.row_count) for table in page]
        more = following(request, offset=offset, shown=len(listed), count=count)
        return Response({"tables": listed, "count": count, "next": more})


class OneTable(APIView):
    """/api/tables/{id}/"""

    @extend_schema(responses=TableSerializer)
    def get(self, request: Request, table_id: int) -> Response:
        """Get a table with its columns."""
        Parameters(request)
        table = selectors.get_table(request.user, table_id)
        return table_answer(table)


class Columns(APIView):
    """/api/tables/{id}/columns/"""

    @extend_schema(responses=ColumnsSerializer)
    def get(self, request: Request, table_id: int) -> Response:
        """List the columns of a table in their order."""
        Parameters(request)
        shape = selectors.table_shape(selectors.get_table(request.user, table_id))
        return Response({"columns": [column.as_json() for column in shape.columns]})


class Rows(APIView):
    """/api/tables/{id}/rows/"""

    @extend_schema(parameters=described.ROW_LIST, responses={200: schemas.ROWS})
    def get(self, request: Request, table_id: int) -> Response:
        """List rows, filtered, sorted and searched.

        With `ids=1,2,3` only these rows, if they match. `next` has a `cursor`, or an `offset` if one was sent.
        """
        asked = Parameters(request, described.ROW_LIST)
        limit, offset = page_of(asked)
        table = selectors.get_table(request.user, table_id)
        shape = selectors.table_shape(table)
        view = view_of(asked, shape=shape)
        sort = sort_of(asked, shape=shape)
        columns, keys = columns_of(asked, shape=shape), asked.choice("keys")
        if (ids := ids_of(asked)) is not None:
            rows = list(selectors.rows_by_id(table, ids, shape=shape, **view).values())
            return Response({"rows": [row_json(row, columns=columns, keys=keys) for row in rows], "count": len(rows)})
        after = place_in(asked, shape=shape, sort=sort)
        # One more than shown tells whether there are more, whatever was written since they were counted.
        found = selectors.read_rows(
            table, shape=shape, sort=sort, offset=offset, limit=limit + 1, after=after, **view
        )
        # Behind a cursor nobody knows how many rows there are before it.
        seen = None if after else selectors.count_from_page(len(found), offset=offset, limit=limit + 1)
        count = selectors.cached_count(table, shape=shape, seen=seen, **view)
        tasks.record_column_use(table, sort=sort, filter=view["filter"])
        rows, more = found[:limit], None
        if len(found) > limit:
            by_cursor = {"cursor": write_cursor(rows[-1], shape=shape, sort=sort)}
            further = {"offset": offset + limit} if asked.text("offset") else by_cursor
            more = link(request, **further, **by_id(asked, sort=sort, columns=columns, filter_=view["filter"]))
        listed = [row_json(row, columns=columns, keys=keys) for row in rows]
        return Response({"rows": listed, "count": count, "next": more})


class FoundRows(APIView):
    """/api/tables/{id}/rows/find/"""

    @extend_schema(parameters=described.FIND, responses={200: schemas.FOUND_ROWS})
    def get(self, request: Request, table_id: int) -> Response:
        """Find the positions of rows in a view, by the words of `find` or by ids; at most the first 1,000."""
        asked = Parameters(request, described.FIND)
        table = selectors.get_table(request.user, table_id)
        shape = selectors.table_shape(table)
        view, sort = view_of(asked, shape=shape), sort_of(asked, shape=shape)
        find, ids = asked.text("find"), ids_of(asked)
        places = selectors.find_rows_in_view(
            table, shape=shape, sort=sort, find=find, ids=ids, limit=MAX_FOUND_OPTIONS, **view
        )
        count = len(places)
        if count == MAX_FOUND_OPTIONS:
            # A row with the words of both searches is one with all of their words.
            both = {**view, "search": f"{view['search']} {find}"}
            count = selectors.cached_count(table, shape=shape, **both)
        return Response({"found": [{"index": index, "id": pk} for index, pk in places], "count": count})


class OneRow(APIView):
    """/api/tables/{id}/rows/{row}/"""

    @extend_schema(parameters=described.ONE_ROW, responses={200: a("Row")})
    def get(self, request: Request, table_id: int, row_id: int) -> Response:
        """Get a row."""
        asked = Parameters(request, described.ONE_ROW)
        table = selectors.get_table(request.user, table_id)
        shape = selectors.table_shape(table)
        row = selectors.get_row(table, row_id, shape=shape)
        columns, keys = columns_of(asked, shape=shape), asked.choice("keys")
        return Response(row_json(row, columns=columns, keys=keys), headers=etag(row.version))


class Stats(APIView):
    """/api/tables/{id}/stats/"""

    @extend_schema(parameters=described.STATS, responses={200: schemas.STATS})
    def get(self, request: Request, table_id: int) -> Response:
        """Get the row count, value counts, minimums and maximums."""
        asked = Parameters(request, described.STATS)
        table = selectors.get_table(request.user, table_id)
        shape = selectors.table_shape(table)
        stats = selectors.cached_stats(table, shape=shape, **view_of(asked, shape=shape)).value
        if asked.choice("keys") == "name":
            stats["columns"] = {column.name: stats["columns"][column.id] for column in shape.columns}
        return Response(stats)


class Choices(APIView):
    """/api/tables/{id}/choices/"""

    @extend_schema(parameters=described.CHOICES, responses={200: schemas.CHOICES})
    def get(self, request: Request, table_id: int) -> Response:
        """Count the rows that would match for each option of select columns."""
        asked = Parameters(request, described.CHOICES)
        table = selectors.get_table(request.user, table_id)
        shape = selectors.table_shape(table)
        columns, view = columns_of(asked, shape=shape), view_of(asked, shape=shape)
        counts = selectors.cached_choices(table, shape=shape, columns=columns, **view) or {}
        if asked.choice("keys") == "name":
            counts = {column.name: counts[column.id] for column in columns if column.id in counts}
        return Response({"columns": counts})


def page_of(asked: Parameters) -> tuple[int, int]:
    """How many to show, and how many to leave out before them."""
    return asked.whole("limit", default=100), asked.whole("offset", default=0)


def sort_of(asked: Parameters, *, shape: TableShape) -> tuple[SortKey, ...]:
    """The order asked for. Raises Malformed for a cursor whose columns are not all there any more."""
    try:
        return parse_sort(asked.text("sort"), shape=shape)
    except Invalid:
        text = asked.text("cursor")
        if text:
            refuse_if_outdated(text, shape=shape)
        raise


def by_id(
    asked: Parameters, *, sort: tuple[SortKey, ...], columns: tuple[ColumnSpec, ...], filter_: Filter
) -> dict[str, str]:
    """What of a request speaks of columns, by their ids: its next page is the same after they were renamed."""
    said: dict[str, str] = {}
    if sort:
        said["sort"] = ",".join(key.as_json() for key in sort)
    if filter_:
        said["filter"] = strictjson.dump(filter_.as_json())
    if asked.text("columns"):
        said["columns"] = ",".join(column.id for column in columns)
    return said


def place_in(asked: Parameters, *, shape: TableShape, sort: tuple[SortKey, ...]) -> KeysetPosition | None:
    """Behind which row to go on; None without a cursor. Raises Malformed."""
    text = asked.text("cursor")
    if text and asked.text("offset"):
        raise Malformed.at("cursor", CURSOR_AND_OFFSET())
    return read_cursor(text, shape=shape, sort=sort) if text else None


def view_of(asked: Parameters, *, shape: TableShape) -> dict[str, Any]:
    """The filter and the search of a request, as the selectors take them."""
    raw = asked.json("filter")
    filter_ = parse_filter(raw, shape=shape, today=asked.today())
    return {"filter": filter_, "search": asked.text("search")}


def columns_of(asked: Parameters, *, shape: TableShape) -> tuple[ColumnSpec, ...]:
    """The columns to show: those asked for, else all."""
    return parse_columns(asked.text("columns"), shape=shape) or shape.columns


def table_json(table: Table, *, rows: int) -> dict[str, Any]:
    """A table with its columns and number of rows."""
    shape = selectors.table_shape(table)
    return {
        "id": table.pk,
        "name": table.name,
        "description": table.description,
        "version": table.version,
        "owner": table.owner.get_username(),
        # A table that was just made is its maker's.
        "role": getattr(table, "role", "owner"),
        "row_count": rows,
        "columns": [column.as_json() for column in shape.columns],
        "created_at": table.created_at.isoformat(),
        "updated_at": table.updated_at.isoformat(),
    }


def table_answer(table: Table, *, status: int = 200) -> Response:
    """One table, with its version as the answer's ETag: what `If-Match` compares."""
    body = table_json(table, rows=selectors.count_rows(table))
    return Response(body, status=status, headers=etag(table.version))


def etag(version: int) -> dict[str, str]:
    """The header that tells a version."""
    return {"ETag": f'"{version}"'}


def ids_of(asked: Parameters) -> list[int] | None:
    """The ids of `ids=1,2,3`, at most 200; None when it is not there. Raises Malformed."""
    text = asked.text("ids")
    if not text:
        return None
    parts = text.split(",")
    if len(parts) > MAX_IDS or not all(part.isascii() and part.isdigit() and len(part) <= 18 for part in parts):
        raise Malformed.at("ids", NOT_IDS(count=MAX_IDS))
    return [int(part) for part in parts]


def row_json(row: StoredRow, *, columns: tuple[ColumnSpec, ...], keys: str = "name") -> dict[str, Any]:
    """A row with its cells by column name or id; empty cells are left out."""
    filled = [column for column in columns if column.id in row.data]
    data = {column.id if keys == "id" else column.name: row.data[column.id] for column in filled}
    return {"id": row.id, "version": row.version, "data": data}


def following(request: Request, *, offset: int, shown: int, count: int) -> str | None:
    """The address of the next page, None on the last."""
    return link(request, offset=offset + shown) if shown and offset + shown < count else None


def link(request: Request, **changed: int | str) -> str:
    """This request's address with some parameters changed."""
    query = {**{name: request.query_params[name] for name in request.query_params}, **changed}
    return f"{request.path}?{urlencode(query)}"

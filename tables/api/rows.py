"""REST API of rows: list, search, add, change, upsert, delete, move."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from shared.rare_gc import with_rare_gc
from shared.rest.before_transaction import result_before_transaction, run_before_transaction
from shared.rest.encoded_body import EncodedBody
from shared.rest.openapi import example, json_body, ref
from shared.rest.paging import changed_url
from shared.rest.preconditions import if_match
from tables import selectors, services, tasks
from tables.api import response_schemas, schemas
from tables.api.bodies import (
    id_paths,
    if_match_version,
    moved_row_paths,
    origin_of,
    refuse_with_others,
    row_paths,
)
from tables.api.minimal_responses import PREFER, minimal_response, prefers_minimal
from tables.api.parameters import ADD_ROWS, FIND, ONE_ROW, ROW_LIST, UPDATE_ROW, UPDATE_ROWS, UPSERT, Parameters
from tables.api.responses import add_origins, count_json, etag, row_json, rows_json, rows_text
from tables.api.row_changes import (
    before_addition,
    before_bulk_update,
    before_deletion,
    before_upsert,
    change_json,
    read_addition,
    read_bulk_update,
    read_deletion,
    read_move,
    read_row_update,
    read_upsert,
    skipped_json,
)
from tables.api.serializers import WrittenSerializer
from tables.api.table_query import TableQuery, read_page, write_cursor
from tables.api.table_versions import if_match_table
from tables.api.table_view import TableView
from tables.api.written_rows import written_rows, written_rows_text
from tables.operations.body_reader import Form
from tables.operations.cells import StoredRows

Json = dict[str, Any]
MAX_FOUND = 1_000


class Rows(TableView):
    """/api/tables/{id}/rows/"""

    @extend_schema(parameters=ROW_LIST, responses={200: response_schemas.ROWS})
    def get(self, request: Request, table_id: int) -> Response:
        """List rows, filtered, sorted and searched.

        With `ids=1,2,3` only these rows, if they match. `next` has a `cursor`, or an `offset` if one was sent. `count`
        is the number of all matching rows, which is an estimate if it is not `exact`.
        """
        parameters = Parameters(request, ROW_LIST, later=True)
        table = selectors.get_table(request.user, table_id)
        shape = selectors.table_shape(table)
        query = TableQuery(parameters, shape)
        view, sort, columns, keys, ids, counted, (limit, offset), after = query.together(
            query.view, query.sort, query.columns, query.keyed_by, query.ids, query.counted,
            lambda: read_page(parameters), query.position,
        )  # fmt: skip
        with_origins = parameters.flag("origins")
        if ids is not None:
            rows = list(selectors.rows_by_id(table, ids, shape=shape, **view).values())
            found = rows_json(rows, columns=columns, keys=keys)
            if with_origins:
                add_origins(found, rows, table=table, columns=columns, keys=keys)
            total = None if counted == "none" else selectors.RowCount(len(found), True)
            return Response({"rows": found, "count": count_json(total), "next": None})
        # One more row than shown: whether a next page exists must not depend on an older count.
        read = selectors.read_rows(table, shape=shape, sort=sort, offset=offset, limit=limit + 1, after=after, **view)
        # With a cursor, the number of rows before the page is not known.
        seen = None if after else selectors.count_from_page(len(read), offset=offset, limit=limit + 1)
        count = None
        if counted != "none":
            at_least = len(read) + (0 if after else offset)
            count = selectors.row_count(
                table, shape=shape, seen=seen, at_least=at_least if read else 0, accuracy=counted, **view
            )
        tasks.record_column_use(table, sort=sort, **view)
        rows, following = read[:limit], None
        if len(read) > limit:
            by_cursor = {"cursor": write_cursor(rows[-1], shape=shape, sort=sort)}
            position = {"offset": offset + limit} if parameters.text("offset") else by_cursor
            ids_of_columns = query.by_id(sort=sort, columns=columns, filter_=view["filter"])
            following = changed_url(request, **position, **ids_of_columns)
        others = {"count": count_json(count), "next": following}
        if with_origins:
            listed = rows_json(rows, columns=columns, keys=keys)
            add_origins(listed, rows, table=table, columns=columns, keys=keys)
            return Response({"rows": listed, **others})
        text = rows_text(StoredRows.of(rows, columns=columns), columns=columns, keys=keys)
        return Response(EncodedBody("rows", text, others))

    @if_match_table()
    @extend_schema(
        request=json_body(schemas.NEW_ROWS),
        responses={201: response_schemas.ADDED_ROWS},
        parameters=[*ADD_ROWS, PREFER],
        examples=[
            example(schemas.CELLS_EXAMPLE), example(schemas.TYPED_CELLS_EXAMPLE, name="values of several types"),
        ],
    )
    @with_rare_gc
    def post(self, request: Request, table_id: int) -> Response:
        """Add one row (an object of cells), or many: `{"rows": […]}`, all or none.

        Many are added at the end, or together after or before the row of `after_row_id` or `before_row_id`. With
        `on_invalid=skip` they are added without invalid cells, which are returned with the positions of the rows that
        cannot be added without them.
        """
        read, origin = result_before_transaction(request), origin_of(request, page="grid")
        write = read_addition(request, table_id=table_id)
        skipped: Json = {}
        with row_paths(write.rows, bulk=write.bulk):
            if write.skips_invalid:
                applied, valid = services.add_valid_rows(**write.arguments, origin=origin, read=read)
                skipped = skipped_json(valid, rows=write.rows, request=request)
            else:
                applied = services.write_changes(
                    write.additions(), user=request.user, table_id=table_id, origin=origin, read=read
                )
        if write.bulk and prefers_minimal(request):
            return minimal_response(applied, more=skipped, status=201)
        if write.bulk:
            rows = written_rows_text(applied, keyed_by=write.keyed_by)
            return Response(EncodedBody("rows", rows, {**skipped, **change_json(applied)}), status=201)
        row = written_rows(applied, keyed_by=write.keyed_by)[0]
        body = {**row, **change_json(applied, bulk=False)}
        return Response(body, status=201, headers=etag(row["version"]))

    @if_match_table()
    @extend_schema(
        request=json_body(schemas.UPSERT),
        responses={200: response_schemas.UPSERTED},
        parameters=[*UPSERT, PREFER],
        examples=[example({"merge_on": ["Company"], "rows": [schemas.CELLS_EXAMPLE]})],
    )
    @with_rare_gc
    def put(self, request: Request, table_id: int) -> Response:
        """Change the rows with equal values in the columns of `merge_on`, and add the others; all or none.

        A row may have the `version` of the row that it changes beside its `data`: 412 if that row has another version,
        or does not exist.
        """
        found = result_before_transaction(request)
        write = read_upsert(request, table_id=table_id)
        with row_paths(write.rows):
            applied, added = services.upsert_rows(
                **write.arguments, origin=origin_of(request, page="grid"), found=found
            )
        if prefers_minimal(request):
            return minimal_response(applied)
        rows = written_rows(applied, keyed_by=write.keyed_by)
        created = [row for row, new in zip(rows, added, strict=True) if new]
        updated = [row for row, new in zip(rows, added, strict=True) if not new]
        return Response({"created": created, "updated": updated, **change_json(applied)})

    @if_match_table()
    @extend_schema(
        request=json_body(schemas.ROW_CHANGES),
        responses={200: response_schemas.CHANGED_ROWS},
        parameters=[*UPDATE_ROWS, PREFER],
        examples=[example({"rows": [{"id": 1, "data": {"Salary": 53_000}, "version": 1}]})],
    )
    @with_rare_gc
    def patch(self, request: Request, table_id: int) -> Response:
        """Change many rows, and add those with the id null at the end; all or none.

        `version` is that of the row as the client knows it, `expected` are its cells: 412 if the row has another
        version, 409 if one of these cells has changed. A new row has neither. With `on_invalid=skip` only valid cells
        are written; the others are returned with the positions of the rows that cannot be added. `new_columns` are
        names of text columns to add at the end in the same change.
        """
        read, origin = result_before_transaction(request), origin_of(request, page="grid")
        write = read_bulk_update(request, table_id=table_id)
        skipped: Json = {}
        if write.skips_invalid:
            applied, valid = services.update_valid_cells(**write.arguments, origin=origin, read=read)
            skipped = skipped_json(valid, rows=write.rows, request=request)
        else:
            applied = services.write_changes(
                write.updates(), user=request.user, table_id=table_id, origin=origin, read=read
            )
        if prefers_minimal(request):
            return minimal_response(applied, more=skipped)
        rows = written_rows_text(applied, keyed_by=write.keyed_by)
        return Response(EncodedBody("rows", rows, {**skipped, **change_json(applied)}))

    @classmethod
    def before_transaction(cls, request: HttpRequest) -> None:
        """Compose the change without the lock that the transaction of an Idempotency-Key holds."""
        read = {"POST": before_addition, "PUT": before_upsert, "PATCH": before_bulk_update}[str(request.method)]
        run_before_transaction(cls, request, read=read)


class FoundRows(TableView):
    """/api/tables/{id}/rows/find/"""

    @extend_schema(parameters=FIND, responses={200: response_schemas.FOUND_ROWS})
    def get(self, request: Request, table_id: int) -> Response:
        """Find the positions of rows in a view, by the words of `find` or by ids; at most the first 1,000."""
        parameters = Parameters(request, FIND, later=True)
        table = selectors.get_table(request.user, table_id)
        query = TableQuery(parameters, selectors.table_shape(table))
        view, sort, ids, find = query.together(query.view, query.sort, query.ids, lambda: parameters.text("find"))
        found = selectors.find_rows_in_view(
            table, shape=query.shape, sort=sort, find=find, ids=ids, limit=MAX_FOUND, **view
        )
        count = len(found)
        if count == MAX_FOUND:
            # Every word of a search must match, so the words of both searches can be joined.
            both = {**view, "search": f"{view['search']} {find}"}
            count = selectors.cached_count(table, shape=query.shape, **both)
        return Response({"found": [{"index": index, "id": pk} for index, pk in found], "count": count})


class OneRow(TableView):
    """/api/tables/{id}/rows/{row}/"""

    def check_access(self, *, table_id: int = 0, row_id: int = 0, **_names: Any) -> None:
        """Raise NotFound and Forbidden for the table and the row in the URL."""
        selectors.get_row(self.find_table(table_id), row_id)

    @extend_schema(parameters=ONE_ROW, responses={200: ref("Row")})
    def get(self, request: Request, table_id: int, row_id: int) -> Response:
        """Get a row."""
        parameters = Parameters(request, ONE_ROW, later=True)
        table = selectors.get_table(request.user, table_id)
        query = TableQuery(parameters, selectors.table_shape(table))
        columns, keys = query.together(query.columns, query.keyed_by)
        row = selectors.get_row(table, row_id, shape=query.shape)
        body = row_json(row, columns=columns, keys=keys)
        if parameters.flag("origins"):
            add_origins([body], [row], table=table, columns=columns, keys=keys)
        return Response(body, headers=etag(row.version))

    @if_match("row")
    @extend_schema(
        request=json_body(schemas.CELL_CHANGES),
        responses={200: ref("Row")},
        parameters=UPDATE_ROW,
        examples=[example({"data": {"Salary": 53_000}})],
    )
    def patch(self, request: Request, table_id: int, row_id: int) -> Response:
        """Change cells of a row; 409 if an expected cell has changed."""
        write = read_row_update(request, table_id=table_id, row_id=row_id)
        with row_paths([request.data], bulk=False):
            applied = services.write_changes(
                write.updates(), user=request.user, table_id=table_id, origin=origin_of(request, page="grid")
            )
        row = written_rows(applied, keyed_by=write.keyed_by)[0]
        return Response({**row, "change": applied.change}, headers=etag(row["version"]))

    @if_match("row")
    @extend_schema(responses={200: WrittenSerializer})
    def delete(self, request: Request, table_id: int, row_id: int) -> Response:
        """Delete a row."""
        changes = _read_row_deletion(request, table_id=table_id, row_id=row_id)
        with row_paths([{}], bulk=False):
            applied = services.write_changes(
                changes, user=request.user, table_id=table_id, origin=origin_of(request, page="grid")
            )
        return Response(change_json(applied))


class DeleteRows(TableView):
    """/api/tables/{id}/rows/delete/"""

    @if_match_table()
    @extend_schema(
        request=json_body(schemas.ROWS_TO_DELETE),
        responses={200: response_schemas.DELETED_ROWS},
        examples=[example({"ids": [1, 2]})],
    )
    def post(self, request: Request, table_id: int) -> Response:
        """Delete many rows, all or none.

        `rows` in place of `ids` has versions and expected cells: 412 if a row has another version, 409 if one of these
        cells has changed.
        """
        read = result_before_transaction(request)
        changes = read_deletion(request, table_id=table_id)
        with id_paths(request.data):
            applied = services.write_changes(
                changes, user=request.user, table_id=table_id, origin=origin_of(request, page="grid"), read=read
            )
        return Response({"deleted": [entry["row_id"] for entry in applied.applied], **change_json(applied)})

    @classmethod
    def before_transaction(cls, request: HttpRequest) -> None:
        """Compose the change without the lock that the transaction of an Idempotency-Key holds."""
        run_before_transaction(cls, request, read=before_deletion)


class MoveRows(TableView):
    """/api/tables/{id}/rows/move/"""

    @if_match_table()
    @extend_schema(
        request=json_body(schemas.MOVE),
        responses={200: response_schemas.MOVED_ROWS},
        examples=[example({"ids": [1, 2], "after_row_id": 3})],
    )
    def post(self, request: Request, table_id: int) -> Response:
        """Move rows, in their current order, directly after or before another row.

        `rows` in place of `ids` has versions. The change is null if they are there already.
        """
        move = read_move(request, table_id=table_id)
        with moved_row_paths(request.data):
            applied = services.move_rows(**move, origin=origin_of(request, page="grid"))
        return Response({"moved": [entry["row_id"] for entry in applied.applied], **change_json(applied)})


def _read_row_deletion(request: Request, *, table_id: int, row_id: int) -> services.RowChanges:
    """Return the deletion of one row, whose version is in `If-Match`. Raises Malformed and NotFound."""
    form = Form()
    Parameters(request, form=form)
    version = if_match_version(request, form=form)
    selectors.get_row(selectors.get_table(request.user, table_id), row_id)
    changes = services.deletions([{"id": row_id, "version": version}])

    def check() -> None:
        with row_paths([{}], bulk=False):
            services.check_changes(changes, user=request.user, table_id=table_id)

    refuse_with_others(form, find_others=check)
    return changes

"""REST API of tables: list, create, change, trash, duplicate; statistics and the user's view settings."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from shared.rest.serializers import EmptyBody
from shared.user_messages.request_language import reader_language
from tables import selectors, services
from tables.api import response_schemas
from tables.api.bodies import (
    cells_of,
    fields_of,
    items_of,
    origin_of,
    read_version,
    read_versioned_request,
    refuse_with_others,
    row_paths,
)
from tables.api.columns import change_columns
from tables.api.parameters import CHOICES, STATS, TABLE_LIST, TYPECAST, Parameters
from tables.api.responses import list_json, table_json, table_response
from tables.api.serializers import (
    DuplicateBody,
    NewTableBody,
    TableBody,
    TableSerializer,
    TablesSerializer,
    ViewBody,
    ViewSerializer,
    WrittenSerializer,
)
from tables.api.table_query import TableQuery, read_page
from tables.api.table_versions import any_table_of_url, if_match_table
from tables.api.table_view import TableView
from tables.exceptions import Invalid, Malformed
from tables.operations.body_reader import Form
from tables.operations.queries.view_settings import ViewSettings

Json = dict[str, Any]


class Tables(APIView):
    """/api/tables/"""

    @extend_schema(parameters=TABLE_LIST, responses=TablesSerializer)
    def get(self, request: Request) -> Response:
        """List your tables, and those shared with you."""
        parameters = Parameters(request, TABLE_LIST)
        ordering, (limit, offset) = parameters.choice("ordering"), read_page(parameters)
        found = selectors.tables_for(request.user, search=parameters.text("search"), trashed=parameters.flag("trashed"))
        count = found.count()
        page = selectors.sort_tables(found, by=ordering)[offset : offset + limit]
        tables = [table_json(table, rows=table.row_count) for table in page]
        return Response(list_json(request, name="tables", items=tables, offset=offset, count=count))

    @extend_schema(request=NewTableBody, responses={201: TableSerializer}, parameters=[TYPECAST])
    def post(self, request: Request) -> Response:
        """Create a table with columns and rows."""
        form = Form()
        parameters = Parameters(request, [TYPECAST], form=form)
        body = fields_of(
            request.data, allowed=NewTableBody.field_names(), required=NewTableBody.required_names(), form=form
        )
        rows = items_of(body["rows"], form=form) if body.get("rows") not in (None, []) else []
        columns = items_of(body["columns"], path="columns", form=form) if "columns" in body else []
        table: Json = {
            "user": request.user,
            "name": body.get("name"),
            "description": "" if body.get("description") is None else body["description"],
            "columns": columns,
            "rows": [cells_of(row, path=f"rows[{index}]", form=form) for index, row in enumerate(rows)],
            "typecast": parameters.flag_unless_refused("typecast"),
        }
        with row_paths(rows):
            refuse_with_others(form, find_others=lambda: services.check_table(**table))
            try:
                created = services.create_table(**table, origin=origin_of(request, page="form"))
            except (Malformed, Invalid):
                # Beside an invalid name, the faults of the rows are reported too.
                services.check_table(**table)
                raise
        return table_response(created, status=201)


class OneTable(TableView):
    """/api/tables/{id}/"""

    rights = {"DELETE": "own"}

    @extend_schema(responses=TableSerializer)
    def get(self, request: Request, table_id: int) -> Response:
        """Get a table with its columns."""
        Parameters(request)
        return table_response(selectors.get_table(request.user, table_id))

    @if_match_table()
    @extend_schema(request=TableBody, responses=TableSerializer)
    def patch(self, request: Request, table_id: int) -> Response:
        """Change the name and description of a table."""
        body, version = read_versioned_request(request, form=TableBody)
        table = selectors.get_table(request.user, table_id, can="edit")
        if all(value is None for value in body.values()):  # null means “not changed”
            services.refuse_outdated(table.version, expected=version)
        else:
            names = {f"table_{name}": value for name, value in body.items()}
            change_columns(request, table_id=table_id, operations=[], **names)
            table = selectors.get_table(request.user, table_id)
        return table_response(table)

    @if_match_table()
    @extend_schema(responses={200: WrittenSerializer})
    def delete(self, request: Request, table_id: int) -> Response:
        """Move a table to the trash."""
        origin, version = origin_of(request, page="form"), read_version(request)
        change = services.trash_table(user=request.user, table_id=table_id, origin=origin, version=version)
        return Response(WrittenSerializer({"change": change.pk, "version": change.version}).data)


class Restore(TableView):
    """/api/tables/{id}/restore/"""

    rights = {"POST": "own"}
    in_trash = True

    @if_match_table(any_table_of_url)
    @extend_schema(request=EmptyBody, responses=TableSerializer)
    def post(self, request: Request, table_id: int) -> Response:
        """Restore a table from the trash."""
        _, version = read_versioned_request(request, form=EmptyBody)
        origin = origin_of(request, page="form")
        services.restore_table(user=request.user, table_id=table_id, origin=origin, version=version)
        return table_response(selectors.get_table(request.user, table_id))


class Duplicate(TableView):
    """/api/tables/{id}/duplicate/"""

    rights = {"POST": "view"}

    @if_match_table()
    @extend_schema(request=DuplicateBody, responses={201: TableSerializer})
    def post(self, request: Request, table_id: int) -> Response:
        """Create a table of your own with the same columns and rows."""
        body, version = read_versioned_request(request, form=DuplicateBody)
        origin = origin_of(request, page="form")
        with reader_language(request):
            called = _("{name} (copy)")
        table = services.duplicate_table(
            user=request.user,
            table_id=table_id,
            name=body.get("name"),
            origin=origin,
            name_template=called,
            version=version,
        )
        return table_response(table, status=201)


class PersonalView(TableView):
    """/api/tables/{id}/view/"""

    rights = {"PUT": "view"}

    @extend_schema(responses=ViewSerializer)
    def get(self, request: Request, table_id: int) -> Response:
        """Get your view of the table: column widths in pixels and hidden columns."""
        Parameters(request)
        table = selectors.get_table(request.user, table_id)
        return _view_response(selectors.get_view_settings(request.user, table, shape=selectors.table_shape(table)))

    @extend_schema(request=ViewBody, responses=ViewSerializer)
    def put(self, request: Request, table_id: int) -> Response:
        """Replace your view of the table."""
        view: Json = {"user": request.user, "table_id": table_id, "settings": request.data}
        form = Form()
        Parameters(request, form=form)
        refuse_with_others(form, find_others=lambda: services.check_view_settings(**view))
        return _view_response(services.update_view_settings(**view))


def _view_response(settings: ViewSettings) -> Response:
    return Response(ViewSerializer({"widths": dict(settings.widths), "hidden": sorted(settings.hidden)}).data)


class Stats(TableView):
    """/api/tables/{id}/stats/"""

    @extend_schema(parameters=STATS, responses={200: response_schemas.STATS})
    def get(self, request: Request, table_id: int) -> Response:
        """Get the row count, value counts, minimums and maximums."""
        parameters = Parameters(request, STATS, later=True)
        table = selectors.get_table(request.user, table_id)
        query = TableQuery(parameters, selectors.table_shape(table))
        view, keys = query.together(query.view, query.keyed_by)
        stats = selectors.cached_stats(table, shape=query.shape, **view).value
        if keys == "name":
            stats["columns"] = {column.name: stats["columns"][column.id] for column in query.shape.columns}
        return Response(stats)


class Choices(TableView):
    """/api/tables/{id}/choices/"""

    @extend_schema(parameters=CHOICES, responses={200: response_schemas.CHOICES})
    def get(self, request: Request, table_id: int) -> Response:
        """Count the rows that would match for each option of select columns."""
        parameters = Parameters(request, CHOICES, later=True)
        table = selectors.get_table(request.user, table_id)
        query = TableQuery(parameters, selectors.table_shape(table))
        view, columns, keys = query.together(query.view, query.columns, query.keyed_by)
        counts = selectors.cached_choices(table, shape=query.shape, columns=columns, **view) or {}
        if keys == "name":
            counts = {column.name: counts[column.id] for column in columns if column.id in counts}
        return Response({"columns": counts})

"""The writing half of the tables API for tables and columns: read the body, one service, one answer."""
from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from shared.rest.parameters import IF_MATCH, example
from shared.rest.schemas import json_body
from shared.rest.serializers import EmptyBody
from shared.user_messages import declare
from shared.user_messages.request_language import as_read
from tables import selectors, services
from tables.api import reads, schemas
from tables.api.bodies import (
    as_sent,
    as_sent_by_form,
    body_of,
    cells_of,
    decisions_of,
    origin_of,
    read_body,
    rows_of,
    version_of,
)
from tables.api.parameters import Parameters
from tables.api.query_parameters import DECISIONS, TYPECAST
from tables.api.reads import table_answer
from tables.api.serializers import (
    ColumnSerializer,
    DuplicateBody,
    NewTableBody,
    TableBody,
    TableSerializer,
    WrittenSerializer,
)
from tables.exceptions import NotFound, TablesError
from tables.operations.proposals.definitions import COLUMN_FIELDS
from tables.services import Applied

Json = dict[str, Any]
COLUMN_NOT_FOUND = declare("column_not_found", "There is no such column in this table.")


class Tables(reads.Tables):
    """/api/tables/"""

    @extend_schema(request=NewTableBody, responses={201: TableSerializer}, parameters=[TYPECAST])
    def post(self, request: Request) -> Response:
        """Create a table with columns and rows."""
        asked = Parameters(request, [TYPECAST])
        body = read_body(request, form=NewTableBody)
        raw = rows_of(body["rows"]) if body.get("rows") not in (None, []) else []
        try:
            table = services.create_table(
                user=request.user,
                name=body["name"],
                description="" if body.get("description") is None else body["description"],
                columns=rows_of(body["columns"], path="columns"),
                rows=[cells_of(row) for row in raw],
                origin=origin_of(request, page="form"),
                typecast=asked.flag("typecast"),
            )
        except TablesError as error:
            raise as_sent(error, raw=raw, bulk=True) from None
        return table_answer(table, status=201)


class OneTable(reads.OneTable):
    """/api/tables/{id}/"""

    @extend_schema(request=TableBody, responses=TableSerializer, parameters=[IF_MATCH])
    def patch(self, request: Request, table_id: int) -> Response:
        """Change the name and description of a table."""
        Parameters(request)
        body, version = read_body(request, form=TableBody), version_of(request)
        table = selectors.get_table(request.user, table_id, can="edit")
        if all(value is None for value in body.values()):  # null means “not changed”
            services.refuse_outdated(table.version, expected=version)
        else:
            words = {f"table_{name}": value for name, value in body.items()}
            _change_columns(request, table_id=table_id, operations=[], **words)
            table = selectors.get_table(request.user, table_id)
        return table_answer(table)

    @extend_schema(responses={200: WrittenSerializer}, parameters=[IF_MATCH])
    def delete(self, request: Request, table_id: int) -> Response:
        """Move a table to the trash."""
        Parameters(request)
        origin = origin_of(request, page="form")
        version = version_of(request)
        change = services.trash_table(user=request.user, table_id=table_id, origin=origin, version=version)
        return Response(WrittenSerializer({"change": change.pk, "version": change.version}).data)


class Restore(APIView):
    """/api/tables/{id}/restore/"""

    @extend_schema(request=EmptyBody, responses=TableSerializer)
    def post(self, request: Request, table_id: int) -> Response:
        """Restore a table from the trash."""
        Parameters(request)
        read_body(request, form=EmptyBody)
        services.restore_table(user=request.user, table_id=table_id, origin=origin_of(request, page="form"))
        table = selectors.get_table(request.user, table_id)
        return table_answer(table)


class Duplicate(APIView):
    """/api/tables/{id}/duplicate/"""

    @extend_schema(request=DuplicateBody, responses={201: TableSerializer})
    def post(self, request: Request, table_id: int) -> Response:
        """Create a table of your own with the same columns and rows."""
        Parameters(request)
        name = read_body(request, form=DuplicateBody).get("name")
        origin = origin_of(request, page="form")
        with as_read(request):
            called = _("{name} (copy)")
        table = services.duplicate_table(
            user=request.user, table_id=table_id, name=name, origin=origin, name_template=called
        )
        return table_answer(table, status=201)


class Columns(reads.Columns):
    """/api/tables/{id}/columns/"""

    @extend_schema(
        request=json_body(schemas.NEW_COLUMN),
        responses={201: ColumnSerializer},
        parameters=[*DECISIONS, IF_MATCH],
        examples=[example({"name": "Status", "type": "select", "options": ["Open", "Done"]})],
    )
    def post(self, request: Request, table_id: int) -> Response:
        """Add a column, at the end or after `after_column_id`.

        With `copy_of` it has the settings and values of another column.
        """
        body = body_of(request, allowed=(*COLUMN_FIELDS, "after_column_id", "copy_of"))
        beside = {name: body.pop(name, None) for name in ("after_column_id", "copy_of")}
        operation = {"action": "add", "column": body, **beside}
        applied = _change_columns(request, table_id=table_id, operations=[operation])
        return Response(_column(request, table_id=table_id, applied=applied), status=201)


class OneColumn(APIView):
    """/api/tables/{id}/columns/{column}/"""

    @extend_schema(
        request=json_body(schemas.COLUMN_CHANGES),
        responses=ColumnSerializer,
        parameters=[*DECISIONS, IF_MATCH],
        examples=[example({"name": "Gross salary", "type": "number"})],
    )
    def patch(self, request: Request, table_id: int, column_id: str) -> Response:
        """Change a column and convert its values.

        `expected` are fields as the client knows them; 409 if one has changed.
        """
        body = body_of(request, allowed=(*COLUMN_FIELDS, "expected"))
        expected = body.pop("expected", None)
        found = _column_or_404(request, table_id=table_id, ref=column_id)
        operation = {"action": "modify", "column_id": found, "changes": body, "expected": expected}
        applied = _change_columns(request, table_id=table_id, operations=[operation])
        return Response(_column(request, table_id=table_id, applied=applied))

    @extend_schema(responses={200: WrittenSerializer}, parameters=[*DECISIONS, IF_MATCH])
    def delete(self, request: Request, table_id: int, column_id: str) -> Response:
        """Remove a column with its values; undo restores them."""
        found = _column_or_404(request, table_id=table_id, ref=column_id)
        operation = {"action": "remove", "column_id": found}
        applied = _change_columns(request, table_id=table_id, operations=[operation])
        return Response({"change": applied.change, "version": applied.version})


def _change_columns(request: Request, *, table_id: int, operations: list[Json], **words: Any) -> Applied:
    asked = Parameters(request, DECISIONS)
    choice, version = decisions_of(asked), version_of(request)
    try:
        return services.change_columns(
            user=request.user,
            table_id=table_id,
            proposal={"mode": "update", "operations": operations, **words},
            choice=choice,
            origin=origin_of(request, page="form"),
            version=version,
        )
    except TablesError as error:
        raise as_sent_by_form(error) from None


def _column(request: Request, *, table_id: int, applied: Applied) -> Json:
    shape = selectors.table_shape(selectors.get_table(request.user, table_id))
    column = shape.column([*applied.applied, *applied.skipped][0]["column_id"])
    return {**(column.as_json() if column else {}), "change": applied.change}


def _column_or_404(request: Request, *, table_id: int, ref: str) -> str:
    """The id of the column of this id or name."""
    column = selectors.table_shape(selectors.get_table(request.user, table_id)).column(ref)
    if column is None:
        raise NotFound(COLUMN_NOT_FOUND())
    return column.id



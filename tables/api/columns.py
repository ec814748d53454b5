"""REST API of the columns of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.http import HttpRequest
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from shared.rest.before_transaction import result_before_transaction, run_before_transaction
from shared.rest.openapi import example, json_body
from shared.user_messages import declare
from tables import selectors, services
from tables.api import schemas
from tables.api.bodies import (
    field_paths,
    if_match_version,
    origin_of,
    read_decisions,
    read_or_assume_decisions,
    refuse_with_others,
)
from tables.api.parameters import DECISIONS, Parameters
from tables.api.serializers import ColumnSerializer, ColumnsSerializer, WrittenSerializer
from tables.api.table_versions import if_match_table
from tables.api.table_view import TableView
from tables.exceptions import NotFound, TablesError
from tables.operations import Choice
from tables.operations.body_reader import Form
from tables.operations.proposals.definitions import column_fields
from tables.services import Applied, ReadSchema

Json = dict[str, Any]
COLUMN_NOT_FOUND = declare("column_not_found", "Column not found in this table.")


class Columns(TableView):
    """/api/tables/{id}/columns/"""

    @extend_schema(responses=ColumnsSerializer)
    def get(self, request: Request, table_id: int) -> Response:
        """List the columns of a table in their order."""
        Parameters(request)
        shape = selectors.table_shape(selectors.get_table(request.user, table_id))
        return Response({"columns": [column.presented() for column in shape.columns]})

    @if_match_table()
    @extend_schema(
        request=json_body(schemas.NEW_COLUMN),
        responses={201: ColumnSerializer},
        parameters=DECISIONS,
        examples=[example({"name": "Status", "type": "select", "options": ["Open", "Done"]})],
    )
    def post(self, request: Request, table_id: int) -> Response:
        """Add a column, at the end or after `after_column_id`.

        With `copy_of` it has the settings and values of another column.
        """
        applied = change_columns(request, table_id=table_id, operations=[_addition(request, table_id=table_id)])
        return Response(_column_json(request, table_id=table_id, applied=applied), status=201)

    @classmethod
    def before_transaction(cls, request: HttpRequest) -> None:
        """Compose the change without the lock that the transaction of an Idempotency-Key holds."""

        def read(request: Request, *, table_id: int) -> ReadSchema | None:
            return _read_unlocked(request, table_id=table_id, operations=[_addition(request, table_id=table_id)])

        run_before_transaction(cls, request, read=read)


class OneColumn(TableView):
    """/api/tables/{id}/columns/{column}/"""

    def check_access(self, *, table_id: int = 0, column_id: str = "", **_names: Any) -> None:
        """Raise NotFound and Forbidden for the table and the column in the URL."""
        _column_in(self.find_table(table_id), ref=column_id)

    @if_match_table()
    @extend_schema(
        request=json_body(schemas.COLUMN_CHANGES),
        responses=ColumnSerializer,
        parameters=DECISIONS,
        examples=[example({"name": "Gross salary", "type": "number"})],
    )
    def patch(self, request: Request, table_id: int, column_id: str) -> Response:
        """Change a column and convert its values.

        `expected` are fields as the client knows them; 409 if one has changed.
        """
        operation = _modification(request, table_id=table_id, column_id=column_id)
        applied = change_columns(request, table_id=table_id, operations=[operation])
        return Response(_column_json(request, table_id=table_id, applied=applied))

    @if_match_table()
    @extend_schema(responses={200: WrittenSerializer}, parameters=DECISIONS)
    def delete(self, request: Request, table_id: int, column_id: str) -> Response:
        """Remove a column with its values; undo restores them."""
        operation = _removal(request, table_id=table_id, column_id=column_id)
        applied = change_columns(request, table_id=table_id, operations=[operation])
        return Response({"change": applied.change, "version": applied.version})

    @classmethod
    def before_transaction(cls, request: HttpRequest) -> None:
        """Compose the change without the lock that the transaction of an Idempotency-Key holds."""

        def read(request: Request, *, table_id: int, column_id: str) -> ReadSchema | None:
            operation_of = _removal if request.method == "DELETE" else _modification
            operation = operation_of(request, table_id=table_id, column_id=column_id)
            return _read_unlocked(request, table_id=table_id, operations=[operation])

        run_before_transaction(cls, request, read=read)


def change_columns(request: Request, *, table_id: int, operations: list[Json], **names: Any) -> Applied:
    """Apply operations on columns, and new `table_name` and `table_description`, with the decisions in the query."""
    arguments = _arguments(request, table_id=table_id, operations=operations, **names)
    with field_paths():
        return services.change_columns(
            **arguments, origin=origin_of(request, page="form"), read=result_before_transaction(request)
        )


def _read_unlocked(request: Request, *, table_id: int, operations: list[Json]) -> ReadSchema | None:
    arguments = _arguments(request, table_id=table_id, operations=operations)
    with field_paths():
        return services.read_columns_unlocked(**arguments)


def _arguments(request: Request, *, table_id: int, operations: list[Json], **names: Any) -> Json:
    return {
        "user": request.user,
        "table_id": table_id,
        "proposal": {"mode": "update", "operations": operations, **names},
        "choice": read_decisions(Parameters(request, DECISIONS)),
        "version": if_match_version(request),
    }


def _addition(request: Request, *, table_id: int) -> Json:
    def operation(body: Json) -> Json:
        others = {name: body.pop(name, None) for name in ("after_column_id", "copy_of")}
        return {"action": "add", "column": body, **others}

    return _read_operation(request, table_id=table_id, others=("after_column_id", "copy_of"), operation_of=operation)


def _modification(request: Request, *, table_id: int, column_id: str) -> Json:
    def operation(body: Json) -> Json:
        expected = body.pop("expected", None)
        found = _column_id_or_404(request, table_id=table_id, ref=column_id)
        return {"action": "modify", "column_id": found, "changes": body, "expected": expected}

    return _read_operation(request, table_id=table_id, others=("expected",), operation_of=operation)


def _removal(request: Request, *, table_id: int, column_id: str) -> Json:
    form = Form()
    _read_choice(request, form=form)
    form.refuse()
    return {"action": "remove", "column_id": _column_id_or_404(request, table_id=table_id, ref=column_id)}


def _read_operation(
    request: Request, *, table_id: int, others: Sequence[str], operation_of: Callable[[Json], Json]
) -> Json:
    """Return the operation of a body with the fields of a column and others.

    Raises the faults of query, header and unknown fields with those of the operation.
    """
    form = Form()
    choice = _read_choice(request, form=form)
    body = dict(form.fields(request.data, path="", allowed=(*column_fields(), *others)))
    operation = operation_of({**body})

    def check() -> None:
        proposal = {"mode": "update", "operations": [operation]}
        try:
            with field_paths():
                services.read_columns_unlocked(user=request.user, table_id=table_id, proposal=proposal, choice=choice)
        except TablesError as error:
            # Without unknown fields, nothing may be left to change.
            error.faults = tuple(fault for fault in error.faults if fault.code != "empty")
            raise

    refuse_with_others(form, find_others=check if isinstance(request.data, dict) else lambda: None)
    return operation


def _read_choice(request: Request, *, form: Form) -> Choice:
    """Return the decisions in the query. Adds the faults of query and `If-Match` to `form`.

    See `read_or_assume_decisions`.
    """
    parameters = Parameters(request, DECISIONS, form=form)
    if_match_version(request, form=form)
    return read_or_assume_decisions(parameters, form=form)


def _column_json(request: Request, *, table_id: int, applied: Applied) -> Json:
    shape = selectors.table_shape(selectors.get_table(request.user, table_id))
    column = shape.column([*applied.applied, *applied.skipped][0]["column_id"])
    return {**(column.presented() if column else {}), "change": applied.change}


def _column_id_or_404(request: Request, *, table_id: int, ref: str) -> str:
    """Return the id of the column with this id or name. Raises NotFound."""
    return str(_column_in(selectors.get_table(request.user, table_id), ref=ref).id)


def _column_in(table: Any, *, ref: str) -> Any:
    column = selectors.table_shape(table).column(ref)
    if column is None:
        raise NotFound(COLUMN_NOT_FOUND())
    return column

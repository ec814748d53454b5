"""REST API of the history of a table: its changes, their details, undo, redo, restore."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from shared.rest.before_transaction import result_before_transaction, run_before_transaction
from shared.rest.openapi import ref
from shared.rest.paging import changed_url
from shared.rest.serializers import EmptyBody
from shared.user_messages import declare
from tables import selectors, services
from tables.api import change_schemas
from tables.api.bodies import if_match_version, read_versioned_request
from tables.api.parameters import CHANGE_LIST, ONE_CHANGE, Parameters
from tables.api.responses import faults_json
from tables.api.serializers import UndoBody, UndoneSerializer
from tables.api.table_query import NOT_A_CURSOR, read_together
from tables.api.table_versions import if_match_table
from tables.api.table_view import TableView
from tables.exceptions import Invalid, Malformed
from tables.operations.column_keys import ColumnNames

Json = dict[str, Any]
LATER_VERSION = declare("later_version", "The table has version {version}, an earlier one. Read the table again.")


class Changes(TableView):
    """/api/tables/{id}/changes/"""

    @extend_schema(parameters=CHANGE_LIST, responses={200: change_schemas.CHANGES_PAGE})
    def get(self, request: Request, table_id: int) -> Response:
        """List the changes of a table, the newest first. The changed cells are in the details of each.

        With `row` a page may have few changes, or none, although there is a `next`; `piece` is part of that URL. 422
        “unknown_version” if `after_version` is later than the version of the table: read the table again.
        """
        parameters = Parameters(request, CHANGE_LIST)
        parameters.choice("keys")
        limit, row_id = parameters.integer("limit"), parameters.optional_integer("row")
        only = selectors.ChangeFilter(
            after_version=parameters.optional_integer("after_version"),
            before_version=parameters.optional_integer("before_version"),
            username=parameters.text("person"),
            source=parameters.choice("source") if parameters.has("source") else "",
        )
        piece = parameters.integer("piece")
        table = selectors.get_table(request.user, table_id)
        if (only.after_version or 0) > table.version:
            message = LATER_VERSION(version=table.version)
            extra = {"version": table.version}
            raise Invalid(message, code="unknown_version", path="after_version", extra=extra)
        position: dict[str, int] | None
        if row_id is None:
            found = selectors.changes_of(table, only=only, limit=limit + 1)
            page = found[:limit]
            position = {"before_version": page[-1].version} if len(found) > limit else None
        else:
            history = selectors.row_history(
                table, row_id, shape=selectors.table_shape(table), only=only, piece=piece, limit=limit
            )
            page, position = history.changes, history.next._asdict() if history.next else None
        following = changed_url(request, **position) if position else None
        return Response({"changes": [change.as_json() for change in page], "next": following})


class _ChangeView(TableView):
    """Base of the views of one change."""

    def check_access(self, *, table_id: int = 0, change_id: int = 0, **_names: Any) -> None:
        """Raise NotFound and Forbidden for the table and the change in the URL."""
        selectors.get_change(self.find_table(table_id), change_id)


class OneChange(_ChangeView):
    """/api/tables/{id}/changes/{change}/"""

    @extend_schema(parameters=ONE_CHANGE, responses={200: ref("ChangeDetails")})
    def get(self, request: Request, table_id: int, change_id: int) -> Response:
        """Get a change: its rows with their cells before and after, its columns with their differences.

        Entries of more than 100 kB have no cells, but `too_large`. A page may have fewer rows although more follow.
        """
        parameters = Parameters(request, ONE_CHANGE, later=True)
        keyed_by, limit, cursor = read_together(
            lambda: parameters.choice("keys"), lambda: parameters.integer("limit"), lambda: _read_cursor(parameters),
            faults=parameters.faults,
        )  # fmt: skip
        table = selectors.get_table(request.user, table_id)
        change = selectors.get_change(table, change_id)
        shape = selectors.table_shape(table)
        details = selectors.change_details(table, change.id, shape=shape, cursor=cursor, limit=limit)
        following = changed_url(request, cursor=str(details.next)) if details.next else None
        names = ColumnNames.of(shape.columns) if keyed_by == "name" else None
        return Response({**change.as_json(), **details.as_json(names=names), "next": following})


class _UndoView(_ChangeView):
    """Base of undo and redo."""

    in_trash = True
    is_redo = False

    def _undo(self, request: Request, *, table_id: int, change_id: int) -> Response:
        undo = services.redo_change if self.is_redo else services.undo_change
        composed = result_before_transaction(request)
        change = undo(**self._arguments(request, table_id=table_id, change_id=change_id), composed=composed)
        return Response(_undone_json(change, request=request))

    @classmethod
    def before_transaction(cls, request: HttpRequest) -> None:
        """Compose the undo without the lock that the transaction of an Idempotency-Key holds."""
        run_before_transaction(cls, request, read=cls._compose)

    @classmethod
    def _compose(cls, request: Request, *, table_id: int, change_id: int) -> services.ComposedUndo | None:
        return services.compose_undo(
            **cls._arguments(request, table_id=table_id, change_id=change_id), redo=cls.is_redo
        )

    @classmethod
    def _arguments(cls, request: Request, *, table_id: int, change_id: int) -> Json:
        """Return the arguments of the services. Raises the faults of the request, with the conflicts of the undo."""
        named: Json = {"user": request.user, "table_id": table_id, "change_id": change_id}

        def compose(body: Json) -> None:
            services.compose_undo(**named, on_conflict=body.get("on_conflict"), redo=cls.is_redo)

        body, version = read_versioned_request(request, form=UndoBody, find_others=compose)
        return {**named, "on_conflict": body.get("on_conflict"), "version": version}


class Undo(_UndoView):
    """/api/tables/{id}/changes/{change}/undo/"""

    @if_match_table()
    @extend_schema(request=UndoBody, responses=UndoneSerializer)
    def post(self, request: Request, table_id: int, change_id: int) -> Response:
        """Undo a change."""
        return self._undo(request, table_id=table_id, change_id=change_id)


class Redo(_UndoView):
    """/api/tables/{id}/changes/{change}/redo/"""

    is_redo = True

    @if_match_table()
    @extend_schema(request=UndoBody, responses=UndoneSerializer)
    def post(self, request: Request, table_id: int, change_id: int) -> Response:
        """Redo an undone change."""
        return self._undo(request, table_id=table_id, change_id=change_id)


class RestoreVersion(_ChangeView):
    """/api/tables/{id}/changes/{change}/restore/"""

    @if_match_table()
    @extend_schema(request=EmptyBody, responses=UndoneSerializer)
    def post(self, request: Request, table_id: int, change_id: int) -> Response:
        """Restore a table to its state after this change: one new change undoes all later ones, and can be undone.

        422 `too_many_changes` or `too_large_to_restore` if these are too many or too large.
        """
        _, version = read_versioned_request(request, form=EmptyBody)
        later = result_before_transaction(request)
        change = services.restore_as_of(
            user=request.user, table_id=table_id, change_id=change_id, version=version, later=later
        )
        return Response(_undone_json(change, request=request))

    @classmethod
    def before_transaction(cls, request: HttpRequest) -> None:
        """Read the later changes without the lock that the transaction of an Idempotency-Key holds."""
        run_before_transaction(cls, request, read=cls._read)

    @staticmethod
    def _read(request: Request, *, table_id: int, change_id: int) -> services.LaterChanges:
        return services.read_later_changes(
            user=request.user, table_id=table_id, change_id=change_id, version=if_match_version(request)
        )


def _undone_json(change: Any, *, request: Request) -> Json:
    return {**UndoneSerializer(change).data, "skipped": faults_json(change.skipped, request=request)}


def _read_cursor(parameters: Parameters) -> selectors.Cursor | None:
    """Return the start of the page; None without a cursor. Raises Malformed."""
    text = parameters.text("cursor")
    cursor = selectors.Cursor.read(text) if text else None
    if text and cursor is None:
        raise Malformed.at("cursor", NOT_A_CURSOR())
    return cursor

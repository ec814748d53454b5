"""Proposals over REST, and taking changes back: the same services as behind the chat's proposals."""
from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from shared.rest.parameters import example
from shared.rest.read_first import read_before, read_first
from shared.rest.schemas import a, json_body
from shared.user_messages.rendering import localized_preview
from shared.user_messages.request_language import as_read, is_program
from tables import selectors, services
from tables.api import schemas
from tables.api.apply_metrics import measured_apply
from tables.api.bodies import decisions_of, origin_of, read_body
from tables.api.parameters import Parameters
from tables.api.query_parameters import PROPOSING, PROPOSING_ROWS
from tables.api.reads import table_json
from tables.api.serializers import TableSerializer, UndoBody, UndoneSerializer

Json = dict[str, Any]


class NewTableProposal(APIView):
    """/api/tables/proposals/schema/"""

    @extend_schema(
        request=json_body(a("NewTableProposal")),
        responses={201: TableSerializer, 200: a("Preview")},
        parameters=PROPOSING,
        examples=[example(schemas.NEW_TABLE_EXAMPLE)],
    )
    def post(self, request: Request) -> Response:
        """Create the table of a proposal; with dry_run, return its preview."""
        asked = Parameters(request, PROPOSING)
        choice = decisions_of(asked)
        prepared = services.prepare_schema(
            user=request.user, table_id=None, proposal=request.data, typecast=_typecast(asked)
        )
        if asked.flag("dry_run"):
            return _previewed(services.preview_schema(user=request.user, prepared=prepared, choice=choice), request)
        origin = origin_of(request, page="form")
        with measured_apply("schema_proposal"):
            applied = services.apply_schema(user=request.user, prepared=prepared, choice=choice, origin=origin)
        table = selectors.get_table(request.user, applied.table_id)
        body = {**table_json(table, rows=selectors.count_rows(table)), "change": applied.change}
        return Response(body, status=201)


class SchemaProposal(APIView):
    """/api/tables/{id}/proposals/schema/"""

    @extend_schema(
        request=json_body(a("SchemaProposal")),
        responses={200: schemas.APPLIED_OR_PREVIEW},
        parameters=PROPOSING,
        examples=[example({"mode": "update", "operations": [schemas.ADDED_COLUMN_EXAMPLE]})],
    )
    def post(self, request: Request, table_id: int) -> Response:
        """Apply a proposal for columns; with dry_run, return its preview."""
        asked = Parameters(request, PROPOSING)
        choice, _ = decisions_of(asked), _typecast(asked)
        if asked.flag("dry_run"):
            prepared = services.prepare_schema(user=request.user, table_id=table_id, proposal=request.data)
            return _previewed(services.preview_schema(user=request.user, prepared=prepared, choice=choice), request)
        with measured_apply("schema_proposal"):
            applied = services.change_columns(
                user=request.user,
                table_id=table_id,
                proposal=request.data,
                choice=choice,
                origin=origin_of(request, page="form"),
            )
        return Response(_answer(applied))


class DataProposal(APIView):
    """/api/tables/{id}/proposals/data/"""

    @extend_schema(
        request=json_body(a("DataProposal")),
        responses={200: schemas.APPLIED_OR_PREVIEW},
        parameters=PROPOSING_ROWS,
        examples=[example({"operations": [{"action": "add", "data": schemas.CELLS_EXAMPLE}]})],
    )
    def post(self, request: Request, table_id: int) -> Response:
        """Apply a proposal for rows; with dry_run, return its preview. 422 “too_costly” for slow conditions."""
        asked = Parameters(request, PROPOSING_ROWS)
        with timezone.override(asked.zone() or timezone.get_current_timezone()):
            return self._applied(request, table_id=table_id, asked=asked)

    def _applied(self, request: Request, *, table_id: int, asked: Parameters) -> Response:
        choice, typecast = decisions_of(asked), _typecast(asked)
        before = read_before(request)
        if asked.flag("dry_run"):
            prepared = before or services.prepare_data(
                user=request.user, table_id=table_id, proposal=request.data, typecast=typecast
            )
            return _previewed(services.preview_data(user=request.user, prepared=prepared, choice=choice), request)
        with measured_apply("data_proposal"):
            applied = services.change_rows(
                user=request.user,
                table_id=table_id,
                proposal=request.data,
                origin=origin_of(request, page="grid"),
                decisions=_decisions(asked),
                read=before,
            )
        return Response(_answer(applied))

    @classmethod
    def before_transaction(cls, request: HttpRequest) -> None:
        """Read the proposal and find its rows without the lock that the transaction of an Idempotency-Key holds."""
        read_first(cls, request, read=cls._read)

    @staticmethod
    def _read(request: Request, *, table_id: int) -> Json | services.ReadProposal | None:
        """Return the stored form for a preview, else the operations and their rows."""
        asked = Parameters(request, PROPOSING_ROWS)
        reading: Json = {"user": request.user, "table_id": table_id, "proposal": request.data}
        with timezone.override(asked.zone() or timezone.get_current_timezone()):
            if asked.flag("dry_run"):
                return services.prepare_data(**reading, typecast=_typecast(asked))
            return services.read_unlocked(**reading, decisions=_decisions(asked))


class _TakingBack(APIView):
    """What undo and redo have in common; `redo` says which of them it is."""

    redo = False

    def _answered(self, request: Request, *, table_id: int, change_id: int) -> Response:
        change_back = services.redo_change if self.redo else services.undo_change
        change = change_back(
            user=request.user,
            table_id=table_id,
            change_id=change_id,
            on_conflict=self._decision(request),
            composed=read_before(request),
        )
        return Response(UndoneSerializer(change).data)

    @classmethod
    def before_transaction(cls, request: HttpRequest) -> None:
        """Compose the undo without the lock that the transaction of an Idempotency-Key holds."""
        read_first(cls, request, read=cls._composed)

    @classmethod
    def _composed(cls, request: Request, *, table_id: int, change_id: int) -> services.ComposedUndo | None:
        return services.compose_undo(
            user=request.user,
            table_id=table_id,
            change_id=change_id,
            on_conflict=cls._decision(request),
            redo=cls.redo,
        )

    @staticmethod
    def _decision(request: Request) -> Any:
        Parameters(request)
        return read_body(request, form=UndoBody).get("on_conflict")


class Undo(_TakingBack):
    """/api/tables/{id}/changes/{change}/undo/"""

    @extend_schema(request=UndoBody, responses=UndoneSerializer)
    def post(self, request: Request, table_id: int, change_id: int) -> Response:
        """Undo a change."""
        return self._answered(request, table_id=table_id, change_id=change_id)


class Redo(_TakingBack):
    """/api/tables/{id}/changes/{change}/redo/"""

    redo = True

    @extend_schema(request=UndoBody, responses=UndoneSerializer)
    def post(self, request: Request, table_id: int, change_id: int) -> Response:
        """Redo an undone change."""
        return self._answered(request, table_id=table_id, change_id=change_id)


def _decisions(asked: Parameters) -> services.Decisions:
    return services.Decisions(typecast=_typecast(asked), on_conflict=str(decisions_of(asked).on_conflict))


def _typecast(asked: Parameters) -> bool:
    return asked.flag("typecast", default=True)


def _previewed(preview: Json, request: Request) -> Response:
    if is_program(request):
        return Response(preview)
    with as_read(request):
        return Response(localized_preview(preview))


def _answer(applied: services.Applied) -> Json:
    return applied.as_json()

"""REST API of proposals, with the same services as the proposals of the chat."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal

from django.http import HttpRequest
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from shared.db.large_work import LargeWorkBusy
from shared.rest.before_transaction import result_before_transaction, run_before_transaction
from shared.rest.openapi import example, json_body, ref
from tables import selectors, services, signals
from tables.api import response_schemas, schemas
from tables.api.bodies import if_match_version, origin_of, read_decisions, read_or_assume_decisions, refuse_with_others
from tables.api.parameters import PROPOSING, PROPOSING_ROWS, Parameters
from tables.api.previews import preview_response, read_dry_run_plan
from tables.api.responses import table_json
from tables.api.serializers import TableSerializer
from tables.api.table_versions import if_match_table
from tables.api.table_view import TableView
from tables.exceptions import Invalid, Malformed
from tables.operations import Choice
from tables.operations.body_reader import Form

Json = dict[str, Any]
# Decisions about lost and empty cells, so that they are not demanded beside invalid ones.
ALL_CONFIRMED = Choice(on_unconvertible="clear", on_removed_option="clear", on_empty_cells="keep")
Kind = Literal["data_proposal", "schema_proposal"]


class NewTableProposal(APIView):
    """/api/tables/proposals/schema/"""

    @extend_schema(
        request=json_body(ref("NewTableProposal")),
        responses={201: TableSerializer, 200: ref("Preview")},
        parameters=PROPOSING,
        examples=[example(schemas.NEW_TABLE_EXAMPLE)],
    )
    def post(self, request: Request) -> Response:
        """Create the table of a proposal; with dry_run, return its preview with a `plan`."""
        _refuse_query(request, described=PROPOSING, check=_check_columns, table_id=None)
        parameters = Parameters(request, PROPOSING)
        choice, plan, keyed_by = read_decisions(parameters), read_dry_run_plan(parameters), parameters.choice("keys")
        prepared = services.prepare_schema(
            user=request.user, table_id=None, proposal=request.data, typecast=_typecast(parameters)
        )
        if parameters.flag("dry_run"):
            preview = services.preview_schema(user=request.user, prepared=prepared, choice=choice, version=0)
            return preview_response(preview, request, keyed_by=keyed_by)
        origin = origin_of(request, page="form")
        with _measured_apply("schema_proposal"):
            applied = services.apply_schema(
                user=request.user, prepared=prepared, choice=choice, origin=origin, pinned=plan
            )
        table = selectors.get_table(request.user, applied.table_id)
        body = {**table_json(table, rows=selectors.count_rows(table)), "change": applied.change}
        return Response(body, status=201)


class SchemaProposal(TableView):
    """/api/tables/{id}/proposals/schema/"""

    @if_match_table()
    @extend_schema(
        request=json_body(ref("SchemaProposal")),
        responses={200: response_schemas.APPLIED_OR_PREVIEW},
        parameters=PROPOSING,
        examples=[example({"mode": "update", "operations": [schemas.ADDED_COLUMN_EXAMPLE]})],
    )
    def post(self, request: Request, table_id: int) -> Response:
        """Apply a proposal for columns; with dry_run, return its preview with a `plan`.

        The `plan` covers the operations and the values that they convert, copy or delete.
        """
        _refuse_query(request, described=PROPOSING, check=_check_columns, table_id=table_id)
        parameters = Parameters(request, PROPOSING)
        choice, plan, _ = read_decisions(parameters), read_dry_run_plan(parameters), _typecast(parameters)
        keyed_by = parameters.choice("keys")
        version = if_match_version(request)
        if parameters.flag("dry_run"):
            body: Json = {"user": request.user, "table_id": table_id, "proposal": request.data}
            prepare = partial(services.prepare_schema, **body)
            check = partial(_check_columns_now, **body, choice=ALL_CONFIRMED)
            current, prepared = _previewed(request, table_id=table_id, prepare=prepare, check=check)
            preview = services.preview_schema(user=request.user, prepared=prepared, choice=choice, version=current)
            return preview_response(preview, request, keyed_by=keyed_by, table_id=table_id)
        planned = services.planned_operations(plan, body=request.data, user=request.user, table_id=table_id)
        with _measured_apply("schema_proposal"), planned:
            applied = services.change_columns(
                user=request.user,
                table_id=table_id,
                proposal=request.data,
                choice=choice,
                origin=origin_of(request, page="form"),
                version=version,
                pinned=plan,
                read=result_before_transaction(request),
            )
        return Response(applied.as_json())

    @classmethod
    def before_transaction(cls, request: HttpRequest) -> None:
        """Compose the change without the lock that the transaction of an Idempotency-Key holds."""
        run_before_transaction(cls, request, read=cls._read)

    @classmethod
    def _read(cls, request: Request, *, table_id: int) -> services.ReadSchema | None:
        """Return nothing for a preview, which is not composed."""
        parameters = Parameters(request, PROPOSING)
        choice, plan = read_decisions(parameters), read_dry_run_plan(parameters)
        if parameters.flag("dry_run"):
            return None
        with services.planned_operations(plan, body=request.data, user=request.user, table_id=table_id):
            return services.read_columns_unlocked(
                user=request.user,
                table_id=table_id,
                proposal=request.data,
                choice=choice,
                version=if_match_version(request),
                pinned=plan,
            )


class DataProposal(TableView):
    """/api/tables/{id}/proposals/data/"""

    @if_match_table()
    @extend_schema(
        request=json_body(ref("DataProposal")),
        responses={200: response_schemas.APPLIED_OR_PREVIEW},
        parameters=PROPOSING_ROWS,
        examples=[example({"operations": [{"action": "add", "data": schemas.CELLS_EXAMPLE}]})],
    )
    def post(self, request: Request, table_id: int) -> Response:
        """Apply a proposal for rows; with dry_run, return its preview with a `plan`.

        The `plan` covers the operations, after conditions are resolved to rows, and the versions of these rows. 422
        “too_costly” for slow conditions.
        """
        _refuse_query(request, described=PROPOSING_ROWS, check=_check_rows, table_id=table_id)
        parameters = Parameters(request, PROPOSING_ROWS)
        with timezone.override(parameters.zone() or timezone.get_current_timezone()):
            return self._apply(request, table_id=table_id, parameters=parameters)

    def _apply(self, request: Request, *, table_id: int, parameters: Parameters) -> Response:
        choice, keyed_by = read_decisions(parameters), parameters.choice("keys")
        if parameters.flag("dry_run"):
            version, prepared = result_before_transaction(request) or self._prepare(request, table_id, parameters)
            preview = services.preview_data(user=request.user, prepared=prepared, choice=choice, version=version)
            return preview_response(preview, request, keyed_by=keyed_by, table_id=table_id)
        plan = read_dry_run_plan(parameters)
        planned = services.planned_operations(plan, body=request.data, user=request.user, table_id=table_id)
        with _measured_apply("data_proposal"), planned:
            applied = services.change_rows(
                user=request.user,
                table_id=table_id,
                proposal=request.data,
                origin=origin_of(request, page="grid"),
                decisions=_decisions(request, parameters),
                read=result_before_transaction(request),
            )
        return Response(applied.as_json())

    @classmethod
    def before_transaction(cls, request: HttpRequest) -> None:
        """Read the proposal and find its rows without the lock that the transaction of an Idempotency-Key holds."""
        run_before_transaction(cls, request, read=cls._read)

    @staticmethod
    def _prepare(request: Request, table_id: int, parameters: Parameters) -> tuple[int, Json]:
        """Return the version of the table and the stored form of the proposal, for a preview."""
        read_dry_run_plan(parameters)
        body: Json = {"user": request.user, "table_id": table_id, "proposal": request.data}
        typecast = _typecast(parameters)
        prepare = partial(services.prepare_data, **body, typecast=typecast)
        check = partial(services.check_row_proposal, **body, decisions=services.Decisions(typecast=typecast))
        return _previewed(request, table_id=table_id, prepare=prepare, check=check)

    @classmethod
    def _read(cls, request: Request, *, table_id: int) -> tuple[int, Json] | services.ReadProposal | None:
        """Return the stored form for a preview, else the operations and their rows."""
        parameters = Parameters(request, PROPOSING_ROWS)
        arguments: Json = {"user": request.user, "table_id": table_id, "proposal": request.data}
        with timezone.override(parameters.zone() or timezone.get_current_timezone()):
            if parameters.flag("dry_run"):
                return cls._prepare(request, table_id, parameters)
            return services.read_unlocked(**arguments, decisions=_decisions(request, parameters))


def _refuse_query(
    request: Request,
    *,
    described: Iterable[OpenApiParameter],
    check: Callable[[Request, Parameters, int | None], None],
    table_id: int | None,
) -> None:
    """Raise the faults of the query and `If-Match`, if there are any, with those of the proposal."""
    form = Form()
    parameters = Parameters(request, described, form=form)
    if_match_version(request, form=form)
    for read in (read_decisions, read_dry_run_plan, Parameters.zone):
        try:
            read(parameters)
        except (Malformed, Invalid) as error:
            form.add_error(error)
    refuse_with_others(form, find_others=lambda: check(request, parameters, table_id))


def _check_rows(request: Request, parameters: Parameters, table_id: int | None) -> None:
    """Raise the errors of a proposal for rows. A preview shows those of values instead."""
    assert table_id is not None
    typecast = parameters.flag_unless_refused("typecast")
    body: Json = {"user": request.user, "table_id": table_id, "proposal": request.data}
    if parameters.flag("dry_run"):
        services.prepare_data(**body, typecast=typecast)
        return
    # The faults of a decision about conflicts are reported in their place.
    decisions = services.Decisions(typecast=typecast, on_conflict="overwrite")
    services.check_row_proposal(**body, decisions=decisions)


def _check_columns(request: Request, parameters: Parameters, table_id: int | None) -> None:
    """Raise the errors of a proposal for columns. A preview shows those of its operations instead."""
    body: Json = {"user": request.user, "table_id": table_id, "proposal": request.data}
    if not parameters.flag("dry_run") and table_id is not None:
        _check_columns_now(**body, choice=read_or_assume_decisions(parameters, form=Form()))
    else:
        services.prepare_schema(**body)


def _check_columns_now(*, user: Any, table_id: int, proposal: Any, choice: Choice) -> None:
    prepared = services.prepare_schema(user=user, table_id=table_id, proposal=proposal)
    services.compose_schema(user=user, prepared=prepared, choice=choice)


@contextmanager
def _measured_apply(kind: Kind) -> Iterator[None]:
    """Send the duration and outcome of an apply to the metrics; errors pass through."""
    started, outcome = time.perf_counter(), "applied"
    try:
        yield
    except LargeWorkBusy:
        # The request will be repeated.
        outcome = ""
        raise
    except Exception as error:
        outcome = str(getattr(error, "code", "internal"))
        raise
    finally:
        if outcome:
            seconds = time.perf_counter() - started
            signals.apply_ended.send_robust(sender=None, kind=kind, outcome=outcome, seconds=seconds)


def _decisions(request: Request, parameters: Parameters) -> services.Decisions:
    on_conflict = str(read_decisions(parameters).on_conflict)
    version, plan = if_match_version(request), read_dry_run_plan(parameters)
    return services.Decisions(typecast=_typecast(parameters), on_conflict=on_conflict, table_version=version, plan=plan)


def _previewed(
    request: Request, *, table_id: int, prepare: Callable[[], Json], check: Callable[[], object]
) -> tuple[int, Json]:
    """Return the version of the table and the prepared proposal.

    Raises Outdated if another version is requested, with the faults of an apply, which `check` raises.
    """
    version: int = selectors.get_table(request.user, table_id, can="edit").version
    with services.beside_others(check):
        services.refuse_outdated(version, expected=if_match_version(request))
    return version, prepare()


def _typecast(parameters: Parameters) -> bool:
    return parameters.flag("typecast")

"""The writing half of the tables API for rows: read the body, one service, one answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from shared.rest.parameters import IF_MATCH, example
from shared.rest.read_first import read_before, read_first
from shared.rest.schemas import a, json_body
from shared.user_messages import declare
from shared.user_messages.rendering import localized
from shared.user_messages.request_language import as_read, is_program
from tables import selectors, services
from tables.api import reads, schemas
from tables.api.bodies import PLACES, as_sent, as_sent_ids, body_of, cells_of, origin_of, rows_of, version_of
from tables.api.parameters import Parameters
from tables.api.query_parameters import ADD_ROWS, UPDATE_ROW, UPDATE_ROWS, UPSERT
from tables.api.reads import etag, row_json
from tables.api.serializers import WrittenSerializer
from tables.exceptions import Invalid, Malformed, TablesError
from tables.operations.body_reader import Form
from tables.services import Applied

Json = dict[str, Any]
MAX_SKIPPED = 1_000
NO_ROW_SENT = declare("no_row_sent", "A row is a JSON object of cells; {} is one without any.")
CREATES_AND_SKIPS = declare(
    "creates_and_skips", "Values that become options are never invalid: leave out one of the two parameters."
)
NEW_COLUMNS_AND_SKIPS = declare(
    "new_columns_and_skips", "New columns take every value: leave out on_invalid or new_columns."
)


class Rows(reads.Rows):
    """/api/tables/{id}/rows/"""

    @extend_schema(
        request=json_body(schemas.NEW_ROWS),
        responses={201: schemas.ADDED_ROWS},
        parameters=ADD_ROWS,
        examples=[example(schemas.CELLS_EXAMPLE)],
    )
    def post(self, request: Request, table_id: int) -> Response:
        """Add one row (an object of cells), or many: `{"rows": […]}`, all or none.

        Many are added at the end, or together after or before the row of `after_row_id` or `before_row_id`. With
        `on_invalid=skip` they are added without invalid cells, which are returned with the positions of the rows that
        cannot be added without them.
        """
        adding = _adding(request, table_id=table_id)
        raw, bulk = adding.raw, adding.bulk
        skipped: Json = {}
        try:
            read, origin = read_before(request), origin_of(request, page="grid")
            if adding.skips:
                applied, valid = services.add_valid_rows(**adding.arguments, origin=origin, read=read)
                skipped = _skipped(valid, raw=raw, request=request)
            else:
                applied = services.write_changes(
                    adding.changes(), user=request.user, table_id=table_id, origin=origin, read=read
                )
        except TablesError as error:
            raise as_sent(error, raw=raw, bulk=bulk) from None
        asked = adding.asked
        rows = _written(applied, keys=asked.choice("keys"))
        answer = {"rows": rows} if bulk else rows[0]
        headers = {} if bulk else etag(rows[0]["version"])
        return Response({**answer, **skipped, **_receipt(applied, bulk=bulk)}, status=201, headers=headers)

    @extend_schema(
        request=json_body(schemas.UPSERT),
        responses={200: schemas.UPSERTED},
        parameters=UPSERT,
        examples=[example({"merge_on": ["Company"], "rows": [schemas.CELLS_EXAMPLE]})],
    )
    def put(self, request: Request, table_id: int) -> Response:
        """Change the rows with equal values in the columns of `merge_on`, and add the others; all or none."""
        asked = Parameters(request, UPSERT)
        body = body_of(request, allowed=("merge_on", "rows"), needed=("merge_on", "rows"))
        raw = rows_of(body["rows"])
        try:
            applied, added = services.upsert_rows(
                **_upsert(request, table_id=table_id),
                origin=origin_of(request, page="grid"),
                found=read_before(request),
            )
        except TablesError as error:
            raise as_sent(error, raw=raw, bulk=True) from None
        rows = _written(applied, keys=asked.choice("keys"))
        created = [row for row, new in zip(rows, added, strict=True) if new]
        updated = [row for row, new in zip(rows, added, strict=True) if not new]
        return Response({"created": created, "updated": updated, **_receipt(applied, bulk=True)})

    @classmethod
    def before_transaction(cls, request: HttpRequest) -> None:
        """Compose what is written without the lock that the transaction of an Idempotency-Key holds."""
        read = {"POST": _read_additions, "PUT": _read_upsert, "PATCH": _read_updates}[str(request.method)]
        read_first(cls, request, read=read)

    @extend_schema(
        request=json_body(schemas.ROW_CHANGES),
        responses={200: schemas.CHANGED_ROWS},
        parameters=[*UPDATE_ROWS, IF_MATCH],
        examples=[example({"rows": [{"id": 1, "data": {"Salary": 53_000}, "expected": {"Salary": 52_000}}]})],
    )
    def patch(self, request: Request, table_id: int) -> Response:
        """Change many rows, and add those with the id null at the end; all or none.

        A new row has no `expected`. With `on_invalid=skip` only valid cells are written; the others are returned with
        the positions of the rows that cannot be added. `new_columns` are names of text columns to add at the end in
        the same change.
        """
        asked, rows, new_columns = _bulk_update(request)
        read, skipped = read_before(request), dict[str, Any]()
        if _skips_invalid(asked):
            arguments = _update_arguments(request, table_id=table_id, rows=rows, asked=asked)
            origin = origin_of(request, page="grid")
            applied, valid = services.update_valid_cells(**arguments, origin=origin, read=read)
            skipped = _skipped(valid, raw=rows, request=request)
        else:
            applied = _update(request, table_id=table_id, rows=rows, asked=asked, new_columns=new_columns, read=read)
        written = _written(applied, keys=asked.choice("keys"))
        return Response({"rows": written, **skipped, **_receipt(applied, bulk=True)})


def _upsert(request: Request, *, table_id: int) -> Json:
    """What a request says of an upsert, as the services take it."""
    asked = Parameters(request, UPSERT)
    body = body_of(request, allowed=("merge_on", "rows"), needed=("merge_on", "rows"))
    return {
        "user": request.user,
        "table_id": table_id,
        "merge_on": body["merge_on"],
        "rows": [cells_of(row) for row in rows_of(body["rows"])],
        "typecast": asked.flag("typecast"),
    }


class DeleteRows(APIView):
    """/api/tables/{id}/rows/delete/"""

    @extend_schema(
        request=json_body(schemas.ROWS_TO_DELETE),
        responses={200: schemas.DELETED_ROWS},
        examples=[example({"ids": [1, 2]})],
    )
    def post(self, request: Request, table_id: int) -> Response:
        """Delete many rows, all or none."""
        changes = _deletions(request)
        try:
            applied = services.write_changes(
                changes,
                user=request.user,
                table_id=table_id,
                origin=origin_of(request, page="grid"),
                read=read_before(request),
            )
        except TablesError as error:
            raise as_sent_ids(error) from None
        return Response({"deleted": [entry["row_id"] for entry in applied.applied], **_receipt(applied, bulk=True)})

    @classmethod
    def before_transaction(cls, request: HttpRequest) -> None:
        """Compose what is written without the lock that the transaction of an Idempotency-Key holds."""
        read_first(cls, request, read=_read_deletions)


class MoveRows(APIView):
    """/api/tables/{id}/rows/move/"""

    @extend_schema(
        request=json_body(schemas.MOVE),
        responses={200: schemas.MOVED_ROWS},
        parameters=[IF_MATCH],
        examples=[example({"ids": [1, 2], "after_row_id": 3})],
    )
    def post(self, request: Request, table_id: int) -> Response:
        """Move rows, in their current order, directly after or before another row.

        The change is null if they are there already.
        """
        Parameters(request)
        body = body_of(request, allowed=("ids", *PLACES), needed=("ids",))
        applied = services.move_rows(
            user=request.user,
            table_id=table_id,
            row_ids=rows_of(body["ids"], path="ids"),
            place={name: body[name] for name in PLACES if name in body},
            origin=origin_of(request, page="grid"),
            version=version_of(request),
        )
        return Response({"moved": [entry["row_id"] for entry in applied.applied], **_receipt(applied, bulk=True)})


class OneRow(reads.OneRow):
    """/api/tables/{id}/rows/{row}/"""

    @extend_schema(
        request=json_body(schemas.CELL_CHANGES),
        responses={200: a("Row")},
        parameters=[*UPDATE_ROW, IF_MATCH],
        examples=[example({"data": {"Salary": 53_000}})],
    )
    def patch(self, request: Request, table_id: int, row_id: int) -> Response:
        """Change cells of a row; 409 if an expected cell has changed."""
        asked = Parameters(request, UPDATE_ROW)
        body = body_of(request, allowed=("data", "expected"), needed=("data",))
        _row_or_404(request, table_id=table_id, row_id=row_id)
        try:
            applied = _update(request, table_id=table_id, rows=[{"id": row_id, **body}], asked=asked)
        except TablesError as error:
            raise as_sent(error, raw=[request.data], bulk=False) from None
        keys = asked.choice("keys")
        written = _written(applied, keys=keys)
        return Response({**written[0], "change": applied.change}, headers=etag(written[0]["version"]))

    @extend_schema(parameters=[IF_MATCH], responses={200: WrittenSerializer})
    def delete(self, request: Request, table_id: int, row_id: int) -> Response:
        """Delete a row."""
        Parameters(request)
        _row_or_404(request, table_id=table_id, row_id=row_id)
        origin = origin_of(request, page="grid")
        applied = services.delete_rows(
            user=request.user, table_id=table_id, row_ids=[row_id], origin=origin, version=version_of(request)
        )
        return Response({"change": applied.change, "version": applied.version})


@dataclass(frozen=True)
class _Adding:
    """A request to add rows. `bulk`: they were sent as a list; `skips`: values that do not fit are left out."""

    asked: Parameters
    raw: list[Any]
    bulk: bool
    skips: bool
    arguments: Json

    def changes(self) -> services.RowChanges:
        named = {name: value for name, value in self.arguments.items() if name not in ("user", "table_id")}
        return services.additions(**named, create_options=self.asked.flag("create_options"))


def _adding(request: Request, *, table_id: int) -> _Adding:
    asked = Parameters(request, ADD_ROWS)
    if request.stream is None:
        raise Malformed(NO_ROW_SENT(), code="missing")
    bulk = isinstance(request.data, dict) and isinstance(request.data.get("rows"), list)
    body = body_of(request, allowed=("rows", *PLACES)) if bulk else {}
    raw = rows_of(body["rows"]) if bulk else [request.data]
    skips = _skips_invalid(asked) and bulk
    if skips and asked.flag("create_options"):
        raise Malformed(CREATES_AND_SKIPS())
    arguments: Json = {
        "user": request.user,
        "table_id": table_id,
        "rows": [cells_of(row) for row in raw],
        "typecast": asked.flag("typecast"),
        "place": {name: body[name] for name in PLACES if name in body},
    }
    return _Adding(asked, raw, bulk, skips, arguments)


def _bulk_update(request: Request) -> tuple[Parameters, list[Any], list[Any]]:
    """Return the parameters, the rows, and the names of new columns."""
    asked = Parameters(request, UPDATE_ROWS)
    body = body_of(request, allowed=("rows", "new_columns"), needed=("rows",))
    rows = rows_of(body["rows"])
    new_columns = rows_of(body["new_columns"], path="new_columns") if "new_columns" in body else []
    if new_columns and _skips_invalid(asked):
        raise Malformed(NEW_COLUMNS_AND_SKIPS())
    return asked, rows, new_columns


def _deletions(request: Request) -> services.RowChanges:
    Parameters(request)
    ids = rows_of(body_of(request, allowed=("ids",), needed=("ids",))["ids"], path="ids")
    return services.deletions(ids)


def _read_additions(request: Request, *, table_id: int) -> Any:
    adding = _adding(request, table_id=table_id)
    if adding.skips:
        return services.read_valid_additions(**adding.arguments)
    return services.read_changes(adding.changes(), user=request.user, table_id=table_id)


def _read_upsert(request: Request, *, table_id: int) -> services.ReadUpsert:
    return services.read_upsert(**_upsert(request, table_id=table_id))


def _read_updates(request: Request, *, table_id: int) -> Any:
    asked, rows, new_columns = _bulk_update(request)
    arguments = _update_arguments(request, table_id=table_id, rows=rows, asked=asked)
    if _skips_invalid(asked):
        return services.read_valid_updates(**arguments)
    changes = _updates(arguments, asked=asked, new_columns=new_columns)
    return services.read_changes(changes, user=request.user, table_id=table_id)


def _read_deletions(request: Request, *, table_id: int) -> services.ReadProposal | None:
    return services.read_changes(_deletions(request), user=request.user, table_id=table_id)


def _update(
    request: Request,
    *,
    table_id: int,
    rows: list[Any],
    asked: Parameters,
    new_columns: Sequence[Any] = (),
    read: services.ReadProposal | None = None,
) -> Applied:
    arguments = _update_arguments(request, table_id=table_id, rows=rows, asked=asked)
    origin = origin_of(request, page="grid")
    changes = _updates(arguments, asked=asked, new_columns=new_columns)
    return services.write_changes(changes, user=request.user, table_id=table_id, origin=origin, read=read)


def _updates(arguments: Json, *, asked: Parameters, new_columns: Sequence[Any]) -> services.RowChanges:
    named = {name: value for name, value in arguments.items() if name not in ("user", "table_id")}
    return services.updates(**named, create_options=asked.flag("create_options"), new_columns=new_columns)


def _update_arguments(request: Request, *, table_id: int, rows: list[Any], asked: Parameters) -> Json:
    return {
        "user": request.user,
        "table_id": table_id,
        "rows": _row_changes(rows),
        "typecast": asked.flag("typecast"),
        "version": version_of(request),
    }


def _skips_invalid(asked: Parameters) -> bool:
    return asked.choice("on_invalid") == "skip"


def _skipped(valid: services.ValidRows, *, raw: list[Any], request: Request) -> Json:
    """The cells that were not written, by their paths in the body: at most 1,000 of them, and how many there were.

    With the positions of the rows that were not added, and how many of the cells are theirs.
    """
    error = as_sent(Invalid("", faults=tuple(valid.refused[:MAX_SKIPPED])), raw=raw, bulk=True)
    skipped = [fault.as_json() for fault in error.faults]
    if not is_program(request):
        with as_read(request):
            skipped = [localized(fault) for fault in skipped]
    return {
        "skipped": skipped,
        "skipped_count": len(valid.refused),
        "skipped_of_not_added": valid.refused_of_not_added,
        "not_added": valid.not_added,
    }


def _row_changes(rows: list[Any]) -> list[Json]:
    form = Form()
    for index, row in enumerate(rows):
        new = isinstance(row, dict) and "id" in row and row["id"] is None
        form.fields(row, path=f"rows[{index}]", allowed=("id", "data") if new else ("id", "data", "expected"))
    form.refuse()
    return rows


def _written(applied: Applied, *, keys: str) -> list[Json]:
    """The rows that were added or changed, as this request left them."""
    dealt_with = sorted([*applied.applied, *applied.skipped], key=lambda entry: int(entry["index"]))
    ids = dict.fromkeys(entry["row_id"] for entry in dealt_with)
    return [row_json(applied.rows[row_id], columns=applied.columns, keys=keys) for row_id in ids]


def _receipt(applied: Applied, *, bulk: bool) -> Json:
    """What undo needs; `version` of a single row's answer is the row's own."""
    receipt: Json = {"change": applied.change}
    return {**receipt, "version": applied.version} if bulk else receipt


def _row_or_404(request: Request, *, table_id: int, row_id: int) -> None:
    selectors.get_row(selectors.get_table(request.user, table_id), row_id)

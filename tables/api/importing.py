"""Importing over REST: a file comes in, is looked into and decided about, and its rows are written by a worker."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from django.http import HttpRequest
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from shared import strictjson
from shared.user_messages import declare
from shared.user_messages.request_messages import TEXT_NEEDED, UNKNOWN_FIELD
from tables import selectors, services, tasks
from tables.api.bodies import read_fields
from tables.api.import_serializers import (
    FILE_FORM,
    MAX_NAME_LENGTH,
    ImportChoicesBody,
    ImportReportSerializer,
    ImportSerializer,
    PastedBody,
    RunBody,
)
from tables.api.parameters import Parameters
from tables.api.query_parameters import REFUSED_CELLS
from tables.api.reader_defaults import reader_defaults
from tables.api.reads import following, page_of
from tables.column_types.names import NO_HINT
from tables.exceptions import Fault, Malformed, TablesError
from tables.operations.body_reader import Form
from tables.selectors import Import
from tables.services.imports.uploads import NOT_A_TABLE_ID_OR_NULL

Json = dict[str, Any]
# The name, what gives the bytes from the beginning, and the table.
Sent = tuple[str, Callable[[], Iterable[bytes]], int | None]
FIELDS = ("file", "table")
PASTED = "Pasted text"
ONE_FILE = declare("one_file", "Send one file.")
NOT_A_TABLE_ID = declare("not_a_table_id", "This must be the id of a table.")
NOT_A_SHORT_TEXT = declare("not_a_short_text", "This must be a text of at most {count} characters.")


class Imports(APIView):
    """/api/imports/"""

    parser_classes = (MultiPartParser, *APIView.parser_classes)

    @extend_schema(
        request={"application/json": PastedBody, "multipart/form-data": FILE_FORM}, responses={201: ImportSerializer}
    )
    def post(self, request: Request) -> Response:
        """Upload a file (a form with `file`) or a text (JSON), and detect its content.

        `table` is the id of the table to add the rows to; without it a new table is created. The decimal separator of a
        column is detected from all of its values, else from the other columns. If each could have either, such as
        1.200, `found.unclear` is one of them and a point is used; set `decimal` or the `form` of a column to change
        that.
        """
        Parameters(request)
        found = getattr(request, "looked_into", None)
        if (request.content_type or "").startswith("multipart/form-data"):
            name, chunks, table_id = _uploaded(request)
        else:
            name, chunks, table_id = _pasted(request.data)
        defaults = reader_defaults(request)
        imported = services.receive_file(
            user=request.user, name=name, chunks=chunks(), table_id=table_id, found=found, defaults=defaults
        )
        return Response(import_json(imported), status=201)

    @staticmethod
    def before_transaction(request: HttpRequest) -> None:
        """Looks into a file or a text while nobody waits for that. What cannot be read is told where it is taken in,
        and so is a body that is wrong."""
        with suppress(TablesError, strictjson.NotStrictJson):
            if (sent := _sent(request)) is None:
                return
            name, chunks, table_id = sent
            found = services.sniff_file(
                user=request.user, name=name, chunks=chunks, table_id=table_id, defaults=reader_defaults(request)
            )
            request.looked_into = found  # type: ignore[attr-defined]  # a request has no slot of its own for it


class OneImport(APIView):
    """/api/imports/{id}/"""

    @extend_schema(responses=ImportSerializer)
    def get(self, request: Request, import_id: int) -> Response:
        """Get the content of the file, the choices, and the progress of the import."""
        Parameters(request)
        return Response(import_json(selectors.get_import(request.user, import_id)))

    @extend_schema(request=ImportChoicesBody, responses=ImportSerializer)
    def patch(self, request: Request, import_id: int) -> Response:
        """Choose how the file is read, how its columns are imported, and by which columns existing rows are found."""
        Parameters(request)
        imported = services.change_import(
            user=request.user, import_id=import_id, raw=request.data, defaults=reader_defaults(request)
        )
        return Response(import_json(imported))

    @extend_schema(responses={200: ImportSerializer})
    def delete(self, request: Request, import_id: int) -> Response:
        """Cancel an import and delete its file. Rows of a finished import stay."""
        Parameters(request)
        return Response(import_json(services.cancel_import(user=request.user, import_id=import_id), bare=True))


class Run(APIView):
    """/api/imports/{id}/run/"""

    @extend_schema(request=RunBody, responses={202: ImportSerializer})
    def post(self, request: Request, import_id: int) -> Response:
        """Start an import in a worker, or continue one with cells that could not be read."""
        Parameters(request)
        # A body of null is like none.
        said = read_fields({} if request.data is None else request.data, form=RunBody)
        imported = tasks.start_import(user=request.user, import_id=import_id, **said)
        return Response(import_json(imported), status=202)


class Report(APIView):
    """/api/imports/{id}/report/"""

    @extend_schema(parameters=REFUSED_CELLS, responses=ImportReportSerializer)
    def get(self, request: Request, import_id: int) -> Response:
        """List the cells that cannot be read."""
        size, offset = page_of(Parameters(request, REFUSED_CELLS))
        imported = selectors.get_import(request.user, import_id)
        cells = [cell.as_json() for cell in selectors.refused_cells(imported, offset=offset, limit=size)]
        count = imported.counts.get("refused_cells", 0)
        return Response(
            {"cells": cells, "count": count, "next": following(request, offset=offset, shown=len(cells), count=count)}
        )


def import_json(imported: Import, *, bare: bool = False) -> Json:
    """The form an import has in answers; `bare` without the questions that its table would have to be asked for."""
    lost = selectors.is_interrupted(imported)
    sniffed, choices = imported.sniffed, imported.choices
    return {
        "id": imported.pk,
        "name": imported.name,
        "size": imported.size,
        "state": Import.State.FAILED if lost else imported.state,
        "table": imported.table_id,
        "source": {"decimal": "", **sniffed["source"]} if sniffed else None,
        "rows": sniffed.get("rows", []),
        "columns": [
            {**chosen, "given": found["given"], "found": _found(found)}
            for chosen, found in zip(choices.get("columns", []), sniffed.get("columns", []), strict=True)
        ],
        **{name: choices.get(name) for name in DECIDED},
        "questions": [] if bare else [fault.as_json() for fault in selectors.open_questions(imported)],
        "progress": {"done": imported.progress, "of": imported.progress_end},
        "counts": imported.counts,
        "error": selectors.import_error(imported),
        "change": imported.change_id,
    }


FOUND = ("type", "form", "confidence", "filled", "examples", "misfits")
# Imports that an earlier release took in have none of these.
FOUND_OF_NUMBERS = ("number_form", "unclear")
DECIDED = ("table_name", "merge_on", "on_refused", "empty_cells", "empty_rows")


def _found(column: Json) -> Json:
    of_numbers = {name: column.get(name, "") for name in FOUND_OF_NUMBERS}
    return {**{name: column[name] for name in FOUND}, **of_numbers}


def _sent(request: HttpRequest) -> Sent | None:
    """What a request brings that no view has read yet; None where that is nothing to look into."""
    if request.content_type == "application/json":
        return _pasted(strictjson.read(request.body))
    files, table = request.FILES.getlist("file"), request.POST.get("table", "")
    if len(files) != 1 or not (table == "" or _is_id(table)):
        return None
    return files[0].name or "", files[0].chunks, int(table) if table else None


def _uploaded(request: Request) -> Sent:
    """What a form with a file brings."""
    faults = [
        Fault(path=name, code="unknown_field", message=UNKNOWN_FIELD(field=name[:100], hint=NO_HINT))
        for name in request.data
        if name not in FIELDS
    ]
    files = request.FILES.getlist("file")
    if len(files) != 1:
        faults.append(Fault(path="file", code="missing" if not files else "too_many", message=ONE_FILE()))
    tables = [value for value in request.POST.getlist("table") if value != ""]
    if len(tables) > 1 or not all(map(_is_id, tables)):
        faults.append(Fault(path="table", code="not_a_table", message=NOT_A_TABLE_ID()))
    if faults:
        raise Malformed(faults[0].message, faults=tuple(faults[:100]))
    return files[0].name or "", files[0].chunks, int(tables[0]) if tables else None


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def _pasted(said: Any) -> Sent:
    """What JSON with a text brings."""
    body = read_fields(said, form=PastedBody)
    name, table = body.get("name"), body.get("table")
    form = Form()
    if not isinstance(body["text"], str):
        form.fault(path="text", code="not_text", message=TEXT_NEEDED())
    if not (name is None or (isinstance(name, str) and len(name) <= MAX_NAME_LENGTH)):
        form.fault(path="name", code="not_text", message=NOT_A_SHORT_TEXT(count=MAX_NAME_LENGTH))
    if not (table is None or type(table) is int):
        form.fault(path="table", code="not_a_table", message=NOT_A_TABLE_ID_OR_NULL())
    form.refuse()
    content = body["text"].encode()
    return name or PASTED, lambda: iter([content]), table

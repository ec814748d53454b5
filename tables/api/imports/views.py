"""REST API of imports: upload and examine a file, choose how to read it, and have a worker write its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, NamedTuple

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
from tables.api.bodies import fields_of, if_match_version, read_body
from tables.api.imports.reader_defaults import reader_defaults
from tables.api.imports.serializers import (
    FILE_FORM,
    MAX_NAME_LENGTH,
    ImportChoicesBody,
    ImportReportSerializer,
    ImportSerializer,
    PastedBody,
    RunBody,
)
from tables.api.parameters import REFUSED_CELLS, TRUE_OR_FALSE, Parameters
from tables.api.responses import list_json
from tables.api.table_query import read_page
from tables.api.table_versions import if_match_table
from tables.api.table_view import TableView
from tables.column_types.settings import used_settings
from tables.exceptions import TablesError
from tables.operations.body_reader import Form
from tables.selectors import Import
from tables.services.imports.uploads import NOT_A_TABLE_ID_OR_NULL

Json = dict[str, Any]
FORM_FIELDS = ("file", "table", "header")
FLAGS = {"": None, "true": True, "false": False}
PASTED_NAME = "Pasted text"
# Fields of an examined column; imports of earlier releases lack those of numbers.
FOUND = ("type", "form", "confidence", "filled", "examples", "misfits")
FOUND_OF_NUMBERS = ("number_form", "unclear")
CHOICES = ("table_name", "merge_on", "on_refused", "empty_cells", "empty_rows")
ONE_FILE = declare("one_file", "Send one file, as the field “file” of a form (multipart/form-data).")
TEXT_OR_FILE = declare("text_or_file", "Send JSON with a “text”, or a form (multipart/form-data) with a “file”.")
NOT_A_TABLE_ID = declare("not_a_table_id", "This must be the id of a table.")
NOT_A_SHORT_TEXT = declare("not_a_short_text", "This must be a text of at most {count} characters.")


class Upload(NamedTuple):
    """A file and how to read it. `chunks` returns the content from its beginning; `header` None: it is detected."""

    name: str
    chunks: Callable[[], Iterable[bytes]]
    table_id: int | None
    header: bool | None


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
        form = Form()
        Parameters(request, form=form)
        found = getattr(request, "sniffed_before", None)
        if (request.content_type or "").startswith("multipart/form-data"):
            upload = _read_form(request, form=form)
        else:
            upload = _read_pasted(request.data, form=form)
        imported = services.receive_file(
            user=request.user, name=upload.name, chunks=upload.chunks(), table_id=upload.table_id,
            header=upload.header, found=found, defaults=reader_defaults(request),
        )  # fmt: skip
        return Response(import_json(imported), status=201)

    @staticmethod
    def before_transaction(request: HttpRequest) -> None:
        """Examine the file or text without the lock that the transaction of an Idempotency-Key holds.

        Errors are ignored here, because the view repeats the work and raises them.
        """
        with suppress(TablesError, strictjson.StrictJsonError):
            if (upload := _read_unparsed(request)) is None:
                return
            found = services.sniff_file(user=request.user, **upload._asdict(), defaults=reader_defaults(request))
            request.sniffed_before = found  # type: ignore[attr-defined]  # a request has no attribute of its own for it


class _ImportView(TableView):
    """Base of the views of one import; the rights are those to its table."""

    def check_access(self, *, import_id: int = 0, **_names: Any) -> None:
        """Raise NotFound and Forbidden for the import in the URL."""
        if self.request.method != "DELETE":  # users may cancel theirs without any right to the table
            selectors.get_import(self.request.user, import_id, can=self.right())


class OneImport(_ImportView):
    """/api/imports/{id}/"""

    rights = {"PATCH": "view"}  # which may choose another table

    @extend_schema(responses=ImportSerializer)
    def get(self, request: Request, import_id: int) -> Response:
        """Get the content of the file, the choices, and the progress of the import."""
        Parameters(request)
        return Response(import_json(selectors.get_import(request.user, import_id)))

    @extend_schema(request=ImportChoicesBody, responses=ImportSerializer)
    def patch(self, request: Request, import_id: int) -> Response:
        """Choose how the file is read, how its columns are imported, and by which columns existing rows are found."""
        form = Form()
        Parameters(request, form=form)
        imported = services.change_import(
            user=request.user, import_id=import_id, raw=request.data, defaults=reader_defaults(request), faults=form
        )
        return Response(import_json(imported))

    @extend_schema(responses={200: ImportSerializer})
    def delete(self, request: Request, import_id: int) -> Response:
        """Cancel an import and delete its file. Rows of a finished import stay."""
        Parameters(request)
        return Response(import_json(services.cancel_import(user=request.user, import_id=import_id), bare=True))


class Run(_ImportView):
    """/api/imports/{id}/run/"""

    @if_match_table(lambda user, kwargs: selectors.get_import(user, kwargs["import_id"]).table)
    @extend_schema(request=RunBody, responses={202: ImportSerializer})
    def post(self, request: Request, import_id: int) -> Response:
        """Start an import in a worker, or continue one with cells that could not be read.

        With `If-Match`, 412 if the table has changed; the import fails with `version_moved` if it changes before its
        rows are written.
        """
        form = Form()
        Parameters(request, form=form)
        version = if_match_version(request, form=form)
        # null is the same as no body.
        body = read_body({} if request.data is None else request.data, form=RunBody, faults=form)
        imported = tasks.start_import(user=request.user, import_id=import_id, table_version=version, **body)
        return Response(import_json(imported), status=202)


class Report(_ImportView):
    """/api/imports/{id}/report/"""

    @extend_schema(parameters=REFUSED_CELLS, responses=ImportReportSerializer)
    def get(self, request: Request, import_id: int) -> Response:
        """List the cells that cannot be read."""
        limit, offset = read_page(Parameters(request, REFUSED_CELLS))
        imported = selectors.get_import(request.user, import_id)
        cells = [cell.as_json() for cell in selectors.refused_cells(imported, offset=offset, limit=limit)]
        count = imported.counts.get("refused_cells", 0)
        return Response(list_json(request, name="cells", items=cells, offset=offset, count=count))


def import_json(imported: Import, *, bare: bool = False) -> Json:
    """Return an import; `bare` omits the open questions, which would require a read of its table."""
    is_lost = selectors.is_interrupted(imported)
    sniffed, choices = imported.sniffed, imported.choices
    return {
        "id": imported.pk,
        "name": imported.name,
        "size": imported.size,
        "state": Import.State.FAILED if is_lost else imported.state,
        "table": imported.table_id,
        "source": {"decimal": "", "member": "", "header_reason": "", **sniffed["source"]} if sniffed else None,
        "rows": sniffed.get("rows", []),
        "columns": [
            {**_chosen_json(chosen), "given": found["given"], "found": _found_json(found)}
            for chosen, found in zip(choices.get("columns", []), sniffed.get("columns", []), strict=True)
        ],
        **{name: choices.get(name) for name in CHOICES},
        "questions": [] if bare else [fault.as_json() for fault in selectors.open_questions(imported)],
        "progress": {"done": imported.progress, "of": imported.progress_end},
        "counts": imported.counts,
        "error": selectors.import_error(imported),
        "change": imported.change_id,
    }


def _chosen_json(column: Json) -> Json:
    """Return the choices for a column, with the settings of a new one as fields of their own."""
    chosen = {name: value for name, value in column.items() if name != "settings"}
    return chosen if column["into"] else chosen | used_settings(column["type"], column.get("settings", {}))


def _found_json(column: Json) -> Json:
    numbers = {name: column.get(name, "") for name in FOUND_OF_NUMBERS}
    return {**{name: column[name] for name in FOUND}, **numbers, "settings": column.get("settings", {})}


def _read_unparsed(request: HttpRequest) -> Upload | None:
    """Return the upload of a request that no view has parsed; None if there is nothing to examine."""
    if request.content_type == "application/json":
        return _read_pasted(strictjson.loads(request.body), form=Form())
    files, table = request.FILES.getlist("file"), request.POST.get("table", "")
    header = request.POST.get("header", "")
    if len(files) != 1 or not (table == "" or _is_id(table)) or header not in FLAGS:
        return None
    return Upload(files[0].name or "", files[0].chunks, int(table) if table else None, FLAGS[header])


def _read_form(request: Request, *, form: Form) -> Upload:
    """Return the upload of a form with a file. Raises Malformed, also for the faults of `form`."""
    for name in request.data:
        if name not in FORM_FIELDS:
            form.fault(path=name, code="unknown_field", message=UNKNOWN_FIELD(field=name[:100]))
    files = request.FILES.getlist("file")
    if len(files) != 1:
        # A form with two files is malformed, unlike a list with too many rows.
        form.invalid_codes.discard("too_many")
        form.fault(path="file", code="missing" if not files else "too_many", message=ONE_FILE())
    tables = [value for value in request.POST.getlist("table") if value != ""]
    if len(tables) > 1 or not all(map(_is_id, tables)):
        form.fault(path="table", code="not_whole", message=NOT_A_TABLE_ID())
    headers = request.POST.getlist("header")
    if len(headers) > 1 or not FLAGS.keys() >= set(headers):
        form.fault(path="header", code="not_a_boolean", message=TRUE_OR_FALSE(name="header"))
    form.refuse()
    header = FLAGS[headers[0]] if headers else None
    return Upload(files[0].name or "", files[0].chunks, int(tables[0]) if tables else None, header)


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def _read_pasted(data: Any, *, form: Form) -> Upload:
    """Return the upload of JSON with a text. Raises Malformed, also for the faults of `form`."""
    body = fields_of(data, allowed=PastedBody.field_names(), form=form)
    name, table = body.get("name"), body.get("table")
    if isinstance(data, dict) and "text" not in body:
        form.fault(path="text", code="missing", message=TEXT_OR_FILE())
    elif "text" in body and not isinstance(body["text"], str):
        form.fault(path="text", code="not_text", message=TEXT_NEEDED())
    if not (name is None or (isinstance(name, str) and len(name) <= MAX_NAME_LENGTH)):
        form.fault(path="name", code="not_text", message=NOT_A_SHORT_TEXT(count=MAX_NAME_LENGTH))
    if not (table is None or type(table) is int):
        form.fault(path="table", code="not_whole", message=NOT_A_TABLE_ID_OR_NULL())
    header = None if body.get("header") is None else form.flag(body["header"], path="header")
    form.refuse()
    content = body["text"].encode()
    return Upload(name or PASTED_NAME, lambda: iter([content]), table, header)

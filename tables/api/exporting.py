"""Export of a table as a file. Plain async views: a thread writes the file, and stops when the client disconnects."""
from __future__ import annotations

import asyncio
import threading

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from shared.db import call_and_close
from shared.db.time_limits import time_limit
from shared.rest.openapi import TEXT
from shared.user_messages.request_messages import ONLY_METHOD, SIGN_IN_FIRST
from shared.websockets.clock import SYSTEM_CLOCK, Clock
from shared.websockets.credentials import Credential, credential_of, is_valid
from shared.websockets.file_stream import FileStream
from tables import selectors
from tables.api.parameters import EXPORT, Parameters
from tables.api.table_query import TableQuery
from tables.column_types import TableShape
from tables.exceptions import NotAuthenticated, TablesError, WrongMethod
from tables.interchange.exporting import Export, Find, View, create_export
from tables.interchange.file_names import disposition

MEDIA_TYPES = (
    "text/csv",
    "application/json",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/zip",
)


@extend_schema(parameters=EXPORT, responses={(200, *MEDIA_TYPES): {**TEXT, "format": "binary"}})
async def export_table(request: HttpRequest, table_id: int) -> HttpResponseBase:
    """Export the rows as a file, filtered, sorted and searched like the list of rows.

    A ZIP archive has the rows as JSON, and the files in their cells under `files/`. An import of it has equal rows.

    A server process writes one file at a time for each user or address and two in total; further requests are a 429
    with Retry-After.
    """
    if request.method != "GET":
        raise WrongMethod(ONLY_METHOD(method="GET"), extra={"allow": "GET"})
    user = await request.auser()
    if not user.is_authenticated:
        raise NotAuthenticated(SIGN_IN_FIRST())
    credential = credential_of(request, user=user)
    return await export_response(request, find=lambda: selectors.get_table(user, table_id), credential=credential)


export_table.allowed_methods = ("GET",)  # type: ignore[attr-defined]  # a function has no attribute of its own for it


async def export_response(
    request: HttpRequest, *, find: Find, credential: Credential | None = None, clock: Clock = SYSTEM_CLOCK
) -> StreamingHttpResponse:
    """Return the file that the request's parameters describe, of the table that `find` returns.

    While the file is sent, `find` is called again and the credential is checked.
    Raises the errors of `find` and of reading the rows with these parameters, TooMany, and Invalid for values that the
    format cannot contain.
    """
    parameters = Parameters(Request(request), EXPORT, later=True)

    def view(shape: TableShape) -> View:
        query = TableQuery(parameters, shape)
        found, columns, sort, _, origins = query.together(
            query.view, query.columns, query.sort, lambda: parameters.choice("format"),
            lambda: parameters.flag("origins"),
        )  # fmt: skip
        return View(sort=sort, columns=columns, origins=origins, **found)

    def check() -> None:
        view(selectors.table_shape(find()))

    checked_at = clock.monotonic()
    # Refused requests must not occupy an export slot, and no database connection is held while the file is written.
    with time_limit(settings.DATABASE_READ_SECONDS, lock_seconds=settings.DATABASE_LOCK_SECONDS):
        await sync_to_async(call_and_close)(check)
    ending = parameters.choice("format")
    stop = threading.Event()
    writing = asyncio.ensure_future(
        sync_to_async(create_export, thread_sensitive=False)(
            find=find, view=view, ending=ending, stop=stop, client=getattr(request, "client", "")
        )
    )
    try:
        export = await asyncio.shield(writing)
    except asyncio.CancelledError:
        stop.set()
        writing.add_done_callback(_close_file)
        raise

    def has_access() -> bool:
        try:
            find()
        except TablesError:
            return False
        return credential is None or is_valid(credential)

    return _file_response(export, FileStream(export.file, has_access=has_access, clock=clock, checked_at=checked_at))


def _file_response(export: Export, stream: FileStream) -> StreamingHttpResponse:
    return StreamingHttpResponse(
        stream,
        content_type=export.content_type,
        headers={
            "Content-Disposition": disposition(export.name),
            "Content-Length": str(export.size),
            "Cache-Control": "private, no-store",
        },
    )


def _close_file(writing: asyncio.Future[Export]) -> None:
    """Close the file of a client that disconnected while it was written."""
    if not writing.cancelled() and writing.exception() is None:
        writing.result().file.close()

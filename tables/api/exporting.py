"""A table as a file. Plain async views: the file is made beside the event loop, and nobody waits for who has left."""
from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from shared.db import giving_back
from shared.db.time_limits import time_limit
from shared.rest.schemas import TEXT
from shared.user_messages.request_messages import ONLY_METHOD, SIGN_IN_FIRST
from shared.websockets.clock import SYSTEM_CLOCK, Clock
from shared.websockets.credentials import Credential, credential_of, is_valid
from shared.websockets.file_stream import FileStream
from tables import selectors
from tables.api.parameters import Parameters
from tables.api.query_parameters import EXPORT
from tables.api.reads import columns_of, sort_of, view_of
from tables.column_types import TableShape
from tables.exceptions import NotAuthenticated, TablesError, WrongMethod
from tables.interchange.exporting import Export, View, make_export
from tables.interchange.file_names import disposition
from tables.selectors import Table

MEDIA_TYPES = (
    "text/csv",
    "application/json",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
)
Find = Callable[[], Table]


@extend_schema(parameters=EXPORT, responses={(200, *MEDIA_TYPES): {**TEXT, "format": "binary"}})
async def export_table(request: HttpRequest, table_id: int) -> HttpResponseBase:
    """Export the rows as a file, filtered, sorted and searched like the list of rows.

    A server process writes one file at a time for each user or address and two in total; further requests are a 429
    with Retry-After.
    """
    if request.method != "GET":
        raise WrongMethod(ONLY_METHOD(method="GET"), extra={"allow": "GET"})
    user = await request.auser()
    if not user.is_authenticated:
        raise NotAuthenticated(SIGN_IN_FIRST())
    credential = credential_of(request, user=user)
    return await export_answer(request, find=lambda: selectors.get_table(user, table_id), credential=credential)


export_table.allowed_methods = ("GET",)  # type: ignore[attr-defined]  # a function has no attribute of its own for it


async def export_answer(
    request: HttpRequest, *, find: Find, credential: Credential | None = None, clock: Clock = SYSTEM_CLOCK
) -> StreamingHttpResponse:
    """The file that the parameters of a request ask for; `find` says of which table, and refuses.

    While the file is sent, `find` is called again and the credential is checked.
    Raises what reading the rows with these parameters would raise, TooMany, and Invalid for what the format cannot
    hold.
    """
    asked = Parameters(Request(request), EXPORT)
    ending = asked.choice("format")

    def view(shape: TableShape) -> View:
        columns = columns_of(asked, shape=shape)
        return View(sort=sort_of(asked, shape=shape), columns=columns, **view_of(asked, shape=shape))

    def allowed() -> None:
        view(selectors.table_shape(find()))

    checked_at = clock.monotonic()
    # Whoever may not have the file takes no place from others. Nobody keeps a connection until the file is there.
    with time_limit(settings.DATABASE_READ_SECONDS, lock_seconds=settings.DATABASE_LOCK_SECONDS):
        await sync_to_async(giving_back)(allowed)
    stop = threading.Event()
    making = asyncio.ensure_future(
        sync_to_async(make_export, thread_sensitive=False)(
            find=find, view=view, ending=ending, stop=stop, client=getattr(request, "client", "")
        )
    )
    try:
        export = await asyncio.shield(making)
    except asyncio.CancelledError:
        stop.set()
        making.add_done_callback(_unwanted)
        raise

    def has_access() -> bool:
        try:
            find()
        except TablesError:
            return False
        return credential is None or is_valid(credential)

    return _answer(export, FileStream(export.file, has_access=has_access, clock=clock, checked_at=checked_at))


def _answer(export: Export, stream: FileStream) -> StreamingHttpResponse:
    return StreamingHttpResponse(
        stream,
        content_type=export.content_type,
        headers={
            "Content-Disposition": disposition(export.name),
            "Content-Length": str(export.size),
            "Cache-Control": "private, no-store",
        },
    )


def _unwanted(making: asyncio.Future[Export]) -> None:
    """Who asked has left while the file was being made."""
    if not making.cancelled() and making.exception() is None:
        making.result().file.close()

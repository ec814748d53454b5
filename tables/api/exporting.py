"""A table as a file. Plain async views: the file is made beside the event loop, and nobody waits for who has left."""
from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import IO

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from rest_framework.request import Request

from statements import giving_back
from statements.time_limits import time_limit
from tables import selectors
from tables.api.parameters import Parameters
from tables.api.reading import VIEW, columns_of, sort_of, view_of
from tables.column_types import TableShape
from tables.exceptions import NotAuthenticated, WrongMethod
from tables.interchange.exporting import FORMATS, Export, View, make_export
from tables.interchange.file_names import disposition
from tables.selectors import Table

PIECE = 64 * 1024
Find = Callable[[], Table]


async def export_table(request: HttpRequest, table_id: int) -> HttpResponseBase:
    """/api/tables/{id}/export/: whoever may read the table takes it along; as what is asked for, or as CSV."""
    if request.method != "GET":
        raise WrongMethod("Only GET is possible here.", extra={"allow": "GET"})
    user = await request.auser()
    if not user.is_authenticated:
        raise NotAuthenticated("Sign in first.")
    return await export_answer(request, find=lambda: selectors.get_table(user, table_id))


export_table.allowed_methods = ("GET",)  # type: ignore[attr-defined]  # a function has no attribute of its own for it


async def export_answer(request: HttpRequest, *, find: Find) -> StreamingHttpResponse:
    """The file that the parameters of a request ask for; `find` says of which table, and refuses.

    Raises what reading the rows with these parameters would raise, TooMany, and Invalid for what the format cannot
    hold.
    """
    asked = Parameters(Request(request), known=(*VIEW, "sort", "columns", "format"))
    ending = asked.choice("format", allowed=tuple(FORMATS))

    def view(shape: TableShape) -> View:
        columns = columns_of(asked, shape=shape)
        return View(sort=sort_of(asked, shape=shape), columns=columns, **view_of(asked, shape=shape))

    def allowed() -> None:
        view(selectors.table_shape(find()))

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
    return _answer(export)


def _answer(export: Export) -> StreamingHttpResponse:
    return StreamingHttpResponse(
        Pieces(export.file),
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


class Pieces:
    """A file, a piece at a time, read beside the event loop; the next is read when the reader has taken the last."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def __aiter__(self) -> Pieces:
        return self

    async def __anext__(self) -> bytes:
        piece = await sync_to_async(self._file.read, thread_sensitive=False)(PIECE)
        if not piece:
            self.close()
            raise StopAsyncIteration
        return piece

    def close(self) -> None:
        """Django calls this when the answer is over, also where the reader has left."""
        self._file.close()

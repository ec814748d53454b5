"""Backpressure for streamed responses: slow clients fill no memory, and stalled ones are disconnected."""
from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any

from django.conf import settings

from chatproject.asgi_types import ASGIApp, Receive, Scope, Send
from shared.websockets.file_stream import AccessEnded

log = logging.getLogger(__name__)

CLOSE_SECONDS = 5.0


class ClientStalled(Exception):
    """The client has stopped reading."""


def with_backpressure(app: ASGIApp) -> ASGIApp:
    """Send each chunk of a streamed response only after the transport has taken the one before.

    uvicorn does so itself. Daphne would buffer the whole response of a client that reads slowly. With both servers, a
    client that reads nothing for `STALL_SECONDS` is disconnected; it can resume event streams. A client that loses
    access to its response is disconnected too.
    """

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        transport = _Transport(send)

        async def send_paced(message: Any) -> None:
            is_streamed = message["type"] == "http.response.body" and message.get("more_body", False)
            if not is_streamed:
                transport.unregister()
                await send(message)
                return
            transport.register()
            try:
                if transport.has_producer:
                    await send(message)  # does not wait
                    if transport.writable.is_set():
                        return
                async with asyncio.timeout(settings.STALL_SECONDS):
                    await (transport.writable.wait() if transport.has_producer else send(message))
            except TimeoutError:
                # Only the first part of the path, because the rest may be secret.
                log.info("/%s: closed the connection of a stalled client", scope["path"].split("/")[1])
                transport.abort()
                # The application receives the disconnect meanwhile, and closes its resources.
                await asyncio.sleep(CLOSE_SECONDS)
                raise ClientStalled from None

        try:
            with suppress(ClientStalled):
                await app(scope, receive, send_paced)
        except AccessEnded:
            log.info("/%s: closed the connection of a client without access", scope["path"].split("/")[1])
            transport.abort()
        finally:
            transport.unregister()

    return serve


class _Transport:
    """The transport of a response. For Daphne, this is a Twisted producer that is paused while the buffer is full."""

    def __init__(self, send: Any) -> None:
        self.writable = asyncio.Event()
        self.writable.set()
        # Daphne does not expose the transport, but its request is bound to `send`. In uvicorn, `send` is a method.
        bound = getattr(send, "args", ())
        self._request: Any = next((part for part in bound if hasattr(part, "registerProducer")), None)
        self._cycle = getattr(send, "__self__", None)
        self._is_registered = False

    @property
    def has_producer(self) -> bool:
        """Whether the transport pauses this producer; otherwise `send` itself waits."""
        return self._request is not None

    def register(self) -> None:
        """Let the transport pause and resume this producer."""
        if self._request is not None and self._request.channel is not None and not self._is_registered:
            self._is_registered = True
            self._request.registerProducer(self, True)

    def unregister(self) -> None:
        """Undo `register`."""
        if self._is_registered:
            self._is_registered = False
            if self._request.channel is not None:
                self._request.unregisterProducer()

    def abort(self) -> None:
        """Close the connection and drop its buffer; a normal close would wait until the client has read it."""
        with suppress(AttributeError):
            if self._request is not None:
                self._request.channel.transport.abortConnection()
            elif self._cycle is not None:
                self._cycle.transport.abort()

    def pauseProducing(self) -> None:  # noqa: N802  the name is Twisted's
        self.writable.clear()

    def resumeProducing(self) -> None:  # noqa: N802  the name is Twisted's
        self.writable.set()

    def stopProducing(self) -> None:  # noqa: N802  the name is Twisted's
        self.writable.set()

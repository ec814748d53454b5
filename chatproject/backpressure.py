"""Makes whoever sends wait for whoever reads: a reader that stalls fills no memory, and after a while is cut off."""
from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any

from django.conf import settings

from chatproject.assets import ASGIApp, Receive, Scope, Send
from shared.websockets.file_stream import AccessEnded

log = logging.getLogger(__name__)

SECONDS_TO_CLOSE = 5.0


class Stalled(Exception):
    """The reader takes nothing any more."""


def with_pressure(app: ASGIApp) -> ASGIApp:
    """Every piece of a streamed answer waits until the one before it is on its way.

    uvicorn does so by itself. Daphne takes whatever it is given: a reader that stalls costs as much memory as there is
    to send. Either way a reader that takes nothing for `STALL_SECONDS` loses the connection; streams can be joined
    again. A streamed answer whose reader has lost the right to it ends in the same way.
    """

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        flow = _Flow(send)

        async def paced(message: Any) -> None:
            streams = message["type"] == "http.response.body" and message.get("more_body", False)
            if not streams:
                flow.end()
                await send(message)
                return
            flow.begin()
            try:
                if flow.tells:
                    await send(message)  # which waits for nobody
                    if flow.open.is_set():
                        return
                async with asyncio.timeout(settings.STALL_SECONDS):
                    await (flow.open.wait() if flow.tells else send(message))
            except TimeoutError:
                # No more of the address: the rest of it may be a key.
                log.info("/%s: closed the connection of a stalled client", scope["path"].split("/")[1])
                flow.cut()
                # Whoever listens for that hears that the reader is gone, and closes what it has open.
                await asyncio.sleep(SECONDS_TO_CLOSE)
                raise Stalled from None

        try:
            with suppress(Stalled):
                await app(scope, receive, paced)
        except AccessEnded:
            log.info("/%s: closed the connection of a client without access", scope["path"].split("/")[1])
            flow.cut()
        finally:
            flow.end()

    return serve


class _Flow:
    """What the server's transport says of its buffer; for Daphne in the words of Twisted, whose producer this is."""

    def __init__(self, send: Any) -> None:
        self.open = asyncio.Event()
        self.open.set()
        # Daphne's request, where it is Daphne: it hands out no transport, but the function that sends is bound to it.
        bound = getattr(send, "args", ())
        self._request: Any = next((part for part in bound if hasattr(part, "registerProducer")), None)
        self._cycle = getattr(send, "__self__", None)
        self._begun = False

    @property
    def tells(self) -> bool:
        """Whether the transport tells when it has enough; else sending itself waits."""
        return self._request is not None

    def begin(self) -> None:
        """From now on the transport tells when it has enough."""
        if self._request is not None and self._request.channel is not None and not self._begun:
            self._begun = True
            self._request.registerProducer(self, True)

    def end(self) -> None:
        """It tells no more."""
        if self._begun:
            self._begun = False
            if self._request.channel is not None:
                self._request.unregisterProducer()

    def cut(self) -> None:
        """Closes the connection with whatever it still holds: a mere close would wait for the reader."""
        with suppress(AttributeError):
            if self._request is not None:
                self._request.channel.transport.abortConnection()
            elif self._cycle is not None:
                self._cycle.transport.abort()

    def pauseProducing(self) -> None:  # noqa: N802  the name is Twisted's
        self.open.clear()

    def resumeProducing(self) -> None:  # noqa: N802  the name is Twisted's
        self.open.set()

    def stopProducing(self) -> None:  # noqa: N802  the name is Twisted's
        self.open.set()

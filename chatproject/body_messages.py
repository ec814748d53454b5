"""The body of a request, read from the file where Daphne stores it while the application receives it.

Daphne reads all of a body at once, as soon as it is complete: all bodies that arrive at the same time are in memory
together, also those that are refused, and meanwhile no other request is served.
"""

from __future__ import annotations

import asyncio
from io import BytesIO
from typing import IO, Any, Protocol

from chatproject.assets import ASGIApp, Receive, Scope, Send
from chatproject.body_limits import REQUEST_BUFFER_SIZE


class DaphneRequest(Protocol):
    """What is used of Daphne's request, and added to it."""

    content: IO[bytes]
    body_messages: BodyMessages


class BodyMessages:
    """What an application receives: the body in parts, then the messages of the server's queue."""

    def __init__(self, body: IO[bytes], queue: asyncio.Queue[Any]) -> None:
        self._body: IO[bytes] | None = body
        self._queue = queue
        self._has_begun = False

    async def receive(self) -> Any:
        if not self._has_begun:
            # Of the empty file in place of the body.
            self._has_begun = True
            await self._queue.get()
        if self._body is None or not self._queue.empty():
            # The client has disconnected.
            return await self._queue.get()
        part = self._body.read(REQUEST_BUFFER_SIZE)
        more = len(part) == REQUEST_BUFFER_SIZE
        if not more:
            self.close()
        return {"type": "http.request", "body": part, "more_body": more}

    def close(self) -> None:
        """Delete the body."""
        if self._body is not None:
            self._body.close()
            self._body = None


class ReadsBodiesInParts:
    """For a subclass of Daphne's server, before which it comes."""

    def __init__(self, application: ASGIApp, **options: Any) -> None:
        super().__init__(application=self._serve, **options)  # type: ignore[call-arg]  # of Daphne's server
        self._application = application

    def create_application(self, protocol: DaphneRequest, scope: Scope) -> Any:
        """Start the application, and return the queue into which Daphne puts what it reads of `protocol.content`."""
        queue = super().create_application(protocol, scope)  # type: ignore[misc]  # of Daphne's server
        if queue is not None and scope["type"] == "http":
            # The application runs only after this.
            protocol.body_messages = BodyMessages(protocol.content, queue)
            protocol.content = BytesIO()
        return queue

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Daphne's `send` is a method of the server, to which its request or socket has been given as an argument.
        protocol: Any = getattr(send, "args", (None,))[0]
        messages: BodyMessages | None = getattr(protocol, "body_messages", None)
        if messages is None:
            await self._application(scope, receive, send)
            return
        try:
            await self._application(scope, messages.receive, send)
        finally:
            messages.close()

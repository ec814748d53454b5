"""Passes request bodies to the application in parts, and replaces invalid content types.

Daphne itself reads a whole body into memory as soon as it is complete, also if the request is refused later, and serves
no other request meanwhile.
"""
from __future__ import annotations

import asyncio
from io import BytesIO
from typing import IO, Any, Protocol

from django.utils.http import parse_header_parameters

from chatproject.asgi_types import ASGIApp, Receive, Scope, Send
from chatproject.limits.body_size import REQUEST_BUFFER_SIZE


class DaphneRequest(Protocol):
    """The attributes of Daphne's request that are used, and the one that is added."""

    content: IO[bytes]
    body_messages: BodyMessages


class BodyMessages:
    """The messages that an application receives: the body in parts, then those in the server's queue."""

    def __init__(self, body: IO[bytes], queue: asyncio.Queue[Any]) -> None:
        self._body: IO[bytes] | None = body
        self._queue = queue
        self._has_started = False

    async def receive(self) -> Any:
        if not self._has_started:
            # Drop the message of the empty file that replaced the body.
            self._has_started = True
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
        """Delete the file."""
        if self._body is not None:
            self._body.close()
            self._body = None


class BodyFromFileMixin:
    """Mixin for a subclass of Daphne's server, to be listed before it."""

    def __init__(self, application: ASGIApp, **options: Any) -> None:
        super().__init__(application=self._serve, **options)  # type: ignore[call-arg]  # of Daphne's server
        self._application = application

    def create_application(self, protocol: DaphneRequest, scope: Scope) -> Any:
        """Start the application, and return the queue for the messages that Daphne reads from `protocol.content`."""
        queue = super().create_application(protocol, scope)  # type: ignore[misc]  # of Daphne's server
        if queue is not None and scope["type"] == "http":
            # The application has not run yet.
            protocol.body_messages = BodyMessages(protocol.content, queue)
            protocol.content = BytesIO()
        return queue

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Daphne's `send` is a partial of a method of the server with its request or socket.
        protocol: Any = getattr(send, "args", (None,))[0]
        messages: BodyMessages | None = getattr(protocol, "body_messages", None)
        if messages is None:
            await self._application(scope, receive, send)
            return
        try:
            await self._application(scope, messages.receive, send)
        finally:
            messages.close()


CONTENT_TYPE = b"content-type"
# Refused by all views that read a body.
UNKNOWN_CONTENT_TYPE = b"application/octet-stream"
ALL_BYTES = bytes(range(256))


def with_valid_content_type(app: ASGIApp) -> ASGIApp:
    """Replace a content type that cannot be parsed by an unknown one.

    Django would raise an exception: before any middleware for `a; x*=unknown''y`, and in the middle of a form for
    `charset=hex`, which is a codec, but not a text encoding.
    """

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and any(name == CONTENT_TYPE and b";" in value for name, value in scope["headers"]):
            headers = [
                (name, _valid_content_type(value) if name == CONTENT_TYPE else value)
                for name, value in scope["headers"]
            ]
            scope = {**scope, "headers": headers}
        await app(scope, receive, send)

    return serve


def _valid_content_type(value: bytes) -> bytes:
    try:
        _, parameters = parse_header_parameters(value.decode("latin-1"))
        # Django decodes fields in the same way.
        ALL_BYTES.decode(str(parameters.get("charset", "utf-8")), "replace")
    except (LookupError, ValueError):
        return UNKNOWN_CONTENT_TYPE
    return value

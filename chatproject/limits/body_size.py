"""Limits on request bodies: bytes for each URL, and the number of values in JSON."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from chatproject.asgi_types import ASGIApp, Receive, Scope, Send
from chatproject.uploads import is_upload, is_upload_path, max_upload_mb

MB = 1024 * 1024
# The form around an uploaded file.
FORM_OVERHEAD = MB
# Bytes of a body in one message of Daphne. At this size, the fixed cost of a message equals that of its bytes.
REQUEST_BUFFER_SIZE = 64 * 1024
# Bytes of a body that are received before other tasks of the event loop run.
UNBROKEN_SIZE = 256 * 1024
# Paths whose bodies hold rows: up to 10,000 of them, or one with 500 cells of 64 kB.
ROW_BODIES = re.compile(
    r"/api/(?:"
    r"tables/(?:\d+/(?:rows/(?:delete/|\d+/)?|proposals/(?:data|schema)/)|proposals/schema/)?"
    r"|imports/"
    r"|chat/payloads/[^/]+/(?:apply|preview)/"
    r")"
)


@dataclass(frozen=True)
class JsonLimits:
    """The largest JSON body of a path: its bytes, and its values, which need about 100 bytes of memory each."""

    size: int
    values: int


OTHER_BODIES = JsonLimits(size=MB, values=100_000)


def json_limits(path: str) -> JsonLimits:
    """Return the limits for JSON sent to this path."""
    if ROW_BODIES.fullmatch(path):
        return JsonLimits(size=int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE), values=1_000_000)
    return OTHER_BODIES


def max_body_size(request: HttpRequest) -> int:
    """Return the number of bytes that the body of this request may have."""
    return _max_size(request.path, upload=is_upload(request))


def with_body_limit(app: ASGIApp) -> ASGIApp:
    """Pass on at most one byte more of a body than its path accepts, and drop the rest as it arrives.

    Django would store all of it before the first middleware runs. With the extra byte, BodyLimitMiddleware refuses the
    request. While large bodies are received, other tasks of the event loop run in between.
    """

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        left = _max_size(scope["path"], upload=_is_multipart(scope) and is_upload_path(scope["path"])) + 1
        unbroken = 0

        async def next_part() -> Any:
            nonlocal unbroken
            if unbroken >= UNBROKEN_SIZE:
                # `receive` does not suspend while data is available, so let other tasks run.
                unbroken = 0
                await asyncio.sleep(0)
            message = await receive()
            unbroken += len(message.get("body", b""))
            return message

        async def limited() -> Any:
            nonlocal left
            message = await next_part()
            while left == 0 and message["type"] == "http.request":
                message = await next_part()
            if message["type"] == "http.request":
                body = message.get("body", b"")[:left]
                left -= len(body)
                message = {**message, "body": body, "more_body": message.get("more_body", False) and left > 0}
            return message

        await app(scope, limited, send)

    return serve


def _is_multipart(scope: Scope) -> bool:
    return any(name == b"content-type" and value.startswith(b"multipart/") for name, value in scope["headers"])


def _max_size(path: str, *, upload: bool) -> int:
    if upload:
        return max_upload_mb(path) * MB + FORM_OVERHEAD
    if path.startswith("/api/"):
        return json_limits(path).size
    return int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)

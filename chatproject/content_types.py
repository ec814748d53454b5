"""What a request says its body is, where that can be read: Django and DRF would break on some of what cannot."""
from __future__ import annotations

from django.utils.http import parse_header_parameters

from chatproject.assets import ASGIApp, Receive, Scope, Send

NAME = b"content-type"
# Neither JSON nor a form: refused by whoever wants a body, and no matter to anybody else.
UNREADABLE = b"application/octet-stream"
ALL_BYTES = bytes(range(256))


def with_readable_types(app: ASGIApp) -> ASGIApp:
    """Puts a type that says nothing in the place of one that says something impossible.

    Django raises before any middleware at `a; x*=unknown''y`, and in the middle of a form at `charset=hex`, which is
    a codec, but none of texts.
    """

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and any(name == NAME and b";" in value for name, value in scope["headers"]):
            headers = [(name, _readable(value) if name == NAME else value) for name, value in scope["headers"]]
            scope = {**scope, "headers": headers}
        await app(scope, receive, send)

    return serve


def _readable(said: bytes) -> bytes:
    try:
        _, parameters = parse_header_parameters(said.decode("latin-1"))
        # As Django reads fields: every byte is something, if only the sign for what is nothing.
        ALL_BYTES.decode(str(parameters.get("charset", "utf-8")), "replace")
    except (LookupError, ValueError):
        return UNREADABLE
    return said

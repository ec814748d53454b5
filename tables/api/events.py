"""The event stream of a table. A plain async view, because views of DRF cannot be async."""
from __future__ import annotations

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from shared.db import call_and_close
from shared.rest.openapi import ref
from shared.user_messages import declare
from shared.user_messages.request_messages import ONLY_EVENT_STREAM, ONLY_METHOD, SIGN_IN_FIRST
from shared.websockets.credentials import credential_of
from shared.websockets.event_stream import EVENT_STREAM, RETRY_SECONDS, STREAM_HEADERS, is_server_ending
from tables import selectors
from tables.api.parameters import EVENTS, MAX_DIGITS, Parameters
from tables.consumers.event_stream import table_event_stream
from tables.exceptions import NotAcceptable, NotAuthenticated, Unavailable, WrongMethod
from tables.operations.body_reader import Form

LAST_EVENT_ID = "Last-Event-ID"
SERVER_RESTARTS = declare("server_restarts", "The server restarts. Connect again in a moment.")
EVENT_ID_NEEDED = declare("event_id_needed", "This must be the id of an event.")


@extend_schema(parameters=EVENTS, responses={(200, EVENT_STREAM): ref("TableEvent")})
async def table_events(request: HttpRequest, table_id: int) -> HttpResponseBase:
    """Follow the changes of a table as server-sent events.

    The id of an event is the version of the table. The stream starts with the changes after `Last-Event-ID` or
    `after_version`, without both after the current version, followed by “ready”. If changes are missing, it sends
    “reset”: read the table again.

    The stream has no end. The server ends it within two seconds of the end of the session, the token or the access to
    the table, and when it restarts: connect again with the last id. The oldest of more than 10 streams of a user to
    one table, or of 50 streams and sockets, is ended too.
    """
    if request.method != "GET":
        raise WrongMethod(ONLY_METHOD(method="GET"), extra={"allow": "GET"})
    user = await request.auser()
    if not user.is_authenticated:
        raise NotAuthenticated(SIGN_IN_FIRST())
    if not request.accepts(EVENT_STREAM):
        raise NotAcceptable(ONLY_EVENT_STREAM(type=EVENT_STREAM))
    after = _version_of(request)
    await sync_to_async(call_and_close)(selectors.get_table, user, table_id)
    credential = credential_of(request, user=user)
    if is_server_ending():
        raise Unavailable(SERVER_RESTARTS(), code="restarting", extra={"retry_after": RETRY_SECONDS})
    body = table_event_stream(user=user, table_id=table_id, after=after, credential=credential)
    return StreamingHttpResponse(body, headers=STREAM_HEADERS)


table_events.allowed_methods = ("GET",)  # type: ignore[attr-defined]  # a function has no attribute of its own for it


def _version_of(request: HttpRequest) -> int | None:
    """Return the version after which the stream starts. Raises Malformed."""
    form = Form()
    parameters = Parameters(Request(request), [each for each in EVENTS if each.location == "query"], form=form)
    # Clients that connect again send it with the same URL.
    last = request.headers.get(LAST_EVENT_ID)
    if last is not None and not (last.isascii() and last.isdigit() and len(last) <= MAX_DIGITS):
        form.fault(path=LAST_EVENT_ID, code="not_whole", message=EVENT_ID_NEEDED())
    form.refuse()
    return parameters.optional_integer("after_version") if last is None else int(last)

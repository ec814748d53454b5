"""Views that start, stream and cancel turns. They are plain Django views, because views of DRF cannot be async."""
from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from functools import wraps
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.utils import timezone

from chat.exceptions import Malformed, NotAcceptable, NotAuthenticated, WrongMediaType, WrongMethod
from chat.selectors import get_turn
from chat.services import end_stale_turns, request_cancel
from chat.turns.database import in_database
from chat.turns.event_stream import EventStream, LocalizeEvent
from chat.turns.request import read_together, read_turn_request, refuse_unknown, refuse_unknown_parameters
from chat.turns.runtime import TurnRuntime, current_runtime
from chat.turns.start import start_turn_task
from chat.turns.stream_slots import StreamSlot
from shared import strictjson
from shared.user_messages import declare
from shared.user_messages.request_messages import JSON_NEEDED, ONLY_EVENT_STREAM, ONLY_METHOD, SIGN_IN_FIRST
from shared.websockets.credentials import Credential, credential_of
from shared.websockets.event_stream import EVENT_STREAM, STREAM_HEADERS

OBJECT_OR_NOTHING = declare("object_or_nothing", "This must be a JSON object, or empty.")
EVENT_NUMBER_NEEDED = declare("event_number_needed", "This must be the number of an event.")
CANCEL_SECONDS = 5.0
# A message with the state of its page has some hundred values.
MAX_JSON_VALUES = 100_000

View = Callable[..., Coroutine[Any, Any, HttpResponseBase]]
# Returns how events are localized for the client of a request; None if they are sent as stored.
Localizer = Callable[[HttpRequest], LocalizeEvent | None]


def authenticated(method: str) -> Callable[[View], View]:
    """Decorate a view for one method and signed-in users, which it receives as `user`."""

    def decorate(view: View) -> View:
        @wraps(view)
        async def wrapper(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
            if request.method != method:
                raise WrongMethod(ONLY_METHOD(method=method), extra={"allow": method})
            user = await request.auser()
            if not user.is_authenticated:
                raise NotAuthenticated(SIGN_IN_FIRST())
            return await view(request, user=user, **kwargs)

        wrapper.allowed_methods = (method,)  # type: ignore[attr-defined]  # no attribute of a function
        return wrapper

    return decorate


@authenticated("POST")
async def stream_turn(request: HttpRequest, *, user: Any, localizer: Localizer) -> HttpResponseBase:
    """Start a turn and stream it; a `client_turn_id` or Idempotency-Key that was sent before joins its turn."""
    _require_event_stream(request)
    key = request.headers.get("Idempotency-Key", "")
    _, turn_request = read_together(
        lambda: refuse_unknown_parameters(request.GET),
        lambda: read_turn_request(_json_of(request), idempotency_key=key),
    )
    runtime = current_runtime()
    async with runtime.stream_slots.request(user) as slot_request:
        credential = credential_of(request, user=user)
        turn = await start_turn_task(
            runtime, user=user, request=turn_request, slot_request=slot_request, credential=credential
        )
    localize, slot = localizer(request), slot_request.slot
    return stream_of(runtime, turn_id=turn.pk, after=0, credential=credential, slot=slot, localize=localize)


@authenticated("GET")
async def join_turn(request: HttpRequest, *, user: Any, turn_id: str, localizer: Localizer) -> HttpResponseBase:
    """Stream the events after `Last-Event-ID` (or `?after=`), then live ones; of an ended turn only the stored ones."""
    _require_event_stream(request)
    _, after = read_together(
        lambda: refuse_unknown_parameters(request.GET, known=("after",)),
        lambda: _event_number(request),
    )
    runtime = current_runtime()
    async with stream_slot(runtime, user=user) as slot:
        turn = await in_database(_turn_of, user, turn_id)
        # Trials are on pages for administrators, which are in English.
        localize = None if turn.conversation.sandbox else localizer(request)
        credential = credential_of(request, user=user)
        return stream_of(runtime, turn_id=turn.pk, after=after, credential=credential, slot=slot, localize=localize)


@authenticated("POST")
async def cancel_turn(request: HttpRequest, *, user: Any, turn_id: str) -> HttpResponse:
    """Cancel a running turn and answer when it has ended. An ended turn does not change."""
    body = _json_of(request) if request.body else {}
    if not isinstance(body, dict):
        raise Malformed(OBJECT_OR_NOTHING())
    read_together(lambda: refuse_unknown_parameters(request.GET), lambda: refuse_unknown(body, known=()))
    turn = await in_database(_turn_of, user, turn_id)
    runtime = current_runtime()
    running = runtime.running.get(turn.pk)
    if running is None:
        await in_database(request_cancel, turn.pk, now=timezone.now())
    else:
        # Cancelled in memory, because one of the turn's tools may have locked the database.
        running.stop()
        with suppress(TimeoutError):
            async with runtime.clock.timeout(CANCEL_SECONDS):
                await running.log.until_end()
        if running.log.final_type == "cancelled":
            return JsonResponse({"id": str(turn.pk), "state": running.log.final_type})
    turn = await in_database(get_turn, user, turn_id, include_trials=True)
    return JsonResponse({"id": str(turn.pk), "state": turn.state})


def _require_event_stream(request: HttpRequest) -> None:
    """Raise NotAcceptable when the Accept header excludes event streams."""
    if not request.accepts(EVENT_STREAM):
        raise NotAcceptable(ONLY_EVENT_STREAM(type=EVENT_STREAM))


def _json_of(request: HttpRequest) -> Any:
    """Parse the body, whose content type must be JSON."""
    if request.content_type != "application/json":
        raise WrongMediaType(JSON_NEEDED())
    return strictjson.loads(request.body, max_values=MAX_JSON_VALUES)


def _turn_of(user: Any, turn_id: str) -> Any:
    end_stale_turns(user=user, now=timezone.now())
    return get_turn(user, turn_id, include_trials=True)


@asynccontextmanager
async def stream_slot(runtime: TurnRuntime, *, user: Any) -> AsyncIterator[StreamSlot]:
    """Take a stream slot, and release it if the block fails. Raises TooMany."""
    slot = await runtime.stream_slots.take(user)
    try:
        yield slot
    except BaseException:
        await slot.release()
        raise


def stream_of(
    runtime: TurnRuntime,
    *,
    turn_id: UUID,
    after: int,
    credential: Credential,
    slot: StreamSlot,
    localize: LocalizeEvent | None = None,
) -> StreamingHttpResponse:
    """Return the response with the events of a turn after that number, while the credential is valid."""
    body = EventStream(
        runtime=runtime,
        turn_id=turn_id,
        after=after,
        user_id=credential.user_id,
        slot=slot,
        localize=localize,
        credential=credential,
    )
    return StreamingHttpResponse(body, headers=STREAM_HEADERS)


def _event_number(request: HttpRequest) -> int:
    """Return the number of the last event that was received, 0 without one. Raises Malformed."""
    sent = {"Last-Event-ID": request.headers.get("Last-Event-ID"), "after": request.GET.get("after")}
    path, text = next(((name, value) for name, value in sent.items() if value), ("", "0"))
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Malformed(EVENT_NUMBER_NEEDED(), code="not_whole", path=path)
    return int(text)

"""Streams of model calls are closed explicitly: the garbage collector could close them in any
thread, while the loop closes the same stream."""
from __future__ import annotations

import asyncio
import gc
import types
from dataclasses import replace
from typing import Any

import pytest
from asgiref.sync import async_to_sync, markcoroutinefunction
from django.conf import settings
from django.contrib.auth.models import User
from django.core.asgi import get_asgi_application
from django.test import override_settings
from django.utils import timezone

from accounts.tokens import create_token
from chat.turns.event_stream import EventStream
from chat.turns.runtime import RunningTurn, TurnRuntime, current_runtime
from chat.turns.stream_slots import StreamSlot
from chatproject.server.application import django_application
from tests.chat.stored_conversations import finish_turn, running_turn, turn_request
from tests.chat.turns.conftest import streams_in
from tests.chat.turns.test_failures import follow
from tests.chat.turns.test_silent_providers import SILENCES
from tests.manual_clock import ManualClock, settle
from tests.scripted_model import Gate, ScriptedModel

# A provider whose models are loaded.
PROVIDER = {"ANTHROPIC_API_KEY": "k", "CHAT_FIRST_TOKEN_SECONDS": 0}
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]


def find_streams() -> list[object]:
    # isinstance() would evaluate lazy objects.
    return [item for item in gc.get_objects() if type(item) is types.AsyncGeneratorType]


@pytest.mark.parametrize("name", SILENCES)
def test_silent_stream_is_closed_by_its_reader(user: User, name: str, garbage: list[object]) -> None:
    first, *others = SILENCES[name].replies
    reply, clock = replace(first, gate=Gate()), ManualClock()

    @async_to_sync
    async def scene() -> list[str]:
        runtime = TurnRuntime(clock=clock)
        turning = asyncio.ensure_future(follow(runtime, user=user, request=turn_request()))
        while not turning.done():
            await asyncio.to_thread(reply.gate.reached.wait, 60)  # type: ignore[union-attr]  # given above
            await clock.advance(30)
        turning.result()
        left = streams_in(garbage)
        (shared,) = runtime.clients.values()
        await shared.client.aclose()
        return left

    with ScriptedModel(reply, *others).serve() as url, override_settings(**PROVIDER, ANTHROPIC_BASE_URL=url):
        assert scene() == []


def test_response_is_closed_when_its_client_disconnects_during_a_piece(user: User, garbage: list[object]) -> None:
    turn, (_, secret) = finish_turn(running_turn(user)), create_token(user=user, name="reader", now=timezone.now())
    headers = [(b"host", b"testserver"), (b"authorization", f"Bearer {secret}".encode())]
    path = f"/api/chat/turns/{turn.pk}/stream/"
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}

    @async_to_sync
    async def scene() -> list[str]:
        incoming, sent = iter([{"type": "http.request", "body": b""}]), asyncio.Event()
        earlier = {id(item) for item in find_streams()}

        async def receive() -> dict[str, object]:
            for message in incoming:
                return message
            await sent.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, object]) -> None:
            if message["type"] == "http.response.body":
                sent.set()
                await asyncio.Event().wait()

        await django_application(scope, receive, send)
        while current_runtime().stream_slots.held or any("StreamBody" in str(task) for task in asyncio.all_tasks()):
            await asyncio.sleep(0)
        current = [item for item in find_streams() if id(item) not in earlier]
        return [item.__qualname__ for item in current if item.ag_frame]  # type: ignore[attr-defined]  # async generators

    assert scene() == []


def test_response_closed_twice_ends_once(user: User) -> None:
    turn = running_turn(user)

    @async_to_sync
    async def scene() -> tuple[list[object], list[str]]:
        runtime, released, broke = TurnRuntime(clock=ManualClock()), [], []
        asyncio.get_running_loop().set_exception_handler(lambda _, error: broke.append(error["message"]))

        async def release() -> None:
            released.append(turn.pk)
            await asyncio.sleep(0)

        async def work(running: RunningTurn) -> None:
            running.send({"type": "text_delta", "text": "w"})
            await asyncio.Event().wait()

        runtime.launch(turn.pk, work)
        stream = EventStream(runtime=runtime, turn_id=turn.pk, after=0, user_id=user.pk, slot=StreamSlot(release))
        await anext(aiter(stream))
        stream.close()
        stream.close()
        await settle()
        gc.collect()
        runtime.running[turn.pk].task.cancel()
        return released, broke

    assert scene() == ([turn.pk], [])


class BlockingMiddleware:
    """A middleware that does not return a response before the client disconnects."""

    async_capable, sync_capable = True, False

    def __init__(self, get_response: Any) -> None:
        self._get_response = get_response
        markcoroutinefunction(self)

    async def __call__(self, request: Any) -> Any:
        answer = await self._get_response(request)
        assert (answer.status_code, current_runtime().stream_slots.held.total()) == (200, 1)
        request.scope["answered"].set()
        await asyncio.Event().wait()


def test_response_that_is_never_sent_releases_its_slot(user: User) -> None:
    turn, (_, secret) = finish_turn(running_turn(user)), create_token(user=user, name="reader", now=timezone.now())
    headers = [(b"host", b"testserver"), (b"authorization", f"Bearer {secret}".encode())]
    path = f"/api/chat/turns/{turn.pk}/stream/"
    middleware = [f"{__name__}.BlockingMiddleware", *settings.MIDDLEWARE]

    @async_to_sync
    async def scene() -> int:
        incoming, answered = iter([{"type": "http.request", "body": b""}]), asyncio.Event()
        scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}

        async def receive() -> dict[str, object]:
            for message in incoming:
                return message
            await answered.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, object]) -> None:
            raise AssertionError(message)

        with override_settings(MIDDLEWARE=middleware):
            await get_asgi_application()({**scope, "answered": answered}, receive, send)
        await settle()
        while len(asyncio.all_tasks()) > 1:
            await asyncio.sleep(0)
        return current_runtime().stream_slots.held.total()

    assert scene() == 0

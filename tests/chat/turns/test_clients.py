"""Clients of models: shared by turns, replaced when the configuration changes, updated by checks."""
from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.contrib.auth.models import User
from django.test.utils import override_settings
from django.utils import timezone

from chat.models import ModelCheck
from chat.provider.configured import model_named
from chat.services.configuration.model_checks import save_check
from chat.turns.event_stream import EventStream
from chat.turns.model_clients import use_transport
from chat.turns.runtime import TurnRuntime
from chat.turns.start import start_turn_task
from tests.chat.stored_conversations import turn_request
from tests.local_servers import DIALECTS, LocalServer, fields_of
from tests.manual_clock import ManualClock
from tests.scripted_model import Gate, ScriptedModel, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]
LOCAL = override_settings(ANTHROPIC_BASE_URL="http://127.0.0.1:4000", CHAT_MODEL="qwen3")


class CountedTransport(httpx2.AsyncBaseTransport):
    """Counts how often it is closed, once per client."""

    def __init__(self, script: ScriptedModel) -> None:
        self.closed = 0
        self._script = script.transport()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return await self._script.handle_async_request(request)

    async def aclose(self) -> None:
        self.closed += 1


async def finish_turn(runtime: TurnRuntime, *, user: User) -> None:
    turn = await start_turn_task(runtime, user=user, request=turn_request())
    async for _ in EventStream(runtime=runtime, turn_id=turn.pk, after=0, user_id=user.pk):
        pass


def check_finds(*lacks: str) -> Any:
    return sync_to_async(save_check)(model_named("qwen3"), findings=[], lacks=lacks, now=timezone.now())


def test_replaced_client_is_closed_when_no_turn_uses_it(user: User) -> None:
    gate = Gate()
    transport = CountedTransport(ScriptedModel(say("One.", gate=gate), say("Two."), say("Three.")))

    @async_to_sync
    async def scene() -> list[int]:
        runtime = TurnRuntime(clock=ManualClock())
        held = asyncio.ensure_future(finish_turn(runtime, user=user))
        await asyncio.to_thread(gate.reached.wait, 60)
        with override_settings(CHAT_CALL_SECONDS=50):
            await finish_turn(runtime, user=user)
        counts = [transport.closed]
        gate.open()
        await held
        counts.append(transport.closed)
        with override_settings(CHAT_CALL_SECONDS=40):
            await finish_turn(runtime, user=user)
        return [*counts, transport.closed]

    with use_transport(transport):
        assert scene() == [0, 1, 2]


@LOCAL
def test_turn_during_a_check_stores_only_what_it_learned(user: User) -> None:
    gate = Gate()
    server = LocalServer("litellm", say("Hello.", gate=gate))

    @async_to_sync
    async def scene() -> None:
        await check_finds("cache_control")
        held = asyncio.ensure_future(finish_turn(TurnRuntime(clock=ManualClock()), user=user))
        await asyncio.to_thread(gate.reached.wait, 60)
        await check_finds()
        gate.open()
        await held

    with use_transport(server.transport()):
        scene()
    assert ModelCheck.objects.get().lacks == ["tool_choice", "usage"]


@LOCAL
def test_check_updates_running_processes(user: User) -> None:
    server = LocalServer("litellm", say("Hello."), say("Hello again."))

    @async_to_sync
    async def scene() -> None:
        runtime = TurnRuntime(clock=ManualClock())
        await finish_turn(runtime, user=user)
        server.dialect = DIALECTS["llama_cpp"]
        await check_finds()
        await finish_turn(runtime, user=user)

    with use_transport(server.transport()):
        scene()
    assert {"cache_control", "tool_choice"} <= fields_of(server.requests[-1])
    assert ModelCheck.objects.get().lacks == []

"""What a call of the model leaves behind: no stream is left half read to the garbage collector, which may run in any
thread, beside the loop that is just closing the same stream."""
from __future__ import annotations

import asyncio
import gc
import types
from collections.abc import Iterator
from dataclasses import replace

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.test import override_settings

from chat.turns.host import Host
from tests.chat.kept import wish
from tests.chat.turns.test_failures import CASES, SILENCES, follow
from tests.hand_clock import HandClock
from tests.hasty_clock import HastyClock
from tests.scripted import Gate, ScriptedModel

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]


def streams() -> list[object]:
    # By their type alone: some lazy things work out what they are when they are asked.
    return [thing for thing in gc.get_objects() if type(thing) is types.AsyncGeneratorType]


@pytest.fixture
def garbage() -> Iterator[list[object]]:
    """What only the collector would find, kept instead of thrown away; nothing of the tests before."""
    gc.collect()
    earlier = streams()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    yield gc.garbage
    gc.set_debug(0)
    gc.enable()
    gc.garbage.clear()
    earlier.clear()


def streams_in(garbage: list[object]) -> list[str]:
    gc.collect()
    return [thing.__qualname__ for thing in garbage if type(thing) is types.AsyncGeneratorType]  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", CASES)
def test_every_stream_is_closed_by_whoever_reads_it(user: User, name: str, garbage: list[object]) -> None:
    script = ScriptedModel(*CASES[name].replies)

    @async_to_sync
    async def scene() -> list[str]:
        host = Host(clock=HastyClock())
        await follow(host, user=user, request=wish())
        left = streams_in(garbage)
        assert host.client is not None
        await host.client[1].aclose()
        return left

    with script.serve() as url, override_settings(ANTHROPIC_API_KEY="k", ANTHROPIC_BASE_URL=url):
        assert scene() == []


@pytest.mark.parametrize("name", SILENCES)
def test_so_is_one_that_fell_silent(user: User, name: str, garbage: list[object]) -> None:
    reply, clock = replace(SILENCES[name], gate=Gate()), HandClock()

    @async_to_sync
    async def scene() -> list[str]:
        host = Host(clock=clock)
        turning = asyncio.ensure_future(follow(host, user=user, request=wish()))
        while not turning.done():
            await asyncio.to_thread(reply.gate.reached.wait, 60)  # type: ignore[union-attr]  # given above
            await clock.advance(30)
        turning.result()
        left = streams_in(garbage)
        assert host.client is not None
        await host.client[1].aclose()
        return left

    with ScriptedModel(reply).serve() as url, override_settings(ANTHROPIC_API_KEY="k", ANTHROPIC_BASE_URL=url):
        assert scene() == []

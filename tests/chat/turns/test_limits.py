"""Default limits of a turn, and hard caps that no setting exceeds."""
from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import attrgetter
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.test import override_settings

from chat.agent.loop import Limits
from chat.agent.tools import ToolContext, tools
from chat.catalogue import CAPS, Engine
from chat.page_config import pages
from chat.selectors.configuration.catalogue import engine_of_settings
from chat.turns.event_stream import EventStream
from chat.turns.model_clients import use_transport
from chat.turns.runtime import RunningTurn, TurnRuntime
from chat.turns.start import start_turn_task
from tests.chat.agent.turn import run
from tests.chat.agent.turn import tool as agent_tool
from tests.chat.entries import NOTES, tool
from tests.chat.stored_conversations import turn_request
from tests.chat.turns.turn_runs import answer_of, events_of, run_turn
from tests.manual_clock import ManualClock, settle
from tests.scripted_model import Gate, ScriptedModel, refuse, say, use

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

HANGING: Any = {"page": "hanging", "context": {"current_page": "hanging", "note_id": "7"}}


def test_turn_calls_at_most_twelve_tools(user: User) -> None:
    calls = use(*[("echo", {"say": str(number)}) for number in range(13)])
    turn, _ = run_turn(user, ScriptedModel(calls, say("Enough.")))

    assert [entry["is_error"] for entry in answer_of(turn).tool_history] == [False] * 12 + [True]


def test_turn_has_five_model_calls_the_last_without_tools(user: User) -> None:
    script = ScriptedModel(*[use(("echo", {}))] * 4, say("Enough."))
    run_turn(user, script)

    assert [request["tool_choice"]["type"] for request in script.requests] == ["auto"] * 4 + ["none"]


def test_tool_output_is_cut_at_sixty_kilobytes_with_a_notice(user: User) -> None:
    calls = use(*[("echo", {"say": "x" * 40_000})] * 2)
    turn, _ = run_turn(user, ScriptedModel(calls, say("That was much.")))

    first, second = (entry["output"] for entry in answer_of(turn).tool_history)
    output, _, notice = second.partition("\n")
    assert len(first) + len(output) == 60_000
    assert "[Truncated:" in notice


@pytest.mark.django_db(transaction=False)
def test_default_limits() -> None:
    engine = engine_of_settings()

    assert engine == Engine(model=engine.model)
    assert (engine.tokens_a_day, engine.context_tokens, engine.turns_a_minute) == (1_000_000, 200_000, 20)
    assert (engine.retries, engine.retry_seconds) == (2, 20)


@pytest.mark.django_db(transaction=False)
def test_settings_do_not_exceed_the_caps() -> None:
    least = Engine().with_values(dict.fromkeys(CAPS, 0))
    most = Engine().with_values(dict.fromkeys(CAPS, 10**9))

    assert {name: (getattr(least, name), getattr(most, name)) for name in CAPS} == CAPS
    assert (most.max_iterations, most.max_tool_calls) == (20, 50)
    assert (most.retries, most.retry_seconds) == (2, 20)


def test_loop_has_at_most_twenty_iterations() -> None:
    limits = Limits(max_iterations=99, max_tool_calls=50)
    turn = run(otherwise=use(("get", {})), tools=(agent_tool("get"),), limits=limits)

    assert len(turn.script.requests) == 20


def test_loop_runs_at_most_fifty_tools() -> None:
    flood = use(*[("get", {"n": number}) for number in range(60)])
    turn = run(flood, say("Enough."), tools=(agent_tool("get"),), limits=Limits(max_tool_calls=99))

    assert [call.is_error for call in turn.completed()] == [False] * 50 + [True] * 10


@pytest.mark.parametrize(
    ("limit", "tries"),
    [({"CHAT_RETRIES": 0}, 1), ({"CHAT_RETRIES": 1}, 2), ({"CHAT_RETRY_SECONDS": 0}, 1)],
    ids=["none", "one", "zero seconds"],
)
def test_retries_are_configurable(user: User, limit: dict[str, int], tries: int) -> None:
    script = ScriptedModel(*[refuse(529, kind="overloaded_error", retry_after=0.01)] * 3)
    with override_settings(**limit):
        _, events = run_turn(user, script)

    assert events[-1]["code"] == "provider_overloaded"
    assert len(script.requests) == tries


class Hanging:
    """An async tool that never returns."""

    def __init__(self) -> None:
        self.begun = False

    async def __call__(self) -> str:
        self.begun = True
        await asyncio.Event().wait()
        return ""


@pytest.fixture
def hanging() -> Iterator[Hanging]:
    """The tool, on a page of its own."""
    hanging = Hanging()

    async def hang(params: Any, *, user: Any, context: ToolContext) -> str:
        return await hanging()

    with tools.registered(tool("hang", hang)), pages.registered(replace(NOTES, page="hanging", tools=("hang",))):
        yield hanging


def run_to_deadline(
    user: User,
    script: ScriptedModel,
    *,
    just_before: float,
    hung: Any,
    over: Callable[[RunningTurn], bool] = attrgetter("closing"),
    **where: Any,
) -> list[Any]:
    """Return the events of a turn that is running a second before its deadline, and is `over` a second after it; `hung`
    waits until it hangs."""

    @async_to_sync
    async def scene() -> list[bytes]:
        clock = ManualClock()
        runtime = TurnRuntime(clock=clock)
        turn = await start_turn_task(runtime, user=user, request=turn_request(**where))
        reading = asyncio.ensure_future(_all(EventStream(runtime=runtime, turn_id=turn.pk, after=0, user_id=user.pk)))
        running = runtime.running[turn.pk]
        await hung()
        await clock.advance(just_before)
        await settle()
        assert not over(running)
        await clock.advance(2)
        async with asyncio.timeout(60):
            while not over(running):
                await settle()
        return await reading

    with use_transport(script.transport()):
        return events_of(scene())


async def _all(stream: EventStream) -> list[bytes]:
    return [piece async for piece in stream]


OF_A_CALL = {
    "two minutes by default": ({}, 120),
    "as many seconds as are set": ({"CHAT_CALL_SECONDS": 2, "CHAT_TURN_SECONDS": 5}, 2),
}
of_a_call = pytest.mark.parametrize(("limits", "seconds"), OF_A_CALL.values(), ids=OF_A_CALL)


@of_a_call
def test_silent_model_call_ends_at_its_deadline(user: User, limits: dict[str, int], seconds: int) -> None:
    gate = Gate()
    script = ScriptedModel(say("Never", gate=gate))
    with override_settings(**limits):
        events = run_to_deadline(
            user, script, just_before=seconds - 1, hung=lambda: asyncio.to_thread(gate.reached.wait, 60)
        )

    assert (events[-1]["type"], events[-1]["code"]) == ("error", "timeout")
    assert script.left == 1


@of_a_call
def test_text_of_a_timed_out_call_is_continued_in_the_same_turn(
    user: User, limits: dict[str, int], seconds: int
) -> None:
    gate = Gate()
    script = ScriptedModel(say("Half an answer", sizes=(4,), gate=gate, gate_after=1), say(" and the rest."))
    with override_settings(**limits):
        events = run_to_deadline(
            user,
            script,
            just_before=seconds - 1,
            hung=lambda: asyncio.to_thread(gate.reached.wait, 60),
            over=lambda running: script.left == 1,
        )

    assert (events[-1]["type"], events[-1]["payload"]["message"]) == ("complete", "Half and the rest.")


def test_turn_may_take_five_minutes(user: User, hanging: Hanging) -> None:
    async def hung() -> None:
        while not hanging.begun:
            await settle()

    events = run_to_deadline(user, ScriptedModel(use(("hang", {}))), just_before=299, hung=hung, **HANGING)

    assert (events[-1]["type"], events[-1]["code"]) == ("error", "timeout")


def test_turns_of_one_process_share_one_client(user: User) -> None:
    script = ScriptedModel(say("One."), say("Two."))

    @async_to_sync
    async def scene() -> list[Any]:
        runtime, clients = TurnRuntime(clock=ManualClock()), []
        for _ in range(2):
            turn = await start_turn_task(runtime, user=user, request=turn_request())
            await _all(EventStream(runtime=runtime, turn_id=turn.pk, after=0, user_id=user.pk))
            clients += [shared.client for shared in runtime.clients.values()]
        return clients

    with use_transport(script.transport()):
        first, second = scene()
    assert first is second
    assert len(script.requests) == 2

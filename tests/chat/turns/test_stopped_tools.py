"""A turn stopped while a tool writes: the stream ends at once, and the tool's effect is still reported."""
from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import Group, User
from django.utils import timezone

from chat.agent.clock import SystemClock
from chat.agent.tools import ToolContext, ToolResult, tools
from chat.models import Message, Turn
from chat.page_config import pages
from chat.services import request_cancel
from chat.signals import user_update
from chat.turns.database import in_database
from chat.turns.event_stream import EventStream
from chat.turns.model_clients import use_transport
from chat.turns.runtime import TurnRuntime
from chat.turns.start import start_turn_task
from tests.chat.entries import NOTES, tool
from tests.chat.stored_conversations import turn_request
from tests.chat.turns.turn_runs import answer_of, events_of, next_request, run_turn
from tests.scripted_model import ScriptedModel, say, use

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

Json = dict[str, Any]
WHERE: Json = {"page": "slow_notes", "context": {"current_page": "slow_notes", "note_id": "7"}}
# Timeout for events that never come; not used for measurements.
SECONDS = 120


class SlowTool:
    """`write_slowly`: creates a group, waiting for its release before or after the write."""

    def __init__(self) -> None:
        self.waits_with_the_group_made = False
        self.begun, self.go_on = threading.Event(), threading.Event()

    def __call__(self, params: Any, *, user: Any, context: ToolContext) -> ToolResult:
        if self.waits_with_the_group_made:
            group = Group.objects.create(name="north")
            self._wait()
        else:
            self._wait()
            group = Group.objects.create(name="north")
        return ToolResult(text="written", undo={"group": group.pk})

    def _wait(self) -> None:
        self.begun.set()
        self.go_on.wait(SECONDS)


@pytest.fixture
def slow() -> Iterator[SlowTool]:
    """The tool, on a page of its own."""
    slow = SlowTool()

    def write_slowly(params: Any, *, user: Any, context: ToolContext) -> ToolResult:
        return slow(params, user=user, context=context)

    page = replace(NOTES, page="slow_notes", tools=("write_slowly",))
    with tools.registered(tool("write_slowly", write_slowly, writes="row")), pages.registered(page):
        yield slow


@pytest.fixture
def script() -> ScriptedModel:
    return ScriptedModel(use(("write_slowly", {"name": "north"})), say("Fine."), say("And fine."))


async def stopped_turn(
    user: User, slow: SlowTool, *, where: Json = WHERE, stored: bool = False
) -> tuple[Turn, list[Json]]:
    """Run a turn that is stopped while its tool writes; return it and its events. The tool is released after the stream
    has ended, or after the end of the turn was `stored`."""
    runtime = TurnRuntime(clock=SystemClock())
    turn = await start_turn_task(runtime, user=user, request=turn_request(**where))
    running = runtime.running[turn.pk]
    reading = asyncio.ensure_future(all_of(EventStream(runtime=runtime, turn_id=turn.pk, after=0, user_id=user.pk)))
    await asyncio.to_thread(slow.begun.wait, SECONDS)
    running.stop()
    pieces = await reading
    assert running.task is not None
    if stored:
        await running.task
    assert not slow.go_on.is_set()
    slow.go_on.set()
    await running.task
    return turn, events_of(pieces)


async def all_of(stream: EventStream) -> list[bytes]:
    return [piece async for piece in stream]


class PageEvents:
    """Records page events, and waits for them."""

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self._more = threading.Semaphore(0)

    def record(self, sender: Any, *, body: Json, **_: Any) -> None:
        self.kinds.append(body["type"])
        self._more.release()

    def until(self, kind: str) -> None:
        """Wait for an event of this kind."""
        while kind not in self.kinds:
            assert self._more.acquire(timeout=SECONDS), f"{kind} was never recorded"

    def until_recorded(self, turn: Turn) -> Message:
        """Return the answer, once it contains the tool's effect."""
        while not answer_of(turn).tool_history:
            assert self._more.acquire(timeout=SECONDS), "the tool's effect was never recorded"
        return answer_of(turn)


@pytest.fixture
def page_events() -> Iterator[PageEvents]:
    page_events = PageEvents()
    user_update.connect(page_events.record)
    yield page_events
    user_update.disconnect(page_events.record)


@pytest.mark.parametrize("written", [False, True], ids=["before its effect", "with its effect not yet committed"])
def test_stream_ends_while_the_tool_runs_and_its_effect_is_reported(
    user: User, slow: SlowTool, script: ScriptedModel, page_events: PageEvents, written: bool
) -> None:
    slow.waits_with_the_group_made = written
    with use_transport(script.transport()):
        turn, events = async_to_sync(stopped_turn)(user, slow)
        answer = page_events.until_recorded(turn)
        second, _ = run_turn(user, script, next_request(turn, **WHERE))

    assert [event["type"] for event in events][-1] == "cancelled"
    assert Turn.objects.get(pk=turn.pk).state == "cancelled"
    assert Group.objects.filter(name="north").exists()
    assert [(entry["tool_name"], entry["output"]) for entry in answer.tool_history] == [("write_slowly", "written")]
    assert answer.tool_history[0]["undo"] == {"group": Group.objects.get(name="north").pk}
    assert answer.text == "[[tool:0]]"
    assert "write_slowly took effect" in json.dumps(script.requests[-1]["messages"][-1])
    assert second.state == "complete"
    assert script.problems == []


def test_effect_is_reported_to_the_model_once(
    user: User, slow: SlowTool, script: ScriptedModel, page_events: PageEvents
) -> None:
    with use_transport(script.transport()):
        turn, _ = async_to_sync(stopped_turn)(user, slow)
        page_events.until_recorded(turn)
        second, _ = run_turn(user, script, next_request(turn, **WHERE))
        run_turn(user, script, next_request(second, **WHERE))

    reported = ["took effect" in json.dumps(request["messages"][-1]) for request in script.requests]
    assert reported == [False, True, False]


@pytest.mark.postgres_only
def test_tool_that_ends_after_its_turn_is_added_to_the_answer_and_sent_to_pages(
    user: User, slow: SlowTool, script: ScriptedModel, page_events: PageEvents
) -> None:
    """On SQLite its transaction locks the database, and the turn ends after it."""
    with use_transport(script.transport()):
        async_to_sync(stopped_turn)(user, slow, stored=True)
        page_events.until("conversation_changed")

    assert page_events.kinds == ["turn_started", "turn_ended", "conversation_changed"]


@pytest.mark.postgres_only
def test_cancellation_through_the_database_is_received_while_the_tool_runs(
    user: User, slow: SlowTool, script: ScriptedModel, page_events: PageEvents
) -> None:
    """On SQLite no other connection can write while the tool does."""

    @async_to_sync
    async def scene() -> tuple[Turn, list[bytes]]:
        runtime = TurnRuntime(clock=SystemClock())
        turn = await start_turn_task(runtime, user=user, request=turn_request(**WHERE))
        reading = asyncio.ensure_future(all_of(EventStream(runtime=runtime, turn_id=turn.pk, after=0, user_id=user.pk)))
        await asyncio.to_thread(slow.begun.wait, SECONDS)
        await in_database(request_cancel, turn.pk, now=timezone.now())
        pieces = await reading
        slow.go_on.set()
        return turn, pieces

    with use_transport(script.transport()):
        turn, pieces = scene()
        page_events.until_recorded(turn)

    assert events_of(pieces)[-1]["type"] == "cancelled"


def test_stream_does_not_wait_for_a_reading_tool_and_the_next_turn_works(
    user: User, slow: SlowTool, script: ScriptedModel
) -> None:
    def read_slowly(params: Any, *, user: User, context: ToolContext) -> str:
        slow.begun.set()
        slow.go_on.wait(SECONDS)
        return "read"

    reading = ScriptedModel(use(("read_slowly", {"name": "north"})), say("Fine."))
    page = replace(NOTES, page="slow_reading", tools=("read_slowly",))
    where = {"page": "slow_reading", "context": {"current_page": "slow_reading", "note_id": "7"}}
    with tools.registered(tool("read_slowly", read_slowly)), pages.registered(page), use_transport(reading.transport()):
        turn, events = async_to_sync(stopped_turn)(user, slow, where=where)
        second, _ = run_turn(user, reading, next_request(turn, **where))

    assert [event["type"] for event in events][-1] == "cancelled"
    assert second.state == "complete"
    assert reading.problems == []

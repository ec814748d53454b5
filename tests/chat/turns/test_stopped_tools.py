"""A turn that is stopped while a tool writes: the stream ends at once, and what the tool did is told all the same."""
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
from chat.signals import news
from chat.turns.database import in_database
from chat.turns.follow import EventStream
from chat.turns.runtime import TurnRuntime
from chat.turns.start import start_turn_task
from chat.turns.test_hooks import use_transport
from tests.chat.entries import NOTES, tool
from tests.chat.stored_conversations import wish
from tests.chat.turns.turn_runs import answer_of, answered, events_of, going_on
from tests.scripted_model import ScriptedModel, say, use

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

Json = dict[str, Any]
WHERE: Json = {"page": "slow_notes", "context": {"current_page": "slow_notes", "note_id": "7"}}
# When what does not come is given up; nothing is measured with it.
SECONDS = 120


class SlowTool:
    """`write_slowly`: makes a group, waiting before or after it until it is let go."""

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
    with tools.lent(tool("write_slowly", write_slowly, writes="row")), pages.lent(page):
        yield slow


@pytest.fixture
def script() -> ScriptedModel:
    return ScriptedModel(use(("write_slowly", {"name": "north"})), say("Fine."), say("And fine."))


async def stopped_turn(
    user: User, slow: SlowTool, *, where: Json = WHERE, stored: bool = False
) -> tuple[Turn, list[Json]]:
    """A turn that was stopped while its tool wrote, and its events; the tool is only let go after they have ended, or
    after the ending was `stored`, too."""
    runtime = TurnRuntime(clock=SystemClock())
    turn = await start_turn_task(runtime, user=user, request=wish(**where))
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


class Told:
    """Hears the news, and waits by them."""

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self._more = threading.Semaphore(0)

    def hear(self, sender: Any, *, body: Json, **_: Any) -> None:
        self.kinds.append(body["type"])
        self._more.release()

    def until(self, kind: str) -> None:
        """Returns when there was news of this kind."""
        while kind not in self.kinds:
            assert self._more.acquire(timeout=SECONDS), f"{kind} was never told"

    def until_told(self, turn: Turn) -> Message:
        """The answer, once what the tool did stands in it."""
        while not answer_of(turn).tool_history:
            assert self._more.acquire(timeout=SECONDS), "the tool's effect was never told"
        return answer_of(turn)


@pytest.fixture
def told() -> Iterator[Told]:
    told = Told()
    news.connect(told.hear)
    yield told
    news.disconnect(told.hear)


@pytest.mark.parametrize("made", [False, True], ids=["before its effect", "with its effect not yet committed"])
def test_the_stream_ends_while_the_tool_still_runs_and_its_effect_is_told(
    user: User, slow: SlowTool, script: ScriptedModel, told: Told, made: bool
) -> None:
    slow.waits_with_the_group_made = made
    with use_transport(script.transport()):
        turn, events = async_to_sync(stopped_turn)(user, slow)
        answer = told.until_told(turn)
        second, _ = answered(user, script, going_on(turn, **WHERE))

    assert [event["type"] for event in events][-1] == "cancelled"
    assert Turn.objects.get(pk=turn.pk).state == "cancelled"
    assert Group.objects.filter(name="north").exists()
    assert [(entry["tool_name"], entry["output"]) for entry in answer.tool_history] == [("write_slowly", "written")]
    assert answer.tool_history[0]["undo"] == {"group": Group.objects.get(name="north").pk}
    assert answer.text == "[[tool:0]]"
    assert "write_slowly took effect" in json.dumps(script.requests[-1]["messages"][-1])
    assert second.state == "complete"
    assert script.problems == []


def test_the_model_is_told_once(user: User, slow: SlowTool, script: ScriptedModel, told: Told) -> None:
    with use_transport(script.transport()):
        turn, _ = async_to_sync(stopped_turn)(user, slow)
        told.until_told(turn)
        second, _ = answered(user, script, going_on(turn, **WHERE))
        answered(user, script, going_on(second, **WHERE))

    said = ["took effect" in json.dumps(request["messages"][-1]) for request in script.requests]
    assert said == [False, True, False]


@pytest.mark.postgres_only
def test_a_tool_that_ends_after_its_turn_adds_itself_to_the_answer_and_the_pages_hear_of_it(
    user: User, slow: SlowTool, script: ScriptedModel, told: Told
) -> None:
    """On SQLite its transaction holds the whole database, and the ending comes after it."""
    with use_transport(script.transport()):
        async_to_sync(stopped_turn)(user, slow, stored=True)
        told.until("conversation_changed")

    assert told.kinds == ["turn_started", "turn_ended", "conversation_changed"]


@pytest.mark.postgres_only
def test_a_wish_to_stop_that_came_through_the_database_is_heard_while_the_tool_runs(
    user: User, slow: SlowTool, script: ScriptedModel, told: Told
) -> None:
    """On SQLite nobody else can write while the tool does."""

    @async_to_sync
    async def scene() -> tuple[Turn, list[bytes]]:
        runtime = TurnRuntime(clock=SystemClock())
        turn = await start_turn_task(runtime, user=user, request=wish(**WHERE))
        reading = asyncio.ensure_future(all_of(EventStream(runtime=runtime, turn_id=turn.pk, after=0, user_id=user.pk)))
        await asyncio.to_thread(slow.begun.wait, SECONDS)
        await in_database(request_cancel, turn.pk, now=timezone.now())
        pieces = await reading
        slow.go_on.set()
        return turn, pieces

    with use_transport(script.transport()):
        turn, pieces = scene()
        told.until_told(turn)

    assert events_of(pieces)[-1]["type"] == "cancelled"


def test_the_stream_does_not_wait_for_a_tool_that_only_reads_and_the_next_turn_works(
    user: User, slow: SlowTool, script: ScriptedModel
) -> None:
    def read_slowly(params: Any, *, user: User, context: ToolContext) -> str:
        slow.begun.set()
        slow.go_on.wait(SECONDS)
        return "read"

    reading = ScriptedModel(use(("read_slowly", {"name": "north"})), say("Fine."))
    page = replace(NOTES, page="slow_reading", tools=("read_slowly",))
    where = {"page": "slow_reading", "context": {"current_page": "slow_reading", "note_id": "7"}}
    with tools.lent(tool("read_slowly", read_slowly)), pages.lent(page), use_transport(reading.transport()):
        turn, events = async_to_sync(stopped_turn)(user, slow, where=where)
        second, _ = answered(user, reading, going_on(turn, **where))

    assert [event["type"] for event in events][-1] == "cancelled"
    assert second.state == "complete"
    assert reading.problems == []

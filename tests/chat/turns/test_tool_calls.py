"""Tools of every kind: run as the turn's user, with effect and record in one transaction."""
from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import Group, User
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from chat.agent.tools import ToolConfig, ToolContext, ToolEffect, ToolProgress, ToolResult, tools
from chat.exceptions import NotFound, ToolFailure
from chat.models import ToolCall
from chat.turns.answering.tool_calls import ToolCalls
from chat.turns.database import TOOL_THREADS
from shared.websockets.credentials import Credential
from tests.chat.entries import tool
from tests.chat.stored_conversations import running_turn

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]


def calls_of(user: User, turn_id: UUID) -> ToolCalls:
    context = ToolContext(page="notes", object_id="7")
    return ToolCalls(
        user=user, turn_id=turn_id, context=context, credential=Credential(user.pk), on_access_ended=lambda: None
    )


def run(user: User, called: str | ToolConfig, params: Any, *, times: int = 1) -> tuple[ToolResult, list[ToolProgress]]:
    turn = running_turn(user)
    calls = calls_of(user, turn.pk)
    config = tools.get(called) if isinstance(called, str) else called
    assert config is not None
    progress: list[ToolProgress] = []

    @async_to_sync
    async def scene() -> ToolResult:
        for _ in range(times - 1):
            await calls.run(config, params, progress.append)
        return await calls.run(config, params, progress.append)

    return scene(), progress


def test_reading_tool_gets_user_and_object(user: User) -> None:
    result, _ = run(user, "echo", {"say": "hi"})

    assert result.text == "ada 7 hi"
    assert not ToolCall.objects.exists()


def test_writing_tool_stores_its_effect_and_its_record(user: User) -> None:
    result, _ = run(user, "make_group", {"name": "north"})

    call = ToolCall.objects.get()
    assert (call.tool, call.index, call.input, call.output) == ("make_group", 0, {"name": "north"}, "made north")
    assert call.undo == result.undo == {"group": Group.objects.get().pk}


def test_failed_writing_tool_stores_neither(user: User) -> None:
    with pytest.raises(ToolFailure, match="No exclamation"):
        run(user, "make_group", {"name": "north!"})

    assert not Group.objects.exists()
    assert not ToolCall.objects.exists()


def test_reporting_tool_yields_its_steps_and_its_result(user: User) -> None:
    result, progress = run(user, "count_slowly", {})

    assert [step.stage for step in progress] == ["one", "two"]
    assert result.payload == {"type": "note_chart", "data": {"bars": [1, 2]}}


def test_async_tool_is_awaited(user: User) -> None:
    async def later(params: Any, *, user: Any, context: ToolContext) -> str:
        return "later"

    result, _ = run(user, tool("later", later), {})

    assert result.text == "later"
    assert not ToolCall.objects.exists()


async def make_async(params: Any, *, user: Any, context: ToolContext) -> ToolEffect:
    """An async tool that writes: its effect is executed for it, with its record."""

    def work() -> ToolResult:
        group = Group.objects.create(name=params["name"])
        if "!" in params["name"]:
            raise ToolFailure("No exclamation, please.")
        return ToolResult(text=f"made {group.name}", undo={"group": group.pk})

    return ToolEffect(work)


async def make_slowly(params: Any, *, user: Any, context: ToolContext) -> AsyncIterator[Any]:
    """The same, with a progress step."""
    yield ToolProgress(stage="one", message="Thinking of a group")
    yield await make_async(params, user=user, context=context)


@pytest.mark.parametrize("executor", [make_async, make_slowly])
def test_effect_of_an_async_tool_and_its_record_are_one_transaction(user: User, executor: Any) -> None:
    config = tool("later", executor, writes="row")

    result, _ = run(user, config, {"name": "north"})
    with pytest.raises(ToolFailure, match="No exclamation"):
        run(user, config, {"name": "south!"})

    assert list(Group.objects.values_list("name", flat=True)) == ["north"]
    call = ToolCall.objects.get()
    assert (call.output, call.undo) == ("made north", result.undo)


def test_async_tool_that_writes_must_return_its_effect(user: User) -> None:
    async def by_itself(params: Any, *, user: Any, context: ToolContext) -> str:
        return "written somehow"

    with pytest.raises(TypeError, match="must end with a ToolEffect"):
        run(user, tool("by_itself", by_itself, writes="row"), {})


def test_sync_tools_of_one_turn_read_concurrently_on_their_own_connections(user: User) -> None:
    meeting = threading.Barrier(3, timeout=120)
    seen: list[BaseDatabaseWrapper] = []

    def meet(params: Any, *, user: Any, context: ToolContext) -> str:
        connection.ensure_connection()
        seen.append(connections["default"])
        meeting.wait()
        return str(User.objects.count())

    calls = calls_of(user, running_turn(user).pk)

    @async_to_sync
    async def scene() -> list[ToolResult]:
        return await asyncio.gather(*(calls.run(tool("meet", meet), {}, print) for _ in range(3)))

    assert [result.text for result in scene()] == ["1", "1", "1"]
    assert len({id(wrapper) for wrapper in seen}) == 3
    assert [wrapper.connection for wrapper in seen] == [None, None, None]


def test_tool_stopped_before_it_got_a_thread_does_not_start(user: User) -> None:
    done = threading.Event()
    begun: list[int] = []

    def hold(params: Any, *, user: Any, context: ToolContext) -> str:
        begun.append(params["n"])
        done.wait(120)
        return ""

    calls = calls_of(user, running_turn(user).pk)

    @async_to_sync
    async def scene() -> None:
        held = [asyncio.ensure_future(calls.run(tool("hold", hold), {"n": n}, print)) for n in range(TOOL_THREADS)]
        late = asyncio.ensure_future(calls.run(tool("hold", hold), {"n": -1}, print))
        await asyncio.sleep(0)
        late.cancel()
        await asyncio.wait({late})
        done.set()
        await asyncio.gather(*held)

    scene()

    assert sorted(begun) == list(range(TOOL_THREADS))


def test_tools_of_one_user_leave_threads_to_others(user: User, other_user: User) -> None:
    done = threading.Event()

    def hold(params: Any, *, user: Any, context: ToolContext) -> str:
        done.wait(120)
        return ""

    def answer(params: Any, *, user: Any, context: ToolContext) -> str:
        return "here"

    own, other = calls_of(user, running_turn(user).pk), calls_of(other_user, running_turn(other_user).pk)

    @async_to_sync
    async def scene() -> ToolResult:
        held = [asyncio.ensure_future(own.run(tool("hold", hold), {}, print)) for _ in range(TOOL_THREADS)]
        try:
            async with asyncio.timeout(60):
                return await other.run(tool("answer", answer), {}, print)
        finally:
            done.set()
            await asyncio.gather(*held)

    assert scene().text == "here"


@pytest.mark.parametrize("given", [None, 5, {"text": "five"}, ToolResult(text=5)], ids=repr)  # type: ignore[arg-type]  # what a tool without types may give
def test_invalid_result_raises_an_error_and_stores_nothing(user: User, given: Any) -> None:
    def write(params: Any, *, user: Any, context: ToolContext) -> Any:
        Group.objects.create(name="north")
        return given

    with pytest.raises(TypeError, match="must return a string or a ToolResult"):
        run(user, tool("write", write, writes="row"), {})

    assert not Group.objects.exists()
    assert not ToolCall.objects.exists()


def test_records_of_a_turn_are_numbered(user: User) -> None:
    def write(params: Any, *, user: Any, context: ToolContext) -> str:
        return "written"

    run(user, tool("write", write, writes="row"), {}, times=3)

    assert list(ToolCall.objects.values_list("index", flat=True)) == [0, 1, 2]


def test_expected_failure_of_a_service_is_reported_to_the_model(user: User) -> None:
    def missing(params: Any, *, user: Any, context: ToolContext) -> str:
        raise NotFound("There is no row 9.")

    with pytest.raises(ToolFailure, match="There is no row 9"):
        run(user, tool("missing", missing), {})

"""Tools of every kind: run as the turn's user, their effect and its record one transaction."""
from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import Group, User

from chat.agent.tools import ToolConfig, ToolContext, ToolProgress, ToolResult, tools
from chat.exceptions import NotFound, ToolFailure
from chat.models import ToolCall
from chat.turns.tool_calls import ToolCalls
from tests.chat.entries import tool
from tests.chat.kept import started

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]


def run(user: User, called: str | ToolConfig, params: Any, *, times: int = 1) -> tuple[ToolResult, list[ToolProgress]]:
    turn = started(user)
    calls = ToolCalls(user=user, turn_id=turn.pk, context=ToolContext(page="notes", object_id="7"))
    config = tools.get(called) if isinstance(called, str) else called
    assert config is not None
    said: list[ToolProgress] = []

    @async_to_sync
    async def scene() -> ToolResult:
        for _ in range(times - 1):
            await calls.run(config, params, said.append)
        return await calls.run(config, params, said.append)

    return scene(), said


def test_a_reading_tool_is_told_who_asks_and_about_what(user: User) -> None:
    result, _ = run(user, "echo", {"say": "hi"})

    assert result.text == "ada 7 hi"
    assert not ToolCall.objects.exists()


def test_a_writing_tool_leaves_its_effect_and_its_record(user: User) -> None:
    result, _ = run(user, "make_group", {"name": "north"})

    call = ToolCall.objects.get()
    assert (call.tool, call.index, call.input, call.output) == ("make_group", 0, {"name": "north"}, "made north")
    assert call.undo == result.undo == {"group": Group.objects.get().pk}


def test_a_writing_tool_that_fails_leaves_neither(user: User) -> None:
    with pytest.raises(ToolFailure, match="No exclamation"):
        run(user, "make_group", {"name": "north!"})

    assert not Group.objects.exists()
    assert not ToolCall.objects.exists()


def test_a_reporting_tool_tells_its_steps_and_ends_with_its_result(user: User) -> None:
    result, said = run(user, "count_slowly", {})

    assert [step.stage for step in said] == ["one", "two"]
    assert result.payload == {"type": "note_chart", "data": {"bars": [1, 2]}}


def test_an_async_tool_is_awaited_and_recorded(user: User) -> None:
    async def later(params: Any, *, user: Any, context: ToolContext) -> str:
        return "later"

    result, _ = run(user, tool("later", later, writes="row"), {})

    assert result.text == "later"
    assert ToolCall.objects.get().output == "later"


def test_records_of_a_turn_count_up(user: User) -> None:
    def write(params: Any, *, user: Any, context: ToolContext) -> str:
        return "written"

    run(user, tool("write", write, writes="row"), {}, times=3)

    assert list(ToolCall.objects.values_list("index", flat=True)) == [0, 1, 2]


def test_an_expected_failure_of_what_a_tool_works_on_is_for_the_model(user: User) -> None:
    def missing(params: Any, *, user: Any, context: ToolContext) -> str:
        raise NotFound("There is no row 9.")

    with pytest.raises(ToolFailure, match="There is no row 9"):
        run(user, tool("missing", missing), {})

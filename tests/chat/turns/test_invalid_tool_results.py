"""Tools with invalid results: the stream stays valid, and the turn is answered."""
from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.agent.tools import ToolContext, ToolEffect, ToolProgress, ToolResult, tools
from chat.models import Payload, ToolCall
from chat.page_config import pages
from tests.chat.entries import NOTES, tool
from tests.chat.stored_conversations import turn_request
from tests.chat.turns.turn_runs import answer_of, run_turn
from tests.scripted_model import ScriptedModel, say, use

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

Json = dict[str, Any]


def run(user: User, *given: Any, writes: str = "none") -> tuple[Json, list[Json]]:
    """Run a tool that yields these values; return its entry in the record of the turn, and its progress."""

    async def yield_all(params: Json, *, user: Any, context: ToolContext) -> AsyncIterator[Any]:
        for each in given:
            yield each

    page = replace(NOTES, page="careless", tools=("careless",))
    where = {"page": "careless", "context": {"current_page": "careless", "note_id": "7"}}
    script = ScriptedModel(use(("careless", {})), say("Yes."))
    careless = tool("careless", yield_all, payload_type="note_chart", writes=writes)
    with tools.registered(careless), pages.registered(page):
        turn, events = run_turn(user, script, turn_request(**where))
    assert events[-1]["type"] == "complete"
    assert script.problems == []
    entry: Json = answer_of(turn).tool_history[0]
    return entry, [event for event in events if event["type"] == "tool_progress"]


@pytest.mark.parametrize(
    ("reported", "expected"),
    [(0.5, 0.5), (1, 1), (150, 1), (10**40, 1), (10**400, 1), (-1, 0), (float("inf"), 1), (float("nan"), None),
     ("half", None), (True, None), (None, None)],
    ids=lambda value: repr(value)[:9],
)  # fmt: skip
def test_progress_is_a_number_from_zero_to_one_or_omitted(user: User, reported: Any, expected: Any) -> None:
    _, steps = run(user, ToolProgress("read", "Reading", reported), ToolResult(text="done"))

    assert [step["progress"] for step in steps] == [expected]


@pytest.mark.parametrize("data", [{"seen": {1, 2}}, {"seen": object()}], ids=["set", "object"])
def test_progress_data_that_is_not_json_is_omitted(user: User, data: Any, caplog: pytest.LogCaptureFixture) -> None:
    entry, steps = run(user, ToolProgress("read", "Reading", 0.5, data), ToolResult(text="done"))

    assert (entry["output"], entry["is_error"]) == ("done", False)
    assert ["data" in step for step in steps] == [False]
    assert "tool careless returned data that is not JSON" in caplog.text


def test_unstorable_characters_are_replaced_in_all_texts_of_a_tool(user: User) -> None:
    entry, [step] = run(
        user, ToolProgress("re\x00ad", "Half \ud800", 0.5, {"a": ["\x00"]}), ToolResult(text="d\x00one \ud800.")
    )

    assert (step["stage"], step["message"], step["data"]) == ("re\ufffdad", "Half \ufffd", {"a": ["\ufffd"]})
    assert not {"\x00", "\ud800"} & set(entry["output"])


def test_unstorable_characters_are_replaced_in_the_record_of_a_write(user: User) -> None:
    run(user, ToolEffect(lambda: ToolResult(text="d\x00one", undo={"what": "\x00"})), writes="row")

    record = ToolCall.objects.get()
    assert (record.output, record.undo) == ("d\ufffdone", {"what": "\ufffd"})


@pytest.mark.parametrize(
    "payload",
    [{"type": "note_chart", "data": {"bars": {1, 2}}}, {"type": "note_chart", "data": object()}],
    ids=["set", "object"],
)
def test_payload_that_is_not_json_is_dropped_and_logged(
    user: User, payload: Any, caplog: pytest.LogCaptureFixture
) -> None:
    entry, _ = run(user, ToolResult(text="made", payload=payload))

    assert (entry["output"], entry["is_error"]) == ("made", False)
    assert not Payload.objects.exists()
    assert "does not match note_chart: it is not JSON" in caplog.text


@pytest.mark.parametrize("given", [ToolResult(text="made", payload=["no object"]), 5], ids=["payload", "number"])  # type: ignore[arg-type]  # what a tool without types may give
def test_unusable_result_is_a_failed_tool(user: User, given: Any) -> None:
    entry, _ = run(user, given)

    assert entry["is_error"] is True
    assert entry["output"].startswith("The tool failed with an internal error.")

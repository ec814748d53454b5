"""Agent events as stream events, and stream events as server-sent events."""
from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from chat.agent.events import (
    AgentCancelled,
    AgentComplete,
    AgentEvent,
    AgentPayloadProgress,
    AgentResult,
    AgentTextDelta,
    AgentThinking,
    AgentToolComplete,
    AgentToolProgress,
    AgentToolStart,
    Elements,
)
from chat.events import COMPONENTS, TURN_EVENTS
from chat.stream import cancelled_event, complete_event, encode_event, error_event, opening_event
from shared.user_messages import literal
from tests.chat.stream_client import STREAM, Browser, turn_body
from tests.scripted_model import ScriptedModel, refuse, say
from tests.stream_grammar import FIELDS

DESCRIBED = Draft202012Validator({**COMPONENTS["TurnEvent"], "components": {"schemas": COMPONENTS}})
IDS = {"conversation_id": "c", "message_id": "m", "turn_id": "t"}
CALL = {"tool_name": "get", "input": {"n": 1}, "output": "one", "is_error": False, "duration_ms": 3}


@pytest.mark.parametrize(
    ("event", "form"),
    [
        (AgentTextDelta("Hi"), {"type": "text_delta", "text": "Hi"}),
        (
            AgentToolStart("get", {"n": 1}, "t1"),
            {"type": "tool_start", "tool": "get", "tool_use_id": "t1", "input": {"n": 1}},
        ),
        (
            AgentToolProgress("get", "t1", "read", "Half way", 0.5),
            {
                "type": "tool_progress",
                "tool": "get",
                "tool_use_id": "t1",
                "stage": "read",
                "message": "Half way",
                "progress": 0.5,
            },
        ),
        (
            AgentToolComplete("get", "t1", 2, False, 12, output="secret of the model"),
            {
                "type": "tool_complete",
                "tool": "get",
                "tool_use_id": "t1",
                "index": 2,
                "is_error": False,
                "duration_ms": 12,
            },
        ),
        (
            AgentToolComplete("set", "t2", 0, False, 3, undo={"table_id": 1, "change_id": 7}),
            {
                "type": "tool_complete",
                "tool": "set",
                "tool_use_id": "t2",
                "index": 0,
                "is_error": False,
                "duration_ms": 3,
                "undo": {"table_id": 1, "change_id": 7},
            },
        ),
        (
            AgentPayloadProgress("card", ({"action": "add"},), 4),
            {"type": "payload_progress", "payload_type": "card", "operations": [{"action": "add"}], "count": 4},
        ),
        (
            AgentPayloadProgress("card", (), 0, reset=True, texts={"table_name": "Books"}),
            {
                "type": "payload_progress",
                "payload_type": "card",
                "operations": [],
                "count": 0,
                "texts": {"table_name": "Books"},
                "reset": True,
            },
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_event_has_its_form(event: AgentEvent, form: dict[str, object]) -> None:
    assert encode_event(event) == form
    DESCRIBED.validate(form)


def test_the_described_fields_are_those_of_the_grammar() -> None:
    described = {}
    for event in TURN_EVENTS:
        schema = event.json_schema()
        needed = set(schema["required"]) - {"type"}
        described[event.type] = (needed, set(schema["properties"]) - needed - {"type"})
    assert described == FIELDS


def test_only_the_opening_event_names_the_turn_and_its_conversation() -> None:
    opening = opening_event(literal("Reading"), turn_id="t", conversation_id="c")
    assert opening == {"type": "status", "message": "Reading", "turn_id": "t", "conversation_id": "c"}
    assert encode_event(AgentThinking(literal("Thinking"))) == {"type": "status", "message": "Thinking"}


@pytest.mark.parametrize("event", [AgentComplete(AgentResult()), AgentCancelled(AgentResult())])
def test_final_events_require_the_stored_result(event: AgentEvent) -> None:
    assert encode_event(event) is None


def test_complete_omits_empty_fields() -> None:
    assert complete_event(AgentResult(message="Hi"), **IDS) == {
        "type": "complete",
        "payload": {
            "message": "Hi",
            **IDS,
            "usage": {"input_tokens": 0, "output_tokens": 0, "cache_read_tokens": 0},
        },
    }


def test_complete_has_all_fields() -> None:
    elements = Elements(
        suggested_values=({"label": "a", "value": "b"},),
        suggested_actions=({"label": "c", "action": "close_chat", "handler": "client"},),
        warning=literal("Cut."),
    )
    record = {"id": "p", "type": "card", "data": {}, "status": "pending"}
    result = AgentResult(message="Hi", elements=elements, tool_history=(CALL,))
    payload = complete_event(result, custom_payload=record, **IDS)["payload"]
    DESCRIBED.validate({"type": "complete", "payload": payload})
    assert payload["suggested_values"] == [{"label": "a", "value": "b"}]
    assert payload["suggested_actions"][0]["action"] == "close_chat"
    assert payload["custom_payload"] == record
    assert payload["tool_history"] == [CALL]
    assert payload["warning"] == "Cut."


def test_tool_history_is_the_payload_if_there_is_no_other() -> None:
    payload = complete_event(AgentResult(tool_history=(CALL,)), **IDS)["payload"]
    assert payload["custom_payload"] == {"type": "tool_history", "data": [CALL]}


def test_error_has_the_retry_time_if_known() -> None:
    plain = {"type": "error", "message": "No.", "code": "internal", "retryable": False}
    no = literal("No.")
    assert error_event(code="internal", message=no, retryable=False) == plain
    assert error_event(code="internal", message=no, retryable=False, retry_after=5) == {**plain, "retry_after": 5}


def test_cancelled_names_the_message_if_it_has_text() -> None:
    assert cancelled_event("m") == {"type": "cancelled", "message_id": "m"}
    assert cancelled_event(None) == {"type": "cancelled"}


@pytest.mark.usefixtures("notes")
def test_each_event_of_a_stream_has_its_number_and_type_beside_its_data(
    browser: Browser, script: ScriptedModel
) -> None:
    script.add(say("Hello there"), refuse(401, kind="authentication_error"))
    for final in ("complete", "error"):
        with browser.open("POST", STREAM, turn_body()) as stream:
            *frames, rest = stream.response.read().decode().split("\n\n")
        lines = [frame.split("\n") for frame in frames if not frame.startswith(":")]
        types = [json.loads(data.removeprefix("data: "))["type"] for _, _, data in lines]

        assert [(number, kind) for number, kind, _ in lines] == [
            (f"id: {number}", f"event: {kind}") for number, kind in enumerate(types, start=1)
        ]
        assert (types[-1], rest) == (final, "")

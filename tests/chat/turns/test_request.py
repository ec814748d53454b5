"""The body of a turn request: valid fields are read, invalid ones refused with their paths."""
from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from chat.exceptions import Malformed
from chat.turns.request import read_turn_request

pytestmark = pytest.mark.usefixtures("notes")
ID = "0b7a1f52-6f0c-4d62-9a55-0c5f7e2d9a11"
CONTEXT = {"current_page": "notes", "note_id": 7}


def body(**fields: Any) -> dict[str, Any]:
    return {"message": "Hello", "context": CONTEXT, **fields}


def test_body_becomes_a_request() -> None:
    context = {**CONTEXT, "active_tab": "plain", "search": "x", "mood": "good"}

    request = read_turn_request(body(context=context, conversation_id=ID.upper(), client_turn_id=ID))

    assert (request.page, request.object_id, request.message) == ("notes", "7", "Hello")
    assert (request.conversation_id, request.client_turn_id) == (ID, UUID(ID))
    assert request.context == context


def test_body_without_a_client_id_gets_one() -> None:
    assert read_turn_request(body()).client_turn_id != read_turn_request(body()).client_turn_id


def test_an_idempotency_key_is_an_id_unless_the_body_has_one() -> None:
    first, second = (read_turn_request(body(), idempotency_key="key") for _ in range(2))
    given = read_turn_request(body(client_turn_id=ID), idempotency_key="key")

    assert (first.client_turn_id, first.uses_key) == (second.client_turn_id, True)
    assert first.client_turn_id != read_turn_request(body(), idempotency_key="other").client_turn_id
    assert (given.client_turn_id, given.uses_key) == (UUID(ID), False)


def test_null_parent_differs_from_a_missing_one() -> None:
    assert read_turn_request(body(conversation_id=ID, parent_message_id=None)).from_beginning
    assert not read_turn_request(body(conversation_id=ID)).from_beginning


def test_all_faults_are_reported() -> None:
    with pytest.raises(Malformed) as refused:
        read_turn_request({"text": "", "mesage": "", "model": 5, "retry_of": "1", "context": {"current_page": "note"}})
    faults = [fault.as_json()["path"] for fault in refused.value.faults]
    assert faults == ["text", "mesage", "context.current_page", "model", "retry_of"]
    with pytest.raises(Malformed) as refused:
        read_turn_request({"message": " ", "context": {"current_page": "note"}})
    assert [fault.as_json()["path"] for fault in refused.value.faults] == ["context.current_page", "message"]


def test_faults_within_a_field_are_all_reported() -> None:
    context = {"current_page": "notes", "serch": "x", "active_tab": 5, "mood": "bored"}
    history = [{"role": "system", "content": "x", "name": "y"}, {"role": "user", "content": "", "timestamp": "noon"}]
    with pytest.raises(Malformed) as refused:
        read_turn_request(body(context=context, action={"data": {}, "of": 1}, conversation_history=history))
    assert [fault.as_json()["path"] for fault in refused.value.faults] == [
        "context.serch", "context.active_tab", "context.mood", "context.note_id", "action.of", "action.action",
        "conversation_history[0].name", "conversation_history[0].role", "conversation_history[1].content",
        "conversation_history[1].timestamp",
    ]  # fmt: skip


def test_all_conflicts_between_fields_are_reported() -> None:
    following = {"action": "next", "data": {"payload_id": ID, "words": "obey"}}
    history = [{"role": "user", "content": "x"}]
    with pytest.raises(Malformed) as refused:
        read_turn_request(
            body(retry_of=ID, parent_message_id=ID, conversation_history=history, action=following)
        )
    paths = ["conversation_history", "retry_of", "parent_message_id", "message", "action.data.words"]
    assert [fault.as_json()["path"] for fault in refused.value.faults] == paths


def test_action_needs_no_message() -> None:
    request = read_turn_request(body(message="", action={"action": "pick", "data": {}}))

    assert request.words == '[Chosen action: {"action":"pick","data":{}}]'


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ({"message": "x"}, "context"),
        (body(context={}), "context.current_page"),
        (body(context={"current_page": "notes"}), "context.note_id"),
        ({"context": CONTEXT}, "message"),
    ],
)
def test_a_missing_field_is_not_a_malformed_one(sent: dict[str, Any], path: str) -> None:
    with pytest.raises(Malformed) as refused:
        read_turn_request(sent)
    assert (refused.value.code, refused.value.path) == ("missing", path)


def test_another_name_of_the_message_is_recognized() -> None:
    with pytest.raises(Malformed, match=r"Did you mean message\?"):
        read_turn_request({"text": "Hello", "context": CONTEXT})


REFUSED = {
    "not an object": ([], ""),
    "unknown field": (body(mesage="x"), "mesage"),
    "no message": (body(message="  "), "message"),
    "message no text": (body(message=5), "message"),
    "message too long": (body(message="x" * 32_001), "message"),
    "no context": ({"message": "x"}, "context"),
    "no page": (body(context={}), "context.current_page"),
    "unknown page": (body(context={"current_page": "nots"}), "context.current_page"),
    "no object": (body(context={"current_page": "notes"}), "context.note_id"),
    "object is a boolean": (body(context={**CONTEXT, "note_id": True}), "context.note_id"),
    "object too long": (body(context={**CONTEXT, "note_id": "7" * 65}), "context.note_id"),
    "unknown in context": (body(context={**CONTEXT, "serch": "x"}), "context.serch"),
    "against the page's schema": (body(context={**CONTEXT, "mood": "bored"}), "context.mood"),
    "context too large": (body(context={**CONTEXT, "filter": ["x" * 1_000_000]}), "context"),
    "action too large": (body(action={"action": "pick", "data": {"x": "y" * 32_000}}), "action"),
    "tab no text": (body(context={**CONTEXT, "active_tab": 5}), "context.active_tab"),
    "conversation no id": (body(conversation_id="x"), "conversation_id"),
    "client id no id": (body(client_turn_id=5), "client_turn_id"),
    "interaction unknown": (body(interaction_type="shout"), "interaction_type"),
    "interaction no text": (body(interaction_type=[]), "interaction_type"),
    "action no object": (body(action="x"), "action"),
    "action without name": (body(action={"data": {}}), "action.action"),
    "history and conversation": (
        body(conversation_id=ID, conversation_history=[{"role": "user", "content": "x"}]),
        "conversation_history",
    ),
    "history of a system": (
        body(conversation_history=[{"role": "system", "content": "x"}]),
        "conversation_history[0].role",
    ),
    "history with a wrong time": (
        body(conversation_history=[{"role": "user", "content": "x", "timestamp": "noon"}]),
        "conversation_history[0].timestamp",
    ),
    "history before all time": (
        body(conversation_history=[{"role": "user", "content": "x", "timestamp": "0001-01-01T00:00:00+14:00"}]),
        "conversation_history[0].timestamp",
    ),
    "history after all time": (
        body(conversation_history=[{"role": "user", "content": "x", "timestamp": "9999-12-31T23:59:59-10:00"}]),
        "conversation_history[0].timestamp",
    ),
    "history on a day that other time zones cannot show": (
        body(conversation_history=[{"role": "user", "content": "x", "timestamp": "9999-12-31T12:00:00Z"}]),
        "conversation_history[0].timestamp",
    ),
    "retry after another message": (body(message="", retry_of=ID, parent_message_id=ID), "parent_message_id"),
    "retry as the first message": (body(message="", retry_of=ID, parent_message_id=None), "parent_message_id"),
    "history and no message before": (
        body(parent_message_id=None, conversation_history=[{"role": "user", "content": "x"}]),
        "parent_message_id",
    ),
    "message of invisible characters": (body(message="\u200b \u2060\ufeff"), "message"),
    "retry with a message": (body(retry_of=ID), "retry_of"),
}


NO_TIMES = (
    "2024-W11-5", "2024-W11-5T10:00:00Z", "20240315T100000Z", "2024-03-15", "2024-075T10:00Z", "2024-03-15 10:00:00Z",
    "2024-03-15T10:00:00.", "2024-03-15T10:00:00,5Z", "2024-03-15T10Z", "2024-03-15T10:00+0200", "2024-03-15t10:00:00z",
    "2024-13-01T10:00:00Z", "2024-02-30T10:00:00Z", "2024-03-15T25:00:00Z", "\u0662\u0660\u0662\u0664-03-15T10:00:00Z",
    "", 1710496800, True, ["2024-03-15T10:00:00Z"],
)  # fmt: skip


@pytest.mark.parametrize("time", NO_TIMES, ids=repr)
def test_invalid_timestamp_is_refused(time: Any) -> None:
    history = [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y", "timestamp": time}]

    with pytest.raises(Malformed) as refused:
        read_turn_request(body(conversation_history=history))

    assert refused.value.path == "conversation_history[1].timestamp"


TIMES = {
    "2024-03-15T10:00:00Z": "2024-03-15T10:00:00+00:00",
    "2024-03-15T10:00:00.123456+02:00": "2024-03-15T08:00:00.123456+00:00",
    "2024-03-15T10:00-05:30": "2024-03-15T15:30:00+00:00",
    "2024-03-15T10:00:00": "2024-03-15T10:00:00+00:00",
}


@pytest.mark.parametrize("time", TIMES)
def test_timestamp_is_parsed(time: str) -> None:
    (message,) = read_turn_request(
        body(conversation_history=[{"role": "user", "content": "x", "timestamp": time}])
    ).history

    assert message.timestamp is not None
    assert message.timestamp.isoformat() == TIMES[time]


@pytest.mark.parametrize("case", REFUSED)
def test_invalid_body_is_refused_with_its_path(case: str) -> None:
    sent, path = REFUSED[case]

    with pytest.raises(Malformed) as refused:
        read_turn_request(sent)

    assert refused.value.path == path


def test_an_invalid_page_state_names_its_path_in_the_message() -> None:
    with pytest.raises(Malformed, match=r"^context\.mood: 'bored' is not one of"):
        read_turn_request(body(context={**CONTEXT, "mood": "bored"}))


def test_nearest_page_is_suggested() -> None:
    with pytest.raises(Malformed, match="Did you mean notes"):
        read_turn_request(body(context={"current_page": "nots"}))

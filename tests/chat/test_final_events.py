"""Fields of the final event of an answer over a real server, and of the stored message."""
from __future__ import annotations

from typing import Any

import pytest

from chat.models import Message, Payload
from tests.chat.stream_client import STREAM, Browser, turn_body
from tests.conftest import Api
from tests.scripted_model import Reply, ScriptedModel, say, use

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

PROPOSED = {"names": ["north", "south"]}
ECHOED = {"tool_name": "echo", "input": {"say": "hi"}, "output": "ada 7 hi", "is_error": False}
ALWAYS = {"message", "conversation_id", "message_id", "turn_id", "usage"}

Json = dict[str, Any]


def completed(browser: Browser, script: ScriptedModel, *replies: Reply, **fields: Any) -> Json:
    """Return the fields of `complete` of a turn with these replies."""
    script.add(*replies)
    with browser.open("POST", STREAM, turn_body(**fields)) as stream:
        final: Json = list(stream)[-1]
    assert final["type"] == "complete"
    payload: Json = final["payload"]
    return payload


def stored_message(api: Api, final: Json) -> Json:
    """Return the answer from the list of messages."""
    messages = api.get(f"/api/chat/conversations/{final['conversation_id']}/messages/").json()["messages"]
    last: Json = messages[-1]
    return last


def test_plain_answer_has_its_message_ids_and_usage(
    browser: Browser, api: Api, script: ScriptedModel
) -> None:
    usage = {"input_tokens": 10, "cache_read_input_tokens": 90}
    final = completed(browser, script, say("Hello there.", usage=usage))

    answer = Message.objects.get(role="assistant")
    assert final == {
        "message": "Hello there.",
        "conversation_id": str(answer.conversation_id),
        "message_id": str(answer.pk),
        "turn_id": str(answer.turn_id),
        "usage": {"input_tokens": 100, "output_tokens": final["usage"]["output_tokens"], "cache_read_tokens": 90},
    }
    assert final["usage"]["output_tokens"] > 1
    assert api.get(f"/api/chat/turns/{final['turn_id']}/").json()["usage"] == final["usage"]
    assert stored_message(api, final)["text"] == "Hello there."


def test_suggestions_have_their_forms(browser: Browser, api: Api, script: ScriptedModel) -> None:
    values = 'SUGGESTED_VALUES: ["Two", {"label": "Three", "value": "Make three"}]'
    actions = 'SUGGESTED_ACTIONS: [{"label": "Close", "action": "close_chat", "style": "primary"}]'
    final = completed(browser, script, say(f"How many?\n\n{values}\n\n{actions}"))

    assert set(final) == ALWAYS | {"suggested_values", "suggested_actions"}
    assert final["message"] == "How many?"
    assert final["suggested_values"] == [{"label": "Two", "value": "Two"}, {"label": "Three", "value": "Make three"}]
    (action,) = final["suggested_actions"]
    assert (action["label"], action["action"], action["handler"], action["style"]) == (
        "Close", "close_chat", "client", "primary",
    )  # fmt: skip
    for name in ("suggested_values", "suggested_actions"):
        assert stored_message(api, final)[name] == final[name]


def test_links_have_the_urls_for_the_user(browser: Browser, api: Api, script: ScriptedModel) -> None:
    columns = [{"name": "Company", "type": "text"}]
    table = api.post("/api/tables/", {"name": "Jobs", "columns": columns}).json()["id"]
    final = completed(browser, script, say(f"[Jobs](table:{table}) and [another](table:{table + 1})", sizes=(3,)))

    assert set(final) == ALWAYS | {"links"}
    assert final["links"] == {f"table:{table}": {"href": f"/tables/{table}/", "data": {"table_id": table}}}
    assert stored_message(api, final)["links"] == final["links"]


def test_proposal_is_as_stored_with_the_text_of_the_model(
    browser: Browser, api: Api, script: ScriptedModel
) -> None:
    final = completed(browser, script, say('Here.\n\nNOTE_PROPOSAL: {"names": ["north", "south"]}'))

    stored = Payload.objects.get()
    assert set(final) == ALWAYS | {"custom_payload"}
    assert final["custom_payload"] == {
        "id": str(stored.pk),
        "type": "note_proposal",
        "data": PROPOSED,
        "status": "pending",
        "summary": "Make 2 groups",
        "content_hash": "hash of north,south",
        "counts": {"add": 2},
    }
    read = api.get(f"/api/chat/payloads/{stored.pk}/").json()
    assert {name: read[name] for name in final["custom_payload"]} == final["custom_payload"]
    assert stored_message(api, final)["custom_payload"] == read
    operations = api.get(f"/api/chat/payloads/{stored.pk}/operations/").json()["operations"]
    assert [each["label"] for each in operations] == ["north", "south"]


def test_tools_alone_are_shown_as_history_without_a_stored_payload(
    browser: Browser, api: Api, script: ScriptedModel
) -> None:
    final = completed(browser, script, use(("echo", {"say": "hi"}), text="Let me see. "), say("It says hi."))

    assert set(final) == ALWAYS | {"tool_history", "custom_payload"}
    assert final["message"] == "Let me see. [[tool:0]]It says hi."
    (entry,) = final["tool_history"]
    assert {name: entry[name] for name in ECHOED} == ECHOED
    assert set(entry) == {*ECHOED, "duration_ms"}
    assert final["custom_payload"] == {"type": "tool_history", "data": final["tool_history"]}
    assert stored_message(api, final)["custom_payload"] == final["custom_payload"]
    assert not Payload.objects.exists()
    completed(browser, script, say("Fine."), conversation_id=final["conversation_id"])
    assert "PAYLOADS" not in str(script.requests[-1]["messages"][-1])


def test_failed_tool_is_marked_in_the_history(browser: Browser, script: ScriptedModel) -> None:
    final = completed(browser, script, use(("make_group", {"name": "north!"})), say("It did not work."))

    (entry,) = final["tool_history"]
    assert (entry["output"], entry["is_error"]) == ("No exclamation, please.", True)


@pytest.mark.parametrize("payload", ["of a tool", "of the text"])
def test_history_beside_a_payload_has_its_own_field(browser: Browser, script: ScriptedModel, payload: str) -> None:
    calls = [("echo", {"say": "hi"}), *([("count_slowly", {})] if payload == "of a tool" else [])]
    text = "Here." if payload == "of a tool" else 'Here. NOTE_PROPOSAL: {"names": ["north"]}'
    final = completed(browser, script, use(*calls), say(text))

    assert [entry["tool_name"] for entry in final["tool_history"]] == [name for name, _ in calls]
    expected = ("note_chart", "shown") if payload == "of a tool" else ("note_proposal", "pending")
    assert (final["custom_payload"]["type"], final["custom_payload"]["status"]) == expected


def test_last_payload_of_tools_is_shown_and_the_others_are_stored(
    browser: Browser, api: Api, script: ScriptedModel
) -> None:
    written = 'Two charts. NOTE_PROPOSAL: {"names": ["north"]}'
    final = completed(browser, script, use(("count_slowly", {}), ("count_slowly", {})), say(written))

    first, last = Payload.objects.order_by("created_at")
    assert (first.source, last.source) == ("tool", "tool")
    assert final["custom_payload"]["id"] == str(last.pk)
    assert stored_message(api, final)["custom_payload"]["id"] == str(last.pk)
    assert api.get(f"/api/chat/payloads/{first.pk}/").json()["data"] == {"bars": [1, 2]}
    completed(browser, script, say("Fine."), conversation_id=final["conversation_id"])
    message = str(script.requests[-1]["messages"][-1])
    assert str(first.pk) in message
    assert "The NOTE_PROPOSAL you wrote was not shown" in message


def test_cut_answer_has_a_warning_beside_its_text(browser: Browser, api: Api, script: ScriptedModel) -> None:
    final = completed(browser, script, *[say("On and on. ", stop_reason="max_tokens")] * 3)

    assert set(final) == ALWAYS | {"warning", "warning_coded"}
    assert "cut off" in final["warning"]
    assert stored_message(api, final)["warning"] == final["warning"]

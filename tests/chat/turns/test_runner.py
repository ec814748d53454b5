"""A whole turn with a scripted model: deltas, stored records, and one final event."""
from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import replace
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from channels.db import database_sync_to_async
from django.contrib.auth.models import Group, User
from django.utils import timezone

from chat.agent.clock import SystemClock
from chat.agent.tools import ToolContext, ToolResult, tools
from chat.models import Payload, Turn, TurnEvent
from chat.page_config import pages
from chat.payload_types import payload_types
from chat.services import apply_payload
from chat.turns.event_stream import EventStream
from chat.turns.model_clients import use_transport
from chat.turns.runtime import TurnRuntime
from chat.turns.start import start_turn_task
from shared.db.large_work import LargeWorkBusy
from tests.chat.entries import NOTES, tool
from tests.chat.entries import PROPOSAL as NOTE_PROPOSAL
from tests.chat.stored_conversations import turn_request
from tests.chat.turns.turn_runs import PROPOSAL, answer_of, events_of, next_request, run_turn, text_of
from tests.manual_clock import ManualClock, settle
from tests.scripted_model import Gate, ScriptedModel, refuse, say, use

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

Json = dict[str, Any]


def test_deltas_are_the_stored_message(user: User) -> None:
    turn, events = run_turn(user, ScriptedModel(say("Hello, I can help.", sizes=(1, 3, 2))))

    assert events[0]["type"] == "status"
    assert events[0]["turn_id"] == str(turn.pk)
    assert events[0]["conversation_id"] == str(turn.conversation_id)
    assert text_of(events) == events[-1]["payload"]["message"] == answer_of(turn).text == "Hello, I can help."
    assert (turn.state, turn.usage["input_tokens"]) == ("complete", 100)


def test_events_are_stored_in_order_with_the_final_one_last(user: User) -> None:
    turn, events = run_turn(user, ScriptedModel(say("One two three", sizes=(2,))))

    stored = list(TurnEvent.objects.filter(turn=turn).order_by("seq").values_list("seq", "data"))
    assert [data for _, data in stored] == events
    assert [seq for seq, _ in stored] == list(range(1, len(events) + 1))
    assert [event["type"] for event in events].count("complete") == 1


def test_tool_runs_and_leaves_its_card_and_history(user: User) -> None:
    script = ScriptedModel(use(("echo", {"say": "hi"}), text="Let me look."), say("It says hi."))

    turn, events = run_turn(user, script)

    kinds = [event["type"] for event in events]
    assert kinds.index("tool_start") < kinds.index("tool_complete")
    assert "[[tool:0]]" in answer_of(turn).text
    assert answer_of(turn).tool_history[0]["output"] == "ada 7 hi"
    assert events[-1]["payload"]["tool_history"][0]["tool_name"] == "echo"
    assert script.problems == []


def test_proposal_is_stored_as_pending_and_named_in_the_final_event(user: User) -> None:
    turn, events = run_turn(user, ScriptedModel(say(PROPOSAL, sizes=(3,))))

    payload = Payload.objects.get(turn=turn)
    shown = events[-1]["payload"]["custom_payload"]
    assert (payload.status, payload.counts, payload.summary) == ("pending", {"add": 2}, "Make 2 groups")
    assert (shown["id"], shown["status"], shown["type"]) == (str(payload.pk), "pending", "note_proposal")
    assert "NOTE_PROPOSAL" not in text_of(events)


def test_invalid_proposal_is_reported(user: User) -> None:
    turn, events = run_turn(user, ScriptedModel(say('NOTE_PROPOSAL: {"names": []}')))

    assert not Payload.objects.exists()
    assert events[-1]["payload"].get("custom_payload") is None
    assert "My proposal is not valid" in text_of(events)
    assert answer_of(turn).text == text_of(events)


def test_check_with_an_unexpected_error_is_reported_and_logged_once(
    user: User, caplog: pytest.LogCaptureFixture
) -> None:
    def check(data: Any, context: Any) -> Any:
        raise ZeroDivisionError

    entry = replace(NOTE_PROPOSAL, name="broken_proposal", parse_marker="BROKEN:", check=check)
    page = replace(NOTES, page="broken", payloads=("broken_proposal",))
    written = PROPOSAL.replace("NOTE_PROPOSAL:", "BROKEN:")
    with payload_types.registered(entry), pages.registered(page):
        _, events = run_turn(user, ScriptedModel(say(written), say(written)), turn_request("Go", page="broken"))

    assert not Payload.objects.exists()
    assert events[-1]["type"] == "complete"
    assert "could not be checked" in text_of(events)
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [ZeroDivisionError]


def test_check_of_a_busy_server_fails_the_turn_so_that_it_can_be_repeated(user: User) -> None:
    def check(data: Any, context: Any) -> Any:
        raise LargeWorkBusy

    entry = replace(NOTE_PROPOSAL, name="large_proposal", parse_marker="LARGE:", check=check)
    page = replace(NOTES, page="large", payloads=("large_proposal",))
    written = PROPOSAL.replace("NOTE_PROPOSAL:", "LARGE:")
    with payload_types.registered(entry), pages.registered(page):
        _, events = run_turn(user, ScriptedModel(say(written)), turn_request("Go", page="large"))

    assert (events[-1]["type"], events[-1]["retryable"]) == ("error", True)


def test_payload_of_a_tool_is_stored_as_shown(user: User) -> None:
    turn, events = run_turn(user, ScriptedModel(use(("count_slowly", {})), say("Two bars.")))

    payload = Payload.objects.get(turn=turn)
    assert (payload.type, payload.source, payload.status, payload.summary) == ("note_chart", "tool", "shown", "2 bars")
    assert [event["stage"] for event in events if event["type"] == "tool_progress"] == ["one", "two"]
    assert events[-1]["payload"]["custom_payload"]["id"] == str(payload.pk)


def test_next_turn_has_the_history_without_the_old_context(user: User) -> None:
    script = ScriptedModel(use(("echo", {"say": "hi"})), say("It says hi."), say("Bye."))
    first, _ = run_turn(user, script, turn_request("Say hi"))

    run_turn(user, script, next_request(first))

    sent = script.requests[-1]["messages"]
    assert [message["role"] for message in sent] == ["user", "assistant", "user", "assistant", "user"]
    assert [block["text"] for block in sent[0]["content"]] == ["Say hi"]
    assert sent[-1]["content"][-1]["text"] == "And now?"
    assert script.problems == []


def test_model_gets_the_status_of_its_proposal(user: User) -> None:
    script = ScriptedModel(say(PROPOSAL), say("Good."))
    first, _ = run_turn(user, script)
    payload = Payload.objects.get(turn=first)
    apply_payload(user=user, payload_id=payload.pk, choice={"operations": [0]}, now=timezone.now())

    run_turn(user, script, next_request(first))

    message = json.dumps(script.requests[-1]["messages"][-1]["content"])
    assert str(payload.pk) in message
    assert "applied 1 of 2" in message


def test_tool_without_permission_is_not_offered(user: User) -> None:
    script = ScriptedModel(say("Hi."))

    run_turn(user, script)

    names = {tool["name"] for tool in script.requests[0]["tools"]}
    assert {"echo", "make_group"} <= names
    assert "staff_only" not in names


def test_same_client_id_gets_the_same_turn_and_one_answer(user: User) -> None:
    script, request = ScriptedModel(say("Once.")), turn_request()

    first, events = run_turn(user, script, request)
    second, events_again = run_turn(user, script, request)

    assert first.pk == second.pk
    assert events_again == events
    assert len(script.requests) == 1


def test_failed_model_ends_the_turn_with_a_message_and_the_next_one_works(user: User) -> None:
    script = ScriptedModel(refuse(401, kind="authentication_error"), say("Here again."))
    first, events = run_turn(user, script)

    second, _ = run_turn(user, script, next_request(first))

    assert (events[-1]["type"], events[-1]["code"]) == ("error", "provider_auth")
    assert (first.state, first.error_code) == ("error", "provider_auth")
    assert second.state == "complete"
    assert script.problems == []


def test_answer_that_fails_midway_keeps_its_text(user: User) -> None:
    overloaded = {"type": "overloaded_error", "message": "no"}
    script = ScriptedModel(say("Half of it", sizes=(5,), ending="error", error=overloaded), say("Fine."))
    first, events = run_turn(user, script)

    run_turn(user, script, next_request(first))

    assert events[-1]["type"] == "error"
    assert answer_of(first).text == text_of(events) == "Half of it"
    assert script.problems == []


def test_stopped_turn_keeps_its_text_and_the_next_one_works(user: User) -> None:
    gate = Gate()
    script = ScriptedModel(say("Half an answer", sizes=(5,), gate=gate, gate_after=1), say("Fine."))

    @async_to_sync
    async def scene() -> tuple[Turn, list[bytes]]:
        runtime = TurnRuntime(clock=SystemClock())
        turn = await start_turn_task(runtime, user=user, request=turn_request())
        pieces = []
        async for piece in EventStream(runtime=runtime, turn_id=turn.pk, after=0, user_id=user.pk):
            pieces.append(piece)
            if b"text_delta" in piece:
                runtime.running[turn.pk].stop()
        return turn, pieces

    with use_transport(script.transport()):
        turn, pieces = scene()
    second, _ = run_turn(user, script, next_request(turn))

    turn.refresh_from_db()
    assert [event["type"] for event in events_of(pieces)][-1] == "cancelled"
    assert (turn.state, answer_of(turn).text) == ("cancelled", "Half")
    assert second.state == "complete"
    assert (script.problems, script.left) == ([], 1)


def test_turn_beyond_its_deadline_ends_with_an_error(user: User) -> None:
    gate = Gate()
    script = ScriptedModel(say("Slowly", gate=gate))

    @async_to_sync
    async def scene() -> list[bytes]:
        clock = ManualClock()
        runtime = TurnRuntime(clock=clock)
        turn = await start_turn_task(runtime, user=user, request=turn_request())
        stream = EventStream(runtime=runtime, turn_id=turn.pk, after=0, user_id=user.pk)
        reading = asyncio.ensure_future(_all(stream))
        await asyncio.to_thread(gate.reached.wait, 60)
        while not reading.done():
            await clock.advance(30)
        return await reading

    with use_transport(script.transport()):
        events = events_of(scene())

    assert (events[-1]["type"], events[-1]["code"], events[-1]["retryable"]) == ("error", "timeout", True)


def test_turn_of_a_deleted_conversation_has_one_final_event(user: User) -> None:
    gate = Gate()
    script = ScriptedModel(say("Hello", gate=gate))

    @async_to_sync
    async def scene() -> list[bytes]:
        # The clock does not advance: nothing is stored while the conversation is being deleted.
        runtime = TurnRuntime(clock=ManualClock())
        turn = await start_turn_task(runtime, user=user, request=turn_request())
        reading = asyncio.ensure_future(_all(EventStream(runtime=runtime, turn_id=turn.pk, after=0, user_id=user.pk)))
        await asyncio.to_thread(gate.reached.wait, 60)
        await database_sync_to_async(delete_conversation, thread_sensitive=False)(turn)
        gate.open()
        return await reading

    with use_transport(script.transport()):
        events = events_of(scene())

    assert [event["type"] for event in events if event["type"] in {"complete", "error", "cancelled"}] == ["error"]


def test_write_of_a_tool_during_cancellation_is_recorded(user: User) -> None:
    begun, go_on = threading.Event(), threading.Event()
    where: Json = {"page": "slow_notes", "context": {"current_page": "slow_notes", "note_id": "7"}}

    def write_slowly(params: Any, *, user: Any, context: ToolContext) -> ToolResult:
        begun.set()
        go_on.wait(60)
        return ToolResult(text="written", undo={"group": Group.objects.create(name="north").pk})

    @async_to_sync
    async def scene() -> Turn:
        runtime = TurnRuntime(clock=SystemClock())
        turn = await start_turn_task(runtime, user=user, request=turn_request(**where))
        await asyncio.to_thread(begun.wait, 10)
        running = runtime.running[turn.pk]
        running.stop()
        await settle()
        go_on.set()
        assert running.task is not None
        await running.task
        return turn

    script = ScriptedModel(use(("write_slowly", {"name": "north"})), say("Fine."))
    page = replace(NOTES, page="slow_notes", tools=("write_slowly",))
    slow = tool("write_slowly", write_slowly, writes="row")
    with use_transport(script.transport()), tools.registered(slow), pages.registered(page):
        turn = scene()
        second, _ = run_turn(user, script, next_request(turn, **where))

    answer = answer_of(turn)
    assert Group.objects.filter(name="north").exists()
    assert [(entry["tool_name"], entry["output"]) for entry in answer.tool_history] == [("write_slowly", "written")]
    assert answer.text == "[[tool:0]]"
    assert "write_slowly took effect" in json.dumps(script.requests[-1]["messages"][-1])
    assert second.state == "complete"
    assert script.problems == []


async def _all(stream: EventStream) -> list[bytes]:
    return [piece async for piece in stream]


def delete_conversation(turn: Turn) -> None:
    turn.conversation.delete()

"""Turns of lost processes are closed by the next reader, with their text and effects."""
from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from chat.models import Message, Turn
from chat.selectors import events_after, tokens_used, trace_view
from chat.services import end_stale_turns, record_tool_call, write_events
from shared import strictjson
from tests.chat.stored_conversations import finish_turn, running_turn, turn_request

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]


def test_turn_without_a_heartbeat_is_closed_with_its_text(user: User, caplog: pytest.LogCaptureFixture) -> None:
    long_ago = timezone.now() - timedelta(seconds=31)
    turn = running_turn(user, now=long_ago)
    events = [{"type": "status"}, {"type": "text_delta", "text": "Half an ans"}]
    write_events([(turn.pk, seq, strictjson.dumps(event)) for seq, event in enumerate(events, start=1)])

    end_stale_turns(user=user, now=timezone.now())

    turn.refresh_from_db()
    message = Message.objects.get(turn=turn, role="assistant")
    # Two further events may have been sent without being stored.
    [(_, final)] = events_after(turn.pk, seq=4)[1]
    assert (turn.state, turn.error_retryable, message.text) == ("error", True, "Half an ans")
    assert (final["type"], final["code"], final["retryable"]) == ("error", "interrupted", True)
    assert [line.startswith(f"turn {turn.pk} ended as interrupted") for line in caplog.messages] == [True]


def test_live_turn_is_not_closed(user: User) -> None:
    turn = running_turn(user, now=timezone.now() - timedelta(seconds=29))

    end_stale_turns(user=user, now=timezone.now())

    turn.refresh_from_db()
    assert turn.state == Turn.State.RUNNING


def test_effective_tools_keep_their_cards_and_undo(user: User) -> None:
    turn = running_turn(user, now=timezone.now() - timedelta(minutes=1))
    done = {"tool": "make_group", "tool_use_id": "b", "index": 1, "is_error": False, "duration_ms": 3}
    events: list[dict[str, Any]] = [
        {"type": "status", "message": "Thinking"},
        {"type": "tool_start", "tool": "echo", "tool_use_id": "a", "input": {"say": "x"}},
        {"type": "tool_complete", "tool": "echo", "tool_use_id": "a", "index": 0, "is_error": False, "duration_ms": 1},
        {"type": "text_delta", "text": "[[tool:0]]"},
        {"type": "tool_start", "tool": "make_group", "tool_use_id": "b", "input": {"name": "north"}},
        {"type": "tool_complete", **done},
        {"type": "text_delta", "text": "[[tool:1]]"},
        {"type": "tool_start", "tool": "make_group", "tool_use_id": "c", "input": {"name": "south"}},
    ]
    write_events([(turn.pk, seq, strictjson.dumps(event)) for seq, event in enumerate(events, start=1)])
    for index, name in enumerate(["north", "south"]):
        record_tool_call(
            turn_id=turn.pk, index=index, tool="make_group", params={"name": name}, output=name, undo={"n": index}
        )

    end_stale_turns(user=user, now=timezone.now())

    message = Message.objects.get(turn=turn, role="assistant")
    assert message.text == "[[tool:0]][[tool:1]]\n\n[[tool:2]]"
    assert [(e["tool_name"], e["output"], e.get("undo")) for e in message.tool_history] == [
        ("echo", "", None),
        ("make_group", "north", {"n": 0}),
        ("make_group", "south", {"n": 1}),
    ]
    assert len(message.notes) == 2


def lose(turn: Turn, *events: dict[str, Any]) -> None:
    """Store these events, then close the turn as that of a dead process."""
    write_events([(turn.pk, seq, strictjson.dumps(event)) for seq, event in enumerate(events, start=1)])
    end_stale_turns(now=timezone.now())
    turn.refresh_from_db()


def test_tokens_are_estimated_from_the_sent_and_received_text(user: User, settings: Any) -> None:
    settings.ANTHROPIC_API_KEY = "a-key"
    long_ago = timezone.now() - timedelta(minutes=1)
    first = finish_turn(running_turn(user, turn_request("x" * 3_500), now=long_ago), text="y" * 3_500)
    turn = running_turn(user, turn_request("z" * 3_500, conversation_id=str(first.conversation_id)), now=long_ago)

    lose(turn, {"type": "status"}, {"type": "text_delta", "text": "w" * 3_500})

    assert 4_000 < tokens_used(user.pk, now=timezone.now()) < 4_300


def test_calls_of_the_demo_model_are_not_counted(user: User) -> None:
    turn = running_turn(user, turn_request("x" * 3_500), now=timezone.now() - timedelta(minutes=1))

    lose(turn, {"type": "status"}, {"type": "text_delta", "text": "w" * 3_500})

    assert tokens_used(user.pk, now=timezone.now()) == 0


def test_turn_without_a_call_counts_nothing(user: User, settings: Any) -> None:
    settings.ANTHROPIC_API_KEY = "a-key"
    turn = running_turn(user, turn_request("x" * 3_500), now=timezone.now() - timedelta(minutes=1))

    lose(turn)

    assert tokens_used(user.pk, now=timezone.now()) == 0
    view = trace_view(turn)
    assert view is not None
    assert "No request was sent" in view["dropped"][0]

"""Turns whose process is gone: ended by whoever looks, with all that had been said and done."""
from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from chat.models import Message, Turn, TurnEvent
from chat.selectors import tokens_used, trace_view
from chat.services import end_stale_turns, record_tool_call, write_events
from shared import strictjson
from tests.chat.stored_conversations import ended, started, wish

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]


def test_a_turn_without_a_sign_of_life_is_ended_with_what_had_been_said(user: User) -> None:
    long_ago = timezone.now() - timedelta(seconds=31)
    turn = started(user, now=long_ago)
    said = [{"type": "status"}, {"type": "text_delta", "text": "Half an ans"}]
    write_events([(turn.pk, seq, strictjson.dumps(event)) for seq, event in enumerate(said, start=1)])

    end_stale_turns(user=user, now=timezone.now())

    turn.refresh_from_db()
    message = Message.objects.get(turn=turn, role="assistant")
    final = TurnEvent.objects.get(turn=turn, seq=3).data
    assert (turn.state, turn.error_retryable, message.text) == ("error", True, "Half an ans")
    assert (final["type"], final["retryable"]) == ("error", True)


def test_a_living_turn_is_left_alone(user: User) -> None:
    turn = started(user, now=timezone.now() - timedelta(seconds=29))

    end_stale_turns(user=user, now=timezone.now())

    turn.refresh_from_db()
    assert turn.state == Turn.State.RUNNING


def test_tools_that_took_effect_keep_their_cards_and_their_undo(user: User) -> None:
    turn = started(user, now=timezone.now() - timedelta(minutes=1))
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


def lost(turn: Turn, *events: dict[str, Any]) -> None:
    """The turn's process dies after these events, and somebody looks."""
    write_events([(turn.pk, seq, strictjson.dumps(event)) for seq, event in enumerate(events, start=1)])
    end_stale_turns(now=timezone.now())
    turn.refresh_from_db()


def test_what_was_sent_and_came_is_counted_about(user: User, settings: Any) -> None:
    settings.ANTHROPIC_API_KEY = "a-key"
    long_ago = timezone.now() - timedelta(minutes=1)
    first = ended(started(user, wish("x" * 3_500), now=long_ago), text="y" * 3_500)
    turn = started(user, wish("z" * 3_500, conversation_id=str(first.conversation_id)), now=long_ago)

    lost(turn, {"type": "status"}, {"type": "text_delta", "text": "w" * 3_500})

    assert 4_000 < tokens_used(user.pk, now=timezone.now()) < 4_300


def test_calls_of_the_demo_model_are_not_counted(user: User) -> None:
    turn = started(user, wish("x" * 3_500), now=timezone.now() - timedelta(minutes=1))

    lost(turn, {"type": "status"}, {"type": "text_delta", "text": "w" * 3_500})

    assert tokens_used(user.pk, now=timezone.now()) == 0


def test_before_anything_was_sent_nothing_is_counted(user: User, settings: Any) -> None:
    settings.ANTHROPIC_API_KEY = "a-key"
    turn = started(user, wish("x" * 3_500), now=timezone.now() - timedelta(minutes=1))

    lost(turn)

    assert tokens_used(user.pk, now=timezone.now()) == 0
    view = trace_view(turn)
    assert view is not None
    assert "Nothing had been sent" in view["dropped"][0]

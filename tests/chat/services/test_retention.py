"""Retention of the chat: events for a day after their turn, deleted conversations for a month."""
from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from chat.models import Conversation, Message, Turn, TurnEvent
from chat.services import write_events
from tests.chat.stored_conversations import finish_turn, running_turn
from tests.chat.stream_client import STREAM, Browser, turn_body
from tests.retention_clock import tidy_after
from tests.scripted_model import ScriptedModel, say

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]


def run_turn(browser: Browser) -> tuple[str, list[dict[str, object]]]:
    """Run a turn over HTTP and return its id and events."""
    with browser.open("POST", STREAM, turn_body()) as stream:
        events = list(stream)
    return str(events[0]["turn_id"]), events


def follow(browser: Browser, turn_id: str) -> list[dict[str, object]]:
    with browser.open("GET", f"/api/chat/turns/{turn_id}/stream/") as stream:
        return list(stream)


def test_turn_can_be_followed_from_its_start_for_a_day(browser: Browser, script: ScriptedModel) -> None:
    script.add(say("One two three", sizes=(4,)))
    turn_id, events = run_turn(browser)
    tidy_after(hours=23)
    assert follow(browser, turn_id) == events


def test_only_the_final_event_is_sent_after_a_day(browser: Browser, script: ScriptedModel) -> None:
    script.add(say("One two three", sizes=(4,)))
    turn_id, events = run_turn(browser)
    tidy_after(hours=25)
    assert follow(browser, turn_id) == events[-1:]
    assert Message.objects.get(turn_id=turn_id, role="assistant").text == "One two three"


def test_events_of_a_running_turn_are_not_deleted(user: User) -> None:
    turn = running_turn(user)
    write_events([(turn.pk, 1, '{"type": "status"}'), (turn.pk, 2, '{"type": "text_delta", "text": "x"}')])
    Turn.objects.filter(pk=turn.pk).update(heartbeat_at=timezone.now() + timedelta(days=3))
    tidy_after(days=2)
    assert TurnEvent.objects.filter(turn=turn).count() == 2


def test_turn_is_checked_once(user: User) -> None:
    for _ in range(3):
        finish_turn(running_turn(user))
    assert tidy_after(days=2)["events of turns"] == 3
    assert "events of turns" not in tidy_after(days=3)


def test_lost_turn_is_closed_without_a_client(user: User) -> None:
    turn = running_turn(user)
    tidy_after(minutes=5)
    turn.refresh_from_db()
    assert (turn.state, turn.error_retryable) == ("error", True)


def test_deleted_conversation_is_purged_after_a_month(user: User) -> None:
    deleted, other = finish_turn(running_turn(user)), finish_turn(running_turn(user))
    Conversation.objects.filter(pk=deleted.conversation_id).update(deleted_at=timezone.now())
    tidy_after(days=29)
    assert Conversation.objects.count() == 2
    tidy_after(days=31)
    assert list(Conversation.objects.values_list("pk", flat=True)) == [other.conversation_id]
    assert set(Message.objects.values_list("conversation_id", flat=True)) == {other.conversation_id}

"""What the chat lets go of: events a day after their turn, deleted conversations after a month."""
from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from chat.models import Conversation, Message, Turn, TurnEvent
from chat.services import write_events
from tests.chat.stored_conversations import ended, started
from tests.chat.stream_client import STREAM, Browser, wish
from tests.retention_clock import tidy_after
from tests.scripted_model import ScriptedModel, say

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]


def talked(browser: Browser) -> tuple[str, list[dict[str, object]]]:
    """A turn over HTTP: its id and its events."""
    with browser.open("POST", STREAM, wish()) as stream:
        events = list(stream)
    return str(events[0]["turn_id"]), events


def attached(browser: Browser, turn_id: str) -> list[dict[str, object]]:
    with browser.open("GET", f"/api/chat/turns/{turn_id}/stream/") as stream:
        return list(stream)


def test_a_turn_can_be_followed_from_its_beginning_for_a_day(browser: Browser, script: ScriptedModel) -> None:
    script.add(say("One two three", sizes=(4,)))
    turn_id, events = talked(browser)
    tidy_after(hours=23)
    assert attached(browser, turn_id) == events


def test_then_only_its_end_is_told(browser: Browser, script: ScriptedModel) -> None:
    script.add(say("One two three", sizes=(4,)))
    turn_id, events = talked(browser)
    tidy_after(hours=25)
    assert attached(browser, turn_id) == events[-1:]
    assert Message.objects.get(turn_id=turn_id, role="assistant").text == "One two three"


def test_events_of_a_running_turn_stay_however_long_it_runs(user: User) -> None:
    turn = started(user)
    write_events([(turn.pk, 1, '{"type": "status"}'), (turn.pk, 2, '{"type": "text_delta", "text": "x"}')])
    Turn.objects.filter(pk=turn.pk).update(heartbeat_at=timezone.now() + timedelta(days=3))
    tidy_after(days=2)
    assert TurnEvent.objects.filter(turn=turn).count() == 2


def test_a_turn_is_looked_at_once(user: User) -> None:
    for _ in range(3):
        ended(started(user))
    assert tidy_after(days=2)["events of turns"] == 3
    assert "events of turns" not in tidy_after(days=3)


def test_a_lost_turn_is_ended_although_nobody_comes_back(user: User) -> None:
    turn = started(user)
    tidy_after(minutes=5)
    turn.refresh_from_db()
    assert (turn.state, turn.error_retryable) == ("error", True)


def test_a_deleted_conversation_goes_after_a_month_with_all_that_was_said(user: User) -> None:
    gone, kept = ended(started(user)), ended(started(user))
    Conversation.objects.filter(pk=gone.conversation_id).update(deleted_at=timezone.now())
    tidy_after(days=29)
    assert Conversation.objects.count() == 2
    tidy_after(days=31)
    assert list(Conversation.objects.values_list("pk", flat=True)) == [kept.conversation_id]
    assert set(Message.objects.values_list("conversation_id", flat=True)) == {kept.conversation_id}

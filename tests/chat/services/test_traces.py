"""Retention of traces, and of their texts as long as a trace refers to them."""
from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext, override_settings
from django.utils import timezone

from chat.models import TokenUse, Trace, TraceText
from chat.services import TraceRecord, TraceTexts, count_tokens
from chat.services.traces import StoredTexts
from chatproject.retention import delete_expired
from tests.chat.stored_conversations import finish_turn, running_turn, turn_request

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]


def traced(user: User, *texts: str, now: datetime | None = None) -> Any:
    """Create an ended turn whose trace refers to these texts."""
    trace = TraceTexts(owner=user.pk)
    named = [trace.add(text) for text in texts]
    turn = running_turn(user, turn_request(), now=now)
    return finish_turn(turn, now=now, trace=lambda: TraceRecord(data={"calls": [], "sections": named}, texts=trace))


def traced_again(user: User, stored: StoredTexts, *texts: str, now: datetime) -> None:
    """Create an ended turn whose trace refers to these texts, as a later one of its conversation does."""
    trace = TraceTexts(owner=user.pk, stored=stored)
    named = [trace.add_lasting(text) for text in texts]
    turn = running_turn(user, turn_request(), now=now)
    finish_turn(turn, now=now, trace=lambda: TraceRecord(data={"calls": [], "sections": named}, texts=trace))


def count_lookups(user: User, stored: StoredTexts, *texts: str, now: datetime) -> int:
    """Return how many of these texts a new trace would look up at this time."""
    trace = TraceTexts(owner=user.pk, stored=stored)
    for text in texts:
        trace.add_lasting(text)
    return len(trace.unknown(now=now))


def tidy_at(now: datetime) -> dict[str, int]:
    """Return how many traces and texts are deleted at this time."""
    counts = delete_expired(now=now, pause=lambda _: None)
    return {name: count for name, count in counts.items() if "trace" in name}


def texts() -> set[str]:
    return set(TraceText.objects.values_list("text", flat=True))


def test_old_traces_are_deleted_with_their_own_texts(user: User) -> None:
    now = timezone.now()
    traced(user, "old", "both", now=now - timedelta(days=40))
    young = traced(user, "young", "both", now=now - timedelta(days=29))

    assert tidy_at(now) == {"traces of turns": 1, "texts of traces": 1}

    assert list(Trace.objects.values_list("turn_id", flat=True)) == [young.pk]
    assert texts() == {"young", "both"}


def test_text_in_use_is_not_deleted(user: User) -> None:
    now = timezone.now()
    for days in range(40, 0, -5):
        traced(user, "the prompt", now=now - timedelta(days=days))
        tidy_at(now - timedelta(days=days))

    assert texts() == {"the prompt"}


def test_text_is_marked_as_used_at_most_once_a_day(user: User) -> None:
    now = timezone.now()
    traced(user, "the prompt", now=now)
    traced(user, "the prompt", now=now + timedelta(hours=20))
    assert TraceText.objects.get().used_at == now
    traced(user, "the prompt", now=now + timedelta(hours=30))
    assert TraceText.objects.get().used_at == now + timedelta(hours=30)


def test_text_not_used_for_a_year_is_deleted(user: User) -> None:
    now = timezone.now()
    for days in (1, 100, 500):
        count_tokens(user_id=user.pk, tokens=days, now=now - timedelta(days=days))

    assert delete_expired(now=now, pause=lambda _: None)["token use"] == 1

    assert set(TokenUse.objects.values_list("tokens", flat=True)) == {1, 100}


def test_traces_are_deleted_with_their_conversation(user: User) -> None:
    turn = traced(user, "words")
    turn.conversation.delete()
    assert not Trace.objects.exists()


def test_texts_are_deleted_with_their_user(user: User) -> None:
    traced(user, "words")
    user.delete()
    assert not TraceText.objects.exists()


def test_trace_is_stored_in_constant_queries(user: User) -> None:
    counts = []
    for number in (2, 200):
        with CaptureQueriesContext(connection) as queries:
            traced(user, *(f"text {number} {index}" for index in range(number)))
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_texts_of_a_conversation_are_looked_up_twice_a_day(
    user: User, django_capture_on_commit_callbacks: Any
) -> None:
    now, stored = timezone.now(), StoredTexts()
    with django_capture_on_commit_callbacks(execute=True):
        traced_again(user, stored, "one", "two", now=now)

    assert count_lookups(user, stored, "one", "two", "three", now=now + timedelta(hours=1)) == 1
    assert count_lookups(user, stored, "one", "two", "three", now=now + timedelta(hours=13)) == 3
    assert count_lookups(user, StoredTexts(), "one", now=now) == 1


def test_uncommitted_texts_are_looked_up_again(user: User) -> None:
    now, stored = timezone.now(), StoredTexts()
    traced_again(user, stored, "one", now=now)

    assert count_lookups(user, stored, "one", now=now) == 1


@override_settings(CHAT_TRACE_DAYS=1)
def test_texts_not_looked_up_are_stored_as_long_as_a_trace_refers_to_them(
    user: User, django_capture_on_commit_callbacks: Any
) -> None:
    begin, stored = timezone.now() - timedelta(days=20), StoredTexts()
    for hours in range(0, 15 * 24, 5):
        now = begin + timedelta(hours=hours)
        with django_capture_on_commit_callbacks(execute=True):
            traced_again(user, stored, "one", now=now)
        last = now

    tidy_at(last + timedelta(hours=24))

    assert Trace.objects.count() >= 1
    assert texts() == {"one"}

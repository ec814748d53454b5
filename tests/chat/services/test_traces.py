"""Traces are kept for a time, and their texts as long as a trace names them."""
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
from tests.chat.stored_conversations import ended, started, wish

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]


def traced(user: User, *texts: str, now: datetime | None = None) -> Any:
    """An ended turn whose trace names these texts."""
    kept = TraceTexts(owner=user.pk)
    named = [kept.add(text) for text in texts]
    turn = started(user, wish(), now=now)
    return ended(turn, now=now, trace=lambda: TraceRecord(data={"calls": [], "sections": named}, texts=kept))


def traced_again(user: User, stored: StoredTexts, *texts: str, now: datetime) -> None:
    """An ended turn whose trace names these texts, as later ones of its conversation will."""
    kept = TraceTexts(owner=user.pk, stored=stored)
    named = [kept.add_lasting(text) for text in texts]
    turn = started(user, wish(), now=now)
    ended(turn, now=now, trace=lambda: TraceRecord(data={"calls": [], "sections": named}, texts=kept))


def looked_for(user: User, stored: StoredTexts, *texts: str, now: datetime) -> int:
    """How many of these texts a trace would look for that names them now."""
    kept = TraceTexts(owner=user.pk, stored=stored)
    for text in texts:
        kept.add_lasting(text)
    return len(kept.unknown(now=now))


def tidied(now: datetime) -> dict[str, int]:
    """How many traces and texts went when it was this late."""
    gone = delete_expired(now=now, pause=lambda _: None)
    return {name: count for name, count in gone.items() if "trace" in name}


def texts() -> set[str]:
    return set(TraceText.objects.values_list("text", flat=True))


def test_old_traces_go_with_the_texts_only_they_named(user: User) -> None:
    now = timezone.now()
    traced(user, "old", "both", now=now - timedelta(days=40))
    young = traced(user, "young", "both", now=now - timedelta(days=29))

    assert tidied(now) == {"traces of turns": 1, "texts of traces": 1}

    assert list(Trace.objects.values_list("turn_id", flat=True)) == [young.pk]
    assert texts() == {"young", "both"}


def test_a_text_used_again_and_again_is_never_lost(user: User) -> None:
    now = timezone.now()
    for days in range(40, 0, -1):
        traced(user, "the prompt", now=now - timedelta(days=days))
        tidied(now - timedelta(days=days))

    assert texts() == {"the prompt"}


def test_a_text_is_marked_as_used_at_most_once_a_day(user: User) -> None:
    now = timezone.now()
    traced(user, "the prompt", now=now)
    traced(user, "the prompt", now=now + timedelta(hours=20))
    assert TraceText.objects.get().used_at == now
    traced(user, "the prompt", now=now + timedelta(hours=30))
    assert TraceText.objects.get().used_at == now + timedelta(hours=30)


def test_what_was_used_more_than_a_year_ago_is_forgotten(user: User) -> None:
    now = timezone.now()
    for days in (1, 100, 500):
        count_tokens(user_id=user.pk, tokens=days, now=now - timedelta(days=days))

    assert delete_expired(now=now, pause=lambda _: None)["token use"] == 1

    assert set(TokenUse.objects.values_list("tokens", flat=True)) == {1, 100}


def test_traces_go_with_their_conversation(user: User) -> None:
    turn = traced(user, "words")
    turn.conversation.delete()
    assert not Trace.objects.exists()


def test_texts_go_with_their_person(user: User) -> None:
    traced(user, "words")
    user.delete()
    assert not TraceText.objects.exists()


def test_storing_a_trace_takes_as_many_queries_for_many_texts_as_for_few(user: User) -> None:
    counts = []
    for number in (2, 200):
        with CaptureQueriesContext(connection) as queries:
            traced(user, *(f"text {number} {index}" for index in range(number)))
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_what_a_conversation_names_with_each_turn_is_looked_for_twice_a_day(
    user: User, django_capture_on_commit_callbacks: Any
) -> None:
    now, stored = timezone.now(), StoredTexts()
    with django_capture_on_commit_callbacks(execute=True):
        traced_again(user, stored, "one", "two", now=now)

    assert looked_for(user, stored, "one", "two", "three", now=now + timedelta(hours=1)) == 1
    assert looked_for(user, stored, "one", "two", "three", now=now + timedelta(hours=13)) == 3
    assert looked_for(user, StoredTexts(), "one", now=now) == 1


def test_what_is_not_committed_is_looked_for_again(user: User) -> None:
    now, stored = timezone.now(), StoredTexts()
    traced_again(user, stored, "one", now=now)

    assert looked_for(user, stored, "one", now=now) == 1


@override_settings(CHAT_TRACE_DAYS=1)
def test_what_is_not_looked_for_stays_as_long_as_a_trace_that_names_it(
    user: User, django_capture_on_commit_callbacks: Any
) -> None:
    begin, stored = timezone.now() - timedelta(days=20), StoredTexts()
    for hours in range(0, 15 * 24, 5):
        now = begin + timedelta(hours=hours)
        with django_capture_on_commit_callbacks(execute=True):
            traced_again(user, stored, "one", now=now)
        last = now

    tidied(last + timedelta(hours=24))

    assert Trace.objects.count() >= 1
    assert texts() == {"one"}

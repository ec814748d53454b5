"""Deletion of old data: events and traces of ended turns, deleted conversations, token counts, drafts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from chat.models import ConfigurationDraft, Conversation, PromptTest, TokenUse, Trace, TraceText, Turn, TurnEvent
from chat.services.traces import MARK_INTERVAL
from chat.services.turns.stale import STALE_AFTER, end_stale_turns

EVENT_RETENTION = timedelta(hours=24)
CONVERSATION_DAYS = 30
TRIAL_RETENTION = timedelta(days=1)
TOKEN_USE_RETENTION = timedelta(days=400)
DRAFT_RETENTION = timedelta(days=180)
DISCARDED_DRAFT_RETENTION = timedelta(days=7)
TURN_BATCH_SIZE = 20
CONVERSATION_BATCH_SIZE = 5


def end_all_stale_turns(*, now: datetime) -> Iterator[int]:
    """End the stale turns of all users; otherwise they are ended when their user makes a request."""
    stale = Turn.objects.filter(state=Turn.State.RUNNING, heartbeat_at__lt=now - STALE_AFTER)
    for user_id in stale.order_by("user_id").values_list("user_id", flat=True).distinct():
        end_stale_turns(user=user_id, now=now)
        yield 1


def clear_events(*, now: datetime) -> Iterator[int]:
    """Delete the events of turns that ended a day ago, except for the final ones."""
    ended = Turn.objects.filter(events_cleared=False, ended_at__lte=now - EVENT_RETENTION).order_by("ended_at")
    while turns := list(ended.values_list("pk", flat=True)[:TURN_BATCH_SIZE]):
        with transaction.atomic():
            events = TurnEvent.objects.filter(turn_id__in=turns)
            last = dict(events.order_by("turn_id", "seq").values_list("turn_id", "pk"))
            events.exclude(pk__in=last.values()).delete()
            Turn.objects.filter(pk__in=turns).update(events_cleared=True)
        yield len(turns)


def old_conversations(*, now: datetime) -> QuerySet[Conversation]:
    """Return conversations that were deleted 30 days ago."""
    return Conversation.objects.filter(deleted_at__lte=now - timedelta(days=CONVERSATION_DAYS))


def old_trials(*, now: datetime) -> QuerySet[Conversation]:
    """Return conversations in which a draft was tried a day ago."""
    return Conversation.objects.filter(sandbox=True, created_at__lte=now - TRIAL_RETENTION)


def old_traces(*, now: datetime) -> QuerySet[Trace]:
    """Return traces of turns that ended CHAT_TRACE_DAYS ago."""
    return Trace.objects.filter(created_at__lt=now - timedelta(days=settings.CHAT_TRACE_DAYS))


def old_trace_texts(*, now: datetime) -> QuerySet[TraceText]:
    """Return texts that no trace uses; `used_at` may be up to a day older than the last use."""
    return TraceText.objects.filter(used_at__lt=now - timedelta(days=settings.CHAT_TRACE_DAYS) - 2 * MARK_INTERVAL)


def old_token_uses(*, now: datetime) -> QuerySet[TokenUse]:
    """Return token counts of days more than 400 days ago."""
    return TokenUse.objects.filter(day__lt=(now - TOKEN_USE_RETENTION).date())


def old_configuration_drafts(*, now: datetime) -> QuerySet[ConfigurationDraft]:
    """Return unsaved input in the configuration that was stored 180 days or discarded seven days ago."""
    discarded = Q(discarded_at__lte=now - DISCARDED_DRAFT_RETENTION)
    return ConfigurationDraft.objects.filter(Q(updated_at__lte=now - DRAFT_RETENTION) | discarded)


def old_deleted_prompt_tests(*, now: datetime) -> QuerySet[PromptTest]:
    """Return stored tests of prompts that were deleted 180 days ago."""
    return PromptTest.objects.filter(deleted_at__lte=now - DRAFT_RETENTION)


def delete_user_conversations(*, user_id: int) -> Iterator[int]:
    """Delete all conversations of a user, except for those with a running turn."""
    own = Conversation.objects.filter(user_id=user_id).exclude(turns__state=Turn.State.RUNNING)
    while ids := list(own.values_list("pk", flat=True)[:CONVERSATION_BATCH_SIZE]):
        Conversation.objects.filter(pk__in=ids).delete()
        yield len(ids)


def has_conversations(user_id: int) -> bool:
    """Return whether the user has conversations."""
    return Conversation.objects.filter(user_id=user_id).exists()

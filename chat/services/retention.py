"""What the chat lets go of: events and traces of ended turns, deleted conversations; and turns that died are ended."""
from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from chat.models import Conversation, TokenUse, Trace, TraceText, Turn, TurnEvent
from chat.services.stale_turns import STALE_AFTER, end_stale_turns
from chat.services.traces import MARKED_EVERY

EVENTS_KEPT = timedelta(hours=24)
CONVERSATION_DAYS = 30
TRIALS_KEPT = timedelta(days=1)
TOKEN_USES_KEPT = timedelta(days=400)
MOST_TURNS = 20
MOST_AT_ONCE = 5


def end_lost_turns(*, now: datetime) -> Iterator[int]:
    """Ends turns whose process is gone, of people who never came back to see."""
    lost = Turn.objects.filter(state=Turn.State.RUNNING, heartbeat_at__lt=now - STALE_AFTER)
    for user_id in lost.order_by("user_id").values_list("user_id", flat=True).distinct():
        end_stale_turns(user=user_id, now=now)
        yield 1


def clear_events(*, now: datetime) -> Iterator[int]:
    """Of turns that ended a day ago only the final event stays: re-attaching then gives just that."""
    ended = Turn.objects.filter(events_cleared=False, ended_at__lte=now - EVENTS_KEPT).order_by("ended_at")
    while turns := list(ended.values_list("pk", flat=True)[:MOST_TURNS]):
        with transaction.atomic():
            events = TurnEvent.objects.filter(turn_id__in=turns)
            last = dict(events.order_by("turn_id", "seq").values_list("turn_id", "pk"))
            events.exclude(pk__in=last.values()).delete()
            Turn.objects.filter(pk__in=turns).update(events_cleared=True)
        yield len(turns)


def old_conversations(*, now: datetime) -> QuerySet[Conversation]:
    """Conversations that were deleted a month ago."""
    return Conversation.objects.filter(deleted_at__lte=now - timedelta(days=CONVERSATION_DAYS))


def old_trials(*, now: datetime) -> QuerySet[Conversation]:
    """Conversations in which a draft was tried a day ago."""
    return Conversation.objects.filter(sandbox=True, created_at__lte=now - TRIALS_KEPT)


def old_traces(*, now: datetime) -> QuerySet[Trace]:
    """How turns came about that ended CHAT_TRACE_DAYS ago."""
    return Trace.objects.filter(created_at__lt=now - timedelta(days=settings.CHAT_TRACE_DAYS))


def old_trace_texts(*, now: datetime) -> QuerySet[TraceText]:
    """Texts that no trace names any more: one may have been used for up to a day more than it is marked."""
    return TraceText.objects.filter(used_at__lt=now - timedelta(days=settings.CHAT_TRACE_DAYS) - 2 * MARKED_EVERY)


def old_token_uses(*, now: datetime) -> QuerySet[TokenUse]:
    """What people used on days of more than a year ago."""
    return TokenUse.objects.filter(day__lt=(now - TOKEN_USES_KEPT).date())


def forget_conversations(*, user_id: int) -> Iterator[int]:
    """Deletes all conversations of somebody who has left, but for those in which a turn still runs."""
    own = Conversation.objects.filter(user_id=user_id).exclude(turns__state=Turn.State.RUNNING)
    while ids := list(own.values_list("pk", flat=True)[:MOST_AT_ONCE]):
        Conversation.objects.filter(pk__in=ids).delete()
        yield len(ids)


def conversations_left_of(user_id: int) -> bool:
    """Whether anything is left of what this person said."""
    return Conversation.objects.filter(user_id=user_id).exists()

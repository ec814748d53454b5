"""Runs server actions: the effect and its record in one transaction."""
from __future__ import annotations

import inspect
from datetime import datetime
from functools import partial
from typing import Any

from asgiref.sync import async_to_sync
from django.db import transaction

import strictjson
from chat.actions import ActionContext, ActionResult, ServerAction
from chat.exceptions import Malformed
from chat.models import ActionRun, Conversation
from chat.selectors import get_conversation
from statements.large_work import without_turn
from user_messages import declare

ACTION_ELSEWHERE = declare(
    "action_elsewhere", "This conversation belongs to another page or another of its objects."
)

Json = dict[str, Any]


def run_action(
    *, user: Any, action: ServerAction, data: Json, context: ActionContext, now: datetime
) -> ActionRun:
    """What came of it. Raises NotFound or Malformed for a conversation that is not this person's or is about something
    else, and whatever the executor raises; then nothing is written.

    An async executor holds no transaction of ours: its record follows it.
    """
    conversation = _conversation(user=user, context=context)
    work = partial(action.executor, data, user=user, context=context)
    store = partial(_store, user=user, action=action, data=data, conversation=conversation, now=now)
    # Executors may have effects outside of the database, so they must not be run twice.
    with without_turn():
        if inspect.iscoroutinefunction(action.executor):
            return store(_as_result(async_to_sync(work)()))
        with transaction.atomic():
            return store(_as_result(work()))


def _conversation(*, user: Any, context: ActionContext) -> Conversation | None:
    if not context.conversation_id:
        return None
    conversation = get_conversation(user, context.conversation_id)
    if (conversation.page, conversation.object_id) != (context.page, context.object_id):
        raise Malformed(
            ACTION_ELSEWHERE(),
            code="conversation_elsewhere",
            path="conversation_id",
        )
    return conversation


def _store(
    result: ActionResult, *, user: Any, action: ServerAction, data: Json, conversation: Any, now: datetime
) -> ActionRun:
    return ActionRun.objects.create(
        user=user,
        conversation=conversation,
        action=action.action,
        data=data,
        message=strictjson.storable_text(result.message),
        answer=strictjson.storable(result.data),
        created_at=now,
    )


def _as_result(given: Any) -> ActionResult:
    if isinstance(given, ActionResult):
        return given
    if isinstance(given, str):
        return ActionResult(message=given)
    raise TypeError(f"A server action returns a sentence or an ActionResult, not {type(given).__name__}.")

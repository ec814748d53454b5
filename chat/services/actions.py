"""Runs of server actions, recorded in the transaction of their effect."""

from __future__ import annotations

import inspect
from datetime import datetime
from functools import partial
from typing import Any

from asgiref.sync import async_to_sync
from django.db import transaction

from chat.actions import ActionContext, ActionResult, ServerAction
from chat.exceptions import Malformed
from chat.models import ActionRun, Conversation
from chat.selectors import get_conversation
from shared import strictjson
from shared.db.large_work import without_large_work_lock
from shared.user_messages import declare

ACTION_ELSEWHERE = declare(
    "action_elsewhere", "This conversation belongs to another page or object."
)

Json = dict[str, Any]


def run_action(
    *, user: Any, action: ServerAction, data: Json, context: ActionContext, now: datetime
) -> ActionRun:
    """Run a server action and return its record.

    An async executor runs outside the transaction of the record. Raises NotFound or Malformed for a conversation of
    another user or about another object, and the errors of the executor; nothing is recorded then.
    """
    conversation = _conversation(user=user, context=context)
    work = partial(action.executor, data, user=user, context=context)
    store = partial(_store, user=user, action=action, data=data, conversation=conversation, now=now)
    # Executors may have effects outside of the database, so they must not be run twice.
    with without_large_work_lock():
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
        message=strictjson.replace_unstorable_text(result.message),
        answer=strictjson.replace_unstorable(result.data),
        created_at=now,
    )


def _as_result(returned: Any) -> ActionResult:
    if isinstance(returned, ActionResult):
        return returned
    if isinstance(returned, str):
        return ActionResult(message=returned)
    raise TypeError(f"A server action must return a string or an ActionResult, not {type(returned).__name__}.")

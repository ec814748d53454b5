"""The position of a new turn: its conversation, found or created, and the message it follows."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from chat.exceptions import Busy, Malformed
from chat.models import Conversation, Message
from chat.selectors import UserTurns, get_conversation, get_message, get_turn, lock_trial_conversation
from chat.services.turns.request import ImportedMessage, TurnRequest
from shared.user_messages import declare

CONVERSATION_NEEDED = declare("conversation_needed", "A follow-up message needs a conversation_id.")
RETRY_ELSEWHERE = declare("retry_elsewhere", "The turn to retry belongs to another conversation.")
RETRIED_MESSAGE_DELETED = declare("retried_message_deleted", "The message of that turn has been deleted.")
CONVERSATION_ELSEWHERE = declare(
    "conversation_elsewhere",
    "This conversation belongs to another page or object. Leave out conversation_id to start a new one.",
)
STILL_ANSWERING = declare("still_answering", "The assistant is still answering the previous message.")


@dataclass(frozen=True)
class LockedState:
    """The user's turns, and the locked conversation if it was part of the first query."""

    turns: UserTurns
    conversation: Conversation | None


@dataclass
class TurnPosition:
    """The conversation of a new turn, unsaved if it is new, and the parent of its message.

    `user_message` is the existing message that a retry answers.
    """

    conversation: Conversation
    parent_id: Any = None
    user_message: Message | None = field(default=None)


def resolve_position(*, user: Any, request: TurnRequest, now: datetime, locked: LockedState) -> TurnPosition:
    """Find or create the conversation of a new turn, and the message it follows.

    Raises NotFound, Malformed, Busy.
    """
    if request.retry_of:
        return _position_of_retry(user=user, request=request, locked=locked)
    if not request.conversation_id:
        if request.parent_message_id:
            raise Malformed(CONVERSATION_NEEDED(), path="parent_message_id")
        conversation = Conversation(
            user=user, page=request.page, object_id=request.object_id, sandbox=request.sandbox
        )
        return TurnPosition(conversation, parent_id=_import(conversation, history=request.history, now=now))
    conversation = _conversation(user=user, request=request, locked=locked.conversation)
    ensure_no_running_turn(locked.turns.running_in(conversation.pk))
    if request.parent_message_id:
        return TurnPosition(conversation, parent_id=get_message(conversation, request.parent_message_id).pk)
    return TurnPosition(conversation, parent_id=None if request.from_beginning else conversation.tip_id)


def _position_of_retry(*, user: Any, request: TurnRequest, locked: LockedState) -> TurnPosition:
    earlier = get_turn(user, request.retry_of)
    conversation = get_conversation(user, earlier.conversation_id, lock=True)
    if request.conversation_id and request.conversation_id.lower() != str(conversation.pk):
        raise Malformed(RETRY_ELSEWHERE(), path="retry_of")
    _check_scope(conversation, request=request)
    ensure_no_running_turn(locked.turns.running_in(conversation.pk))
    if earlier.user_message is None:
        raise Malformed(RETRIED_MESSAGE_DELETED(), path="retry_of")
    return TurnPosition(conversation, user_message=earlier.user_message)


def _conversation(*, user: Any, request: TurnRequest, locked: Conversation | None) -> Conversation:
    """Return the locked conversation of the request; `locked` is the one that is locked already."""
    if request.sandbox:
        return _trial_conversation(user=user, request=request)
    if locked is not None and (locked.page, locked.object_id) == (request.page, request.object_id):
        return locked
    conversation = get_conversation(user, request.conversation_id, lock=True)
    _check_scope(conversation, request=request)
    return conversation


def _trial_conversation(*, user: Any, request: TurnRequest) -> Conversation:
    """Return the locked conversation of a trial. One with data of users cannot continue with the example."""
    conversation = lock_trial_conversation(user, request.conversation_id)
    _check_scope(conversation, request=request)
    if conversation.turns.exclude(context__real=request.context["real"]).exists():
        raise Malformed(CONVERSATION_ELSEWHERE(), code="conversation_elsewhere", path="conversation_id")
    return conversation


def _check_scope(conversation: Conversation, *, request: TurnRequest) -> None:
    if (conversation.page, conversation.object_id) != (request.page, request.object_id):
        raise Malformed(
            CONVERSATION_ELSEWHERE(),
            code="conversation_elsewhere",
            path="conversation_id",
            extra={"page": conversation.page, "object_id": conversation.object_id},
        )


def ensure_no_running_turn(turn_id: UUID | None) -> None:
    """Raise Busy if there is a running turn."""
    if turn_id is not None:
        raise Busy(STILL_ANSWERING(), extra={"turn_id": str(turn_id)})


def _import(conversation: Conversation, *, history: tuple[ImportedMessage, ...], now: datetime) -> Any:
    """Store imported messages as one branch, and return the id of the last."""
    messages: list[Message] = []
    for entry in history:
        message = Message(
            conversation=conversation,
            parent_id=messages[-1].pk if messages else None,
            role=entry.role,
            text=entry.text,
            exchange=[{"role": entry.role, "content": [{"type": "text", "text": entry.text}]}],
            created_at=entry.timestamp or now,
        )
        messages.append(message)
    Message.objects.bulk_create(messages)
    return messages[-1].pk if messages else None

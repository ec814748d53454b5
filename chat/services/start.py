"""Starts a turn: the person's message and the running turn are stored before any model is called."""
from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

import strictjson
from chat.exceptions import Busy, Malformed, TooMany
from chat.models import Conversation, Message, Payload, Turn
from chat.selectors import (
    branch_of,
    get_conversation,
    get_message,
    get_turn,
    running_turn_of,
    turn_of_client,
    wait_before_next_turn,
)
from chat.selectors.identity import lock_person
from chat.services.announcing import announce_start
from chat.services.next_step import NextStep, next_step
from chat.services.stale import end_stale_turns

TITLE_LENGTH = 60

Json = dict[str, Any]


@dataclass(frozen=True)
class ImportedMessage:
    """A message of a conversation that was held elsewhere."""

    role: str
    text: str
    timestamp: datetime | None = None


@dataclass(frozen=True)
class TurnRequest:
    """What a person asks for, in its right form; `context` is the client's, `object_id` what its page is about.

    `next_payload_id`: a proposal that was applied, after which the assistant does what it announced.
    """

    client_turn_id: UUID
    page: str
    object_id: str
    context: Json
    message: str = ""
    conversation_id: str = ""
    parent_message_id: str = ""
    retry_of: str = ""
    history: tuple[ImportedMessage, ...] = ()
    interaction_type: str = "text_input"
    action: Json | None = None
    next_payload_id: UUID | None = None

    @property
    def words(self) -> str:
        """What the model reads as said by the person."""
        if self.action is None:
            return self.message
        chosen = f"[Chosen action: {strictjson.dump(self.action)}]"
        return f"{self.message}\n\n{chosen}" if self.message.strip() else chosen


@dataclass
class _Place:
    """Where in which conversation the new turn stands."""

    conversation: Conversation
    parent_id: Any = None
    user_message: Message | None = field(default=None)


def start_turn(*, user: Any, request: TurnRequest, now: datetime, turns_a_minute: int) -> tuple[Turn, bool]:
    """The new running turn and True; or the turn that this `client_turn_id` began before, and False.

    Raises TooMany, NotFound, Malformed, and Busy with the running `turn_id`.
    """
    end_stale_turns(user=user, now=now)
    try:
        with transaction.atomic():
            existing = turn_of_client(user, request.client_turn_id)
            if existing is not None:
                return existing, False
            return _start(user=user, request=request, now=now, turns_a_minute=turns_a_minute), True
    except IntegrityError:
        # Two processes at the same moment: the database let one of them through.
        existing = turn_of_client(user, request.client_turn_id)
        if existing is not None:
            return existing, False
        if request.conversation_id:
            _refuse_while_running(get_conversation(user, request.conversation_id))
        raise


def _start(*, user: Any, request: TurnRequest, now: datetime, turns_a_minute: int) -> Turn:
    lock_person(user)
    wait = wait_before_next_turn(user, now=now, most=turns_a_minute)
    if wait:
        raise TooMany(
            f"You have sent {turns_a_minute} messages within a minute. Try again in {wait} s.",
            extra={"retry_after": wait},
        )
    step = next_step(user=user, payload_id=request.next_payload_id) if request.next_payload_id else None
    if step is not None:
        request = _in_its_conversation(request, step=step)
    place = _place(user=user, request=request, now=now)
    conversation = place.conversation
    message = place.user_message or Message.objects.create(
        conversation=conversation,
        parent_id=place.parent_id,
        role=Message.Role.USER,
        text=step.intention if step else request.message,
        exchange=[{"role": "user", "content": [{"type": "text", "text": step.words if step else request.words}]}],
        interaction_type=request.interaction_type,
        created_at=now,
    )
    turn = Turn.objects.create(
        conversation=conversation,
        user=user,
        client_turn_id=request.client_turn_id,
        user_message=message,
        page=request.page,
        context=request.context,
        heartbeat_at=now,
        started_at=now,
    )
    if message.turn_id is None:
        message.turn = turn
        message.save(update_fields=["turn"])
    conversation.tip = message
    if not conversation.title:
        conversation.title = " ".join((request.message or request.words).split())[:TITLE_LENGTH]
    conversation.save(update_fields=["tip", "title", "updated_at"])
    _supersede_abandoned(conversation, now=now)
    announce_start(turn)
    return turn


def _in_its_conversation(request: TurnRequest, *, step: NextStep) -> TurnRequest:
    """The assistant goes on where the proposal was made."""
    if request.conversation_id not in ("", str(step.conversation_id)):
        raise Malformed("The proposal belongs to another conversation.", path="action.data.payload_id")
    return replace(request, conversation_id=str(step.conversation_id))


def _place(*, user: Any, request: TurnRequest, now: datetime) -> _Place:
    """Finds or makes the conversation, and what the new turn follows."""
    if request.retry_of:
        return _place_of_retry(user=user, request=request)
    if not request.conversation_id:
        if request.parent_message_id:
            raise Malformed("A message to follow needs its conversation_id.", path="parent_message_id")
        conversation = Conversation.objects.create(user=user, page=request.page, object_id=request.object_id)
        return _Place(conversation, parent_id=_import(conversation, history=request.history, now=now))
    conversation = get_conversation(user, request.conversation_id, lock=True)
    _check_scope(conversation, request=request)
    _refuse_while_running(conversation)
    if request.parent_message_id:
        return _Place(conversation, parent_id=get_message(conversation, request.parent_message_id).pk)
    return _Place(conversation, parent_id=conversation.tip_id)


def _place_of_retry(*, user: Any, request: TurnRequest) -> _Place:
    earlier = get_turn(user, request.retry_of)
    conversation = get_conversation(user, earlier.conversation_id, lock=True)
    if request.conversation_id and request.conversation_id.lower() != str(conversation.pk):
        raise Malformed("The turn to retry belongs to another conversation.", path="retry_of")
    _check_scope(conversation, request=request)
    _refuse_while_running(conversation)
    if earlier.user_message is None:
        raise Malformed("The message of that turn is gone.", path="retry_of")
    return _Place(conversation, user_message=earlier.user_message)


def _check_scope(conversation: Conversation, *, request: TurnRequest) -> None:
    if (conversation.page, conversation.object_id) != (request.page, request.object_id):
        raise Malformed(
            "This conversation belongs to another page or another of its objects; leave conversation_id out to "
            "start a new one.",
            code="conversation_elsewhere",
            path="conversation_id",
            extra={"page": conversation.page, "object_id": conversation.object_id},
        )


def _refuse_while_running(conversation: Conversation) -> None:
    running = running_turn_of(conversation)
    if running is not None:
        raise Busy(
            "The assistant is still answering the message before this one.", extra={"turn_id": str(running.pk)}
        )


def _import(conversation: Conversation, *, history: tuple[ImportedMessage, ...], now: datetime) -> Any:
    """Stores imported messages one below the other; the id of the last."""
    parent_id = None
    for entry in history:
        message = Message.objects.create(
            conversation=conversation,
            parent_id=parent_id,
            role=entry.role,
            text=entry.text,
            exchange=[{"role": entry.role, "content": [{"type": "text", "text": entry.text}]}],
            created_at=entry.timestamp or now,
        )
        parent_id = message.pk
    return parent_id


def _supersede_abandoned(conversation: Conversation, *, now: datetime) -> None:
    """Open proposals beside the branch that goes on are no longer open."""
    open_ones = Payload.objects.filter(conversation=conversation, status=Payload.Status.PENDING)
    waiting = dict(open_ones.values_list("pk", "message_id"))
    if not waiting:
        return
    branch = set(branch_of(conversation, leaf_id=conversation.tip_id))
    abandoned = [pk for pk, message_id in waiting.items() if message_id not in branch]
    if abandoned:
        open_ones.filter(pk__in=abandoned).update(status=Payload.Status.SUPERSEDED, settled_at=now)

"""Starts a turn: the person's message and the running turn are stored before any model is called."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction

from chat.exceptions import Busy, Malformed, TooMany
from chat.models import Conversation, Message, Payload, Turn
from chat.selectors import (
    TurnsBefore,
    branch_of,
    get_conversation,
    get_message,
    get_turn,
    locked_conversation,
    running_turn_of,
    turn_of_client,
    turns_before_locked,
)
from chat.services.announcing import announce_payload, announce_start
from chat.services.next_step import NextStep, next_step
from chat.services.stale import STALE_AFTER, end_stale_turns
from chat.services.turn_request import ImportedMessage, TurnRequest
from statements import insertion, send, update

TITLE_LENGTH = 60


@dataclass
class _Place:
    """Where in which conversation the new turn stands; one that is new has yet to be stored."""

    conversation: Conversation
    parent_id: Any = None
    user_message: Message | None = field(default=None)


def start_turn(
    *,
    user: Any,
    request: TurnRequest,
    now: datetime,
    turns_a_minute: int,
    take: Callable[[], None] | None = None,
) -> tuple[Turn, bool]:
    """The new running turn and True; or the turn that this `client_turn_id` began before, and False.

    `take` is called in the same transaction, in which the person is locked: what it raises comes before anything else.
    Raises TooMany, NotFound, Malformed, and Busy with the running `turn_id`.
    """
    begin = partial(_begin, user=user, request=request, now=now, turns_a_minute=turns_a_minute, take=take)
    try:
        begun = begin()
        if begun is None:
            end_stale_turns(user=user, now=now)
            begun = begin(lost=False)
        assert begun is not None, "only turns that are lost stand in the way"
        return begun
    except IntegrityError:
        # Two processes at the same moment: the database let one of them through.
        existing = turn_of_client(user, request.client_turn_id)
        if existing is not None:
            return existing, False
        if request.conversation_id:
            running = running_turn_of(get_conversation(user, request.conversation_id))
            _refuse_while_running(running.pk if running is not None else None)
        raise


def _begin(
    *,
    user: Any,
    request: TurnRequest,
    now: datetime,
    turns_a_minute: int,
    take: Callable[[], None] | None,
    lost: bool = True,
) -> tuple[Turn, bool] | None:
    """What `start_turn` gives; None, and nothing written, when turns whose process is gone (`lost`) are to be ended
    before."""
    with transaction.atomic():
        before = turns_before_locked(
            user, client_turn_id=request.client_turn_id, now=now, turns_a_minute=turns_a_minute
        )
        if lost and before.any_lost(after=STALE_AFTER):
            return None
        if take is not None:
            take()
        existing = before.of_client(request.client_turn_id)
        if existing is not None:
            return Turn.objects.get(pk=existing), False
        return _start(user=user, request=request, now=now, turns_a_minute=turns_a_minute, before=before), True


def _start(*, user: Any, request: TurnRequest, now: datetime, turns_a_minute: int, before: TurnsBefore) -> Turn:
    if before.wait:
        raise TooMany(
            f"You have sent {turns_a_minute} messages within a minute. Try again in {before.wait} s.",
            extra={"retry_after": before.wait},
        )
    step = next_step(user=user, payload_id=request.next_payload_id) if request.next_payload_id else None
    if step is not None:
        request = _in_its_conversation(request, step=step)
    # Each refers to the other: with ids that are known before, neither need be written twice.
    message_id, turn_id = uuid4(), uuid4()
    place = _place(user=user, request=request, now=now, before=before)
    conversation = place.conversation
    message = place.user_message or Message(
        id=message_id,
        conversation=conversation,
        parent_id=place.parent_id,
        turn_id=turn_id,
        role=Message.Role.USER,
        text=step.intention if step else request.message,
        exchange=[{"role": "user", "content": [{"type": "text", "text": step.words if step else request.words}]}],
        interaction_type=request.interaction_type,
        created_at=now,
    )
    turn = Turn(
        id=turn_id,
        conversation=conversation,
        user=user,
        client_turn_id=request.client_turn_id,
        user_message=message,
        page=request.page,
        context=request.context,
        heartbeat_at=now,
        started_at=now,
    )
    conversation.tip = message
    conversation.title = conversation.title or _title(request)
    # A new one has no proposals yet; others know of theirs from where they are locked.
    any_open = getattr(conversation, "has_open", False)
    _store(turn, message=message, conversation=conversation)
    if any_open:
        _supersede_abandoned(conversation, now=now)
    announce_start(turn)
    return turn


def _store(turn: Turn, *, message: Message, conversation: Conversation) -> None:
    """All that is new, at once; of a new conversation what was said before is there already."""
    new = conversation._state.adding
    told = insertion(conversation) if new else update(conversation, "tip", "title", "updated_at")
    if message._state.adding:
        send(told, insertion(message), insertion(turn))
    elif message.turn_id is None:
        message.turn = turn
        send(told, insertion(turn), update(message, "turn"))
    else:
        send(told, insertion(turn))


def _title(request: TurnRequest) -> str:
    return " ".join((request.message or request.words).split())[:TITLE_LENGTH]


def _in_its_conversation(request: TurnRequest, *, step: NextStep) -> TurnRequest:
    """The assistant goes on where the proposal was made."""
    if request.conversation_id not in ("", str(step.conversation_id)):
        raise Malformed("The proposal belongs to another conversation.", path="action.data.payload_id")
    return replace(request, conversation_id=str(step.conversation_id))


def _place(*, user: Any, request: TurnRequest, now: datetime, before: TurnsBefore) -> _Place:
    """Finds or makes the conversation, and what the new turn follows."""
    if request.retry_of:
        return _place_of_retry(user=user, request=request, before=before)
    if not request.conversation_id:
        if request.parent_message_id:
            raise Malformed("A message to follow needs its conversation_id.", path="parent_message_id")
        conversation = Conversation(
            user=user, page=request.page, object_id=request.object_id, sandbox=request.sandbox
        )
        return _Place(conversation, parent_id=_import(conversation, history=request.history, now=now))
    conversation = _conversation(user=user, request=request)
    _refuse_while_running(before.running_in(conversation.pk))
    if request.parent_message_id:
        return _Place(conversation, parent_id=get_message(conversation, request.parent_message_id).pk)
    return _Place(conversation, parent_id=None if request.from_beginning else conversation.tip_id)


def _place_of_retry(*, user: Any, request: TurnRequest, before: TurnsBefore) -> _Place:
    earlier = get_turn(user, request.retry_of)
    conversation = get_conversation(user, earlier.conversation_id, lock=True)
    if request.conversation_id and request.conversation_id.lower() != str(conversation.pk):
        raise Malformed("The turn to retry belongs to another conversation.", path="retry_of")
    _check_scope(conversation, request=request)
    _refuse_while_running(before.running_in(conversation.pk))
    if earlier.user_message is None:
        raise Malformed("The message of that turn is gone.", path="retry_of")
    return _Place(conversation, user_message=earlier.user_message)


def _conversation(*, user: Any, request: TurnRequest) -> Conversation:
    """The one that goes on, locked."""
    if request.shown:
        own = locked_conversation(user, request.conversation_id)
        if own is not None and (own.page, own.object_id) == (request.page, request.object_id):
            return own
    conversation = get_conversation(user, request.conversation_id, lock=True)
    _check_scope(conversation, request=request)
    return conversation


def _check_scope(conversation: Conversation, *, request: TurnRequest) -> None:
    if (conversation.page, conversation.object_id) != (request.page, request.object_id):
        raise Malformed(
            "This conversation belongs to another page or another of its objects; leave conversation_id out to "
            "start a new one.",
            code="conversation_elsewhere",
            path="conversation_id",
            extra={"page": conversation.page, "object_id": conversation.object_id},
        )


def _refuse_while_running(turn_id: UUID | None) -> None:
    if turn_id is not None:
        raise Busy("The assistant is still answering the message before this one.", extra={"turn_id": str(turn_id)})


def _import(conversation: Conversation, *, history: tuple[ImportedMessage, ...], now: datetime) -> Any:
    """Stores imported messages one below the other; the id of the last."""
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


def _supersede_abandoned(conversation: Conversation, *, now: datetime) -> None:
    """Open proposals beside the branch that goes on are no longer open."""
    open_ones = Payload.objects.filter(conversation=conversation, status=Payload.Status.PENDING)
    waiting = list(open_ones.only("user_id", "conversation_id", "message_id"))
    if not waiting:
        return
    branch = set(branch_of(conversation, leaf_id=conversation.tip_id))
    abandoned = [payload for payload in waiting if payload.message_id not in branch]
    if abandoned:
        left = open_ones.filter(pk__in=[payload.pk for payload in abandoned])
        left.update(status=Payload.Status.SUPERSEDED, settled_at=now)
    for payload in abandoned:
        announce_payload(payload)

"""Starts a turn: the person's message and the running turn are stored before any model is called."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import uuid4

from django.db import IntegrityError, transaction

from chat.exceptions import TooMany
from chat.models import Conversation, Message, Payload, Turn
from chat.selectors import (
    Beginning,
    beginning,
    branch_of,
    get_conversation,
    locking_conversation,
    running_turn_of,
    turn_of_client,
    turns_before,
)
from chat.services.announcing import announce_payload, announce_start
from chat.services.next_step import next_step
from chat.services.stale_turns import STALE_AFTER, end_stale_turns
from chat.services.turn_position import Before, in_its_conversation, place_of, refuse_while_running
from chat.services.turn_request import TurnRequest
from statements import Question, Statement, ask_together, insertion, update
from user_messages import declare

TOO_MANY_MESSAGES = declare(
    "too_many_messages", "You have sent {count} messages within a minute. Try again in {seconds} s."
)

TITLE_LENGTH = 60


@dataclass(frozen=True)
class Started:
    """A running turn that was `made`, with what it found; or the one that this `client_turn_id` began before."""

    turn: Turn
    found: Beginning | None = None

    @property
    def made(self) -> bool:
        """Whether it is new."""
        return self.found is not None


def start_turn(
    *,
    user: Any,
    request: TurnRequest,
    now: datetime,
    turns_a_minute: int,
    along: Sequence[Question[Exception | None]] = (),
) -> Started:
    """The new running turn, or the turn that this `client_turn_id` began before.

    `along` is asked in the same transaction, in which the person is locked: what it answers is raised, before anything
    else. Raises TooMany, NotFound, Malformed, and Busy with the running `turn_id`.
    """
    begin = partial(_begin, user=user, request=request, now=now, turns_a_minute=turns_a_minute, along=along)
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
            return Started(existing)
        if request.conversation_id:
            running = running_turn_of(get_conversation(user, request.conversation_id))
            refuse_while_running(running.pk if running is not None else None)
        raise


def _begin(
    *,
    user: Any,
    request: TurnRequest,
    now: datetime,
    turns_a_minute: int,
    along: Sequence[Question[Exception | None]],
    lost: bool = True,
) -> Started | None:
    """What `start_turn` gives; None, and nothing written, when turns whose process is gone (`lost`) are to be ended
    before."""
    with transaction.atomic():
        # First of all the person is locked, then their conversation.
        turns, conversation, *refusals = ask_together(
            turns_before(user, client_turn_id=request.client_turn_id, now=now, turns_a_minute=turns_a_minute),
            _locking(user, request=request),
            *along,
        )
        if lost and turns.any_lost(after=STALE_AFTER):
            transaction.set_rollback(True)
            return None
        for refusal in filter(None, refusals):
            raise refusal
        existing = turns.of_client(request.client_turn_id)
        if existing is not None:
            return Started(Turn.objects.get(pk=existing))
        if turns.wait:
            raise TooMany(
                TOO_MANY_MESSAGES(count=turns_a_minute, seconds=turns.wait),
                extra={"retry_after": turns.wait},
            )
        return _start(user=user, request=request, now=now, before=Before(turns, conversation))


def _locking(user: Any, *, request: TurnRequest) -> Question[Conversation | None]:
    """The conversation that goes on, locked, where nothing more need be asked than whose it is."""
    if request.shown and request.conversation_id and not request.retry_of:
        return locking_conversation(user, request.conversation_id)
    return Question((), lambda: None)


def _start(*, user: Any, request: TurnRequest, now: datetime, before: Before) -> Started:
    step = next_step(user=user, payload_id=request.next_payload_id) if request.next_payload_id else None
    if step is not None:
        request = in_its_conversation(request, step=step)
    # Each refers to the other: with ids that are known before, neither need be written twice.
    message_id, turn_id = uuid4(), uuid4()
    place = place_of(user=user, request=request, now=now, before=before)
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
        model=request.model,
        context=request.context,
        heartbeat_at=now,
        started_at=now,
    )
    conversation.tip = message
    conversation.title = conversation.title or _title(request)
    # A new one has no proposals yet; others know of theirs from where they are locked.
    if getattr(conversation, "has_open", False):
        _supersede_abandoned(conversation, leaf_id=message.parent_id, now=now)
    storing = Question(_storing(turn, message=message, conversation=conversation), lambda *_: None)
    _, found = ask_together(storing, beginning(message.parent_id, user_id=user.pk, now=now))
    announce_start(turn)
    return Started(turn, found)


def _storing(turn: Turn, *, message: Message, conversation: Conversation) -> tuple[Statement, ...]:
    """All that is new; of a new conversation what was said before is there already."""
    new = conversation._state.adding
    told = insertion(conversation) if new else update(conversation, "tip", "title", "updated_at")
    if message._state.adding:
        return told, insertion(message), insertion(turn)
    if message.turn_id is None:
        message.turn = turn
        return told, insertion(turn), update(message, "turn")
    return told, insertion(turn)


def _title(request: TurnRequest) -> str:
    return " ".join((request.message or request.words).split())[:TITLE_LENGTH]


def _supersede_abandoned(conversation: Conversation, *, leaf_id: Any, now: datetime) -> None:
    """Open proposals beside the branch that goes on from this message are no longer open."""
    open_ones = Payload.objects.filter(conversation=conversation, status=Payload.Status.PENDING)
    waiting = list(open_ones.only("user_id", "conversation_id", "message_id"))
    if not waiting:
        return
    branch = set(branch_of(conversation, leaf_id=leaf_id))
    abandoned = [payload for payload in waiting if payload.message_id not in branch]
    if abandoned:
        left = open_ones.filter(pk__in=[payload.pk for payload in abandoned])
        left.update(status=Payload.Status.SUPERSEDED, settled_at=now)
    for payload in abandoned:
        announce_payload(payload)

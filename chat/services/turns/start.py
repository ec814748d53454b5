"""Start of a turn: the user's message and the running turn are stored before a model is called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import uuid4

from django.db import IntegrityError, transaction
from django.utils.text import Truncator

from chat.exceptions import Invalid, TooMany
from chat.files import file_of
from chat.models import Conversation, Message, Payload, Turn
from chat.selectors import (
    TurnStart,
    branch_ids,
    get_conversation,
    lock_conversation_query,
    running_turn,
    turn_by_client_id,
    turn_start_query,
    user_turns_query,
)
from chat.services.notifications import notify_payload_changed, notify_turn_started
from chat.services.turns.position import LockedState, ensure_no_running_turn, resolve_position
from chat.services.turns.request import TurnRequest, in_conversation_of_step, next_step
from chat.services.turns.stale import STALE_AFTER, end_stale_turns
from shared.db import Query, Statement, insert_statement, run_queries, update_statement
from shared.user_messages import declare
from shared.user_messages.request_messages import IDEMPOTENCY_KEY_REUSED

TOO_MANY_MESSAGES = declare(
    "too_many_messages", "You have sent {count} messages within a minute. Try again in {seconds} s."
)

TITLE_LENGTH = 60
# As for all other requests with an Idempotency-Key.
KEY_RETENTION = timedelta(hours=24)

Json = dict[str, Any]


@dataclass(frozen=True)
class StartedTurn:
    """A new running turn with its start state; or, without it, an earlier turn with the same `client_turn_id`."""

    turn: Turn
    found: TurnStart | None = None

    @property
    def created(self) -> bool:
        """Whether the turn is new."""
        return self.found is not None


def start_turn(
    *,
    user: Any,
    request: TurnRequest,
    now: datetime,
    turns_a_minute: int,
    extra_queries: Sequence[Query[Exception | None]] = (),
) -> StartedTurn:
    """Start a turn, or return an earlier turn with the same `client_turn_id`.

    `extra_queries` run in the same transaction, with the user locked; if one returns an error, it is raised first.
    Raises TooMany, NotFound, Malformed, Busy with the running `turn_id`, and Invalid for the idempotency key of another
    request.
    """
    start = partial(
        _try_start, user=user, request=request, now=now, turns_a_minute=turns_a_minute, extra_queries=extra_queries
    )
    try:
        started = start()
        if started is None:
            end_stale_turns(user=user, now=now)
            started = start(check_stale=False)
        assert started is not None, "None is returned only with check_stale"
        return started
    except IntegrityError:
        # Another process stored a turn at the same moment.
        existing = turn_by_client_id(user, request.client_turn_id)
        if existing is not None:
            return _joined(existing, request=request)
        if request.conversation_id:
            running = running_turn(get_conversation(user, request.conversation_id))
            ensure_no_running_turn(running.pk if running is not None else None)
        raise


def _try_start(
    *,
    user: Any,
    request: TurnRequest,
    now: datetime,
    turns_a_minute: int,
    extra_queries: Sequence[Query[Exception | None]],
    check_stale: bool = True,
) -> StartedTurn | None:
    """Start a turn as `start_turn` does; with `check_stale`, return None if stale turns must be ended first."""
    with transaction.atomic():
        # The lock order is: user, conversation.
        turns, conversation, *refusals = run_queries(
            user_turns_query(user, client_turn_id=request.client_turn_id, now=now, turns_a_minute=turns_a_minute),
            _lock_conversation_query(user, request=request),
            *extra_queries,
        )
        if check_stale and turns.any_stale(after=STALE_AFTER):
            transaction.set_rollback(True)
            return None
        for refusal in filter(None, refusals):
            raise refusal
        existing = turns.started_by(request.client_turn_id)
        if existing is not None:
            turn = Turn.objects.get(pk=existing)
            if not (request.uses_key and turn.started_at <= now - KEY_RETENTION):
                return _joined(turn, request=request)
            # The key has expired: it can start another turn.
            Turn.objects.filter(pk=existing).update(client_turn_id=uuid4())
        if turns.seconds_to_wait:
            raise TooMany(
                TOO_MANY_MESSAGES(count=turns_a_minute, seconds=turns.seconds_to_wait),
                extra={"retry_after": turns.seconds_to_wait},
            )
        return _start(user=user, request=request, now=now, locked=LockedState(turns, conversation))


def _joined(turn: Turn, *, request: TurnRequest) -> StartedTurn:
    """Return an earlier turn with the id of the request. Raises Invalid for the idempotency key of another request."""
    if request.uses_key and not _is_same(turn, request=request):
        raise Invalid(IDEMPOTENCY_KEY_REUSED(), code="idempotency_key_reused")
    return StartedTurn(turn)


def _is_same(turn: Turn, *, request: TurnRequest) -> bool:
    """Return whether this request started the turn, by what is stored of it."""
    if (turn.page, turn.context) != (request.page, request.context):
        return False
    if request.conversation_id and request.conversation_id != str(turn.conversation_id):
        return False
    message = turn.user_message
    if request.retry_of or message is None:
        return True
    content, files = message.exchange[0]["content"][0]["text"], tuple(file["id"] for file in message.files or ())
    return (content, message.interaction_type, files) == (request.words, request.interaction_type, request.files)


def _lock_conversation_query(user: Any, *, request: TurnRequest) -> Query[Conversation | None]:
    """Return the query that locks the conversation, if only its owner needs to be checked; else an empty query."""
    if request.shown and request.conversation_id and not request.retry_of:
        return lock_conversation_query(user, request.conversation_id)
    return Query((), lambda: None)


def _start(*, user: Any, request: TurnRequest, now: datetime, locked: LockedState) -> StartedTurn:
    step = next_step(user=user, payload_id=request.next_payload_id) if request.next_payload_id else None
    if step is not None:
        request = in_conversation_of_step(request, step=step)
    # Message and turn refer to each other; with ids known in advance, each is written only once.
    message_id, turn_id = uuid4(), uuid4()
    position = resolve_position(user=user, request=request, now=now, locked=locked)
    conversation = position.conversation
    message = position.user_message or Message(
        id=message_id,
        conversation=conversation,
        parent_id=position.parent_id,
        turn_id=turn_id,
        role=Message.Role.USER,
        text=step.intention if step else request.message,
        exchange=[_user_message(step.model_text if step else request.words, references=request.file_references)],
        files=[file_of(each) for each in request.file_references] or None,
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
        tab=request.tab,
        configuration=request.configuration,
        context=request.context,
        heartbeat_at=now,
        started_at=now,
    )
    conversation.tip = message
    conversation.title = conversation.title or _title(request)
    # Set by the query that locks the conversation; a new conversation has no proposals.
    if getattr(conversation, "has_open", False):
        _supersede_abandoned(conversation, leaf_id=message.parent_id, now=now)
    store = Query(_store_statements(turn, message=message, conversation=conversation), lambda *_: None)
    _, found = run_queries(store, turn_start_query(message.parent_id, user_id=user.pk, now=now))
    notify_turn_started(turn)
    return StartedTurn(turn, found)


def _user_message(words: str, *, references: Sequence[Json]) -> Json:
    """Return the message for the model. The words come first."""
    return {"role": "user", "content": [{"type": "text", "text": words}, *references]}


def _store_statements(turn: Turn, *, message: Message, conversation: Conversation) -> tuple[Statement, ...]:
    """Return the statements that store the conversation, a new message and the turn."""
    new = conversation._state.adding
    store_conversation = (
        insert_statement(conversation) if new else update_statement(conversation, "tip", "title", "updated_at")
    )
    if message._state.adding:
        return store_conversation, insert_statement(message), insert_statement(turn)
    if message.turn_id is None:
        message.turn = turn
        return store_conversation, insert_statement(turn), update_statement(message, "turn")
    return store_conversation, insert_statement(turn)


def _title(request: TurnRequest) -> str:
    return Truncator(" ".join((request.message or request.words).split())).chars(TITLE_LENGTH)


def _supersede_abandoned(conversation: Conversation, *, leaf_id: Any, now: datetime) -> None:
    """Mark pending proposals as superseded that are not on the branch to this message."""
    pending = Payload.objects.filter(conversation=conversation, status=Payload.Status.PENDING)
    payloads = list(pending.only("user_id", "conversation_id", "message_id"))
    if not payloads:
        return
    branch = set(branch_ids(conversation, leaf_id=leaf_id))
    abandoned = [payload for payload in payloads if payload.message_id not in branch]
    if abandoned:
        superseded = pending.filter(pk__in=[payload.pk for payload in abandoned])
        superseded.update(status=Payload.Status.SUPERSEDED, settled_at=now)
    for payload in abandoned:
        notify_payload_changed(payload)

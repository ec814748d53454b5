"""Reads turns and their numbered events."""
from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from chat.models import Conversation, ToolCall, Turn, TurnEvent
from chat.selectors.ids import as_uuid, locking, nothing
from chat.selectors.visibility import visible_to
from statements import Compiled, Question

MOST_EVENTS = 100
TUNE, REAL_DATA = "chat.tune_assistant", "chat.view_any_table"
MINUTE = timedelta(minutes=1)


def get_turn(user: Any, turn_id: Any, *, or_tried: bool = False) -> Turn:
    """One of this person's turns; `or_tried`: or one in which they tried a draft, while they may. Raises NotFound."""
    visible = visible_to(user, through="conversation__")
    if or_tried:
        visible |= Q(conversation__user=user, conversation__sandbox=True)
    found = Turn.objects.select_related("conversation").filter(visible, user=user)
    turn = found.filter(pk=as_uuid(turn_id, what="turn")).first()
    if turn is None or (turn.conversation.sandbox and not may_try(user, real=turn.context.get("real") is not False)):
        raise nothing("turn")
    return turn


def may_try(user: Any, *, real: bool) -> bool:
    """Whether this is staff who may try out drafts; `real`: with other people's own data."""
    staff = bool(user.is_active and user.is_staff and user.has_perm(TUNE))
    return staff and (not real or bool(user.has_perm(REAL_DATA)))


def turn_of_client(user: Any, client_turn_id: UUID) -> Turn | None:
    """The turn this client id already began."""
    return Turn.objects.filter(user=user, client_turn_id=client_turn_id).first()


def running_turn_of(conversation: Conversation) -> Turn | None:
    """The conversation's turn that has not ended."""
    return Turn.objects.filter(conversation=conversation, state=Turn.State.RUNNING).first()


def locking_running(turn_id: UUID) -> Question[Turn | None]:
    """The turn, if it runs, locked; of its conversation nothing is read but whose it is, and whether it is a trial."""
    return Question((RUNNING.statement(turn_id=turn_id),), _running_as_read)


def _running_as_read(found: list[tuple[Any, ...]]) -> Turn | None:
    if not found:
        return None
    *values, sandbox = found[0]
    turn = Turn.from_db(connection.alias, CONCRETE, values)
    of_conversation = {"id": turn.conversation_id, "user_id": turn.user_id, "sandbox": sandbox}
    names, known = zip(*of_conversation.items(), strict=True)
    turn.conversation = Conversation.from_db(connection.alias, names, known)
    return turn


def tip_and_running(conversation: Conversation) -> tuple[Any, Any]:
    """The ids of the conversation's last message and of its turn that has not ended, both of one moment.

    Read one after the other, a question could be the last message and its turn have ended: an answer nobody sees.
    """
    running = Turn.objects.filter(conversation=OuterRef("pk"), state=Turn.State.RUNNING).values("pk")[:1]
    found = Conversation.objects.filter(pk=conversation.pk).values_list("tip_id", Subquery(running)).first()
    return found or (None, None)


def events_after(turn_id: UUID, *, seq: int) -> tuple[bool, list[tuple[int, dict[str, Any]]]]:
    """Whether the turn still runs, and at most 100 of its stored events after `seq`."""
    # The state is read first: a turn that had ended then has its final event stored by now.
    running = Turn.objects.filter(pk=turn_id, state=Turn.State.RUNNING).exists()
    stored = TurnEvent.objects.filter(turn_id=turn_id, seq__gt=seq).order_by("seq").values_list("seq", "data")
    return running, list(stored[:MOST_EVENTS])


def lost_events(turn: Turn) -> list[dict[str, Any]]:
    """All that was stored of a turn whose process is gone."""
    return list(TurnEvent.objects.filter(turn=turn).order_by("seq").values_list("data", flat=True))


def tool_calls_of(turn: Turn) -> list[ToolCall]:
    """The writing tool calls of a turn, in order."""
    return list(ToolCall.objects.filter(turn=turn).order_by("index"))


def tool_entry(call: ToolCall) -> dict[str, Any]:
    """A writing call as its own record has it, in the form of a tool history."""
    entry = {"tool_name": call.tool, "input": call.input, "output": call.output, "is_error": False}
    return {**entry, "duration_ms": 0, "undo": call.undo}


def late_tools(conversation: Conversation, *, before: Turn) -> list[str]:
    """What tools did after the end of their turn, a line for each that the turn `before` was not told of."""
    earlier = Turn.objects.filter(conversation=conversation, started_at__lt=before.started_at).order_by("-started_at")
    since = earlier.values_list("started_at", flat=True).first()
    late = late_calls(turn__conversation=conversation)
    if since is not None:
        late = late.filter(created_at__gt=since)
    calls = late.order_by("created_at", "pk").values_list("tool", "output")
    return [f"{tool} took effect after the turn was stopped: {output}" for tool, output in calls]


def late_calls(**which: Any) -> QuerySet[ToolCall]:
    """Of these tool calls those that took effect after the end of their turn."""
    return ToolCall.objects.filter(created_at__gt=F("turn__ended_at"), **which)


@dataclass(frozen=True)
class TurnsBefore:
    """What of a person's turns decides whether another one may begin: those that run, and the one that this client id
    began already, as `(id, client_turn_id, conversation_id, state, heartbeat_at)`; and when the turn began that leaves
    no room for another within a minute of it, if there is one.
    """

    now: datetime
    rows: list[tuple[Any, ...]]
    full_since: datetime | None

    def of_client(self, client_turn_id: UUID) -> UUID | None:
        """The turn that this client id began."""
        return next((row[0] for row in self.rows if row[1] == client_turn_id), None)

    def running_in(self, conversation_id: UUID) -> UUID | None:
        """The conversation's turn that has not ended."""
        return next((row[0] for row in self.rows if row[2] == conversation_id and row[3] == Turn.State.RUNNING), None)

    def any_lost(self, *, after: timedelta) -> bool:
        """Whether one runs that gave no sign of life for so long."""
        return any(row[3] == Turn.State.RUNNING and row[4] < self.now - after for row in self.rows)

    @property
    def wait(self) -> int:
        """0, or how many seconds until this person may start another turn."""
        if self.full_since is None:
            return 0
        return max(1, int((self.full_since + MINUTE - self.now).total_seconds()) + 1)


def turns_before(
    user: Any, *, client_turn_id: UUID, now: datetime, turns_a_minute: int
) -> Question[TurnsBefore]:
    """These turns of this person, who is locked until the transaction ends; no more are read than decide."""
    statements = (
        *locking(user),
        BEFORE.statement(user_id=user.pk, client_turn_id=client_turn_id),
        _last_of(max(1, turns_a_minute)).statement(user_id=user.pk, since=now - MINUTE),
    )

    def read(*found: list[tuple[Any, ...]]) -> TurnsBefore:
        *_, rows, last = found
        return TurnsBefore(now=now, rows=rows, full_since=last[0][0] if last else None)

    return Question(statements, read)


def _before(*, user_id: Any, client_turn_id: UUID) -> QuerySet[Turn, tuple[Any, ...]]:
    columns = ("pk", "client_turn_id", "conversation_id", "state", "heartbeat_at")
    mine = Turn.objects.filter(user_id=user_id).order_by().values_list(*columns)
    # A union: with "or", a database reads through all turns of the person.
    return mine.filter(client_turn_id=client_turn_id).union(mine.filter(state=Turn.State.RUNNING))


@lru_cache(maxsize=16)
def _last_of(count: int) -> Compiled:
    """When the one of so many of a person's turns began that began first; nothing if there are fewer."""

    def build(*, user_id: Any, since: datetime) -> QuerySet[Turn, tuple[Any, ...]]:
        lately = Turn.objects.filter(user_id=user_id, started_at__gt=since).order_by("-started_at")
        return lately.values_list("started_at")[count - 1 : count]

    return Compiled(build, user_id=int, since=datetime)


BEFORE = Compiled(_before, user_id=int, client_turn_id=UUID)


def _running(*, turn_id: UUID) -> QuerySet[Turn, tuple[Any, ...]]:
    running = Turn.objects.filter(pk=turn_id, state=Turn.State.RUNNING)
    return running.select_for_update(of=("self",)).values_list(*CONCRETE, "conversation__sandbox")


CONCRETE = [field.attname for field in Turn._meta.concrete_fields]
RUNNING = Compiled(_running, turn_id=UUID)

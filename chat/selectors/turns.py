"""Turns, their events and their tool calls."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from chat.models import Conversation, ToolCall, Turn, TurnEvent
from chat.selectors.access import lock_user_statements, not_found, parse_uuid, visible_to
from shared.db import CompiledQuery, Query

MAX_EVENTS = 100
TUNE_PERMISSION, REAL_DATA_PERMISSION = "chat.tune_assistant", "chat.view_any_table"
MINUTE = timedelta(minutes=1)


def get_turn(user: Any, turn_id: Any, *, include_trials: bool = False) -> Turn:
    """Return one of the user's turns; with `include_trials`, also a trial of a draft, if they may try drafts.

    Raises NotFound.
    """
    visible = visible_to(user, through="conversation__")
    if include_trials:
        visible |= Q(conversation__user=user, conversation__sandbox=True)
    found = Turn.objects.select_related("conversation").filter(visible, user=user)
    turn = found.filter(pk=parse_uuid(turn_id, kind="turn")).first()
    if turn is None:
        raise not_found("turn")
    if turn.conversation.sandbox and not may_try_drafts(user, real=turn.context.get("real") is not False):
        raise not_found("turn")
    return turn


def may_try_drafts(user: Any, *, real: bool) -> bool:
    """Return whether the user may try drafts of the configuration; with `real`, on data of other users."""
    staff = bool(user.is_active and user.is_staff and user.has_perm(TUNE_PERMISSION))
    return staff and (not real or bool(user.has_perm(REAL_DATA_PERMISSION)))


def turn_by_client_id(user: Any, client_turn_id: UUID) -> Turn | None:
    """Return the turn that was started with this client id, None if there is none."""
    return Turn.objects.filter(user=user, client_turn_id=client_turn_id).first()


def running_turn(conversation: Conversation) -> Turn | None:
    """Return the running turn of the conversation, None if there is none."""
    return Turn.objects.filter(conversation=conversation, state=Turn.State.RUNNING).first()


def lock_running_turn_query(turn_id: UUID) -> Query[Turn | None]:
    """Return a query that locks a turn if it is running.

    Of its conversation, only the id, the owner and `sandbox` are loaded.
    """
    return Query((LOCK_RUNNING_TURN.statement(turn_id=turn_id),), _read_running_turn)


def _read_running_turn(found: list[tuple[Any, ...]]) -> Turn | None:
    if not found:
        return None
    *values, sandbox = found[0]
    turn = Turn.from_db(connection.alias, TURN_COLUMNS, values)
    fields = {"id": turn.conversation_id, "user_id": turn.user_id, "sandbox": sandbox}
    turn.conversation = Conversation.from_db(connection.alias, tuple(fields), tuple(fields.values()))
    return turn


def tip_and_running_turn(conversation: Conversation) -> tuple[Any, Any]:
    """Return the ids of the conversation's last message and of its running turn, in one query.

    With two queries, the turn could end in between, so that the client would neither load its answer nor join it.
    """
    running = Turn.objects.filter(conversation=OuterRef("pk"), state=Turn.State.RUNNING).values("pk")[:1]
    found = Conversation.objects.filter(pk=conversation.pk).values_list("tip_id", Subquery(running)).first()
    return found or (None, None)


def events_after(turn_id: UUID, *, seq: int) -> tuple[bool, list[tuple[int, dict[str, Any]]]]:
    """Return whether the turn is running, and at most 100 of its stored events after `seq`."""
    # The state is read first: if the turn has ended, its final event is already stored.
    running = Turn.objects.filter(pk=turn_id, state=Turn.State.RUNNING).exists()
    stored = TurnEvent.objects.filter(turn_id=turn_id, seq__gt=seq).order_by("seq").values_list("seq", "data")
    return running, list(stored[:MAX_EVENTS])


def stored_events(turn: Turn) -> list[dict[str, Any]]:
    """Return all stored events of a turn."""
    return list(TurnEvent.objects.filter(turn=turn).order_by("seq").values_list("data", flat=True))


def retry_after_of(turn: Turn) -> float | None:
    """Return the seconds to wait before a turn that failed is repeated; None if unknown."""
    events = TurnEvent.objects.filter(turn=turn).order_by("-seq").values_list("data", flat=True)
    last = events.first() if turn.state == Turn.State.ERROR else None
    return last.get("retry_after") if last else None


def tool_calls_of(turn: Turn) -> list[ToolCall]:
    """Return the calls of writing tools of a turn, in order."""
    return list(ToolCall.objects.filter(turn=turn).order_by("index"))


def tool_history_entry(call: ToolCall) -> dict[str, Any]:
    """Return the item of a tool history for a call of a writing tool."""
    entry = {"tool_name": call.tool, "input": call.input, "output": call.output, "is_error": False}
    return {**entry, "duration_ms": 0, "undo": call.undo}


def late_tool_notes(conversation: Conversation, *, before: Turn) -> list[str]:
    """Return a line for the model for each tool call that took effect after its turn ended.

    These are the calls since the start of the turn that precedes `before`.
    """
    earlier = Turn.objects.filter(conversation=conversation, started_at__lt=before.started_at).order_by("-started_at")
    since = earlier.values_list("started_at", flat=True).first()
    late = late_tool_calls(turn__conversation=conversation)
    if since is not None:
        late = late.filter(created_at__gt=since)
    calls = late.order_by("created_at", "pk").values_list("tool", "output")
    return [f"{tool} took effect after the turn was stopped: {output}" for tool, output in calls]


def late_tool_calls(**filters: Any) -> QuerySet[ToolCall]:
    """Return the tool calls matching `filters` that took effect after their turn ended."""
    return ToolCall.objects.filter(created_at__gt=F("turn__ended_at"), **filters)


@dataclass(frozen=True)
class UserTurns:
    """The turns of a user that decide whether another one can start.

    `rows` are the running turns and the one with the new turn's client id, as `(id, client_turn_id, conversation_id,
    state, heartbeat_at)`. If the limit of turns per minute is reached, `full_since` is the start of the oldest turn
    that counts.
    """

    now: datetime
    rows: list[tuple[Any, ...]]
    full_since: datetime | None

    def started_by(self, client_turn_id: UUID) -> UUID | None:
        """Return the id of the turn that was started with this client id."""
        return next((row[0] for row in self.rows if row[1] == client_turn_id), None)

    def running_in(self, conversation_id: UUID) -> UUID | None:
        """Return the id of the conversation's running turn."""
        return next((row[0] for row in self.rows if row[2] == conversation_id and row[3] == Turn.State.RUNNING), None)

    def any_stale(self, *, after: timedelta) -> bool:
        """Return whether a running turn has had no heartbeat for this long."""
        return any(row[3] == Turn.State.RUNNING and row[4] < self.now - after for row in self.rows)

    @property
    def seconds_to_wait(self) -> int:
        """Seconds until the user may start another turn, 0 if a turn can start now."""
        if self.full_since is None:
            return 0
        return max(1, int((self.full_since + MINUTE - self.now).total_seconds()) + 1)


def user_turns_query(user: Any, *, client_turn_id: UUID, now: datetime, turns_a_minute: int) -> Query[UserTurns]:
    """Return a query for the turns that decide whether another can start; it locks the user."""
    statements = (
        *lock_user_statements(user),
        USER_TURNS.statement(user_id=user.pk, client_turn_id=client_turn_id),
        _nth_latest_start(max(1, turns_a_minute)).statement(user_id=user.pk, since=now - MINUTE),
    )

    def read(*found: list[tuple[Any, ...]]) -> UserTurns:
        *_, rows, last = found
        return UserTurns(now=now, rows=rows, full_since=last[0][0] if last else None)

    return Query(statements, read)


def _user_turns(*, user_id: Any, client_turn_id: UUID) -> QuerySet[Turn, tuple[Any, ...]]:
    columns = ("pk", "client_turn_id", "conversation_id", "state", "heartbeat_at")
    mine = Turn.objects.filter(user_id=user_id).order_by().values_list(*columns)
    # A union, because with OR the databases would scan all turns of the user.
    return mine.filter(client_turn_id=client_turn_id).union(mine.filter(state=Turn.State.RUNNING))


@lru_cache(maxsize=16)
def _nth_latest_start(count: int) -> CompiledQuery:
    """Return the compiled query for the start of the user's `count`-th latest turn."""

    def build(*, user_id: Any, since: datetime) -> QuerySet[Turn, tuple[Any, ...]]:
        latest = Turn.objects.filter(user_id=user_id, started_at__gt=since).order_by("-started_at")
        return latest.values_list("started_at")[count - 1 : count]

    return CompiledQuery(build, user_id=int, since=datetime)


USER_TURNS = CompiledQuery(_user_turns, user_id=int, client_turn_id=UUID)


def _locked_running_turn(*, turn_id: UUID) -> QuerySet[Turn, tuple[Any, ...]]:
    running = Turn.objects.filter(pk=turn_id, state=Turn.State.RUNNING)
    return running.select_for_update(of=("self",)).values_list(*TURN_COLUMNS, "conversation__sandbox")


TURN_COLUMNS = [field.attname for field in Turn._meta.concrete_fields]
LOCK_RUNNING_TURN = CompiledQuery(_locked_running_turn, turn_id=UUID)

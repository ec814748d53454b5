"""The number of queries of a turn is constant: before the call of its model and at its end, for any length of the
conversation and size of the table."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.db import connections, transaction
from django.db.backends.signals import connection_created
from django.utils import timezone

from chat.models import ActionRun
from chat.services import ImportedMessage, TurnRequest
from chat.turns.event_stream import EventStream
from chat.turns.model_clients import use_transport
from chat.turns.runtime import TurnRuntime
from chat.turns.start import start_turn_task
from tables.models import Table
from tables.operations import Origin
from tables.selectors import table_shape
from tables.services import create_table
from tables.services.pipeline.row_writing import insert_rows
from tests.manual_clock import ManualClock
from tests.scripted_model import Gate, ScriptedModel, say

pytestmark = pytest.mark.django_db(transaction=True)

Json = dict[str, Any]


class Statements:
    """Counts statements in all threads before the model is `reached`, and from then on."""

    def __init__(self, *, reached: Callable[[], bool]) -> None:
        self.before: list[str] = []
        self.after: list[str] = []
        self._reached = reached

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Json) -> Any:
        # The start and end of a transaction are statements with only one of the databases.
        if sql.split()[0] not in ("BEGIN", "SAVEPOINT", "RELEASE"):
            (self.after if self._reached() else self.before).append(sql)
        return execute(sql, params, many, context)


@contextmanager
def counted(statements: Statements) -> Iterator[None]:
    """Count on every existing and new connection."""
    with ExitStack() as wrapped:
        known = set()

        def watch(connection: Any, **more: Any) -> None:
            if id(connection) not in known:
                known.add(id(connection))
                connection.execute_wrappers.append(statements)
                wrapped.callback(connection.execute_wrappers.remove, statements)

        for connection in connections.all(initialized_only=True):
            watch(connection)
        connection_created.connect(watch)
        wrapped.callback(connection_created.disconnect, watch)
        yield


def run_turn(user: User, request: TurnRequest) -> tuple[str, Statements]:
    """Run a turn; return the id of its conversation and the statements."""
    gate = Gate()
    gate.open()
    script = ScriptedModel(say("Hello.", gate=gate))
    statements = Statements(reached=gate.reached.is_set)

    @async_to_sync
    async def scene() -> str:
        runtime = TurnRuntime(clock=ManualClock())
        async with runtime.stream_slots.request(user) as slot_request:
            turn = await start_turn_task(runtime, user=user, request=request, slot_request=slot_request)
        async for _ in EventStream(runtime=runtime, turn_id=turn.pk, after=0, user_id=user.pk, slot=slot_request.slot):
            pass
        return str(turn.conversation_id)

    with use_transport(script.transport()), counted(statements):
        conversation_id = scene()
    return conversation_id, statements


def make_table(user: User, *, rows: int) -> Table:
    """Create a table with this many rows."""
    columns: list[Json] = [{"name": "Name", "type": "text"}]
    table = create_table(user=user, name=f"{rows} rows", columns=columns, origin=Origin("api"))
    shape = table_shape(table)
    cells = [{shape.columns[0].id: f"row {number}"} for number in range(rows)]
    with transaction.atomic():
        insert_rows(table, cells, columns=shape.columns, user=user, now=timezone.now())
        table.save()
    return table


def turn_request(table: Table, **fields: Any) -> TurnRequest:
    """Return a request for a turn on this table's page."""
    context = {"current_page": "table_view", "table_id": table.pk}
    values: Json = {"client_turn_id": uuid4(), "page": "table_view", "object_id": str(table.pk), "context": context}
    return TurnRequest(**{**values, "message": "And now?", **fields})


@pytest.mark.parametrize(("messages", "rows"), [(2, 3), (200, 3), (2, 600)])
def test_queries_do_not_depend_on_the_conversation_and_the_table(
    user: User, db_kind: str, messages: int, rows: int
) -> None:
    table = make_table(user, rows=rows)
    history = tuple(ImportedMessage(role=("user", "assistant")[n % 2], text=f"word {n}") for n in range(messages))
    conversation_id, _ = run_turn(user, turn_request(table, history=history))

    _, then = run_turn(user, turn_request(table, conversation_id=conversation_id))

    # PostgreSQL takes several statements at once.
    assert len(then.before) == (3 if db_kind == "postgresql" else 12), "\n".join(then.before)
    assert len(then.after) == (4 if db_kind == "postgresql" else 11), "\n".join(then.after)


def test_only_new_events_are_read(user: User, db_kind: str) -> None:
    table = make_table(user, rows=3)
    conversation_id, _ = run_turn(user, turn_request(table))
    _, quiet = run_turn(user, turn_request(table, conversation_id=conversation_id))
    ActionRun.objects.create(user=user, conversation_id=conversation_id, action="make", data={}, message="made north")

    _, then = run_turn(user, turn_request(table, conversation_id=conversation_id))

    assert len(then.before) == len(quiet.before) + 1

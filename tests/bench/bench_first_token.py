"""Measure our share of the time to the first token against a bare view; `python -m tests.bench.bench_first_token`.

A conversation of 200 messages on a table's page, of 1,000 and of 100,000 rows, warm; the provider answers at once. Both
servers are called alternately, and medians are compared. TEST_DATABASE=postgres for PostgreSQL.
"""
from __future__ import annotations

import tests.bench.scratch_settings  # noqa: F401  imported for what it does

# isort: split
import asyncio
from statistics import median
from typing import Any
from uuid import uuid4

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone

from chat.services import ImportedMessage, TurnRequest, start_turn
from chat.services.turns.end import Ending, end_turn
from tables.models import Table
from tables.operations import Origin
from tables.selectors import table_shape
from tables.services import create_table
from tables.services.pipeline.row_writing import insert_rows
from tests.bench.databases import COLUMNS, cells, prepare
from tests.bench.streaming import cpu_of, headers_of, process, read_stream, server

TIMES = 40
MESSAGES = 200
WORDS = "Some forty words about a table, as people and models say them. " * 4
Json = dict[str, Any]


def filled_table(user: User, *, rows: int) -> Table:
    """Create a table with this many rows."""
    table = create_table(user=user, name=f"Bench {rows}", columns=COLUMNS, origin=Origin("api"))
    shape = table_shape(table)
    ids = {column.name: column.id for column in shape.columns}
    for start in range(0, rows, 10_000):
        numbers = range(start, min(start + 10_000, rows))
        batch = [{ids[name]: value for name, value in cells(number).items()} for number in numbers]
        with transaction.atomic():
            insert_rows(table, batch, columns=shape.columns, user=user, now=timezone.now())
    table.save()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return table


def long_conversation(user: User, table: Table) -> Json:
    """Return the body of one more message in a conversation of 200 about this table."""
    context = {"current_page": "table_view", "table_id": table.pk}
    history = [ImportedMessage(role=("user", "assistant")[n % 2], text=WORDS) for n in range(MESSAGES - 2)]
    request = TurnRequest(
        client_turn_id=uuid4(), page="table_view", object_id=str(table.pk), context=context, message=WORDS,
        history=tuple(history),
    )  # fmt: skip
    turn = start_turn(user=user, request=request, now=timezone.now(), turns_a_minute=1_000).turn
    exchange = [{"role": "assistant", "content": [{"type": "text", "text": WORDS}]}]
    ending = Ending(state="complete", text=WORDS, exchange=exchange)
    end_turn(turn_id=turn.pk, ending=ending, final=(1, {"type": "complete"}), now=timezone.now())
    return {"message": "And now?", "context": context, "conversation_id": str(turn.conversation_id)}


async def first_token(address: str, *, headers: str, body: Json) -> float:
    """Return the seconds to the first token of one message."""
    result = await read_stream(address, headers, body)
    assert result.is_whole, result
    return result.first_token


def main() -> None:
    """Measure both sizes."""
    user = prepare()
    headers = headers_of(user)
    bodies = {rows: long_conversation(user, filled_table(user, rows=rows)) for rows in (1_000, 100_000)}
    with (
        process("-m", "tests.bench.provider", "3", "0") as (provider, _),
        server(provider, bare=True) as (bare_address, bare_pid),
        server(provider, bare=False) as (address, pid),
    ):
        for rows, body in bodies.items():
            for _ in range(5):
                asyncio.run(first_token(bare_address, headers=headers, body=body))
                asyncio.run(first_token(address, headers=headers, body=body))
            bare, ours, cpu, bare_cpu = [], [], cpu_of(pid), cpu_of(bare_pid)
            for _ in range(TIMES):
                bare.append(asyncio.run(first_token(bare_address, headers=headers, body=body)))
                ours.append(asyncio.run(first_token(address, headers=headers, body=body)))
            share = median(ours) - median(bare)
            spent = (cpu_of(pid) - cpu - (cpu_of(bare_pid) - bare_cpu)) / TIMES
            print(
                f"{rows:7,} rows: {median(ours) * 1e3:5.1f} ms to the first token, bare {median(bare) * 1e3:4.1f} ms:"
                f" {share * 1e3:5.1f} ms are ours (target ≤ 15), quickest {(min(ours) - min(bare)) * 1e3:5.1f} ms;"
                f" the whole turn takes {spent * 1e3:5.1f} ms of CPU more",
                flush=True,
            )


if __name__ == "__main__":
    main()

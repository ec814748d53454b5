"""Stores the events of running turns, of all turns of a process at once: 20 a second and turn are written here."""
from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import connection, transaction

from chat.models import Turn, TurnEvent

# Past the ORM: for each row it would do ten times the work of the database.
EVENTS, TURNS = TurnEvent._meta.db_table, Turn._meta.db_table
# A turn that has ended has its last event, and one that is gone takes none: either would hold up everybody else's.
# A batch whose answer was lost is sent again: what is there already stays.
IN_ONE = f"""
    INSERT INTO {EVENTS} (turn_id, seq, data)
    SELECT event.turn_id, event.seq, event.data::jsonb
    FROM unnest(%s::uuid[], %s::int[], %s::text[]) AS event (turn_id, seq, data)
    JOIN {TURNS} AS turn ON turn.id = event.turn_id AND turn.state = '{Turn.State.RUNNING.value}'
    ON CONFLICT DO NOTHING"""
ONE = f"""
    INSERT OR IGNORE INTO {EVENTS} (turn_id, seq, data)
    SELECT turn.id, %s, %s FROM {TURNS} AS turn WHERE turn.id = %s AND turn.state = '{Turn.State.RUNNING.value}'"""


def write_events(rows: Sequence[tuple[UUID, int, str]]) -> None:
    """Stores events (turn id, number, the event as JSON) of any number of turns."""
    if not rows:
        return
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # One statement, whole or not at all: a transaction around it would be two more trips.
            cursor.execute(IN_ONE, [list(column) for column in zip(*rows, strict=True)])
            return
        with transaction.atomic():
            cursor.executemany(ONE, [(seq, event, turn_id.hex) for turn_id, seq, event in rows])

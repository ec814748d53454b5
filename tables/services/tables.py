"""Tables as a whole: made, put in the trash, taken out again; each a change like any other."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction

from shared.user_messages import declare
from tables.exceptions import TablesError
from tables.models import Change, Table
from tables.operations.choice import Choice, Origin
from tables.operations.delta import Delta
from tables.selectors import table_shape
from tables.services.pipeline.locking import locked_table, refuse_outdated
from tables.services.pipeline.recording import Effect, Record, carry_out
from tables.services.rows.row_proposals import add_rows
from tables.services.schema_proposals import apply_schema, prepare_schema

TRASHED = declare("trashed", "Moved the table to the trash")
RESTORED = declare("restored", "Took the table out of the trash")

Json = dict[str, Any]


def create_table(
    *,
    user: Any,
    name: str,
    columns: Sequence[Json],
    origin: Origin,
    description: str = "",
    rows: Sequence[Json] = (),
    samples: Sequence[Json] = (),
    typecast: bool = False,
) -> Table:
    """A new table with these columns (name, type, …) and rows, keyed by column name; all of it or nothing.

    Rows are a change of their own; a few sample rows are part of the one that creates the table.
    """
    proposal = {
        "mode": "create",
        "table_name": name,
        "table_description": description,
        "operations": [{"action": "add", "column": column} for column in columns],
        "sample_rows": list(samples),
    }
    with transaction.atomic():
        try:
            prepared = prepare_schema(user=user, table_id=None, proposal=proposal)
            choice = Choice(include_sample_rows=bool(samples))
            applied = apply_schema(user=user, prepared=prepared, choice=choice, origin=origin)
        except TablesError as error:
            error.faults = tuple(replace(fault, path=_path(fault.path)) for fault in error.faults)
            raise
        if rows:
            add_rows(user=user, table_id=applied.table_id, rows=rows, origin=origin, typecast=typecast)
        return Table.objects.get(pk=applied.table_id)


def _path(path: str) -> str:
    """`operations[2].column.type` as `columns[2].type`, `table_name` as `name`: the words of who makes a table."""
    if path.startswith("table_"):
        return path.removeprefix("table_")
    return path.replace("operations", "columns", 1).replace("].column", "]", 1)


def trash_table(*, user: Any, table_id: int, origin: Origin, version: int | None = None) -> Change:
    """Puts a table in the trash, where it stays for 30 days. Another `version` of it is Outdated."""
    return _move(user=user, table_id=table_id, origin=origin, deleted=True, version=version)


def restore_table(*, user: Any, table_id: int, origin: Origin) -> Change:
    """Takes a table out of the trash."""
    return _move(user=user, table_id=table_id, origin=origin, deleted=False)


def _move(*, user: Any, table_id: int, origin: Origin, deleted: bool, version: int | None = None) -> Change:
    with transaction.atomic():
        table = locked_table(user, table_id, can="own", trashed=not deleted)
        refuse_outdated(table.version, looked_at=version)
        return moved(table, user=user, origin=origin, deleted=deleted)


def moved(table: Table, *, user: Any, origin: Origin, deleted: bool) -> Change:
    """The change that moves a locked table to the trash or out of it; who may do so has been asked."""
    summary = TRASHED() if deleted else RESTORED()
    columns = table_shape(table).columns
    delta = Delta(table={"was": {"deleted": not deleted}, "now": {"deleted": deleted}})
    effect = Effect(before=columns, after=columns, delta=delta)
    change, _ = carry_out(table, effect, user=user, origin=origin, record=Record(summary=summary))
    return change

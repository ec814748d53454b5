"""Copies a table: a new one with the same columns and rows, and nothing else of the first."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from shared.db.large_work import take_turn_for_rows
from shared.user_messages import declare
from tables.column_types import get_column_type
from tables.exceptions import Invalid
from tables.models import Table
from tables.operations.choice import Origin
from tables.operations.definitions import COLUMN_FIELDS
from tables.operations.delta import Delta
from tables.selectors import count_rows, table_behind, table_shape
from tables.services.pipeline.locking import every_row, locked_table
from tables.services.pipeline.recording import Effect, Record, carry_out
from tables.services.tables import create_table

TOO_MANY_ROWS_TO_COPY = declare(
    "too_many_rows_to_copy", "A table of more than {count:,} rows cannot be copied."
)
NO_COLUMNS_TO_COPY = declare(
    "no_columns_to_copy", "A table without columns cannot be copied; add a column first."
)
COPIED = declare("copied", "Copied {count:,} rows of “{name}”")

# All rows are in memory at once on their way.
MOST_ROWS = 100_000
MOST_NAME = 255
CALLED = "{name} (copy)"


def duplicate_table(*, user: Any, table_id: int, origin: Origin, name: Any = None, called: str = CALLED) -> Table:
    """The copy, this person's own; without `name` it is called as `called` says. Whoever may view a table may copy it.

    Raises Invalid for a table of more than 100,000 rows or without columns, and what create_table raises for a name.
    """
    with transaction.atomic():
        # Locked, so that what is copied is one state of it.
        return _copy(locked_table(user, table_id, can="view"), user=user, origin=origin, name=name, called=called)


def copy_linked_table(*, user: Any, token: str, origin: Origin, now: datetime, called: str = CALLED) -> Table:
    """A copy of the table that a link for reading opens. Raises NotFound, and what duplicate_table raises."""
    with transaction.atomic():
        Table.objects.select_for_update().filter(pk=table_behind(token, now=now).pk).first()
        # Asked again under the lock: the link may have been made void meanwhile.
        return _copy(table_behind(token, now=now), user=user, origin=origin, called=called)


def _name_of_copy(name: str, *, called: str) -> str:
    """ "Jobs (copy)", as long as a name may be."""
    return called.format(name=name[: MOST_NAME - len(called.format(name=""))])


def _copy(source: Table, *, user: Any, origin: Origin, called: str, name: Any = None) -> Table:
    count = count_rows(source)
    if count > MOST_ROWS:
        raise Invalid(TOO_MANY_ROWS_TO_COPY(count=MOST_ROWS), code="too_many_rows")
    take_turn_for_rows(count)
    shape = table_shape(source)
    if not shape.columns:
        raise Invalid(NO_COLUMNS_TO_COPY(), code="no_columns")
    copy = create_table(
        user=user,
        name=_name_of_copy(source.name, called=called) if name is None else name,
        description=source.description,
        columns=[_definition(column.as_json()) for column in shape.columns],
        origin=origin,
    )
    columns = table_shape(copy).columns
    # A copy has columns of its own: their ids are never used twice.
    new = {old.id: column.id for old, column in zip(shape.columns, columns, strict=True)}
    # Of a type that is not there any more nothing can be written: its values become the text they are read as.
    as_text = {c.id: get_column_type(c.type).text for c in shape.columns if not get_column_type(c.type).registered}
    rows = [
        {new[key]: as_text[key](value) if key in as_text else value for key, value in row.data.items()}
        for row in every_row(source, shape=shape)
    ]
    if rows:
        effect = Effect(before=columns, after=columns, delta=Delta(), adds=rows)
        record = Record(summary=COPIED(count=len(rows), name=source.name), counts={"add": len(rows)})
        carry_out(copy, effect, user=user, origin=origin, record=record)
    return copy


def _definition(column: dict[str, Any]) -> dict[str, Any]:
    if not get_column_type(column["type"]).registered:
        return {"name": column["name"], "type": "text", "required": column["required"]}
    return {name: value for name, value in column.items() if name in COLUMN_FIELDS and value is not None}

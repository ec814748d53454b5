"""Copies of tables: a new table with the same columns and rows."""
from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import transaction

from shared.db.large_work import lock_large_work_for
from shared.user_messages import declare
from tables.column_types import DEFAULT_TYPE, ColumnSpec, get_column_type
from tables.exceptions import Invalid
from tables.models import FormerMember, Table
from tables.operations.changes.delta import Delta
from tables.operations.proposals.choice import Origin
from tables.operations.proposals.definitions import column_fields
from tables.selectors import count_rows, linked_table, table_shape
from tables.services.files.copying import copy_files
from tables.services.pipeline.commit import Effect, Record, commit_change
from tables.services.pipeline.locking import iterate_row_states, locked_table, refuse_outdated
from tables.services.tables import create_table

TOO_MANY_ROWS_TO_COPY = declare(
    "too_many_rows_to_copy", "A table with more than {count:,} rows cannot be copied."
)
NO_COLUMNS_TO_COPY = declare(
    "no_columns_to_copy", "A table without columns cannot be copied; add a column first."
)
COPIED = declare("copied", "Copied {count:,} rows of “{name}”")

# All rows are in memory at once.
MAX_ROWS = 100_000
MAX_NAME_LENGTH = 255
COPY_NAME = "{name} (copy)"


def duplicate_table(
    *,
    user: Any,
    table_id: int,
    origin: Origin,
    name: Any = None,
    name_template: str = COPY_NAME,
    version: int | None = None,
) -> Table:
    """Create a copy of a table that this user may view, owned by this user.

    The default name is rendered from `name_template`. Raises Invalid for a table of more than 100,000 rows or without
    columns, Outdated if it has another version than `version`, and the errors of `create_table` for a name.
    """
    with transaction.atomic():
        # Locked, so that the copy is consistent.
        source = locked_table(user, table_id, can="view")
        refuse_outdated(source.version, expected=version)
        return _copy(source, user=user, origin=origin, name=name, name_template=name_template)


def copy_linked_table(*, user: Any, token: str, origin: Origin, now: datetime, name_template: str = COPY_NAME) -> Table:
    """Create a copy of the table of a reading link. Raises NotFound, and the errors of `duplicate_table`."""
    with transaction.atomic():
        Table.objects.select_for_update().filter(pk=linked_table(token, now=now).pk).first()
        # Checked again under the lock, because the link may have been deleted meanwhile.
        return _copy(linked_table(token, now=now), user=user, origin=origin, name_template=name_template)


def _name_of_copy(name: str, *, name_template: str) -> str:
    """Return "Jobs (copy)", shortened to the maximum length of a name."""
    return name_template.format(name=name[: MAX_NAME_LENGTH - len(name_template.format(name=""))])


def _copy(source: Table, *, user: Any, origin: Origin, name_template: str, name: Any = None) -> Table:
    count = count_rows(source)
    if count > MAX_ROWS:
        raise Invalid(TOO_MANY_ROWS_TO_COPY(count=MAX_ROWS), code="too_many_rows")
    lock_large_work_for(count)
    shape = table_shape(source)
    if not shape.columns:
        raise Invalid(NO_COLUMNS_TO_COPY(), code="no_columns")
    copy = create_table(
        user=user,
        name=_name_of_copy(source.name, name_template=name_template) if name is None else name,
        description=source.description,
        columns=[_definition(_for_copy(column, user=user).as_json()) for column in shape.columns],
        origin=origin,
    )
    if any(column.has_people for column in shape.columns):
        others = [person.id for person in shape.people.all if person.id != user.pk]
        FormerMember.objects.bulk_create(FormerMember(table=copy, user_id=each) for each in others)
    columns = table_shape(copy).columns
    # The copy gets new column ids, because ids are never reused.
    new = {old.id: column.id for old, column in zip(shape.columns, columns, strict=True)}
    # A type that is no longer registered cannot be written: its values are copied as text.
    as_text = {c.id: get_column_type(c.type).text for c in shape.columns if not get_column_type(c.type).registered}
    rows = [
        {new[key]: as_text[key](value) if key in as_text else value for key, value in row.data.items()}
        for row in iterate_row_states(source, shape=shape)
    ]
    copy_files(source, copy, rows=rows, columns=columns)
    if rows:
        effect = Effect(before=columns, after=columns, delta=Delta(), adds=rows)
        record = Record(summary=COPIED(count=len(rows), name=source.name), counts={"add": len(rows)})
        commit_change(copy, effect, user=user, origin=origin, record=record)
    return copy


def _for_copy(column: ColumnSpec, *, user: Any) -> ColumnSpec:
    """Return the column of a copy, of which only this user is a member: no other person can be its default."""
    return replace(column, default=None) if column.has_people and column.default != user.pk else column


def _definition(column: dict[str, Any]) -> dict[str, Any]:
    if not get_column_type(column["type"]).registered:
        return {"name": column["name"], "type": DEFAULT_TYPE, "required": column["required"]}
    fields = column_fields()
    return {name: value for name, value in column.items() if name in fields and value is not None}

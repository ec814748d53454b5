"""Tables: create, move to the trash, restore; and the view settings of a user."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django.db import transaction

from shared.user_messages import declare
from tables.column_types import TableShape
from tables.exceptions import Invalid, Malformed, TablesError
from tables.models import Change, PersonalView, Table
from tables.operations.body_reader import Form
from tables.operations.changes.delta import Delta
from tables.operations.proposals.choice import Choice, Origin
from tables.operations.queries.view_settings import ViewSettings, read_view_settings
from tables.selectors.tables import get_table, table_shape
from tables.services.pipeline.commit import Effect, Record, commit_change
from tables.services.pipeline.locking import locked_table, refuse_outdated
from tables.services.rows.row_proposals import first_rows
from tables.services.schema_proposals import apply_schema, new_table_shape, prepare_schema

TRASHED = declare("trashed", "Moved the table to the trash")
RESTORED = declare("restored", "Restored the table from the trash")

Json = dict[str, Any]
# In place of an invalid name, to find the other faults of a new table.
VALID_NAME = "Table"


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
    """Create a table with these columns (name, type, …) and rows, keyed by column name, as one change, or nothing.

    There are either rows or sample rows.
    """
    proposal = _proposal(name=name, columns=columns, description=description, samples=samples)
    with _paths_of_table():
        prepared = prepare_schema(user=user, table_id=None, proposal=proposal)
    first: Sequence[Json] = ()
    if rows:
        with _paths_of_table():
            shape = new_table_shape(prepared, user=user)
        first = first_rows(rows, shape=shape, typecast=typecast)
    choice = Choice(include_sample_rows=bool(samples))
    with transaction.atomic():
        with _paths_of_table():
            applied = apply_schema(user=user, prepared=prepared, choice=choice, origin=origin, rows=first)
        return Table.objects.get(pk=applied.table_id)


def check_table(
    *,
    user: Any,
    name: str,
    columns: Sequence[Json],
    description: str = "",
    rows: Sequence[Json] = (),
    typecast: bool = False,
) -> None:
    """Raise the errors of `create_table` for these arguments without writing.

    If only the name and the description are invalid, the faults of the rows are raised too.
    """
    form, words = Form(), {"name": name, "description": description}
    try:
        shape = _new_shape(user, columns=columns, **words)
    except (Malformed, Invalid) as error:
        if not rows or any(fault.path not in words for fault in error.faults):
            raise
        form.add_error(error)
        shape = _new_shape(user, columns=columns, name=VALID_NAME, description="")
    try:
        if rows:
            first_rows(rows, shape=shape, typecast=typecast)
    except (Malformed, Invalid) as error:
        if not form.faults:
            raise
        form.add_further(error)
    form.refuse()


def _new_shape(user: Any, *, name: str, columns: Sequence[Json], description: str) -> TableShape:
    with _paths_of_table():
        proposal = _proposal(name=name, columns=columns, description=description)
        return new_table_shape(prepare_schema(user=user, table_id=None, proposal=proposal), user=user)


def _proposal(*, name: str, columns: Sequence[Json], description: str, samples: Sequence[Json] = ()) -> Json:
    return {
        "mode": "create",
        "table_name": name,
        "table_description": description,
        "operations": [{"action": "add", "column": column} for column in columns],
        "sample_rows": list(samples),
    }


@contextmanager
def _paths_of_table() -> Iterator[None]:
    """Give the faults of errors the paths of a table: `columns[2].type` for `operations[2].column.type`."""
    try:
        yield
    except TablesError as error:
        error.faults = tuple(replace(fault, path=_path(fault.path)) for fault in error.faults)
        raise


def _path(path: str) -> str:
    if path.startswith("table_"):
        return path.removeprefix("table_")
    return path.replace("operations", "columns", 1).replace("].column", "]", 1)


def trash_table(*, user: Any, table_id: int, origin: Origin, version: int | None = None) -> Change:
    """Move a table to the trash, from which it can be restored for 30 days. Raises Outdated for another `version`."""
    return _move(user=user, table_id=table_id, origin=origin, deleted=True, version=version)


def restore_table(*, user: Any, table_id: int, origin: Origin, version: int | None = None) -> Change:
    """Restore a table from the trash. Raises Outdated for another `version`."""
    return _move(user=user, table_id=table_id, origin=origin, deleted=False, version=version)


def _move(*, user: Any, table_id: int, origin: Origin, deleted: bool, version: int | None = None) -> Change:
    with transaction.atomic():
        table = locked_table(user, table_id, can="own", trashed=not deleted)
        refuse_outdated(table.version, expected=version)
        return commit_move(table, user=user, origin=origin, deleted=deleted)


def commit_move(table: Table, *, user: Any, origin: Origin, deleted: bool) -> Change:
    """Commit the change that moves a locked table to the trash or out of it, without checking rights."""
    summary = TRASHED() if deleted else RESTORED()
    columns = table_shape(table).columns
    delta = Delta(table={"was": {"deleted": not deleted}, "now": {"deleted": deleted}})
    effect = Effect(before=columns, after=columns, delta=delta)
    change, _ = commit_change(table, effect, user=user, origin=origin, record=Record(summary=summary))
    return change


def check_view_settings(*, user: Any, table_id: int, settings: Any) -> ViewSettings:
    """Return the settings that `update_view_settings` would store. Raises its errors."""
    return read_view_settings(settings, shape=table_shape(get_table(user, table_id)))


def update_view_settings(*, user: Any, table_id: int, settings: Any) -> ViewSettings:
    """Replace this user's column widths and hidden columns by `{"widths", "hidden"}`.

    This is not a change of the table, so it has no undo. Raises NotFound, Malformed, Invalid.
    """
    table = get_table(user, table_id)
    new = check_view_settings(user=user, table_id=table_id, settings=settings)
    values = {"widths": dict(new.widths), "hidden": sorted(new.hidden)}
    PersonalView.objects.update_or_create(table=table, user=user, defaults=values)
    return new

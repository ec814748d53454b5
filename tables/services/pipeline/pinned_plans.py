"""Comparison of an apply with the plan of its dry run, under the lock of the table."""
from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from shared.user_messages import declare
from tables.exceptions import ChangesExpired, Conflict, Fault, Invalid, Malformed
from tables.models import Table
from tables.operations.plans.pinned_plans import is_of_body, is_same_plan, version_of
from tables.selectors import ChangeFilter, changes_of, get_table
from tables.selectors.history.changes import rows_changed_in, rows_changed_since

PLAN_CHANGED = declare("plan_changed", "The table has changed since the preview; nothing was changed.")
OTHER_OPERATIONS = declare(
    "other_operations", "These are not the operations and decisions of the preview; nothing was changed."
)
ROW_CHANGED = declare("row_changed_since_preview", "Row {row} has changed since the preview.")

Json = dict[str, Any]
# Changes and rows that an error lists.
MAX_LISTED = 100
MAX_CHANGED_ROWS = 2_000


def refuse_other_plan(
    table: Table | None,
    given: str,
    *,
    current: str,
    operations: Sequence[Json] = (),
    selected_by: Collection[str] = (),
) -> None:
    """Raise Conflict with what has changed if an apply would not do what the dry run with the plan `given` showed.

    `operations` are those on rows as resolved now; `selected_by` are the ids of the columns that decide which rows
    their conditions select. An empty `given` is not compared.
    """
    if not given or is_same_plan(given, current):
        return
    faults = _changed_rows(table, given, operations=operations, selected_by=selected_by) if table else ()
    raise _plan_changed(table, given, faults=faults)


@contextmanager
def planned_operations(plan: str, *, body: Any, user: Any, table_id: int) -> Iterator[None]:
    """Raise Conflict for operations that cannot be read any more because the table has changed since the dry run.

    The faults of another body than that of the dry run are raised unchanged.
    """
    try:
        yield
    except (Malformed, Invalid) as error:
        if not plan or not is_of_body(plan, body):
            raise
        table = get_table(user, table_id, can="edit")
        if table.version == version_of(plan):
            raise
        raise _plan_changed(table, plan, faults=error.faults) from None


def _plan_changed(table: Table | None, plan: str, *, faults: Sequence[Fault]) -> Conflict:
    if table is None or table.version == version_of(plan):
        return Conflict(OTHER_OPERATIONS(), code="plan_changed")
    extra = {"version": table.version, "changes": _changes_since(table, version_of(plan))}
    return Conflict(PLAN_CHANGED(), code="plan_changed", faults=faults, most=MAX_LISTED, extra=extra)


def _changes_since(table: Table, version: int) -> list[Json]:
    try:
        changes = changes_of(table, only=ChangeFilter(after_version=version), limit=MAX_LISTED)
    except ChangesExpired:
        return []
    return [change.as_json() for change in changes]


def _changed_rows(
    table: Table, plan: str, *, operations: Sequence[Json], selected_by: Collection[str]
) -> tuple[Fault, ...]:
    """Return a fault for each changed row of an operation, and for those that conditions may select no more."""
    version = version_of(plan)
    changed = rows_changed_since(table, version, limit=MAX_CHANGED_ROWS)
    if changed is None:
        return ()
    numbers = {each["row_id"]: each.get("written", each["index"]) for each in operations if each.get("row_id")}
    others = rows_changed_in(table, version, columns=selected_by) if selected_by else set()
    faults = [
        Fault(
            f"operations[{numbers[row]}]" if row in numbers else "operations",
            "row_changed",
            value=row,
            message=ROW_CHANGED(row=row),
            row_id=row,
        )
        for row in sorted(changed)
        if row in numbers or row in others
    ]
    return tuple(faults)

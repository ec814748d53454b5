"""Applies a DATA_PROPOSAL that stands in a request: read, planned and written under one lock, nothing stored."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.db import transaction

from tables.column_types import TableShape
from tables.models import Table
from tables.operations.choice import Choice, Origin
from tables.operations.data_plan import plan_data
from tables.operations.data_proposal import complete_data_proposal, read_data_proposal
from tables.selectors import table_shape
from tables.services.applied import Applied
from tables.services.collecting import uncollected
from tables.services.found_rows import locked_found
from tables.services.locking import locked_table
from tables.services.planned_rows import write_plan
from tables.services.today import today_for

Json = dict[str, Any]
# Looks at the operations as they were read, before they are planned; may note in them what else was expected.
Look = Callable[[list[Json], TableShape], None]


@uncollected
def change_rows(
    *, user: Any, table_id: int, proposal: Any, origin: Origin, typecast: bool = True, on_conflict: str = ""
) -> Applied:
    """Applies all operations of a DATA_PROPOSAL, as `apply_data` would what `prepare_data` had just stored of it.

    Raises Malformed, Invalid or Conflict, having written nothing.
    """
    with transaction.atomic():
        table = locked_table(user, table_id)
        return change_locked(
            table, shape=table_shape(table), proposal=proposal, user=user, origin=origin, typecast=typecast,
            on_conflict=on_conflict,
        )  # fmt: skip


def change_locked(
    table: Table,
    *,
    shape: TableShape,
    proposal: Any,
    user: Any,
    origin: Origin,
    typecast: bool,
    on_conflict: str = "",
    look: Look | None = None,
) -> Applied:
    """As `change_rows`, inside the transaction that locked the table.

    Nothing can change between reading and writing: each row is read once, and what was checked stays checked.
    """
    drafts, words = read_data_proposal(proposal, shape=shape, typecast=typecast, today=today_for(proposal))
    found = locked_found(table, drafts, shape=shape)
    read = complete_data_proposal(drafts, words=words, table_id=table.pk, rows=found.named, matches=found.matches)
    if look is not None:
        look(read["operations"], shape)
    rows = found.rows
    plan = plan_data(
        shape=shape, operations=read["operations"], choice=Choice(on_conflict=on_conflict), rows=rows,
        unchanged=found.unread, fresh=True,
    )  # fmt: skip
    applied = write_plan(table, plan, shape=shape, rows=rows, user=user, origin=origin)
    return replace(applied, warnings=read["warnings"])

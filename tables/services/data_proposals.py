"""Proposals for rows: fetches what they speak of, has it thought through in operations, writes what was chosen."""
from __future__ import annotations

from datetime import date
from typing import Any

from django.db import transaction

import strictjson
from tables.column_types import TableShape
from tables.column_types.digest import Digest
from tables.models import Row, Table
from tables.operations.choice import Choice, Origin
from tables.operations.data_plan import FOUND_ANEW, DataPlan, plan_data, row_ids
from tables.operations.data_proposal import MOST_OPERATIONS, complete_data_proposal, read_data_proposal
from tables.operations.planned import cells_by_column, preview_json
from tables.selectors import get_table, rows_by_id, table_shape
from tables.services.applied import Applied
from tables.services.collecting import uncollected
from tables.services.found_rows import found_rows, locked_as_stored, rows_beside
from tables.services.locking import locked_table
from tables.services.planned_rows import compose_rows, write_rows
from tables.services.today import today_for
from user_messages import declare

EQUAL_TO_ROW = declare("equal_to_row", "Equal to row {row}.")
EQUAL_TO_OPERATION = declare("equal_to_operation", "Equal to operation {operation} of this proposal.")

Json = dict[str, Any]


@uncollected
def prepare_data(
    *,
    user: Any,
    table_id: int,
    proposal: Any,
    typecast: bool = True,
    today: date | None = None,
    written_limit: int = MOST_OPERATIONS,
) -> Json:
    """The stored form of a DATA_PROPOSAL: names are ids, conditions are rows, values are cast, faults stand beside.

    Raises Malformed or Invalid for what cannot be shown at all. `today` is what relative dates count from: the
    day in the current time zone.
    """
    table = get_table(user, table_id, can="edit")
    shape = table_shape(table)
    drafts, words = read_data_proposal(
        proposal, shape=shape, typecast=typecast, today=today or today_for(proposal), written_limit=written_limit
    )
    found = found_rows(table, drafts, shape=shape)
    prepared = complete_data_proposal(
        drafts, words=words, table_id=table_id, rows=found.named, matches=found.matches
    )
    plan = plan_data(
        shape=shape, operations=prepared["operations"], choice=Choice(), rows=found.named,
        beside=rows_beside(table, prepared["operations"]), fresh=True,
    )  # fmt: skip
    for operation, planned in zip(prepared["operations"], plan.planned, strict=True):
        anew = [fault.as_json() for fault in planned.faults if fault.code in FOUND_ANEW]
        kept = [fault for fault in operation.get("faults", []) if fault["code"] not in FOUND_ANEW]
        operation |= {"faults": kept + anew} if kept or anew else {}
    prepared["content_hash"] = strictjson.content_hash(prepared)
    return prepared


@uncollected
def preview_data(*, user: Any, prepared: Json, choice: Choice) -> Json:
    """What applying the choice would do to the table as it is now; nothing is written."""
    choice.check_against(prepared)
    table = get_table(user, prepared["table_id"], can="edit")
    shape = table_shape(table)
    operations = choice.chosen(prepared)
    rows = rows_by_id(table, row_ids(operations), shape=shape)
    beside = rows_beside(table, operations)
    plan = plan_data(shape=shape, operations=operations, choice=choice, rows=rows, beside=beside)
    _note_doubles(table, plan, shape=shape)
    return preview_json(plan.planned, columns=shape.columns) | {
        "cells_by_column": cells_by_column(plan.planned),
        "warnings": prepared.get("warnings", []),
    }


@uncollected
def apply_data(*, user: Any, prepared: Json, choice: Choice, origin: Origin) -> Applied:
    """Applies what was chosen as one change. Raises Invalid or Conflict, having written nothing."""
    choice.check_against(prepared)
    choice.refuse_nothing()
    operations = choice.chosen(prepared)
    with transaction.atomic():
        table = locked_table(user, prepared["table_id"])
        shape = table_shape(table)
        rows, unchanged = locked_as_stored(table, operations, shape=shape)
        beside = rows_beside(table, operations)
        plan = plan_data(
            shape=shape, operations=operations, choice=choice, rows=rows, unchanged=unchanged, beside=beside
        )
        composed = compose_rows(plan, shape=shape, rows=rows)
        return write_rows(table, composed, user=user, origin=origin, operations=prepared["operations"])


def _note_doubles(table: Table, plan: DataPlan, *, shape: TableShape) -> None:
    """Remarks on new rows that equal one that is there, or an earlier one of the same proposal."""
    digest_of = Digest(shape.columns).of
    hashes = [digest_of(data)[2] for _, data in plan.adds]
    stored = Row.objects.filter(table_id=table.pk, deleted_at__isnull=True, cells_hash__in={h for h in hashes if h})
    known = dict(stored.values_list("cells_hash", "pk"))
    seen: dict[str, int] = {}
    for (planned, _), digest in zip(plan.adds, hashes, strict=True):
        if digest in known:
            planned.warn(code="double", message=EQUAL_TO_ROW(row=known[digest]), value=known[digest])
        elif digest in seen:
            planned.warn(code="double", message=EQUAL_TO_OPERATION(operation=seen[digest]))
        elif digest:
            seen[digest] = planned.index

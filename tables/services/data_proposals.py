"""Proposals for rows: fetches what they speak of, has it thought through in operations, writes what was chosen."""
from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from django.db import transaction
from django.utils import timezone

import strictjson
from tables.column_types import TableShape, cells_hash
from tables.exceptions import Fault, Invalid
from tables.models import Row, Table
from tables.operations.choice import Choice, Origin
from tables.operations.data_plan import FOUND_ANEW, DataPlan, plan_data, row_ids
from tables.operations.data_proposal import MOST_OPERATIONS, Draft, complete_data_proposal, read_data_proposal
from tables.operations.delta import Delta
from tables.operations.planned import cells_by_column, outcome, preview_json, refuse_unless_clear
from tables.operations.wording import counts_of, rows_sentence
from tables.selectors import count_rows, get_table, read_rows, rows_by_id, table_shape
from tables.services.applied import Applied
from tables.services.collecting import uncollected
from tables.services.locking import live_rows, locked_rows, locked_table
from tables.services.recording import Effect, Record, carry_out

Json = dict[str, Any]
MOST_ROWS = 1_000_000


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

    Raises Malformed or Invalid for what cannot be shown at all. `today` is what relative dates count from (UTC day).
    """
    table = get_table(user, table_id, can="edit")
    shape = table_shape(table)
    drafts, words = read_data_proposal(
        proposal, shape=shape, typecast=typecast, today=today or timezone.now().date(), written_limit=written_limit
    )
    named = rows_by_id(table, [draft.row_id for draft in drafts if draft.row_id], shape=shape)
    matches = _matches(table, drafts, shape=shape)
    prepared = complete_data_proposal(drafts, words=words, table_id=table_id, rows=named, matches=matches)
    everything = {**named, **{row.id: row for rows in matches.values() for row in rows}}
    plan = plan_data(shape=shape, operations=prepared["operations"], choice=Choice(), rows=everything)
    for operation, planned in zip(prepared["operations"], plan.planned, strict=True):
        found = [fault.as_json() for fault in planned.faults if fault.code in FOUND_ANEW]
        kept = [fault for fault in operation.get("faults", []) if fault["code"] not in FOUND_ANEW]
        operation |= {"faults": kept + found} if kept or found else {}
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
    plan = plan_data(shape=shape, operations=operations, choice=choice, rows=rows)
    _note_doubles(table, plan, shape=shape)
    return preview_json(plan.planned, columns=shape.columns) | {
        "cells_by_column": cells_by_column(plan.planned),
        "warnings": prepared.get("warnings", []),
    }


@uncollected
def apply_data(*, user: Any, prepared: Json, choice: Choice, origin: Origin) -> Applied:
    """Applies what was chosen as one change. Raises Invalid or Conflict, having written nothing."""
    choice.check_against(prepared)
    operations = choice.chosen(prepared)
    with transaction.atomic():
        table = locked_table(user, prepared["table_id"])
        shape = table_shape(table)
        rows = live_rows(locked_rows(table, row_ids(operations), shape=shape))
        plan = plan_data(shape=shape, operations=operations, choice=choice, rows=rows)
        refuse_unless_clear(plan.planned)
        _refuse_too_many(table, adding=len(plan.adds))
        effect = Effect(before=shape.columns, after=shape.columns, delta=Delta(), adds=[data for _, data in plan.adds])
        for row_id, cells in plan.updates.items():
            data = rows[row_id].data
            effect.delta.rows.append([row_id, {key: data.get(key) for key in cells}, cells])
            whole = {**data, **cells}
            effect.contents[row_id] = {key: value for key, value in whole.items() if value is not None}
        effect.delta.rows += [[row_id, dict(rows[row_id].data), None] for row_id in plan.deletes]
        counts = counts_of(plan.planned)
        record = Record(summary=rows_sentence(counts), counts=counts)
        change, ids = carry_out(table, effect, user=user, origin=origin, record=record)
        for (planned, _), row_id in zip(plan.adds, ids, strict=True):
            planned.row_id = row_id
        applied, skipped = outcome(plan.planned)
        return Applied(change.pk, table.version, table.pk, table.name, applied, skipped)


def _matches(table: Table, drafts: Sequence[Draft], *, shape: TableShape) -> dict[int, list[Any]]:
    """The rows each condition finds, counted before they are read."""
    written = sum(draft.where is None for draft in drafts)
    filters = {number: draft.where for number, draft in enumerate(drafts) if draft.where is not None}
    counts = {number: count_rows(table, shape=shape, filter=where) for number, where in filters.items()}
    if written + sum(counts.values()) > MOST_OPERATIONS:
        faults = tuple(
            Fault(path=f"{drafts[number].path}.where", code="too_many", detail=f"This matches {count:,} rows.")
            for number, count in counts.items()
        )
        detail = f"A proposal can hold at most {MOST_OPERATIONS:,} operations; this one would have "
        raise Invalid(f"{detail}{written + sum(counts.values()):,}.", code="too_many", faults=faults[:100])
    return {
        number: read_rows(table, shape=shape, filter=where, limit=MOST_OPERATIONS) for number, where in filters.items()
    }


def _refuse_too_many(table: Table, *, adding: int) -> None:
    # Positions are never used twice, so there are at most as many rows: mostly nothing has to be counted.
    if adding and table.next_position + adding > MOST_ROWS and count_rows(table) + adding > MOST_ROWS:
        raise Invalid(f"A table has at most {MOST_ROWS:,} rows.", code="too_many_rows")


def _note_doubles(table: Table, plan: DataPlan, *, shape: TableShape) -> None:
    """Remarks on new rows that equal one that is there, or an earlier one of the same proposal."""
    hashes = [cells_hash(shape.columns, data) for _, data in plan.adds]
    stored = Row.objects.filter(table_id=table.pk, deleted_at__isnull=True, cells_hash__in={h for h in hashes if h})
    known = dict(stored.values_list("cells_hash", "pk"))
    seen: dict[str, int] = {}
    for (planned, _), digest in zip(plan.adds, hashes, strict=True):
        if digest in known:
            planned.warn(code="double", detail=f"Equal to row {known[digest]}.", value=known[digest])
        elif digest in seen:
            planned.warn(code="double", detail=f"Equal to operation {seen[digest]} of this proposal.")
        elif digest:
            seen[digest] = planned.index

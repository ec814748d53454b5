"""Proposals for columns and for new tables: fetches, has it thought through in operations, writes what was chosen."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from shared import strictjson
from shared.db.large_work import take_turn_for_rows
from shared.user_messages import declare
from tables.column_types import TableShape
from tables.exceptions import TablesError
from tables.models import Table, new_column_id
from tables.operations.cells import RowState
from tables.operations.choice import Choice, Origin
from tables.operations.conversion import convert_rows, refuse_undecided
from tables.operations.planned import outcome, preview_json, refuse_all_skipped, refuse_unresolved
from tables.operations.sample_rows import plan_sample_rows
from tables.operations.schema_plan import SchemaPlan, plan_schema
from tables.operations.schema_proposal import read_schema_proposal
from tables.operations.summaries import columns_summary, counts_of
from tables.selectors import empty_cells, get_table, table_shape
from tables.selectors.snapshots import reading_in_parts
from tables.services.pipeline.applied import Applied
from tables.services.pipeline.locking import every_row, locked_table, refuse_outdated
from tables.services.pipeline.recording import Effect, Inflow, Record, carry_out

CREATED = declare("created", "Created “{name}”")

Json = dict[str, Any]
NO_TABLE = TableShape(id=None, name="")


@dataclass(frozen=True)
class ComposedSchema:
    """What a choice of a stored proposal writes to this version of its table."""

    version: int
    plan: SchemaPlan
    effect: Effect


def prepare_schema(*, user: Any, table_id: int | None, proposal: Any, typecast: bool = True) -> Json:
    """The stored form of a SCHEMA_PROPOSAL: names are ids, new columns have ids, faults stand beside.

    Without `table_id` it must be a new table. Raises Malformed or Invalid for what cannot be shown at all.
    """
    shape = NO_TABLE if table_id is None else table_shape(get_table(user, table_id, can="edit"))
    prepared = read_schema_proposal(proposal, shape=shape, new_id=new_column_id, typecast=typecast)
    plan = plan_schema(shape=shape, prepared=prepared, choice=Choice())
    for operation, planned in zip(prepared["operations"], plan.planned, strict=True):
        if planned.faults:
            operation["faults"] = [fault.as_json() for fault in planned.faults]
    prepared["warnings"] = [fault.as_json() for fault in plan_sample_rows(prepared, columns=plan.after).faults]
    prepared["content_hash"] = strictjson.content_hash(prepared)
    return prepared


def preview_schema(*, user: Any, prepared: Json, choice: Choice) -> Json:
    """What applying the choice would do to the table as it is now, lost and converted values counted."""
    choice.check_against(prepared)
    table = None if prepared["table_id"] is None else get_table(user, prepared["table_id"], can="edit")
    shape = table_shape(table) if table else NO_TABLE
    plan, _ = _planned(table, shape=shape, prepared=prepared, choice=choice)
    samples = plan_sample_rows(prepared, columns=plan.after)
    return preview_json(plan.planned, columns=plan.after) | {
        "mode": prepared["mode"],
        "table": (plan.table or {}).get("now", {}),
        "sample_rows": samples.rows,
        "warnings": [fault.as_json() for fault in samples.faults],
    }


def compose_schema(*, user: Any, prepared: Json, choice: Choice) -> ComposedSchema | None:
    """Compose what `apply_schema` writes, without a lock. Raises what `apply_schema` raises.

    None where it is best composed under the lock: a new table, or one that has changed meanwhile. Belongs outside of a
    transaction: on SQLite, every transaction holds the lock that all writers need.
    """
    choice.check_against(prepared)
    if prepared["table_id"] is None:
        return None
    # The version comes first: what is committed between these statements then counts as changed since.
    table = get_table(user, prepared["table_id"], can="edit")
    try:
        with reading_in_parts():
            return _compose(table, prepared=prepared, choice=choice)
    except TablesError:
        if get_table(user, prepared["table_id"], can="edit").version == table.version:
            raise
        # What was read may be of several versions of the table.
        return None


def apply_schema(
    *,
    user: Any,
    prepared: Json,
    choice: Choice,
    origin: Origin,
    inflow: Inflow | None = None,
    record: Record | None = None,
    composed: ComposedSchema | None = None,
) -> Applied:
    """Applies what was chosen as one change; in create mode makes the table, and the sample rows if they are wanted.

    `inflow` are rows that come with the new columns, `record` is how the change is remembered then; `composed` is what
    `compose_schema` returned of this choice, used if the table has not changed since. Raises Invalid or Conflict,
    having written nothing. Rows that are there keep empty cells where a new column has a default or is required: a
    default is for rows that are added later.
    """
    choice.check_against(prepared)
    with transaction.atomic():
        creating = prepared["table_id"] is None
        table = None if creating else locked_table(user, prepared["table_id"])
        if composed is None or table is None or table.version != composed.version:
            composed = _compose(table, prepared=prepared, choice=choice, inflow=inflow)
        plan, effect = composed.plan, composed.effect
        if table is None:
            table = Table(owner=user, counted_rows=0, counted_version=0)
            table.save()
        change = None
        if not effect.changes_nothing:
            record = record or _record(plan, effect=effect, choice=choice, creating=creating)
            change, _ = carry_out(table, effect, user=user, origin=origin, record=record)
        applied, skipped = outcome(plan.planned, operations=prepared["operations"])
        return Applied(change.pk if change else None, table.version, table.pk, table.name, applied, skipped)


def change_columns(
    *, user: Any, table_id: int, proposal: Any, choice: Choice, origin: Origin, version: int | None = None
) -> Applied:
    """Prepares and applies a SCHEMA_PROPOSAL of mode update under one lock: nothing can change between the two.

    Another `version` of the table is Outdated.
    """
    with transaction.atomic():
        refuse_outdated(locked_table(user, table_id).version, looked_at=version)
        prepared = prepare_schema(user=user, table_id=table_id, proposal=proposal)
        return apply_schema(user=user, prepared=prepared, choice=choice, origin=origin)


def _compose(table: Table | None, *, prepared: Json, choice: Choice, inflow: Inflow | None = None) -> ComposedSchema:
    shape = table_shape(table) if table else NO_TABLE
    plan, rows = _planned(table, shape=shape, prepared=prepared, choice=choice)
    if plan.table is None:
        choice.refuse_nothing()
    refuse_unresolved(plan.planned)
    refuse_undecided(plan)
    effect = Effect(before=shape.columns, after=plan.after, delta=plan.delta(), inflow=inflow)
    effect.delta.rows = [[row.id, was, now] for row, was, now in rows]
    for row, _, now in rows:
        whole = {**row.data, **now}
        effect.contents[row.id] = {key: value for key, value in whole.items() if value is not None}
    if table is None and choice.include_sample_rows:
        samples = plan_sample_rows(prepared, columns=plan.after)
        samples.refuse()
        effect.adds = samples.rows
    if effect.changes_nothing:
        refuse_all_skipped(plan.planned)
    effect.serialise()
    return ComposedSchema(table.version if table else 0, plan, effect)


def _planned(
    table: Table | None, *, shape: TableShape, prepared: Json, choice: Choice
) -> tuple[SchemaPlan, list[tuple[RowState, Json, Json]]]:
    def rows(holding: Sequence[str]) -> Iterable[RowState]:
        if table is None:
            return ()
        # As many positions as there ever were rows.
        take_turn_for_rows(table.next_position)
        return every_row(table, shape=shape, holding=holding)

    def empty(columns: Sequence[str]) -> Mapping[str, int]:
        return empty_cells(table, shape=shape, columns=columns) if table else {}

    plan = plan_schema(shape=shape, prepared=prepared, choice=choice)
    if any(planned.state == "error" for planned in plan.planned):
        return plan, []
    return plan, convert_rows(plan, rows=rows, empty=empty, choice=choice)


def _record(plan: SchemaPlan, *, effect: Effect, choice: Choice, creating: bool) -> Record:
    counts = counts_of(plan.planned)
    if not creating:
        mapping = choice.on_removed_option
        renamed = {} if isinstance(mapping, str) else mapping
        summary = columns_summary(plan.planned, table=plan.table, renamed_options=renamed)
        return Record(summary=summary, counts=counts)
    name = (plan.table or {}).get("now", {}).get("name", "")
    return Record(summary=CREATED(name=name), counts=counts | {"sample_rows": len(effect.adds)})

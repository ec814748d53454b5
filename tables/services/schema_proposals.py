"""Proposals for columns and for new tables: prepare, preview and apply."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from shared import strictjson
from shared.db.large_work import lock_large_work_for
from shared.user_messages import declare
from tables.column_types import ColumnSpec, TableShape
from tables.exceptions import TablesError
from tables.models import Table, new_column_id
from tables.operations.body_reader import Form
from tables.operations.cells import RowState
from tables.operations.plans.conversion import convert_rows, refuse_undecided
from tables.operations.plans.format_examples import add_format_examples
from tables.operations.plans.pinned_plans import schema_plan
from tables.operations.plans.planned import outcome, preview_json, refuse_all_skipped, refuse_unresolved
from tables.operations.plans.schema_faults import add_plan_faults
from tables.operations.plans.schema_plan import SchemaPlan, plan_schema
from tables.operations.plans.summaries import columns_summary, counts_of
from tables.operations.proposals.choice import Choice, Origin
from tables.operations.proposals.sample_rows import SampleRows, plan_sample_rows
from tables.operations.proposals.schema_proposal import read_schema_form
from tables.selectors import empty_cells, get_table, table_shape
from tables.selectors.people import people_of_new_table
from tables.selectors.rows.snapshots import streaming_transaction
from tables.services.pipeline.commit import Applied, Effect, Record, StagedRowSource, commit_change
from tables.services.pipeline.locking import iterate_row_states, locked_table, refuse_outdated
from tables.services.pipeline.outdated import beside_others
from tables.services.pipeline.pinned_plans import refuse_other_plan
from tables.services.pipeline.row_numbers import needs_numbers

CREATED = declare("created", "Created “{name}”")

Json = dict[str, Any]
NO_TABLE = TableShape(id=None, name="")


@dataclass(frozen=True)
class ComposedSchema:
    """The writes of a choice of a stored proposal to this version of its table."""

    version: int
    plan: SchemaPlan
    effect: Effect


@dataclass(frozen=True)
class ReadSchema:
    """A proposal for columns in its stored form, and the writes of a choice of it."""

    prepared: Json
    composed: ComposedSchema


def prepare_schema(*, user: Any, table_id: int | None, proposal: Any, typecast: bool = True) -> Json:
    """Return the stored form of a SCHEMA_PROPOSAL: ids instead of names, ids for new columns, and faults.

    Without `table_id` it must create a table. Raises Malformed or Invalid for a proposal that cannot be shown at all.
    """
    shape = _no_table(user) if table_id is None else table_shape(get_table(user, table_id, can="edit"))
    form = Form()
    prepared = read_schema_form(proposal, shape=shape, new_id=new_column_id, typecast=typecast, form=form)
    if form.faults:
        add_plan_faults(form, prepared, sent=proposal, shape=shape)
        form.refuse()
    plan = plan_schema(shape=shape, prepared=prepared, choice=Choice())
    for operation, planned in zip(prepared["operations"], plan.planned, strict=True):
        if planned.faults:
            operation["faults"] = [fault.as_json() for fault in planned.faults]
    prepared["warnings"] = [fault.as_json() for fault in plan_sample_rows(prepared, columns=plan.after).faults]
    prepared["content_hash"] = strictjson.content_hash(prepared)
    return prepared


def new_table_shape(prepared: Json, *, user: Any) -> TableShape:
    """Return the table that a stored proposal of this user creates. Raises the errors of `apply_schema`."""
    return replace(NO_TABLE, columns=_compose(None, user=user, prepared=prepared, choice=Choice()).plan.after)


def preview_schema(*, user: Any, prepared: Json, choice: Choice, version: int | None = None) -> Json:
    """Return the effect of the choice on the current table, with the number of lost values.

    With the `version` that the table had before the proposal was prepared, the preview has a `plan`.
    """
    choice.check_against(prepared)
    table = None if prepared["table_id"] is None else get_table(user, prepared["table_id"], can="edit")
    if table is not None:
        _refuse_other_version(table, user=user, prepared=prepared, choice=choice)
    shape = table_shape(table) if table else _no_table(user)
    plan, rows = _planned(table, shape=shape, prepared=prepared, choice=choice)
    if table is not None:
        add_format_examples(plan, rows=lambda key: iterate_row_states(table, shape=shape, with_value_in=[key]))
    samples = plan_sample_rows(prepared, columns=plan.after)
    return preview_json(plan.planned, columns=plan.after) | {
        "mode": prepared["mode"],
        "table": (plan.table or {}).get("now", {}),
        "sample_rows": samples.rows,
        "warnings": [fault.as_json() for fault in samples.faults],
        **({} if version is None else {"plan": _plan(prepared, plan, rows=rows, choice=choice, version=version)}),
    }


def compose_schema(*, user: Any, prepared: Json, choice: Choice, pinned: str = "") -> ComposedSchema | None:
    """Compose the writes of `apply_schema` without a lock. Raises the errors of `apply_schema`.

    Returns None if they must be composed under the lock: for a new table, or after a concurrent change of the table.
    Must run outside of a transaction, because on SQLite every transaction holds the only write lock.
    """
    choice.check_against(prepared)
    if prepared["table_id"] is None:
        return None
    # The version is read first, so that commits between these queries are detected as later changes.
    table = get_table(user, prepared["table_id"], can="edit")
    _refuse_other_version(table, user=user, prepared=prepared, choice=choice)
    try:
        with streaming_transaction():
            return _compose(table, user=user, prepared=prepared, choice=choice, pinned=pinned)
    except TablesError:
        if get_table(user, prepared["table_id"], can="edit").version == table.version:
            raise
        # The queries may have read different versions of the table.
        return None


def apply_schema(
    *,
    user: Any,
    prepared: Json,
    choice: Choice,
    origin: Origin,
    source: StagedRowSource | None = None,
    record: Record | None = None,
    composed: ComposedSchema | None = None,
    pinned: str = "",
    rows: Sequence[Json] = (),
) -> Applied:
    """Apply the chosen operations as one change, creating the table in create mode.

    `rows` are the cells of the first rows of a new table. `source` are rows that are imported with the new columns, and
    `record` then describes the change. `composed` is the result of `compose_schema` for this choice, used if the table
    has not changed since. `pinned` is the plan of a dry run. Existing rows have empty cells in a new column, even if it
    has a default: a default applies to rows added later. Raises Invalid, Conflict or Outdated, having written nothing.
    """
    choice.check_against(prepared)
    with transaction.atomic():
        creating = prepared["table_id"] is None
        table = None if creating else locked_table(user, prepared["table_id"])
        if table is not None:
            _refuse_other_version(table, user=user, prepared=prepared, choice=choice)
        if composed is None or table is None or table.version != composed.version:
            composed = _compose(table, user=user, prepared=prepared, choice=choice, source=source, pinned=pinned)
        plan, effect = composed.plan, composed.effect
        if table is None:
            effect.adds = rows or effect.adds
            table = Table(owner=user, counted_rows=0, counted_version=0)
            table.save()
        change = None
        if not effect.is_noop:
            record = record or _record(plan, effect=effect, choice=choice, creating=creating, rows=len(rows))
            change, _ = commit_change(table, effect, user=user, origin=origin, record=record)
        applied, skipped = outcome(plan.planned, operations=prepared["operations"])
        return Applied(change.pk if change else None, table.version, table.pk, table.name, applied, skipped)


def read_columns_unlocked(
    *, user: Any, table_id: int, proposal: Any, choice: Choice, version: int | None = None, pinned: str = ""
) -> ReadSchema | None:
    """Prepare a SCHEMA_PROPOSAL of mode update, and compose its writes, without a lock.

    Raises the errors of `change_columns`. Returns None if both must be done under the lock, after a concurrent change
    of the table. Must run outside of a transaction, because on SQLite every transaction holds the only write lock.
    """
    table = get_table(user, table_id, can="edit")
    with beside_others(lambda: _check(user=user, table_id=table_id, proposal=proposal, choice=choice)):
        refuse_outdated(table.version, expected=version)
    try:
        prepared = prepare_schema(user=user, table_id=table_id, proposal=proposal)
        composed = compose_schema(user=user, prepared=prepared, choice=choice, pinned=pinned)
    except TablesError:
        if get_table(user, table_id, can="edit").version == table.version:
            raise
        return None
    # A proposal refers to columns of the version for which it was prepared.
    return ReadSchema(prepared, composed) if composed and composed.version == table.version else None


def _check(*, user: Any, table_id: int, proposal: Any, choice: Choice) -> None:
    prepared = prepare_schema(user=user, table_id=table_id, proposal=proposal)
    compose_schema(user=user, prepared=prepared, choice=choice)


def change_columns(
    *,
    user: Any,
    table_id: int,
    proposal: Any,
    choice: Choice,
    origin: Origin,
    version: int | None = None,
    pinned: str = "",
    read: ReadSchema | None = None,
) -> Applied:
    """Prepare and apply a SCHEMA_PROPOSAL of mode update.

    `read` is the result of `read_columns_unlocked` for these arguments; it is used if the table has not changed since.
    `pinned` is the plan of a dry run. Raises Outdated if the table has another version than `version`.
    """
    read = read or read_columns_unlocked(
        user=user, table_id=table_id, proposal=proposal, choice=choice, version=version, pinned=pinned
    )
    with transaction.atomic():
        table = locked_table(user, table_id)
        refuse_outdated(table.version, expected=version)
        if read is not None and read.composed.version == table.version:
            prepared, composed = read.prepared, read.composed
        else:
            prepared, composed = prepare_schema(user=user, table_id=table_id, proposal=proposal), None
        return apply_schema(
            user=user, prepared=prepared, choice=choice, origin=origin, composed=composed, pinned=pinned
        )


def _refuse_other_version(table: Table, *, user: Any, prepared: Json, choice: Choice) -> None:
    """Raise Outdated, with the faults of the operations, if the choice was made for another version of the table."""
    with beside_others(lambda: _compose(table, user=user, prepared=prepared, choice=choice)):
        refuse_outdated(table.version, expected=choice.version)


def _compose(
    table: Table | None,
    *,
    user: Any,
    prepared: Json,
    choice: Choice,
    source: StagedRowSource | None = None, pinned: str = ""
) -> ComposedSchema:
    shape = table_shape(table) if table else _no_table(user)
    plan, rows = _planned(table, shape=shape, prepared=prepared, choice=choice)
    if pinned:
        current = _plan(prepared, plan, rows=rows, choice=choice, version=table.version if table else 0)
        refuse_other_plan(table, pinned, current=current)
    if plan.table is None:
        choice.refuse_nothing()
    samples = SampleRows()
    if table is None and choice.include_sample_rows:
        faulty = {each.column_id for each in plan.planned if each.faults}
        samples = plan_sample_rows(prepared, columns=[each for each in plan.after if each.id not in faulty])
    refuse_unresolved(plan.planned, others=samples.faults)
    samples.refuse()
    refuse_undecided(plan)
    effect = Effect(before=shape.columns, after=plan.after, delta=plan.delta(), source=source)
    effect.delta.rows = [[row.id, was, now] for row, was, now in rows]
    whole = ((row.id, {**row.data, **now}) for row, _, now in rows)
    effect.contents = {pk: {key: value for key, value in data.items() if value is not None} for pk, data in whole}
    effect.adds = samples.rows
    if table is not None and needs_numbers(table, columns=plan.after):
        lock_large_work_for(table.next_position)
    if effect.is_noop:
        refuse_all_skipped(plan.planned)
    effect.serialise()
    return ComposedSchema(table.version if table else 0, plan, effect)


def _plan(
    prepared: Json, plan: SchemaPlan, *, rows: list[tuple[RowState, Json, Json]], choice: Choice, version: int
) -> str:
    return schema_plan(
        prepared, plan, rows=rows, with_sample_rows=choice.include_sample_rows, version=version
    )


def _planned(
    table: Table | None, *, shape: TableShape, prepared: Json, choice: Choice
) -> tuple[SchemaPlan, list[tuple[RowState, Json, Json]]]:
    def rows(with_value_in: Sequence[str]) -> Iterable[RowState]:
        if table is None:
            return ()
        # The number of positions is that of rows ever added.
        lock_large_work_for(table.next_position)
        return iterate_row_states(table, shape=shape, with_value_in=with_value_in)

    def empty(columns: Sequence[ColumnSpec]) -> Mapping[str, int]:
        return empty_cells(table, shape=shape, columns=columns) if table else {}

    plan = plan_schema(shape=shape, prepared=prepared, choice=choice)
    if any(planned.state == "error" for planned in plan.planned):
        return plan, []
    return plan, convert_rows(plan, rows=rows, empty=empty, choice=choice)


def _record(plan: SchemaPlan, *, effect: Effect, choice: Choice, creating: bool, rows: int) -> Record:
    counts = counts_of(plan.planned)
    if not creating:
        mapping = choice.on_removed_option
        renamed = {} if isinstance(mapping, str) else mapping
        summary = columns_summary(plan.planned, table=plan.table, renamed_options=renamed)
        return Record(summary=summary, counts=counts)
    name = (plan.table or {}).get("now", {}).get("name", "")
    added = {"rows": rows} if rows else {"sample_rows": len(effect.adds)}
    return Record(summary=CREATED(name=name), counts=counts | added)


def _no_table(user: Any) -> TableShape:
    """Return the shape of a table that this user, whose time zone is the current one, will create."""
    return replace(NO_TABLE, zone=timezone.get_current_timezone(), people=people_of_new_table(user))

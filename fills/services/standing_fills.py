"""Create, change and delete standing fills: fills that are stored with their columns and run again."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from fills.circles import find_circle
from fills.instruction import references
from fills.models import Fill, StandingFill
from fills.selectors import editors_among, get_fill, get_standing_fill
from fills.services.definitions import (
    MAX_BUDGET,
    NOT_A_BUDGET,
    NOT_FILLABLE,
    NOT_OFFERED,
    WEB,
    fill_columns,
    plan_fill,
    price,
    set_fields,
)
from fills.services.edits import Refusals
from fills.services.lost_rights import right_lost
from fills.services.news import announce
from fills.services.offers import web_tools
from fills.services.outdated_rows import rows_filter, watched_columns
from fills.services.rows import EMPTY
from shared.user_messages import Message, declare
from tables.exceptions import Conflict, Invalid, Malformed, NotFound, TablesError
from tables.operations import TableShape
from tables.operations.body_reader import Form
from tables.operations.queries.filters import parse_filter
from tables.operations.value_schemas import accepts_values
from tables.selectors import Table, get_table, table_shape

Json = dict[str, Any]
# What decides the results, which a stored fill brings along.
DEFINITION = ("columns", "instruction", "sources", "examples", "model")
OWN_FIELDS = ("filter", "trigger", "budget")
FILL_OR_DEFINITION = declare("fill_or_definition", "Name either a fill, or columns and an instruction.")
ALREADY_STANDING = declare("already_standing", "This fill is already stored.")
COLUMN_TAKEN = declare("standing_column_taken", "“{column}” already has a standing fill. Change or delete that one.")
CIRCLE = declare("standing_circle", "These columns would fill each other again and again: {circle}.")
STILL_RUNS = declare("standing_still_runs", "This fill is running. Stop it before you change what it does.")
FILTER_UNUSABLE = declare("standing_filter_unusable", "Its filter cannot be used any more: {reason}")


def create_standing_fill(*, user: Any, table_id: int, body: Mapping[str, Any]) -> StandingFill:
    """Store a fill with its columns: one of this user's (`fill`, a UUID), or a new one.

    Raises Malformed and Invalid with all faults, Conflict if the fill is stored already, NotFound for
    the table, and Forbidden.
    """
    given = dict(body)
    fill_id, trigger = given.pop("fill", None), StandingFill.Trigger.MANUAL
    own = {name: given.pop(name) for name in OWN_FIELDS if name in given}
    is_complete = {"columns", "instruction"} <= given.keys() if fill_id is None else given.keys().isdisjoint(DEFINITION)
    refusals = Refusals()
    with refusals.collect():
        if not is_complete:
            raise Invalid.at("fill", FILL_OR_DEFINITION(), code="fill_or_definition")
    with transaction.atomic():
        if fill_id is None:
            fill = _new_fill(user=user, table_id=table_id, given=given, own=own, refusals=refusals)
        try:
            fill, table = get_fill(user, table_id, fill_id=fill_id or fill.pk, can="own", lock=True)
        except NotFound as error:
            _refuse_unknown(user=user, table_id=table_id, own=own, error=error, refusals=refusals)
        is_standing = hasattr(fill, "standing")
        if fill_id is not None and isinstance(fill.row_choice, dict):
            own.setdefault("filter", fill.row_choice.get("filter"))
        shape, form = table_shape(table), Form()
        standing = StandingFill(
            fill=fill, table_id=table.pk, trigger=trigger, automatic_since=timezone.now(),
            checked_version=table.version,
        )  # fmt: skip
        set_fields(fill, given if fill_id else {}, shape=shape, table=table, form=form)
        _set_own_fields(standing, own, shape=shape, table=table, form=form)
        with refusals.collect():
            form.refuse()
        if is_standing:
            refusals.refuse()
            raise Conflict(ALREADY_STANDING(), code="already_standing")
        with refusals.collect():
            _check_columns(standing, shape=shape)
        refusals.refuse()
        fill.save()
        standing.save(force_insert=True)
        announce(fill)
    return standing


def _new_fill(*, user: Any, table_id: int, given: Json, own: Json, refusals: Refusals) -> Fill:
    """Store a new fill with these fields. Raises the errors of these, and of the standing fill's own fields."""
    is_incomplete = bool(refusals.found)
    try:
        fill = plan_fill(user=user, table_id=table_id, body={**given, "rows": EMPTY})
    except (Malformed, Invalid) as error:
        # Without a fill, what is missing of a definition is named once, at `fill`.
        error.faults = tuple(fault for fault in error.faults if not (is_incomplete and fault.code == "missing"))
        if error.faults or not is_incomplete:
            refusals.found.append(error)
    if refusals.found:
        _refuse_own(user=user, table_id=table_id, own=own, refusals=refusals)
    fill.save(force_insert=True)
    return fill


def _refuse_unknown(*, user: Any, table_id: int, own: Json, error: NotFound, refusals: Refusals) -> NoReturn:
    """Raise the error of a fill in the body that does not exist, with those of the other fields."""
    get_table(user, table_id, can="edit")
    with refusals.collect():
        raise Invalid.at("fill", error.message, code="unknown_fill") from None
    _refuse_own(user=user, table_id=table_id, own=own, refusals=refusals)


def _refuse_own(*, user: Any, table_id: int, own: Json, refusals: Refusals) -> NoReturn:
    """Raise the errors that were found, with those of the standing fill's own fields."""
    table, form = get_table(user, table_id, can="edit"), Form()
    _set_own_fields(StandingFill(), own, shape=table_shape(table), table=table, form=form)
    with refusals.collect():
        form.refuse()
    refusals.refuse()
    raise AssertionError("there is an error")


def change_standing_fill(*, user: Any, table_id: int, fill_id: UUID, body: Mapping[str, Any]) -> StandingFill:
    """Change a standing fill of this user. Results of an earlier instruction are out of date then.

    Raises Malformed and Invalid with all faults, Conflict for changes of what a running fill does.
    """
    given = dict(body)
    own = {name: given.pop(name) for name in OWN_FIELDS if name in given}
    with transaction.atomic():
        standing, table = get_standing_fill(user, table_id, fill_id=fill_id, can="own", lock=True)
        fill, shape, form = standing.fill, table_shape(table), Form()
        is_redefined = not given.keys().isdisjoint(DEFINITION)
        if is_redefined and fill.state == Fill.State.RUNNING:
            raise Conflict(STILL_RUNS(), code="running")
        set_fields(fill, given, shape=shape, table=table, form=form)
        _set_own_fields(standing, own, shape=shape, table=table, form=form)
        refusals = Refusals()
        with refusals.collect():
            form.refuse()
        with refusals.collect():
            if is_redefined:
                _check_columns(standing, shape=shape)
        refusals.refuse()
        if is_redefined:
            fill.results.update(row_version=0)
            price(fill, table=table, shape=shape, rows=fill.estimate.get("rows", 0))
        fill.save()
        standing.save()
        announce(fill)
    return standing


def delete_standing_fill(*, user: Any, table_id: int, fill_id: UUID) -> None:
    """Do not run a fill again; the fill, its results and the applied values stay. Everybody who may edit can do so."""
    with transaction.atomic():
        standing, _ = get_standing_fill(user, table_id, fill_id=fill_id, can="edit", lock=True)
        announce(standing.fill)
        standing.delete()


def problems_of(
    standing_fills: Sequence[StandingFill], *, table: Table, shape: TableShape
) -> dict[UUID, Message]:
    """Return why standing fills of a table are paused, by id. They can run again as soon as the reason is gone.

    `standing_fills` are all of the table.
    """
    editors = editors_among((each.fill.user for each in standing_fills), table_id=table.pk)
    circle = circle_of(standing_fills, shape=shape)
    found = {}
    for each in standing_fills:
        if each.fill.user_id not in editors:
            found[each.pk] = right_lost(each.fill)
        elif problem := _problem(each, shape=shape) or circle:
            found[each.pk] = problem
    return found


def _problem(standing: StandingFill, *, shape: TableShape) -> Message | None:
    """Return why a standing fill cannot run, None if it can as far as it depends on itself."""
    fill = standing.fill
    try:
        columns = fill_columns(fill, shape=shape)
        rows_filter(standing, shape=shape)
    except TablesError as error:
        return error.message if error.code == "column_deleted" else FILTER_UNUSABLE(reason=error.message)
    refused = next((column for column in columns if not accepts_values(column)), None)
    if refused is not None:
        return NOT_FILLABLE(column=refused.name, type=refused.type)
    if fill.sources == WEB and web_tools(fill.model) is None:
        return NOT_OFFERED(model=fill.model)
    return None


def circle_of(standing_fills: Sequence[StandingFill], *, shape: TableShape) -> Message | None:
    """Return the message about a circle of these standing fills, None if there is none."""
    inputs: dict[str, set[str]] = {}
    for each in standing_fills:
        # Columns that were deleted may be restored.
        read = {*watched_columns(each.fill, shape=shape), *references(each.fill.instruction)}
        for output in each.fill.columns:
            inputs.setdefault(output, set()).update(read)
    circle = find_circle(inputs)
    if not circle:
        return None
    columns = [shape.column(each) for each in circle]
    return CIRCLE(circle=" → ".join(column.name if column else "?" for column in columns))


def _set_own_fields(standing: StandingFill, body: Json, *, shape: TableShape, table: Table, form: Form) -> None:
    """Set the fields that only standing fills have, and add all faults to the form."""
    if "filter" in body:
        try:
            found = parse_filter(body["filter"], shape=shape, today=timezone.localdate())
            standing.condition = found.as_json() if found else None
        except TablesError as error:
            form.add_error(error)
    if "trigger" in body:
        trigger = form.one_of(body["trigger"], path="trigger", allowed=StandingFill.Trigger.values)
        if trigger and trigger != standing.trigger:
            standing.trigger, standing.automatic_since = trigger, timezone.now()
            standing.due_at, standing.checked_version = None, table.version
    if "budget" in body:
        budget = body["budget"]
        if budget is None or (type(budget) is int and 0 < budget <= MAX_BUDGET):
            standing.budget = budget
        else:
            form.fault(path="budget", code="not_a_budget", message=NOT_A_BUDGET(most=MAX_BUDGET), value=budget)


def _check_columns(standing: StandingFill, *, shape: TableShape) -> None:
    """Raise Invalid if another standing fill has one of the columns, or if columns would feed each other."""
    fill = standing.fill
    fill_columns(fill, shape=shape)
    others = list(
        StandingFill.objects.filter(table_id=standing.table_id).exclude(pk=standing.pk).select_related("fill")
    )
    taken = {column_id for each in others for column_id in each.fill.columns}
    for column_id in fill.columns:
        column = shape.column(column_id)
        if column is not None and column_id in taken:
            raise Invalid.at("columns", COLUMN_TAKEN(column=column.name), code="column_taken")
    circle = circle_of([standing, *others], shape=shape)
    if circle is not None:
        raise Invalid.at("instruction", circle, code="circle")

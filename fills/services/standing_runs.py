"""Runs of standing fills: by hand, and automatic ones a while after a change of the table.

Columns of standing fills do not feed each other, and rows are compared by the cells that are sent, so that the values
that a run applies do not start another one of the same fill.
"""
from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from fills.models import Fill, Result, StandingFill
from fills.selectors import UNFINISHED, counts_of, get_standing_fill, standing_fills_of
from fills.services.control import FORGOTTEN
from fills.services.definitions import default_budget, estimate_rows, price
from fills.services.news import announce
from fills.services.outdated_rows import OutdatedRows, count_standing_rows, outdated_rows
from fills.services.standing_fills import problems_of
from shared.db.compiled_queries import CompiledQuery
from shared.user_messages import Message, declare
from tables.exceptions import Conflict, Invalid, TablesError
from tables.operations import TableShape
from tables.selectors import Table, get_table, table_shape

Json = dict[str, Any]
# Automatic runs wait for more rows.
WAIT = timedelta(seconds=10)
ROWS_PER_UPDATE = 1_000
UP_TO_DATE = declare("standing_up_to_date", "All rows are up to date.")


def find_outdated_rows(*, user: Any, table_id: int, fill_id: UUID) -> OutdatedRows:
    """Return the rows that `run_standing_fill` starts. Raises its errors. Needs no transaction."""
    standing, table = get_standing_fill(user, table_id, fill_id=fill_id, can="own")
    shape = table_shape(table)
    problems = problems_of(standing_fills_of(user, table_id)[0], table=table, shape=shape)
    if fill_id in problems:
        raise Conflict(problems[fill_id], code="standing_fill_paused")
    rows = outdated_rows(standing, table=table, shape=shape, most=settings.FILL_MAX_ROWS)
    if not rows:
        raise Invalid(UP_TO_DATE(), code="up_to_date")
    return rows


def run_standing_fill(*, user: Any, table_id: int, fill_id: UUID, rows: OutdatedRows | None = None) -> Fill:
    """Have workers answer the rows that are out of date, at most FILL_MAX_ROWS, and those that have failed.

    A paused fill continues. `rows` is the result of `find_outdated_rows`, which is called first if it is missing.
    Raises Invalid if there are no such rows, Conflict with the reason if it cannot run.
    """
    if rows is None:
        rows = find_outdated_rows(user=user, table_id=table_id, fill_id=fill_id)
    with transaction.atomic():
        standing, table = get_standing_fill(user, table_id, fill_id=fill_id, can="own", lock=True)
        _start(standing, rows, table=table, shape=table_shape(table))
    return standing.fill


@dataclass(frozen=True)
class Status:
    """A standing fill, why it is paused, and how many of its rows are out of date with what a run of them would need.

    `discarded` is the number of rows whose values were discarded. The last three are None while it has a problem.
    """

    standing: StandingFill
    shape: TableShape
    problem: Message | None
    discarded: int
    total: int | None = None
    out_of_date: int | None = None
    estimate: Json | None = None


def standing_fill_status(*, user: Any, table_id: int, fill_id: UUID) -> Status:
    """Compare the results of a standing fill with the rows of its table. Raises NotFound."""
    standing, table = get_standing_fill(user, table_id, fill_id=fill_id)
    shape = table_shape(table)
    problem = problems_of(standing_fills_of(user, table_id)[0], table=table, shape=shape).get(fill_id)
    discarded = counts_of([fill_id])[fill_id][Result.State.DISCARDED]
    return _status(standing, table=table, shape=shape, problem=problem, discarded=discarded)


def all_standing_fills(*, user: Any, table_id: int) -> list[Status]:
    """Return the standing fills of a table, with the rows that are out of date. Raises NotFound."""
    found, table = standing_fills_of(user, table_id)
    shape = table_shape(table)
    problems, counts = problems_of(found, table=table, shape=shape), counts_of(each.pk for each in found)
    return [
        _status(
            each, table=table, shape=shape, problem=problems.get(each.pk),
            discarded=counts[each.pk][Result.State.DISCARDED],
        )
        for each in found
    ]  # fmt: skip


def _status(
    standing: StandingFill, *, table: Table, shape: TableShape, problem: Message | None, discarded: int
) -> Status:
    if problem is not None:
        return Status(standing, shape, problem, discarded)
    fill, count = standing.fill, len(outdated_rows(standing, table=table, shape=shape))
    total = count_standing_rows(standing, table=table, shape=shape)
    needs = estimate_rows(fill, count=min(count, settings.FILL_MAX_ROWS), table=table, shape=shape)
    return Status(standing, shape, None, discarded, total, count, needs)


def schedule_runs(*, table_id: int, now: datetime) -> list[UUID]:
    """Set when automatic standing fills run after a change of this table, and return those that were not due yet.

    It is one query on an index if the table has no such fills, or they are due already.
    """
    return [
        fill_id for (fill_id,) in TO_SCHEDULE.rows(table_id=table_id)
        if StandingFill.objects.filter(pk=fill_id, due_at__isnull=True).update(due_at=now + WAIT)
    ]  # fmt: skip


def _to_schedule(*, table_id: int) -> QuerySet[Any, Any]:
    triggers = (StandingFill.Trigger.NEW_ROWS, StandingFill.Trigger.CHANGES)
    return StandingFill.objects.filter(table_id=table_id, trigger__in=triggers, due_at__isnull=True).values_list("pk")


# After each change of any table. Building the query takes many times as long as running it.
TO_SCHEDULE = CompiledQuery(_to_schedule, table_id=int)


def run_due(fill_id: UUID, *, now: datetime) -> bool:
    """Run an automatic standing fill for the rows that were added or changed; return whether there are any.

    It does not run while it has a problem, such as a user who may not edit the table any more, while the fill is
    paused, and while its table is in the trash.
    """
    standing = StandingFill.objects.select_related("fill__user", "table").filter(pk=fill_id).first()
    if standing is None or standing.trigger == StandingFill.Trigger.MANUAL:
        return False
    StandingFill.objects.filter(pk=fill_id, due_at__lte=now).update(due_at=None)
    user = standing.fill.user
    try:
        table = get_table(user, standing.table_id, can="edit")
    except TablesError:
        # The next change of the table leads to another check.
        StandingFill.objects.filter(pk=fill_id).update(checked_version=standing.table.version)
        return False
    shape, rows = table_shape(table), OutdatedRows()
    if fill_id not in problems_of(standing_fills_of(user, table.pk)[0], table=table, shape=shape):
        rows = outdated_rows(standing, table=table, shape=shape, is_automatic=True, most=settings.FILL_MAX_ROWS)
    with transaction.atomic():
        fill = Fill.objects.select_for_update(of=("self",)).select_related("user").filter(pk=fill_id).first()
        standing = StandingFill.objects.filter(pk=fill_id).first()
        if fill is None or standing is None:
            return False
        standing.fill = fill
        Result.objects.bulk_update(rows.checked, ["row_version"], batch_size=ROWS_PER_UPDATE)
        StandingFill.objects.filter(pk=fill_id).update(checked_version=table.version)
        if not rows or fill.state == Fill.State.PAUSED:
            return False
        _start(standing, rows, table=table, shape=shape)
    return True


def _start(standing: StandingFill, rows: OutdatedRows, *, table: Table, shape: TableShape) -> None:
    """Add these rows to the work on a locked fill, with the budget of one run. Raises Invalid."""
    fill, count = standing.fill, len(rows)
    used = fill.input_tokens + fill.output_tokens
    if fill.state == Fill.State.RUNNING:
        needs = estimate_rows(fill, count=count, table=table, shape=shape)
        fill.budget = max(used, fill.budget) + (standing.budget or max(1, 2 * needs["tokens"]))
    else:
        price(fill, table=table, shape=shape, rows=count)
        fill.budget = used + (standing.budget or default_budget(fill))
        fill.started_at = timezone.now()
    unanswered = UNFINISHED if fill.state == Fill.State.RUNNING else ()
    for start in range(0, len(rows.changed), ROWS_PER_UPDATE):
        ids = rows.changed[start : start + ROWS_PER_UPDATE]
        fill.results.filter(row_id__in=ids).exclude(state__in=unanswered).update(**FORGOTTEN, remark="")
    last = fill.results.aggregate(last=Max("position"))["last"]
    first = 0 if last is None else last + 1
    Result.objects.bulk_create(
        (Result(fill=fill, row_id=row_id, position=first + at) for at, row_id in enumerate(rows.new)),
        batch_size=ROWS_PER_UPDATE, ignore_conflicts=True,
    )  # fmt: skip
    fill.state, fill.reason, fill.ended_at = Fill.State.RUNNING, None, None
    fill.save()
    announce(fill)

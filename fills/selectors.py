"""Reads of fills and their results, on behalf of a user: fills of tables that the user may not view do not exist."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Count, F, Min, Q, QuerySet, Sum, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce
from django.db.models.lookups import Exact
from django.utils import timezone

from fills.hashes import value_hash
from fills.models import Batch, Fill, ModelWait, Origin, Result, StandingFill
from shared.user_messages import Message, declare
from tables.exceptions import Forbidden, NotFound
from tables.operations.cells import StoredRow
from tables.selectors import Table, access_to, allowed, get_table, tables_of
from tables.selectors.access import ROLES

__all__ = [
    "COUNTED_STATES", "Batch", "EndedFill", "Fill", "FillAtWork", "OpenBatches", "Result", "StandingFill",
    "columns_with_origins", "counts_of", "deleted_batches", "editors_among", "ended_fill", "fill_to_work_on",
    "fill_with_batches", "fills_at_work", "fills_of", "fills_running", "fills_to_work_on", "get_fill",
    "get_standing_fill", "has_fills", "may_manage", "model_wait", "old_fills", "open_batches",
    "origins_of_rows", "outcomes_of", "results_of", "standing_fills_of", "standing_fills_to_check", "standing_triggers",
    "unseen_fills", "wait_until", "waits_of",
]  # fmt: skip

NO_SUCH_FILL = declare("no_such_fill", "Fill not found.")
ONLY_CREATOR = declare("only_fill_creator", "Only the person who set up this fill can do this.")
ONLY_MANAGERS = declare(
    "only_fill_managers", "Only the person who set up this fill and the owner of the table can do this."
)
COUNTED_STATES = tuple(Result.State.values)
# Results that were not applied remain for this time.
RETENTION = timedelta(days=30)
MAX_NOTICES = 3
ENDED = (Fill.State.DONE, Fill.State.FAILED)
UNFINISHED = (Result.State.WAITING, Result.State.WORKING)


def fills_of(user: Any, table_id: int) -> QuerySet[Fill]:
    """Return the fills of a table, the newest first. Raises NotFound."""
    table = get_table(user, table_id)
    return Fill.objects.filter(table_id=table.pk).select_related("user", "standing").order_by("-created_at", "pk")


def has_fills(table_id: int) -> bool:
    """Return whether fills of this table have run or may run, for a page whose user may view it; in one query.

    Origins remain when their fill is deleted.
    """
    shown = ~Q(state=Fill.State.DRAFT) | Q(standing__isnull=False)
    fills = Fill.objects.filter(shown, table_id=table_id).order_by().values_list("table_id")
    return fills.union(Origin.objects.filter(table_id=table_id).values_list("table_id")).exists()


@dataclass(frozen=True)
class Outcome:
    """How many rows of a fill have values to review, and how many its last run has filled."""

    open: int = 0
    filled: int = 0


@dataclass(frozen=True)
class FillAtWork:
    """A fill for the list of tables: who has set it up, whether it is paused or has ended, how many rows are done.

    `waits_until`: see `waits_of`. `outcome`: see `outcomes_of`; of fills that have not ended it says nothing.
    `found_nothing`: it has ended without a value for any row.
    """

    id: UUID
    table_id: int
    user: str
    is_own: bool
    is_paused: bool
    is_ended: bool
    is_failed: bool
    outcome: Outcome
    found_nothing: bool
    columns: str
    done: int
    total: int
    waits_until: datetime | None


def fills_at_work(user: Any) -> list[FillAtWork]:
    """Return the fills at work in the tables that the user may view, and the user's that have ended since a look.

    The newest are first. It takes at most six queries.
    """
    at_work = Q(state__in=(Fill.State.RUNNING, Fill.State.PAUSED))
    unseen = Q(user=user, is_unseen=True, state__in=ENDED)
    fills = Fill.objects.filter(at_work | unseen, table__in=tables_of(user)).select_related("user", "table")
    found = list(fills.prefetch_related("table__columns").order_by("-created_at", "pk"))
    counts = counts_of(fill.pk for fill in found) if found else {}
    waits = waits_of(found, now=timezone.now())
    outcomes = outcomes_of([fill for fill in found if fill.state in ENDED])
    return [
        FillAtWork(
            id=fill.pk,
            table_id=fill.table_id,
            user=fill.user.get_username(),
            is_own=fill.user_id == user.pk,
            is_paused=fill.state == Fill.State.PAUSED,
            is_ended=fill.state in ENDED,
            is_failed=fill.state == Fill.State.FAILED,
            outcome=outcomes.get(fill.pk, Outcome()),
            found_nothing=not any(counts[fill.pk][state] for state in (Result.State.FOUND, Result.State.DISCARDED)),
            columns=", ".join(column.name for column in fill.table.columns.all() if column.pk in fill.columns),
            done=sum(number for state, number in counts[fill.pk].items() if state not in UNFINISHED),
            total=sum(counts[fill.pk].values()),
            waits_until=waits.get(fill.pk),
        )
        for fill in found
    ]


def standing_triggers(table_id: int) -> dict[str, str]:
    """Return when columns are filled again, by column id, for a page whose user may view the table."""
    found = StandingFill.objects.filter(table_id=table_id).values_list("fill__columns", "trigger")
    return {column_id: trigger for columns, trigger in found for column_id in columns}


def get_fill(user: Any, table_id: int, *, fill_id: UUID, can: str = "view", lock: bool = False) -> tuple[Fill, Table]:
    """Return a fill with its table. Raises NotFound, and Forbidden if the user lacks a right.

    `can`: "view", "edit" (the table), "own": edit the table, and have set up the fill, whose calls the person pays for,
    or "manage": see `may_manage`. With `lock` the fill is locked until the transaction ends.
    """
    table = get_table(user, table_id, can="view" if can == "view" else "edit")
    fills = Fill.objects.select_for_update(of=("self",)) if lock else Fill.objects.all()
    fill = fills.filter(table_id=table.pk, pk=fill_id).select_related("user", "standing").first()
    if fill is None:
        raise NotFound(NO_SUCH_FILL())
    if can == "own" and fill.user_id != user.pk:
        raise Forbidden(ONLY_CREATOR())
    if can == "manage" and not may_manage(user, [fill], table=table):
        raise Forbidden(ONLY_MANAGERS())
    return fill, table


def may_manage(user: Any, fills: Sequence[Fill], *, table: Table) -> set[UUID]:
    """Return the ids of those of these fills of a table that the user may discard and take over.

    These are the user's own, all if the user owns the table, and for editors those whose user may not edit the table
    any more. It takes at most three queries.
    """
    if not allowed(user, table, can="edit"):
        return set()
    others = [] if table.owner_id == user.pk else [fill for fill in fills if fill.user_id != user.pk]
    editors = editors_among((fill.user for fill in others), table_id=table.pk)
    return {fill.pk for fill in fills} - {fill.pk for fill in others if fill.user_id in editors}


def editors_among(users: Iterable[Any], *, table_id: int) -> set[int]:
    """Return the ids of those of these users who may edit a table, in two queries; none if it is in the trash."""
    active = {user.pk for user in users if user.is_active}
    access = access_to([table_id], active).get(table_id) if active else None
    return {user_id for user_id in active if access and access.roles.get(user_id) in ROLES["edit"]}


def standing_fills_of(user: Any, table_id: int) -> tuple[list[StandingFill], Table]:
    """Return the standing fills of a table in the order of their creation, with the table. Raises NotFound."""
    table = get_table(user, table_id)
    found = StandingFill.objects.filter(table_id=table.pk).select_related("fill__user").order_by("created_at", "pk")
    return list(found), table


def get_standing_fill(
    user: Any, table_id: int, *, fill_id: UUID, can: str = "view", lock: bool = False
) -> tuple[StandingFill, Table]:
    """Return a standing fill with its table; see `get_fill`."""
    fill, table = get_fill(user, table_id, fill_id=fill_id, can=can, lock=lock)
    standing: StandingFill | None = getattr(fill, "standing", None)
    if standing is None:
        raise NotFound(NO_SUCH_FILL())
    standing.fill = fill
    return standing, table


def standing_fills_to_check(*, now: datetime) -> list[UUID]:
    """Return the automatic standing fills of tables that have changed since the last check, and are not due later."""
    automatic = StandingFill.objects.exclude(trigger=StandingFill.Trigger.MANUAL)
    changed = automatic.filter(table__version__gt=F("checked_version"), table__deleted_at__isnull=True)
    return list(changed.filter(Q(due_at__isnull=True) | Q(due_at__lte=now)).values_list("pk", flat=True))


def counts_of(fill_ids: Iterable[UUID]) -> dict[UUID, dict[str, int]]:
    """Return the number of results by state of each of these fills, in one query."""
    found: dict[UUID, dict[str, int]] = {fill_id: dict.fromkeys(COUNTED_STATES, 0) for fill_id in fill_ids}
    results = Result.objects.filter(fill_id__in=list(found)).order_by()
    for fill_id, state, count in results.values_list("fill_id", "state").annotate(Count("pk")):
        found[fill_id][state] = count
    return found


def outcomes_of(fills: Sequence[Fill]) -> dict[UUID, Outcome]:
    """Return what is to review and what was filled of those of these fills that have found something, in one query.

    Rows are not read: values that the table had before, as far as it had them when they were read, are not to review.
    """
    if not fills:
        return {}
    is_new = Q()
    for fill in fills:
        is_new |= Q(_finds_other_values(fill.columns), fill_id=fill.pk)
    filled = Q(change_id__isnull=False) & (Q(fill__started_at=None) | Q(finished_at__gte=F("fill__started_at")))
    results = Result.objects.filter(fill_id__in=[fill.pk for fill in fills], state=Result.State.FOUND).order_by()
    counted = results.values_list("fill_id").annotate(
        open=Count("pk", filter=Q(is_new, change_id=None)), filled=Count("pk", filter=filled)
    )
    return {fill_id: Outcome(*numbers) for fill_id, *numbers in counted}


def _finds_other_values(columns: Sequence[str]) -> Q:
    """Return the condition that a value of a result differs from the cell that was read."""
    found = Q()
    for key in columns:
        value, cell = (
            Coalesce(KT(f"{name}__{key}"), Value(""), output_field=TextField()) for name in ("values", "cells")
        )
        found |= Q(values__has_key=key) & ~Q(Exact(value, cell))
    return found


@dataclass(frozen=True)
class OpenBatches:
    """The batches of a fill that have not ended: how many rows they were sent with, and when the first was sent."""

    rows: int
    sent_at: datetime


def open_batches(fill_ids: Iterable[UUID]) -> dict[UUID, OpenBatches]:
    """Return the open batches of those of these fills that have some, in one query."""
    batches = _open_batches().filter(fill_id__in=list(fill_ids))
    found = batches.values_list("fill_id").annotate(Sum("size"), Min("sent_at"))
    return {fill_id: OpenBatches(rows, sent_at) for fill_id, rows, sent_at in found}


def results_of(
    fill: Fill,
    *,
    states: Sequence[str] = (),
    confidence: str = "",
    unverified: bool | None = None,
    row_ids: Sequence[int] | None = None,
) -> QuerySet[Result]:
    """Return the results of a fill in the order of its rows, those of all states if none is given."""
    results = Result.objects.filter(fill_id=fill.pk).order_by("position", "pk")
    if states:
        results = results.filter(state__in=states)
    if confidence:
        results = results.filter(confidence=confidence)
    if unverified is not None:
        results = results.filter(is_unverified=unverified)
    return results if row_ids is None else results.filter(row_id__in=row_ids)


def origins_of_rows(table: Table, rows: Sequence[StoredRow]) -> dict[int, dict[str, dict[str, Any]]]:
    """Return the origins of the values that these rows hold, by row and column id, in one query."""
    cells = {row.id: row.data for row in rows}
    found: dict[int, dict[str, dict[str, Any]]] = {}
    for origin in Origin.objects.filter(table_id=table.pk, row_id__in=list(cells)).order_by("row_id", "change_id"):
        shown = _origin_json(origin)
        held = {key: shown for key, stored in origin.hashes.items() if _holds(cells[origin.row_id], key, stored)}
        if held:
            found.setdefault(origin.row_id, {}).update(held)
    return found


def columns_with_origins(table: Table) -> set[str]:
    """Return the ids of the columns of which some values have or had an origin."""
    is_postgresql = connection.vendor == "postgresql"
    key, each = ("jsonb_object_keys(hashes)", "") if is_postgresql else ("key", ", json_each(hashes)")
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT DISTINCT {key} FROM {Origin._meta.db_table}{each} WHERE table_id = %s", [table.pk]
        )
        return {column_id for (column_id,) in cursor.fetchall()}


def _holds(cells: Mapping[str, Any], column_id: str, stored: str) -> bool:
    return cells.get(column_id) is not None and value_hash(cells[column_id]) == stored


def _origin_json(origin: Origin) -> dict[str, Any]:
    return {
        "fill": str(origin.fill_id),
        "model": origin.model,
        "at": origin.created_at.isoformat(),
        "confidence": origin.confidence,
        "note": origin.note,
        "sources": origin.sources,
    }


def model_wait(model: str) -> ModelWait | None:
    """Return until when no worker calls this model, None without such a time."""
    return ModelWait.objects.filter(pk=model).first()


def wait_until(model: str) -> datetime | None:
    """Return until when no worker calls this model, None without such a time."""
    wait = model_wait(model)
    return wait.until if wait else None


def waits_of(fills: Iterable[Fill], *, now: datetime) -> dict[UUID, datetime]:
    """Return until when those of these fills wait whose provider has no capacity, in at most one query."""
    at_work = [fill for fill in fills if fill.state in (Fill.State.RUNNING, Fill.State.DRAFT)]
    if not at_work:
        return {}
    waits = ModelWait.objects.filter(pk__in={fill.model for fill in at_work}, until__gt=now)
    until = dict(waits.values_list("model", "until"))
    return {fill.pk: until[fill.model] for fill in at_work if fill.model in until}


def fills_to_work_on() -> list[UUID]:
    """Return the fills with work: those that run or have open batches, and drafts of which rows are tried."""
    waiting = Fill.objects.filter(state=Fill.State.DRAFT, results__state__in=UNFINISHED)
    running = Fill.objects.filter(state=Fill.State.RUNNING)
    sent = Fill.objects.exclude(state=Fill.State.RUNNING).filter(batches__in=_open_batches())
    found = (running, waiting.distinct(), sent.distinct())
    return [fill_id for fills in found for fill_id in fills.values_list("pk", flat=True)]


def fill_with_batches(fill_id: UUID) -> Fill | None:
    """Return a fill that has open batches or sends rows in some, None for others."""
    fill = Fill.objects.filter(pk=fill_id, mode=Fill.Mode.BATCH).first()
    is_sending = fill is not None and fill.state == Fill.State.RUNNING
    return fill if is_sending or _open_batches().filter(fill_id=fill_id).exists() else None


def deleted_batches() -> list[Batch]:
    """Return the batches of fills that were deleted."""
    return list(Batch.objects.filter(fill=None).order_by("sent_at"))


def _open_batches() -> QuerySet[Batch]:
    return Batch.objects.exclude(state=Batch.State.ENDED).order_by()


def unseen_fills(user: Any) -> list[Fill]:
    """Return the last fills that workers have ended with since the user has looked, in at most two queries."""
    ended = Fill.objects.filter(
        user=user, is_unseen=True, table__in=tables_of(user),
        state__in=(Fill.State.DONE, Fill.State.PAUSED, Fill.State.FAILED),
    )  # fmt: skip
    found = ended.select_related("table").prefetch_related("table__columns")
    return list(found.order_by("-updated_at", "pk")[:MAX_NOTICES])


@dataclass(frozen=True)
class EndedFill:
    """A fill for a mail to its user: id and name of its table, its state, and its results by state."""

    user: Any
    table_id: int
    table: str
    state: str
    counts: Mapping[str, int]
    reason: Message | None


def ended_fill(fill_id: UUID) -> EndedFill | None:
    """Return a fill that workers have ended with, None if it runs again or its user may not view the table."""
    fill = Fill.objects.select_related("user").filter(pk=fill_id, user__is_active=True).first()
    if fill is None or fill.state not in (Fill.State.DONE, Fill.State.PAUSED, Fill.State.FAILED):
        return None
    try:
        table = get_table(fill.user, fill.table_id)
    except NotFound:
        return None
    reason = Message.from_json(fill.reason) if fill.reason else None
    return EndedFill(fill.user, table.pk, table.name, str(fill.state), counts_of([fill.pk])[fill.pk], reason)


def fills_running() -> int:
    """Return the number of running fills."""
    return Fill.objects.filter(state=Fill.State.RUNNING).count()


def fill_to_work_on(fill_id: UUID) -> Fill | None:
    """Return a fill for a worker, None if it is not to be worked on."""
    return Fill.objects.filter(pk=fill_id, state__in=(Fill.State.RUNNING, Fill.State.DRAFT)).first()


def old_fills(*, now: datetime) -> QuerySet[Fill]:
    """Return the fills that were last used 30 days ago or earlier, with their results; no standing ones."""
    old = Fill.objects.filter(~Q(state=Fill.State.RUNNING), updated_at__lte=now - RETENTION, standing__isnull=True)
    return old.order_by()

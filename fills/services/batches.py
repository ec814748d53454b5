"""Batches of rows: hold the rows of one, remember what was sent, and store what comes back.

A batch is stored before it is sent. If its worker is killed meanwhile, another one looks for it at the provider.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F

from fills.models import Batch, Fill, ModelWait, Result
from fills.prompt import in_column_order
from fills.selectors import wait_until
from fills.services.announcements import end_fill
from fills.services.definitions import sent_columns
from fills.services.kept_cells import kept_cells
from fills.services.news import announce
from fills.services.steps import (
    CallOutcome,
    RowToFill,
    extend_wait,
    read_rows,
    stop_fill,
    store_outcomes,
    tokens_left,
)
from shared import strictjson
from shared.user_messages import Message, declare
from tables.exceptions import TablesError
from tables.selectors import get_table, table_shape

Json = dict[str, Any]
State = Result.State
# Providers take up to 100,000 requests and 256 MB. Between smaller pieces budgets are checked.
PIECE_ROWS, PIECE_BYTES = 1_000, 32_000_000
# Longer than sending or reading a batch takes.
SENDING, CHECKING = timedelta(minutes=10), timedelta(minutes=10)
FIRST_CHECK, LONGEST_CHECK, CHECK_GROWTH = timedelta(seconds=60), timedelta(minutes=10), 1.5
# A batch expires after 24 hours. One that has not ended two hours later never will.
LOST_AFTER = timedelta(hours=26)
# By how much clocks may differ.
CLOCK_DIFFERENCE = timedelta(minutes=5)
AS_READ = ("cells", "cells_hash", "row_version")
NOT_ANSWERED = declare("fill_batch_not_answered", "The provider did not answer this row within 24 hours.")


@dataclass(frozen=True)
class Piece:
    """Rows to send as one batch, which are held by it."""

    batch_id: UUID
    prompt: Json
    rows: Sequence[RowToFill]


def custom_id(batch_id: UUID, *, result_id: int) -> str:
    """Return the id of a row in a batch, by which answers are matched."""
    return f"{batch_id.hex}-{result_id}"


def result_id_of(custom_id: str, *, batch_id: UUID) -> int | None:
    """Return the id of the result that an answer is for, None if it is not of this batch."""
    marker, _, number = custom_id.partition("-")
    return int(number) if marker == batch_id.hex and number.isdecimal() else None


def hold_piece(fill_id: UUID, *, tokens_a_day: int | None, now: datetime) -> Piece | None:
    """Hold the next rows that are to be sent and store their batch, as far as state, budgets and waits allow.

    If the budget is used up and no batch is open, the fill is paused.
    """
    with transaction.atomic():
        fill = Fill.objects.select_for_update(of=("self",)).select_related("user").filter(pk=fill_id).first()
        if fill is None or fill.state != Fill.State.RUNNING or fill.mode != Fill.Mode.BATCH:
            return None
        until = wait_until(fill.model)
        waiting = fill.results.filter(state=State.WAITING, is_live=False)
        if (until is not None and until > now) or not waiting.exists():
            return None
        most = _affordable_rows(fill, tokens_a_day=tokens_a_day, now=now)
        if not most:
            return None
        found = list(waiting.order_by("position")[: min(most, PIECE_ROWS)])
        try:
            rows = _first_bytes(read_rows(fill, found, now=now), prompt=fill.prompt)
        except TablesError as error:
            stop_fill(fill, error, now=now)
            return None
        if rows:
            batch = _store_piece(fill, rows=rows, results=found, now=now)
            return Piece(batch.pk, in_column_order(fill.prompt), rows)
    # All of these rows were deleted.
    return hold_piece(fill_id, tokens_a_day=tokens_a_day, now=now)


def _store_piece(fill: Fill, *, rows: Sequence[RowToFill], results: Sequence[Result], now: datetime) -> Batch:
    batch = Batch.objects.create(fill=fill, model=fill.model, size=len(rows), sent_at=now, check_at=now + SENDING)
    as_read = {row.result_id: row.as_read for row in rows}
    held = [result for result in results if result.pk in as_read]
    for result in held:
        result.state, result.batch = State.WORKING, batch
        for name, value in as_read[result.pk].items():
            setattr(result, name, value)
    Result.objects.bulk_update(held, ["state", "batch", *AS_READ], batch_size=200)
    announce(fill)
    return batch


def _affordable_rows(fill: Fill, *, tokens_a_day: int | None, now: datetime) -> int:
    """Return how many rows the budgets allow besides those in open batches; without such, at least one or a pause."""
    in_flight = fill.results.filter(state=State.WORKING, batch__isnull=False).count()
    left, reason = tokens_left(fill, tokens_a_day=tokens_a_day, now=now)
    if reason is not None:
        if not in_flight:
            end_fill(fill, state=Fill.State.PAUSED, reason=reason, now=now)
        return 0
    used = fill.input_tokens + fill.output_tokens
    calls, tokens = (fill.calls, used) if fill.calls else (fill.estimate.get("calls"), fill.estimate.get("tokens"))
    a_row = max(1, round((tokens or 0) / (calls or 1)))
    return max(left // a_row - in_flight, 0 if in_flight else 1)


def _first_bytes(rows: Sequence[RowToFill], *, prompt: Json) -> Sequence[RowToFill]:
    """Return the first rows whose requests are not too large together, at least one."""
    fixed, total = strictjson.byte_size(prompt), 0
    for index, row in enumerate(rows):
        total += fixed + strictjson.byte_size(row.cells)
        if index and total > PIECE_BYTES:
            return rows[:index]
    return rows


def batch_sent(batch_id: UUID, *, provider_id: str, now: datetime, is_guessed: bool = False) -> None:
    """Store that the provider has a batch. `is_guessed`: it was found by its size and time only."""
    Batch.objects.filter(pk=batch_id, state=Batch.State.SENDING).update(
        state=Batch.State.SENT, provider_id=provider_id, is_guessed=is_guessed, checks=0, check_at=now + FIRST_CHECK
    )
    models = Batch.objects.filter(pk=batch_id).values("model")
    ModelWait.objects.filter(pk__in=models, failures__gt=0).update(failures=0)


def batch_not_sent(
    batch_id: UUID,
    *,
    pauses: Message | None = None,
    retry_after: float | None = None,
    is_refused: bool = False,
    now: datetime,
) -> None:
    """Give back the rows of a batch that the provider does not have.

    `pauses` is the message of an error that will not go away. `is_refused`: the provider had no capacity, and asked
    for a wait of `retry_after` seconds.
    """
    with _locked(batch_id) as (batch, fill):
        if batch is None or batch.state != Batch.State.SENDING:
            return
        batch.results.filter(state=State.WORKING).update(state=State.WAITING)
        batch.delete()
        if is_refused:
            extend_wait(batch.model, retry_after=retry_after, now=now)
        if fill is not None and pauses is not None and fill.state == Fill.State.RUNNING:
            end_fill(fill, state=Fill.State.PAUSED, reason=pauses, now=now)
        if fill is not None:
            announce(fill)


def claim_batches(fill_id: UUID, *, now: datetime) -> list[Batch]:
    """Return the open batches of a fill that are to be checked now, each for one worker."""
    due = Batch.objects.filter(fill_id=fill_id, check_at__lte=now).exclude(state=Batch.State.ENDED)
    return [
        batch
        for batch in due.select_related("fill").order_by("sent_at")
        if due.filter(pk=batch.pk, check_at=batch.check_at).update(check_at=now + CHECKING, checks=F("checks") + 1)
    ]


def check_later(batch: Batch, *, now: datetime) -> None:
    """Have a batch checked again, after a pause that grows with each check."""
    pause = min(FIRST_CHECK * CHECK_GROWTH ** min(batch.checks + 1, 20), LONGEST_CHECK)
    Batch.objects.filter(pk=batch.pk).update(check_at=now + pause)


def batch_cancelled(batch_id: UUID) -> None:
    """Store that a batch was cancelled at the provider."""
    Batch.objects.filter(pk=batch_id).update(is_cancelled=True)


def forget_guess(batch: Batch, *, now: datetime) -> None:
    """Store that a batch of the provider is not this one, which is then looked for again."""
    Batch.objects.filter(pk=batch.pk).update(
        state=Batch.State.SENDING, provider_id="", is_guessed=False, not_ours=[*batch.not_ours, batch.provider_id],
        check_at=now,
    )  # fmt: skip


def known_provider_ids(ids: Iterable[str]) -> set[str]:
    """Return those of these ids that belong to a batch."""
    return set(Batch.objects.filter(provider_id__in=list(ids)).values_list("provider_id", flat=True))


def held_rows(batch_id: UUID, *, result_ids: Sequence[int]) -> list[RowToFill]:
    """Return the rows that a batch holds, as they were sent. Raises NotFound if the table is in the trash.

    Answers are stored although the user of the fill may not edit the table any more: they are paid for, and others
    review them.
    """
    batch = Batch.objects.select_related("fill__table__owner").get(pk=batch_id)
    fill = batch.fill
    if fill is None:
        return []
    shape = table_shape(get_table(fill.table.owner, fill.table_id))
    columns = sent_columns(fill, shape=shape)
    results = batch.results.filter(pk__in=list(result_ids), state=State.WORKING)
    kept = kept_cells(fill, results, cells={result.row_id: result.cells for result in results})
    return [
        RowToFill(
            result.pk, result.row_id, {column.id: result.cells.get(column.id) for column in columns}, result.remark,
            shape, columns, {}, kept.get(result.row_id, frozenset()),
        )
        for result in results
    ]  # fmt: skip


def store_answers(
    batch_id: UUID, outcomes: Sequence[CallOutcome], *, tokens_a_day: int | None, now: datetime
) -> dict[str, int]:
    """Store outcomes of rows that a batch still holds, with their tokens. Return the number of results by state."""
    with _locked(batch_id) as (batch, fill):
        if batch is None or fill is None:
            return {}
        held = batch.results.filter(state=State.WORKING)
        ids = set(held.filter(pk__in=[each.row.result_id for each in outcomes]).values_list("pk", flat=True))
        # Answers that are read again after their worker was killed are counted once.
        new = [each for each in outcomes if each.row.result_id in ids]
        for each in new:
            for kind, count in each.usage.items():
                fill.batched[kind] = fill.batched.get(kind, 0) + count
        fill.save(update_fields=["batched"])
        stored = store_outcomes(fill, new, held=held, tokens_a_day=tokens_a_day, now=now)
        announce(fill)
    return stored


def end_batch(batch_id: UUID, *, now: datetime) -> None:
    """End a batch of which all answers are stored; rows without one wait again, or fail if calls are not allowed."""
    with _locked(batch_id) as (batch, fill):
        if batch is None:
            return
        left = batch.results.filter(state=State.WORKING)
        if batch.is_cancelled:
            left.update(state=State.WAITING, batch=None)
        elif settings.FILL_BATCH_RETRIES:
            left.update(state=State.WAITING, batch=None, is_live=True)
        else:
            left.update(state=State.FAILED, batch=None, error=NOT_ANSWERED().as_json(), finished_at=now)
        batch.state = Batch.State.ENDED
        batch.save(update_fields=["state"])
        if fill is not None:
            announce(fill)


@contextmanager
def _locked(batch_id: UUID) -> Iterator[tuple[Batch | None, Fill | None]]:
    """Open a transaction with a batch and its fill, which is locked as by all workers."""
    with transaction.atomic():
        batch = Batch.objects.filter(pk=batch_id).first()
        fills = Fill.objects.select_for_update(of=("self",)).select_related("user")
        fill = fills.filter(pk=batch.fill_id).first() if batch is not None and batch.fill_id else None
        # As the fill was waited for, the batch may have changed.
        yield Batch.objects.filter(pk=batch_id).first() if fill is not None else batch, fill


def delete_batch(batch_id: UUID) -> None:
    """Delete a batch whose fill was deleted."""
    Batch.objects.filter(pk=batch_id, fill=None).delete()


def has_rows_to_send(fill: Fill) -> bool:
    """Return whether rows of a running fill wait to be sent in a batch."""
    is_running = fill.state == Fill.State.RUNNING and fill.mode == Fill.Mode.BATCH
    return is_running and fill.results.filter(state=State.WAITING, is_live=False).exists()


def next_check(fill_id: UUID) -> datetime | None:
    """Return when the next batch of a fill is checked, None without open ones."""
    batches = Batch.objects.filter(fill_id=fill_id).exclude(state=Batch.State.ENDED)
    return batches.order_by("check_at").values_list("check_at", flat=True).first()

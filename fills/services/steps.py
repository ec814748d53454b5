"""The work of a worker on a fill: store outcomes of calls, check whether to go on, and take the next rows.

All of it is one short transaction, in which the fill is locked, so that several workers see each other's tokens.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Min, Q, QuerySet

from chat.selectors import tokens_used
from chat.services import count_tokens
from fills.answers import Answer
from fills.hashes import value_hashes
from fills.models import Fill, ModelWait, Result
from fills.selectors import UNFINISHED, fill_to_work_on, model_wait
from fills.services.announcements import end_fill
from fills.services.definitions import (
    fill_columns,
    has_old_prompt,
    instruction_hash,
    renew_prompt,
    sent_columns,
)
from fills.services.estimates import cost_so_far
from fills.services.kept_cells import kept_cells
from fills.services.lost_rights import right_lost, table_to_fill
from fills.services.news import announce
from fills.services.outages import MAX_ATTEMPTS, MAX_REFUSALS, failure_of_all, keep_unanswered_rows
from shared import strictjson
from shared.user_messages import Message, declare
from tables.exceptions import Forbidden, TablesError
from tables.operations import ColumnSpec, TableShape
from tables.selectors import rows_by_id, table_shape

Json = dict[str, Any]
State = Result.State
# The wait after a refusal without Retry-After, and while a provider is down. It is doubled until a call is answered.
FIRST_WAIT, LONGEST_WAIT, MAX_FAILURES = timedelta(seconds=1), timedelta(seconds=60), 10
BUDGET_REACHED = declare(
    "fill_budget_reached", "The budget of {count:,} tokens is used up. Raise it and resume, or keep what was found."
)
DAY_REACHED = declare(
    "fill_day_reached", "Your tokens of this day ({count:,}) are used up. Resume tomorrow, after midnight UTC."
)
OUTCOME_FIELDS = (
    "state", "worker", "lease_until", "batch", "is_live", "attempts", "refusals", "cells", "cells_hash", "row_version",
    "values", "hashes", "confidence", "note", "sources", "is_unverified", "input_tokens", "output_tokens", "error",
    "finished_at",
)  # fmt: skip
ROW_DELETED = declare("fill_row_deleted", "The row was deleted.")


@dataclass(frozen=True)
class RowToFill:
    """A row that a worker holds. `cells` are those of `columns`, which are sent.

    `as_read` are the fields of its result that say what was read, which are stored with the outcome.
    """

    result_id: int
    row_id: int
    cells: Json
    remark: str
    shape: TableShape
    columns: Sequence[ColumnSpec]
    as_read: Json
    kept: frozenset[str] = frozenset()


@dataclass(frozen=True)
class CallOutcome:
    """The end of the work on `row`, with its tokens.

    At most one of these: an `answer`; `error`, for a row that cannot be answered; `passes`: an error that may pass,
    with its message; `refused`: the provider had no capacity, with the message, and asked for a wait of `retry_after`
    seconds; `pauses`: an error that will not go away, with its message. With none of them, the row waits again.
    `is_down`: the provider could not be reached.
    """

    row: RowToFill
    answer: Answer | None = None
    error: Message | None = None
    passes: Message | None = None
    refused: Message | None = None
    retry_after: float | None = None
    is_down: bool = False
    pauses: Message | None = None
    calls: int = 1
    usage: Json = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        """The tokens that count."""
        return int(self.usage.get("input_tokens", 0) + self.usage.get("output_tokens", 0))


@dataclass(frozen=True)
class Step:
    """What to do next.

    `wait` is the time until which no call may be made. If only rows are left that other workers hold, `held_until` is
    when the first of them is free. With `is_over` the worker has to end; `has_new_prompt`: another one goes on with the
    new prompt. `is_answered`: all rows are answered, and the results are to be applied. `stored` are the states of the
    rows that got a result, with their numbers.
    """

    rows: Sequence[RowToFill] = ()
    wait: datetime | None = None
    held_until: datetime | None = None
    is_over: bool = False
    has_new_prompt: bool = False
    is_answered: bool = False
    stored: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class WorkRules:
    """The rules of a worker: its id, the time that it holds a row, the tokens of a day (None: not counted).

    `prompt_hash` is that of the prompt that it sends. Once the fill has another one, other workers take its rows.
    """

    worker: UUID
    lease: timedelta
    tokens_a_day: int | None
    prompt_hash: str


def take_step(
    fill_id: UUID, *, rules: WorkRules, outcomes: Sequence[CallOutcome], wanted: int, now: datetime
) -> Step:
    """Store outcomes and hold up to `wanted` more rows, as far as the state, the budgets and waits allow."""
    with transaction.atomic():
        fill = Fill.objects.select_for_update(of=("self",)).select_related("user").filter(pk=fill_id).first()
        if fill is None:
            return Step(is_over=True)
        held = fill.results.filter(state=State.WORKING, worker=rules.worker)
        stored = store_outcomes(fill, outcomes, held=held, tokens_a_day=rules.tokens_a_day, now=now)
        announce(fill)
        wait = model_wait(fill.model)
        if wait is not None and wait.failures and any(outcome.answer is not None for outcome in outcomes):
            ModelWait.objects.filter(pk=wait.pk).update(failures=0)
        until = wait.until if wait is not None and wait.until > now else None
        return replace(_continue(fill, rules=rules, until=until, wanted=wanted, now=now), stored=stored)


def _continue(fill: Fill, *, rules: WorkRules, until: datetime | None, wanted: int, now: datetime) -> Step:
    """Return how a worker continues, or end the fill."""
    if fill.state not in (Fill.State.RUNNING, Fill.State.DRAFT):
        return Step(is_over=True)
    if strictjson.content_hash(fill.prompt) != rules.prompt_hash:
        return Step(is_over=True, has_new_prompt=True)
    if not fill.user.is_active:
        stop_fill(fill, Forbidden(right_lost(fill)), now=now)
        return Step(is_over=True)
    if not fill.results.filter(state__in=UNFINISHED).exists():
        return Step(is_over=True, is_answered=_end_answered(fill, now=now))
    if fill.mode == Fill.Mode.BATCH and not _callable_rows(fill).filter(state__in=UNFINISHED).exists():
        return Step(is_over=True)
    _, reason = tokens_left(fill, tokens_a_day=rules.tokens_a_day, now=now)
    if reason is not None:
        end_fill(fill, state=Fill.State.PAUSED, reason=reason, now=now)
        return Step(is_over=True)
    if until is not None:
        return Step(wait=until)
    if not wanted:
        return Step()
    try:
        rows = _hold(fill, rules=rules, wanted=wanted, now=now)
        if rows and has_old_prompt(fill, shape=rows[0].shape):
            release_rows([row.result_id for row in rows], rules=rules)
            renew_prompt(fill, table=table_to_fill(fill))
            fill.save(update_fields=["prompt", "estimate"])
            return Step(is_over=True, has_new_prompt=True)
        return Step(rows, held_until=None if rows else _next_lease_end(fill))
    except TablesError as error:
        stop_fill(fill, error, now=now)
        return Step(is_over=True)


def stop_fill(fill: Fill, error: TablesError, *, now: datetime) -> None:
    """Pause a fill whose user may not edit the table, and end one whose rows cannot be read for other reasons."""
    state = Fill.State.PAUSED if isinstance(error, Forbidden) else Fill.State.FAILED
    end_fill(fill, state=state, reason=error.message, now=now)


def _end_answered(fill: Fill, *, now: datetime) -> bool:
    """End a fill whose rows are all answered; return whether its results are to be applied before."""
    if fill.state != Fill.State.RUNNING:
        return False
    failure = failure_of_all(fill)
    # An administrator may have forbidden it since the fill was set up.
    if failure is None and fill.apply == "confident" and settings.FILL_CONFIDENT:
        return True
    end_fill(fill, state=Fill.State.FAILED if failure else Fill.State.DONE, reason=failure, now=now)
    return False


def release_rows(result_ids: Iterable[int], *, rules: WorkRules) -> None:
    """Give back rows for which no call was made."""
    held = Result.objects.filter(pk__in=list(result_ids), state=State.WORKING, worker=rules.worker)
    held.update(state=State.WAITING, worker=None, lease_until=None)


def store_outcomes(
    fill: Fill, outcomes: Sequence[CallOutcome], *, held: QuerySet[Result], tokens_a_day: int | None, now: datetime
) -> Counter[str]:
    """Store outcomes of the results among `held`, and return the number of results by state."""
    stored: Counter[str] = Counter()
    if not outcomes:
        return stored
    found = {each.pk: each for each in held.filter(pk__in=[outcome.row.result_id for outcome in outcomes])}
    pauses: Message | None = None
    for outcome in outcomes:
        # A row that another worker has taken meanwhile gets its result from that one.
        result = found.get(outcome.row.result_id)
        if result is not None:
            is_paused = fill.state == Fill.State.PAUSED or pauses is not None
            _set_outcome(result, outcome, is_paused=is_paused, now=now)
            result.save(update_fields=OUTCOME_FIELDS)
            stored[result.state] += result.state not in UNFINISHED
        if outcome.refused is not None or outcome.is_down:
            extend_wait(fill.model, retry_after=outcome.retry_after, now=now)
        pauses = pauses or outcome.pauses
    # After all are stored: this deletes the unanswered rows of a draft.
    if pauses is not None and fill.state in (Fill.State.RUNNING, Fill.State.DRAFT):
        end_fill(fill, state=Fill.State.PAUSED, reason=pauses, now=now)
    if stored[State.FAILED] and fill.state == Fill.State.RUNNING:
        reason = keep_unanswered_rows(fill)
        if reason is not None:
            end_fill(fill, state=Fill.State.PAUSED, reason=reason, now=now)
    fill.calls += sum(outcome.calls for outcome in outcomes)
    for name, reported in (("input_tokens",) * 2, ("output_tokens",) * 2, ("cached_tokens", "cache_read_tokens")):
        setattr(fill, name, getattr(fill, name) + sum(outcome.usage.get(reported, 0) for outcome in outcomes))
    fill.cost = cost_so_far(fill) or ""
    fill.save(update_fields=["calls", "input_tokens", "output_tokens", "cached_tokens", "cost", "updated_at"])
    if tokens_a_day is not None:
        count_tokens(user_id=fill.user_id, tokens=sum(outcome.tokens for outcome in outcomes), now=now)
    return stored


def _set_outcome(result: Result, outcome: CallOutcome, *, is_paused: bool, now: datetime) -> None:
    """Set the fields of a result; it waits again unless the row is answered or has failed for good.

    What a batch has not answered is then called for. Errors that may pass do not count once the fill is paused, perhaps
    because of them.
    """
    result.is_live = result.is_live or result.batch_id is not None
    result.worker = result.lease_until = result.batch = None
    for name, value in outcome.row.as_read.items():
        setattr(result, name, value)
    result.input_tokens += outcome.usage.get("input_tokens", 0)
    result.output_tokens += outcome.usage.get("output_tokens", 0)
    error = outcome.error
    if outcome.refused is not None and not is_paused:
        result.refusals += 1
        error = outcome.refused if result.refusals > MAX_REFUSALS else None
    if outcome.passes is not None and not is_paused:
        result.attempts += 1
        error = outcome.passes if result.attempts > MAX_ATTEMPTS else None
    if outcome.answer is not None:
        answer, kept = outcome.answer, outcome.row.kept
        values = {key: value for key, value in answer.values.items() if key not in kept}
        result.state = State.FOUND if values else State.EMPTY
        result.values, result.hashes = values, value_hashes(values)
        result.confidence, result.note = answer.confidence, answer.note
        result.sources, result.is_unverified, result.error = list(answer.sources), answer.is_unverified, None
        result.finished_at = now
    elif error is not None:
        result.state, result.error, result.finished_at = State.FAILED, error.as_json(), now
    else:
        result.state = State.WAITING


def extend_wait(model: str, *, retry_after: float | None, now: datetime) -> None:
    """Have all workers wait for the model, as long as its provider asked for (in seconds, None if it did not).

    Without that, the wait grows with each failure. Failures during a wait are of calls that were made before it, and
    do not extend it.
    """
    wait, is_new = ModelWait.objects.get_or_create(pk=model, defaults={"until": now})
    waits = ModelWait.objects.filter(pk=model)
    if retry_after is not None:
        until = now + timedelta(seconds=retry_after)
        waits.filter(until__lt=until).update(until=until)
    elif is_new or wait.until <= now:
        until = now + min(FIRST_WAIT * 2 ** min(wait.failures, MAX_FAILURES), LONGEST_WAIT)
        # Another worker may have extended it meanwhile.
        waits.filter(until=wait.until).update(until=until, failures=min(wait.failures, MAX_FAILURES) + 1)


def may_continue(fill_id: UUID, *, rules: WorkRules, tokens: int, now: datetime) -> bool:
    """Return whether another call about a row may be made after some with `tokens`, which are not stored yet."""
    fill = fill_to_work_on(fill_id)
    return fill is not None and tokens_left(fill, tokens_a_day=rules.tokens_a_day, now=now)[0] > tokens


def tokens_left(fill: Fill, *, tokens_a_day: int | None, now: datetime) -> tuple[int, Message | None]:
    """Return the tokens that are left of the budgets, and the message of the one that is used up, if one is."""
    left = fill.budget - fill.input_tokens - fill.output_tokens
    if left <= 0:
        return 0, BUDGET_REACHED(count=fill.budget)
    if tokens_a_day is None:
        return left, None
    of_day = tokens_a_day - tokens_used(fill.user_id, now=now)
    return min(left, of_day), DAY_REACHED(count=tokens_a_day) if of_day <= 0 else None


def _callable_rows(fill: Fill) -> QuerySet[Result]:
    """Return the results for calls of their own; in the mode "batch" only those that a batch cannot answer."""
    return fill.results.filter(is_live=True) if fill.mode == Fill.Mode.BATCH else fill.results.all()


def _hold(fill: Fill, *, rules: WorkRules, wanted: int, now: datetime) -> list[RowToFill]:
    """Hold rows that wait, or whose worker has not ended in time. Raises the errors of `read_rows`."""
    free = Q(state=State.WAITING) | Q(state=State.WORKING, lease_until__lte=now)
    rows = _callable_rows(fill).select_for_update(skip_locked=True)
    held = read_rows(fill, list(rows.filter(free).order_by("position")[:wanted]), now=now)
    Result.objects.filter(pk__in=[row.result_id for row in held]).update(
        state=State.WORKING, worker=rules.worker, lease_until=now + rules.lease
    )
    return held


def read_rows(fill: Fill, results: Sequence[Result], *, now: datetime) -> list[RowToFill]:
    """Return the rows of results as they are now; results of deleted rows fail.

    Raises Forbidden if the user of the fill may not edit the table any more, Invalid if a column was deleted.
    """
    if not results:
        return []
    table = table_to_fill(fill)
    shape = table_shape(table)
    fill_columns(fill, shape=shape)
    columns = sent_columns(fill, shape=shape)
    read = [*(column.id for column in columns), *fill.columns]
    rows = rows_by_id(table, [result.row_id for result in results], shape=shape)
    kept = kept_cells(fill, results, cells={row_id: row.data for row_id, row in rows.items()})
    of_instruction = instruction_hash(fill)
    found = []
    for result in results:
        row = rows.get(result.row_id)
        if row is None:
            continue
        cells = {key: row.data.get(key) for key in read}
        as_read = {
            "cells": cells, "cells_hash": strictjson.content_hash([of_instruction, cells]), "row_version": row.version,
        }  # fmt: skip
        sent = {column.id: cells[column.id] for column in columns}
        found.append(
            RowToFill(
                result.pk, row.id, sent, result.remark, shape, columns, as_read, kept.get(row.id, frozenset())
            )
        )
    deleted = [result.pk for result in results if result.row_id not in rows]
    if deleted:
        Result.objects.filter(pk__in=deleted).update(
            state=State.FAILED, error=ROW_DELETED().as_json(), finished_at=now, worker=None, lease_until=None
        )
    return found


def _next_lease_end(fill: Fill) -> datetime | None:
    """Return when to look again for rows that other workers hold, None if rows are waiting."""
    rows = _callable_rows(fill)
    if rows.filter(state=State.WAITING).exists():
        return None
    return rows.filter(state=State.WORKING).aggregate(first=Min("lease_until"))["first"]

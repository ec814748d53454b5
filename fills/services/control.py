"""Try, run, pause, resume and cancel fills, and fill single rows again. Workers do the rest."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from chat.selectors.configuration.catalogue import current_catalogue
from chat.turns.model_clients import is_local
from fills.models import Batch, Fill, Result
from fills.selectors import UNFINISHED, get_fill
from fills.services.definitions import NO_SUCH_ROW, price, renew_prompt
from fills.services.news import announce
from fills.services.offers import offered_modes
from fills.services.request_paths import paths_of_rows
from fills.services.rows import chosen_rows
from fills.services.steps import tokens_left
from shared.user_messages import declare
from tables.exceptions import Conflict, Fault, Invalid
from tables.selectors import live_rows, table_shape

State = Fill.State
MAX_TRIED = 10
NOT_IN_STATE = declare("fill_not_in_state", "This is not possible, because the fill has the state “{state}”.")
BUDGET_USED = declare(
    "fill_budget_used", "This fill has used its budget of {count:,} tokens. Raise the budget first."
)
NO_BATCHES = declare(
    "fill_batches_not_offered", "The model {model} has no batches here. Use the mode “live”."
)
FORGOTTEN: dict[str, Any] = {
    "state": Result.State.WAITING, "lease_until": None, "worker": None, "batch": None, "attempts": 0, "refusals": 0,
    "values": {}, "hashes": {}, "corrections": {}, "confidence": "", "note": "", "sources": [], "is_unverified": False,
    "error": None, "change_id": None, "finished_at": None,
}  # fmt: skip


def try_rows(*, user: Any, table_id: int, fill_id: UUID, rows: int | Sequence[int]) -> Fill:
    """Have the first rows, or those with these ids, of a draft answered. Earlier tries of them are forgotten.

    Raises Conflict if the fill is no draft, Invalid for rows that do not exist.
    """
    with transaction.atomic():
        fill, table = get_fill(user, table_id, fill_id=fill_id, can="own", lock=True)
        _require(fill, State.DRAFT)
        shape = table_shape(table)
        price(fill, table=table, shape=shape)
        if isinstance(rows, int):
            ids = chosen_rows(fill, table=table, shape=shape, first=rows)
        else:
            ids = list(rows)
            _require_rows(ids, known=live_rows(table, ids=ids).values_list("pk", flat=True), name="rows")
        fill.reason = None
        fill.save()
        _add_or_forget(fill, ids)
        announce(fill)
    return fill


def run_fill(*, user: Any, table_id: int, fill_id: UUID, mode: str = Fill.Mode.LIVE) -> Fill:
    """Start a draft: its rows are those chosen now. Tried rows keep their results. Raises Conflict and Invalid.

    `mode` is "live", or "batch" where the model's provider has batches.
    """
    with transaction.atomic():
        fill, table = get_fill(user, table_id, fill_id=fill_id, can="own", lock=True)
        _require(fill, State.DRAFT)
        if mode not in offered_modes(fill.model):
            raise Invalid.at("mode", NO_BATCHES(model=fill.model), code="not_offered")
        shape = table_shape(table)
        ids = chosen_rows(fill, table=table, shape=shape)
        if fill.prompt is None or not fill.results.exists():
            price(fill, table=table, shape=shape)
        renew_prompt(fill, table=table)
        _add_in_order(fill, ids)
        fill.state, fill.reason, fill.started_at, fill.ended_at = State.RUNNING, None, timezone.now(), None
        fill.mode = mode
        fill.save()
        announce(fill)
    return fill


def pause_fill(*, user: Any, table_id: int, fill_id: UUID) -> Fill:
    """Pause a running fill; calls in flight still end. Anyone who may edit the table can do so. Raises Conflict."""
    return _move(user=user, table_id=table_id, fill_id=fill_id, among=(State.RUNNING,), to=State.PAUSED, can="edit")


def resume_fill(*, user: Any, table_id: int, fill_id: UUID) -> Fill:
    """Continue a paused fill, or one that failed; if all of its rows have, they are answered again.

    Raises Conflict, also if its budget or that of the day is used up, and Invalid if a column cannot be filled now.
    """
    among = (State.PAUSED, State.FAILED)
    with transaction.atomic():
        fill, table = get_fill(user, table_id, fill_id=fill_id, can="own", lock=True)
        _require(fill, *among)
        _require_budget(fill)
        renew_prompt(fill, table=table)
        fill.save(update_fields=["prompt", "estimate"])
        if fill.state == State.FAILED and not fill.results.filter(state__in=UNFINISHED).exists():
            fill.results.filter(state=Result.State.FAILED).update(**FORGOTTEN)
        return _move(user=user, table_id=table_id, fill_id=fill_id, among=among, to=State.RUNNING, can="own")


def cancel_fill(*, user: Any, table_id: int, fill_id: UUID) -> Fill:
    """End a fill for good; what was found is kept. Anyone who may edit the table can do so. Raises Conflict."""
    among = (State.DRAFT, State.RUNNING, State.PAUSED, State.FAILED)
    return _move(user=user, table_id=table_id, fill_id=fill_id, among=among, to=State.CANCELLED, can="edit")


def refill_rows(*, user: Any, table_id: int, fill_id: UUID, ids: Sequence[int], remark: str = "") -> Fill:
    """Answer rows of a fill that has run again; the model gets the remark.

    Raises Invalid, and Conflict, also if its budget or that of the day is used up. Results are kept then.
    """
    with transaction.atomic():
        fill, table = get_fill(user, table_id, fill_id=fill_id, can="own", lock=True)
        _require(fill, State.RUNNING, State.PAUSED, State.DONE, State.CANCELLED, State.FAILED)
        _require_budget(fill)
        renew_prompt(fill, table=table)
        results = fill.results.filter(row_id__in=list(ids))
        _require_rows(ids, known=results.values_list("row_id", flat=True), name="ids")
        results.update(**FORGOTTEN, is_live=True, may_replace=True, remark=remark)
        fill.state, fill.reason, fill.ended_at = State.RUNNING, None, None
        fill.save()
        announce(fill)
    return fill


def _move(*, user: Any, table_id: int, fill_id: UUID, among: Sequence[str], to: str, can: str) -> Fill:
    with transaction.atomic():
        fill, _ = get_fill(user, table_id, fill_id=fill_id, can=can, lock=True)
        _require(fill, *among)
        fill.state, fill.reason = to, None
        fill.ended_at = timezone.now() if to == State.CANCELLED else None
        fill.save()
        if to == State.CANCELLED:
            # Workers cancel them at the provider now, not at the next check.
            fill.batches.filter(state=Batch.State.SENT).update(check_at=timezone.now())
        announce(fill)
    return fill


def _require(fill: Fill, *states: str) -> None:
    if fill.state not in states:
        raise Conflict(NOT_IN_STATE(state=str(fill.state)), code="wrong_state", extra={"state": str(fill.state)})


def _require_budget(fill: Fill) -> None:
    if fill.has_used_budget:
        raise Conflict(BUDGET_USED(count=fill.budget), code="budget_used", extra={"budget": fill.budget})
    tokens_a_day = None if is_local() else current_catalogue().engine.tokens_a_day
    _, reason = tokens_left(fill, tokens_a_day=tokens_a_day, now=timezone.now())
    if reason is not None:
        raise Conflict(reason, code="day_used", extra={"tokens_a_day": tokens_a_day})


def _require_rows(ids: Sequence[int], *, known: Iterable[int], name: str) -> None:
    """Raise Invalid for all rows of the list with this name that are not among the known ones."""
    found = set(known)
    faults = [
        Fault(path, code="unknown_row", message=NO_SUCH_ROW(row=row_id), row_id=row_id)
        for path, row_id in paths_of_rows(ids, name=name).items()
        if row_id not in found
    ]
    if faults:
        raise Invalid(faults[0].message, code="unknown_row", faults=faults, most=100)


def _add_in_order(fill: Fill, ids: Sequence[int]) -> None:
    """Add results for these rows in their order, in which tried rows get their places; other tried rows are last."""
    tried = {result.row_id: result for result in fill.results.order_by("position")}
    places = {row_id: at for at, row_id in enumerate(dict.fromkeys([*ids, *tried]))}
    for result in tried.values():
        result.position = places[result.row_id]
    Result.objects.bulk_update(tried.values(), ["position"], batch_size=200)
    new = (Result(fill=fill, row_id=row_id, position=places[row_id]) for row_id in ids if row_id not in tried)
    Result.objects.bulk_create(new, batch_size=1_000)


def _add_or_forget(fill: Fill, ids: Sequence[int]) -> None:
    known = set(fill.results.filter(row_id__in=ids).values_list("row_id", flat=True))
    fill.results.filter(row_id__in=known).update(**FORGOTTEN)
    last = fill.results.aggregate(last=Max("position"))["last"]
    first = 0 if last is None else last + 1
    new = [row_id for row_id in ids if row_id not in known]
    Result.objects.bulk_create(Result(fill=fill, row_id=row_id, position=first + at) for at, row_id in enumerate(new))

"""Work on the batches of a fill: check those that were sent, store their answers, and send further rows.

A piece of work does not wait for a batch: it returns the time of the next check.
"""
from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from datetime import datetime
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.conf import settings

from chat.agent.batches import BatchAnswer, Batches
from chat.agent.clock import Clock
from chat.agent.model import ModelFailure
from chat.catalogue import Engine
from chat.provider.configured import model_named
from chat.selectors.configuration.catalogue import current_catalogue
from chat.turns.model_clients import is_local, make_client
from fills.conversation import LASTING, REFUSALS, batch_outcome, batch_request
from fills.selectors import Batch, Fill, deleted_batches, fill_with_batches, wait_until
from fills.services import batches as services
from fills.work_done import WorkDone
from shared.user_messages import declare
from tables.exceptions import TablesError

Now = Callable[[], datetime]
# Answers that are stored together.
CHUNK = 100
# After these, the requests may have arrived, so that they are looked for before they are sent again.
UNCERTAIN = frozenset({"provider_unreachable", "provider_overloaded", "timeout"})
REFUSED = declare("fill_batch_refused", "The provider does not accept batches for this model or account.")


async def work_on_batches(fill_id: UUID, *, clock: Clock, now: Now) -> datetime | None:
    """Check the batches that are due and send rows that wait. Return the time of the next check, None for none."""
    found = await sync_to_async(_read)(fill_id)
    if found is None:
        return None
    fill, engine = found
    client = make_client(model_named(fill.model), engine=engine, clock=clock)
    try:
        worker = _BatchWorker(fill, engine=engine, batches=client.batches, now=now)
        for batch in await sync_to_async(services.claim_batches)(fill_id, now=now()):
            await worker.check(batch)
        await worker.send_rows()
        await sync_to_async(worker.done.send)(sources=fill.sources)
    finally:
        await client.aclose()
    return await sync_to_async(_continue_at)(fill_id, now=now())


async def end_deleted_batches(*, clock: Clock) -> int:
    """Have the provider end the batches of deleted fills. Return how many there were."""
    deleted = await sync_to_async(deleted_batches)()
    for batch in deleted:
        if batch.state == Batch.State.SENT and not batch.is_guessed:
            engine = (await sync_to_async(current_catalogue)()).engine
            client = make_client(model_named(batch.model), engine=engine, clock=clock)
            try:
                await client.batches.cancel(batch.provider_id)
            except ModelFailure as failure:
                if failure.code in UNCERTAIN | REFUSALS:
                    continue
            finally:
                await client.aclose()
        await sync_to_async(services.delete_batch)(batch.pk)
    return len(deleted)


def _read(fill_id: UUID) -> tuple[Fill, Engine] | None:
    fill = fill_with_batches(fill_id)
    return None if fill is None else (fill, current_catalogue().engine)


def _continue_at(fill_id: UUID, *, now: datetime) -> datetime | None:
    """Return when the next batch is checked, or when rows can be sent that wait for the provider."""
    fill = fill_with_batches(fill_id)
    if fill is None:
        return None
    moments = [services.next_check(fill_id)]
    if services.has_rows_to_send(fill):
        until = wait_until(fill.model)
        moments.append(until if until is not None and until > now else None)
    return min((moment for moment in moments if moment is not None), default=None)


class _BatchWorker:
    def __init__(self, fill: Fill, *, engine: Engine, batches: Batches, now: Now) -> None:
        self._fill_id, self._prompt, self._columns = fill.pk, fill.prompt, list(fill.columns)
        self._is_cancelled = fill.state == Fill.State.CANCELLED
        self._tokens_a_day = None if is_local() else engine.tokens_a_day
        self._batches, self._now = batches, now
        self.done = WorkDone()

    async def send_rows(self) -> None:
        """Send all rows that wait, as far as the budgets allow."""
        while piece := await sync_to_async(services.hold_piece)(
            self._fill_id, tokens_a_day=self._tokens_a_day, now=self._now()
        ):
            requests = [
                batch_request(
                    row, prompt=piece.prompt,
                    custom_id=services.custom_id(piece.batch_id, result_id=row.result_id),
                )
                for row in piece.rows
            ]  # fmt: skip
            try:
                sent = await self._batches.create(requests)
            except ModelFailure as failure:
                if failure.code not in UNCERTAIN:
                    await self._not_sent(piece.batch_id, failure)
                return
            await sync_to_async(services.batch_sent)(piece.batch_id, provider_id=sent.id, now=self._now())

    async def _not_sent(self, batch_id: UUID, failure: ModelFailure) -> None:
        options: dict[str, Any] = {"pauses": failure.message if failure.code in LASTING else REFUSED()}
        if failure.code in REFUSALS:
            options = {"is_refused": True, "retry_after": failure.retry_after}
        await sync_to_async(services.batch_not_sent)(batch_id, now=self._now(), **options)

    async def check(self, batch: Batch) -> None:
        """Find a batch of which it is not known whether it was sent, or store the answers of one that has ended.

        After a failure it is checked again later.
        """
        try:
            if batch.state == Batch.State.SENDING:
                await self._find(batch)
                return
            if self._is_cancelled and not batch.is_cancelled and not batch.is_guessed:
                await self._batches.cancel(batch.provider_id)
                await sync_to_async(services.batch_cancelled)(batch.pk)
            state = await self._batches.read(batch.provider_id)
            is_lost = state is None or self._now() > batch.sent_at + services.LOST_AFTER
            if state is not None and state.has_ended:
                await self._store(batch)
            elif is_lost:
                await sync_to_async(services.end_batch)(batch.pk, now=self._now())
            else:
                await sync_to_async(services.check_later)(batch, now=self._now())
        except ModelFailure:
            await sync_to_async(services.check_later)(batch, now=self._now())

    async def _find(self, batch: Batch) -> None:
        """Find a batch at the provider whose worker was killed while it was sent, or give back its rows.

        The provider does not show what is in a batch before it has ended: one of the same size and time is a guess.
        """
        first, last = batch.sent_at - services.CLOCK_DIFFERENCE, batch.sent_at + services.SENDING
        listed = await self._batches.created_between(first, last + services.CLOCK_DIFFERENCE)
        ids = [each.id for each in listed if each.size == batch.size and each.id not in batch.not_ours]
        known = await sync_to_async(services.known_provider_ids)(ids)
        guess = next((each for each in reversed(ids) if each not in known), None)
        if guess is None:
            await sync_to_async(services.batch_not_sent)(batch.pk, now=self._now())
        else:
            await sync_to_async(services.batch_sent)(batch.pk, provider_id=guess, is_guessed=True, now=self._now())

    async def _store(self, batch: Batch) -> None:
        """Store the answers of a batch that has ended, and end it."""
        chunk: list[tuple[int, BatchAnswer]] = []
        async with aclosing(self._batches.answers(batch.provider_id)) as answers:
            async for answer in answers:
                result_id = services.result_id_of(answer.custom_id, batch_id=batch.pk)
                if result_id is None and batch.is_guessed:
                    await sync_to_async(services.forget_guess)(batch, now=self._now())
                    return
                if result_id is not None and answer.end != "canceled":
                    chunk.append((result_id, answer))
                if len(chunk) == CHUNK:
                    await sync_to_async(self._store_chunk)(batch, chunk)
                    chunk = []
        await sync_to_async(self._store_chunk)(batch, chunk)
        await sync_to_async(services.end_batch)(batch.pk, now=self._now())

    def _store_chunk(self, batch: Batch, chunk: list[tuple[int, BatchAnswer]]) -> None:
        answers = dict(chunk)
        try:
            rows = services.held_rows(batch.pk, result_ids=list(answers))
        except TablesError:
            return  # the table is in the trash
        outcomes = [
            batch_outcome(
                row, answer=answers[row.result_id], prompt=self._prompt, columns=self._columns,
                is_retried=settings.FILL_BATCH_RETRIES,
            )
            for row in rows
        ]  # fmt: skip
        stored = services.store_answers(batch.pk, outcomes, tokens_a_day=self._tokens_a_day, now=self._now())
        self.done.add(outcomes, results=stored)

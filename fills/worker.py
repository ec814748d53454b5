"""Work on the rows of a fill for a while: calls at the same time, paced by the provider's answers."""
from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from asgiref.sync import sync_to_async
from django.conf import settings

from chat.agent.client.server_features import is_anthropic
from chat.agent.clock import Clock
from chat.agent.model import Model
from chat.catalogue import Engine
from chat.provider.chat_models import ChatModel
from chat.provider.configured import model_named
from chat.selectors.configuration.catalogue import current_catalogue
from chat.selectors.configuration.model_checks import known_lacks
from chat.turns.model_clients import is_local, make_client
from fills.conversation import fill_row
from fills.pace import Pace
from fills.prompt import in_column_order
from fills.selectors import Fill, fill_to_work_on, wait_until
from fills.services import (
    CallOutcome,
    RowToFill,
    Step,
    WorkRules,
    called_model,
    may_continue,
    release_rows,
    take_step,
)
from fills.work_done import WorkDone
from shared import strictjson

SHORTEST_SLEEP = 0.05


@dataclass(frozen=True)
class Worked:
    """The end of a piece of work: when to continue (None: not), and how many calls at the same time.

    `is_answered`: all rows are answered, and the results are to be applied.
    """

    continue_at: datetime | None
    limit: int
    is_answered: bool = False


async def work(
    fill_id: UUID, *, seconds: float, clock: Clock, now: Callable[[], datetime], limit: int | None = None
) -> Worked:
    """Answer rows of a fill until none is left, it is stopped, or the time is up; calls in flight still end.

    `limit` is the number of calls at the same time to begin with.
    """
    found = await sync_to_async(_read)(fill_id)
    if found is None:
        return Worked(None, limit or settings.FILL_CONCURRENCY)
    fill, engine, model, lacks = found
    # After a refusal all workers have to wait, so that no client repeats calls by itself.
    client = make_client(
        model, engine=replace(engine, retries=0), clock=clock, lacks=lacks, waits_when_busy=False
    )
    try:
        worker = _Worker(fill, engine=engine, model=client, clock=clock, now=now, limit=limit)
        return await worker.run(until=clock.monotonic() + seconds)
    finally:
        await client.aclose()


def _read(fill_id: UUID) -> tuple[Fill, Engine, ChatModel, frozenset[str]] | None:
    """Return the fill, the limits, the model, and what its server lacks; None if there is nothing to do."""
    fill = fill_to_work_on(fill_id)
    if fill is None or fill.prompt is None:
        return None
    model = model_named(called_model(fill.model))
    lacks = frozenset() if is_anthropic(model.base_url) else frozenset(known_lacks(model))
    return fill, current_catalogue().engine, model, lacks


class _Worker:
    def __init__(
        self, fill: Fill, *, engine: Engine, model: Model, clock: Clock, now: Callable[[], datetime], limit: int | None
    ) -> None:
        self._fill_id, self._prompt, self._columns = fill.pk, in_column_order(fill.prompt), list(fill.columns)
        self._waits_for, self._until = fill.model, clock.monotonic()
        self._sources, self._seconds = fill.sources, float(engine.call_seconds)
        self._model, self._clock, self._now = model, clock, now
        self._pace = Pace(settings.FILL_CONCURRENCY, limit=limit)
        self._rules = WorkRules(
            worker=uuid4(),
            # Two calls of a row, after those of the rows before it, and the time to load a model.
            lease=timedelta(seconds=4 * engine.call_seconds + engine.first_token_seconds + 30),
            tokens_a_day=None if is_local() else engine.tokens_a_day,
            prompt_hash=strictjson.content_hash(fill.prompt),
        )
        self._held: deque[RowToFill] = deque()
        self._done = WorkDone()
        self._calls: dict[asyncio.Task[CallOutcome], int] = {}

    async def run(self, *, until: float) -> Worked:
        """Work until `until`, in monotonic time of the clock."""
        outcomes: list[CallOutcome] = []
        step, self._until = Step(), until
        try:
            while True:
                step = await self._step(outcomes)
                outcomes = []
                if step.is_over or self._clock.monotonic() >= until:
                    break
                if step.wait is None:
                    self._start_calls()
                if self._calls:
                    outcomes = await self._next_outcomes()
                    continue
                waits_until = step.wait or step.held_until
                if waits_until is not None and not await self._sleep(waits_until, until=until):
                    break
            while self._calls:
                outcomes += await self._next_outcomes()
            if outcomes:
                step = await self._step(outcomes, wanted=0)
        finally:
            for call in self._calls:
                call.cancel()
            await sync_to_async(self._finish)()
        moment = step.wait or step.held_until or self._now()
        continue_at = moment if step.has_new_prompt or not step.is_over else None
        return Worked(continue_at, self._pace.limit, is_answered=step.is_answered)

    def _finish(self) -> None:
        """Give back rows for which no call was made, and send the signal with what was done."""
        release_rows([row.result_id for row in self._held], rules=self._rules)
        self._done.send(sources=self._sources)

    async def _sleep(self, moment: datetime, *, until: float) -> bool:
        """Wait until a moment; return False without waiting if it is too late for this piece of work."""
        seconds = (moment - self._now()).total_seconds()
        if seconds > until - self._clock.monotonic():
            return False
        await self._clock.sleep(max(seconds, SHORTEST_SLEEP))
        return True

    async def _step(self, outcomes: list[CallOutcome], *, wanted: int | None = None) -> Step:
        """Store outcomes and, if no row is left for the next call, hold as many as are called for at the same time."""
        if wanted is None:
            wanted = 0 if self._held or len(self._calls) >= self._pace.limit else self._pace.limit
        step = await sync_to_async(take_step)(
            self._fill_id, rules=self._rules, outcomes=outcomes, wanted=wanted, now=self._now()
        )
        self._held += step.rows
        self._done.add(outcomes, results=step.stored)
        return step

    def _start_calls(self) -> None:
        while self._held and len(self._calls) < self._pace.limit:
            row = self._held.popleft()
            call = asyncio.ensure_future(
                fill_row(
                    row, model=self._model, prompt=self._prompt, columns=self._columns, seconds=self._seconds,
                    may_call=self._may_call,
                )
            )  # fmt: skip
            self._calls[call] = self._pace.generation

    async def _next_outcomes(self) -> list[CallOutcome]:
        """Wait for calls to end, and return their outcomes."""
        done, _ = await asyncio.wait(self._calls, return_when=asyncio.FIRST_COMPLETED)
        outcomes = []
        for call in done:
            generation, outcome = self._calls.pop(call), call.result()
            if outcome.refused is not None:
                self._pace.refused(generation)
            elif not outcome.is_down:
                self._pace.answered()
            outcomes.append(outcome)
        return outcomes

    async def _may_call(self, tokens: int) -> bool:
        """Return whether another call about a row may be made, if necessary after a wait for the model.

        `tokens` are those of the calls about it so far, which are not stored yet.
        """
        while (wait := await sync_to_async(wait_until)(self._waits_for)) is not None and wait > self._now():
            if not await self._sleep(wait, until=self._until):
                return False
        return await sync_to_async(may_continue)(self._fill_id, rules=self._rules, tokens=tokens, now=self._now())

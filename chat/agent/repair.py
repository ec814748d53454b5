"""Judges the payload in the text against the live data, and has it written once more if something is wrong with it."""
from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from chat.agent.call import ModelCalls
from chat.agent.events import AgentEvent, AgentThinking
from chat.agent.failures import ModelFailure
from chat.agent.followup_prompts import is_cut, texts_of, to_correct
from chat.agent.model import Stop
from chat.agent.reader_interface import Verdict, Written
from chat.agent.transcript import REPAIR
from user_messages import declare

log = logging.getLogger(__name__)

Json = dict[str, Any]
CheckPayload = Callable[[Json], Awaitable[Verdict]]
Offload = Callable[[Callable[[], Written | None]], Awaitable[Written | None]]

SAY_NOTHING = {"tool_use", "refusal", "model_context_window_exceeded"}
CORRECTING = declare("correcting_the_proposal", "Correcting the proposal…")


@dataclass(frozen=True)
class Judged:
    """A payload in the text and what the live data says to it."""

    written: Written
    verdict: Verdict = field(default_factory=Verdict)

    @property
    def faults(self) -> tuple[str, ...]:
        """Why it cannot be shown, nothing when it can."""
        return self.written.faults or self.verdict.faults

    @property
    def shown(self) -> Json | None:
        """What can be shown, with whatever faults single operations have."""
        return None if self.faults else self.written.payload

    @property
    def worth_repair(self) -> bool:
        """Whether the model may put it right: it was neither cut off nor understood and found to be about nothing."""
        wrong = self.faults or self.verdict.operation_faults
        return bool(wrong) and not self.written.cut and self.verdict.closing is None


@dataclass(frozen=True, kw_only=True)
class PayloadJudge:
    """Judges the payload of one turn's text; `offload` runs what takes long (a large one is parsed) elsewhere."""

    calls: ModelCalls
    check_payload: CheckPayload | None
    offload: Offload

    async def verdict(self, payload: Json) -> Verdict:
        """What the live data holds against a payload. Raises TimeoutError at the turn's deadline."""
        if self.check_payload is None:
            return Verdict()
        async with self.calls.clock.timeout(self.calls.deadline - self.calls.clock.monotonic()):
            return await self.check_payload(payload)

    async def run(self) -> AsyncGenerator[AgentEvent | Judged, None]:
        """Judges what is written, after one repair at most; ends with the Judged that counts, if there is a payload."""
        written = await self.offload(self.calls.reading.written)
        if written is None:
            return
        first = await self._judged(written)
        if first.worth_repair:
            try:
                async with aclosing(self._repaired(first)) as events:
                    async for event in events:
                        yield event
                return
            except (ModelFailure, TimeoutError) as failure:
                # The answer stands; it only stays as faulty as it was.
                log.warning("a proposal could not be put right: %r", failure)
        yield first

    async def _judged(self, written: Written) -> Judged:
        if written.payload is None:
            return Judged(written)
        return Judged(written, await self.verdict(written.payload))

    async def _repaired(self, first: Judged) -> AsyncGenerator[AgentEvent | Judged, None]:
        """The one repair call; ends with the better of the two."""
        reading, transcript = self.calls.reading, self.calls.transcript
        faults = first.faults or first.verdict.operation_faults
        whole, fenced = first.shown is None, self.calls.request.fenced
        note = to_correct(first.written.marker, faults=faults, whole=whole, fenced=fenced)
        stop: Stop | None = None
        yield AgentThinking(CORRECTING())
        reading.begin_repair()
        try:
            async with aclosing(self.calls.make(REPAIR, note=note)) as events:
                async for event in events:
                    if isinstance(event, Stop):
                        stop = event
                    else:
                        yield event
        finally:
            # What broke off, was refused or wanted tools in its place says nothing.
            counts = stop is not None and stop.stop_reason not in SAY_NOTHING
            close = partial(reading.end_repair, counts=counts, cut=stop is None or is_cut(stop))
            written = await self.offload(close) if counts else close()
        second = await self._judged(written) if written is not None and not written.cut else None
        if stop is None or second is None or (second.shown is None and first.shown is not None):
            yield first
            return
        transcript.tell([{"type": "text", "text": note}])
        transcript.answer(texts_of(stop.blocks))
        yield second

"""Check the payload in the text against current data, and have the model correct a faulty one."""
from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from chat.agent.call import FROM_APPLICATION, ModelCalls
from chat.agent.events import AgentEvent, AgentThinking
from chat.agent.model import ModelFailure, Stop
from chat.agent.reader_interface import CheckResult, WrittenPayload
from chat.agent.transcript import REPAIR
from shared.user_messages import declare

log = logging.getLogger(__name__)

Json = dict[str, Any]
CheckPayload = Callable[[Json], Awaitable[CheckResult]]
Offload = Callable[[Callable[[], WrittenPayload | None]], Awaitable[WrittenPayload | None]]

DISCARDED_STOP_REASONS = {"tool_use", "refusal", "model_context_window_exceeded"}
CORRECTING = declare("correcting_the_proposal", "Correcting the proposal…")


@dataclass(frozen=True)
class CheckedPayload:
    """A payload in the text and the result of its check."""

    written: WrittenPayload
    result: CheckResult = field(default_factory=CheckResult)

    @property
    def faults(self) -> tuple[str, ...]:
        """The reasons why it cannot be shown."""
        return self.written.faults or self.result.faults

    @property
    def shown(self) -> Json | None:
        """The payload if it can be shown, even with faults of single operations."""
        return None if self.faults else self.written.payload

    @property
    def can_be_repaired(self) -> bool:
        """Whether the model can correct it: it was not cut off, and has no `closing`, which rules out a correction."""
        faults = self.faults or self.result.operation_faults
        return bool(faults) and not self.written.cut and self.result.closing is None


@dataclass(frozen=True, kw_only=True)
class PayloadChecker:
    """Checks the payload in the text of one turn. `offload` runs the parsing of payloads outside the event loop."""

    calls: ModelCalls
    check_payload: CheckPayload | None
    offload: Offload

    async def check(self, payload: Json) -> CheckResult:
        """Check a payload against current data. Raises TimeoutError at the turn's deadline."""
        if self.check_payload is None:
            return CheckResult()
        async with self.calls.clock.timeout(self.calls.deadline - self.calls.clock.monotonic()):
            return await self.check_payload(payload)

    async def run(self) -> AsyncGenerator[AgentEvent | CheckedPayload, None]:
        """Check the payload, with at most one repair, and yield the better one at the end, if there is a payload."""
        written = await self.offload(self.calls.reader.parse_payload)
        if written is None:
            return
        first = await self._check_written(written)
        if first.can_be_repaired:
            try:
                async with aclosing(self._repair(first)) as events:
                    async for event in events:
                        yield event
                return
            except (ModelFailure, TimeoutError) as failure:
                # The answer is valid without a repair.
                log.warning("could not repair a proposal: %r", failure)
        yield first

    async def _check_written(self, written: WrittenPayload) -> CheckedPayload:
        if written.payload is None:
            return CheckedPayload(written)
        return CheckedPayload(written, await self.check(written.payload))

    async def _repair(self, first: CheckedPayload) -> AsyncGenerator[AgentEvent | CheckedPayload, None]:
        """Make the repair call, and yield the better of the two payloads at the end."""
        reader, transcript = self.calls.reader, self.calls.transcript
        faults = first.faults or first.result.operation_faults
        whole, fence = first.shown is None, self.calls.request.fence
        note = correction_prompt(first.written.marker, faults=faults, whole=whole, fence=fence)
        stop: Stop | None = None
        yield AgentThinking(CORRECTING())
        reader.start_repair()
        try:
            async with aclosing(self.calls.make(REPAIR, note=note)) as events:
                async for event in events:
                    if isinstance(event, Stop):
                        stop = event
                    else:
                        yield event
        finally:
            # A repair that failed, was refused or called tools does not count.
            counts = stop is not None and stop.stop_reason not in DISCARDED_STOP_REASONS
            close = partial(reader.end_repair, counts=counts, cut=stop is None or stop.is_cut)
            written = await self.offload(close) if counts else close()
        second = await self._check_written(written) if written is not None and not written.cut else None
        if stop is None or second is None or (second.shown is None and first.shown is not None):
            yield first
            return
        transcript.add_user_blocks([{"type": "text", "text": note}])
        transcript.add_answer(stop.text_blocks)
        yield second


def correction_prompt(marker: str, *, faults: Iterable[str], whole: bool, fence: Callable[[Json], str]) -> str:
    """Return the request for a corrected payload, with its faults by path. `whole`: it cannot be shown at all."""
    wrong = "cannot be shown" if whole else "has operations that cannot be applied"
    return (
        f"{FROM_APPLICATION} The {marker} you wrote {wrong}. Faults by path:\n"
        f"{fence({'faults': list(faults)})}\n"
        "Send the whole block again with these faults corrected and everything else unchanged. Leave out operations "
        "that cannot be corrected. Only the block is read: write the marker and its JSON, nothing else."
    )

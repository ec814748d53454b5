"""Run the agent for one turn, and create the records of its payloads."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from chat.agent.events import AgentComplete, AgentEvent, AgentResult
from chat.agent.loop import Limits, Transcript, run_agent
from chat.agent.reader_interface import CheckResult
from chat.agent.tools import ToolContext
from chat.payload_types import ProposalContext
from chat.prompt import BYTES_PER_TOKEN
from chat.reader import ReaderRules, TurnReader
from chat.services import PayloadRecord
from chat.turns.budget import TokenBudget
from chat.turns.context import Prepared, prepare
from chat.turns.database import in_database
from chat.turns.model_clients import client_of, demo_answers, store_learned
from chat.turns.payload_checks import Outcome, check_payload
from chat.turns.runtime import RunningTurn, TurnRuntime
from chat.turns.snapshot import Snapshot
from chat.turns.tool_calls import ToolCalls
from chat.turns.trace_recorder import TraceRecorder
from shared.websockets.credentials import Credential

log = logging.getLogger(__name__)

Json = dict[str, Any]


class Answer:
    """One run of the agent. `transcript` has everything so far, also after a failure."""

    def __init__(
        self, *, runtime: TurnRuntime, running: RunningTurn, snapshot: Snapshot, prepared: Prepared | None = None
    ) -> None:
        turn, page = snapshot.turn, snapshot.page
        self.transcript = Transcript()
        self.budget = TokenBudget(
            user_id=turn.user_id,
            transcript=self.transcript,
            tokens_a_day=page.catalogue.engine.tokens_a_day,
            free=demo_answers(),
        )
        self.watch = TraceRecorder(clock=runtime.clock, transcript=self.transcript)
        self.tool_calls = ToolCalls(
            user=page.user,
            turn_id=turn.pk,
            context=ToolContext(
                page=turn.page,
                object_id=page.context.object_id,
                conversation_id=str(turn.conversation_id),
                turn_id=str(turn.pk),
                view=page.context.view,
                catalogue=page.catalogue,
            ),
            credential=running.credential or Credential(turn.user_id),
            on_access_ended=running.end_access,
        )
        self._host = runtime
        self._snapshot = snapshot
        self._prepared = prepared
        self._checked: list[tuple[Json, Outcome]] = []

    async def events(self) -> AsyncGenerator[AgentEvent, None]:
        """Yield the events of the agent up to its final event."""
        prepared = self._prepared
        if prepared is None:
            prepared = await in_database(prepare, self._snapshot)
        self.watch.assembled = assembled = prepared.assembled
        self.budget.know(prepared.used, prompt=(assembled.request.system, assembled.tools))
        page = self._snapshot.page
        reach, engine = page.reach, page.catalogue.engine
        name = self._snapshot.turn.model
        async with client_of(self._host, name=name, engine=engine) as model:
            lacked = frozenset(model.lacks)
            events = run_agent(
                model=model,
                request=assembled.request,
                tools=reach.tools,
                run_tool=self.tool_calls.run,
                reader=TurnReader(ReaderRules.for_page(reach, all_payload_types=page.catalogue.payload_types)),
                transcript=self.transcript,
                limits=Limits(
                    max_iterations=engine.max_iterations,
                    max_tool_calls=engine.max_tool_calls,
                    call_seconds=float(engine.call_seconds),
                    turn_seconds=float(engine.turn_seconds),
                    request_bytes=int(engine.request_tokens * BYTES_PER_TOKEN),
                ),
                clock=self._host.clock,
                check_payload=self._check_payload,
                allow_call=self.budget.allow,
            )
            async with aclosing(events):
                async for event in events:
                    self.watch.note(event)
                    if isinstance(event, AgentComplete):
                        await store_learned(model, name=name, before=lacked)
                    yield event

    async def records(self, result: AgentResult) -> tuple[PayloadRecord, ...]:
        """Return the records of the turn's payloads; the last one is shown."""
        if result.tool_payloads:
            outcomes = [await self._outcome(payload, source="tool") for payload in result.tool_payloads]
        else:
            shown = result.elements.payload
            outcomes = [await self._outcome(shown, source="llm")] if shown else []
        for outcome in outcomes:
            if outcome.fault:
                log.warning("turn %s: invalid payload rejected: %s", self._snapshot.turn.pk, outcome.fault)
        records = tuple(outcome.record for outcome in outcomes if outcome.record)
        if self._snapshot.turn.conversation.sandbox:
            # A trial's proposal cannot be applied.
            return tuple(replace(record, status="shown") for record in records)
        return records

    async def _check_payload(self, payload: Json) -> CheckResult:
        """Return what is wrong with the payload, checked against current data."""
        source = "tool" if payload in self.transcript.tool_payloads else "llm"
        outcome = await self._outcome(payload, source=source)
        if outcome.fault:
            return CheckResult(tuple(outcome.fault.splitlines()), outcome.closing, outcome.reason)
        return CheckResult(operation_faults=outcome.operation_faults)

    async def _outcome(self, payload: Json, *, source: str) -> Outcome:
        for known, outcome in self._checked:
            # By identity: two tools may return equal payloads, and each has its own record.
            if known is payload:
                return outcome
        outcome = await in_database(
            check_payload,
            payload,
            source=source,
            context=self._proposal_context(),
            catalogue=self._snapshot.page.catalogue,
        )
        self._checked.append((payload, outcome))
        return outcome

    def _proposal_context(self) -> ProposalContext:
        turn, page = self._snapshot.turn, self._snapshot.page
        return ProposalContext(user=page.user, page=turn.page, object_id=page.context.object_id, turn_id=str(turn.pk))

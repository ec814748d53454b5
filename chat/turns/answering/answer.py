"""Run the agent for one turn, check its payloads against current data, and create their records."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from django.db import DatabaseError, InterfaceError

from chat.agent.events import AgentComplete, AgentEvent, AgentResult
from chat.agent.loop import Limits, Transcript, run_agent
from chat.agent.reader_interface import CheckResult
from chat.agent.tools import ToolContext
from chat.catalogue import CODE, Catalogue
from chat.payload_types import PayloadType
from chat.prompt import BYTES_PER_TOKEN
from chat.proposals import ProposalContext, StructuralFault, resolution_with_items
from chat.reader import ReaderRules, TurnReader
from chat.services import PayloadRecord
from chat.turns.answering.budget import TokenBudget
from chat.turns.answering.tool_calls import ToolCalls
from chat.turns.answering.trace_recorder import TraceRecorder
from chat.turns.database import in_database
from chat.turns.model_clients import client_of, is_local, store_learned
from chat.turns.page import Snapshot
from chat.turns.prompt.assembly import PreparedTurn, prepare_turn
from chat.turns.runtime import RunningTurn, TurnRuntime
from shared import strictjson
from shared.db.large_work import LargeWorkBusy
from shared.user_messages import CodedError, Message, declare
from shared.websockets.credentials import Credential

CHECK_FAILED = declare("proposal_check_failed", "The proposal could not be checked because of an unexpected error.")
log = logging.getLogger(__name__)

Json = dict[str, Any]


@dataclass(frozen=True)
class PayloadCheck:
    """A record to store, or the fault for the model, with `closing` or `reason` for the user (see `StructuralFault`).

    `operation_faults` are lines for the model about operations that cannot be applied.
    """

    record: PayloadRecord | None = None
    fault: str = ""
    closing: Message | None = None
    reason: Message | None = None
    operation_faults: tuple[str, ...] = ()


class Answer:
    """One run of the agent. `transcript` has everything so far, also after a failure."""

    def __init__(
        self, *, runtime: TurnRuntime, running: RunningTurn, snapshot: Snapshot, prepared: PreparedTurn | None = None
    ) -> None:
        turn, page = snapshot.turn, snapshot.page
        self.transcript = Transcript()
        self.budget = TokenBudget(
            user_id=turn.user_id,
            transcript=self.transcript,
            tokens_a_day=page.catalogue.engine.tokens_a_day,
            free=is_local(),
        )
        self.trace_recorder = TraceRecorder(clock=runtime.clock, transcript=self.transcript)
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
        self._runtime = runtime
        self._snapshot = snapshot
        self._prepared = prepared
        self._checked: list[tuple[Json, PayloadCheck]] = []

    async def events(self) -> AsyncGenerator[AgentEvent, None]:
        """Yield the events of the agent up to its final event."""
        prepared = self._prepared
        if prepared is None:
            prepared = await in_database(prepare_turn, self._snapshot)
        self.trace_recorder.turn_prompt = turn_prompt = prepared.turn_prompt
        self.budget.set_used_tokens(prepared.used, prompt=(turn_prompt.request.system, turn_prompt.tools))
        page = self._snapshot.page
        page_entries, engine = page.entries, page.catalogue.engine
        name = self._snapshot.turn.model
        async with client_of(self._runtime, name=name, engine=engine) as model:
            lacked = frozenset(model.lacks)
            events = run_agent(
                model=model,
                request=turn_prompt.request,
                tools=page_entries.tools,
                run_tool=self.tool_calls.run,
                reader=TurnReader(ReaderRules.for_page(page_entries, all_payload_types=page.catalogue.payload_types)),
                transcript=self.transcript,
                limits=Limits(
                    max_iterations=engine.max_iterations,
                    max_tool_calls=engine.max_tool_calls,
                    call_seconds=float(engine.call_seconds),
                    turn_seconds=float(engine.turn_seconds),
                    request_bytes=int(engine.request_tokens * BYTES_PER_TOKEN),
                ),
                clock=self._runtime.clock,
                check_payload=self._check_payload,
                allow_call=self.budget.allow,
            )
            async with aclosing(events):
                async for event in events:
                    self.trace_recorder.note(event)
                    if isinstance(event, AgentComplete):
                        await store_learned(model, name=name, before=lacked)
                    yield event

    async def records(self, result: AgentResult) -> tuple[PayloadRecord, ...]:
        """Return the records of the turn's payloads; the last one is shown."""
        if result.tool_payloads:
            checks = [await self._check_once(payload, source="tool") for payload in result.tool_payloads]
        else:
            shown = result.elements.payload
            checks = [await self._check_once(shown, source="llm")] if shown else []
        for check in checks:
            if check.fault:
                log.warning("turn %s: invalid payload rejected: %s", self._snapshot.turn.pk, check.fault)
        records = tuple(check.record for check in checks if check.record)
        if self._snapshot.turn.conversation.sandbox:
            # A trial's proposal cannot be applied.
            return tuple(replace(record, status="shown") for record in records)
        return records

    async def _check_payload(self, payload: Json) -> CheckResult:
        """Return the faults of the payload, checked against current data."""
        source = "tool" if payload in self.transcript.tool_payloads else "llm"
        check = await self._check_once(payload, source=source)
        if check.fault:
            return CheckResult(tuple(check.fault.splitlines()), check.closing, check.reason)
        return CheckResult(operation_faults=check.operation_faults)

    async def _check_once(self, payload: Json, *, source: str) -> PayloadCheck:
        for known, check in self._checked:
            # By identity: two tools may return equal payloads, and each has its own record.
            if known is payload:
                return check
        check = await in_database(
            check_payload,
            payload,
            source=source,
            context=self._proposal_context(),
            catalogue=self._snapshot.page.catalogue,
        )
        self._checked.append((payload, check))
        return check

    def _proposal_context(self) -> ProposalContext:
        turn, page = self._snapshot.turn, self._snapshot.page
        return ProposalContext(user=page.user, page=turn.page, object_id=page.context.object_id, turn_id=str(turn.pk))


def check_payload(payload: Json, *, source: str, context: ProposalContext, catalogue: Catalogue = CODE) -> PayloadCheck:
    """Check `{"type","data"}` from this source ("llm" or "tool"), whose data is valid against the type's schema."""
    kind = catalogue.payload_types.get(str(payload.get("type")))
    data = strictjson.replace_unstorable(payload.get("data"))
    if kind is None:
        return PayloadCheck(fault="Its type is not known here.")
    if kind.check is None:
        summary = kind.summarize(data) if kind.summarize else kind.description
        return PayloadCheck(PayloadRecord(type=kind.name, source=source, data=data, status="shown", summary=summary))
    try:
        return _proposal(kind, data=data, source=source, context=context)
    except StructuralFault as error:
        return PayloadCheck(fault=str(error), closing=error.closing, reason=error.reason)
    except CodedError as error:
        # The object may have been deleted, or the user may have lost access.
        return PayloadCheck(fault=error.detail, closing=error.message)
    except (DatabaseError, InterfaceError, LargeWorkBusy):
        raise
    except Exception:
        log.exception("payload type %s: its check failed", kind.name)
        return PayloadCheck(fault="It could not be checked because of an internal error.", closing=CHECK_FAILED())


def _proposal(kind: PayloadType, *, data: Any, source: str, context: ProposalContext) -> PayloadCheck:
    assert kind.check is not None
    checked = kind.check(data, context)
    checked = replace(checked, resolved=strictjson.as_json(checked.resolved))
    resolved, counts = checked.resolved, checked.counts
    if checked.items:
        resolved = resolution_with_items(checked)
        counts = counts or dict(Counter(item.verb for item in checked.items if item.verb))
    record = PayloadRecord(
        type=kind.name,
        source=source,
        data=data,
        status="pending",
        summary=checked.summary,
        resolved=resolved,
        counts=counts,
        content_hash=checked.content_hash or strictjson.content_hash(resolved),
        subject_id=checked.subject_id,
    )
    return PayloadCheck(record, operation_faults=checked.faults)

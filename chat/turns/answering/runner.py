"""Run one turn to exactly one final event. Every failure of a turn is handled here."""
from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing, suppress
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from django.utils import timezone

from chat.agent.events import AgentCancelled, AgentComplete, AgentError, AgentResult
from chat.links import addresses_in, links_of_texts
from chat.services import INTERRUPTED, INTERRUPTED_CODE, Ending, PayloadRecord, end_turn
from chat.stream import cancelled_event, complete_event, encode_event, error_event
from chat.turns.answering.answer import Answer
from chat.turns.current_turn import CURRENT_TURN_ID
from chat.turns.database import in_database
from chat.turns.page import Snapshot
from chat.turns.prompt.assembly import PreparedTurn
from chat.turns.runtime import INTERNAL_ERROR_EVENT, RunningTurn, TurnRuntime
from shared import strictjson
from shared.user_messages import declare
from shared.user_messages.request_messages import LOGGED_ERROR

log = logging.getLogger(__name__)

Json = dict[str, Any]
Final = AgentComplete | AgentError | AgentCancelled

# The final event of a turn whose user was signed out or deactivated, or whose API token was revoked.
ACCESS_ENDED = declare("access_ended", "Your access has ended, so the answer was stopped. Sign in and ask again.")

# After Stop the stream waits this long for the database, which a tool's transaction may hold.
STOP_SECONDS = 0.3


async def run_turn(
    running: RunningTurn, *, runtime: TurnRuntime, snapshot: Snapshot, prepared: PreparedTurn | None = None
) -> None:
    """Run the agent, store the end of the turn, and send one final event to all clients."""
    CURRENT_TURN_ID.set(str(running.turn_id))
    answer = Answer(runtime=runtime, running=running, snapshot=snapshot, prepared=prepared)
    interrupted: asyncio.CancelledError | None = None
    final: Final
    try:
        final = await _forward_events(answer, running=running, runtime=runtime, snapshot=snapshot)
    except asyncio.CancelledError as error:
        result = answer.transcript.result(stop_reason="cancelled")
        if running.stopped:
            final = AgentCancelled(result)
            _clear_cancellation(running)
        elif running.access_ended:
            final = AgentError("access_ended", ACCESS_ENDED(), retryable=False, result=result)
            _clear_cancellation(running)
        else:
            final = AgentError(INTERRUPTED_CODE, INTERRUPTED(), retryable=True, result=result)
            interrupted = error
    except Exception:
        log.exception("turn %s failed", running.turn_id)
        final = _internal(running, result=answer.transcript.result(stop_reason="error"))
    await _end(final, answer=answer, running=running, runtime=runtime, snapshot=snapshot)
    log.info(
        "turn %s user %s page %s: %s %s, %d events",
        running.turn_id,
        snapshot.turn.user_id,
        snapshot.turn.page,
        running.log.final_type,
        final.code if isinstance(final, AgentError) else final.result.usage,
        running.log.count,
    )
    if interrupted is not None:
        raise interrupted


def _clear_cancellation(running: RunningTurn) -> None:
    """Clear the cancellation, so that the task can await again."""
    assert running.task is not None
    running.task.uncancel()


async def _forward_events(answer: Answer, *, running: RunningTurn, runtime: TurnRuntime, snapshot: Snapshot) -> Final:
    """Send the events of the agent and return its final event."""
    async with aclosing(answer.events()) as events:
        async for event in events:
            if isinstance(event, Final):
                return event
            stream_event = encode_event(event)
            if stream_event is not None:
                running.send(stream_event)
            await runtime.writer.wait_for_room()
    raise RuntimeError("the agent ended without a final event")


async def _end(final: Final, *, answer: Answer, running: RunningTurn, runtime: TurnRuntime, snapshot: Snapshot) -> None:
    """Store the end with its event, then send the event.

    If that fails, the turn ends as an error. If that cannot be stored either, clients still get the error, and the
    sweeper ends the turn later.
    """
    # From here on the turn cannot be stopped.
    running.closing = True
    message_id, number = uuid4(), running.log.count + 1

    async def store_end() -> Json:
        """Store the end and return the event for clients."""
        try:
            await runtime.writer.flush_all(clock=runtime.clock)
            try:
                ending, event = await _ending_of(final, message_id=message_id, answer=answer, snapshot=snapshot)
                return await _store(ending, final=(number, event), turn_id=running.turn_id)
            except Exception:
                log.exception("could not store the result of turn %s", running.turn_id)
                result = AgentResult(message=final.result.message, closing=final.result.closing)
                failed = _internal(running, result=result)
                ending, event = await _ending_of(failed, message_id=message_id, answer=answer, snapshot=snapshot)
                # Without its trace, which may have caused the failure.
                ending = replace(ending, trace=None)
                return await _store(ending, final=(number, event), turn_id=running.turn_id)
        except Exception:
            log.exception("could not store turn %s as failed", running.turn_id)
            return INTERNAL_ERROR_EVENT

    storing = asyncio.ensure_future(store_end())
    try:
        if isinstance(final, AgentCancelled):
            with suppress(TimeoutError):
                async with runtime.clock.timeout(STOP_SECONDS):
                    await asyncio.shield(storing)
            running.log.append(cancelled_event(str(message_id)))
        await asyncio.shield(storing)
    finally:
        running.log.append(storing.result() if storing.done() else INTERNAL_ERROR_EVENT)


async def _store(ending: Ending, *, final: tuple[int, Json], turn_id: UUID) -> Json:
    stored = await in_database(end_turn, turn_id=turn_id, ending=ending, final=final, now=timezone.now())
    # Another process has closed this turn as stale, and its writes are valid.
    return final[1] if stored else error_event(code=INTERRUPTED_CODE, message=INTERRUPTED(), retryable=True)


async def _ending_of(
    final: Final, *, message_id: UUID, answer: Answer, snapshot: Snapshot
) -> tuple[Ending, Json]:
    """Return the end to store and its event."""
    if isinstance(final, AgentComplete):
        return await _answered(final.result, message_id=message_id, answer=answer, snapshot=snapshot)
    result = final.result
    failed = final if isinstance(final, AgentError) else None
    ending = Ending(
        state="error" if failed else "cancelled",
        text=result.message,
        closing=result.closing,
        exchange=strictjson.replace_unstorable(result.exchange),
        tool_history=strictjson.replace_unstorable(result.tool_history),
        reported_tools=answer.tool_calls.count_written(result.tool_history),
        usage=result.usage,
        tokens=answer.budget.uncounted(stopped=failed is None or failed.code == "access_ended"),
        trace=partial(answer.trace_recorder.record, result, snapshot=snapshot),
        error_code=failed.code if failed else "",
        error=failed.message if failed else None,
        error_retryable=bool(failed and failed.retryable),
        configuration=snapshot.page.catalogue.version,
        message_id=message_id,
    )
    if failed:
        return ending, error_event(
            code=failed.code,
            message=failed.message,
            retryable=failed.retryable,
            retry_after=failed.retry_after,
            message_id=str(message_id),
        )
    return ending, cancelled_event(str(message_id))


async def _answered(
    result: AgentResult, *, message_id: UUID, answer: Answer, snapshot: Snapshot
) -> tuple[Ending, Json]:
    """Return the end of a complete answer and its event."""
    records = await answer.records(result)
    elements = result.elements
    ending = Ending(
        state="complete",
        text=result.message,
        closing=result.closing,
        exchange=strictjson.replace_unstorable(result.exchange),
        suggested_values=list(elements.suggested_values),
        suggested_actions=list(elements.suggested_actions),
        tool_history=strictjson.replace_unstorable(result.tool_history),
        payloads=records,
        warning=elements.warning,
        unreadable=elements.unreadable,
        notes=list(elements.notes),
        usage=result.usage,
        tokens=answer.budget.uncounted(),
        trace=partial(answer.trace_recorder.record, result, snapshot=snapshot),
        configuration=snapshot.page.catalogue.version,
        message_id=message_id,
    )
    event = complete_event(
        result,
        conversation_id=str(snapshot.turn.conversation_id),
        message_id=str(message_id),
        turn_id=str(snapshot.turn.pk),
        custom_payload=_payload_json(records[-1]) if records else None,
        links=await _links(result.message, snapshot=snapshot),
    )
    return ending, strictjson.replace_unstorable(event)


async def _links(message: str, *, snapshot: Snapshot) -> Json:
    """Return the targets of the links in an answer, for the user who asked."""
    if not addresses_in(message):
        return {}
    try:
        return (await in_database(links_of_texts, [message], user=snapshot.page.user))[0]
    except Exception:
        # The names are still readable, and the links are looked up again when the conversation is loaded.
        log.exception("turn %s: could not resolve the links of the answer", snapshot.turn.pk)
        return {}


def _payload_json(record: PayloadRecord) -> Json:
    return {
        "id": str(record.id),
        "type": record.type,
        "data": record.data,
        "status": record.status,
        "summary": record.summary,
        "content_hash": record.content_hash,
        "counts": record.counts,
    }


def _internal(running: RunningTurn, *, result: AgentResult) -> AgentError:
    return AgentError("internal", LOGGED_ERROR(id=str(running.turn_id)), retryable=True, result=result)

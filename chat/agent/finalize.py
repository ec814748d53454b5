"""End a turn: choose the payload to show, add the application's own message, and yield the final event."""
from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from chat.agent.events import AgentComplete, AgentEvent, AgentTextDelta, Elements
from chat.agent.model import ModelFailure, Stop
from chat.agent.reader_interface import CheckResult, Reader
from chat.agent.repair import CheckedPayload, PayloadChecker
from chat.agent.transcript import Transcript
from shared.user_messages import Message, declare

Json = dict[str, Any]

PROPOSAL_UNREADABLE = declare(
    "proposal_unreadable",
    "My proposal could not be read, so nothing has changed. Please ask me to try again.",
)
PROPOSAL_INVALID = declare("proposal_unfit", "My proposal is not valid, so nothing has changed.")
PROPOSAL_INVALID_BECAUSE = declare(
    "proposal_unfit_because", "My proposal is not valid, so nothing has changed. {reason}"
)
PROPOSAL_CUT_OFF = declare(
    "proposal_cut_off",
    "My proposal was cut off, so nothing has changed. Please ask for it in smaller parts.",
)
ANSWER_CUT_OFF = declare(
    "answer_cut_off", "The answer was cut off. Ask the assistant to continue, or ask for less at a time."
)
LOOKUP_LIMIT_REACHED = declare(
    "out_of_steps", "The assistant reached the lookup limit of one answer. Ask it to continue."
)
ANSWER_REFUSED = declare("model_refused", "The model declined to answer. Try rephrasing your request.")
ACTION_NOT_RUN = declare("action_not_run", "The page could not do all of this. Try rephrasing your request.")
NO_ANSWER = declare("no_answer", "The model gave no answer. Please try again.")
MAX_UNREADABLE_LENGTH = 100_000


@dataclass(frozen=True, kw_only=True)
class Finalizer:
    """Ends one turn."""

    checker: PayloadChecker
    reader: Reader
    transcript: Transcript

    async def run(self, stop: Stop) -> AsyncGenerator[AgentEvent, None]:
        """Yield the remaining events, the final one last. Raises ModelFailure if the context window overflowed."""
        if stop.stop_reason == "model_context_window_exceeded":
            raise ModelFailure("context_too_long", reason="the model stopped at its context window")
        checked: CheckedPayload | None = None
        if self.transcript.tool_payloads:
            elements, closing = await self._check_tool_payload()
        else:
            if stop.stop_reason != "refusal":
                async with aclosing(self.checker.run()) as events:
                    async for event in events:
                        if isinstance(event, CheckedPayload):
                            checked = event
                        else:
                            yield event
            elements, closing = self._text_elements(checked)
        if stop.stop_reason == "refusal":
            closing = ANSWER_REFUSED()
        warning: Message | None = None
        if stop.is_cut:
            warning = ANSWER_CUT_OFF()
        elif stop.stop_reason == "tool_use":
            warning = LOOKUP_LIMIT_REACHED()
        if elements.not_run and warning is None:
            warning = ACTION_NOT_RUN()
        runs = any("run" in action for action in elements.suggested_actions)
        if closing is None and not self.transcript.message and elements.payload is None and not runs:
            closing, warning = warning or NO_ANSWER(), None
        if closing is not None:
            if closing.code == PROPOSAL_CUT_OFF.code:
                warning = None
            self.transcript.closing = closing
            yield AgentTextDelta(self.transcript.show(self.reader.append_paragraph(str(closing))), closing)
        elements = replace(elements, warning=warning)
        yield AgentComplete(self.transcript.result(stop_reason=stop.stop_reason or "cut", elements=elements))

    async def _check_tool_payload(self) -> tuple[Elements, Message | None]:
        """Return the elements with the last tool's payload, and a closing message. Tool payloads are not repaired."""
        payload = self.transcript.tool_payloads[-1]
        result = await self.checker.check(payload)
        if not result.faults:
            return self.reader.elements(shown=payload), None
        note = f"The payload of the last tool was not shown: {'; '.join(result.faults)}"
        return self.reader.elements(shown=None, notes=(note,)), _refusal(result)

    def _text_elements(self, checked: CheckedPayload | None) -> tuple[Elements, Message | None]:
        """Return the elements with the payload in the text, and a closing message."""
        if checked is None:
            return self.reader.elements(shown=None), None
        written, result = checked.written, checked.result
        if checked.shown is None:
            raw = "" if result.closing else written.raw[:MAX_UNREADABLE_LENGTH]
            why = "could not be read and was not shown" if written.payload is None else "was not shown"
            note = f"The {written.marker} you wrote {why}:\n{_lines(checked.faults)}"
            closing = _refusal(result)
            if written.cut:
                closing = PROPOSAL_CUT_OFF()
            elif written.payload is None:
                closing = PROPOSAL_UNREADABLE()
            return self.reader.elements(shown=None, notes=(note,), unreadable=raw), closing
        notes: tuple[str, ...] = ()
        if result.operation_faults:
            faults = _lines(result.operation_faults)
            notes = (f"These operations of your {written.marker} cannot be applied until they are edited:\n{faults}",)
        return self.reader.elements(shown=checked.shown, notes=notes), None


def _refusal(result: CheckResult) -> Message:
    """Return the user's message about a proposal that could be read but cannot be shown."""
    return result.closing or (PROPOSAL_INVALID_BECAUSE(reason=result.reason) if result.reason else PROPOSAL_INVALID())


def _lines(faults: tuple[str, ...]) -> str:
    return "\n".join(f"- {fault}" for fault in faults)

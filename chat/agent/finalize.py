"""End a turn: choose the payload to show, add the application's own message, and yield the final event."""
from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from chat.agent.events import AgentComplete, AgentEvent, AgentTextDelta, Elements
from chat.agent.failures import ModelFailure
from chat.agent.followup_prompts import is_cut
from chat.agent.model import Stop
from chat.agent.reader_interface import CheckResult, Reader
from chat.agent.repair import CheckedPayload, PayloadChecker
from chat.agent.transcript import Transcript
from shared.user_messages import Message, declare

Json = dict[str, Any]

UNREADABLE = declare(
    "proposal_unreadable",
    "My proposal could not be read, so nothing has changed. Please ask me to try again.",
)
UNFIT = declare("proposal_unfit", "My proposal is not valid, so nothing has changed.")
UNFIT_BECAUSE = declare(
    "proposal_unfit_because", "My proposal is not valid, so nothing has changed. {reason}"
)
CUT_OFF = declare(
    "proposal_cut_off",
    "My proposal was cut off, so nothing has changed. Please ask for it in smaller parts.",
)
CUT = declare(
    "answer_cut_off", "The answer was cut off. Ask the assistant to continue, or ask for less at a time."
)
OUT_OF_STEPS = declare(
    "out_of_steps", "The assistant reached the lookup limit of one answer. Ask it to continue."
)
REFUSED = declare("model_refused", "The model declined to answer. Try rephrasing your request.")
NOT_RUN = declare("action_not_run", "The page could not do all of this. Try rephrasing your request.")
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
            closing = REFUSED()
        warning = CUT() if is_cut(stop) else OUT_OF_STEPS() if stop.stop_reason == "tool_use" else None
        if elements.not_run and warning is None:
            warning = NOT_RUN()
        runs = any("run" in action for action in elements.suggested_actions)
        if closing is None and not self.transcript.message and elements.payload is None and not runs:
            closing, warning = warning or NO_ANSWER(), None
        if closing is not None:
            if closing.code == CUT_OFF.code:
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
            is_unreadable = written.payload is None
            closing = CUT_OFF() if written.cut else UNREADABLE() if is_unreadable else _refusal(result)
            return self.reader.elements(shown=None, notes=(note,), unreadable=raw), closing
        notes: tuple[str, ...] = ()
        if result.operation_faults:
            faults = _lines(result.operation_faults)
            notes = (f"These operations of your {written.marker} cannot be applied until they are edited:\n{faults}",)
        return self.reader.elements(shown=checked.shown, notes=notes), None


def _refusal(result: CheckResult) -> Message:
    """Return the user's message about a proposal that could be read but cannot be shown."""
    return result.closing or (UNFIT_BECAUSE(reason=result.reason) if result.reason else UNFIT())


def _lines(faults: tuple[str, ...]) -> str:
    return "\n".join(f"- {fault}" for fault in faults)

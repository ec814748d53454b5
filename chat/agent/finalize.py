"""Ends a turn: which payload is shown, what the application has to say of its own, and the final event."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from chat.agent.events import AgentComplete, AgentEvent, AgentTextDelta, Elements
from chat.agent.failures import ModelFailure
from chat.agent.followup_prompts import is_cut
from chat.agent.model import Stop
from chat.agent.reader_interface import Reading, Verdict
from chat.agent.repair import Judged, PayloadJudge
from chat.agent.transcript import Transcript
from user_messages import Message, declare

Json = dict[str, Any]

UNREADABLE = declare(
    "proposal_unreadable",
    "I wrote a proposal, but it could not be read, so nothing is shown and nothing has changed. "
    "Please ask me to try again.",
)
UNFIT = declare("proposal_unfit", "My proposal does not fit, so nothing is shown and nothing has changed.")
UNFIT_BECAUSE = declare(
    "proposal_unfit_because", "My proposal does not fit, so nothing is shown and nothing has changed. {reason}"
)
CUT_OFF = declare(
    "proposal_cut_off",
    "My proposal was cut off before it was complete, so nothing is shown and nothing has changed. "
    "Please ask for it in smaller parts.",
)
CUT = declare(
    "answer_cut_off", "The answer was cut off before it was finished. Ask to go on, or ask for less at a time."
)
OUT_OF_STEPS = declare(
    "out_of_steps", "The assistant wanted to look up more than one answer allows. Ask it to go on."
)
REFUSED = declare("model_refused", "The model declined to answer this. Try to put it differently.")
NOT_RUN = declare("action_not_run", "The page could not do all of this. Ask again in other words.")
SILENT = declare("no_answer", "The model gave no answer. Please try again.")
LONGEST_OFFERED = 100_000


@dataclass(frozen=True, kw_only=True)
class Ending:
    """The end of one turn."""

    judge: PayloadJudge
    reading: Reading
    transcript: Transcript

    async def run(self, stop: Stop) -> AsyncGenerator[AgentEvent, None]:
        """The last words and the final event. Raises ModelFailure for a context that overflowed."""
        if stop.stop_reason == "model_context_window_exceeded":
            raise ModelFailure("context_too_long", reason="the model stopped at its context window")
        judged: Judged | None = None
        if self.transcript.tool_payloads:
            elements, closing = await self._of_tools()
        else:
            if stop.stop_reason != "refusal":
                async with aclosing(self.judge.run()) as events:
                    async for event in events:
                        if isinstance(event, Judged):
                            judged = event
                        else:
                            yield event
            elements, closing = self._of_text(judged)
        if stop.stop_reason == "refusal":
            closing = REFUSED()
        warning = CUT() if is_cut(stop) else OUT_OF_STEPS() if stop.stop_reason == "tool_use" else None
        if elements.not_run and warning is None:
            warning = NOT_RUN()
        runs = any("run" in action for action in elements.suggested_actions)
        if closing is None and not self.transcript.message and elements.payload is None and not runs:
            closing, warning = warning or SILENT(), None
        if closing is not None:
            if closing.code == CUT_OFF.code:
                warning = None
            self.transcript.closing = closing
            yield AgentTextDelta(self.transcript.show(self.reading.say(str(closing))), closing)
        elements = replace(elements, warning=warning)
        yield AgentComplete(self.transcript.result(stop_reason=stop.stop_reason or "cut", elements=elements))

    async def _of_tools(self) -> tuple[Elements, Message | None]:
        """The last tool's payload, and what is to be said about it. Payloads of tools are not repaired."""
        payload = self.transcript.tool_payloads[-1]
        verdict = await self.judge.verdict(payload)
        if not verdict.faults:
            return self.reading.elements(shown=payload), None
        note = f"The payload of the last tool was not shown: {'; '.join(verdict.faults)}"
        return self.reading.elements(shown=None, notes=(note,)), _refusal(verdict)

    def _of_text(self, judged: Judged | None) -> tuple[Elements, Message | None]:
        """The payload in the text, and what is to be said about it."""
        if judged is None:
            return self.reading.elements(shown=None), None
        written, verdict = judged.written, judged.verdict
        if judged.shown is None:
            raw = "" if verdict.closing else written.raw[:LONGEST_OFFERED]
            why = "could not be read and was not shown" if written.payload is None else "was not shown"
            note = f"The {written.marker} you wrote {why}:\n{_lines(judged.faults)}"
            unread = written.payload is None
            closing = CUT_OFF() if written.cut else UNREADABLE() if unread else _refusal(verdict)
            return self.reading.elements(shown=None, notes=(note,), unreadable=raw), closing
        notes: tuple[str, ...] = ()
        if verdict.operation_faults:
            told = _lines(verdict.operation_faults)
            notes = (f"These operations of your {written.marker} cannot be applied until they are edited:\n{told}",)
        return self.reading.elements(shown=judged.shown, notes=notes), None


def _refusal(verdict: Verdict) -> Message:
    """Return what the person reads about a proposal that was read and cannot be shown."""
    return verdict.closing or (UNFIT_BECAUSE(reason=verdict.reason) if verdict.reason else UNFIT())


def _lines(faults: tuple[str, ...]) -> str:
    return "\n".join(f"- {fault}" for fault in faults)

"""Ends a turn: which payload is shown, what the application has to say of its own, and the final event."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from chat.agent.asking import is_cut
from chat.agent.events import AgentComplete, AgentEvent, AgentTextDelta, Elements
from chat.agent.failures import ModelFailure
from chat.agent.model import Stop
from chat.agent.reading import Reading, Verdict
from chat.agent.repair import Judged, PayloadJudge
from chat.agent.transcript import Transcript

Json = dict[str, Any]

UNREADABLE = (
    "I wrote a proposal, but it could not be read, so nothing is shown and nothing has changed. "
    "Please ask me to try again."
)
UNFIT = "My proposal does not fit, so nothing is shown and nothing has changed."
CUT_OFF = (
    "My proposal was cut off before it was complete, so nothing is shown and nothing has changed. "
    "Please ask for it in smaller parts."
)
CUT = "The answer was cut off before it was finished. Ask to go on, or ask for less at a time."
OUT_OF_STEPS = "The assistant wanted to look up more than one answer allows. Ask it to go on."
REFUSED = "The model declined to answer this. Try to put it differently."
NOT_RUN = "The page could not do all of this. Ask again in other words."
SILENT = "The model gave no answer. Please try again."
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
            elements, trouble = await self._of_tools()
        else:
            if stop.stop_reason != "refusal":
                async with aclosing(self.judge.run()) as events:
                    async for event in events:
                        if isinstance(event, Judged):
                            judged = event
                        else:
                            yield event
            elements, trouble = self._of_text(judged)
        if stop.stop_reason == "refusal":
            trouble = REFUSED
        warning = CUT if is_cut(stop) else OUT_OF_STEPS if stop.stop_reason == "tool_use" else ""
        if elements.not_run and not warning:
            warning = NOT_RUN
        runs = any("run" in action for action in elements.suggested_actions)
        if not trouble and not self.transcript.message and elements.payload is None and not runs:
            trouble, warning = warning or SILENT, ""
        if trouble == CUT_OFF:
            warning = ""
        if trouble:
            yield AgentTextDelta(self.transcript.show(self.reading.say(trouble)))
        elements = replace(elements, warning=warning)
        yield AgentComplete(self.transcript.result(stop_reason=stop.stop_reason or "cut", elements=elements))

    async def _of_tools(self) -> tuple[Elements, str]:
        """The last tool's payload, and what is to be said about it. Payloads of tools are not repaired."""
        payload = self.transcript.tool_payloads[-1]
        verdict = await self.judge.verdict(payload)
        if not verdict.faults:
            return self.reading.elements(shown=payload), ""
        note = f"The payload of the last tool was not shown: {'; '.join(verdict.faults)}"
        return self.reading.elements(shown=None, notes=(note,)), _refusal(verdict)

    def _of_text(self, judged: Judged | None) -> tuple[Elements, str]:
        """The payload in the text, and what is to be said about it."""
        if judged is None:
            return self.reading.elements(shown=None), ""
        written, verdict = judged.written, judged.verdict
        if judged.shown is None:
            raw = "" if verdict.sentence else written.raw[:LONGEST_OFFERED]
            why = "could not be read and was not shown" if written.payload is None else "was not shown"
            note = f"The {written.marker} you wrote {why}:\n{_lines(judged.faults)}"
            trouble = CUT_OFF if written.cut else UNREADABLE if written.payload is None else _refusal(verdict)
            return self.reading.elements(shown=None, notes=(note,), unreadable=raw), trouble
        notes: tuple[str, ...] = ()
        if verdict.operation_faults:
            told = _lines(verdict.operation_faults)
            notes = (f"These operations of your {written.marker} cannot be applied until they are edited:\n{told}",)
        return self.reading.elements(shown=judged.shown, notes=notes), ""


def _refusal(verdict: Verdict) -> str:
    """What the person reads about a proposal that was read and cannot be shown."""
    return verdict.sentence or f"{UNFIT} {verdict.reason}".strip()


def _lines(faults: tuple[str, ...]) -> str:
    return "\n".join(f"- {fault}" for fault in faults)

"""Continue an answer that was cut off, in the same text and without tools."""
from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace

from chat.agent.call import FROM_APPLICATION, ModelCalls
from chat.agent.events import AgentEvent, AgentThinking
from chat.agent.model import ModelFailure, Stop
from chat.agent.reader_interface import LostElement
from shared.user_messages import declare

log = logging.getLogger(__name__)

CONTINUING = declare("writing_on", "Continuing")
MAX_CONTINUATIONS = 2
# A block that was cut off is requested again with at most this share of its operations.
RESEND_SHARE = 0.7


@dataclass
class Continuation:
    """The continuations of one turn; `remaining` is how many more it may have."""

    calls: ModelCalls
    remaining: int = MAX_CONTINUATIONS

    async def run(self, stop: Stop) -> AsyncGenerator[AgentEvent | Stop, None]:
        """Request the rest until the answer is complete or no continuation remains, and yield the last Stop at the end.

        The blocks of this Stop are not in the transcript yet, those of the calls before it are.
        """
        reader, transcript = self.calls.reader, self.calls.transcript
        while stop.is_cut and self.remaining:
            self.remaining -= 1
            lost = reader.drop_open_element()
            transcript.add_answer(stop.text_blocks)
            if lost is not None:
                transcript.remove_end(lost.characters)
            note = continuation_prompt(stop, lost=lost, has_text=transcript.ends_with_text)
            yield AgentThinking(CONTINUING())
            try:
                async with aclosing(self.calls.make("continuation", note=note)) as events:
                    async for event in events:
                        if isinstance(event, Stop):
                            stop = event
                        else:
                            yield event
            except (ModelFailure, TimeoutError) as failure:
                # The turn ends with the text that has arrived instead of failing.
                log.warning("could not continue an answer: %r", failure)
                stop = replace(stop, blocks=({"type": "text", "text": transcript.pending_text},))
                break
        yield stop


def continuation_prompt(stop: Stop, *, lost: LostElement | None, has_text: bool) -> str:
    """Return the request for the rest of an answer that was cut off. `has_text`: it has text to continue."""
    tools = [block["name"] for block in stop.blocks if block["type"] == "tool_use"]
    if lost is not None:
        return f"{FROM_APPLICATION} {_resend_prompt(lost)}"
    if tools:
        return (
            f"{FROM_APPLICATION} Your answer was cut off while you called {', '.join(tools)}, which did not run. No "
            "more tools can be called in this turn. Continue your answer without them, exactly where your text "
            "stopped, and say what was not done."
        )
    if not has_text:
        return f"{FROM_APPLICATION} Your answer was cut off before its first word. Answer now, in a few sentences."
    return (
        f"{FROM_APPLICATION} Your answer was cut off. Continue exactly where it stopped: your first character follows "
        "its last one. Repeat nothing, do not mention the break, and finish soon."
    )


def _resend_prompt(lost: LostElement) -> str:
    where = f"after {lost.operations} complete operations" if lost.operations else f"after {lost.characters} characters"
    fewer = max(1, int(lost.operations * RESEND_SHARE))
    how = f"at most {fewer} operations" if lost.operations > 1 else "fewer parts"
    return (
        f"Your answer was cut off inside {lost.marker}, {where}. That block is discarded, the text before it is not. "
        f"Send the block again from its beginning, shorter: {how}, short texts, one condition instead of many single "
        "parts where possible. Write the marker and its JSON, nothing before it."
    )

"""Continue an answer that was cut off, in the same text and without tools."""
from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace

from chat.agent.call import ModelCalls
from chat.agent.events import AgentEvent, AgentThinking
from chat.agent.failures import ModelFailure
from chat.agent.followup_prompts import continuation_prompt, is_cut, text_blocks
from chat.agent.model import Stop
from shared.user_messages import declare

log = logging.getLogger(__name__)

WRITING_ON = declare("writing_on", "Continuing")
MAX_CONTINUATIONS = 2


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
        while is_cut(stop) and self.remaining:
            self.remaining -= 1
            lost = reader.drop_open_element()
            transcript.add_answer(text_blocks(stop.blocks))
            if lost is not None:
                transcript.remove_end(lost.characters)
            note = continuation_prompt(stop, lost=lost, has_text=transcript.ends_with_text)
            yield AgentThinking(WRITING_ON())
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

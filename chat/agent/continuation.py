"""Goes on with an answer that was cut off: at most twice, without tools, in the same text."""
from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace

from chat.agent.call import ModelCalls
from chat.agent.events import AgentEvent, AgentThinking
from chat.agent.failures import ModelFailure
from chat.agent.followup_prompts import is_cut, texts_of, to_go_on
from chat.agent.model import Stop
from user_messages import declare

log = logging.getLogger(__name__)

WRITING_ON = declare("writing_on", "Writing on")
MOST_CONTINUATIONS = 2


@dataclass
class Continuation:
    """The continuations of one turn; `left` counts those that may still be asked for."""

    calls: ModelCalls
    left: int = MOST_CONTINUATIONS

    async def run(self, stop: Stop) -> AsyncGenerator[AgentEvent | Stop, None]:
        """Asks for the rest until the answer has ended by itself or may not be gone on with.

        Ends with a Stop that is still cut in the latter case; its blocks are not in the transcript yet, those of the
        calls before it are.
        """
        reading, transcript = self.calls.reading, self.calls.transcript
        while is_cut(stop) and self.left:
            self.left -= 1
            lost = reading.cut_off()
            transcript.answer(texts_of(stop.blocks))
            if lost is not None:
                transcript.take_back(lost.characters)
            note = to_go_on(stop, lost=lost, said=transcript.ends_with_text)
            yield AgentThinking(WRITING_ON())
            try:
                async with aclosing(self.calls.make("continuation", note=note)) as events:
                    async for event in events:
                        if isinstance(event, Stop):
                            stop = event
                        else:
                            yield event
            except (ModelFailure, TimeoutError) as failure:
                # What had been said is worth more than a turn that failed.
                log.warning("an answer could not be gone on with: %r", failure)
                stop = replace(stop, blocks=({"type": "text", "text": transcript.heard},))
                break
        yield stop

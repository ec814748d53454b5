"""A long answer while it is being written: what is kept of it is its text, not the pieces it came in."""
from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import AsyncGenerator
from types import SimpleNamespace
from typing import Any

import pytest

from chat.agent.accumulator import Accumulator
from chat.agent.loop import AgentRequest, run_agent
from chat.agent.model import ModelEvent, TextDelta
from chat.agent.transcript import Transcript
from chat.reader import TurnReader
from tests.chat.agent.turn import RULES, echo
from tests.waiting_clock import WaitingClock

WORDS, FIRST = 10_000, 1_000
WORD = "w{} "
# A text of four characters takes 53 bytes by itself, and a place in a list 8.
MOST_BYTES = 40


def event(kind: str, **fields: Any) -> Any:
    return SimpleNamespace(type=kind, **fields)


class Talker:
    """Says very many words, one at a time; `kept` is how many bytes more each of them leaves behind."""

    kept = 0.0

    async def stream(self, **asked: Any) -> AsyncGenerator[ModelEvent, None]:
        accumulator = Accumulator()
        accumulator.add(event("content_block_start", content_block=event("text", text="")))
        before = 0
        for number in range(WORDS):
            if number == FIRST:
                before, _ = tracemalloc.get_traced_memory()
            said = event("content_block_delta", delta=event("text_delta", text=WORD.format(number % 90 + 10)))
            yield TextDelta(accumulator.add(said))
        self.kept = (tracemalloc.get_traced_memory()[0] - before) / (WORDS - FIRST)
        accumulator.add(event("message_delta", delta=event("", stop_reason="end_turn"), usage=event("")))
        yield accumulator.result()


async def heard(talker: Talker, transcript: Transcript) -> str:
    """The last event's message; none of the events is kept."""
    events = run_agent(
        model=talker,
        request=AgentRequest(system=(), messages=[{"role": "user", "content": "Hello"}]),
        tools=(),
        run_tool=echo,
        reader=TurnReader(RULES),
        transcript=transcript,
        clock=WaitingClock(),
    )
    async for _ in events:
        pass
    return transcript.message


@pytest.mark.slow
def test_of_each_word_hardly_more_than_its_characters_is_kept_while_the_turn_runs() -> None:
    talker, transcript = Talker(), Transcript()
    tracemalloc.start()
    try:
        message = asyncio.run(heard(talker, transcript))
    finally:
        tracemalloc.stop()

    assert talker.kept < MOST_BYTES
    assert message.split() == [WORD.format(number % 90 + 10).strip() for number in range(WORDS)]
    assert transcript.calls[0].text == message + " "

"""Memory of a long answer while it is written: its text, not its pieces."""
from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import AsyncGenerator
from types import SimpleNamespace
from typing import Any

import pytest

from chat.agent.client.accumulator import Accumulator
from chat.agent.loop import AgentRequest, run_agent
from chat.agent.model import ModelEvent, TextDelta
from chat.agent.transcript import Transcript
from chat.reader import TurnReader
from tests.chat.agent.turn import RULES, echo
from tests.waiting_clock import WaitingClock

WORDS, FIRST = 10_000, 1_000
WORD = "w{} "
# A string of four characters takes 53 bytes, and its slot in a list takes 8.
MAX_BYTES = 40


def event(kind: str, **fields: Any) -> Any:
    return SimpleNamespace(type=kind, **fields)


class Talker:
    """A model that sends many words, one at a time; `bytes_per_word` is the memory that each of them takes."""

    bytes_per_word = 0.0

    async def stream(self, **request: Any) -> AsyncGenerator[ModelEvent, None]:
        accumulator = Accumulator()
        accumulator.add(event("content_block_start", content_block=event("text", text="")))
        before = 0
        for number in range(WORDS):
            if number == FIRST:
                before, _ = tracemalloc.get_traced_memory()
            delta = event("content_block_delta", delta=event("text_delta", text=WORD.format(number % 90 + 10)))
            yield TextDelta(accumulator.add(delta))
        self.bytes_per_word = (tracemalloc.get_traced_memory()[0] - before) / (WORDS - FIRST)
        accumulator.add(event("message_delta", delta=event("", stop_reason="end_turn"), usage=event("")))
        yield accumulator.result()


async def last_message(talker: Talker, transcript: Transcript) -> str:
    """Return the message of the last event without storing any event."""
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
def test_memory_per_word_is_little_more_than_its_characters() -> None:
    talker, transcript = Talker(), Transcript()
    tracemalloc.start()
    try:
        message = asyncio.run(last_message(talker, transcript))
    finally:
        tracemalloc.stop()

    assert talker.bytes_per_word < MAX_BYTES
    assert message.split() == [WORD.format(number % 90 + 10).strip() for number in range(WORDS)]
    assert transcript.calls[0].text == message + " "

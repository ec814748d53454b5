"""Make one call of a scripted model through the real SDK, and return its events."""
from __future__ import annotations

import asyncio
from typing import Any

import pytest

from chat.agent.client.anthropic_model import AnthropicModel
from chat.agent.clock import Clock
from chat.agent.model import Json, ModelEvent, ModelFailure, Stop
from tests.scripted_model import Reply, ScriptedModel
from tests.waiting_clock import WaitingClock

HELLO = [{"role": "user", "content": "Hello"}]


def model_of(script: ScriptedModel, *, clock: Clock | None = None, **limits: Any) -> AnthropicModel:
    return AnthropicModel(
        api_key="key",
        base_url="http://model.test",
        model="scripted",
        transport=script.transport(),
        clock=clock or WaitingClock(),
        **limits,
    )


async def events_of(
    model: AnthropicModel, *, tools: list[Json] | None = None, seconds: float = 120
) -> list[ModelEvent]:
    call: Any = model.stream(
        system=[], messages=HELLO, tools=tools or [], tool_choice=None, max_tokens=100, seconds=seconds
    )
    events = [event async for event in call]
    await model.aclose()
    return events


def call(*replies: Reply, clock: WaitingClock | None = None) -> list[ModelEvent]:
    script = ScriptedModel(*replies)
    events = asyncio.run(events_of(model_of(script, clock=clock)))
    assert script.problems == []
    return events


def stop_of(*replies: Reply) -> Stop:
    stop = call(*replies)[-1]
    assert isinstance(stop, Stop)
    return stop


def failure_of(*replies: Reply) -> ModelFailure:
    with pytest.raises(ModelFailure) as caught:
        call(*replies)
    return caught.value

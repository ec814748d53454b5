"""One model call: its events, its record and its time; what becomes of the answer is decided above."""
from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import strictjson
from chat.agent.clock import Clock
from chat.agent.events import AgentEvent, AgentTextDelta, AgentThinking
from chat.agent.failures import ModelFailure
from chat.agent.message_history import asked, resumed
from chat.agent.model import Model, Retrying, Stop, TextDelta, Waiting
from chat.agent.reader_interface import Reading
from chat.agent.transcript import Transcript
from user_messages import Message, declare

Json = dict[str, Any]
THINKING = declare("thinking", "Thinking")
WAITING = {
    "loading": declare("loading_the_model", "Loading the model…"),
    "busy": declare("waiting_for_the_model", "Waiting for the model…"),
    "": THINKING,
}
# Why a call is made again, by the code of its failure.
TRYING_AGAIN = {
    "provider_overloaded": declare(
        "trying_again_overloaded", "The assistant's model is overloaded. Trying again in {count} s…"
    ),
    "rate_limited": declare(
        "trying_again_rate_limited", "The assistant's model has had too many requests. Trying again in {count} s…"
    ),
    "provider_unreachable": declare(
        "trying_again_unreachable", "The assistant's model could not be reached. Trying again in {count} s…"
    ),
}
TRYING_AGAIN_ANYWAY = declare("trying_again", "Something went wrong. Trying again in {count} s…")
AllowCall = Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class AgentRequest:
    """What the model is sent: `messages` end with the user's. `fenced` puts data from tables between this turn's data
    marks, for what the application says later in the turn."""

    system: Sequence[Json]
    messages: Sequence[Json]
    max_tokens: int = 16_000
    fenced: Callable[[Json], str] = strictjson.dump

    @cached_property
    def size(self) -> int:
        """Bytes of the system prompt and the messages as JSON."""
        return strictjson.size_of(list(self.system)) + strictjson.size_of(list(self.messages))


@dataclass(frozen=True, kw_only=True)
class ModelCalls:
    """Makes the model calls of a turn, each of which may take `seconds`. `deadline` is the turn's, on the clock's
    monotonic time, and bounds them all."""

    model: Model
    request: AgentRequest
    tools: list[Json]
    reading: Reading
    transcript: Transcript
    clock: Clock
    seconds: float
    deadline: float
    allow_call: AllowCall | None = None
    request_bytes: int

    async def make(
        self, kind: str, *, note: str = "", with_tools: bool = False
    ) -> AsyncGenerator[AgentEvent | Stop, None]:
        """Make a call of this kind ("answer", "continuation", "repair"), after a note of the application's if there is
        one; ends with its Stop. Raises ModelFailure, also for a request that is too large to be sent, and TimeoutError
        when the turn's deadline has passed."""
        self._refuse_too_large()
        if self.allow_call is not None:
            await self.allow_call()
        seconds = min(self.seconds, self.deadline - self.clock.monotonic())
        if seconds <= 0:
            raise TimeoutError
        messages = [*self.request.messages, *self.transcript.exchange]
        messages = asked(messages, note=note) if note else resumed(messages)
        record = self.transcript.begin_call(kind=kind, messages=messages, at=self.clock.monotonic())
        stream = self.model.stream(
            system=self.request.system,
            messages=messages,
            tools=self.tools,
            # The tools stay declared, so that earlier tool uses stay valid and the cached prefix holds.
            tool_choice={"type": "auto" if with_tools else "none"} if self.tools else None,
            max_tokens=self.request.max_tokens,
            seconds=seconds,
            at_most=self.deadline - self.clock.monotonic(),
        )
        stop = Stop(stop_reason="")
        try:
            async with aclosing(stream) as events:
                async for event in events:
                    if isinstance(event, TextDelta):
                        record.hear(event.text, at=self.clock.monotonic())
                        for heard in self._heard(event.text):
                            yield heard
                    elif isinstance(event, Retrying):
                        record.retries += 1
                        yield AgentThinking(_waiting(event))
                    elif isinstance(event, Waiting):
                        yield AgentThinking(WAITING[event.reason]())
                    else:
                        stop = event
                        break
        finally:
            self.transcript.end_call(stop, at=self.clock.monotonic())
        self.transcript.count(stop.usage)
        if not stop.stop_reason and self.clock.monotonic() >= self.deadline:
            raise TimeoutError
        yield stop

    def _refuse_too_large(self) -> None:
        size = self.request.size + strictjson.size_of([self.tools, *self.transcript.exchange])
        if size > self.request_bytes:
            raise ModelFailure("context_too_long", reason=f"{size:,} bytes of {self.request_bytes:,} that may be sent")

    def _heard(self, text: str) -> list[AgentEvent]:
        """What the person is told when this text has come."""
        seen = self.reading.feed(text)
        told: list[AgentEvent] = [AgentTextDelta(self.transcript.show(seen))] if seen else []
        # A tool's payload takes precedence: one in the text could not count any more.
        return told if self.transcript.tool_payloads else [*told, *self.reading.progress()]


def _waiting(event: Retrying) -> Message:
    return TRYING_AGAIN.get(event.code, TRYING_AGAIN_ANYWAY)(count=max(1, round(event.seconds)))

"""Make one model call: its events, its record in the transcript and its time limit."""
from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from chat.agent.clock import Clock
from chat.agent.events import AgentEvent, AgentTextDelta, AgentThinking
from chat.agent.message_history import with_note, without_trailing_space
from chat.agent.model import Model, ModelFailure, Retrying, Stop, TextDelta, Waiting
from chat.agent.reader_interface import Reader
from chat.agent.transcript import Transcript
from chat.files import with_contents
from shared import strictjson
from shared.user_messages import Message, declare

Json = dict[str, Any]
# The first words of each message of the application to the model.
FROM_APPLICATION = "(This is the application, not the user.)"
THINKING = declare("thinking", "Thinking")
WAITING_MESSAGES = {
    "loading": declare("loading_the_model", "Loading the model…"),
    "busy": declare("waiting_for_the_model", "Waiting for the model…"),
    "": THINKING,
}
# Shown while a failed call is repeated, by the code of its failure.
RETRY_MESSAGES = {
    "provider_overloaded": declare(
        "trying_again_overloaded", "The assistant's model is overloaded. Trying again in {count} s…"
    ),
    "rate_limited": declare(
        "trying_again_rate_limited", "The assistant's model received too many requests. Trying again in {count} s…"
    ),
    "provider_unreachable": declare(
        "trying_again_unreachable", "The assistant's model could not be reached. Trying again in {count} s…"
    ),
}
DEFAULT_RETRY_MESSAGE = declare("trying_again", "Something went wrong. Trying again in {count} s…")
AllowCall = Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class AgentRequest:
    """The request of a turn to the model. `messages` end with the user's.

    `fence` puts data between this turn's data marks, for messages of the application later in the turn. `files` has the
    blocks of the files in the messages by id. They are only sent: records and traces have references.
    """

    system: Sequence[Json]
    messages: Sequence[Json]
    max_tokens: int = 16_000
    fence: Callable[[Json], str] = strictjson.dumps
    files: Mapping[str, Sequence[Json]] = field(default_factory=dict)

    @cached_property
    def size(self) -> int:
        """Size of the system prompt and the messages as JSON, in bytes."""
        return strictjson.byte_size(list(self.system)) + strictjson.byte_size(list(self.messages))


@dataclass(frozen=True, kw_only=True)
class ModelCalls:
    """Makes the model calls of a turn.

    Each may take `seconds`. `deadline`, in the clock's monotonic time, is that of the turn. `allow_call` is called
    before each call and raises ModelFailure to prevent it. `request_bytes` is the maximum size of a request as JSON.
    """

    model: Model
    request: AgentRequest
    tools: list[Json]
    reader: Reader
    transcript: Transcript
    clock: Clock
    seconds: float
    deadline: float
    allow_call: AllowCall | None = None
    request_bytes: int

    async def make(
        self, kind: str, *, note: str = "", with_tools: bool = False
    ) -> AsyncGenerator[AgentEvent | Stop, None]:
        """Make a call of this kind ("answer", "continuation" or "repair") and yield its events, a Stop last.

        `note` is a message of the application to append. Raises ModelFailure, also for a request that is too large,
        and TimeoutError if the deadline of the turn has passed.
        """
        self._check_size()
        if self.allow_call is not None:
            await self.allow_call()
        seconds = min(self.seconds, self.deadline - self.clock.monotonic())
        if seconds <= 0:
            raise TimeoutError
        messages = [*self.request.messages, *self.transcript.exchange]
        messages = with_note(messages, note=note) if note else without_trailing_space(messages)
        record = self.transcript.start_call(kind=kind, messages=messages, at=self.clock.monotonic())
        stream = self.model.stream(
            system=self.request.system,
            messages=with_contents(messages, contents=self.request.files),
            tools=self.tools,
            # Tools are always declared, so that earlier tool uses remain valid and the prompt cache can be used.
            tool_choice={"type": "auto" if with_tools else "none"} if self.tools else None,
            max_tokens=self.request.max_tokens,
            seconds=seconds,
            max_seconds=self.deadline - self.clock.monotonic(),
        )
        stop = Stop(stop_reason="")
        try:
            async with aclosing(stream) as events:
                async for event in events:
                    if isinstance(event, TextDelta):
                        record.add_text(event.text, at=self.clock.monotonic())
                        for text_event in self._text_events(event.text):
                            yield text_event
                    elif isinstance(event, Retrying):
                        record.retries += 1
                        yield AgentThinking(_retry_message(event))
                    elif isinstance(event, Waiting):
                        yield AgentThinking(WAITING_MESSAGES[event.reason]())
                    else:
                        stop = event
                        break
        finally:
            self.transcript.end_call(stop, at=self.clock.monotonic())
        self.transcript.add_usage(stop.usage)
        if not stop.stop_reason and self.clock.monotonic() >= self.deadline:
            raise TimeoutError
        yield stop

    def _check_size(self) -> None:
        size = self.request.size + strictjson.byte_size([self.tools, *self.transcript.exchange])
        if size > self.request_bytes:
            raise ModelFailure("context_too_long", reason=f"{size:,} bytes exceed the limit of {self.request_bytes:,}")

    def _text_events(self, text: str) -> list[AgentEvent]:
        """Return the events for text that has arrived."""
        visible = self.reader.feed(text)
        events: list[AgentEvent] = [AgentTextDelta(self.transcript.show(visible))] if visible else []
        # A tool's payload takes precedence over one in the text.
        return events if self.transcript.tool_payloads else [*events, *self.reader.progress()]


def _retry_message(event: Retrying) -> Message:
    return RETRY_MESSAGES.get(event.code, DEFAULT_RETRY_MESSAGE)(count=max(1, round(event.seconds)))

"""Stream model calls with the Anthropic SDK, with retries before the first token, notices and time limits."""
from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from functools import cache
from typing import Any

import anthropic
import httpx2
from anthropic.types import Message, RawMessageStreamEvent

from chat.agent.client.accumulator import Accumulator
from chat.agent.client.failures import failure_of
from chat.agent.client.message_batches import MessageBatches
from chat.agent.client.server_features import (
    OPTIONAL_FIELDS,
    SIGNATURES,
    TOOL_CHOICE,
    USAGE,
    adapt_request,
    request_body,
    uses_server_tools,
)
from chat.agent.clock import Clock, SystemClock
from chat.agent.model import Json, ModelEvent, ModelFailure, Retrying, Stop, TextDelta, Waiting
from shared import strictjson

log = logging.getLogger(__name__)

MAX_RETRIES = 2
MAX_RETRY_SECONDS = 20.0
RETRY_WAITS = (1.0, 4.0)
CONNECT_SECONDS = 10.0
# An administrator waits for the list of models. Longer lists are cut.
LIST_SECONDS, MAX_LISTED_MODELS = 5.0, 500
# A longer wait for the first token is shown to the user.
WAIT_NOTICE_SECONDS = 3.0
BUSY_RETRY_SECONDS, MIN_RETRY_SECONDS = 3.0, 1.0
# Failures without an error of the provider, after which an answer that has started can be continued.
INTERRUPTED = frozenset({"provider_unreachable", "timeout"})
# Shorter keys are placeholders for servers that need none.
MIN_SECRET_LENGTH = 12


class CallTimeout:
    """The time limit of a model call: `seconds` in all.

    With `first_token_seconds` (for servers that may have to load their model) the call may take that long until its
    answer starts, and `seconds` from then on, but never more than `max_seconds` in all.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        seconds: float,
        first_token_seconds: float | None = None,
        max_seconds: float | None = None,
    ) -> None:
        now = clock.monotonic()
        self._clock = clock
        self._seconds = seconds
        self._last = float("inf") if max_seconds is None else now + max_seconds
        self._waits_for_first_token = first_token_seconds is not None
        self._deadline = min(now + max(seconds, first_token_seconds or 0), self._last)

    @property
    def remaining(self) -> float:
        """Seconds until the deadline."""
        return self._deadline - self._clock.monotonic()

    def start_answer(self) -> None:
        """Start the time of the answer, as its first token has arrived."""
        if self._waits_for_first_token:
            self._waits_for_first_token = False
            self._deadline = min(self._clock.monotonic() + self._seconds, self._last)

    def limit(self) -> AbstractAsyncContextManager[object]:
        """Return a context that raises TimeoutError at the deadline. Raises it at once if the deadline has passed.

        Without the immediate error, a stream that always has data available would never be interrupted.
        """
        if self.remaining <= 0:
            raise TimeoutError("the model call timed out")
        return self._clock.timeout(self.remaining)


@cache
def _tls_context() -> ssl.SSLContext:
    """Return the context of all clients: reading the certificate authorities takes 25 ms, in which no turn goes on."""
    return httpx2.create_ssl_context()


class AnthropicModel:
    """A model with a Messages API. One object per process: all turns share its connections. Close it with `aclose`.

    `transport` replaces the network (the demo model, scripted models). A failed call is repeated at most `retries`
    times, with waits of at most `retry_seconds` in total, and never more than MAX_RETRIES and MAX_RETRY_SECONDS.

    `first_token_seconds` is for servers other than Anthropic's, which may have to load their model and may answer one
    request at a time: a call waits that long for the first token, with notices, and is repeated without an optional
    field that the server refuses. With `waits_when_busy` it is also repeated while such a server has no capacity for
    it. `lacks` are features that such a server lacks (see `server_features`), to which calls add those they find out.
    """

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str,
        model: str,
        headers: Sequence[tuple[str, str]] = (),
        transport: httpx2.AsyncBaseTransport | None = None,
        clock: Clock | None = None,
        call_seconds: float = 120.0,
        first_token_seconds: float | None = None,
        retries: int = MAX_RETRIES,
        retry_seconds: float = MAX_RETRY_SECONDS,
        lacks: Collection[str] = (),
        waits_when_busy: bool = True,
    ) -> None:
        timeout = httpx2.Timeout(max(call_seconds, first_token_seconds or 0), connect=CONNECT_SECONDS)
        network: dict[str, Any] = {"transport": transport} if transport else {"verify": _tls_context()}
        self._sdk = anthropic.AsyncAnthropic(
            api_key=api_key,
            base_url=base_url or "https://api.anthropic.com",
            max_retries=0,
            timeout=timeout,
            http_client=anthropic.DefaultAsyncHttpxClient(timeout=timeout, **network),
        )
        # The SDK would send ANTHROPIC_CUSTOM_HEADERS to any server, and its argument can only add headers.
        self._sdk._custom_headers = dict(headers)
        self.lacks = set(lacks)
        self._model = model
        self._secrets = [word for word in (api_key, *dict(headers).values()) if len(word) >= MIN_SECRET_LENGTH]
        self._clock = clock or SystemClock()
        self._first_token_seconds = first_token_seconds
        self._retries = min(retries, MAX_RETRIES)
        self._retry_seconds = min(retry_seconds, MAX_RETRY_SECONDS)
        self._waits_when_busy = waits_when_busy
        self._open_calls = 0

    async def aclose(self) -> None:
        """Close all connections."""
        await self._sdk.close()

    @property
    def batches(self) -> MessageBatches:
        """The batches of its server, if that has some."""
        return MessageBatches(self._sdk, model=self._model, secrets=self._secrets, lacks=self.lacks)

    async def count_tokens(self, *, messages: Sequence[Json]) -> int:
        """Return the number of tokens of a request, as its server counts them. Raises ModelFailure."""
        try:
            params: Any = list(messages)
            count = await self._sdk.messages.count_tokens(model=self._model, messages=params)
            return int(count.input_tokens)
        except Exception as error:
            raise failure_of(error, started=False, secrets=self._secrets) from None

    async def list_models(self) -> list[str] | None:
        """Return the names of the models at the server, or None if it does not list them.

        The own name is included if the server knows it as another name of a model, which lists do not have.
        """
        try:
            names = []
            async for model in self._sdk.models.list(limit=MAX_LISTED_MODELS, timeout=LIST_SECONDS):
                names.append(str(model.id))
                if len(names) == MAX_LISTED_MODELS:
                    break
        except Exception as error:
            failure = failure_of(error, started=False, secrets=self._secrets)
            log.info("cannot list models (%s): %s", failure.code, failure.reason)
            return None
        if not names or self._model in names:
            return names or None
        try:
            await self._sdk.models.retrieve(self._model, timeout=LIST_SECONDS)
        except anthropic.NotFoundError:
            return names
        except Exception:
            return None
        return [*names, self._model]

    async def stream(
        self,
        *,
        system: Sequence[Json],
        messages: Sequence[Json],
        tools: Sequence[Json],
        tool_choice: Json | None,
        max_tokens: int,
        seconds: float,
        max_seconds: float | None = None,
    ) -> AsyncGenerator[ModelEvent, None]:
        """See `Model.stream`."""
        body = request_body(
            model=self._model, system=system, messages=messages, tools=tools, tool_choice=tool_choice,
            max_tokens=max_tokens,
        )  # fmt: skip
        timeout = CallTimeout(
            self._clock, seconds=seconds, first_token_seconds=self._first_token_seconds, max_seconds=max_seconds
        )
        self._open_calls += 1
        try:
            async with aclosing(self._attempts(body, timeout)) as events:
                async for event in events:
                    yield event
        finally:
            self._open_calls -= 1

    async def _attempts(self, body: Json, timeout: CallTimeout) -> AsyncGenerator[ModelEvent, None]:
        remaining_wait, attempt, notified = self._retry_seconds, 0, ""
        used_ids = _tool_use_ids(body["messages"])
        while True:
            accumulator = Accumulator(used_ids=used_ids, keeps_server_tools=uses_server_tools(body.get("tools", ())))
            lacks_before = set(self.lacks)
            try:
                async with aclosing(self._attempt_with_notices(body, accumulator, timeout)) as events:
                    async for event in events:
                        if not isinstance(event, Waiting):
                            notified = ""
                        elif event.reason == notified:
                            continue
                        else:
                            notified = event.reason
                        yield event
            except ModelFailure as failure:
                level = logging.INFO if self._is_other_server and failure.wait_reason else logging.WARNING
                log.log(level, "model call failed (%s): %s", failure.code, failure.reason)
                if failure.code in INTERRUPTED and accumulator.has_message and accumulator.has_text:
                    yield accumulator.result()
                    return
                if self._can_omit(failure.refused_field, lacks_before=lacks_before):
                    continue
                is_busy = self._is_other_server and failure.wait_reason and not accumulator.has_started
                if is_busy and self._waits_when_busy:
                    wait = failure.retry_after if failure.retry_after is not None else BUSY_RETRY_SECONDS
                    if wait > timeout.remaining:
                        raise
                    if failure.wait_reason != notified:
                        notified = failure.wait_reason
                        yield Waiting(notified)
                    await self._clock.sleep(max(wait, MIN_RETRY_SECONDS))
                    continue
                wait = failure.retry_after if failure.retry_after is not None else RETRY_WAITS[min(attempt, 1)]
                in_time = wait <= min(remaining_wait, timeout.remaining)
                if attempt == self._retries or not failure.retry_now or not in_time:
                    raise
                attempt += 1
                remaining_wait -= wait
                yield Retrying(code=failure.code, seconds=wait)
                await self._clock.sleep(wait)
            else:
                stop = accumulator.result()
                self._learn(stop, body=body)
                yield stop
                return

    @property
    def _is_other_server(self) -> bool:
        """Whether the server is not Anthropic's: it may load its model first, queue requests and lack features."""
        return self._first_token_seconds is not None

    def _can_omit(self, field: str, *, lacks_before: set[str]) -> bool:
        """Add a refused field to `lacks`; return whether the call can be repeated without it."""
        if not self._is_other_server or field not in OPTIONAL_FIELDS or field in lacks_before:
            return False
        self.lacks.add(field)
        return True

    def _learn(self, stop: Stop, *, body: Json) -> None:
        """Add features that the server lacks, as a finished call has shown, to `lacks`."""
        if not self._is_other_server:
            return
        if stop.stop_reason == "tool_use" and body.get("tool_choice") == {"type": "none"}:
            self.lacks.add(TOOL_CHOICE)
        if stop.stop_reason and not stop.usage.get("output_tokens"):
            self.lacks.add(USAGE)
        if any(block["type"] == "thinking" and not block["signature"] for block in stop.blocks):
            self.lacks.add(SIGNATURES)

    async def _attempt_with_notices(
        self, body: Json, accumulator: Accumulator, timeout: CallTimeout
    ) -> AsyncGenerator[TextDelta | Waiting, None]:
        """Yield the text of one attempt, and notices during a long wait for its first token."""
        async with aclosing(self._attempt(body, accumulator, timeout)) as texts:
            if not self._is_other_server:
                async for text in texts:
                    yield TextDelta(text)
                return
            first = asyncio.ensure_future(_next(texts))
            notice = asyncio.ensure_future(self._clock.sleep(WAIT_NOTICE_SECONDS))
            try:
                await asyncio.wait({first, notice}, return_when=asyncio.FIRST_COMPLETED)
                if not first.done():
                    yield Waiting("loading" if self._open_calls == 1 else "busy")
                started = await first
            finally:
                notice.cancel()
                await _cancel(first)
                # Break the reference cycle of this frame, the task and its exception.
                del first, notice
            if started is not None:
                yield TextDelta(started) if started else Waiting("")
            async for text in texts:
                yield TextDelta(text)

    async def _attempt(self, body: Json, accumulator: Accumulator, timeout: CallTimeout) -> AsyncGenerator[str, None]:
        """Yield the text of one attempt, and "" once if the answer starts with something other than text.

        Raises ModelFailure for any exception of the SDK.
        """
        started = not self._is_other_server
        try:
            content = strictjson.dumps({**adapt_request(body, lacks=self.lacks), "stream": True}).encode()
            async with timeout.limit():
                # As `messages.create` does, but without its deep copy of the body.
                stream = await self._sdk.post(
                    "/v1/messages",
                    content=content,
                    cast_to=Message,
                    stream=True,
                    stream_cls=anthropic.AsyncStream[RawMessageStreamEvent],
                )
            async with stream:
                while not accumulator.is_full:
                    # A timeout must not be open while the generator is suspended, so each wait has its own.
                    async with timeout.limit():
                        event = await anext(stream, None)
                    if event is None:
                        break
                    text = accumulator.add(event)
                    if accumulator.has_started and not started:
                        started = True
                        timeout.start_answer()
                        yield text
                    elif text:
                        yield text
            if not accumulator.has_message:
                raise ValueError("the response contains no message")
        except (asyncio.CancelledError, GeneratorExit):
            raise
        except Exception as error:
            # A gateway may quote the key that it refuses, and a failure is logged with its cause.
            has_secret = any(secret in str(error) for secret in self._secrets)
            # Not assigned to a variable, which would be a reference cycle of frame and exception: what the SDK left
            # open would then be closed by the garbage collector, in any thread.
            raise failure_of(
                error,
                started=accumulator.has_started,
                secrets=self._secrets,
                first_token_seconds=None if started else self._first_token_seconds,
            ) from (None if has_secret else error)


async def _next(texts: AsyncGenerator[str, None]) -> str | None:
    return await anext(texts, None)


async def _cancel(task: asyncio.Task[Any]) -> None:
    """Cancel a task unless it is done, and wait until it has ended; its exception is ignored."""
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.exception()


def _tool_use_ids(messages: Sequence[Json]) -> set[str]:
    """Return the ids of all tool uses in a request."""
    blocks = (block for message in messages if isinstance(message["content"], list) for block in message["content"])
    return {block["id"] for block in blocks if block["type"] == "tool_use"}

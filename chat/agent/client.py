"""The Anthropic SDK, wrapped: the only room that knows it. Streams one call, retries before the first token only."""
from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from typing import Any

import anthropic
import httpx2
from anthropic.types import Message, RawMessageStreamEvent

import strictjson
from chat.agent.accumulator import Accumulator
from chat.agent.clock import Clock, SystemClock
from chat.agent.failures import ModelFailure
from chat.agent.model import Json, ModelEvent, Retrying, TextDelta

log = logging.getLogger(__name__)

MOST_RETRIES = 2
MOST_RETRY_SECONDS = 20.0
WAITS = (1.0, 4.0)
CONNECT_SECONDS = 10.0
# The answer ended early without an error of the provider's own: what has arrived of its text can be continued.
CUT_SHORT = frozenset({"provider_unreachable", "timeout"})
# Servers that need no key are given a word.
SHORTEST_SECRET = 12

CODE_OF_TYPE = {
    "overloaded_error": "provider_overloaded",
    "api_error": "provider_overloaded",
    "rate_limit_error": "rate_limited",
    "authentication_error": "provider_auth",
    "permission_error": "provider_auth",
    "billing_error": "provider_auth",
    "timeout_error": "timeout",
}
CODE_OF_STATUS = {
    401: "provider_auth",
    402: "provider_auth",
    403: "provider_auth",
    408: "timeout",
    413: "context_too_long",
    429: "rate_limited",
    500: "provider_overloaded",
    502: "provider_unreachable",
    503: "provider_overloaded",
    504: "timeout",
    529: "provider_overloaded",
}
# What servers that speak the Messages API say when the prompt does not fit; none of them has a code for it.
TOO_LONG = ("too long", "context window", "context length", "context limit", "too many tokens", "maximum context")
SHORT_OF_CREDIT = "credit balance"


class AnthropicModel:
    """A model behind the Messages API; one object per process, its connections are shared by all turns.

    `transport` takes the place of the network (the demo model, scripted models). A call is tried again `retries` times
    at most, with waits of `retry_seconds` together at most, and never more than MOST_RETRIES and MOST_RETRY_SECONDS.
    Wait for `aclose` at the end.
    """

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str,
        model: str,
        transport: httpx2.AsyncBaseTransport | None = None,
        clock: Clock | None = None,
        call_seconds: float = 120.0,
        retries: int = MOST_RETRIES,
        retry_seconds: float = MOST_RETRY_SECONDS,
    ) -> None:
        timeout = httpx2.Timeout(call_seconds, connect=CONNECT_SECONDS)
        options: dict[str, Any] = {"timeout": timeout, **({"transport": transport} if transport else {})}
        self._sdk = anthropic.AsyncAnthropic(
            api_key=api_key,
            base_url=base_url or "https://api.anthropic.com",
            max_retries=0,
            timeout=timeout,
            http_client=anthropic.DefaultAsyncHttpxClient(**options),
        )
        self._model = model
        self._secret = api_key if len(api_key) >= SHORTEST_SECRET else ""
        self._clock = clock or SystemClock()
        self._retries = min(retries, MOST_RETRIES)
        self._retry_seconds = min(retry_seconds, MOST_RETRY_SECONDS)

    async def aclose(self) -> None:
        """Closes all connections."""
        await self._sdk.close()

    async def stream(
        self,
        *,
        system: Sequence[Json],
        messages: Sequence[Json],
        tools: Sequence[Json],
        tool_choice: Json | None,
        max_tokens: int,
        seconds: float,
    ) -> AsyncGenerator[ModelEvent, None]:
        """Stream one call, which ends within `seconds` whatever the provider does.

        Ends with Stop or raises ModelFailure. A connection that breaks, or time that runs out, after text has arrived
        is no failure: the Stop then holds what has arrived, without a stop reason unless that had arrived too.
        """
        deadline = self._clock.monotonic() + seconds
        body: dict[str, Any] = {"model": self._model, "max_tokens": max_tokens, "messages": list(messages)}
        if system:
            body["system"] = list(system)
        if tools:
            body["tools"] = list(tools)
            body["tool_choice"] = tool_choice or {"type": "auto"}
        left = self._retry_seconds
        taken = _use_ids_of(messages)
        for attempt in range(self._retries + 1):
            accumulator = Accumulator(taken=taken)
            try:
                async with aclosing(self._once(body, accumulator, deadline=deadline)) as texts:
                    async for text in texts:
                        yield TextDelta(text)
            except ModelFailure as failure:
                wait = failure.retry_after if failure.retry_after is not None else WAITS[min(attempt, 1)]
                log.warning("model call failed (%s): %s", failure.code, failure.reason)
                if failure.code in CUT_SHORT and accumulator.opened and accumulator.has_text:
                    yield accumulator.stop()
                    return
                in_time = wait <= min(left, deadline - self._clock.monotonic())
                if attempt == self._retries or not failure.again or not in_time:
                    raise
                left -= wait
                yield Retrying(code=failure.code, seconds=wait)
                await self._clock.sleep(wait)
            else:
                yield accumulator.stop()
                return

    async def _once(
        self, body: dict[str, Any], accumulator: Accumulator, *, deadline: float
    ) -> AsyncGenerator[str, None]:
        """The text of one attempt. The one boundary: whatever the SDK raises leaves as ModelFailure."""
        try:
            content = strictjson.dump({**body, "stream": True}).encode()
            async with self._until(deadline):
                # What `messages.create` does, but for copying the body container by container: all of it is plain.
                stream = await self._sdk.post(
                    "/v1/messages",
                    content=content,
                    cast_to=Message,
                    stream=True,
                    stream_cls=anthropic.AsyncStream[RawMessageStreamEvent],
                )
            async with stream:
                while not accumulator.full:
                    # Around each wait, as a timeout must not stay open while the generator is suspended.
                    async with self._until(deadline):
                        event = await anext(stream, None)
                    if event is None:
                        break
                    text = accumulator.take(event)
                    if text:
                        yield text
            if not accumulator.opened:
                raise ValueError("the answer holds no message")
        except (asyncio.CancelledError, GeneratorExit):
            raise
        except Exception as error:
            # A gateway may quote the key that it refuses, and a failure is logged with its cause.
            quotes = bool(self._secret) and self._secret in str(error)
            # Without a name of its own: a frame that knows the failure that knows the frame is a ring, and what the SDK
            # left open in it would be closed by the garbage collector, in whatever thread that runs.
            raise failure_of(error, begun=accumulator.begun, secret=self._secret) from (None if quotes else error)


    def _until(self, deadline: float) -> AbstractAsyncContextManager[object]:
        """Return a context that raises TimeoutError at the deadline, at once if it has passed: a stream that always has
        something to read would never be interrupted."""
        seconds = deadline - self._clock.monotonic()
        if seconds <= 0:
            raise TimeoutError("the time of the call is up")
        return self._clock.timeout(seconds)


def _use_ids_of(messages: Sequence[Json]) -> set[str]:
    """The ids of all tool uses in a request."""
    blocks = (block for message in messages if isinstance(message["content"], list) for block in message["content"])
    return {block["id"] for block in blocks if block["type"] == "tool_use"}


def failure_of(error: Exception, *, begun: bool, secret: str = "") -> ModelFailure:
    """The failure that any exception of a call means. `begun`: part of the answer had come, so never again; `secret`
    is left out of its reason."""
    code, again = _code_of(error)
    reason = f"{type(error).__name__}: {error}"
    return ModelFailure(
        code,
        reason=(reason.replace(secret, "…") if secret else reason)[:500],
        retry_after=_retry_after(error),
        again=again and not begun,
    )


def _code_of(error: Exception) -> tuple[str, bool]:
    """The code, and whether the very same call may succeed a moment later."""
    if isinstance(error, anthropic.APIStatusError):
        return _code_of_status(error)
    if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException | TimeoutError):
        return "timeout", False
    if isinstance(error, anthropic.APIConnectionError | httpx2.TransportError | OSError):
        return "provider_unreachable", True
    if isinstance(error, TypeError | anthropic.CredentialsError) and "auth" in str(error).lower():
        return "provider_auth", False
    if isinstance(error, AssertionError | ValueError | anthropic.APIResponseValidationError | AttributeError):
        # Something answered that does not speak the Messages API (a web page, half an event).
        return "provider_unreachable", False
    return "internal", False


def _code_of_status(error: anthropic.APIStatusError) -> tuple[str, bool]:
    words = str(error.message).lower()
    if error.status_code in {400, 413} and any(phrase in words for phrase in TOO_LONG):
        return "context_too_long", False
    if error.status_code == 400 and SHORT_OF_CREDIT in words:
        return "provider_auth", False
    # An error event in the middle of a stream arrives with status 200: its type tells more than the status.
    code = CODE_OF_TYPE.get(str(error.type), "") or CODE_OF_STATUS.get(error.status_code, "")
    if not code:
        code = "provider_overloaded" if error.status_code >= 500 else "internal"
    return code, code in {"provider_overloaded", "rate_limited", "provider_unreachable"}


def _retry_after(error: Exception) -> float | None:
    if not isinstance(error, anthropic.APIStatusError):
        return None
    try:
        seconds = float(error.response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < 86_400 else None

"""Stream model calls with the Anthropic SDK, which only this module uses, with retries before the first token."""
from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing
from typing import Any, Literal

import anthropic
import httpx2
from anthropic.types import Message, RawMessageStreamEvent

from chat.agent.accumulator import Accumulator
from chat.agent.clock import CallTimeout, Clock, SystemClock
from chat.agent.failures import NO_FIRST_TOKEN, ModelFailure
from chat.agent.model import Json, ModelEvent, Retrying, Stop, TextDelta, Waiting
from chat.agent.server_features import OPTIONAL_FIELDS, SIGNATURES, TOOL_CHOICE, USAGE, adapt_request
from shared import strictjson

log = logging.getLogger(__name__)

MAX_RETRIES = 2
MAX_RETRY_SECONDS = 20.0
RETRY_WAITS = (1.0, 4.0)
CONNECT_SECONDS = 10.0
# A longer wait for the first token is shown to the user.
WAIT_NOTICE_SECONDS = 3.0
BUSY_RETRY_SECONDS, MIN_RETRY_SECONDS = 3.0, 1.0
# Without an error of the provider's own, so that an answer that has started can be continued.
INTERRUPTED = frozenset({"provider_unreachable", "timeout"})
# Shorter keys are placeholders for servers that need none.
MIN_SECRET_LENGTH = 12

CODE_OF_TYPE = {
    "overloaded_error": "provider_overloaded",
    "api_error": "provider_overloaded",
    "internal_error": "provider_overloaded",
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
# In error messages for a prompt that is too long; there is no error code for it.
TOO_LONG_PHRASES = (
    "too long", "context window", "contextwindow", "context length", "context limit", "context size", "context_size",
    "too many tokens", "maximum context",
)  # fmt: skip
NO_CREDIT_PHRASE = "credit balance"
# In error messages of gateways for limits that do not pass within minutes.
QUOTA_WORDS = ("quota", "billing", "credit", "budget")


class AnthropicModel:
    """A model with a Messages API. One object per process: all turns share its connections. Close it with `aclose`.

    `transport` replaces the network (the demo model, scripted models). A failed call is repeated at most `retries`
    times, with waits of at most `retry_seconds` in total, and never more than MAX_RETRIES and MAX_RETRY_SECONDS.

    `first_token_seconds` is for servers other than Anthropic's, which may have to load their model and may answer one
    request at a time: a call waits that long for the first token, with notices, and is repeated without an optional
    field that the server refuses. `lacks` are features that such a server lacks (see `server_features`), to which calls
    add those they find out.
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
    ) -> None:
        timeout = httpx2.Timeout(max(call_seconds, first_token_seconds or 0), connect=CONNECT_SECONDS)
        options: dict[str, Any] = {"timeout": timeout, **({"transport": transport} if transport else {})}
        self._sdk = anthropic.AsyncAnthropic(
            api_key=api_key,
            base_url=base_url or "https://api.anthropic.com",
            max_retries=0,
            timeout=timeout,
            http_client=anthropic.DefaultAsyncHttpxClient(**options),
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
        self._open_calls = 0

    async def aclose(self) -> None:
        """Close all connections."""
        await self._sdk.close()

    async def count_tokens(self, *, messages: Sequence[Json]) -> int:
        """Return the number of tokens of a request, as its server counts them. Raises ModelFailure."""
        try:
            params: Any = list(messages)
            count = await self._sdk.messages.count_tokens(model=self._model, messages=params)
            return int(count.input_tokens)
        except Exception as error:
            raise failure_of(error, started=False, secrets=self._secrets) from None

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
        body: dict[str, Any] = {"model": self._model, "max_tokens": max_tokens, "messages": list(messages)}
        if system:
            body["system"] = list(system)
        if tools:
            body["tools"] = list(tools)
            body["tool_choice"] = tool_choice or {"type": "auto"}
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
            accumulator = Accumulator(used_ids=used_ids)
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
                if self._is_other_server and failure.wait_reason and not accumulator.has_started:
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
        if not (self._is_other_server and field) or field in lacks_before:
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


def failure_of(
    error: Exception, *, started: bool, secrets: Sequence[str] = (), first_token_seconds: float | None = None
) -> ModelFailure:
    """Return the failure for an exception of a call, without `secrets` in its reason.

    `started`: part of the answer has arrived, so the call is not repeated. `first_token_seconds` is the limit of the
    wait for the first token, if it has not arrived.
    """
    code, retry_now = _code_of(error)
    reason = f"{type(error).__name__}: {error}"
    for secret in secrets:
        reason = reason.replace(secret, "…")
    late = code == "timeout" and first_token_seconds is not None
    return ModelFailure(
        code,
        reason=reason[:500],
        message=NO_FIRST_TOKEN(count=round(first_token_seconds or 0)) if late else None,
        retry_after=_retry_after(error),
        retry_now=retry_now and not started,
        wait_reason=_wait_reason(error),
        refused_field=_refused_field(error),
    )


def _wait_reason(error: Exception) -> Literal["loading", "busy", ""]:
    """Return why a server refuses a call for the moment, or ""."""
    if not isinstance(error, anthropic.APIStatusError) or error.status_code not in {429, 503}:
        return ""
    words = str(error.message).lower()
    if any(word in words for word in QUOTA_WORDS):
        return ""
    return "loading" if "loading" in words else "busy"


def _refused_field(error: Exception) -> str:
    """Return the optional field of the request that a server's error message names, or ""."""
    if not isinstance(error, anthropic.APIStatusError) or error.status_code not in {400, 422}:
        return ""
    return next((field for field in OPTIONAL_FIELDS if field in str(error.message)), "")


def _code_of(error: Exception) -> tuple[str, bool]:
    """Return the failure code, and whether the same call may succeed a moment later."""
    if isinstance(error, anthropic.APIStatusError):
        return _code_of_status(error)
    if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException | TimeoutError):
        return "timeout", False
    if isinstance(error, anthropic.APIConnectionError | httpx2.TransportError | OSError):
        return "provider_unreachable", True
    if isinstance(error, TypeError | anthropic.CredentialsError) and "auth" in str(error).lower():
        return "provider_auth", False
    if isinstance(error, AssertionError | ValueError | anthropic.APIResponseValidationError | AttributeError):
        # The response is not one of the Messages API (a web page, half an event).
        return "provider_unreachable", False
    return "internal", False


def _code_of_status(error: anthropic.APIStatusError) -> tuple[str, bool]:
    words = str(error.message).lower()
    if error.status_code in {400, 413} and any(phrase in words for phrase in TOO_LONG_PHRASES):
        return "context_too_long", False
    if error.status_code == 400 and NO_CREDIT_PHRASE in words:
        return "provider_auth", False
    # The type first: an error event in a stream has the status 200.
    code = CODE_OF_TYPE.get(str(error.type), "") or CODE_OF_STATUS.get(error.status_code, "")
    if not code and error.status_code == 200:
        # An error event in a format of the server's own; an answer that has started can be continued.
        code = "provider_unreachable"
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

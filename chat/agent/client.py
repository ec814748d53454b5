"""The Anthropic SDK, wrapped: the only room that knows it. Streams one call, retries before the first token only."""
from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing
from typing import Any, Literal

import anthropic
import httpx2
from anthropic.types import Message, RawMessageStreamEvent

import strictjson
from chat.agent.accumulator import Accumulator
from chat.agent.call_timeout import CallTime
from chat.agent.clock import Clock, SystemClock
from chat.agent.failures import NO_FIRST_TOKEN, ModelFailure
from chat.agent.model import Json, ModelEvent, Retrying, Stop, TextDelta, Waiting
from chat.agent.server_features import OPTIONAL_FIELDS, SIGNATURES, TOOL_CHOICE, USAGE, adapted

log = logging.getLogger(__name__)

MOST_RETRIES = 2
MOST_RETRY_SECONDS = 20.0
WAITS = (1.0, 4.0)
CONNECT_SECONDS = 10.0
# After which a wait for the first token is worth a notice, and between tries of a server that is busy.
NOTICE_SECONDS = 3.0
BUSY_WAIT, SHORTEST_WAIT = 3.0, 1.0
# The answer ended early without an error of the provider's own: what has arrived of its text can be continued.
CUT_SHORT = frozenset({"provider_unreachable", "timeout"})
# Servers that need no key are given a word.
SHORTEST_SECRET = 12

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
# What servers that speak the Messages API say when the prompt does not fit; none of them has a code for it.
TOO_LONG = (
    "too long", "context window", "contextwindow", "context length", "context limit", "context size", "context_size",
    "too many tokens", "maximum context",
)  # fmt: skip
SHORT_OF_CREDIT = "credit balance"
# Gateways refuse so when waiting a few minutes does not help.
USED_UP = ("quota", "billing", "credit", "budget")


class AnthropicModel:
    """A model behind the Messages API; one object per process, its connections are shared by all turns.

    `transport` takes the place of the network (the demo model, scripted models). A call is tried again `retries` times
    at most, with waits of `retry_seconds` together at most, and never more than MOST_RETRIES and MOST_RETRY_SECONDS.

    `first_token_seconds` is for servers other than Anthropic's, which may load their model first and answer one request
    at a time: a call waits that long for the first token and says so, and is sent again without an optional field that
    the server refuses. `lacks` is what is known of such a server (see `abilities.py`); what calls find out is added.
    Wait for `aclose` at the end.
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
        retries: int = MOST_RETRIES,
        retry_seconds: float = MOST_RETRY_SECONDS,
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
        # The SDK would send ANTHROPIC_CUSTOM_HEADERS to every server; an argument can only add to them.
        self._sdk._custom_headers = dict(headers)
        self.lacks = set(lacks)
        self._model = model
        self._secrets = [word for word in (api_key, *dict(headers).values()) if len(word) >= SHORTEST_SECRET]
        self._clock = clock or SystemClock()
        self._first_token_seconds = first_token_seconds
        self._retries = min(retries, MOST_RETRIES)
        self._retry_seconds = min(retry_seconds, MOST_RETRY_SECONDS)
        self._open_calls = 0

    async def aclose(self) -> None:
        """Close all connections."""
        await self._sdk.close()

    async def count_tokens(self, *, messages: Sequence[Json]) -> int:
        """Return how many tokens a request has, as its server counts them. Raises ModelFailure."""
        try:
            given: Any = list(messages)
            counted = await self._sdk.messages.count_tokens(model=self._model, messages=given)
            return int(counted.input_tokens)
        except Exception as error:
            raise failure_of(error, begun=False, secrets=self._secrets) from None

    async def stream(
        self,
        *,
        system: Sequence[Json],
        messages: Sequence[Json],
        tools: Sequence[Json],
        tool_choice: Json | None,
        max_tokens: int,
        seconds: float,
        at_most: float | None = None,
    ) -> AsyncGenerator[ModelEvent, None]:
        """Stream one call, which ends within `seconds` whatever the provider does, or with `first_token_seconds` within
        `seconds` of its first token and within `at_most`.

        Ends with Stop or raises ModelFailure. A connection that breaks, or time that runs out, after text has arrived
        is no failure: the Stop then holds what has arrived, without a stop reason unless that had arrived too.
        """
        body: dict[str, Any] = {"model": self._model, "max_tokens": max_tokens, "messages": list(messages)}
        if system:
            body["system"] = list(system)
        if tools:
            body["tools"] = list(tools)
            body["tool_choice"] = tool_choice or {"type": "auto"}
        time = CallTime(self._clock, seconds=seconds, first_token_seconds=self._first_token_seconds, at_most=at_most)
        self._open_calls += 1
        try:
            async with aclosing(self._attempts(body, time, taken=_use_ids_of(messages))) as events:
                async for event in events:
                    yield event
        finally:
            self._open_calls -= 1

    async def _attempts(self, body: Json, time: CallTime, *, taken: set[str]) -> AsyncGenerator[ModelEvent, None]:
        left, attempt = self._retry_seconds, 0
        waited = ""
        while True:
            accumulator = Accumulator(taken=taken)
            lacked = set(self.lacks)
            try:
                async with aclosing(self._noticed(body, accumulator, time)) as events:
                    async for event in events:
                        if not isinstance(event, Waiting):
                            waited = ""
                        elif event.reason == waited:
                            continue
                        else:
                            waited = event.reason
                        yield event
            except ModelFailure as failure:
                level = logging.INFO if self._is_patient and failure.waiting else logging.WARNING
                log.log(level, "model call failed (%s): %s", failure.code, failure.reason)
                if failure.code in CUT_SHORT and accumulator.opened and accumulator.has_text:
                    yield accumulator.stop()
                    return
                if self._accepts_without(failure.refused_field, lacked=lacked):
                    continue
                if self._is_patient and failure.waiting and not accumulator.begun:
                    wait = failure.retry_after if failure.retry_after is not None else BUSY_WAIT
                    if wait > time.left:
                        raise
                    if failure.waiting != waited:
                        waited = failure.waiting
                        yield Waiting(waited)
                    await self._clock.sleep(max(wait, SHORTEST_WAIT))
                    continue
                wait = failure.retry_after if failure.retry_after is not None else WAITS[min(attempt, 1)]
                in_time = wait <= min(left, time.left)
                if attempt == self._retries or not failure.again or not in_time:
                    raise
                attempt += 1
                left -= wait
                yield Retrying(code=failure.code, seconds=wait)
                await self._clock.sleep(wait)
            else:
                stop = accumulator.stop()
                self._learn(stop, body=body)
                yield stop
                return

    @property
    def _is_patient(self) -> bool:
        """Whether the server may be one that loads its model first, answers one by one, and lacks this and that."""
        return self._first_token_seconds is not None

    def _accepts_without(self, field: str, *, lacked: set[str]) -> bool:
        """Whether the call may be sent again without a field that the server refused; notes that it lacks it."""
        if not (self._is_patient and field) or field in lacked:
            return False
        self.lacks.add(field)
        return True

    def _learn(self, stop: Stop, *, body: Json) -> None:
        """Note what a finished call has shown that the server lacks."""
        if not self._is_patient:
            return
        if stop.stop_reason == "tool_use" and body.get("tool_choice") == {"type": "none"}:
            self.lacks.add(TOOL_CHOICE)
        if stop.stop_reason and not stop.usage.get("output_tokens"):
            self.lacks.add(USAGE)
        if any(block["type"] == "thinking" and not block["signature"] for block in stop.blocks):
            self.lacks.add(SIGNATURES)

    async def _noticed(
        self, body: Json, accumulator: Accumulator, time: CallTime
    ) -> AsyncGenerator[TextDelta | Waiting, None]:
        """The text of one attempt, with notices of a long wait for its first token where the server is patient."""
        async with aclosing(self._once(body, accumulator, time)) as texts:
            if not self._is_patient:
                async for text in texts:
                    yield TextDelta(text)
                return
            first = asyncio.ensure_future(_next(texts))
            notice = asyncio.ensure_future(self._clock.sleep(NOTICE_SECONDS))
            try:
                await asyncio.wait({first, notice}, return_when=asyncio.FIRST_COMPLETED)
                if not first.done():
                    yield Waiting("loading" if self._open_calls == 1 else "busy")
                begun = await first
            finally:
                notice.cancel()
                await _ended(first)
                # A failure knows this frame, and the task knows the failure: that ring is left to no collector.
                del first, notice
            if begun is not None:
                yield TextDelta(begun) if begun else Waiting("")
            async for text in texts:
                yield TextDelta(text)

    async def _once(self, body: Json, accumulator: Accumulator, time: CallTime) -> AsyncGenerator[str, None]:
        """The text of one attempt, "" for the beginning of an answer that is none of its text.

        The one boundary: whatever the SDK raises leaves as ModelFailure.
        """
        begun = not self._is_patient
        try:
            content = strictjson.dump({**adapted(body, lacks=self.lacks), "stream": True}).encode()
            async with time.limit():
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
                    async with time.limit():
                        event = await anext(stream, None)
                    if event is None:
                        break
                    text = accumulator.take(event)
                    if accumulator.begun and not begun:
                        begun = True
                        time.answer_begins()
                        yield text
                    elif text:
                        yield text
            if not accumulator.opened:
                raise ValueError("the answer holds no message")
        except (asyncio.CancelledError, GeneratorExit):
            raise
        except Exception as error:
            # A gateway may quote the key that it refuses, and a failure is logged with its cause.
            quotes = any(secret in str(error) for secret in self._secrets)
            # Without a name of its own: a frame that knows the failure that knows the frame is a ring, and what the SDK
            # left open in it would be closed by the garbage collector, in whatever thread that runs.
            raise failure_of(
                error,
                begun=accumulator.begun,
                secrets=self._secrets,
                first_token_seconds=None if begun else self._first_token_seconds,
            ) from (None if quotes else error)


async def _next(texts: AsyncGenerator[str, None]) -> str | None:
    return await anext(texts, None)


async def _ended(task: asyncio.Task[Any]) -> None:
    """Cancel a task unless it is done, and wait for its end, whatever that is."""
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.exception()


def _use_ids_of(messages: Sequence[Json]) -> set[str]:
    """The ids of all tool uses in a request."""
    blocks = (block for message in messages if isinstance(message["content"], list) for block in message["content"])
    return {block["id"] for block in blocks if block["type"] == "tool_use"}


def failure_of(
    error: Exception, *, begun: bool, secrets: Sequence[str] = (), first_token_seconds: float | None = None
) -> ModelFailure:
    """The failure that any exception of a call means. `begun`: part of the answer had come, so never again; `secrets`
    are left out of its reason. `first_token_seconds`: how long the first token was waited for, if it has not come."""
    code, again = _code_of(error)
    reason = f"{type(error).__name__}: {error}"
    for secret in secrets:
        reason = reason.replace(secret, "…")
    late = code == "timeout" and first_token_seconds is not None
    return ModelFailure(
        code,
        reason=reason[:500],
        message=NO_FIRST_TOKEN(count=round(first_token_seconds or 0)) if late else None,
        retry_after=_retry_after(error),
        again=again and not begun,
        waiting=_waiting_for(error),
        refused_field=_refused_field(error),
    )


def _waiting_for(error: Exception) -> Literal["loading", "busy", ""]:
    """What a server is doing that refuses a call for the moment."""
    if not isinstance(error, anthropic.APIStatusError) or error.status_code not in {429, 503}:
        return ""
    words = str(error.message).lower()
    if any(word in words for word in USED_UP):
        return ""
    return "loading" if "loading" in words else "busy"


def _refused_field(error: Exception) -> str:
    """The optional field that a server refuses to read, by the words of its error."""
    if not isinstance(error, anthropic.APIStatusError) or error.status_code not in {400, 422}:
        return ""
    return next((field for field in OPTIONAL_FIELDS if field in str(error.message)), "")


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
    if not code and error.status_code == 200:
        # An error event in a form of the server's own: what has arrived of the answer can be continued.
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

"""Scripted servers that speak the Messages API the way Ollama, llama.cpp, vLLM and LiteLLM document it.

`LocalServer("ollama", say("Hello"))` takes the place of a ScriptedModel: same replies, each in that server's own form.
"""
from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx2

from tests.scripted_model import Json, Reply, ScriptedModel

Events = Iterable[Json]


@dataclass(frozen=True)
class Dialect:
    """How one server differs: `events` rewrites a stream, `tail` follows it, `refusal` is the body of an error.

    `tool_choice` are the types it honours, `refuses` names fields of a request that it answers with 400, `counts` says
    whether it has `count_tokens`, `caches` whether it reports tokens from its cache.
    """

    name: str
    events: Callable[[Events], Iterator[Json]]
    refusal: Callable[[int, str], Json]
    tool_choice: frozenset[str] = frozenset()
    refuses: frozenset[str] = frozenset()
    tail: bytes = b""
    counts: bool = False
    caches: bool = False
    loading: tuple[int, str] = (503, "Loading model")
    too_long: tuple[int, str] = (400, "")


def _ollama(events: Events) -> Iterator[Json]:
    """No signature, no counts of a cache, a whole tool input in one delta; token counts of 0 at the end are usual."""
    for event in _unsigned(events):
        if event["type"] == "message_start":
            yield _with_usage(event, {"input_tokens": 100, "output_tokens": 0})
        elif event["type"] == "message_delta":
            yield {**event, "usage": {"input_tokens": 0, "output_tokens": event["usage"]["output_tokens"]}}
        else:
            yield event


def _llama_cpp(events: Events) -> Iterator[Json]:
    """Thinking whose signature is empty."""
    for event in events:
        delta = event.get("delta", {})
        yield {**event, "delta": {**delta, "signature": ""}} if delta.get("type") == "signature_delta" else event


def _vllm(events: Events) -> Iterator[Json]:
    """Usage beside the message and not in it, no pings, a tool use whose first piece of input is null."""
    for event in _unsigned(events):
        if event["type"] == "ping":
            continue
        if event["type"] == "message_start":
            message = {name: value for name, value in event["message"].items() if name != "usage"}
            yield {**event, "message": message, "usage": {"input_tokens": 100, "output_tokens": 0}}
            continue
        yield event
        if event["type"] == "content_block_start" and event["content_block"]["type"] == "tool_use":
            delta = {"type": "input_json_delta", "partial_json": None}
            yield {"type": "content_block_delta", "index": event["index"], "delta": delta}


def _litellm(events: Events) -> Iterator[Json]:
    """Begins the message before the model has answered, and reports no usage at all."""
    for event in _unsigned(events):
        if event["type"] == "message_start":
            yield _with_usage(event, {"input_tokens": 0, "output_tokens": 0})
        elif event["type"] == "message_delta":
            yield {name: value for name, value in event.items() if name != "usage"}
        else:
            yield event


def _unsigned(events: Events) -> Iterator[Json]:
    """The events without signatures of thinking."""
    for event in events:
        if event.get("delta", {}).get("type") == "signature_delta":
            continue
        block = event.get("content_block", {})
        if block.get("type") == "thinking":
            yield {**event, "content_block": {"type": "thinking", "thinking": ""}}
        else:
            yield event


def _with_usage(event: Json, usage: Json) -> Json:
    return {**event, "message": {**event["message"], "usage": usage}}


OLLAMA_ERRORS = {400: "invalid_request_error", 404: "not_found_error", 503: "overloaded_error"}
OLLAMA = Dialect(
    name="ollama",
    events=_ollama,
    refusal=lambda status, message: {
        "type": "error",
        "error": {"type": OLLAMA_ERRORS.get(status, "api_error"), "message": message},
    },
    loading=(503, "server busy, please try again.  maximum pending requests exceeded"),
    too_long=(400, "the input length exceeds the context length"),
)
LLAMA_CPP = Dialect(
    name="llama_cpp",
    events=_llama_cpp,
    refusal=lambda status, message: {"error": {"code": status, "message": message, "type": "unavailable_error"}},
    tool_choice=frozenset({"auto", "any", "tool", "none"}),
    counts=True,
    caches=True,
    too_long=(400, "the request exceeds the available context size, try increasing it"),
)
VLLM = Dialect(
    name="vllm",
    events=_vllm,
    refusal=lambda status, message: {"type": "error", "error": {"type": "BadRequestError", "message": message}},
    tool_choice=frozenset({"auto", "any", "tool"}),
    refuses=frozenset({"thinking"}),
    tail=b"data: [DONE]\n\n",
    counts=True,
    too_long=(400, "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens"),
)
LITELLM = Dialect(
    name="litellm",
    events=_litellm,
    refusal=lambda status, message: {
        "error": {"message": message, "type": "None", "param": "None", "code": str(status)},
    },
    refuses=frozenset({"tool_choice", "cache_control"}),
    loading=(429, "litellm.RateLimitError: No deployments available for selected model, Try again in 5 seconds."),
    too_long=(400, "litellm.ContextWindowExceededError: prompt does not fit"),
)
DIALECTS = {dialect.name: dialect for dialect in (OLLAMA, LLAMA_CPP, VLLM, LITELLM)}


class LocalServer(ScriptedModel):
    """A scripted model behind one of these servers. It refuses what the server would, on top of what the API would."""

    def __init__(self, name: str, *replies: Reply | Callable[[Json], Reply], otherwise: Reply | None = None) -> None:
        super().__init__(*replies, otherwise=otherwise)
        self.dialect = DIALECTS[name]

    def take(self, request: Json) -> Reply:
        refused = next((field for field in self.dialect.refuses if field in fields_of(request)), "")
        if refused:
            self.requests.append(request)
            return self.refuse(400, f"{refused}: Extra inputs are not permitted, or not supported by this model")
        reply = super().take(request)
        if reply.status != 200 and reply.body is None:
            return self.refuse(reply.status, reply.error.get("message", "no"), headers=reply.headers)
        return reply

    def refuse(self, status: int, message: str, *, headers: Json | None = None) -> Reply:
        """An error answer in the server's own form."""
        body = json.dumps(self.dialect.refusal(status, message)).encode()
        return Reply(status=status, body=body, headers=headers or {})

    def counted(self) -> httpx2.Response:
        if self.dialect.counts:
            return super().counted()
        return httpx2.Response(404, text="404 page not found")

    def still_loading(self) -> Reply:
        """Return the reply while the model is not in memory, or all slots are taken."""
        return self.refuse(*self.dialect.loading)

    async def stream(self, reply: Reply) -> AsyncGenerator[bytes, None]:
        async for piece in super().stream(reply):
            yield piece
        if reply.status == 200 and reply.body is None and not reply.ending and self.dialect.tail:
            yield self.dialect.tail

    def _events(self, reply: Reply) -> Iterator[Json]:
        return self.dialect.events(super()._events(reply))


def fields_of(request: Json) -> set[str]:
    """The names of all fields of a request, and the types of its content blocks."""
    found: set[str] = set()

    def visit(value: Any) -> None:
        if isinstance(value, dict):
            found.update(value)
            for item in value.values():
                visit(item)
        elif isinstance(value, list):
            for item in value:
                visit(item)

    visit({name: value for name, value in request.items() if name != "tools"})
    return found

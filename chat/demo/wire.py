"""The Messages API's wire form of a reply: a whole message, or server-sent events in small deltas."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from chat.demo.reply import Reply

Json = dict[str, Any]
_PROSE_STEP = 5
_ELEMENT_DELTAS = 250


def message(*, reply: Reply, model: str, prompt_bytes: int) -> Json:
    """The reply as one message object."""
    blocks: list[Json] = []
    if text := _text(reply):
        blocks.append({"type": "text", "text": text})
    if reply.tool_use:
        blocks.append(_tool_block(reply, given=reply.tool_use.input, prompt_bytes=prompt_bytes))
    return {
        **_envelope(reply=reply, model=model, prompt_bytes=prompt_bytes),
        "content": blocks,
        "stop_reason": reply.stop_reason,
        "usage": {"input_tokens": _tokens(prompt_bytes), "output_tokens": _output_tokens(reply)},
    }


def events(*, reply: Reply, model: str, prompt_bytes: int) -> Iterator[Json]:
    """The reply as the events of a stream, in order."""
    yield {"type": "message_start", "message": _envelope(reply=reply, model=model, prompt_bytes=prompt_bytes)}
    index = 0
    if text := _text(reply):
        yield {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}
        for piece in _pieces(reply=reply, text=text):
            yield {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": piece}}
        yield {"type": "content_block_stop", "index": index}
        index += 1
    if reply.tool_use:
        block = _tool_block(reply, given={}, prompt_bytes=prompt_bytes)
        yield {"type": "content_block_start", "index": index, "content_block": block}
        for piece in _cut(json.dumps(reply.tool_use.input, ensure_ascii=False), step=12):
            delta = {"type": "input_json_delta", "partial_json": piece}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": reply.stop_reason, "stop_sequence": None},
        "usage": {"output_tokens": _output_tokens(reply)},
    }
    yield {"type": "message_stop"}


def encode(event: Json) -> bytes:
    """One event on the wire. The SDK drops events that have no `event:` line."""
    return f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode("utf-8", "replace")


def is_delta(event: Json) -> bool:
    """Whether the event carries a piece of text, which a model takes time to write."""
    return bool(event["type"] == "content_block_delta")


def _text(reply: Reply) -> str:
    return "\n\n".join(part for part in (reply.text, reply.element) if part)


def _pieces(*, reply: Reply, text: str) -> Iterator[str]:
    """Prose in steps of a word or so; an element in a bounded number of deltas, so that 200 rows take seconds."""
    prose = len(text) - len(reply.element)
    yield from _cut(text[:prose], step=_PROSE_STEP)
    yield from _cut(reply.element, step=max(_PROSE_STEP, len(reply.element) // _ELEMENT_DELTAS))


def _cut(text: str, *, step: int) -> Iterator[str]:
    for start in range(0, len(text), step):
        yield text[start : start + step]


def _envelope(*, reply: Reply, model: str, prompt_bytes: int) -> Json:
    return {
        "id": f"msg_{_digest(reply, prompt_bytes=prompt_bytes)}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {
            "input_tokens": _tokens(prompt_bytes),
            "output_tokens": 1,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    }


def _tool_block(reply: Reply, *, given: Json, prompt_bytes: int) -> Json:
    name = reply.tool_use.name if reply.tool_use else ""
    return {
        "type": "tool_use",
        "id": f"toolu_{_digest(reply, prompt_bytes=prompt_bytes)}",
        "name": name,
        "input": given,
    }


def _digest(reply: Reply, *, prompt_bytes: int) -> str:
    # The prompt grows with every call of a conversation, so the same question asked twice has two ids.
    return hashlib.sha256(f"{prompt_bytes} {reply!r}".encode("utf-8", "replace")).hexdigest()[:24]


def _tokens(size: int) -> int:
    return max(1, round(size / 3.5))


def _output_tokens(reply: Reply) -> int:
    used = json.dumps(reply.tool_use.input) if reply.tool_use else ""
    return _tokens(len((_text(reply) + used).encode("utf-8", "replace")))

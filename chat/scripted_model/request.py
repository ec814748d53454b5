"""Parts of a Messages API request: the user's message, the documents before it, and the results of tools."""
from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from chat.agent.call import FROM_APPLICATION

Json = dict[str, Any]
_FENCE = re.compile(r"^<data token=[^\n>]*>\s*", re.MULTILINE)


@dataclass(frozen=True)
class Call:
    """A call of the model: the message of its turn, and the last result of a tool in this turn, as `results_of` has it.

    `turn` is the same for all calls of a turn, and another for each turn. `answers` is the number of answers that the
    model has given in this turn. `schemas` are the input schemas of the
    offered tools by name.
    """

    message: str
    turn: str
    answers: int = 0
    result: Json | None = None
    schemas: Mapping[str, Json] = field(default_factory=dict)


def read_call(body: Json) -> Call:
    """Return the call of a request body."""
    messages = body.get("messages") or [{"role": "user", "content": ""}]
    start = max((at for at, message in enumerate(messages) if _starts_turn(message)), default=0)
    results = list(results_of(messages[start + 1 :]).values())
    # The blocks before the text of the user have a token that is new in every turn.
    digest = hashlib.sha256(json.dumps([start, messages[start]["content"]], sort_keys=True).encode()).hexdigest()
    return Call(
        message=(texts_of(messages[start]) or [""])[-1],
        turn=digest,
        answers=sum(message["role"] == "assistant" for message in messages[start + 1 :]),
        result=results[-1] if results else None,
        schemas={tool["name"]: tool.get("input_schema") or {} for tool in body.get("tools") or []},
    )


def _starts_turn(message: Json) -> bool:
    texts = texts_of(message)
    return is_user_message(message) and not (texts and texts[-1].startswith(FROM_APPLICATION))


def is_user_message(message: Json) -> bool:
    """Return whether a message is one of the user, or of the application, and not the results of tools."""
    kinds = {block["type"] for block in message["content"] if isinstance(block, dict)}
    return message["role"] == "user" and "tool_result" not in kinds


def texts_of(message: Json) -> list[str]:
    """Return the texts of a message or of a tool result."""
    content = message.get("content") or []
    return [content] if isinstance(content, str) else [block["text"] for block in content if block["type"] == "text"]


def find_document(texts: list[str], *, name: str) -> Json:
    """Return the first fenced document with this key. It is parsed as JSON, so cells cannot end it."""
    for fence in (fence for text in texts for fence in _FENCE.finditer(text)):
        value = find_json(fence.string[fence.end() :])
        if isinstance(value, dict) and name in value:
            return value
    return {}


def results_of(messages: list[Json]) -> dict[str, Json]:
    """Return the last result of each tool: `{"text", "value" (parsed, None if it is not JSON), "is_error"}`."""
    blocks = [block for message in messages if isinstance(message["content"], list) for block in message["content"]]
    names = {block["id"]: block["name"] for block in blocks if block["type"] == "tool_use"}
    results: dict[str, Json] = {}
    for block in (block for block in blocks if block["type"] == "tool_result"):
        text = "\n".join(texts_of(block))
        fence = _FENCE.search(text)
        value = find_json(text[fence.end() :] if fence else text)
        name = names.get(block["tool_use_id"], "")
        results.pop(name, None)  # the last result is the last entry
        results[name] = {"text": text, "value": value, "is_error": block.get("is_error")}
    return results


def find_json(text: str) -> Any:
    """Return the first JSON object or array in a text, or None."""
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    try:
        return json.JSONDecoder().raw_decode(text, start)[0] if start >= 0 else None
    except ValueError:
        return None

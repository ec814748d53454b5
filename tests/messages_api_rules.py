"""The rules the Messages API holds its callers to, so that a scripted model refuses what the real one would."""
from __future__ import annotations

import re
from collections.abc import Iterator
from string import whitespace
from typing import Any

Json = dict[str, Any]
MAX_BREAKPOINTS = 4
TOOL_CHOICES = {"auto", "any", "tool", "none"}
RETIRED = {"temperature", "top_p", "top_k"}
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ID = re.compile(r"[a-zA-Z0-9_-]+")
SERVER_TOOL = re.compile(r"web_(search|fetch)_\d{8}")
NOT_AT_THE_TOP = {"oneOf", "allOf", "anyOf"}


def problems_of(request: Json, *, resumes: bool = False) -> list[str]:
    """Return the faults of a request. `resumes`: the last reply paused, so the assistant's message may be last."""
    return [*_envelope(request), *_messages(request.get("messages"), resumes=resumes), *_breakpoints(request)]


def _envelope(request: Json) -> Iterator[str]:
    if not request.get("stream"):
        yield "stream: must be true"
    if not isinstance(request.get("model"), str) or not request["model"]:
        yield "model: a name is required"
    if not isinstance(request.get("max_tokens"), int) or request["max_tokens"] < 1:
        yield "max_tokens: must be at least 1"
    for name in RETIRED & set(request):
        yield f"{name}: is not supported by this model"
    names = [tool.get("name") for tool in request.get("tools", [])]
    if len(set(names)) < len(names):
        yield "tools: names must be unique"
    for index, tool in enumerate(request.get("tools", [])):
        schema = tool.get("input_schema", {})
        if not NAME.fullmatch(str(tool.get("name"))):
            yield f"tools.{index}.name: must match {NAME.pattern}"
        if SERVER_TOOL.fullmatch(str(tool.get("type"))) and not schema:
            continue
        if schema.get("type") != "object" or NOT_AT_THE_TOP & set(schema):
            yield f"tools.{index}.input_schema: must be of type object, without oneOf, allOf, anyOf at its top"
    choice = request.get("tool_choice")
    if choice is not None and (not names or choice.get("type") not in TOOL_CHOICES):
        yield "tool_choice: needs tools and a known type"
    for block in request.get("system", []) if isinstance(request.get("system"), list) else []:
        if not block.get("text", "").strip():
            yield "system: text content blocks must be non-empty"


def _messages(messages: Any, *, resumes: bool) -> Iterator[str]:
    if not isinstance(messages, list) or not messages:
        yield "messages: at least one message is required"
        return
    for index, message in enumerate(messages):
        expected = "user" if index % 2 == 0 else "assistant"
        if message.get("role") != expected:
            yield f"messages.{index}: roles must alternate, expected {expected}"
        following = messages[index + 1] if index + 1 < len(messages) else None
        yield from _content(message, index=index, following=following)
    if messages[-1].get("role") != "user" and not resumes:
        yield "messages: the conversation must end with a user message"
    if messages[-1].get("role") == "assistant" and _text_at_end(messages[-1]).endswith(tuple(whitespace)):
        yield "messages: final assistant content cannot end with trailing whitespace"
    yield from _orphans(messages)


def _content(message: Json, *, index: int, following: Json | None) -> Iterator[str]:
    content = message.get("content")
    if isinstance(content, str):
        if not content.strip():
            yield f"messages.{index}: text content must be non-empty"
        return
    if not isinstance(content, list) or not content:
        yield f"messages.{index}: all messages must have non-empty content"
        return
    for place, block in enumerate(content):
        if block.get("type") == "text" and not block.get("text", "").strip():
            yield f"messages.{index}.content.{place}: text content blocks must be non-empty"
        if block.get("type") == "tool_use" and not isinstance(block.get("input"), dict):
            yield f"messages.{index}.content.{place}: tool_use input must be an object"
        if block.get("type") == "tool_use" and not (ID.fullmatch(block["id"]) and NAME.fullmatch(block["name"])):
            yield f"messages.{index}.content.{place}: tool_use id and name must match {NAME.pattern}"
    used = [block["id"] for block in content if block.get("type") == "tool_use"]
    answered = [block["tool_use_id"] for block in _blocks(following) if block.get("type") == "tool_result"]
    if len(set(used)) < len(used):
        yield f"messages.{index}: tool_use ids must be unique"
    if sorted(used) != sorted(answered):
        yield f"messages.{index}: tool_use ids {used} were answered by tool_result ids {answered}"
    kinds = [block.get("type") for block in _blocks(following)]
    if used and kinds[: len(used)] != ["tool_result"] * len(used):
        yield f"messages.{index + 1}: tool_result blocks must come first"


def _text_at_end(message: Json) -> str:
    blocks = _blocks(message)
    return str(blocks[-1].get("text", "")) if blocks else str(message.get("content"))


def _orphans(messages: list[Json]) -> Iterator[str]:
    first = _blocks(messages[0])
    if any(block.get("type") == "tool_result" for block in first):
        yield "messages.0: a tool_result needs the tool_use before it"


def _blocks(message: Json | None) -> list[Json]:
    content = message.get("content") if message else None
    return content if isinstance(content, list) else []


def _breakpoints(request: Json) -> Iterator[str]:
    system = request.get("system")
    blocks = [*(system if isinstance(system, list) else []), *request.get("tools", [])]
    for message in request.get("messages", []):
        blocks += _blocks(message)
    marked = [block for block in blocks if "cache_control" in block]
    if len(marked) > MAX_BREAKPOINTS:
        yield f"cache_control: at most {MAX_BREAKPOINTS} blocks, found {len(marked)}"
    if any(block.get("type") == "thinking" for block in marked):
        yield "cache_control: cannot be set on thinking blocks"

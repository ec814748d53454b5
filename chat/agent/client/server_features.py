"""Features that servers with a Messages API may lack, and requests adapted to such servers."""
from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from urllib.parse import urlsplit

Json = dict[str, Any]

TOOL_CHOICE = "tool_choice"
CACHE_CONTROL = "cache_control"
USAGE = "usage"
SIGNATURES = "signatures"
# A request with one of these fields is repeated without it if the server refuses the field.
OPTIONAL_FIELDS = (TOOL_CHOICE, CACHE_CONTROL)
# The provider's own search of the web, which some models and accounts lack. A request needs it or does not have it.
WEB_SEARCH = "web_search"
ANTHROPIC_HOST = "anthropic.com"


def is_anthropic(base_url: str) -> bool:
    """Whether a base URL is Anthropic's own API, which is also the default."""
    host = (urlsplit(base_url).hostname or "") if base_url else ANTHROPIC_HOST
    return host == ANTHROPIC_HOST or host.endswith(f".{ANTHROPIC_HOST}")


def request_body(
    *,
    model: str,
    system: Sequence[Json],
    messages: Sequence[Json],
    tools: Sequence[Json],
    tool_choice: Json | None,
    max_tokens: int,
) -> Json:
    """Return a request of the Messages API, without fields that would be empty."""
    body: Json = {"model": model, "max_tokens": max_tokens, "messages": list(messages)}
    if system:
        body["system"] = list(system)
    if tools:
        body["tools"] = list(tools)
        body["tool_choice"] = tool_choice or {"type": "auto"}
    return body


def uses_server_tools(tools: Sequence[Json]) -> bool:
    """Whether one of these tools is run by the provider, so that the answer has blocks of its own for it."""
    return any("input_schema" not in tool for tool in tools)


def adapt_request(body: Json, *, lacks: Collection[str]) -> Json:
    """Return the request without features that the server lacks.

    Without `tool_choice` the tools are removed from a request that must not use any.
    """
    if CACHE_CONTROL in lacks:
        body = {**body, "messages": [_without_cache_control(message) for message in body["messages"]]}
        if "system" in body:
            body["system"] = _unmarked_blocks(body["system"])
    if TOOL_CHOICE in lacks and "tool_choice" in body:
        left_out = {"tool_choice", "tools"} if body["tool_choice"]["type"] == "none" else {"tool_choice"}
        body = {name: value for name, value in body.items() if name not in left_out}
    return body


def _without_cache_control(message: Json) -> Json:
    content = message["content"]
    return message if isinstance(content, str) else {**message, "content": _unmarked_blocks(content)}


def _unmarked_blocks(blocks: list[Json]) -> list[Json]:
    return [{name: value for name, value in block.items() if name != "cache_control"} for block in blocks]

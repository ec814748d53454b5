"""What servers that speak the Messages API may lack, and the request that each of them accepts all the same."""
from __future__ import annotations

from collections.abc import Collection
from typing import Any
from urllib.parse import urlsplit

Json = dict[str, Any]

TOOL_CHOICE = "tool_choice"
CACHE_CONTROL = "cache_control"
USAGE = "usage"
SIGNATURES = "signatures"
# Fields that a request can do without, so that a server that refuses one is asked again without it.
OPTIONAL_FIELDS = (TOOL_CHOICE, CACHE_CONTROL)
ANTHROPIC_HOST = "anthropic.com"


def is_anthropic(base_url: str) -> bool:
    """Whether an address is Anthropic's own API, which is also the default."""
    host = (urlsplit(base_url).hostname or "") if base_url else ANTHROPIC_HOST
    return host == ANTHROPIC_HOST or host.endswith(f".{ANTHROPIC_HOST}")


def adapted(body: Json, *, lacks: Collection[str]) -> Json:
    """The request without what the server lacks.

    Where it cannot be told to use no tool, it is not sent the tools.
    """
    if CACHE_CONTROL in lacks:
        body = {**body, "messages": [_without_marks(message) for message in body["messages"]]}
        if "system" in body:
            body["system"] = _unmarked(body["system"])
    if TOOL_CHOICE in lacks and "tool_choice" in body:
        left_out = {"tool_choice", "tools"} if body["tool_choice"]["type"] == "none" else {"tool_choice"}
        body = {name: value for name, value in body.items() if name not in left_out}
    return body


def _without_marks(message: Json) -> Json:
    content = message["content"]
    return message if isinstance(content, str) else {**message, "content": _unmarked(content)}


def _unmarked(blocks: list[Json]) -> list[Json]:
    return [{name: value for name, value in block.items() if name != "cache_control"} for block in blocks]

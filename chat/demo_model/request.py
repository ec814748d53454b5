"""Reads a Messages API request: the user's words, the page, the tools there are and what they have answered."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from chat.demo_model.page import Page, read_page
from chat.demo_model.text import bare
from chat.instructions import ANNOUNCED

Json = dict[str, Any]
UNDO = re.compile(r"(?:undo|revert)\b|take (?:it|that|this) back$", re.IGNORECASE)
_ACTION = re.compile(r"^- (\w+): .*May run\.$", re.MULTILINE)
_MARKER = re.compile(r"\b(SCHEMA_PROPOSAL|DATA_PROPOSAL): \{")
_WRITE_TOOLS = ("create_row", "update_row", "delete_row")
_FENCE = re.compile(r"^<data token=[^\n>]*>\s*", re.MULTILINE)


@dataclass(frozen=True)
class Turn:
    """What the demo model knows when it answers.

    `wish` is `words` without courtesy, `results` what the tools of this turn answered, `opened` the manifest's entry of
    a pending proposal, `markers` the proposals and `actions` the client actions that are possible. `ran_before` are the
    actions that the answer before ran (requests to undo in between do not count), `last_change` is the state of what it
    changed: "applied", "undone", or "" for nothing.
    """

    words: str
    wish: str
    page: Page
    tools: frozenset[str] = frozenset()
    results: Mapping[str, Json] = field(default_factory=dict)
    seed: int = 0
    opened: Json | None = None
    markers: frozenset[str] = frozenset()
    actions: frozenset[str] = frozenset()
    ran_before: tuple[str, ...] = ()
    last_change: str = ""


def read_turn(body: Json) -> Turn:
    """Return the turn of a request body."""
    messages = body["messages"]
    start = max((at for at, message in enumerate(messages) if _is_words(message)), default=0)
    texts = _texts(messages[start]) or [""]
    words = _intention(texts[-1]) or texts[-1]
    context = _document(texts[:-1], name="page")
    system = "\n".join(_texts({"content": body.get("system") or []}))
    forbidden = (body.get("tool_choice") or {}).get("type") == "none"
    known = _document(texts[:-1], name="payloads")
    payloads = known.get("payloads") or []
    pending = [entry for entry in payloads if str(entry.get("status", "")).startswith("pending")]
    return Turn(
        words=words,
        wish=bare(words),
        page=read_page(context),
        tools=frozenset() if forbidden else frozenset(tool["name"] for tool in body.get("tools") or []),
        results=_results(messages[start + 1 :]),
        # The same request gives the same made-up values; another table or other words give others.
        seed=crc32(f"{words} {context.get('table')} {context.get('sample_rows')}".encode("utf-8", "replace")),
        opened=pending[-1] if pending else None,
        markers=frozenset(_MARKER.findall(system)),
        actions=frozenset(_ACTION.findall(system.partition("CLIENT ACTIONS\n")[2].partition("\n\n")[0])),
        ran_before=_ran(messages[:start]),
        last_change=_last_change(messages[:start], payloads=payloads, facts=known.get("since_your_last_answer") or []),
    )


def _last_change(messages: list[Json], *, payloads: list[Json], facts: list[str]) -> str:
    asked = max((at for at, message in enumerate(messages) if _is_words(message)), default=0)
    results = _results(messages[asked:])
    if any(name in results and not results[name]["is_error"] for name in _WRITE_TOOLS):
        turns = [fact for fact in facts if fact.endswith(" by the user.")]
        return "undone" if turns and turns[-1].endswith(" was undone by the user.") else "applied"
    newest = f"{payloads[-1].get('summary')}: " if payloads else ""
    found = [fact.removeprefix(newest) for fact in facts if newest and fact.startswith(newest)]
    return next((state for state in ("applied", "undone") if found and found[-1].startswith(state)), "")


def _ran(messages: list[Json]) -> tuple[str, ...]:
    for message in reversed(messages):
        texts = _texts(message)
        if message["role"] == "user" and not (texts and UNDO.match(bare(texts[-1]))):
            break
        listed = "".join(texts[-1:]).partition("SUGGESTED_ACTIONS: ")[2] if message["role"] == "assistant" else ""
        if isinstance(entries := _json(listed), list):
            return tuple(str(entry.get("action")) for entry in entries if entry.get("run") is True)
    return ()


def _intention(words: str) -> str:
    """The next step that was announced, where the application asks for it; else ""."""
    before, _, after = words.partition(ANNOUNCED)
    said = before.startswith("[The user applied") and after.startswith('"')
    return str(json.JSONDecoder().raw_decode(after)[0]) if said else ""


def _is_words(message: Json) -> bool:
    kinds = {block["type"] for block in message["content"] if isinstance(block, dict)}
    return message["role"] == "user" and "tool_result" not in kinds


def _texts(message: Json) -> list[str]:
    content = message.get("content") or []
    return [content] if isinstance(content, str) else [block["text"] for block in content if block["type"] == "text"]


def _document(texts: list[str], *, name: str) -> Json:
    """The first fenced document that has `name`. A cell cannot end it: it is read as JSON."""
    for fence in (fence for text in texts for fence in _FENCE.finditer(text)):
        value = _json(fence.string[fence.end() :])
        if isinstance(value, dict) and name in value:
            return value
    return {}


def _results(messages: list[Json]) -> dict[str, Json]:
    """What each tool of this turn answered last: `{"text", "value" (its JSON, if it is JSON), "is_error"}`."""
    blocks = [block for message in messages if isinstance(message["content"], list) for block in message["content"]]
    names = {block["id"]: block["name"] for block in blocks if block["type"] == "tool_use"}
    results = {}
    for block in (block for block in blocks if block["type"] == "tool_result"):
        text = "\n".join(_texts(block))
        fence = _FENCE.search(text)
        value = _json(text[fence.end() :] if fence else text)
        results[names.get(block["tool_use_id"], "")] = {"text": text, "value": value, "is_error": block.get("is_error")}
    return results


def _json(text: str) -> Any:
    """The JSON value that a text begins with (after any words of the application), or None."""
    opens = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    try:
        return json.JSONDecoder().raw_decode(text, opens)[0] if opens >= 0 else None
    except ValueError:
        return None

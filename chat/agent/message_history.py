"""Keeps lists of API messages valid: roles alternate, every tool use is answered, no text is empty."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]

LOST_RESULT = "This tool did not run to its end; its effect is unknown."
INTERRUPTED = "(The answer was interrupted here.)"
TOOL_BLOCKS = {"tool_use", "tool_result"}
THINKING = {"thinking", "redacted_thinking"}


def mended(messages: Sequence[Json]) -> list[Json]:
    """The same conversation as the API will take it; the input is not changed.

    Thinking blocks are left out: they belong inside the tool loop that made them. Tool uses without a result get one
    that says so; results without their tool use go.
    """
    out: list[Json] = []
    open_uses: list[str] = []
    for message in messages:
        role = message["role"]
        blocks = _clean(message["content"])
        if role == "user":
            given = {b["tool_use_id"]: b for b in blocks if b["type"] == "tool_result"}
            answers = [given.get(use) or _lost(use) for use in open_uses]
            blocks = [*answers, *(b for b in blocks if b["type"] not in TOOL_BLOCKS)]
            open_uses = []
        else:
            blocks = [b for b in blocks if b["type"] != "tool_result"]
            if open_uses:
                _append(out, role="user", blocks=[_lost(use) for use in open_uses])
            open_uses = [b["id"] for b in blocks if b["type"] == "tool_use"]
        _append(out, role=role, blocks=blocks)
    if open_uses:
        _append(out, role="user", blocks=[_lost(use) for use in open_uses])
    return out


def mended_after(before: Sequence[Json], *, more: Sequence[Json]) -> list[Json] | None:
    """`mended` of messages of which those `before` are mended already, at the cost of the others alone; None where
    these do not simply follow them."""
    new = mended(more)
    follows = bool(new) and new[0]["role"] == "user" and (not before or before[-1]["role"] == "assistant")
    return [*before, *new] if follows else None


def ended(messages: Sequence[Json]) -> list[Json]:
    """The messages of a turn after the user's, mended, with the assistant's as the last one."""
    out = mended(messages)
    if not out or out[-1]["role"] == "user":
        _append(out, role="assistant", blocks=[{"type": "text", "text": INTERRUPTED}])
    return out


def asked(messages: Sequence[Json], *, note: str) -> list[Json]:
    """The messages with a note of the application's as the next one of the user's."""
    out = list(messages)
    if out and out[-1]["role"] == "user":
        out.append({"role": "assistant", "content": [{"type": "text", "text": INTERRUPTED}]})
    return [*out, {"role": "user", "content": [{"type": "text", "text": note}]}]


def resumed(messages: Sequence[Json]) -> list[Json]:
    """The messages as they are sent without a note. Where the assistant stands last, for it paused, the API refuses
    white space at the end of its text."""
    out = list(messages)
    if out and out[-1]["role"] == "assistant" and out[-1]["content"][-1]["type"] == "text":
        *blocks, last = out[-1]["content"]
        out[-1] = {"role": "assistant", "content": [*blocks, {**last, "text": last["text"].rstrip()}]}
    return out


def without_tool_uses(blocks: Sequence[Json]) -> list[Json]:
    """Blocks of an answer whose tools will not run."""
    return [block for block in blocks if block["type"] != "tool_use"]


def _append(out: list[Json], *, role: str, blocks: list[Json]) -> None:
    if not blocks:
        return
    if out and out[-1]["role"] == role:
        out[-1] = {"role": role, "content": [*out[-1]["content"], *blocks]}
    else:
        out.append({"role": role, "content": blocks})


def _clean(content: Any) -> list[Json]:
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    kept = [b for b in blocks if b.get("type") not in THINKING]
    return [b for b in kept if b.get("type") != "text" or b.get("text", "").strip()]


def _lost(tool_use_id: str) -> Json:
    return {"type": "tool_result", "tool_use_id": tool_use_id, "content": LOST_RESULT, "is_error": True}

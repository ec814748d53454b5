"""Make lists of API messages valid: roles alternate, each tool use has a result, no text is empty."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]

LOST_RESULT = "This tool did not run to its end; its effect is unknown."
INTERRUPTED = "(The answer was interrupted here.)"
TOOL_BLOCKS = {"tool_use", "tool_result"}
THINKING = {"thinking", "redacted_thinking"}


def normalize_messages(messages: Sequence[Json]) -> list[Json]:
    """Return the messages in a form that the API accepts; the input is not changed.

    Thinking blocks are removed, as they are only valid within their tool loop. Tool uses without a result get an error
    as their result; results without a tool use are removed.
    """
    out: list[Json] = []
    open_uses: list[str] = []
    for message in messages:
        role = message["role"]
        blocks = _clean(message["content"])
        if role == "user":
            results = {b["tool_use_id"]: b for b in blocks if b["type"] == "tool_result"}
            answers = [results.get(use) or _lost_result(use) for use in open_uses]
            blocks = [*answers, *(b for b in blocks if b["type"] not in TOOL_BLOCKS)]
            open_uses = []
        else:
            blocks = [b for b in blocks if b["type"] != "tool_result"]
            if open_uses:
                _append(out, role="user", blocks=[_lost_result(use) for use in open_uses])
            open_uses = [b["id"] for b in blocks if b["type"] == "tool_use"]
        _append(out, role=role, blocks=blocks)
    if open_uses:
        _append(out, role="user", blocks=[_lost_result(use) for use in open_uses])
    return out


def extend_normalized(before: Sequence[Json], *, more: Sequence[Json]) -> list[Json] | None:
    """Return normalized messages extended by others, at the cost of the others alone, or None if they cannot follow."""
    new = normalize_messages(more)
    follows = bool(new) and new[0]["role"] == "user" and (not before or before[-1]["role"] == "assistant")
    return [*before, *new] if follows else None


def complete_exchange(messages: Sequence[Json]) -> list[Json]:
    """Return the messages of a turn after the user's, normalized, and with one of the assistant at the end."""
    out = normalize_messages(messages)
    if not out or out[-1]["role"] == "user":
        _append(out, role="assistant", blocks=[{"type": "text", "text": INTERRUPTED}])
    return out


def with_note(messages: Sequence[Json], *, note: str) -> list[Json]:
    """Return the messages with a note of the application as the last one, in the user's role."""
    out = list(messages)
    if out and out[-1]["role"] == "user":
        out.append({"role": "assistant", "content": [{"type": "text", "text": INTERRUPTED}]})
    return [*out, {"role": "user", "content": [{"type": "text", "text": note}]}]


def without_trailing_space(messages: Sequence[Json]) -> list[Json]:
    """Return the messages without white space at the end of a last answer.

    The last message is an answer if the model has paused; the API refuses white space at its end.
    """
    out = list(messages)
    if out and out[-1]["role"] == "assistant" and out[-1]["content"][-1]["type"] == "text":
        *blocks, last = out[-1]["content"]
        out[-1] = {"role": "assistant", "content": [*blocks, {**last, "text": last["text"].rstrip()}]}
    return out


def without_tool_uses(blocks: Sequence[Json]) -> list[Json]:
    """Return the blocks of an answer without its tool uses, which will not run."""
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
    blocks = [b for b in blocks if b.get("type") not in THINKING]
    return [b for b in blocks if b.get("type") != "text" or b.get("text", "").strip()]


def _lost_result(tool_use_id: str) -> Json:
    return {"type": "tool_result", "tool_use_id": tool_use_id, "content": LOST_RESULT, "is_error": True}

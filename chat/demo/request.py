"""Reads a Messages API request: the person's words, the page, which tools there are and what they have answered."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import Any

from chat.demo.language.words import bare, key
from chat.demo.page import Page, read_page
from chat.instructions import ANNOUNCED

Json = dict[str, Any]
_ACTION = re.compile(r"^- (\w+): .*May run\.$", re.MULTILINE)
# The marker of the actions that an answer suggests or runs.
RUNS = "SUGGESTED_ACTIONS"
# How the application's message begins once a proposal was applied.
APPLIED = "[The person applied"
_WRITING_TOOLS = {"create_row", "update_row", "delete_row"}
_FENCE = re.compile(r"^<data token=[^\n>]*>\s*", re.MULTILINE)


@dataclass(frozen=True)
class ToolAnswer:
    """A tool this turn has used, and what it said; `value` is its JSON, if it is JSON."""

    name: str
    input: Json
    text: str
    value: Any
    is_error: bool


@dataclass(frozen=True)
class OpenProposal:
    """A proposal that waits for the person, as the manifest lists it: its id and its type."""

    id: str
    type: str


@dataclass(frozen=True)
class Turn:
    """All the demo model knows when it answers.

    `wish` is `words` without courtesy, `words_before` is the person's message before this one; `actions` are the client
    actions that may run at once, `ran_before` those that the latest answer with an effect ran. `about_selected`: the
    wish is a question about the selected rows alone, and no longer says so.
    """

    words: str
    wish: str
    page: Page
    tools: frozenset[str] = frozenset()
    answers: tuple[ToolAnswer, ...] = ()
    seed: int = 0
    greeted: bool = field(default=False)
    open_proposal: OpenProposal | None = None
    words_before: str = ""
    actions: frozenset[str] = frozenset()
    ran_before: frozenset[str] = frozenset()
    about_selected: bool = False

    def answer(self, name: str) -> ToolAnswer | None:
        """The last answer of that tool in this turn."""
        return next((item for item in reversed(self.answers) if item.name == name), None)


def read_turn(body: Json) -> Turn:
    """The turn of a request body."""
    messages = [item for item in body.get("messages") or [] if isinstance(item, dict)]
    start = max((i for i, item in enumerate(messages) if _is_words(item)), default=-1)
    texts = _texts(messages[start]) if start >= 0 else []
    words = _intention(texts[-1]) or texts[-1] if texts else ""
    context = _document(texts[:-1], name="page")
    choice = body.get("tool_choice") or {}
    named = [tool.get("name", "") for tool in body.get("tools") or [] if isinstance(tool, dict)]
    return Turn(
        words=words,
        wish=bare(words),
        page=read_page(context),
        tools=frozenset() if choice.get("type") == "none" else frozenset(named),
        answers=tuple(_answers(messages[start + 1 :])),
        seed=_seed(words=words, context=context),
        greeted=any(item.get("role") == "assistant" for item in messages[:start]),
        open_proposal=_open_proposal(_document(texts[:-1], name="payloads")),
        words_before=next(
            (said[-1] for item in reversed(messages[:start]) if _is_words(item) and (said := _texts(item))), ""
        ),
        actions=_actions(body.get("system")),
        ran_before=_ran(messages[:start]),
    )


def _actions(system: Any) -> frozenset[str]:
    """The client actions that the system prompt lists as those that may run."""
    text = "\n".join(_texts({"content": system or []}))
    return frozenset(_ACTION.findall(text.partition("CLIENT ACTIONS\n")[2].partition("\n\n")[0]))


def _ran(messages: list[Json]) -> frozenset[str]:
    """The client actions of the latest answer that did something; answers that only say something are passed over."""
    for message in reversed(messages):
        last = "".join(_texts(message)[-1:])
        if message.get("role") != "assistant":
            if last.startswith(APPLIED):
                break
            continue
        if "_PROPOSAL: " in last or _writes(message):
            break
        if ran := _run_by(last):
            return ran
    return frozenset()


def _writes(message: Json) -> bool:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return any(block.get("type") == "tool_use" and block.get("name") in _WRITING_TOOLS for block in blocks)


def _run_by(text: str) -> frozenset[str]:
    """The client actions that an answer had the page run."""
    listed = text.partition(f"{RUNS}: ")[2]
    try:
        entries = json.JSONDecoder().raw_decode(listed)[0]
    except ValueError:
        return frozenset()
    found = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return frozenset(str(entry.get("action")) for entry in found if entry.get("run") is True)


def _intention(words: str) -> str:
    """What was announced as the next step, where the application says that it is time for it; else ""."""
    before, found, after = words.partition(ANNOUNCED)
    if not found or not before.startswith(APPLIED):
        return ""
    try:
        said = json.JSONDecoder().raw_decode(after)[0]
    except ValueError:
        return ""
    return said if isinstance(said, str) else ""


def _is_words(message: Json) -> bool:
    content = message.get("content")
    if message.get("role") != "user":
        return False
    return isinstance(content, str) or not any(block.get("type") == "tool_result" for block in content or [])


def _texts(message: Json) -> list[str]:
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    return [str(block.get("text", "")) for block in content or [] if block.get("type") == "text"]


def _open_proposal(manifest: Json) -> OpenProposal | None:
    """The newest payload that waits for an answer."""
    listed = manifest.get("payloads")
    for entry in reversed(listed if isinstance(listed, list) else []):
        if isinstance(entry, dict) and str(entry.get("status", "")).startswith("pending"):
            return OpenProposal(id=str(entry.get("id", "")), type=str(entry.get("type", "")))
    return None


def _document(texts: list[str], *, name: str) -> Json:
    """The first fenced document that has `name`. What a cell holds cannot end it: it is read as JSON."""
    for text in texts:
        for fence in _FENCE.finditer(text):
            value = _json(text[fence.end() :])
            if isinstance(value, dict) and name in value:
                return value
    return {}


def _answers(messages: list[Json]) -> list[ToolAnswer]:
    uses: dict[str, Json] = {}
    answers = []
    for message in messages:
        content = message.get("content")
        for block in content if isinstance(content, list) else []:
            if block.get("type") == "tool_use":
                uses[str(block.get("id"))] = block
            elif block.get("type") == "tool_result":
                use = uses.get(str(block.get("tool_use_id")), {})
                answers.append(_answer(use=use, result=block))
    return answers


def _answer(*, use: Json, result: Json) -> ToolAnswer:
    text = "\n".join(_texts({"content": result.get("content")}))
    fence = _FENCE.search(text)
    given = use.get("input")
    return ToolAnswer(
        name=str(use.get("name", "")),
        input=given if isinstance(given, dict) else {},
        text=text,
        value=_json(text[fence.end() :] if fence else text),
        is_error=result.get("is_error") is True,
    )


def _json(text: str) -> Any:
    """The JSON value a text begins with (after any words of the application), or None."""
    opens = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    if opens < 0:
        return None
    try:
        return json.JSONDecoder().raw_decode(text, opens)[0]
    except ValueError:
        return None


def _seed(*, words: str, context: Json) -> int:
    """The same request gives the same answer; another table or other words give other made-up values."""
    content = json.dumps([key(words), context.get("table"), context.get("sample_rows")], sort_keys=True, default=str)
    return int.from_bytes(hashlib.sha256(content.encode("utf-8", "replace")).digest()[:8], "big")
